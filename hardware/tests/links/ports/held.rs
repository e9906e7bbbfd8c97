//! Tests of a port that another program or link holds.

use std::fs::File;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use flagfall_hardware::holder::{self, Holder};
use flagfall_hardware::link::LinkError;
use flagfall_hardware::port::LinkProblem;
use flagfall_hardware::pty::Pty;
use flagfall_hardware::serial::Serial;
use nix::fcntl::OFlag;

use super::support::{Folder, TestLink, by_path, now, reactor};
use crate::bluez::{STARTING, start};
use crate::seconds::within;

/// Another program that has the port open and locked, like a terminal program.
struct Other(Child);

impl Other {
    fn hold(path: &Path) -> Other {
        let port = File::options().read(true).write(true).custom_flags(OFlag::O_NOCTTY.bits()).open(path).unwrap();
        port.lock().unwrap();
        Other(start(Command::new("sleep").arg("60").stdin(Stdio::from(port))))
    }
}

impl Drop for Other {
    fn drop(&mut self) {
        self.0.kill().unwrap();
        self.0.wait().unwrap();
    }
}

#[test]
fn holders_are_named() {
    let (_board, path) = Pty::pair().unwrap();
    let ours = Holder { pid: std::process::id(), name: own_name(), ours: true };
    assert_eq!(holder::holders(&path), [ours], "the emulated board keeps its end");
    let other = Other::hold(&path);
    let seen = holder::holders(&path);
    assert_eq!(seen.len(), 2);
    assert!(seen.contains(&Holder { pid: other.0.id(), name: "sleep".to_owned(), ours: false }), "{seen:?}");
    let folder = Folder::new();
    folder.link("a", &path);
    assert_eq!(holder::holders(&folder.path().join("a")), seen, "by a link, too");
    assert_eq!(holder::holders(&folder.path().join("b")), []);
    let text = holder::describe(&seen);
    assert!(text.contains(&format!("sleep (process {})", other.0.id())) && text.contains("this program"), "{text}");
    assert_eq!(holder::describe(&[]), "another program, which only root may see");
}

fn own_name() -> String {
    std::fs::read_to_string("/proc/self/comm").unwrap().trim().to_owned()
}

#[test]
fn a_held_port_is_reported_with_its_holder_and_opened_when_free() {
    let folder = Folder::new();
    let (_board, path) = Pty::pair().unwrap();
    folder.link("a", &path);
    let other = Other::hold(&path);
    let test_link = TestLink::start(by_path(&folder, "a"), &reactor());
    match test_link.missing() {
        LinkProblem::Busy { path: busy, holders } => {
            assert_eq!(busy, path);
            assert!(holders.iter().any(|holder| holder.pid == other.0.id() && holder.name == "sleep"), "{holders:?}");
        }
        problem => panic!("{problem}"),
    }
    let freed = now();
    drop(other);
    let (at, opened) = test_link.up();
    assert_eq!(opened, path);
    within(at.saturating_sub(freed), 2_000_000);
}

#[test]
fn a_port_that_another_link_has_is_reported() {
    let folder = Folder::new();
    let (_board, path) = Pty::pair().unwrap();
    folder.link("a", &path);
    let ports = reactor();
    let mut first = TestLink::start(by_path(&folder, "a"), &ports);
    first.up();
    for _ in 0..3 {
        // A process that has not executed its program yet holds the port too.
        let no_program_starts = STARTING.read();
        let second = TestLink::start(by_path(&folder, "a"), &ports);
        let problem = second.missing();
        assert!(matches!(&problem, LinkProblem::Busy { holders, .. } if holders.iter().any(|holder| holder.ours)), "{problem}");
        // The wait is so long that the link checks only once a second.
        second.quiet(Duration::from_millis(1600));
        let freed = now();
        drop(first);
        let (at, opened) = second.up();
        drop(no_program_starts);
        assert_eq!(opened, path);
        within(at.saturating_sub(freed), 200_000);
        first = second;
    }
}

#[test]
fn a_port_locked_in_this_process_is_busy_for_the_link() {
    let folder = Folder::new();
    let (_board, path) = Pty::pair().unwrap();
    folder.link("a", &path);
    let held = Serial::open(&path, 9600).unwrap();
    let test_link = TestLink::start(by_path(&folder, "a"), &reactor());
    assert!(matches!(test_link.missing(), LinkProblem::Busy { .. }));
    drop(held);
    assert_eq!(test_link.up().1, path);
}

#[test]
fn a_pseudo_terminal_can_be_opened_again_after_its_program_was_killed() {
    let (_board, path) = Pty::pair().unwrap();
    let held = Serial::open(&path, 9600).unwrap();
    assert!(matches!(Serial::open(&path, 9600), Err(LinkError::Busy)), "the lock keeps another program out");
    // Root may open a port in exclusive mode through its capability, which a user does not have.
    let (program, without) = match std::fs::metadata("/proc/self").unwrap().uid() {
        0 => ("setpriv", &["--bounding-set=-sys_admin", "--inh-caps=-sys_admin", "sh"][..]),
        _ => ("sh", &[][..]),
    };
    let mut opener = start(Command::new(program).args(without).args(["-c", r#": <> "$0""#]).arg(&path));
    let opened = opener.wait().unwrap();
    assert!(opened.success(), "{program}: {opened}");
    drop(held);
}
