//! A station that hangs.

use std::sync::atomic::Ordering;
use std::time::Duration;

use flagfall::system_clock::monotonic;
use flagfall_protocols::time::Instant;
use flagfall_protocols::trace::Body;

use super::faulty::{
    HANGS_ALWAYS, HANGS_ONCE, HELD_UP, RELEASED, TRIGGER, assert_numbers_are_unique, play_until_fault, read_journal,
    read_sound_journal, received_bytes, start_daemon, trigger_count, wait_for_failed_boards,
};
use crate::support::hall::TestHall;
use crate::support::hall::subscriber::ReceivedMessage;
use crate::support::hall::table::{Table, play, wait_until_complete};
use crate::support::waiting::{PATIENCE, pause};

/// So slow that the game has not ended when the station is replaced.
const THINK: [u64; 2] = [900, 1_400];

/// Releases the driver even if the test fails, so that its thread ends.
struct ReleaseOnDrop(usize);

impl Drop for ReleaseOnDrop {
    fn drop(&mut self) {
        RELEASED[self.0].store(true, Ordering::SeqCst);
    }
}

#[test]
fn a_station_that_hangs_is_replaced_and_changes_nothing_when_it_wakes() {
    let hall = TestHall::new();
    let tables: Vec<Table> = (0..3).map(|number| Table::new(&hall, number, &play(number, 12, THINK))).collect();
    let (daemon, subscriber) = start_daemon::<HANGS_ONCE>(&hall, &tables);
    let release = ReleaseOnDrop(HANGS_ONCE);
    let from = play_until_fault(&subscriber, &tables, Duration::from_secs(3));
    // The new station begins with the link up, and a move comes.
    drop(subscriber.device("b0", &["online", "unstable"], from));
    let moved = |received: &ReceivedMessage| received.topic.ends_with("/live/ev/1/b0/move").then_some(());
    subscriber.wait("a move after that", subscriber.count(), moved);
    assert_eq!(trigger_count(HANGS_ONCE), 1);
    // In the middle of the game the old station continues with its last input.
    drop(release);
    assert!(tables.iter().all(|table| table.board.wait_done(Duration::from_secs(60))));
    wait_until_complete(&subscriber, &tables);
    assert_numbers_are_unique(&subscriber, "b0");
    wait_for_failed_boards(&subscriber, &[]);
    daemon.stop();
    tables.iter().for_each(|table| drop(read_sound_journal(&hall, &table.id)));
    let health = subscriber.latest("/health").expect("health");
    assert_eq!(health.body()["journal_ok"], true);
}

#[test]
fn a_station_that_hangs_again_is_parked() {
    let hall = TestHall::new();
    let tables: Vec<Table> = (0..2).map(|number| Table::new(&hall, number, &play(number, 6, THINK))).collect();
    let (daemon, subscriber) = start_daemon::<HANGS_ALWAYS>(&hall, &tables);
    let release = ReleaseOnDrop(HANGS_ALWAYS);
    let from = play_until_fault(&subscriber, &tables, Duration::from_secs(3));
    drop(subscriber.device("b0", &["online", "unstable"], from));
    tables[0].board.inject(&[TRIGGER]).expect("running");
    wait_for_failed_boards(&subscriber, &["b0"]);
    let parked = |received: &ReceivedMessage| {
        received.device("b0")?;
        let reported = received.body()["problem"].as_str()?.contains("hung twice and was parked");
        (reported && received.body()["port"].is_string()).then_some(())
    };
    subscriber.wait("the device's status, with its port open again", 0, parked);
    // The emulated board drops bytes until it has noticed that a program has its port open again.
    let end = monotonic().after(PATIENCE);
    while !received_bytes(&read_journal(&hall, "b0")).windows(14).any(|some| some == b"still recorded") {
        assert!(monotonic() < end, "not recorded");
        tables[0].board.inject(b"still recorded").expect("running");
        pause(Duration::from_millis(50));
    }
    assert!(tables.iter().all(|table| table.board.wait_done(Duration::from_secs(60))));
    wait_until_complete(&subscriber, &tables[1..]);
    daemon.stop();
    drop(release);
    read_sound_journal(&hall, "b0");
}

/// What a station finds after a busy machine held it up is handled as if each input had been handled when it came.
#[test]
fn inputs_keep_their_times_while_a_station_is_held_up() {
    let hall = TestHall::new();
    let tables = [Table::new(&hall, 0, &play(0, 20, [200, 400]))];
    let (daemon, subscriber) = start_daemon::<HELD_UP>(&hall, &tables);
    let release = ReleaseOnDrop(HELD_UP);
    play_until_fault(&subscriber, &tables, Duration::ZERO);
    assert!(tables[0].board.wait_done(Duration::from_secs(60)));
    drop(release);
    wait_until_complete(&subscriber, &tables);
    daemon.stop();
    assert_eq!(trigger_count(HELD_UP), 1);
    let journal = read_journal(&hall, "b0");
    let received = journal.records().filter_map(|record| match record.body {
        Body::Rx { bytes, .. } => Some((record.at, bytes.contains(&TRIGGER))),
        _ => None,
    });
    let waited: Vec<Instant> = received.skip_while(|(_, trigger)| !trigger).map(|(at, _)| at).collect();
    assert!(waited.len() > 48, "more pieces than one turn takes: {}", waited.len());
    assert!(waited.is_sorted_by(|before, after| before < after), "{waited:?}");
}
