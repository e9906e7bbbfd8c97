//! Ends of games at boards without a clock: results shown with the kings, men that are put back, moves that are taken back.

use std::borrow::Cow;

use flagfall::publish::Message;
use flagfall::session::station::{Station, StationInput, StationOutput};
use flagfall::wire::alarm::AlarmKind;
use flagfall::wire::outcome::GameResult;
use flagfall::wire::state::Stage;
use flagfall::wire::topics::Board;
use flagfall_game::config::GameConfig;
use flagfall_hardware::emulator::script::Script;
use flagfall_hardware::emulator::{Counters, Device, EMULATORS, Emulator, Settings, Start};
use flagfall_protocols::drivers;
use flagfall_protocols::time::Instant;
use flagfall_protocols::trace::Body;

use crate::scene::Outcome;
use crate::scene::recording::Recording;

/// Boards that report each square, all squares, or only where men stand.
const BOARDS: [&str; 4] = ["dgt", "chessnut", "chesslink", "dgt_pegasus"];

/// Plays these hand motions at a board without a clock, and waits for some seconds after the last one.
fn played(board: &str, casual: bool, hands: &str, wait: f64) -> Outcome {
    let info = drivers::find(board).expect("registered");
    let mut device: Box<dyn Device> = match board {
        "dgt" => Box::new(Emulator::new(Settings { clock: None, ..Settings::default() })),
        _ => {
            let kind = EMULATORS.iter().copied().flatten().find(|kind| kind.driver == board).expect("emulated");
            (kind.start)(&Start::default())
        }
    };
    let script = Script::parse(hands).expect("a script");
    let end = Instant((script.end().as_secs_f64() * 1e6 + wait * 1e6) as u64);
    device.load(&script);
    let config = GameConfig { casual, clock_source: info.clock_source(), ..GameConfig::default() };
    let mut station = Station::new(info, config.clone(), Board::default(), "without-clock");
    let (mut out, mut messages, mut sent) = (Vec::new(), Vec::new(), Vec::new());
    let mut trace = Recording::new(board, &config);
    trace.note(Instant::ZERO, Body::Link { link: 0, up: true, cause: "opened" });
    station.feed(Instant::ZERO, &StationInput::link(true), &mut out);
    loop {
        for output in out.drain(..) {
            match output {
                StationOutput::Send { at, channel, bytes, .. } => {
                    trace.note(at, Body::Tx { link: 0, channel, bytes: Cow::Borrowed(&bytes) });
                    device.host(at, channel, &bytes);
                }
                StationOutput::Message(message) => messages.push(message),
                _ => {}
            }
        }
        let next = [device.next(), station.deadline()].into_iter().flatten().min();
        let Some(next) = next.filter(|next| *next <= end) else { break };
        device.advance(next, &mut sent);
        for piece in sent.drain(..) {
            trace.note(piece.at, Body::Rx { link: 0, channel: piece.channel, bytes: Cow::Borrowed(&piece.bytes) });
            station.feed(piece.at, &StationInput::bytes(piece.channel, &piece.bytes), &mut out);
        }
        station.advance(next, &mut out);
    }
    assert_eq!((device.impossible(), device.counters()), (&[][..], Counters::default()), "{board}: {hands}");
    Outcome { station, messages, trace: trace.text }
}

/// A script in which each of these moves (`e2e4`) is made this many seconds after the one before.
fn script(moves: &str, seconds: f64) -> String {
    let one = |(index, uci): (usize, &str)| {
        let at = if index == 0 { "6".to_owned() } else { format!("+{seconds}") };
        format!("{at} move {} {}\n", &uci[..2], &uci[2..])
    };
    moves.split(' ').enumerate().map(one).collect()
}

/// After a pause, one man after another is put on its square: these seconds from one to the next.
fn put_back(men: &str, pause: f64, seconds: f64) -> String {
    let one = |(index, uci): (usize, &str)| {
        let after = if index == 0 { pause } else { seconds };
        format!("+{after} move {} {}\n", &uci[..2], &uci[2..])
    };
    men.split(' ').enumerate().map(one).collect()
}

const KINGS: &str = "f2f3 f7f6 e1f2 e8f7 f2g3 f7g6 g3f4 h7h6";
const KINGS_SAN: &str = "f3 f6 Kf2 Kf7 Kg3 Kg6 Kf4 h6";

/// A king beside the centre can go there by a legal move, and its board has no clock that shows the end of the game.
#[test]
fn half_of_a_shown_result_is_no_move() {
    for board in BOARDS {
        for between in [1.0, 2.0, 4.5] {
            for kings in [["f4 e4", "g6 d5"], ["g6 d5", "f4 e4"]] {
                let hands = script(KINGS, 3.0) + &format!("+4 move {}\n+{between} move {}\n", kings[0], kings[1]);
                let outcome = played(board, false, &hands, 12.0);
                let (state, name) = (outcome.state(), format!("{board}, {kings:?}, {between} s"));
                assert_eq!((outcome.sans().as_str(), state.pending.len(), state.stage), (KINGS_SAN, 0, Stage::Over), "{name}");
                let shown: Vec<_> = state.hints.iter().map(|hint| hint.result).collect();
                assert_eq!(shown, [GameResult::WhiteWins], "{name}");
                assert_eq!(outcome.shown_live(1), KINGS_SAN, "{name}");
                // If the other half follows at once, the first one is never published.
                let told = |message: &&Message| message.topic.ends_with("/move") && message.payload.contains("\"san\":\"Ke4\"");
                let told = outcome.messages.iter().filter(told).count();
                assert!(told == 0 || between > 1.5, "{name}: {told}");
            }
        }
    }
}

/// A king that goes to the centre makes a move if play goes on, or if the kings show a result only much later.
#[test]
fn a_king_in_the_centre_has_made_a_move() {
    for board in BOARDS {
        let outcome = played(board, false, &(script(KINGS, 3.0) + "+3 move f4 e4\n+3 move g6 f7\n+3 move e4 d5\n"), 8.0);
        assert_eq!((outcome.sans(), outcome.state().hints.len()), (format!("{KINGS_SAN} Ke4 Kf7 Kd5"), 0), "{board}");
        let outcome = played(board, false, &(script(KINGS, 3.0) + "+3 move f4 e4\n+12 move g6 d5\n"), 8.0);
        assert_eq!((outcome.sans(), outcome.state().hints.len()), (format!("{KINGS_SAN} Ke4"), 1), "{board}");
    }
}

/// A king passes a square of the centre, and players correct what they have shown.
#[test]
fn a_shown_result_is_followed() {
    for board in BOARDS {
        for (kings, shown) in [
            // White's king stands on e4 on its way to d4, and Black's on e5.
            ("+4 move g6 e5\n+1 move f4 e4\n+1.5 move e4 d4\n", GameResult::BlackWins),
            ("+4 move f4 e4\n+1 move g6 d5\n+6 move d5 e5\n", GameResult::Draw),
            // The other king comes late, and then goes to the other square.
            ("+4 move f4 e4\n+6 move g6 d5\n+1.5 move d5 e5\n", GameResult::Draw),
            ("+4 move f4 e4\n+1 move g6 d5\n+6 move d5 e5\n+6 move e4 d4\n", GameResult::BlackWins),
        ] {
            let outcome = played(board, false, &(script(KINGS, 3.0) + kings), 6.0);
            let state = outcome.state();
            assert_eq!((outcome.sans().as_str(), state.hints.len()), (KINGS_SAN, 1), "{board}, {kings}: {:?}", state.hints);
            assert_eq!((state.hints[0].result, state.stage), (shown, Stage::Over), "{board}, {kings}");
            let winner = if shown == GameResult::Draw { "kings_in_centre" } else { "kings_in_centre(black)" };
            assert_eq!(outcome.alarms().last().map(String::as_str), Some(winner), "{board}, {kings}");
            let open = state.alarms.iter().filter(|alarm| alarm.kind == AlarmKind::KingsInCentre).count();
            assert_eq!(open, 1, "{board}, {kings}");
        }
    }
}

const SPANISH: &str = "e2e4 e7e5 g1f3 b8c6 f1b5 a7a6";
const SPANISH_SAN: &str = "e4 e5 Nf3 Nc6 Bb5 a6";

/// Men that are put back to their squares look like moves.
#[test]
fn men_that_are_put_back_make_no_moves() {
    for board in BOARDS {
        for seconds in [2.5, 4.0] {
            for (pause, back) in [
                (8.0, "b5f1 c6b8 e4e2 f3g1 e5e7 a6a7"),
                (5.0, "f3g1 a6a7 c6b8 b5f1 e5e7 e4e2"),
                (3.0, "f3g1 c6b8 b5f1 e5e7 e4e2 a6a7"),
            ] {
                let hands = script(SPANISH, 3.0) + &put_back(back, pause, seconds);
                let outcome = played(board, false, &hands, 9.0);
                let name = format!("{board}, {seconds} s, {back}");
                assert_eq!(
                    (outcome.shown_live(1).as_str(), outcome.shown_arbiter(1).as_str()),
                    (SPANISH_SAN, SPANISH_SAN),
                    "{name}"
                );
                assert_eq!((outcome.state().game_no, outcome.sans().as_str()), (2, ""), "{name}");
            }
        }
        // The last move of the game went to the man's first square, and nobody touched the board for some seconds after it.
        let hands = script("e2e4 e7e5 g1f3 b8c6 f3g1", 4.0) + &put_back("c6b8 e4e2 e5e7", 7.0, 2.5);
        let outcome = played(board, false, &hands, 9.0);
        assert_eq!((outcome.shown_live(1).as_str(), outcome.state().game_no), ("e4 e5 Nf3 Nc6 Ng1", 2), "{board}");
        // The kings showed a result after it: the hands went on quickly, but the move was made.
        let sign = "+2.5 move e1 e4\n+0.5 move e8 e5\n+3 move e4 e1\n+1 move e5 e8\n";
        let hands = script("g1f3 b8c6 f3g1", 4.0) + sign + &put_back("c6b8", 2.5, 2.5);
        let outcome = played(board, false, &hands, 15.0);
        assert_eq!((outcome.shown_live(1).as_str(), outcome.state().game_no), ("Nf3 Nc6 Ng1", 2), "{board}");
        // The man that moved last is the first that is put back, which looks as if it had only rested on its way.
        let hands = script("e2e4 e7e5 d1e2 b8c6 e2d3", 4.0) + &put_back("d3d1 c6b8 e4e2 e5e7", 7.0, 2.5);
        let outcome = played(board, false, &hands, 9.0);
        let all = "e4 e5 Qe2 Nc6 Qd3";
        assert_eq!((outcome.shown_live(1).as_str(), outcome.shown_arbiter(1).as_str()), (all, all), "{board}");
    }
}

/// In a casual game players take back moves by putting the men back.
#[test]
fn moves_are_taken_back_in_casual_games_on_every_board() {
    for board in BOARDS {
        for (casual, moves, left) in [
            (true, "e2e4 e4e2 d2d4 d7d5 c2c4", "d4 d5 c4"),
            (true, "e2e4 e7e5 g1f3 b8c6 c6b8 f3g1 f1c4 g8f6", "e4 e5 Bc4 Nf6"),
            // Two men to and fro are moves.
            (true, "g1f3 g8f6 f3g1 f6g8 e2e4", "Nf3 Nf6 Ng1 Ng8 e4"),
            (false, "e2e4 e7e5 b1c3 e5e7", "e4 e5 Nc3"),
        ] {
            let outcome = played(board, casual, &script(moves, 4.0), 6.0);
            assert_eq!((outcome.sans().as_str(), outcome.shown_live(1).as_str()), (left, left), "{board}, {moves}");
        }
    }
}
