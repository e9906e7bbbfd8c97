//! Emulated Square Off boards, without and with their driver: the messages that hand motions cause, the answers and the
//! counters.

use std::time::Duration;

use flagfall_hardware::emulator::rig::{Rig, RigEvent};
use flagfall_hardware::emulator::script::Script;
use flagfall_hardware::emulator::square_off::{NeoSettings, SquareOff, SquareOffSettings};
use flagfall_hardware::emulator::{Counters, Device, Sent};
use flagfall_protocols::driver::Output;
use flagfall_protocols::drivers::square_off::message::Message;
use flagfall_protocols::drivers::{square_off, square_off_neo};
use flagfall_protocols::event::DeviceEvent;
use flagfall_protocols::square::{Placement, Square};
use flagfall_protocols::time::Instant;

fn at(millis: u64) -> Instant {
    Instant(millis * 1000)
}

/// Returns what a board sends up to `to`, as `ms channel text`.
fn sent(board: &mut SquareOff, to: u64) -> Vec<String> {
    let mut out = Vec::new();
    board.advance(at(to), &mut out);
    let print = |Sent { at, channel, bytes }: &Sent| {
        format!("{} {channel} {}", at.micros() / 1000, String::from_utf8(bytes.clone()).expect("ASCII"))
    };
    out.iter().map(print).collect()
}

fn pro() -> SquareOff {
    SquareOff::new(SquareOffSettings::default())
}

fn neo() -> SquareOff {
    SquareOff::new(SquareOffSettings::neo())
}

#[test]
fn a_pro_reports_changes_and_answers_in_small_pieces() {
    let mut board = pro();
    board.load(&Script::parse("0.1 lift e2\n0.9 place e4\n1.0 lift d2\n1.05 place d2").expect("a script"));
    assert_eq!(sent(&mut board, 2000), ["180 0 0#e2u*", "900 0 0#e4d*"], "the last motion was too short for its scans");
    board.host(at(2000), 0, b"30#");
    board.host(at(2010), 0, b"R*4#*");
    let answers = [
        "2041 0 30#11000011110000111",
        "2041 0 10000111100001110010",
        "2041 0 01111000011110000111",
        "2041 0 1000011*",
        "2041 0 22#3.52*",
    ];
    assert_eq!(sent(&mut board, 3000), answers);
    assert_eq!((board.counters(), board.done()), (Counters::default(), true));
}

#[test]
fn commands_that_players_could_notice_are_counted() {
    let count = |board: &mut SquareOff, channel, command: &[u8]| {
        let (now, before) = (at(10_000), board.counters());
        board.host(now, channel, command);
        let after = board.counters();
        [
            after.lights - before.lights,
            after.dangerous - before.dangerous,
            after.unknown - before.unknown,
            after.stray - before.stray,
        ]
    };
    for (channel, command, counted) in [
        (0, &b"25#e2e4*"[..], [1, 0, 0, 0]),
        (0, b"25#*27#ck*27#dw*", [3, 0, 0, 0]),
        (0, b"14#1*", [0, 1, 0, 0]),
        (0, b"14#3*14#30*", [0, 2, 0, 0]),
        (0, b"24#e2,e4*0#e2e4*", [0, 2, 0, 0]),
        (0, b"30#1100001111000011110000111100001111000011110000111100001111000011*", [0, 1, 0, 0]),
        (0, b"1#*", [0, 1, 0, 0]),
        (1, b"2,6:2,4.92|", [0, 1, 0, 0]),
        (1, b"S:wt", [0, 1, 0, 0]),
        (2, b"M:c8", [0, 1, 0, 0]),
        (2, b"R:ISG", [0, 1, 0, 0]),
        (0, b"30#2000*99#*25#e9*", [0, 0, 3, 0]),
        (0, b"\xff\r30#R*", [0, 0, 0, 2]),
    ] {
        for mut board in [pro(), neo()] {
            assert_eq!(count(&mut board, channel, command), counted, "{}", String::from_utf8_lossy(command));
        }
    }
    // The board forgets half a command after a while.
    let mut board = pro();
    board.host(at(1000), 0, b"14#");
    board.host(at(3000), 0, b"30#R*");
    assert_eq!(board.counters(), Counters { stray: 1, ..Counters::default() });
}

#[test]
fn a_pro_reports_the_start_of_a_game_and_a_neo_does_not() {
    let begin = b"14#1*30#1100001111000011110000111100001111000011110000111100001111000011*1#*";
    let mut board = pro();
    board.host(at(1000), 0, begin);
    assert_eq!(sent(&mut board, 1900), ["1031 0 14#GO*", "1031 0 26#ISG*", "1031 0 1#XX:XX:XX:XX:XX:XX*"]);
    let mut board = neo();
    sent(&mut board, 999);
    board.host(at(1000), 0, begin);
    assert_eq!(sent(&mut board, 1900), ["1031 0 26#ISG*", "1031 0 1#XX:XX:XX:XX:XX:XX*"]);
}

#[test]
fn a_neo_reports_events_at_once_and_all_squares_late() {
    let mut board = neo();
    board.load(&Script::parse("2.1 lift e2\n2.6 place e4").expect("a script"));
    let start = "1100001111000011110000111100001111000011110000111100001111000011";
    let reported = sent(&mut board, 5000);
    assert_eq!(reported[..4], [format!("700 2 {start}"), "2160 1 e2u".into(), "2700 1 e4d".into(), format!("2740 2 {start}")]);
    assert_eq!(reported.len(), 5, "{reported:?}");
    let mut shown = Vec::new();
    let moved = Placement::parse("????????/????????/8/8/4?3/8/????1???/????????").expect("a placement");
    let occupied = Square::all().filter(|square| moved.get(*square) != flagfall_protocols::square::Reading::Empty);
    Message::Board(occupied.map(Square::bit).sum()).encode_bare(&mut shown);
    assert_eq!(reported[4].as_bytes(), [b"4780 2 ", &shown[..]].concat());
    // The battery has its own text on channel 0, and the standard characteristic in percent on channel 3.
    board.host(at(5000), 0, b"4#*");
    assert_eq!(sent(&mut board, 5100), ["5031 0 4#3520.00*", "5031 3 4"], "0x34 = 52 percent");
}

/// Returns the frames and square events that the driver reports for a board.
fn reported_changes(
    driver: &flagfall_protocols::driver::DriverInfo,
    board: SquareOff,
    script: &str,
    to: u64,
) -> Vec<(u64, DeviceEvent)> {
    let mut rig = Rig::new(driver.start(), board);
    rig.emulator.load(&Script::parse(script).expect("a script"));
    let mut reported = Vec::new();
    rig.run_until(at(to), &mut |event| {
        if let RigEvent::Output { at, output: Output::Event { event, .. } } = event
            && matches!(event, DeviceEvent::Frame(_) | DeviceEvent::Square { .. })
        {
            reported.push((at.micros() / 1000, *event));
        }
    });
    assert_eq!(rig.emulator.counters(), Counters::default());
    reported
}

#[test]
fn old_pictures_undo_nothing_at_any_lag() {
    for lag in [0, 350, 700, 1500, 2000] {
        let neo = NeoSettings { interval: Duration::from_millis(2040), lag: Duration::from_millis(lag) };
        let settings = SquareOffSettings { neo: Some(neo), ..SquareOffSettings::neo() };
        let script =
            "5 lift e2\n+0.4 place e4\n+1.3 lift e7\n+0.6 place e5\n+0.9 lift g1\n+0.5 place f3\n+1.1 lift b8\n+0.4 place c6";
        let reported = reported_changes(&square_off_neo::INFO, SquareOff::new(settings), script, 60_000);
        let frames = reported.iter().filter(|(_, event)| matches!(event, DeviceEvent::Frame(_))).count();
        assert_eq!((frames, reported.len()), (1, 9), "lag {lag}: {reported:?}");
    }
}

#[test]
fn a_square_that_fails_for_minutes_is_reported_twice() {
    for (driver, board) in [(&square_off::INFO, pro()), (&square_off_neo::INFO, neo())] {
        // The square is reported when it fails and when it comes back, and never between.
        let reported = reported_changes(driver, board, "10 dropout g7 126", 200_000);
        let changes: Vec<_> = reported[1..].iter().map(|(at, _)| at / 1000).collect();
        assert_eq!((reported.len(), changes), (3, vec![10, 136]), "{reported:?}");
    }
}
