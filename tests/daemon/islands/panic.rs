//! A panic in one station.

use std::time::Duration;

use super::faulty::{
    PANICS_ALWAYS, PANICS_ONCE, TRIGGER, assert_all_events_published, assert_numbers_are_unique, play_until_fault,
    read_sound_journal, start_daemon, trigger_count, wait_for_failed_boards,
};
use crate::support::hall::TestHall;
use crate::support::hall::subscriber::ReceivedMessage;
use crate::support::hall::table::{Table, play, wait_until_complete};

const THINK: [u64; 2] = [300, 700];

fn tables(hall: &TestHall) -> Vec<Table> {
    (0..3).map(|number| Table::new(hall, number, &play(number, 10, THINK))).collect()
}

#[test]
fn a_panic_that_does_not_come_again_costs_nothing() {
    let hall = TestHall::new();
    let tables = tables(&hall);
    let (daemon, subscriber) = start_daemon::<PANICS_ONCE>(&hall, &tables);
    _ = play_until_fault(&subscriber, &tables, Duration::from_secs(4));
    assert!(tables.iter().all(|table| table.board.wait_done(Duration::from_secs(60))));
    wait_until_complete(&subscriber, &tables);
    assert!(trigger_count(PANICS_ONCE) >= 2, "once in the station, and once more in the new station");
    assert_numbers_are_unique(&subscriber, &tables[0].id);
    daemon.stop();
    let bytes = read_sound_journal(&hall, &tables[0].id);
    assert_eq!(bytes.iter().filter(|&&byte| byte == TRIGGER).count(), 1);
    let health = subscriber.latest("/health").expect("health");
    assert_eq!((health.body()["failed_boards"].as_array().map(Vec::len), &health.body()["journal_ok"]), (Some(0), &true.into()));
}

#[test]
fn a_game_that_panics_again_is_parked_and_its_bytes_are_still_recorded() {
    let hall = TestHall::new();
    let tables = tables(&hall);
    let (daemon, subscriber) = start_daemon::<PANICS_ALWAYS>(&hall, &tables);
    _ = play_until_fault(&subscriber, &tables, Duration::from_secs(4));
    wait_for_failed_boards(&subscriber, &["b0"]);
    let parked = |received: &ReceivedMessage| {
        // A board whose bytes are not read is not online, even if its cable is connected.
        received.device("b0").filter(|state| *state == "offline")?;
        received.body()["problem"].as_str()?.contains("failed twice at the same record and was parked").then_some(())
    };
    subscriber.wait("the device's status", 0, parked);
    let alert = subscriber.wait("the arbiters' alert", 0, |received| {
        // The start of the daemon deletes it.
        (received.topic.ends_with("/arbiter/ev/1/b0/alert/0") && !received.bytes.is_empty()).then(|| received.clone())
    });
    assert_eq!((&alert.body()["kind"], &alert.body()["class"]), (&"board_failed".into(), &"loud".into()));
    tables[0].board.inject(b"still\x7frecorded").expect("running");
    assert!(tables.iter().all(|table| table.board.wait_done(Duration::from_secs(60))));
    wait_until_complete(&subscriber, &tables[1..]);
    // The cable is pulled and put back; the status still has the reason why the board is not served.
    tables[0].board.unplug().expect("pulled");
    let from = subscriber.count();
    tables[0].board.replug().expect("put back");
    subscriber.wait("the device's status after the cable", from, |received| {
        parked(received).filter(|()| received.body()["port"].is_string())
    });
    daemon.stop();
    assert_all_events_published(&hall, &subscriber, "b0");
    let bytes = read_sound_journal(&hall, "b0");
    assert!(bytes.windows(14).any(|some| some == b"still\x7frecorded"), "not recorded");
    for table in &tables[1..] {
        read_sound_journal(&hall, &table.id);
    }
}
