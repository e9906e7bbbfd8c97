//! Emulated Chessnut boards without drivers: the bytes that hand motions cause, and the answers.

use std::time::Duration;

use flagfall_hardware::emulator::chessnut::{Chessnut, ChessnutSettings};
use flagfall_hardware::emulator::script::Script;
use flagfall_hardware::emulator::{Counters, Device, Impossible, Sent};
use flagfall_protocols::bytes::{hex, unhex};
use flagfall_protocols::drivers::chessnut::framing::{Framed, Framing};
use flagfall_protocols::drivers::chessnut::message::{Message, placement};
use flagfall_protocols::square::Placement;
use flagfall_protocols::time::Instant;
use proptest::prelude::*;

const REALTIME: &[u8] = &[0x21, 0x01, 0x00];
const PAWN: &str = "8/8/8/8/8/8/4P3/8";

fn at(millis: u64) -> Instant {
    Instant(millis * 1000)
}

fn fen(text: &str) -> Placement {
    Placement::parse(text).expect("a placement")
}

fn script(text: &str) -> Script {
    Script::parse(text).expect("a script")
}

/// Settings of a board that repeats nothing by itself.
fn quiet() -> ChessnutSettings {
    ChessnutSettings { placement: fen(PAWN), repeats: None, ..ChessnutSettings::default() }
}

/// Returns the positions among the sent messages, as `ms:FEN`.
fn positions(sent: &[Sent]) -> Vec<String> {
    let (mut framing, mut positions) = (Framing::new(0), Vec::new());
    for Sent { at: when, bytes, .. } in sent.iter().filter(|sent| sent.channel == 0) {
        for byte in bytes {
            framing.push(*byte, &mut |framed| {
                let Framed::Message { message: Message::Board { squares, .. }, .. } = framed else { panic!("{framed:?}") };
                positions.push(format!("{}:{}", when.micros() / 1000, placement(&squares).expect("pieces")));
            });
        }
    }
    assert!(!framing.holds());
    positions
}

fn sent(board: &mut Chessnut, to: u64) -> Vec<Sent> {
    let mut out = Vec::new();
    board.advance(at(to), &mut out);
    out
}

#[test]
fn hand_movements_give_positions_at_the_end_of_a_scan() {
    // A scan takes 150 ms. It samples e4 84 ms after its beginning, and e2 after 122 ms.
    for (name, motions, expected) in [
        ("a lifted move", "1.01 lift e2\n1.4 place e4", vec!["1050:8/8/8/8/8/8/8/8", "1500:8/8/8/8/4P3/8/8/8"]),
        ("in one scan", "1.06 lift e2\n1.1 place e4", vec!["1200:8/8/8/8/4P3/8/8/8"]),
        ("seen on no square", "1.12 lift e2\n1.15 place e4", vec!["1200:8/8/8/8/8/8/8/8", "1350:8/8/8/8/4P3/8/8/8"]),
        ("too short to be seen", "1.06 lift e2\n1.1 place e2", vec![]),
        ("another piece", "1.06 lift e2\n1.1 place e2 q", vec!["1200:8/8/8/8/8/8/4q3/8"]),
    ] {
        let mut board = Chessnut::new(quiet());
        board.host(at(0), 0, REALTIME);
        board.load(&script(motions));
        let positions = positions(&sent(&mut board, 5000));
        assert_eq!(positions[0], format!("150:{PAWN}"), "{name}");
        assert_eq!(positions[1..], expected, "{name}");
        assert!(board.done(), "{name}");
        assert_eq!(board.counters(), Counters::default(), "{name}");
    }
}

#[test]
fn nothing_is_reported_before_the_mode_is_set_and_after_power_off() {
    let mut board = Chessnut::new(ChessnutSettings { repeats: Some(Duration::from_secs(1)), ..quiet() });
    board.load(&script("1 lift e2\n2 place e4\n4 power off\n5 power on\n6 lift e4"));
    assert_eq!(sent(&mut board, 3000), []);
    board.host(at(3000), 0, REALTIME);
    let reported = sent(&mut board, 7000);
    assert_eq!(positions(&reported), ["3150:8/8/8/8/4P3/8/8/8"]);
    assert!(reported.iter().all(|sent| sent.bytes.len() <= 20));
    board.host(at(7000), 0, REALTIME);
    // Then the board repeats its position, and setting the mode again changes nothing.
    let reported = sent(&mut board, 8500);
    assert_eq!(positions(&reported).len(), 2);
    board.host(at(8500), 0, REALTIME);
    assert_eq!(positions(&sent(&mut board, 9000)).len(), 0);
}

#[test]
fn upload_mode_stops_the_reports() {
    let mut board = Chessnut::new(quiet());
    board.host(at(0), 0, REALTIME);
    board.host(at(1000), 0, &[0x21, 0x01, 0x01]);
    board.load(&script("1 lift e2"));
    assert_eq!(positions(&sent(&mut board, 3000)).len(), 1);
    board.host(at(3000), 0, REALTIME);
    assert_eq!(positions(&sent(&mut board, 4000)), ["3150:8/8/8/8/8/8/8/8"]);
    // A board that does not repeat its position sends it when the mode is set once more.
    board.host(at(4000), 0, REALTIME);
    assert_eq!(positions(&sent(&mut board, 5000)), ["4015:8/8/8/8/8/8/8/8"]);
    assert_eq!(board.counters(), Counters { dangerous: 1, ..Counters::default() });
}

/// Returns the answers of a board on channel 1 to commands that are a second apart, and its counters.
fn answers(settings: ChessnutSettings, commands: &[&str]) -> (Vec<String>, Counters) {
    let mut board = Chessnut::new(settings);
    let answer = |(step, command): (u64, &&str)| {
        board.host(at(1000 * step), 0, &unhex(command).expect("hex"));
        let reported = sent(&mut board, 1000 * step + 900);
        assert!(reported.iter().all(|sent| sent.channel == 1));
        hex(&reported.into_iter().flat_map(|sent| sent.bytes).collect::<Vec<_>>())
    };
    let answers = (0..).zip(commands).map(answer).collect();
    (answers, board.counters())
}

#[test]
fn replies_arrive_on_the_second_channel() {
    let zeros = "00".repeat(32);
    let (lights, moves, colours) = (format!("0a08{}", &zeros[..16]), format!("4221{zeros}00"), format!("4320{zeros}"));
    let commands: Vec<&str> = [
        "290100",
        "310100",
        "41010c",
        "41010b",
        "410115310100",
        &lights,
        "0b0403e800c8",
        "1b0101",
        &colours,
        "330100",
        "340101",
        "390100",
        &moves,
        "270101",
        "2b0100",
        "260100",
        "7701",
        "29",
    ]
    .to_vec();
    let settings = ChessnutSettings { battery: 88, ..quiet() };
    let (air, counted) = answers(settings, &commands);
    let none = "";
    assert_eq!(air[..6], ["2a025800", "320100", none, none, "320100", none]);
    assert!(air[6..].iter().all(String::is_empty), "{air:?}");
    assert_eq!(counted, Counters { lights: 4, dangerous: 4, unknown: 6, stray: 3, ..Counters::default() });
    let (one, counted) = answers(ChessnutSettings { moves: true, ..settings }, &commands);
    let pieces = format!("41890b{}", "ff".repeat(136));
    assert_eq!(one[..6], ["2a020000", "320100", "41030c0058", &pieces, "41051500000000320100", none]);
    assert_eq!(counted, Counters { lights: 4, dangerous: 4, unknown: 3, stray: 3, ..Counters::default() });
    let (acknowledged, counted) = answers(ChessnutSettings { acknowledges: true, ..settings }, &["290100", "390100"]);
    assert_eq!(acknowledged, ["2301002a025800", "230100"]);
    assert_eq!(counted.dangerous, 1);
}

#[test]
fn a_board_that_acknowledges_is_not_ready_for_hasty_commands() {
    let mut board = Chessnut::new(ChessnutSettings { acknowledges: true, ..quiet() });
    board.host(at(0), 0, &[0x29, 0x01, 0x00]);
    board.host(at(100), 0, REALTIME);
    let reported = sent(&mut board, 1000);
    assert_eq!(reported.last().map(|sent| (sent.channel, hex(&sent.bytes))), Some((1, "230101".to_owned())));
    assert_eq!(positions(&reported).len(), 0);
    board.host(at(1000), 0, REALTIME);
    assert_eq!(positions(&sent(&mut board, 2000)).len(), 1);
}

#[test]
fn commands_of_other_services_are_counted_as_dangerous() {
    let mut board = Chessnut::new(quiet());
    board.host(at(0), 1, REALTIME);
    assert_eq!((sent(&mut board, 2000), board.counters().dangerous), (vec![], 1));
}

#[test]
fn impossible_hand_motions_are_counted() {
    let mut board = Chessnut::new(ChessnutSettings::default());
    board.load(&script("1 lift e4\n2 place e4\n3 drop\n4 press left\n5 run\n7 replace"));
    sent(&mut board, 20_000);
    assert_eq!((board.counters().impossible, board.impossible().len()), (7, 7));
    assert_eq!(board.impossible()[3], (at(4000), Impossible::NoClock));
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

fn kind(number: usize) -> Chessnut {
    let usual = ChessnutSettings::default();
    Chessnut::new(match number {
        0 => usual,
        1 => ChessnutSettings { acknowledges: true, repeats: None, ..usual },
        _ => ChessnutSettings { moves: true, notification: 182, ..usual },
    })
}

proptest! {
    /// The bytes of a board do not depend on how often the test advances it.
    #[test]
    fn the_size_of_time_steps_does_not_matter(number in 0usize..3, cuts in proptest::collection::vec(0u64..12_000_000, 0..60), commands in proptest::collection::vec(
        (0u64..12_000_000, prop_oneof![Just("290100"), Just("210100"), Just("210101"), Just("41010c")]), 0..8)) {
        let run = |cuts: &[u64]| {
            let mut board = kind(number);
            board.load(&script(BUSY));
            let mut moments: Vec<(u64, Option<&str>)> = commands.iter().map(|&(when, text)| (when, Some(text))).collect();
            moments.extend(cuts.iter().map(|&when| (when, None)));
            moments.sort_by_key(|(when, _)| *when);
            let mut out = Vec::new();
            board.host(Instant::ZERO, 0, REALTIME);
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
    fn every_host_gets_well_formed_messages(number in 0usize..3, writes in proptest::collection::vec(
        (0u64..400_000, prop_oneof![proptest::collection::vec(any::<u8>(), 0..60), Just(REALTIME.to_vec()), Just(vec![0x29, 1, 0])]), 0..100)) {
        let mut board = kind(number);
        board.load(&script(BUSY));
        let (mut now, mut out) = (0, Vec::new());
        for (step, bytes) in writes {
            now += step;
            board.host(Instant(now), 0, &bytes);
            board.advance(Instant(now), &mut out);
        }
        board.advance(Instant(now + 12_000_000), &mut out);
        let mut framings = [Framing::new(0), Framing::new(1)];
        for Sent { channel, bytes, .. } in out {
            for byte in bytes {
                framings[usize::from(channel)].push(byte, &mut |framed| assert!(matches!(framed, Framed::Message { .. }), "{framed:?}"));
            }
        }
        prop_assert!(framings.iter().all(|framing| !framing.holds()));
    }
}
