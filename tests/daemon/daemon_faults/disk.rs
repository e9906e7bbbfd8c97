//! The daemon on a real disk that is full or read-only: a file system of its own, mounted where only the daemon sees it.

use std::fs::File;
use std::io::Write;
use std::os::fd::AsRawFd;
use std::path::{Path, PathBuf};
use std::time::Duration;

use flagfall::journal::{Disk, Limits, Recovered, read};
use flagfall::session::recorder::Recorder;
use flagfall::wire::alarm::ProgramAlarm;
use flagfall_protocols::trace::{Audience, Body};
use serde_json::Value;

use super::{MOVES, PLIES, alert, alerts, board, script};
use crate::support::hall::process::{DaemonFolder, DaemonProcess};
use crate::support::mqtt::{Mosquitto, MosquittoMessage, MosquittoSub};
use crate::support::seconds::assert_within;

/// The longest time from the first event that is not on the disk until the alert.
const ALERT_WITHIN: Duration = Duration::from_secs(5);

/// A folder as a daemon sees it, which stays after the end of the daemon.
struct KeptFolder(File);

impl KeptFolder {
    fn new(process: &DaemonProcess, path: &Path) -> KeptFolder {
        KeptFolder(File::open(process.seen(path)).expect("a folder"))
    }

    fn path(&self) -> PathBuf {
        PathBuf::from(format!("/proc/self/fd/{}", self.0.as_raw_fd()))
    }

    fn journal(&self) -> Recovered {
        read(&mut Disk::reading(&self.path().join("b0"))).expect("readable")
    }
}

fn is_online(received: &MosquittoMessage) -> bool {
    received.topic.contains("/device/") && received.body()["state"] == "online"
}

/// Writes a file until the disk is full.
fn fill(path: &Path) {
    let mut file = File::create(path).expect("a file");
    // The last writes are small, so that no page is left.
    for size in [4096, 1] {
        while file.write_all(&vec![0; size]).is_ok() {}
    }
}

/// The events of the arbiters among these messages.
fn events(all: &[MosquittoMessage]) -> impl Iterator<Item = (u64, &MosquittoMessage)> {
    let ours = all.iter().filter(|received| received.topic.starts_with("flagfall/1/arbiter/ev/1/b0/"));
    ours.filter_map(|received| Some((received.no()?, received)))
}

/// Checks that the alert came soon after the first event that the journal does not have.
#[allow(clippy::print_stderr, reason = "the time is measured")]
fn check_time_of_alert(all: &[MosquittoMessage], recorded: u64) {
    let is_alert = |received: &&MosquittoMessage| received.topic.ends_with(&ProgramAlarm::NotRecorded.id().to_string());
    let alert = all.iter().find(is_alert).expect("the alert");
    let first = events(all).find(|(number, _)| *number > recorded).map_or(alert.at, |(_, first)| first.at);
    let took = alert.at.since(first);
    eprintln!("the alert came {took:?} after the first event that was not recorded");
    assert_within(took, ALERT_WITHIN, "the alert that nothing is recorded");
}

/// All messages until the alert that nothing is recorded.
fn until_alert(subscriber: &MosquittoSub) -> Vec<MosquittoMessage> {
    let topic = format!("flagfall/1/arbiter/ev/1/b0/alert/{}", ProgramAlarm::NotRecorded.id());
    subscriber.until("the alert", |received| received.topic == topic && received.body()["status"] == "open")
}

/// Checks that every event for arbiters among these messages, and no other, is in the journal, in order, and that a restart finds
/// everything.
fn check_journal(folder: &DaemonFolder, journals: &KeptFolder, all: &[MosquittoMessage]) {
    let journal = journals.journal();
    assert!(journal.damage.described.is_empty() && journal.is_closed(), "{:?}", journal.damage.described);
    let of_arbiters = |record: flagfall_protocols::trace::Record<'_>| match record.body {
        Body::Out { number, audience: Audience::Arbiter, payload, .. } => {
            Some((number, serde_json::from_str::<Value>(payload).expect("JSON")["body"].take()))
        }
        _ => None,
    };
    let recorded: Vec<(u64, Value)> = journal.records().filter_map(of_arbiters).collect();
    let numbers = recorded.iter().map(|(number, _)| *number);
    assert!(recorded.len() > PLIES && numbers.eq(1..=recorded.len() as u64), "{recorded:?}");
    let published: Vec<(u64, Value)> = events(all).map(|(number, event)| (number, event.body().clone())).collect();
    assert_eq!(recorded, published);
    let disk = Box::new(Disk::open(&folder.copy_journal_from(&journals.path())).expect("opens"));
    let opened = Recorder::open(disk, Limits::default(), &folder.setting(), "ev-r1-bb0", &mut |_| Ok(()));
    let (_, restored) = opened.expect("opens");
    assert!(restored.inputs > 0 && restored.unsent.is_empty(), "{:?}", restored.unsent);
    assert_eq!(restored.verified.differences, [""; 0]);
}

/// Plays the game and waits for its end, at which the journal can be written again after `repair`. Then the daemon stops.
fn play_and_repair(
    process: DaemonProcess,
    (subscriber, alerts): (&MosquittoSub, &MosquittoSub),
    mut all: Vec<MosquittoMessage>,
    repair: impl FnOnce(&DaemonProcess),
) -> Vec<MosquittoMessage> {
    let whole = |received: &MosquittoMessage| {
        let list = received.body()["moves"].as_array().map(Vec::as_slice).unwrap_or_default();
        let list: Vec<&str> = list.iter().filter_map(|played| played["san"].as_str()).collect();
        received.topic == "flagfall/1/live/ev/1/b0/state" && list.join(" ") == MOVES
    };
    all.extend(subscriber.until("the whole game", whole));
    alert(alerts, ProgramAlarm::NotRecorded, Some("not_recorded"));
    repair(&process);
    alert(alerts, ProgramAlarm::NotRecorded, None);
    process.terminate();
    assert!(process.wait_for_end().success());
    let stopped = |received: &MosquittoMessage| received.topic.ends_with("/n1/status") && received.body()["state"] == "stopped";
    all.extend(subscriber.until("the end", stopped));
    let ok = |received: &&MosquittoMessage| received.topic.ends_with("/n1/health");
    let health: Vec<&Value> = all.iter().filter(ok).map(|received| &received.body()["journal_ok"]).collect();
    assert!(health.contains(&&Value::from(false)) && health.last() == Some(&&Value::from(true)), "{health:?}");
    all
}

#[test]
fn a_full_disk_is_an_alert_until_there_is_room_and_nothing_is_lost() {
    let broker = Mosquitto::start();
    let folder = DaemonFolder::new("n1", broker.port());
    let board = board(&folder);
    let (subscriber, alerts) = (MosquittoSub::new(broker.port(), &["flagfall/#"]), alerts(&broker));
    std::fs::create_dir(folder.journal()).expect("a folder");
    let mount = format!("-t tmpfs -o size=1m journal {}", folder.journal().display());
    let Some(process) = DaemonProcess::with_mount(&folder.config(), &[&mount]) else { return };
    let mut all = subscriber.until("the board", is_online);
    let journals = KeptFolder::new(&process, &folder.journal());
    let filler = process.seen(&folder.journal()).join("filler");
    fill(&filler);
    board.load(&script()).expect("hands");
    all.extend(until_alert(&subscriber));
    assert!(all.last().is_some_and(|alert| alert.payload.contains("No space left on device")), "{:?}", all.last());
    check_time_of_alert(&all, journals.journal().standing.last_outs()[Audience::Arbiter as usize]);
    let all = play_and_repair(process, (&subscriber, &alerts), all, |_| std::fs::remove_file(filler).expect("removed"));
    check_journal(&folder, &journals, &all);
}

#[test]
fn a_read_only_disk_is_an_alert_until_it_can_be_written_and_nothing_is_lost() {
    let broker = Mosquitto::start();
    let folder = DaemonFolder::new("n1", broker.port());
    let board = board(&folder);
    let (subscriber, alerts) = (MosquittoSub::new(broker.port(), &["flagfall/#"]), alerts(&broker));
    std::fs::create_dir(folder.journal()).expect("a folder");
    let mount = format!("-t tmpfs -o size=1m,ro journal {}", folder.journal().display());
    let Some(process) = DaemonProcess::with_mount(&folder.config(), &[&mount]) else { return };
    let all = until_alert(&subscriber);
    check_time_of_alert(&all, 0);
    board.load(&script()).expect("hands");
    let journals = KeptFolder::new(&process, &folder.journal());
    let remount = format!("-o remount,rw {}", folder.journal().display());
    let all = play_and_repair(process, (&subscriber, &alerts), all, |process| process.mount(&remount));
    check_journal(&folder, &journals, &all);
}

#[test]
fn a_game_goes_on_from_a_read_only_disk_and_is_recorded_again() {
    let broker = Mosquitto::start();
    let folder = DaemonFolder::new("n1", broker.port());
    let board = board(&folder);
    let (subscriber, alerts) = (MosquittoSub::new(broker.port(), &["flagfall/#"]), alerts(&broker));
    let first = DaemonProcess::start(&folder.config());
    let mut all = subscriber.until("the board", is_online);
    board.load(&script()).expect("hands");
    let is_move = |received: &MosquittoMessage| received.topic.ends_with("/arbiter/ev/1/b0/move");
    all.extend(subscriber.until("a move", is_move));
    first.terminate();
    assert!(first.wait_for_end().success());
    let journal = folder.journal().display().to_string();
    let mounts = [format!("--bind {journal} {journal}"), format!("-o remount,bind,ro {journal}")];
    let Some(process) = DaemonProcess::with_mount(&folder.config(), &[&mounts[0], &mounts[1]]) else { return };
    let journals = KeptFolder::new(&process, &folder.journal());
    let remount = format!("-o remount,bind,rw {journal}");
    let all = play_and_repair(process, (&subscriber, &alerts), all, |process| process.mount(&remount));
    check_journal(&folder, &journals, &all);
}
