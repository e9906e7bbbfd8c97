//! Bluetooth links with the sessions of the families, through btleplug and a separate D-Bus, with emulated boards.

mod ble_rig;
mod connected;
mod every;
mod search;
mod stale;

use std::time::Duration;

use crate::bluez::{self, Bluez, Bus, Peripheral};
use crate::seconds::assert_within;
use ble_rig::{BleRig, LinkReport, now, wanted};
use flagfall_hardware::ble::{Radio, Wanted};
use flagfall_hardware::emulator::script::Script;
use flagfall_protocols::driver::Channel;
use flagfall_protocols::drivers::dgt_pegasus;
use flagfall_protocols::square::{Placement, Reading};

const PEGASUS: &str = "dgt_pegasus";
const A: &str = "C0:00:00:00:00:0A";
const B: &str = "C0:00:00:00:00:0B";
const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR";
const E4: &str = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR";
const E4_E5: &str = "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR";

#[test]
fn a_board_is_found_and_found_again() {
    bluez::in_own_process("a_board_is_found_and_found_again", |mut bus: Bus| {
        let bluez = Bluez::start(&bus.address());
        let radio = ble_rig::radio(1);
        let mut board = BleRig::start(&radio, 1, PEGASUS, wanted(&dgt_pegasus::INFO));
        board.until("no board is there", |board| {
            board.reports.contains(&missing("not found: no device that advertises is the wanted one"))
        });
        bluez.add(Peripheral { mtu: 10, ..Peripheral::for_driver(PEGASUS, A, "DGT_PEGASUS_1") });
        board.until("it comes up", |board| board.responding && shows(board, START));
        assert!(!bluez.discovery().0, "no device is searched for any more");
        bluez.load(A, &Script::parse("0.1 lift e2\n+0.2 place e4").expect("a script"));
        board.until("a move", |board| shows(board, E4));
        // A move without a subscribed host is on the board afterwards.
        bluez.refuse_connections(A, 2);
        bluez.drop_link(A);
        bluez.load(A, &Script::parse("0 lift e7\n+0.1 place e5").expect("a script"));
        board.until("it is gone", |board| !board.responding);
        board.until("it is back", |board| board.responding && shows(board, E4_E5));
        let refused =
            |reported: &LinkReport| matches!(reported, LinkReport::Missing(why) if why.contains("found, not connected: "));
        assert!(board.reports.iter().any(refused), "{:?}", board.reports);
        let came_back = |board: &mut BleRig, what: &str| {
            board.until(what, |board| !board.responding);
            board.until(what, |board| board.responding);
        };
        bluez.power(false);
        board.until(
            "the adapter is off",
            |board| matches!(board.reports.last(), Some(LinkReport::Missing(why)) if why.contains("switched off")),
        );
        bluez.power(true);
        board.until("the adapter is on again", |board| board.responding);
        bluez.remove_adapter();
        board.until(
            "no adapter",
            |board| matches!(board.reports.last(), Some(LinkReport::Missing(why)) if why.contains("no Bluetooth adapter")),
        );
        bluez.add_adapter();
        board.until("the adapter is plugged in again", |board| board.responding);
        bluez.stop();
        board.until(
            "no service",
            |board| matches!(board.reports.last(), Some(LinkReport::Missing(why)) if why.contains("service does not answer")),
        );
        bluez.resume();
        board.until("the service is back", |board| board.responding);
        bluez.stop();
        bus.stop();
        board.until("no bus", |board| !board.responding);
        bus.restart();
        bluez.resume();
        board.until("the bus is back", |board| board.responding);
        bluez.vanish(A);
        board.until("out of reach", |board| !board.responding);
        bluez.appear(A);
        board.until("within reach again", |board| board.responding && shows(board, E4_E5));
        bluez.drop_link(A);
        came_back(&mut board, "dropped once more");
        // The same link is moved to another board.
        bluez.add(Peripheral::for_driver(PEGASUS, B, "DGT_PEGASUS_2"));
        let b = B.parse().expect("an address");
        board.link.want(Wanted { address: Some(b), ..wanted(&dgt_pegasus::INFO) });
        came_back(&mut board, "another board");
        board.until("its own squares", |board| shows(board, START));
        assert!(!bluez.connected(A) && bluez.connected(B));
        let seen = bluez.seen(A);
        assert_eq!(seen.most_at_once, 1);
        // A write that was running when the link was lost is the last one of its connection.
        let losses = board.reports.iter().filter(|reported| matches!(reported, LinkReport::Down(_))).count() as u64;
        assert!(seen.refused_writes <= losses, "{} of {losses}", seen.refused_writes);
        drop((board, radio));
        assert!(!bluez.connected(B), "a link that gives up its device disconnects it");
    });
}

#[test]
fn after_any_number_of_bluetooth_losses_there_is_one_connection_to_the_bus() {
    bluez::in_own_process("after_any_number_of_bluetooth_losses_there_is_one_connection_to_the_bus", |bus| {
        let bluez = Bluez::start(&bus.address());
        bluez.add(Peripheral::for_driver(PEGASUS, A, "DGT_PEGASUS_1"));
        let before = bluez.clients();
        let radio = ble_rig::radio(1);
        let mut board = BleRig::start(&radio, 1, PEGASUS, Wanted { address: A.parse().ok(), ..wanted(&dgt_pegasus::INFO) });
        board.until("it comes up", |board| board.responding);
        for turn in 0..4 {
            bluez.power(false);
            board.until("switched off", |board| !board.responding);
            bluez.power(true);
            board.until("switched on", |board| board.responding);
            assert_eq!(bluez.clients(), before + 1, "{turn}");
        }
    });
}

#[test]
fn a_link_takes_only_the_wanted_board_of_its_family() {
    const KEY: &[u8] = &[0x63, 7, 1, 2, 3, 4, 5, 6, 0];
    const OTHER: &[Channel] = &[Channel { write: Some(0xffe1), notify: Some(0xffe2), optional: false }];
    bluez::in_own_process("a_link_takes_only_the_wanted_board_of_its_family", |bus| {
        let bluez = Bluez::start(&bus.address());
        bluez.add(Peripheral::for_driver(PEGASUS, A, "DGT_PEGASUS_00001"));
        bluez.add(Peripheral::for_driver(PEGASUS, B, "DGT_PEGASUS_00002"));
        let radio = Radio::start_at(ble_rig::brisk(), Some("hci0".to_owned()), now, 1).expect("a thread");
        let mut any = BleRig::start(&radio, 1, PEGASUS, wanted(&dgt_pegasus::INFO));
        any.until(
            "two may be it",
            |any| matches!(any.reports.last(), Some(LinkReport::Missing(why)) if why.contains(A) && why.contains(B)),
        );
        let by_serial = Wanted { serial: Some("00002".to_owned()), unlock: Some(KEY.to_vec()), ..wanted(&dgt_pegasus::INFO) };
        let mut second = BleRig::start(&radio, 2, PEGASUS, by_serial);
        second.until("by its serial number", |second| second.responding);
        let written = || bluez.seen(B).writes.into_iter().map(|write| write.bytes).collect::<Vec<_>>();
        search::await_that("the key is sent", || written().iter().any(|bytes| bytes == KEY));
        let asked = written().iter().take_while(|bytes| **bytes == [0x4d]).count();
        assert!(asked > 0 && written()[asked] == KEY, "the harmless question, then the key: {:x?}", written());
        any.until("the other one is left", |any| any.responding);
        assert!(bluez.connected(A) && bluez.connected(B));
        // This device has the name but not the services.
        let kind = flagfall_hardware::emulator::find(PEGASUS).expect("emulated");
        let board = (kind.start)(&flagfall_hardware::emulator::Start::default());
        bluez.add(Peripheral::new("C0:00:00:00:00:0C", "DGT_PEGASUS_3", OTHER, board));
        let by_name = Wanted { name: Some("dgt_pegasus_3".to_owned()), ..wanted(&dgt_pegasus::INFO) };
        let mut third = BleRig::start(&radio, 3, PEGASUS, by_name);
        third.until(
            "it does not belong to the family",
            |third| matches!(third.reports.last(), Some(LinkReport::Missing(why)) if why.contains("not of this family")),
        );
        assert!(third.reports.iter().all(|reported| !matches!(reported, LinkReport::Up(_))));
        assert_eq!(bluez.seen("C0:00:00:00:00:0C").writes, [], "nothing was written to it");
    });
}

#[test]
fn twenty_boards_that_are_dropped_at_once_are_back_within_half_a_minute() {
    bluez::in_own_process("twenty_boards_that_are_dropped_at_once_are_back_within_half_a_minute", |bus| {
        let bluez = Bluez::start(&bus.address());
        // Every wait takes a quarter of its usual time.
        const PART: u32 = 4;
        let pace = ble_rig::pace(PART);
        let radio = ble_rig::radio_at(pace, 7);
        let address = |n: u64| format!("C0:00:00:00:01:{n:02X}");
        for n in 0..20 {
            // Connections take as long as on the radio, one after the other.
            let [connect_delay, resolve_delay] = [500, 300].map(|millis| Duration::from_millis(millis) / PART);
            let board = Peripheral::for_driver(PEGASUS, &address(n), &format!("DGT_PEGASUS_{n}"));
            bluez.add(Peripheral { connect_delay, resolve_delay, ..board });
        }
        let by_address = |n: u64| Wanted { address: Some(address(n).parse().expect("an address")), ..wanted(&dgt_pegasus::INFO) };
        let mut boards: Vec<BleRig> = (0..20).map(|n| BleRig::start(&radio, n, PEGASUS, by_address(n))).collect();
        all_up(&mut boards);
        let before: Vec<usize> = (0..20).map(|n| bluez.seen(&address(n)).attempts.len()).collect();
        bluez.drop_all();
        let dropped = now();
        boards.iter_mut().for_each(|board| board.until("dropped", |board| !board.responding));
        all_up(&mut boards);
        let back = Duration::from_micros(now() - dropped);
        assert_within(back, Duration::from_secs(30) / PART, "all are back");
        let mut attempts: Vec<_> =
            (0..20).flat_map(|n| bluez.seen(&address(n)).attempts.into_iter().skip(before[n as usize])).collect();
        attempts.sort();
        assert!(attempts.len() >= 20);
        // One attempt may arrive later than another. The test in `every` checks the distance between two attempts.
        let closest = attempts.windows(5).map(|five| five[4] - five[0]).min().expect("several");
        assert!(closest > pace.apart * 3, "{closest:?}");
        assert!((0..20).all(|n| bluez.seen(&address(n)).most_at_once == 1), "never two connections to one board");
        print_figures(back, attempts.len(), closest);
    });
}

#[allow(clippy::print_stdout, reason = "figures for the reader")]
fn print_figures(back: Duration, attempts: usize, closest: Duration) {
    println!("20 boards are back after {back:?}, {attempts} attempts, five of them in at least {closest:?}");
}

fn all_up(boards: &mut [BleRig]) {
    // Each session runs only while the test serves it, so the test serves all of them in turns.
    while let Some(board) = boards.iter_mut().find(|board| !board.responding) {
        board.until("up", |board| board.responding);
    }
}

fn missing(why: &str) -> LinkReport {
    LinkReport::Missing(why.to_owned())
}

/// Returns whether the board shows this position. A Pegasus does not distinguish pieces.
fn shows(board: &BleRig, fen: &str) -> bool {
    let mut placement = Placement::parse(fen).expect("a placement");
    placement.0.iter_mut().filter(|reading| **reading != Reading::Empty).for_each(|reading| *reading = Reading::Occupied);
    board.shown == Some(placement)
}
