//! The emulated board of the Gameboard UI Protocol, without and with its driver.

use flagfall_hardware::emulator::gameboard::{Gameboard, GameboardSettings};
use flagfall_hardware::emulator::rig::{Rig, RigEvent};
use flagfall_hardware::emulator::script::Script;
use flagfall_hardware::emulator::{Counters, Device};
use flagfall_protocols::driver::Output;
use flagfall_protocols::drivers::gameboard::INFO;
use flagfall_protocols::event::DeviceEvent;
use flagfall_protocols::square::{Reading, Square};
use flagfall_protocols::time::Instant;

fn at(millis: u64) -> Instant {
    Instant(millis * 1000)
}

/// Returns what a board sends up to `to`.
fn sent(board: &mut Gameboard, to: u64) -> String {
    let mut out = Vec::new();
    board.advance(at(to), &mut out);
    out.iter().map(|sent| String::from_utf8(sent.bytes.clone()).expect("ASCII")).collect()
}

#[test]
fn the_board_reports_hand_motions_and_answers() {
    let mut board = Gameboard::new(GameboardSettings::default());
    board.load(&Script::parse("0.11 lift e2\n0.12 lift d2\n0.51 place e4\n0.71 lift a1\n0.72 place a1").expect("a script"));
    assert_eq!(sent(&mut board, 1000), "-d2 -e2\r+e4\r", "changes within one scan give one line; the last motion was too short");
    board.host(at(1000), 0, b"?d2\r?e");
    board.host(at(1010), 0, b"4\r");
    assert_eq!(sent(&mut board, 1100), "#1F\r#5F\r", "31 men, and whether one stands there");
    assert_eq!(board.counters(), Counters::default());
    board.host(at(1100), 0, b"*f3 !f5\r.\r^e1\r-a1\rhello\r");
    board.host(at(1200), 0, &[b"S".as_slice(), &[b'.'; 64], b"\r"].concat());
    let Counters { lights, dangerous, unknown, stray, .. } = board.counters();
    assert_eq!((lights, dangerous, unknown, stray), (5, 1, 1, 0));
    assert_eq!(sent(&mut board, 2000), "", "nothing answers these");
    board.load(&Script::parse("0 power off\n1 power on").expect("a script"));
    board.host(at(2500), 0, b"?e4\r");
    assert_eq!(sent(&mut board, 2900), "", "it is off");
    let mut board = Gameboard::new(GameboardSettings { greets: true, ..GameboardSettings::default() });
    assert_eq!(sent(&mut board, 1000), "RNBQKBNRPPPPPPPP................................pppppppprnbqkbnr\r");
}

#[test]
fn a_board_of_the_lowest_level_works_with_its_driver() {
    let board = Gameboard::new(GameboardSettings { answers: false, ..GameboardSettings::default() });
    let mut rig = Rig::new(INFO.start(), board);
    rig.emulator.load(&Script::parse("9 move e2 e4\n+2 move e7 e5").expect("a script"));
    let (mut reported, mut asked) = (Vec::new(), 0);
    rig.run_until(at(60_000), &mut |event| match event {
        RigEvent::Output { output: Output::Event { event, .. }, .. } => reported.push(*event),
        RigEvent::Tx { .. } => asked += 1,
        _ => {}
    });
    let square = |name, reading| DeviceEvent::Square { square: Square::parse(name).expect("a square"), reading };
    let (empty, occupied) = (Reading::Empty, Reading::Occupied);
    let moves = [square("e2", empty), square("e4", occupied), square("e7", empty), square("e5", occupied)];
    assert_eq!(reported, [&[DeviceEvent::Responding][..], &moves].concat());
    // The driver asks each second before the first message of the board, and each ten seconds after it.
    assert!((10..=15).contains(&asked), "{asked}");
    assert_eq!(rig.emulator.counters(), Counters::default());
}
