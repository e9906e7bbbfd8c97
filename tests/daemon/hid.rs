//! The daemon with boards over USB-HID, on a machine whose HID devices are sockets with emulated boards behind them: a whole game on
//! each board, with cables that are pulled in the middle and devices that come back under another number.
#![cfg(feature = "broker")]

use std::time::Duration;

use flagfall::config::{Board, Transport};
use flagfall::daemon::{Daemon, Patience, StationConfig, Wanted, station_configs};
use flagfall::journal::{Disk, read};
use flagfall_hardware::emulator::Counters;
use flagfall_hardware::emulator::chessnut::{Chessnut, ChessnutSettings};
use flagfall_protocols::trace::Body;
use serde_json::Value;

use crate::support::hall::subscriber::uci_moves;
use crate::support::hall::{RunningDaemon, TestHall};
use crate::usb;
use crate::usb::{Identity, PLAIN, Usb};

/// Board, driver, and the serial number of its USB device.
const BOARDS: [(&str, &str, &str); 2] = [("b1", "chessnut", "A1"), ("b2", "chessnut_move", "B2")];
/// Légal's mate as hand motions; captured men are lifted first.
const GAME: [(&str, &str); 13] = [
    ("e2e4", "move e2 e4"),
    ("e7e5", "move e7 e5"),
    ("g1f3", "move g1 f3"),
    ("d7d6", "move d7 d6"),
    ("f1c4", "slide f1 c4 0.4"),
    ("c8g4", "slide c8 g4 0.4"),
    ("b1c3", "move b1 c3"),
    ("g7g6", "move g7 g6"),
    ("f3e5", "lift e5\n+0.3 drop\n+0.2 move f3 e5"),
    ("g4d1", "lift d1\n+0.3 drop\n+0.2 slide g4 d1 0.5"),
    ("c4f7", "lift f7\n+0.3 drop\n+0.2 slide c4 f7 0.4"),
    ("e8e7", "move e8 e7"),
    ("c3d5", "move c3 d5"),
];
/// The cables are pulled when this number of plies is known; the next ply is made while they are out.
const PULLED_AFTER: [usize; 2] = [4, 9];
/// Longer than the time until a move is sure without a clock.
const LONG: Duration = Duration::from_secs(40);

fn identity(serial: &'static str) -> Identity {
    Identity { vendor: 0x2d80, product: 0x8001, serial, descriptor: PLAIN }
}

fn board((id, driver, serial): (&str, &str, &str)) -> Board {
    Board {
        id: id.to_owned(),
        driver: Some(driver.to_owned()),
        transport: Some(Transport::Hid),
        usb_serial: Some(serial.to_owned()),
        ..Board::default()
    }
}

/// The settings of these boards on the simulated machine.
fn planned(loaded: &flagfall::config::Loaded, usb: &Usb) -> Vec<StationConfig> {
    let mut station_configs = station_configs(&loaded.config, 0).expect("settings");
    for plan in &mut station_configs {
        let Wanted::Hid(wanted) = &mut plan.wanted else { panic!("{:?}: not over USB-HID", plan.wanted) };
        wanted.system = usb.system();
    }
    station_configs
}

#[test]
fn whole_games_survive_pulled_cables() {
    let usb = Usb::new();
    let boards = BOARDS.map(|(_, driver, _)| {
        let moves = driver.ends_with("move");
        usb::Board::start(Box::new(Chessnut::new(ChessnutSettings { cable: true, moves, ..ChessnutSettings::default() })))
    });
    let plug = |first: u32| {
        for (number, (board, (_, _, serial))) in (first..).zip(boards.iter().zip(BOARDS)) {
            board.plug(usb.plug(number, identity(serial)));
        }
    };
    plug(0);
    let hall = TestHall::new();
    let loaded = hall.loaded(BOARDS.map(board).to_vec());
    let station_configs = planned(&loaded, &usb);
    let (running, subscriber) = RunningDaemon::heard_with(async move || {
        Daemon::start_with(&loaded, station_configs, Patience::default()).await.expect("starts")
    });
    for (number, (id, driver, serial)) in (0..).zip(BOARDS) {
        let online = subscriber.device(id, &["online"], 0);
        let port = usb.node(number).display().to_string();
        assert_eq!((&online.body()["transport"], &online.body()["port"]), (&Value::from("hid"), &Value::from(port)));
        assert_eq!(online.body()["serial"], serial);
        let name = format!("{driver}-{serial}").to_lowercase().replace('_', "-");
        assert!(online.topic.ends_with(&format!("/device/{name}/status")), "{}", online.topic);
    }
    for (id, ..) in BOARDS {
        subscriber.wait_until_armed(id);
    }
    for (ply, (uci, hands)) in GAME.iter().enumerate() {
        let pulled = PULLED_AFTER.contains(&ply);
        let before = subscriber.count();
        for (board, (id, ..)) in boards.iter().zip(BOARDS) {
            if pulled {
                board.unplug();
                subscriber.device(id, &["offline"], before);
            }
            board.load(&format!("0.05 {hands}"));
        }
        if pulled {
            // The first device comes back with the number of the second, or with a higher one.
            plug(1 + ply as u32 / 9 * 4);
        }
        for (id, ..) in BOARDS {
            if pulled {
                subscriber.device(id, &["online", "unstable"], before);
            }
            subscriber.wait_for_ply(id, ply + 1, uci, LONG);
        }
    }
    for (board, (id, ..)) in boards.iter().zip(BOARDS) {
        let state = subscriber.latest(&format!("/live/ev/1/{id}/state")).expect("a state");
        assert_eq!(uci_moves(state.body()), GAME.map(|(uci, _)| uci.to_owned()), "{id}");
        assert_eq!(board.counters(), Counters::default(), "{id}: players do not notice the daemon");
    }
    drop(running);
    BOARDS.iter().for_each(|(id, ..)| journalled(&hall, id));
}

/// Checks that the journal has the bytes for the driver: whole positions in the form over cable, and answers without padding.
fn journalled(hall: &TestHall, id: &str) {
    let recovered = read(&mut Disk::reading(&hall.journal().join(id))).expect("a journal");
    let (mut positions, mut answers, mut ups) = (0, 0, 0);
    for record in recovered.records() {
        match record.body {
            Body::Rx { channel: 0, bytes, .. } => {
                assert_eq!((bytes.len(), &bytes[..2]), (63, &[0x01, 0x3d][..]), "{id}");
                positions += 1;
            }
            Body::Rx { channel, bytes, .. } => {
                assert_eq!((channel, bytes.len()), (1, 2 + usize::from(bytes[1])), "{id}: {bytes:x?}");
                answers += 1;
            }
            Body::Link { up: true, .. } => ups += 1,
            _ => {}
        }
    }
    assert!(positions > GAME.len() && answers > 3 && ups == 3, "{id}: {positions} {answers} {ups}");
}
