//! Tests of boards whose objects in BlueZ are stale, and of services that are found late.

use std::sync::Arc;
use std::time::Duration;

use flagfall_hardware::ble::{Pace, Radio};
use flagfall_protocols::drivers::dgt_pegasus;

use super::ble_rig::{BleRig, LinkReport, brisk, radio_at, wanted};
use super::{A, B, PEGASUS, START, shows};
use crate::bluez::{self, Bluez, Peripheral};

/// Longer than the fake needs for a connection.
const WAIT: Duration = Duration::from_millis(500);

/// Returns a radio that waits [`WAIT`] for a connection, and as long to reopen a board.
fn impatient() -> Arc<Radio> {
    radio_at(Pace { connect: WAIT, reopen: WAIT, ..brisk() }, 1)
}

/// Starts a link that wants the board by its name, and waits until it is up.
fn up(bluez: &Bluez, radio: &Arc<Radio>, id: u64, address: &str) -> BleRig {
    let name = format!("DGT_PEGASUS_{id}");
    bluez.add(Peripheral::for_driver(PEGASUS, address, &name));
    let by_name = flagfall_hardware::ble::Wanted { name: Some(name), ..wanted(&dgt_pegasus::INFO) };
    let mut board = BleRig::start(radio, id, PEGASUS, by_name);
    board.until("it comes up", |board| board.responding);
    board
}

fn lose(bluez: &Bluez, address: &str, board: &mut BleRig) {
    bluez.drop_link(address);
    board.until("it is lost", |board| !board.responding);
}

/// The seconds of the report that BlueZ found no services.
fn seconds_without_services(report: &LinkReport) -> Option<f64> {
    let LinkReport::Missing(why) = report else { return None };
    let (_, rest) = why.split_once("found, not connected: BlueZ has a connection, but no services in ")?;
    rest.split(' ').next()?.parse().ok()
}

#[test]
fn a_stale_object_is_removed_after_two_failures_and_the_board_is_found_anew() {
    bluez::in_own_process("a_stale_object_is_removed_after_two_failures_and_the_board_is_found_anew", |bus| {
        let bluez = Bluez::start(&bus.address());
        let radio = impatient();
        // Two boards have the same fault at once.
        let mut boards = [(A, up(&bluez, &radio, 1, A)), (B, up(&bluez, &radio, 2, B))];
        for (address, board) in &mut boards {
            bluez.make_stale(address);
            lose(&bluez, address, board);
        }
        for (address, board) in &mut boards {
            board.until("it is back", |board| board.responding && shows(board, START));
            let seen = bluez.seen(address);
            assert_eq!((seen.removals, seen.connections.len(), seen.most_at_once), (1, 4, 1), "{address}: {:?}", board.attempts);
            let waited = board.reports.iter().find_map(seconds_without_services);
            assert!(waited.is_some_and(|waited| waited >= WAIT.as_secs_f64()), "{:?}", board.reports);
            let begun = board.attempts.iter().filter(|step| step.ends_with(" begins")).count();
            assert_eq!(begun, seen.attempts.len(), "every attempt is reported: {:?}", board.attempts);
            assert!(board.attempts.iter().any(|step| step.starts_with("BlueZ forgets the device")), "{:?}", board.attempts);
        }
    });
}

#[test]
fn a_paired_board_is_never_removed() {
    bluez::in_own_process("a_paired_board_is_never_removed", |bus| {
        let bluez = Bluez::start(&bus.address());
        let radio = impatient();
        let mut board = up(&bluez, &radio, 1, A);
        bluez.pair(A);
        bluez.make_stale(A);
        lose(&bluez, A, &mut board);
        board.until("it is kept", |board| board.attempts.iter().any(|step| step.starts_with("BlueZ keeps the device")));
        assert_eq!(bluez.seen(A).removals, 0);
    });
}

#[test]
fn a_connected_board_gets_time_for_its_services() {
    bluez::in_own_process("a_connected_board_gets_time_for_its_services", |bus| {
        let bluez = Bluez::start(&bus.address());
        let radio = impatient();
        let resolve_delay = WAIT * 3;
        bluez.add(Peripheral { resolve_delay, ..Peripheral::for_driver(PEGASUS, A, "DGT_PEGASUS_1") });
        let mut board = BleRig::start(&radio, 1, PEGASUS, wanted(&dgt_pegasus::INFO));
        let once_more = |board: &mut BleRig, connections: usize| {
            board.until("it comes up", |board| board.responding);
            let seen = bluez.seen(A);
            assert_eq!((seen.connections.len(), seen.removals), (connections, 0), "{:?}", board.attempts);
            let waits =
                |report: &LinkReport| matches!(report, LinkReport::Missing(why) if why.ends_with("waits for the services"));
            board.reports.iter().filter(|report| waits(report)).count()
        };
        assert_eq!(once_more(&mut board, 1), 1, "the wait is reported");
        // Twice the time of the last opening is enough now.
        lose(&bluez, A, &mut board);
        once_more(&mut board, 2);
        // A board that is suddenly slower has failed twice and was removed before it gets more time.
        bluez.set_delays(A, Duration::from_millis(20), WAIT * 7);
        lose(&bluez, A, &mut board);
        board.until("it comes up", |board| board.responding);
        let seen = bluez.seen(A);
        assert_eq!((seen.connections.len(), seen.removals), (5, 1), "{:?}", board.attempts);
    });
}

#[test]
fn a_board_with_other_handles_than_before_is_read() {
    bluez::in_own_process("a_board_with_other_handles_than_before_is_read", |bus| {
        let bluez = Bluez::start(&bus.address());
        let radio = impatient();
        let mut board = up(&bluez, &radio, 1, A);
        for _ in 0..2 {
            bluez.fall_silent(A);
            board.until("it is lost", |board| !board.responding);
            bluez.move_handles(A);
            board.shown = None;
            bluez.appear(A);
            board.until("it is back", |board| board.responding && shows(board, START));
        }
        assert_eq!(bluez.seen(A).removals, 0, "{:?}", board.attempts);
    });
}
