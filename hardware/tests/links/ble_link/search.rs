//! Tests of the choice among several devices, and of the search until a device is found.

use std::sync::Arc;
use std::time::Duration;

use flagfall_hardware::ble::{Pace, Radio, Wanted};
use flagfall_protocols::drivers::dgt_pegasus;

use super::ble_rig::{BleRig, LinkReport, brisk, now, radio, radio_at, wanted};
use super::{A, B, PEGASUS};
use crate::bluez::{self, Bluez, Peripheral};

/// Longer than any working step takes.
const LONG: Duration = Duration::from_secs(40);

#[allow(clippy::disallowed_methods, reason = "real time among real parts")]
pub(super) fn await_that(what: &str, done: impl Fn() -> bool) {
    let end = now() + LONG.as_micros() as u64;
    while !done() {
        assert!(now() < end, "{what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

fn ups(board: &BleRig) -> Vec<&str> {
    board
        .reports
        .iter()
        .filter_map(|reported| if let LinkReport::Up(address) = reported { Some(address.as_str()) } else { None })
        .collect()
}

fn by_address(text: &str) -> Wanted {
    Wanted { address: text.parse().ok(), ..wanted(&dgt_pegasus::INFO) }
}

/// Returns a radio and board A, which is connected through it.
fn one_plays(bluez: &Bluez) -> (Arc<Radio>, BleRig) {
    one_plays_at(brisk(), bluez)
}

fn one_plays_at(pace: Pace, bluez: &Bluez) -> (Arc<Radio>, BleRig) {
    bluez.add(Peripheral::for_driver(PEGASUS, A, "DGT_PEGASUS_1"));
    let radio = radio_at(pace, 1);
    let mut plays = BleRig::start(&radio, 1, PEGASUS, by_address(A));
    plays.until("it comes up", |board| board.responding);
    (radio, plays)
}

#[test]
fn of_two_boards_with_one_name_neither_is_taken() {
    bluez::in_own_process("of_two_boards_with_one_name_neither_is_taken", |bus| {
        let bluez = Bluez::start(&bus.address());
        bluez.add(Peripheral::for_driver(PEGASUS, A, "DGT_PEGASUS"));
        // The delay is long enough for the other board to appear in time.
        let radio = radio_at(Pace { listen: Pace::default().listen, ..brisk() }, 1);
        let by_name = Wanted { name: Some("DGT_PEGASUS".to_owned()), ..wanted(&dgt_pegasus::INFO) };
        let mut board = BleRig::start(&radio, 1, PEGASUS, by_name);
        // The device was reported and checked, and it is checked again.
        await_that("the device is checked", || bluez.seen(A).queries >= 5 || !bluez.seen(A).attempts.is_empty());
        bluez.add(Peripheral::for_driver(PEGASUS, B, "DGT_\u{1b}PEGASUS"));
        board.until(
            "two may be it",
            |board| matches!(board.reports.last(), Some(LinkReport::Missing(why)) if why.contains(A) && why.contains(B)),
        );
        let shown =
            |reported: &LinkReport| matches!(reported, LinkReport::Missing(why) if why.contains(&format!("DGT_PEGASUS ({B})")));
        assert!(board.reports.last().is_some_and(shown), "{:?}", board.reports);
        assert!(bluez.seen(A).attempts.is_empty() && bluez.seen(B).attempts.is_empty());
        bluez.vanish(B);
        board.until("the only one", |board| board.responding);
        assert_eq!(ups(&board), [A]);
    });
}

#[test]
fn a_link_without_an_address_keeps_the_board_that_it_found() {
    bluez::in_own_process("a_link_without_an_address_keeps_the_board_that_it_found", |bus| {
        let bluez = Bluez::start(&bus.address());
        bluez.remember(Peripheral::for_driver(PEGASUS, "C0:00:00:00:00:0C", "DGT_PEGASUS_3"));
        bluez.add(Peripheral::for_driver(PEGASUS, A, "DGT_PEGASUS_1"));
        let radio = radio(1);
        let mut board = BleRig::start(&radio, 1, PEGASUS, wanted(&dgt_pegasus::INFO));
        board.until("one board answers", |board| board.responding);
        // The same wish is given again while another device also fits.
        bluez.add(Peripheral::for_driver(PEGASUS, B, "DGT_PEGASUS_2"));
        board.link.want(wanted(&dgt_pegasus::INFO));
        board.until("let go", |board| !board.responding);
        board.until("the same again", |board| board.responding);
        assert_eq!(ups(&board), [A, A]);
        assert!(!board.reports.iter().any(|reported| matches!(reported, LinkReport::Missing(why) if why.contains("several"))));
    });
}

#[test]
fn boards_that_are_off_do_not_delay_a_board_that_is_lost_during_play() {
    bluez::in_own_process("boards_that_are_off_do_not_delay_a_board_that_is_lost_during_play", |bus| {
        let bluez = Bluez::start(&bus.address());
        let off: Vec<String> = (0..8).map(|n| format!("C0:00:00:00:01:{n:02X}")).collect();
        for address in &off {
            // This is longer than the host waits.
            let connect_delay = LONG * 2;
            bluez.remember(Peripheral { connect_delay, ..Peripheral::for_driver(PEGASUS, address, "DGT_PEGASUS") });
        }
        bluez.add(Peripheral::for_driver(PEGASUS, A, "DGT_PEGASUS_1"));
        let pace = Pace { connect: Duration::from_secs(6), ..brisk() };
        let radio = radio_at(pace, 1);
        let absent: Vec<BleRig> =
            (0..).zip(&off).map(|(id, address)| BleRig::start(&radio, id, PEGASUS, by_address(address))).collect();
        let mut board = BleRig::start(&radio, 100, PEGASUS, by_address(A));
        board.until("it comes up", |board| board.responding);
        for _ in 0..3 {
            bluez.drop_link(A);
            let dropped = now();
            board.until("it is lost", |board| !board.responding);
            board.until("it is back", |board| board.responding);
            let back = Duration::from_micros(now() - dropped);
            // The longest pause after a third loss is 0.4 s. The wait for one of the boards that are off is longer.
            assert!(back < pace.connect - Duration::from_secs(1), "{back:?}");
        }
        // This is one board more than are tried at a time. The link gives up a missing board sooner than btleplug, which waits
        // 30 s.
        let begun = || {
            let mut begun: Vec<_> = off.iter().filter_map(|address| bluez.seen(address).attempts.first().copied()).collect();
            begun.sort();
            begun
        };
        await_that("others are tried", || begun().len() >= 3);
        let room = begun()[2] - begun()[0];
        assert!(room < Duration::from_secs(27), "{room:?}");
        drop(absent);
    });
}

#[test]
fn a_failed_discovery_does_not_disturb_connected_boards() {
    bluez::in_own_process("a_failed_discovery_does_not_disturb_connected_boards", |bus| {
        let bluez = Bluez::start(&bus.address());
        let (radio, _plays) = one_plays(&bluez);
        bluez.refuse_discoveries(2);
        bluez.add(Peripheral::for_driver(PEGASUS, B, "DGT_PEGASUS_2"));
        let mut other = BleRig::start(&radio, 2, PEGASUS, by_address(B));
        let reported =
            |reported: &LinkReport| matches!(reported, LinkReport::Missing(why) if why.contains("does not search for devices"));
        other.until("refused", |other| other.reports.iter().any(reported));
        other.until("it is found", |other| other.responding);
        assert!(bluez.connected(A) && bluez.seen(A).connections.len() == 1);
    });
}

#[test]
fn a_restarted_service_gets_the_discovery_request_again() {
    bluez::in_own_process("a_restarted_service_gets_the_discovery_request_again", |bus| {
        let bluez = Bluez::start(&bus.address());
        let (radio, mut plays) = one_plays(&bluez);
        let mut other = BleRig::start(&radio, 2, PEGASUS, by_address(B));
        let reported =
            |reported: &LinkReport| matches!(reported, LinkReport::Missing(why) if why.contains("no device that advertises"));
        other.until("looked for", |other| other.reports.iter().any(reported));
        bluez.stop();
        bluez.resume();
        bluez.add(Peripheral::for_driver(PEGASUS, B, "DGT_PEGASUS_2"));
        other.until("it is found", |other| other.responding);
        plays.until("lost", |board| !board.responding);
        plays.until("and found again", |board| board.responding);
    });
}

/// A controller reports a device once in a scan.
#[test]
fn a_board_that_comes_back_in_the_scan_in_which_it_was_lost_is_found() {
    bluez::in_own_process("a_board_that_comes_back_in_the_scan_in_which_it_was_lost_is_found", |bus| {
        let bluez = Bluez::start(&bus.address());
        let (_radio, mut plays) = one_plays(&bluez);
        bluez.vanish(A);
        let reported =
            |reported: &LinkReport| matches!(reported, LinkReport::Missing(why) if why.contains("no device that advertises"));
        plays.until("looked for", |board| board.reports.iter().any(reported));
        bluez.appear_in_next_scan(A);
        plays.until("it is back", |board| board.responding);
    });
}

#[test]
fn a_service_without_answers_is_reported_and_waited_for() {
    bluez::in_own_process("a_service_without_answers_is_reported_and_waited_for", |bus| {
        let bluez = Bluez::start(&bus.address());
        let pace = Pace { answer: Duration::from_secs(2), ..brisk() };
        let (_radio, mut plays) = one_plays_at(pace, &bluez);
        bluez.freeze();
        let reported = |reported: &LinkReport| matches!(reported, LinkReport::Missing(why) if why.ends_with("does not answer: no answer in 2 s"));
        plays.until("no answer", |board| board.reports.last().is_some_and(reported));
        assert!(
            !plays.responding && plays.reports.iter().any(|reported| matches!(reported, LinkReport::Down(_))),
            "{:?}",
            plays.reports
        );
        bluez.thaw();
        plays.until("it is back", |board| board.responding);
        assert_eq!(ups(&plays), [A, A]);
    });
}

#[test]
fn of_two_links_to_one_address_one_connects_and_the_other_reports_it() {
    bluez::in_own_process("of_two_links_to_one_address_one_connects_and_the_other_reports_it", |bus| {
        let bluez = Bluez::start(&bus.address());
        bluez.add(Peripheral::for_driver(PEGASUS, A, "DGT_PEGASUS_1"));
        let radio = radio(1);
        let start = |id| BleRig::start(&radio, id, PEGASUS, by_address(A));
        let (mut one, mut other) = (start(1), start(2));
        one.until("it comes up", |board| board.responding);
        let reported = |reported: &LinkReport| matches!(reported, LinkReport::Missing(why) if why.contains(A) && why.contains("has this device"));
        other.until("it is had", |other| other.reports.iter().any(reported));
        drop(one);
        other.until("it is free", |other| other.responding);
        assert_eq!((bluez.seen(A).most_at_once, bluez.seen(A).connections.len()), (1, 2));
    });
}
