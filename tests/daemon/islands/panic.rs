//! A panic in one station.

use std::time::Duration;

use super::faulty::{PANICS_ALWAYS, PANICS_ONCE, TRIGGER, all_sent, daemon, failed, one_event_a_number, sound_journal, sprung};
use crate::support::hall::ear::{Ear, Heard};
use crate::support::hall::table::{Table, play, whole};
use crate::support::hall::{House, pass};

const THINK: [u64; 2] = [300, 700];

fn tables(house: &House) -> Vec<Table> {
    (0..3).map(|number| Table::new(house, number, &play(number, 10, THINK))).collect()
}

#[test]
fn a_panic_that_does_not_come_again_costs_nothing() {
    let house = House::new();
    let tables = tables(&house);
    let daemon = daemon::<PANICS_ONCE>(&house, &tables);
    let ear = Ear::new(daemon.tcp);
    tables.iter().for_each(|table| drop(ear.device(&table.id, &["online"], 0)));
    tables.iter().for_each(|table| table.board.load(&table.script).expect("hands"));
    pass(Duration::from_secs(4));
    tables[0].board.inject(&[TRIGGER]).expect("running");
    assert!(tables.iter().all(|table| table.board.wait_done(Duration::from_secs(60))));
    whole(&ear, &tables);
    assert!(sprung(PANICS_ONCE) >= 2, "once in the station, once more when it was rebuilt");
    one_event_a_number(&ear, &tables[0].id);
    daemon.stop();
    let bytes = sound_journal(&house, &tables[0].id);
    assert_eq!(bytes.iter().filter(|&&byte| byte == TRIGGER).count(), 1);
    let health = ear.latest("/health").expect("health");
    assert_eq!((health.body()["failed_boards"].as_array().map(Vec::len), &health.body()["journal_ok"]), (Some(0), &true.into()));
}

#[test]
fn a_game_that_panics_again_is_parked_and_its_bytes_are_still_recorded() {
    let house = House::new();
    let tables = tables(&house);
    let daemon = daemon::<PANICS_ALWAYS>(&house, &tables);
    let ear = Ear::new(daemon.tcp);
    tables.iter().for_each(|table| drop(ear.device(&table.id, &["online"], 0)));
    tables.iter().for_each(|table| table.board.load(&table.script).expect("hands"));
    pass(Duration::from_secs(4));
    tables[0].board.inject(&[TRIGGER]).expect("running");
    failed(&ear, &["b0"]);
    let parked = |heard: &Heard| {
        // A board that nobody reads is not online, whatever its cable says.
        heard.device("b0").filter(|state| *state == "offline")?;
        heard.body()["problem"].as_str()?.contains("failed twice at the same record and was parked").then_some(())
    };
    ear.wait("the device's status", 0, parked);
    let alert =
        ear.wait("the arbiters' alert", 0, |heard| heard.topic.ends_with("/arbiter/ev/1/b0/alert/0").then(|| heard.clone()));
    assert_eq!((&alert.body()["kind"], &alert.body()["class"]), (&"board_failed".into(), &"loud".into()));
    tables[0].board.inject(b"still\x7frecorded").expect("running");
    assert!(tables.iter().all(|table| table.board.wait_done(Duration::from_secs(60))));
    whole(&ear, &tables[1..]);
    // The cable goes and comes back; its state still says why nothing is made of it.
    tables[0].board.unplug().expect("pulled");
    let from = ear.count();
    tables[0].board.replug().expect("put back");
    ear.wait("the device's status after the cable", from, |heard| parked(heard).filter(|()| heard.body()["port"].is_string()));
    daemon.stop();
    all_sent(&house, &ear, "b0");
    let bytes = sound_journal(&house, "b0");
    assert!(bytes.windows(14).any(|some| some == b"still\x7frecorded"), "not recorded");
    for table in &tables[1..] {
        sound_journal(&house, &table.id);
    }
}
