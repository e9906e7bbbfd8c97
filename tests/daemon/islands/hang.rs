//! A station that hangs.

use std::sync::atomic::Ordering;
use std::time::Duration;

use super::faulty::{HANGS_ALWAYS, HANGS_ONCE, RELEASED, TRIGGER, daemon, failed, one_event_a_number, sound_journal, sprung};
use crate::support::hall::ear::{Ear, Heard};
use crate::support::hall::table::{Table, play, whole};
use crate::support::hall::{House, pass};

/// Slow enough that the game still goes on when the station has been replaced.
const THINK: [u64; 2] = [900, 1_400];

/// Lets the driver go even if the test fails, so that its thread ends.
struct Release(usize);

impl Drop for Release {
    fn drop(&mut self) {
        RELEASED[self.0].store(true, Ordering::SeqCst);
    }
}

#[test]
fn a_station_that_hangs_is_replaced_and_changes_nothing_when_it_wakes() {
    let house = House::new();
    let tables: Vec<Table> = (0..3).map(|number| Table::new(&house, number, &play(number, 12, THINK))).collect();
    let daemon = daemon::<HANGS_ONCE>(&house, &tables);
    let release = Release(HANGS_ONCE);
    let ear = Ear::new(daemon.tcp);
    tables.iter().for_each(|table| drop(ear.device(&table.id, &["online"], 0)));
    tables.iter().for_each(|table| table.board.load(&table.script).expect("hands"));
    pass(Duration::from_secs(3));
    tables[0].board.inject(&[TRIGGER]).expect("running");
    // The second one begins with the link: it is there again, and a move comes.
    let from = ear.count();
    drop(ear.device("b0", &["online", "unstable"], from));
    let moved = |heard: &Heard| heard.topic.ends_with("/live/ev/1/b0/move").then_some(());
    ear.wait("a move after that", ear.count(), moved);
    assert_eq!(sprung(HANGS_ONCE), 1);
    // In the middle of the game the old one goes on with what it had in hand.
    drop(release);
    assert!(tables.iter().all(|table| table.board.wait_done(Duration::from_secs(60))));
    whole(&ear, &tables);
    one_event_a_number(&ear, "b0");
    failed(&ear, &[]);
    daemon.stop();
    tables.iter().for_each(|table| drop(sound_journal(&house, &table.id)));
    let health = ear.latest("/health").expect("health");
    assert_eq!(health.body()["journal_ok"], true);
}

#[test]
fn a_station_that_hangs_again_is_parked() {
    let house = House::new();
    let tables: Vec<Table> = (0..2).map(|number| Table::new(&house, number, &play(number, 6, THINK))).collect();
    let daemon = daemon::<HANGS_ALWAYS>(&house, &tables);
    let release = Release(HANGS_ALWAYS);
    let ear = Ear::new(daemon.tcp);
    tables.iter().for_each(|table| drop(ear.device(&table.id, &["online"], 0)));
    tables.iter().for_each(|table| table.board.load(&table.script).expect("hands"));
    pass(Duration::from_secs(3));
    tables[0].board.inject(&[TRIGGER]).expect("running");
    let from = ear.count();
    drop(ear.device("b0", &["online", "unstable"], from));
    tables[0].board.inject(&[TRIGGER]).expect("running");
    failed(&ear, &["b0"]);
    let parked = |heard: &Heard| {
        heard.device("b0")?;
        let told = heard.body()["problem"].as_str()?.contains("hung twice and was parked");
        (told && heard.body()["port"].is_string()).then_some(())
    };
    ear.wait("the device's status, with its port open again", 0, parked);
    // The emulated board looks every 20 ms whether somebody listens again.
    pass(Duration::from_millis(300));
    tables[0].board.inject(b"still recorded").expect("running");
    assert!(tables.iter().all(|table| table.board.wait_done(Duration::from_secs(60))));
    whole(&ear, &tables[1..]);
    daemon.stop();
    drop(release);
    let bytes = sound_journal(&house, "b0");
    assert!(bytes.windows(14).any(|some| some == b"still recorded"), "not recorded");
}
