//! Tests the findings about the service, the clock and the folder of the journals.

use super::super::State;
use super::*;

#[test]
fn the_state_of_the_service() {
    for (text, state, found) in [
        ("", State::Ok, "flagfall.service is not installed"),
        ("LoadState=not-found\nActiveState=inactive\nResult=success\n", State::Ok, "flagfall.service is not installed"),
        ("LoadState=loaded\nActiveState=active\nResult=success\n", State::Ok, "flagfall.service runs"),
        ("LoadState=loaded\nActiveState=failed\nResult=exit-code\n", State::Problem, "flagfall.service failed (exit-code)"),
        ("LoadState=loaded\nActiveState=inactive\nResult=success\n", State::Warning, "flagfall.service is inactive"),
    ] {
        let finding = parse_service(text).finding();
        assert_eq!((finding.state, finding.found.as_str()), (state, found), "{text}");
        assert_eq!(finding.advice.is_some(), state != State::Ok, "{text}");
    }
}

#[test]
fn the_clock() {
    for (source, err_ms, state) in [
        (TimeSource::Ntp, Some(3), State::Ok),
        (TimeSource::Ntp, None, State::Ok),
        (TimeSource::Rtc, None, State::Warning),
        (TimeSource::None, None, State::Warning),
    ] {
        assert_eq!(clock(ClockSync { source, err_ms }).state, state, "{source:?}");
    }
}

#[test]
fn folders_for_journals() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("file");
    std::fs::write(&file, "").expect("written");
    for (path, bad) in [(folder.path().to_owned(), false), (folder.path().join("a/b"), false), (file, true)] {
        assert_eq!(disk(&path, false).state == State::Problem, bad, "{}", path.display());
    }
    assert_eq!(disk(Path::new("/proc/flagfall"), false).state, State::Problem);
    assert_eq!(disk(Path::new("none/such"), false).state, State::Problem);
}

#[test]
fn journals_that_a_power_cut_loses() {
    let disk = nix::sys::statfs::EXT4_SUPER_MAGIC;
    for (kind, forgets) in [(disk, false), (TMPFS_MAGIC, true), (OVERLAYFS_SUPER_MAGIC, true)] {
        assert_eq!(storage(kind).is_some_and(|finding| finding.found.contains("the journal is in memory")), forgets, "{kind:?}");
    }
}
