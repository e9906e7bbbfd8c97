//! Faults of one link: a flood, silence, a port that another program holds.

use std::fs::File;
use std::os::fd::AsRawFd;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use flagfall::system_clock::monotonic;

use crate::support::hall::subscriber::ReceivedMessage;
use crate::support::hall::table::{Table, play, wait_until_complete};
use crate::support::hall::{RunningDaemon, TestHall};
use crate::support::seconds::assert_within;
use crate::support::waiting::pause;

const THINK: [u64; 2] = [250, 600];
/// The longest time from a port's release until the daemon has opened it.
const TAKEN_WITHIN: Duration = Duration::from_secs(2);

#[test]
fn a_flood_on_one_board_costs_the_others_no_move() {
    let hall = TestHall::new();
    let tables: Vec<Table> = (0..6).map(|number| Table::new(&hall, number, &play(number, 10, THINK))).collect();
    let (daemon, subscriber) = RunningDaemon::heard(hall.loaded(tables.iter().map(|table| table.by_port(&hall)).collect()));
    tables.iter().for_each(|table| drop(subscriber.device(&table.id, &["online"], 0)));
    let (flooded, others) = tables.split_first().expect("tables");
    flooded.board.flood(1_000_000).expect("running");
    for table in others {
        table.board.load(&table.script).expect("hands");
    }
    for table in others {
        assert!(table.board.wait_done(Duration::from_secs(60)), "{}", table.id);
    }
    wait_until_complete(&subscriber, others);
    flooded.board.flood(0).expect("running");
    // The board answers again, or its answers were understood all the time.
    let from = subscriber.count();
    flooded.board.unplug().expect("pulled");
    let pulled = |received: &ReceivedMessage| {
        (received.device(&flooded.id)? == "offline" && received.body()["port"].is_null()).then_some(())
    };
    subscriber.wait("the lost link", from, pulled);
    let from = subscriber.count();
    flooded.board.replug().expect("put back");
    drop(subscriber.device(&flooded.id, &["online", "unstable"], from));
    daemon.stop();
}

#[test]
fn a_silent_board_is_an_alarm_until_it_talks_again() {
    let hall = TestHall::new();
    let tables: Vec<Table> = (0..2).map(|number| Table::new(&hall, number, &play(number, 8, THINK))).collect();
    let (daemon, subscriber) = RunningDaemon::heard(hall.loaded(tables.iter().map(|table| table.by_port(&hall)).collect()));
    tables.iter().for_each(|table| drop(subscriber.device(&table.id, &["online"], 0)));
    let (silent, other) = (&tables[0], &tables[1]);
    let from = subscriber.count();
    other.board.load(&other.script).expect("hands");
    silent.board.mute(true).expect("running");
    let lost = subscriber.device(&silent.id, &["offline"], from);
    assert_eq!(lost.body()["problem"], "the device does not answer");
    let alert = |received: &ReceivedMessage| {
        let ours = received.topic.contains(&format!("/{}/alert/", silent.id)) && received.body()["kind"] == "board_lost";
        ours.then(|| received.topic.clone())
    };
    let topic = subscriber.wait("the alert", from, alert);
    let from = subscriber.count();
    silent.board.mute(false).expect("running");
    let back = subscriber.device(&silent.id, &["online"], from);
    assert!(back.body()["problem"].is_null(), "{:?}", back.body());
    // The alert has ended: its state is `cured`, or the message is deleted.
    subscriber.wait("the end of the alert", from, |received| (received.topic == topic).then_some(()));
    assert!(other.board.wait_done(Duration::from_secs(60)));
    wait_until_complete(&subscriber, &tables[1..]);
    // The board that was silent can play, too.
    silent.board.load(&silent.script).expect("hands");
    assert!(silent.board.wait_done(Duration::from_secs(60)));
    wait_until_complete(&subscriber, &tables);
    daemon.stop();
}

/// Another program that has the port open and locked, like a terminal program.
struct PortHolder(Child);

impl PortHolder {
    fn hold(path: &std::path::Path) -> PortHolder {
        let port = File::options().read(true).write(true).open(path).expect("opens");
        port.lock().expect("the lock is free");
        assert!(port.as_raw_fd() > 2);
        PortHolder(Command::new("sleep").arg("60").stdin(Stdio::from(port)).spawn().expect("sleep is there"))
    }

    fn end(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

impl Drop for PortHolder {
    fn drop(&mut self) {
        self.end();
    }
}

#[test]
fn a_held_port_is_reported_with_its_holder_and_opened_when_it_is_free() {
    let hall = TestHall::new();
    let tables: Vec<Table> = (0..2).map(|number| Table::new(&hall, number, &play(number, 4, THINK))).collect();
    let (held, free) = (&tables[0], &tables[1]);
    let mut other = PortHolder::hold(&held.board.path().expect("plugged"));
    let (daemon, subscriber) = RunningDaemon::heard(hall.loaded(tables.iter().map(|table| table.by_port(&hall)).collect()));
    drop(subscriber.device(&free.id, &["online"], 0));
    let holder = format!("sleep (process {})", other.0.id());
    let named = |received: &ReceivedMessage| {
        received.device(&held.id).filter(|state| *state == "offline")?;
        received.body()["problem"].as_str()?.contains(&holder).then_some(())
    };
    subscriber.wait("the holder's name", 0, named);
    free.board.load(&free.script).expect("hands");
    // This is longer than the longest pause between two attempts to open the port.
    pause(Duration::from_millis(1_500));
    let from = subscriber.count();
    other.end();
    let released = monotonic();
    let taken = |received: &ReceivedMessage| {
        (received.device(&held.id).is_some() && received.body()["port"].is_string()).then_some(received.at)
    };
    let took = subscriber.wait("the port", from, taken).since(released);
    assert_within(took, TAKEN_WITHIN, "the port was opened late");
    let online = subscriber.device(&held.id, &["online"], from);
    assert!(online.body()["problem"].is_null(), "{:?}", online.body());
    held.board.load(&held.script).expect("hands");
    assert!(tables.iter().all(|table| table.board.wait_done(Duration::from_secs(60))));
    wait_until_complete(&subscriber, &tables);
    daemon.stop();
}
