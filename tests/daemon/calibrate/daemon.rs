//! The daemon with a board that was calibrated before.

use std::fs;
use std::path::Path;

use flagfall::config::Board;
use flagfall::daemon::station_configs;
use flagfall::session::replay;
use flagfall::session::setting::{Overrides, Setting};
use flagfall::session::verify::verify;
use flagfall_protocols::trace::Trace;

use super::board::{PtyCertabo, settings};
use super::command::calibrate_with_two_queens;
use super::{DRIVER, MID_GAME, PROMOTED};
use crate::support::hall::subscriber::Subscriber;
use crate::support::hall::{RunningDaemon, TestHall};

/// The position after the promotion and a move of the king.
const MOVED: &str = "Q3k3/8/8/8/8/8/8/Q4K2";

fn configured(table: &PtyCertabo, calibration_file: Option<&Path>) -> Board {
    Board {
        id: "b1".to_owned(),
        driver: Some(DRIVER.to_owned()),
        port: Some(table.path.clone()),
        calibration_file: calibration_file.map(Path::to_owned),
        ..Board::default()
    }
}

/// Waits until the sensors show this placement.
#[track_caller]
fn wait_for_placement(subscriber: &Subscriber, from: usize, placement: &str) {
    subscriber.wait(placement, from, |received| {
        (received.topic.ends_with("/arbiter/ev/1/b1/state") && received.body()["board"] == placement).then_some(())
    });
}

#[test]
fn a_board_is_known_in_mid_game_and_after_restarts() {
    let hall = TestHall::new();
    let file = hall.path().join("b1.calibration");
    let table = PtyCertabo::start(settings());
    calibrate_with_two_queens(&table, &file);
    table.load(&format!("0 board {MID_GAME}"));
    table.settle();
    let (running, subscriber) = RunningDaemon::heard(hall.loaded(vec![configured(&table, Some(&file))]));
    wait_for_placement(&subscriber, 0, MID_GAME);
    // The spare queen was beside the board until now.
    table.load("0 lift a7\n+0.2 drop\n+0.3 place a8 Q");
    wait_for_placement(&subscriber, 0, PROMOTED);
    let unknown =
        subscriber.all().iter().any(|received| received.body()["board"].as_str().is_some_and(|board| board.contains('?')));
    assert!(!unknown, "every man is identified at every time");
    drop((running, subscriber));

    // The round continues with its first calibration, although the file is gone and no longer configured.
    fs::remove_file(&file).expect("removed");
    let (running, subscriber) = RunningDaemon::heard(hall.loaded(vec![configured(&table, None)]));
    table.load("0 lift e1\n+0.2 place f1");
    wait_for_placement(&subscriber, 0, MOVED);
    drop((running, subscriber));

    // The journal is enough for a replay.
    let board =
        station_configs(&hall.loaded(vec![configured(&table, None)]).config, 0).expect("station_configs").remove(0).setting.board;
    let journals = fs::read_dir(hall.journal().join("b1")).expect("a folder").map(|entry| entry.expect("an entry").path());
    let journals: Vec<_> = journals.filter(|path| path.extension().is_some_and(|end| end == "journal")).collect();
    assert_eq!(journals.len(), 1, "{journals:?}");
    let bytes = fs::read(&journals[0]).expect("a journal");
    let trace = Trace::new(&bytes).expect("a head");
    let setting = Setting { board, ..Setting::from_trace(&trace, &Overrides::default()).expect("a setting") };
    assert!(setting.calibration.is_some());
    let verified = verify(&trace, &setting).expect("readable");
    assert!(verified.compared > 0 && verified.differing == 0, "{verified:#?}");
    let replayed = |setting: &Setting| {
        let mut station = setting.station().expect("a station");
        replay::run(&trace, &mut station, &mut |_| Ok(())).expect("readable");
        station.game().placement().to_string()
    };
    assert_eq!(replayed(&setting), MOVED);
    let without = replayed(&Setting { calibration: None, ..setting });
    assert!(without.contains('?') && !without.contains(|c: char| c.is_ascii_alphabetic()), "{without}");
    assert!(table.is_untouched());
}
