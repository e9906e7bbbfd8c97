//! The commit log in a whole daemon: its bytes come back after a power cut, and a clean stop leaves no log.

use std::fs;
use std::path::{Path, PathBuf};

use flagfall::emulate::PtyBoard;
use flagfall::journal::{Disk, commit_log, read};
use flagfall_hardware::emulator::Settings;
use flagfall_hardware::emulator::script::Script;

use crate::support::hall::process::{DaemonFolder, DaemonProcess};
use crate::support::mqtt::{Mosquitto, MosquittoSub};
use crate::support::waiting::{PATIENCE, wait_until};

/// The file of a folder with this ending; the last one if there are several.
fn file(folder: &Path, ending: &str) -> Option<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().map(|entry| entry.expect("an entry").path());
    entries.filter(|path| path.to_string_lossy().ends_with(ending)).max()
}

#[test]
fn bytes_that_a_power_cut_takes_from_a_journal_come_back() {
    let broker = Mosquitto::start();
    let folder = DaemonFolder::new("n1", broker.port());
    let board = PtyBoard::start("b0", Settings::default(), &Script::new(), 1.0).expect("a board");
    board.link_at(&folder.port()).expect("a link");
    let subscriber = MosquittoSub::new(broker.port(), &["flagfall/#"]);
    let logs = folder.journal().join(commit_log::FOLDER);
    let process = DaemonProcess::start(&folder.config());
    subscriber.wait("an armed game", |received| {
        (received.topic == "flagfall/1/arbiter/ev/1/b0/state" && received.payload.contains("\"armed\"")).then_some(())
    });
    board.load(&Script::parse("0.1 lift e2\n+0.2 place e4").expect("a script")).expect("hands");
    subscriber.wait("the move", |received| received.topic.ends_with("/live/ev/1/b0/move").then_some(()));
    // The hands have stopped: soon the log has the journal's last line. Later lines, such as an answer that shows that the board is
    // there, may be on their way to the log when the daemon is killed.
    let journal = file(&folder.journal().join("b0"), ".journal").expect("a journal");
    let mut whole = Vec::new();
    wait_until("the last line in the log", PATIENCE, || {
        whole = fs::read(&journal).expect("a journal");
        let log = file(&logs, ".log").map(|log| fs::read(log).expect("a log")).unwrap_or_default();
        let last = whole.strip_suffix(b"\n").and_then(|text| text.split(|byte| *byte == b'\n').next_back()).unwrap_or_default();
        !last.is_empty() && log.windows(last.len()).any(|bytes| bytes == last)
    });
    drop(process);
    // A power cut loses the bytes that only the log has synced.
    let log = fs::read(file(&logs, ".log").expect("a log")).expect("a log");
    let entry = log.split(|byte| *byte == b'\n').find(|line| line.starts_with(b"entry b0 ")).expect("an entry");
    let entry = String::from_utf8_lossy(entry);
    let offset: usize = entry.split(' ').nth(3).and_then(|offset| offset.parse().ok()).expect("an offset");
    assert!(offset < whole.len());
    fs::write(&journal, &whole[..offset]).expect("cut");

    let again = DaemonProcess::start(&folder.config());
    again.wait_for_log("the bytes that were written back", |line| line.contains("after a power cut 1 files got back"));
    again.wait_for_log("a restart without differences", |line| line.contains("0 differ, 0 were not sent"));
    again.terminate();
    assert!(again.wait_for_end().success());
    assert!(fs::read(&journal).expect("a journal").starts_with(&whole), "every byte is back");
    let recovered = read(&mut Disk::reading(&folder.journal().join("b0"))).expect("readable");
    assert_eq!(recovered.damage.total, 0);
    assert_eq!(file(&logs, ".log"), None, "a clean stop leaves no log");
}
