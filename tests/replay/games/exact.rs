//! Clean games in any manner and at any speed are read exactly: every move with its press, and no alarm.

use fastrand::Rng;
use flagfall::wire::moves::How;
use flagfall::wire::outcome::Ending;
use flagfall_hardware::emulator::clock_model::{ClockSettings, Method, Model};
use flagfall_protocols::time::ClockTime;
use shakmaty::uci::UciMove;
use shakmaty::{Chess, Color, Move, Position};

use crate::games::hands::{Hands, Pace, adjust, between};
use crate::games::legal::{self, Kinds};
use crate::scene::{Outcome, Scene};
use crate::support::seeds::{campaign, ordinary};

pub(crate) const BULLET: Pace = Pace { name: "bullet", think: [0.3, 0.6], hand: [0.06, 0.15], press: [0.08, 0.2] };
pub(crate) const BLITZ: Pace = Pace { name: "blitz", think: [0.5, 3.0], hand: [0.1, 0.4], press: [0.1, 0.5] };
pub(crate) const RAPID: Pace = Pace { name: "rapid", think: [1.0, 10.0], hand: [0.2, 0.8], press: [0.1, 1.2] };

/// A clock on which no player loses on time.
fn clock(rng: &mut Rng) -> (ClockSettings, &'static str) {
    let of = |method, additional| ClockSettings::new(Model::Dgt3000, method, ClockTime(3_600_000), ClockTime(additional));
    match rng.u8(0..4) {
        0 => (of(Method::TimeOnly, 0), "3600"),
        1 => (of(Method::Bronstein, 5_000), "3600b5"),
        2 => (of(Method::Fischer, 2_000), "3600+2"),
        _ => (of(Method::Fischer, 10_000), "3600+10"),
    }
}

/// A game at a board: the moves, and the scene that plays them.
pub(crate) struct Played {
    pub(crate) moves: Vec<Move>,
    pub(crate) scene: Scene,
    /// The motions of the hands: the time, the index of the move, the action.
    pub(crate) motions: Vec<(f64, usize, String)>,
}

/// Plays a random game. With `adjusting` the players straighten pieces at any time.
pub(crate) fn play(rng: &mut Rng, pace: Pace, plies: usize, adjusting: bool) -> Played {
    let (settings, control) = clock(rng);
    let mut scene = Scene::new(settings, control);
    if rng.u8(0..4) == 0 {
        scene = scene.rotated();
    }
    scene.wait(rng.f64()).act("run").wait(0.5);
    let moves = legal::game(rng, plies);
    let mut position = Chess::default();
    let (mut all, mut now, mut free) = (Vec::new(), scene.now, scene.now);
    for (index, &mv) in moves.iter().enumerate() {
        let white = position.turn().is_white();
        let think = between(rng, pace.think);
        let mut motions = Hands::make(rng, pace, &position, mv);
        let made = motions.last().map_or(0.0, |(at, _)| *at);
        // A slide is one motion that lasts.
        let made = motions.iter().filter_map(|(at, action)| slide_ends(*at, action)).fold(made, f64::max);
        let pressed = made + between(rng, pace.press);
        motions.push((pressed, if white { "press left" } else { "press right" }.to_owned()));
        if adjusting && rng.u8(0..3) == 0 {
            // The opponent may still have a piece in the hand.
            // The board must have had a scan that sees the move before.
            let from = free.max(now + 0.25) - (now + think);
            let until = pressed + 0.2;
            motions.extend(adjust(rng, &position, mv, from.min(until), until));
            free = now + think + until;
        }
        position.play_unchecked(mv);
        let begin = now + think;
        all.extend(motions.into_iter().map(|(at, action)| (begin + at, index, action)));
        now = begin + pressed;
    }
    all.sort_by(|a, b| a.0.total_cmp(&b.0));
    for (at, _, action) in &all {
        scene.now = *at;
        scene.act(action);
    }
    scene.now = now;
    Played { moves, scene, motions: all }
}

fn slide_ends(at: f64, action: &str) -> Option<f64> {
    let lasts = action.strip_prefix("slide ")?.split(' ').nth(2)?;
    Some(at + lasts.parse::<f64>().ok()?)
}

/// The moves in UCI notation.
pub(crate) fn move_names(moves: &[Move]) -> Vec<String> {
    moves.iter().map(|&mv| UciMove::from_standard(mv).to_string()).collect()
}

fn check(label: &str, played: &Played, outcome: &Outcome) {
    let expected = move_names(&played.moves);
    let got = outcome.moves();
    let same = expected.iter().zip(&got).take_while(|(a, b)| a == b).count();
    let state = outcome.state();
    let near = |index: &usize| (same.saturating_sub(1)..=same + 2).contains(index);
    let hands = played.motions.iter().filter(|(_, index, _)| got != expected && near(index));
    let hands: String = hands.map(|(at, index, action)| format!("\n  {at:.3} {} {action}", index + 1)).collect();
    assert!(
        got == expected,
        "{label}: differs from ply {} on: {:?} expected, {:?} came, pending {:?}, alarms {:?}\nends {}\nboard {}{hands}",
        same + 1,
        &expected[same..expected.len().min(same + 3)],
        &got[same..got.len().min(same + 3)],
        state.pending.iter().map(|mv| &mv.uci).collect::<Vec<_>>(),
        outcome.alarms(),
        state.fen,
        state.board,
    );
    // A move that ends the game needs no press.
    let unpressed = state.moves.iter().filter(|mv| mv.pressed_at.is_none() && mv.how != Some(How::GameEnd));
    let unpressed: Vec<_> = unpressed.map(|mv| (mv.ply, &mv.uci, mv.how)).collect();
    assert!(unpressed.is_empty(), "{label}: not pressed {unpressed:?}");
    let dead = state.ending == Some(Ending::DeadPosition);
    let explained: &[&str] = if dead { &["dead_position"] } else { &[] };
    assert_eq!(outcome.alarms(), explained, "{label}");
    let of = |color: Color| {
        let all = played.moves.len() as u32;
        Some(if color.is_white() { all.div_ceil(2) } else { all / 2 })
    };
    assert_eq!((state.completed.white, state.completed.black), (of(Color::White), of(Color::Black)), "{label}");
    assert_eq!((state.pending.len(), state.flags.len(), state.hints.len()), (0, 0, 0), "{label}");
    let pressed_after_end = state.moves.last().is_some_and(|mv| mv.pressed_at.is_none());
    assert!(outcome.audit("press_out_of_turn") <= usize::from(pressed_after_end), "{label}");
    assert_eq!(outcome.audit("pressed_back"), 0, "{label}");
    for pair in state.moves.windows(2) {
        assert!(pair[0].made_at[1] <= pair[1].made_at[1], "{label}: the times of made moves rise");
        assert!(pair[1].pressed_at.is_none() || pair[0].pressed_at < pair[1].pressed_at, "{label}: the times of presses rise");
    }
}

/// Plays the game of this seed; counts its kinds of moves, and returns the number of its moves.
fn play_and_check(seed: u64, adjusting: bool, kinds: &mut Kinds) -> u64 {
    // The ordinary seeds are in blocks of a hundred for each pace.
    let pace = [BULLET, BLITZ, RAPID][(if seed < 10_000 { seed / 100 % 10 % 3 } else { seed % 3 }) as usize];
    let plies = if seed < 10_000 { 130 } else { 160 };
    let mut rng = Rng::with_seed(seed);
    let mut played = play(&mut rng, pace, plies, adjusting);
    let mut position = Chess::default();
    for &mv in &played.moves {
        kinds.count(&position, mv);
        position.play_unchecked(mv);
    }
    let outcome = played.scene.wait(3.0).run();
    check(&format!("seed {seed}, {}", pace.name), &played, &outcome);
    played.moves.len() as u64
}

fn assert_every_kind(kinds: &Kinds) {
    let Kinds { castled, en_passant, captures, queened, underpromoted, king_to_centre, ended } = *kinds;
    let counts = [castled[0], castled[1], en_passant, captures, queened, underpromoted, king_to_centre, ended];
    assert!(counts.iter().all(|&count| count > 0), "some kind of move was never played: {kinds:?}");
}

/// A pawn goes one square and is captured there by a pawn, at once after its press: it had no time to go on and be captured in passing.
const NOT_IN_PASSING: u64 = 1_796_083_200_000_000;

#[test]
fn clean_games_are_exact() {
    let mut kinds = Kinds::default();
    let own = (0..3).chain(100..103).chain(200..202).chain([NOT_IN_PASSING]);
    campaign("clean games", own, |seed| play_and_check(seed, false, &mut kinds));
    if ordinary() {
        assert_every_kind(&kinds);
    }
}

/// A hurried scenario 5: whatever the last scan before the press saw, the move is the one on the board at the press.
#[test]
fn a_piece_pauses_on_its_way_and_is_pressed_at_once() {
    for phase in 0..24 {
        let clock = ClockSettings::new(Model::Dgt3000, Method::Fischer, ClockTime(300_000), ClockTime(5_000));
        let mut scene = Scene::new(clock, "300+5");
        scene.act("run").wait(1.0 + f64::from(phase) * 0.017);
        scene.act("lift e2").wait(0.1).act("place e3").wait(0.8).act("lift e3").act("place e4").wait(0.05).act("press left");
        let outcome = scene.wait(3.0).run();
        assert_eq!(outcome.moves(), ["e2e4"], "phase {phase}");
        assert_eq!(outcome.alarms(), [""; 0], "phase {phase}");
    }
}

#[test]
fn pieces_may_be_straightened_at_any_time() {
    let seeds = (1000..1002).chain(1100..1101).chain(1200..1201);
    campaign("games with straightened pieces", seeds, |seed| play_and_check(seed, true, &mut Kinds::default()));
}
