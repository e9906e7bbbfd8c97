//! Emulated boards without a clock and without drivers: the bytes that hand motions cause, and the answers.

use std::time::Duration;

use flagfall_hardware::emulator::chesslink::{Chesslink, ChesslinkSettings, Reports};
use flagfall_hardware::emulator::dgt_pegasus::{Pegasus, PegasusSettings};
use flagfall_hardware::emulator::script::Script;
use flagfall_hardware::emulator::{Counters, Device, Impossible, Sent};
use flagfall_protocols::bytes::{hex, unhex};
use flagfall_protocols::drivers::chesslink::framing::{Framed, Framing, Speaker};
use flagfall_protocols::drivers::chesslink::host::HostCommand;
use flagfall_protocols::drivers::chesslink::message::{Message, placement};
use flagfall_protocols::drivers::dgt::board::BoardMessage;
use flagfall_protocols::drivers::dgt::{framing as dgt, squares};
use flagfall_protocols::square::Placement;
use flagfall_protocols::time::Instant;
use proptest::prelude::*;

fn at(millis: u64) -> Instant {
    Instant(millis * 1000)
}

fn fen(text: &str) -> Placement {
    Placement::parse(text).expect("a placement")
}

/// Runs a board until all its hand motions are done, up to a time limit.
fn finish(board: &mut dyn Device) -> Vec<Sent> {
    let mut out = Vec::new();
    for _ in 0..10_000 {
        let Some(next) = board.next().filter(|_| !board.done()) else { break };
        board.advance(next, &mut out);
    }
    assert!(board.done(), "the hands come to an end");
    out
}

fn link(settings: ChesslinkSettings) -> Chesslink {
    Chesslink::new(ChesslinkSettings { paced: false, ..settings })
}

/// Pictures that a Millennium board sends by itself, as `ms:FEN`, without the first one, which it sends after its first scan.
fn pictures(settings: ChesslinkSettings, script: &str) -> Vec<String> {
    let mut board = link(settings);
    board.load(&Script::parse(script).expect("a script"));
    let mut framing = Framing::new(Speaker::Board);
    let mut pictures = Vec::new();
    for Sent { at: when, bytes, .. } in finish(&mut board) {
        for byte in bytes {
            if let Some(Framed::Message { text, .. }) = framing.push(byte) {
                let Some(Message::Board(letters)) = Message::decode(text) else { panic!("{text:x?}") };
                pictures.push(format!("{}:{}", when.micros() / 1000, placement(letters).expect("known")));
            }
        }
    }
    assert_eq!(board.counters(), Counters::default(), "{:?}", board.impossible());
    assert!(!pictures.is_empty());
    pictures.split_off(1)
}

// Scans end at 40.96, 81.92, 122.88 … ms. Within a scan d5 is sampled at 17.28, e4 at 23.04, e3 at 28.16, e2 at 33.28 ms.
#[test]
fn hand_movements_give_pictures() {
    let pawn = "8/8/8/8/8/8/4P3/8";
    let two = "8/8/8/3p4/4P3/8/8/8";
    let none = "8/8/8/8/8/8/8/8";
    let e4 = "8/8/8/8/4P3/8/8/8";
    for (name, standing, script, expected) in [
        ("a lifted move", pawn, "0.1 lift e2\n0.2 place e4", vec![format!("122:{none}"), format!("245:{e4}")]),
        // The motion lies between the ends of two scans.
        ("faster than a scan", pawn, "0.130 lift e2\n0.135 place e4", vec![format!("163:{e4}")]),
        ("a move is a lift and a place", pawn, "0.1 move e2 e4", vec![format!("122:{none}"), format!("532:{e4}")]),
        ("a slide shows on its way", pawn, "0.1 slide e2 e4 0.2", vec!["245:8/8/8/8/8/4P3/8/8".to_owned(), format!("327:{e4}")]),
        (
            "capture, victim first",
            two,
            "0.1 lift d5\n0.2 drop\n0.3 lift e4\n0.4 place d5",
            vec![format!("163:{e4}"), format!("327:{none}"), "450:8/8/8/3P4/8/8/8/8".to_owned()],
        ),
        (
            "capture, pushed straight off",
            two,
            "0.1 lift e4\n0.2 place d5",
            vec!["122:8/8/8/3p4/8/8/8/8".to_owned(), "245:8/8/8/3P4/8/8/8/8".to_owned()],
        ),
        ("too short to be seen", pawn, "0.124 lift e2\n0.126 place e2", vec![]),
        (
            "a piece from the box",
            "8/P7/8/8/8/8/8/8",
            "0.1 lift a7\n0.2 place a8 Q",
            vec![format!("163:{none}"), "245:Q7/8/8/8/8/8/8/8".to_owned()],
        ),
        ("a misread piece", pawn, "0.1 misread e2 B 0.1", vec!["122:8/8/8/8/8/8/4B3/8".to_owned(), format!("245:{pawn}")]),
        ("a dropout", pawn, "0.1 dropout e2 0.1", vec![format!("122:{none}"), format!("245:{pawn}")]),
        (
            "the first square is sampled when the scan before is over",
            "p7/8/8/8/8/8/4P3/8",
            "0.1 lift e2\n0.1 lift a8",
            vec!["122:p7/8/8/8/8/8/8/8".to_owned(), format!("163:{none}")],
        ),
        ("all at once", pawn, "0.1 board 8/8/8/8/8/8/8/4K2k", vec!["122:8/8/8/8/8/8/8/4K2k".to_owned()]),
    ] {
        let settings = ChesslinkSettings { placement: fen(standing), ..ChesslinkSettings::default() };
        assert_eq!(pictures(settings, script), expected, "{name}");
    }
}

#[test]
fn a_report_needs_equal_scans() {
    let pawn = "8/8/8/8/8/8/4P3/8";
    // The piece is away for two scans, then for seven, then on e4; a scan later another piece is on a1.
    let lifted = "0.3 lift e2\n+0.1 place e2\n1 lift e2\n+0.3 place e4\n+0.08 place a1 Q";
    for (equal, expected) in [
        (
            1,
            vec![
                "327:8/8/8/8/8/8/8/8",
                "409:8/8/8/8/8/8/4P3/8",
                "1024:8/8/8/8/8/8/8/8",
                "1351:8/8/8/8/4P3/8/8/8",
                "1392:8/8/8/8/4P3/8/8/Q7",
            ],
        ),
        (3, vec!["1105:8/8/8/8/8/8/8/8", "1474:8/8/8/8/4P3/8/8/Q7"]),
    ] {
        let reports = Reports::Changes { equal };
        let settings = ChesslinkSettings { placement: fen(pawn), reports, ..ChesslinkSettings::default() };
        assert_eq!(pictures(settings, lifted), expected, "{equal}");
    }
}

#[test]
fn every_scan_or_none_is_reported() {
    for (reports, scan_ms, count) in [
        (Reports::EveryScan, 41, 24),
        (Reports::EveryScan, 1, 32),
        (Reports::EveryScan, 9000, 1),
        (Reports::Never, 41, 0),
        (Reports::Changes { equal: 1 }, 41, 1),
    ] {
        let mut board = link(ChesslinkSettings { reports, scan: Duration::from_millis(scan_ms), ..ChesslinkSettings::default() });
        let mut out = Vec::new();
        board.advance(at(1000), &mut out);
        assert_eq!(out.len(), count, "{reports:?} {scan_ms}");
    }
}

#[test]
fn a_millennium_board_answers_its_commands() {
    let mut board = link(ChesslinkSettings { reports: Reports::Never, ..ChesslinkSettings::default() });
    let start = "sRNBKQBNRPPPPPPPP................................pppppppprnbkqbnr73";
    let lights = [b'0'; 164];
    for (step, (command, answer)) in [
        (HostCommand::Version, "v010374"),
        (HostCommand::Board, start),
        (HostCommand::Read { address: 2 }, "r020171"),
        (HostCommand::Read { address: 1 }, "r011476"),
        (HostCommand::Write { address: 2, value: 3 }, "w020376"),
        (HostCommand::Read { address: 2 }, "r020373"),
        (HostCommand::Lights(&lights), "l6C"),
        (HostCommand::LightsOut, "x78"),
        (HostCommand::Reset, ""),
        (HostCommand::Other(b"I00"), ""),
    ]
    .into_iter()
    .enumerate()
    {
        let mut bytes = Vec::new();
        command.encode(&mut bytes);
        // The command comes in two pieces.
        let when = at(1000 * (step as u64 + 1));
        let (first, second) = bytes.split_at(1);
        board.host(when, 0, first);
        board.host(when, 0, second);
        let mut out = Vec::new();
        board.advance(when.after(Duration::from_millis(900)), &mut out);
        let sent_pieces: Vec<u8> = out.into_iter().flat_map(|sent| sent.bytes).collect();
        assert_eq!(String::from_utf8(sent_pieces).expect("text"), answer, "{command:?}");
    }
    board.host(at(20_000), 0, b"?\x07");
    assert_eq!(board.counters(), Counters { dangerous: 2, lights: 2, unknown: 1, stray: 2, ..Counters::default() });
}

#[test]
fn bytes_have_the_pace_of_the_line_and_older_boards_send_parity() {
    let settings = ChesslinkSettings { reports: Reports::Never, parity: true, ..ChesslinkSettings::default() };
    let mut board = Chesslink::new(settings);
    board.host(at(0), 0, &unhex("d6b5b6").expect("hex"));
    let mut out = Vec::new();
    board.advance(at(1000), &mut out);
    let reported: Vec<_> = out.iter().map(|sent| (sent.at.micros(), hex(&sent.bytes))).collect();
    assert_eq!(reported, [(5_000 + 7 * 10_000_000 / 38_400, "76b031b0b33734".to_owned())]);
}

#[test]
fn bytes_on_the_line_at_power_off_are_lost() {
    let mut board = Chesslink::new(ChesslinkSettings { reports: Reports::Never, ..ChesslinkSettings::default() });
    board.load(&Script::parse("0.012 power off").expect("a script"));
    board.host(at(0), 0, &unhex("d3b5b3").expect("hex"));
    let mut out = Vec::new();
    board.advance(at(1000), &mut out);
    // 16 bytes take 4.2 ms. The answer begins at 5 ms.
    assert_eq!(out.iter().map(|sent| sent.bytes.len()).collect::<Vec<_>>(), [16]);
    assert!(board.done());
}

/// Returns the changes that a Pegasus reports, as `ms:square:+` or `-`.
fn changes(standing: &str, script: &str) -> Vec<String> {
    let mut board = Pegasus::new(PegasusSettings { placement: fen(standing), ..PegasusSettings::default() });
    board.host(Instant::ZERO, 0, &[0x44]);
    board.load(&Script::parse(script).expect("a script"));
    let out = finish(&mut board);
    assert_eq!(board.counters(), Counters::default(), "{:?}", board.impossible());
    out.iter()
        .map(|Sent { at: when, bytes, .. }| {
            let Some(BoardMessage::Field { index, code }) = BoardMessage::decode(bytes[0], &bytes[3..]) else {
                panic!("{bytes:02x?}")
            };
            let sign = if code == 0 { '-' } else { '+' };
            format!("{}:{}:{sign}", when.micros() / 1000, squares::square(index).expect("below 64"))
        })
        .collect()
}

#[test]
fn hand_movements_give_changes_of_occupancy() {
    let pawn = "8/8/8/8/8/8/4P3/8";
    let two = "8/8/8/3p4/4P3/8/8/8";
    for (name, standing, script, expected) in [
        ("a lifted move", pawn, "0.01 lift e2\n0.2 place e4", vec!["50:e2:-", "200:e4:+"]),
        ("both in one scan, a8 first", pawn, "0.01 lift e2\n0.02 place e4", vec!["50:e4:+", "50:e2:-"]),
        ("a move is a lift and a place", pawn, "0.01 move e2 e4", vec!["50:e2:-", "450:e4:+"]),
        ("a slide shows on its way", pawn, "0 slide e2 e4 0.2", vec!["100:e3:+", "100:e2:-", "200:e4:+", "200:e3:-"]),
        (
            "capture, victim first",
            two,
            "0.01 lift d5\n0.1 drop\n0.2 lift e4\n0.41 place d5",
            vec!["50:d5:-", "200:e4:-", "450:d5:+"],
        ),
        ("capture, pushed straight off: the other square never changes", two, "0.01 lift e4\n0.2 place d5", vec!["50:e4:-"]),
        ("too short to be seen", pawn, "0.01 lift e2\n0.04 place e2", vec![]),
        ("another piece on the square", pawn, "0.01 lift e2\n0.04 place e2 Q", vec![]),
        ("a misread piece is a piece", pawn, "0.01 misread e2 B 0.2", vec![]),
        ("a dropout", pawn, "0.01 dropout e2 0.2", vec!["50:e2:-", "250:e2:+"]),
        ("all at once", pawn, "0.01 board 8/8/8/8/8/8/8/4K2k", vec!["50:e2:-", "50:e1:+", "50:h1:+"]),
    ] {
        assert_eq!(changes(standing, script), expected, "{name}");
    }
}

#[test]
fn a_pegasus_answers_in_small_pieces() {
    let mut board = Pegasus::new(PegasusSettings { battery: 88, ..PegasusSettings::default() });
    let dump = "01".repeat(16) + &"00".repeat(32) + &"01".repeat(16);
    let text = hex(b"flagfall emulated board\r\nsoftware version: 1.00\r\nserial no: 01025");
    for (step, (command, answer)) in [
        ("40", String::new()),
        ("42", format!("860043{dump}")),
        ("45", format!("910008{}", hex(b"01025"))),
        ("47", format!("920044{text}")),
        ("48", "9600050100".to_owned()),
        ("4c", "a0000c580000000000000002".to_owned()),
        ("4d", "9300050100".to_owned()),
        ("55", format!("a2000d{}", hex(b"P000001025"))),
        ("59", "a4000400".to_owned()),
        ("5a", "a5000400".to_owned()),
        ("60020000", String::new()),
        ("6307000000000000 00", String::new()),
        ("43", String::new()),
        ("4b", String::new()),
        ("46", String::new()),
    ]
    .into_iter()
    .enumerate()
    {
        let when = at(1000 * step as u64);
        board.host(when, 0, &unhex(&command.replace(' ', "")).expect("hex"));
        let mut out = Vec::new();
        board.advance(when.after(Duration::from_millis(900)), &mut out);
        assert!(out.iter().all(|sent| sent.bytes.len() <= 20));
        assert_eq!(hex(&out.into_iter().flat_map(|sent| sent.bytes).collect::<Vec<_>>()), answer, "{command}");
    }
    assert_eq!(board.counters(), Counters { lights: 1, unknown: 2, dangerous: 2, ..Counters::default() });
}

#[test]
fn nothing_is_reported_before_the_mode_is_set_and_after_power_off() {
    let mut board = Pegasus::new(PegasusSettings::default());
    board.load(
        &Script::parse("1 lift e2\n2 place e4\n4 power off\n4.5 lift e7\n5 place e5\n6 power on\n7 lift d2").expect("a script"),
    );
    let mut out = Vec::new();
    board.advance(at(3000), &mut out);
    assert_eq!(out, []);
    board.host(at(3000), 0, &[0x44]);
    board.host(at(5500), 0, &[0x42]);
    board.advance(at(8000), &mut out);
    assert_eq!(out, []);
    board.host(at(8000), 0, &[0x42]);
    board.advance(at(9000), &mut out);
    let dump: Vec<u8> = out.into_iter().flat_map(|sent| sent.bytes).skip(3).collect();
    let full =
        |square: &str| dump[usize::from(squares::index(flagfall_protocols::square::Square::parse(square).expect("a square")))];
    assert_eq!(["e2", "e4", "e7", "e5", "d2"].map(full), [0, 1, 0, 1, 0]);
}

#[test]
fn impossible_hand_motions_are_counted() {
    let boards: [Box<dyn Device>; 2] =
        [Box::new(link(ChesslinkSettings::default())), Box::new(Pegasus::new(PegasusSettings::default()))];
    for mut board in boards {
        board.load(&Script::parse("1 lift e4\n2 place e4\n3 drop\n4 press left\n5 run\n7 replace").expect("a script"));
        board.advance(at(20_000), &mut Vec::new());
        // A replacement consists of two movements.
        assert_eq!((board.counters().impossible, board.impossible().len()), (7, 7));
        assert_eq!(board.impossible()[3], (at(4000), Impossible::NoClock));
    }
}

const BUSY: &str = "\
1 lift e2
+0.4 place e4
+1 slide a7 a5 0.3
+1 misread d1 K 0.4
+0.3 dropout h8 0.2
+3 power off
+1 board 8/8/8/8/8/8/8/K6k
+1 power on
";

fn kind(number: usize) -> Box<dyn Device> {
    match number {
        0 => Box::new(Chesslink::new(ChesslinkSettings::default())),
        1 => Box::new(Chesslink::new(ChesslinkSettings {
            reports: Reports::Changes { equal: 4 },
            parity: true,
            ..ChesslinkSettings::default()
        })),
        2 => Box::new(Chesslink::new(ChesslinkSettings {
            reports: Reports::EveryScan,
            paced: false,
            ..ChesslinkSettings::default()
        })),
        _ => Box::new(Pegasus::new(PegasusSettings::default())),
    }
}

proptest! {
    /// The bytes of a board do not depend on how often the test advances it.
    #[test]
    fn the_size_of_time_steps_does_not_matter(number in 0usize..4, cuts in proptest::collection::vec(0u64..12_000_000, 0..60), commands in proptest::collection::vec(
        (0u64..12_000_000, prop_oneof![Just("d6b5b6"), Just("d3b5b3"), Just("57b032b0b3b5b6"), Just("42"), Just("44"), Just("40")]), 0..8)) {
        let run = |cuts: &[u64]| {
            let mut board = kind(number);
            board.load(&Script::parse(BUSY).expect("a script"));
            let mut moments: Vec<(u64, Option<&str>)> = commands.iter().map(|&(when, text)| (when, Some(text))).collect();
            moments.extend(cuts.iter().map(|&when| (when, None)));
            moments.sort_by_key(|(when, _)| *when);
            let mut out = Vec::new();
            board.host(Instant::ZERO, 0, &[0x44]);
            for (when, command) in moments {
                match command {
                    Some(text) => board.host(Instant(when), 0, &unhex(text).expect("hex")),
                    None => board.advance(Instant(when), &mut out),
                }
            }
            board.advance(Instant(20_000_000), &mut out);
            (out, board.counters())
        };
        prop_assert_eq!(run(&cuts), run(&[]));
    }

    /// After any input of a host nothing panics, and the messages of the board are well formed.
    #[test]
    fn every_host_gets_well_formed_messages(number in 0usize..4, host in proptest::collection::vec((0u64..400_000, prop_oneof![any::<u8>(), 0x40u8..0x60, Just(b'W'), Just(b'0')]), 0..200)) {
        let mut board = kind(number);
        board.load(&Script::parse(BUSY).expect("a script"));
        let (mut now, mut out) = (0, Vec::new());
        for (step, byte) in host {
            now += step;
            board.host(Instant(now), 0, &[byte]);
            board.advance(Instant(now), &mut out);
        }
        board.advance(Instant(now + 12_000_000), &mut out);
        let (mut text, mut binary) = (Framing::new(Speaker::Board), dgt::Framing::default());
        let bytes = out.iter().flat_map(|sent| &sent.bytes);
        // Power off may cut off one message.
        let bad = match number {
            3 => bytes.filter(|byte| matches!(binary.push(**byte), Some(dgt::Framed::Anomaly { .. }))).count(),
            _ => bytes.filter(|byte| matches!(text.push(**byte), Some(Framed::Anomaly { .. }))).count(),
        };
        prop_assert!(bad <= 1, "{bad}");
    }
}
