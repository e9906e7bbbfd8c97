//! The same game at every emulated board. Boards that identify men give the same moves; all others give them with an unconfirmed
//! promotion. If the board has a clock, its presses complete the moves.

use flagfall::publish::states;
use flagfall::session::station::{Station, StationInput, StationOutput};
use flagfall::wire::clock::ClockStatus;
use flagfall::wire::topics::Board;
use flagfall_game::config::GameConfig;
use flagfall_hardware::emulator::script::Script;
use flagfall_hardware::emulator::{Counters, EMULATORS, Kind, Start};
use flagfall_protocols::driver::DriverInfo;
use flagfall_protocols::drivers;
use flagfall_protocols::time::Instant;

/// Captures with either man first, castling with either piece first, en passant, a promotion, a man adjusted.
const GAME: &str = "\
9 move e2 e4
+3 move d7 d5
+3 lift d5
+0.7 drop
+0.7 move e4 d5
+3 move e7 e5
+3 lift d5
+0.7 lift e5
+0.7 drop
+0.7 place e6
+3 move b8 c6
+3 lift f7
+0.7 drop
+0.7 move e6 f7
+3 lift e8
+0.7 place d7
+3 move g1 f3
+3 move d7 d6
+3 lift d8
+1 place d8
+2 move f1 e2
+3 move a7 a6
+3 lift e1
+0.7 place g1
+0.7 lift h1
+0.7 place f1
+3 move a6 a5
+3 lift g8
+0.5 drop
+0.7 lift f7
+0.5 drop
+0.7 place g8 Q

";
const END: Instant = Instant(100_000_000);
const MOVES: [&str; 15] =
    ["e2e4", "d7d5", "e4d5", "e7e5", "d5e6", "b8c6", "e6f7", "e8d7", "g1f3", "d7d6", "f1e2", "a7a6", "e1g1", "a6a5", "f7g8q"];

#[test]
fn every_board_gives_the_same_moves() {
    for kind in EMULATORS.iter().copied().flatten() {
        let info = drivers::find(kind.driver).expect("registered");
        if !info.capabilities.board {
            continue;
        }
        let (moves, unconfirmed) = played(info, kind);
        assert_eq!(moves, MOVES, "{kind:?}");
        // A board that learns its men at the beginning has never seen the new queen.
        let knows = info.capabilities.identifies_pieces && kind.learns.is_zero();
        let marked: &[&str] = if knows { &[] } else { &MOVES[14..] };
        assert_eq!(unconfirmed, marked, "{kind:?}");
    }
}

/// Five half-moves, each with its press; White sits on the left of the clock.
const PRESSED: &str = "\
6 run
+1.2 move e2 e4
+1.3 press left
+1.4 move e7 e5
+1.1 press right
+2 move g1 f3
+1.2 press left
+1.5 move b8 c6
+1.3 press right
+1.2 move f1 b5
+1.1 press left
";

#[test]
fn moves_at_every_board_with_a_clock_are_completed_by_its_presses() {
    let mut tried = 0;
    for kind in EMULATORS.iter().copied().flatten() {
        let info = drivers::find(kind.driver).expect("registered");
        if !info.capabilities.board || !info.capabilities.clock {
            continue;
        }
        let station = run(info, kind, PRESSED);
        let state = states::arbiter_state(station.game());
        let moves: Vec<String> = state.moves.iter().map(|mv| mv.uci.to_string()).collect();
        assert_eq!(moves, ["e2e4", "e7e5", "g1f3", "b8c6", "f1b5"], "{kind:?}");
        assert!(state.moves.iter().all(|mv| mv.pressed_at.is_some()), "{kind:?}: {:#?}", state.moves);
        assert_eq!((state.clock_status, state.clock.source), (ClockStatus::Reporting, info.name), "{kind:?}");
        assert!(station.game().findings().is_empty(), "{kind:?}: {:?}", station.game().findings());
        tried += 1;
    }
    assert!(tried >= 3, "only {tried} boards");
}

/// The final moves, and the unconfirmed promotions among them.
fn played(info: &DriverInfo, kind: &Kind) -> (Vec<String>, Vec<String>) {
    let station = run(info, kind, GAME);
    // On a board with a clock the last moves wait for a press.
    let game = station.game();
    let moves = game.moves().chain(game.pending()).map(|played| played.uci.to_string()).collect();
    (moves, game.unconfirmed_promotions())
}

/// Plays these hand motions to their end.
fn run(info: &DriverInfo, kind: &Kind, hands: &str) -> Station {
    let config = GameConfig { clock_source: info.clock_source(), ..GameConfig::default() };
    let mut station = Station::new(info, config, Board::default(), "every-board");
    let mut device = (kind.start)(&Start::default());
    device.load(&Script::parse(hands).expect("a script"));
    let (mut out, mut sent) = (Vec::new(), Vec::new());
    station.feed(Instant::ZERO, &StationInput::link(true), &mut out);
    loop {
        for output in out.drain(..) {
            if let StationOutput::Send { at, channel, bytes, .. } = output {
                device.host(at, channel, &bytes);
            }
        }
        let next = [device.next(), station.deadline()].into_iter().flatten().min();
        let Some(next) = next.filter(|next| *next <= END) else { break };
        device.advance(next, &mut sent);
        for piece in sent.drain(..) {
            station.feed(piece.at, &StationInput::bytes(piece.channel, &piece.bytes), &mut out);
        }
        station.advance(next, &mut out);
    }
    assert_eq!((device.impossible(), device.counters()), (&[][..], Counters::default()), "{kind:?}");
    station
}
