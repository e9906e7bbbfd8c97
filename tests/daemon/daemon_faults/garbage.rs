//! A cable that sends garbage as fast as it can: the journal stays small, and what it does not have is counted.

use flagfall::session::recorder::{BURST, PER_SECOND};
use flagfall::system_clock::monotonic;
use std::fs;
use std::path::Path;

use super::{board, online};
use crate::support::hall::process::{DaemonFolder, DaemonProcess};
use crate::support::mqtt::{Mosquitto, MosquittoSub};
use crate::support::waiting::{PATIENCE, wait_until};

/// More than a pseudo-terminal passes on.
const BYTES_PER_SECOND: u32 = 100_000_000;
/// How much of it the daemon must have read: many times what it may record.
const READ: u64 = 16 * BURST;

/// The length of all files below a folder.
fn size_of(path: &Path) -> u64 {
    let entry = fs::metadata(path).expect("it is there");
    if entry.is_file() {
        return entry.len();
    }
    fs::read_dir(path).expect("a folder").map(|entry| size_of(&entry.expect("an entry").path())).sum()
}

/// The number of bytes that a process has read so far.
fn bytes_read(process: u32) -> u64 {
    let counters = fs::read_to_string(format!("/proc/{process}/io")).expect("it runs");
    let read = counters.lines().find_map(|line| line.strip_prefix("rchar: "));
    read.and_then(|read| read.parse().ok()).expect("a number")
}

#[allow(clippy::print_stderr, reason = "the sizes are measured")]
#[test]
fn garbage_at_full_speed_leaves_a_small_journal_and_is_counted() {
    let broker = Mosquitto::start();
    let folder = DaemonFolder::new("n1", broker.port());
    let board = board(&folder);
    let subscriber = MosquittoSub::new(broker.port(), &["flagfall/1/device/#"]);
    let process = DaemonProcess::start(&folder.config());
    online(&subscriber);
    let began = monotonic();
    board.flood(BYTES_PER_SECOND).expect("it sends");
    subscriber.wait("that the device is not read", |received| {
        received.body()["problem"].as_str().is_some_and(|problem| problem.contains("too many bytes")).then_some(())
    });
    wait_until("the daemon has read enough", PATIENCE, || bytes_read(process.id()) > READ);
    let lasted = monotonic().since(began).as_secs();
    process.terminate();
    let mut left_out = 0;
    process.wait_for_log("how many bytes were not recorded", |line| {
        let said = line.split_once("bytes were not recorded: ").and_then(|(_, said)| said.strip_suffix(" of its board"));
        let number = said.and_then(|said| said.rsplit(' ').next());
        number.inspect(|number| left_out = number.parse().expect("a number")).is_some()
    });
    assert!(process.wait_for_end().success());
    let kept = size_of(&folder.journal().join("b0"));
    eprintln!("{kept} bytes of journal in {lasted} s, {left_out} bytes were left out; all files: {}", size_of(&folder.journal()));
    // What the game makes of it, and each record's own text, are beside the budget.
    assert!(kept <= 2 * (BURST + PER_SECOND * (lasted + 1)), "{kept} bytes are recorded");
    assert!(left_out > 10 * kept, "{left_out} bytes are left out");
}
