//! While there is no game, no move is committed.

use fastrand::Rng;
use flagfall_game::game_phase::GamePhase;
use flagfall_game::input::{Command, Input};
use flagfall_game::laws::outcome::GameResult;
use flagfall_protocols::event::{ClockSide, DeviceEvent};
use flagfall_protocols::square::{Piece, Placement, Reading, Square};
use shakmaty::{Chess, Position};

use crate::invariants::chaos::Chaos;
use crate::invariants::checked_game::CheckedGame;
use crate::invariants::played_game::{BLITZ, config, device, game, position};
use crate::support::seeds::campaign;

/// The ways in which a game can end.
#[derive(Clone, Copy, Debug)]
enum End {
    Declared,
    /// Fool's mate.
    Mate,
    /// Both kings stand on squares of the centre, and the clocks are stopped.
    Gesture,
}

fn finished_game(rng: &mut Rng, end: End) -> (CheckedGame, Chaos, Chess) {
    let plies = rng.usize(4..30);
    let played = if let End::Mate = end { fools_mate(rng) } else { game(rng, BLITZ, plies) };
    let mut checked = CheckedGame::after_inputs(&played.reports);
    let mut chaos = Chaos::after(rng.u64(..), &played.reports);
    match end {
        End::Declared => {
            let result = rng.choice([GameResult::WhiteWins, GameResult::BlackWins, GameResult::Draw]).expect("results");
            checked.feed(chaos.now, &Input::Command(Command::DeclareResult { result }));
        }
        End::Mate => {}
        End::Gesture => {
            chaos.clock.running = false;
            let (at, input) = chaos.report_clock();
            checked.feed(at, &input);
            // Either king may stand on a square in the centre already.
            let kings = [('K', "e4"), ('k', "d5")].map(|(letter, to)| {
                let king = Reading::Piece(Piece::from_letter(letter).expect("a king"));
                let from = Square::all().find(|&square| chaos.board.get(square) == king).expect("a king");
                (king, from, Square::parse(to).expect("a square"))
            });
            for (king, from, to) in kings {
                let off = (from, Reading::Empty);
                for (square, reading) in [off, (to, king)].into_iter().skip(usize::from(chaos.board.get(from) != king)) {
                    chaos.wait(400_000);
                    let (at, input) = chaos.put(square, reading);
                    checked.feed(at, &input);
                }
            }
            chaos.wait(5_000_000);
            checked.advance_to(chaos.now);
        }
    }
    let state = checked.state();
    assert_eq!(checked.game.stage(), GamePhase::Over, "{end:?}, board {}", state.board);
    let last = position(&state.fen);
    (checked, chaos, last)
}

fn fools_mate(rng: &mut Rng) -> crate::invariants::played_game::Played {
    let mut at = Chess::default();
    let moves = ["f2f3", "e7e5", "g2g4", "d8h4"].map(|uci| {
        let mv = uci.parse::<shakmaty::uci::UciMove>().expect("UCI").to_move(&at).expect(uci);
        at.play_unchecked(mv);
        mv
    });
    crate::invariants::played_game::play(rng, BLITZ, None, &moves)
}

/// Whether this report sets up one of the last two men, without which a game begins already, because a sensor may not see them.
fn sets_up_last_men(input: &Input) -> bool {
    let last = ["e1", "a1", "h8"].map(Square::parse);
    match input {
        Input::Device { event: DeviceEvent::Square { square, .. }, .. } => last.contains(&Some(*square)),
        Input::Device { event: DeviceEvent::Frame(_), .. } => true,
        _ => false,
    }
}

/// Invariant 14: players analyse after the game, with and without presses, from the last position or from any other.
#[test]
fn i14_nothing_is_committed_while_no_game_is_on() {
    campaign("invariant 14: after the game", 141_000..141_024, |seed| {
        let mut rng = Rng::with_seed(seed);
        let end = [End::Declared, End::Mate, End::Gesture][seed as usize % 3];
        let (mut checked, mut chaos, last) = finished_game(&mut rng, end);
        let (list, number) = (checked.state().moves, checked.game.number());
        chaos.clock.running = rng.bool();
        let mut at = last.clone();
        let mut inputs = 0;
        for _ in 0..80 {
            // Now and then they return to the last position or set up another one.
            if rng.u8(0..12) == 0 || at.is_game_over() {
                at = if rng.bool() { last.clone() } else { position("r3k2r/pppq1ppp/8/8/8/8/PPPQ1PPP/R3K2R w KQkq - 0 1") };
            }
            if let Some(mv) = rng.choice(at.legal_moves()) {
                at.play_unchecked(mv);
            }
            let goal = Placement::parse(&at.board().board_fen().to_string()).expect("a placement");
            // The position before the kings went to the centre would reopen the game.
            let reopens = matches!(end, End::Gesture) && at.board() == last.board();
            if goal == Placement::initial() || reopens {
                continue;
            }
            for square in Square::all().filter(|&square| chaos.board.get(square) != goal.get(square)).collect::<Vec<_>>() {
                chaos.wait(rng.u64(10_000..400_000));
                let (when, input) = chaos.put(square, goal.get(square));
                checked.feed(when, &input);
                inputs += 1;
            }
            if rng.bool() {
                chaos.wait(rng.u64(10_000..1_000_000));
                let (when, input) = chaos.press();
                checked.feed(when, &input);
            }
            chaos.wait(rng.u64(0..5_000_000));
            checked.advance_to(chaos.now);
            assert_eq!((checked.game.stage(), checked.game.number()), (GamePhase::Over, number), "{end:?}: the game stays over");
            assert_eq!(checked.state().pending, [], "{end:?}: no move is pending");
        }
        let moves = checked.state().moves;
        let same = moves.len() == list.len() && moves.iter().zip(&list).all(|(one, other)| one.uci == other.uci);
        assert!(same, "{end:?}: {} moves, {} before", moves.len(), list.len());
        inputs
    });
}

/// Invariant 14: pieces are set up before a game.
#[test]
fn i14_nothing_is_committed_before_a_game() {
    campaign("invariant 14: before a game", 142_000..142_012, |seed| {
        let (mut chaos, reports) = Chaos::new(seed);
        let mut checked = CheckedGame::new(config());
        (chaos.board, chaos.clock.running, chaos.clock.lever_up) = (Placement::EMPTY, false, ClockSide::Left);
        let (_, stands) = &reports[1];
        checked.feed(reports[1].0, &device(DeviceEvent::Frame(Placement::EMPTY)));
        checked.feed(reports[1].0, stands);
        let mut count = 0;
        for _ in 0..300 {
            let inputs = chaos.next(&checked.game);
            // Three men are missing, because the initial position would begin a game.
            for (at, input) in inputs.into_iter().filter(|(_, input)| !sets_up_last_men(input)) {
                checked.feed(at, &input);
                count += 1;
                assert_eq!((checked.game.stage(), checked.list.len()), (GamePhase::AwaitingSetUp, 0), "{at:?} {input:?}");
            }
        }
        count
    });
}
