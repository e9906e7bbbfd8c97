//! The effect of the finite scan on hand movements (`dgt/README.md#8`), as the field updates of the emulated board show it.

use flagfall_hardware::emulator::script::Script;
use flagfall_hardware::emulator::{Emulator, Sent, Settings};
use flagfall_protocols::drivers::dgt::board::BoardMessage;
use flagfall_protocols::drivers::dgt::squares;
use flagfall_protocols::square::{Placement, Reading};
use flagfall_protocols::time::Instant;

/// The scan of the tests: square `n` of the board's numbering is sampled `n` milliseconds after a8, which is sampled at 0, 64,
/// 128 ms.
const SCAN_MS: u64 = 64;

/// Returns the field updates of a board with this placement and script, as `ms:square:letter`.
fn updates(placement: &str, script: &str) -> Vec<String> {
    let settings = Settings {
        placement: Placement::parse(placement).unwrap(),
        clock: None,
        scan: std::time::Duration::from_millis(SCAN_MS),
        paced: false,
        ..Settings::default()
    };
    let mut board = Emulator::new(settings);
    board.host(Instant::ZERO, &[0x44]);
    board.load(&Script::parse(script).unwrap());
    let mut out = Vec::new();
    while !board.done() {
        let next = board.next().unwrap();
        board.advance(next, &mut out);
    }
    assert_eq!(board.counters().impossible, 0, "{:?}", board.impossible());
    out.iter()
        .map(|Sent { at, bytes, .. }| {
            let Some(BoardMessage::Field { index, code }) = BoardMessage::decode(bytes[0], &bytes[3..]) else {
                panic!("{bytes:02x?}")
            };
            let letter = match squares::reading(code).unwrap() {
                Reading::Piece(piece) => piece.letter(),
                _ => '-',
            };
            format!("{}:{}:{letter}", at.micros() / 1000, squares::square(index).unwrap())
        })
        .collect()
}

// Numbers of squares: a8 = 0, a5 = 24, e4 = 36, e3 = 44, e2 = 52, a1 = 56, h1 = 63.
#[test]
fn hand_movements_give_field_updates() {
    let pawn = "8/8/8/8/8/8/4P3/8";
    let rook = "8/8/8/8/8/8/8/R7";
    let capture = "8/8/8/3p4/4P3/8/8/8";
    for (name, placement, script, expected) in [
        ("a lifted move: old square first", pawn, "0 lift e2\n0.2 place e4", vec!["52:e2:-", "228:e4:P"]),
        // Lifted at 20, put down at 30: e4 is sampled at 36, e2 at 52 of the same scan.
        ("so fast that the new square comes first", pawn, "0.020 lift e2\n0.030 place e4", vec!["36:e4:P", "52:e2:-"]),
        // Pushed from e2 to e3 at 40, to e4 at 80: e3 is sampled at 44, e2 at 52; e4 at 100, e3 at 108.
        ("a slide shows on its way", pawn, "0 slide e2 e4 0.080", vec!["44:e3:P", "52:e2:-", "100:e4:P", "108:e3:-"]),
        // The rook moves with the scan: a1 is sampled occupied at 56, b1 at 57, and a1 is sampled empty only in the next scan.
        ("one piece on both squares", rook, "0.0565 slide a1 b1 0", vec!["57:b1:R", "120:a1:-"]),
        ("a slide faster than the scan", rook, "0 slide a1 h1 0.050", vec!["56:a1:-", "63:h1:R"]),
        (
            "capture, victim first",
            capture,
            "0 lift d5\n0.1 drop\n0.2 lift e4\n0.4 place d5",
            vec!["27:d5:-", "228:e4:-", "411:d5:P"],
        ),
        ("capture, pushed straight off: no empty in between", capture, "0 lift e4\n0.2 place d5", vec!["36:e4:-", "219:d5:P"]),
        (
            "capture as replacement, victim lifted just before the drop",
            capture,
            "0 lift e4\n0.200 lift d5\n0.210 drop\n0.215 place d5 P",
            vec!["36:e4:-", "219:d5:P"],
        ),
        ("too short to be seen", pawn, "0.001 lift e2\n0.040 place e2", vec![]),
        ("move is a lift and a place", pawn, "0 move e2 e4", vec!["52:e2:-", "420:e4:P"]),
        ("a piece from the box", "8/P7/8/8/8/8/8/8", "0 lift a7\n0.1 place a8 Q", vec!["8:a7:-", "128:a8:Q"]),
        ("a misread piece", pawn, "0 misread e2 B 0.1", vec!["52:e2:B", "116:e2:P"]),
        ("a dropout", pawn, "0 dropout e2 0.1", vec!["52:e2:-", "116:e2:P"]),
        ("a dropout under which the piece goes", pawn, "0 dropout e2 0.1\n0.02 lift e2", vec!["52:e2:-"]),
        ("a dropout too short to be seen", pawn, "0.001 dropout e2 0.05", vec![]),
        ("all at once", pawn, "0.01 board 8/8/8/8/8/8/8/4K2k", vec!["52:e2:-", "60:e1:K", "63:h1:k"]),
    ] {
        assert_eq!(updates(placement, script), expected, "{name}");
    }
}

#[test]
fn the_scan_phase_moves_every_sample() {
    let settings = Settings {
        placement: Placement::parse("P7/8/8/8/8/8/8/8").unwrap(),
        clock: None,
        scan_phase: std::time::Duration::from_millis(100),
        paced: false,
        ..Settings::default()
    };
    let mut board = Emulator::new(settings);
    board.host(Instant::ZERO, &[0x44]);
    board.load(&Script::parse("0 lift a8").unwrap());
    let mut out = Vec::new();
    board.advance(Instant(99_999), &mut out);
    assert_eq!(out, []);
    board.advance(Instant(100_000), &mut out);
    assert_eq!(out, [Sent { at: Instant(100_000), channel: 0, bytes: vec![0x8e, 0x00, 0x05, 0x00, 0x00] }]);
}

#[test]
fn impossible_hand_motions_are_counted() {
    let mut board = Emulator::new(Settings { clock: None, ..Settings::default() });
    board.load(&Script::parse("1 lift e4\n2 place e4\n3 drop\n4 press left\n5 slide a4 h4 1").unwrap());
    board.advance(Instant(20_000_000), &mut Vec::new());
    // A slide without a piece fails at each of its seven squares.
    assert_eq!(board.counters().impossible, 11);
    assert_eq!(board.impossible().len(), 11);
}
