//! After noise the game follows the board again.

use fastrand::Rng;
use flagfall::wire::state::Stage;
use flagfall_game::alarm::AlarmKind;
use flagfall_protocols::event::ClockSide;
use flagfall_protocols::square::{Placement, Reading, Square};
use flagfall_protocols::time::Instant;
use shakmaty::{CastlingMode, Chess, Move, Position};

use crate::invariants::chaos::Chaos;
use crate::invariants::checked_game::CheckedGame;
use crate::invariants::played_game::{BLITZ, game, position};
use crate::support::seeds::{campaign, ordinary};

/// The longest time from the last press until the reachable position is followed.
const WITHIN: u64 = 3_000_000;

fn placement(position: &Chess, rotated: bool) -> Placement {
    let placement = Placement::parse(&position.board().board_fen().to_string()).expect("a placement");
    if rotated { placement.rotated() } else { placement }
}

/// Seeds in which a move of the noise, or a capture of a bishop that stands on its old square, stayed nearly as likely for eight seconds as
/// the only moves that explain the board.
const CONTRADICTED: [u64; 2] = [3_200_000_000_653, 3_200_000_001_025];

/// A press of the noise still waited for its move, so that the board was not read anew when the last press came.
const READ_ANEW: u64 = 930_728;
/// A move of the noise stood on the board and was pressed, and its man was put elsewhere afterwards.
const PRESSED_BEFORE: u64 = 930_791;
/// What was unexplained before a move that became sure counted against the next one.
const PAID_TWICE: u64 = 991_036;
/// The moves of the noise leave so much unexplained that the board is read anew before one of them becomes sure.
const UNLIKELY: u64 = 1_032_741;

/// The lists of this number of legal moves that explain what the board shows: its men are those of the position after the moves, or one
/// man of the player who has the move then is in a hand.
fn stories(from: &Chess, target: &Chess, plies: usize) -> Vec<Vec<Move>> {
    if plies > 0 {
        let after = |mv: Move| from.clone().play(mv).expect("a legal move");
        let longer = |mv: Move| stories(&after(mv), target, plies - 1).into_iter().map(move |rest| [vec![mv], rest].concat());
        return from.legal_moves().into_iter().flat_map(longer).collect();
    }
    let shown = target.board();
    let differing: Vec<_> =
        shakmaty::Square::ALL.into_iter().filter(|&s| from.board().piece_at(s) != shown.piece_at(s)).collect();
    let in_hand =
        |square: shakmaty::Square| shown.piece_at(square).is_none() && from.board().color_at(square) == Some(from.turn());
    let explains = differing.len() <= 1 && differing.into_iter().all(in_hand);
    if explains { vec![Vec::new()] } else { Vec::new() }
}

/// True if the board showed this move at the end of the noise: such a move may have been played, and not only the random one.
fn stood(from: &Chess, mv: Move, board: &Placement, rotated: bool) -> bool {
    let after = placement(&from.clone().play(mv).expect("a legal move"), rotated);
    let changed = |square: &Square| placement(from, rotated).get(*square) != after.get(*square);
    Square::all().filter(changed).all(|square| board.get(square) == after.get(square))
}

/// Random actions of hands: pieces swept off, lifted, exchanged, put anywhere, and presses.
fn noise(chaos: &mut Chaos, checked: &mut CheckedGame) -> u64 {
    let mut count = 0;
    for _ in 0..chaos.rng.usize(5..80) {
        let inputs = match chaos.rng.u8(0..6) {
            // Pieces are swept off.
            0 => {
                let squares: Vec<Square> = (0..8).map(|_| Square::wrapping(chaos.rng.u8(..))).collect();
                squares.into_iter().map(|square| chaos.put(square, Reading::Empty)).collect()
            }
            _ => chaos.next(&checked.game),
        };
        inputs.iter().for_each(|(at, input)| checked.feed(*at, input));
        count += inputs.len() as u64;
    }
    count
}

/// Invariant 13.
#[test]
fn i13_in_step_within_three_seconds_of_a_reachable_position_and_its_press() {
    let (mut tried, mut two, mut open, mut waits) = (0, 0, 0, 0);
    let own = (131_000..131_020).chain(CONTRADICTED).chain([READ_ANEW, PRESSED_BEFORE, PAID_TWICE, UNLIKELY]);
    campaign("invariant 13: in step again", own, |seed| {
        let mut rng = Rng::with_seed(seed);
        let plies = rng.usize(2..30);
        let played = game(&mut rng, BLITZ, plies);
        let mut checked = CheckedGame::after_inputs(&played.reports);
        let mut chaos = Chaos::after(rng.u64(..), &played.reports);
        let mut inputs = played.reports.len() as u64;
        for _ in 0..4 {
            inputs += noise(&mut chaos, &mut checked);
            // By now the last press of the noise has been decided.
            chaos.wait(rng.u64(3_000_000..6_000_000));
            checked.advance_to(chaos.now);
            let state = checked.state();
            let mut target = position(&state.fen);
            if !matches!(state.stage, Stage::Armed | Stage::Playing) || target.is_game_over() {
                return inputs;
            }
            // An arbiter makes the clock of the side to move run.
            let white_left = !state.rotated;
            let side = |white: bool| if white == white_left { ClockSide::Left } else { ClockSide::Right };
            if chaos.clock.lever_up != side(target.turn().is_white()) {
                let (at, input) = chaos.press();
                checked.feed(at, &input);
                chaos.wait(rng.u64(3_000_000..6_000_000));
            }
            // The moves that became sure meanwhile are the beginning.
            checked.advance_to(chaos.now);
            if checked.state().fen != state.fen {
                continue;
            }
            // The noise contained an illegal move that was pressed and answered: the record waits for a ruling (7.5.1).
            if checked.game.after_illegal_move().is_some() {
                waits += 1;
                continue;
            }
            let mut moves = Vec::new();
            for _ in 0..rng.choice([1, 1, 2]).expect("counts") {
                let Some(mv) = rng.choice(target.legal_moves()) else { break };
                moves.push(mv);
                target.play_unchecked(mv);
            }
            // Kings in the centre would show a result.
            let centre = |mv: &Move| mv.role() == shakmaty::Role::King && (2..6).contains(&u32::from(mv.to().rank()));
            if moves.iter().any(centre) {
                continue;
            }
            let began = chaos.now;
            let before = chaos.board;
            let goal = placement(&target, state.rotated);
            let frames = rng.bool();
            let mut reports = Vec::new();
            if frames {
                reports.push(chaos.frame(goal));
            } else {
                for square in Square::all().filter(|&square| chaos.board.get(square) != goal.get(square)).collect::<Vec<_>>() {
                    chaos.wait(rng.u64(0..60_000));
                    reports.push(chaos.put(square, goal.get(square)));
                }
            }
            for _ in &moves {
                chaos.wait(rng.u64(50_000..1_200_000));
                reports.push(chaos.press());
            }
            reports.iter().for_each(|(at, input)| checked.feed(*at, input));
            inputs += reports.len() as u64;
            checked.advance_to(Instant(chaos.now.0 + WITHIN));
            chaos.wait(WITHIN);
            tried += 1;
            two += usize::from(moves.len() == 2);
            let now = checked.state();
            let mut here = position(&now.fen);
            // Moves wait if other moves explain the same board and the same presses. Then they are the pending ones.
            let start = position(&state.fen);
            let stories = stories(&start, &target, moves.len());
            let several = stories.len() > 1;
            // One of them may have been chosen, and the squares are named.
            if several && checked.game.alarms().iter().any(|alarm| alarm.kind == AlarmKind::Ambiguous && alarm.opened > began) {
                open += 1;
                return inputs;
            }
            // One of them may have begun before the random moves: its first move stood on the board.
            let told = now.moves[state.moves.len()..].iter().chain(&now.pending).map(|mv| mv.uci.to_string());
            let told: Vec<String> = told.collect();
            let is_told = |story: &&Vec<Move>| {
                story.iter().map(|mv| mv.to_uci(CastlingMode::Standard).to_string()).eq(told.iter().cloned())
            };
            let chosen = stories.iter().find(is_told).and_then(|story| story.first());
            // A move of the noise that stood there and was pressed was played.
            let pressed = now.moves.get(state.moves.len()).filter(|mv| mv.pressed_at.is_some_and(|at| at[1] < began.0));
            let pressed = pressed.and_then(|mv| mv.uci.to_move(&start).ok());
            let stood = |&mv: &Move| stood(&start, mv, &before, state.rotated);
            if (several && chosen.is_some_and(stood)) || pressed.as_ref().is_some_and(stood) {
                open += 1;
                return inputs;
            }
            if several && now.moves.len() == state.moves.len() {
                for pending in &now.pending {
                    here.play_unchecked(pending.uci.to_move(&here).expect("a legal move"));
                }
                open += 1;
            }
            assert_eq!(
                (here.board(), here.turn()),
                (target.board(), target.turn()),
                "now {} {moves:?} from {}, {} moves sure, frames {frames}, at {:?}, pending {:?}, alarms {:?}",
                now.fen,
                state.fen,
                now.moves.len(),
                chaos.now,
                now.pending.iter().map(|mv| &mv.uci).collect::<Vec<_>>(),
                now.alarms.iter().map(|alarm| alarm.kind).collect::<Vec<_>>(),
            );
        }
        inputs
    });
    assert!(!ordinary() || (tried > 50 && two > 10), "{tried} were tried, {two} of them over two plies");
    assert!(!ordinary() || open * 10 < tried, "{open} of {tried} are open");
    assert!(!ordinary() || waits * 5 < tried, "{waits} wait for a ruling, {tried} were tried");
}
