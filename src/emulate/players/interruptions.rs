//! Adds other actions of hands and sensors between the moves, such as adjusting a piece, and notes which alarms they explain.

use std::time::Duration;

use flagfall_hardware::emulator::script::Action;
use shakmaty::{Chess, Move, Position, Role, Square, attacks};

use super::board_timeline::BoardTimeline;
use crate::emulate::dice::Dice;
use crate::emulate::noise::Noise;
use crate::emulate::truth::{Irregularity, Truth, micros};

/// How much earlier than expected an alarm may be raised, if a scan saw the cause earlier.
const SOONER: Duration = Duration::from_millis(700);
/// How long after the end of its cause an alarm may still be raised.
const LATER: Duration = Duration::from_secs(3);
/// The time after which a piece in the hand may be reported (`reconstruct/README.md#6.2`).
const HELD: Duration = Duration::from_secs(5);
/// The time after which a missing king is reported.
const KING_GONE: Duration = Duration::from_secs(3);
/// The time after which a move that is not pressed is reported.
const NOT_PRESSED: Duration = Duration::from_secs(10);
/// The longest delay of the report of a flag-fall: the time from the clock to the daemon, plus one second.
const FLAG_BOUND: Duration = Duration::from_millis(4_000);

/// Adds adjusting, re-centring and knocking over around the moves.
pub(super) fn add_hands(noise: &Noise, dice: &mut Dice, timeline: &mut BoardTimeline, truth: &mut Truth, end: Duration) {
    let mut since = Duration::ZERO;
    for index in 0..truth.plies.len() {
        let ply = &truth.plies[index];
        let (lifted, released) = (Duration::from_micros(ply.lifted_us), Duration::from_micros(ply.released_us));
        let pressed = ply.pressed_us.map_or(released, Duration::from_micros);
        let (squares, begin) = (ply.squares, if index == 0 { lifted } else { since });
        let busy = busy_times(truth);
        let free_of = |from: Duration, to: Duration| !busy.iter().any(|[begin, end]| from <= *end && *begin <= to);
        let mut odd = Vec::new();
        if dice.chance(noise.adjusted) {
            let from = begin + (pressed + Duration::from_secs(1) - begin.min(pressed)).mul_f64(dice.between([0.0, 1.0]));
            let to = from + dice.span(noise.adjusted_s);
            let free: Vec<Square> =
                Square::ALL.into_iter().filter(|&square| timeline.man_standing(square, from, to).is_some()).collect();
            let square = dice.pick(&free).filter(|_| free_of(from, to));
            if square.is_some_and(|square| timeline.lift_and_return(square, from, to)) {
                odd.push("adjusted");
            }
        }
        if dice.chance(noise.recentred) {
            let from = pressed + dice.span([0.2, 3.0]);
            let to = from + dice.span(noise.recentred_s);
            let moved = arrival_square(timeline, squares, lifted, released).filter(|_| to < end && free_of(from, to));
            if moved.is_some_and(|square| timeline.lift_and_return(square, from, to)) {
                odd.push("recentred");
            }
        }
        if dice.chance(noise.knocked_over) {
            let from = released.saturating_sub(dice.span([0.0, 0.2]));
            let to = from + dice.span(noise.knocked_over_s);
            let near = arrival_square(timeline, squares, lifted, released).map(attacks::king_attacks).unwrap_or_default();
            let free: Vec<Square> =
                near.into_iter().filter(|&square| timeline.man_standing(square, from, to).is_some()).collect();
            let square = dice.pick(&free).filter(|_| free_of(from, to));
            let king = square.and_then(|square| timeline.man_at(square, from)).is_some_and(|man| man.role == Role::King);
            if square.is_some_and(|square| timeline.lift_and_return(square, from, to)) {
                odd.push("knocked_over");
                if king && to - from > KING_GONE - SOONER {
                    truth.explain("knocked_over", &["king_missing"], from + KING_GONE - SOONER, to + LATER);
                }
            }
        }
        truth.plies[index].odd.extend(odd);
        since = pressed;
    }
}

/// The times of irregularities: their expected alarms are certain only if no other action happens at the same time.
fn busy_times(truth: &Truth) -> Vec<[Duration; 2]> {
    const APART: Duration = Duration::from_secs(3);
    let irregular = truth.irregularities.iter().filter(|irregularity| irregularity.kind != "link_gap");
    // An irregularity that lasts as long as the game concerns the clock.
    let short = irregular.filter(|irregularity| irregularity.to_us < truth.end_us);
    let span = short.map(|irregularity| [irregularity.from_us, irregularity.to_us].map(Duration::from_micros));
    span.map(|[from, to]| [from.saturating_sub(APART), to + APART]).collect()
}

/// The square on which the moved man stands.
fn arrival_square(timeline: &BoardTimeline, squares: u64, lifted: Duration, released: Duration) -> Option<Square> {
    let before = lifted.saturating_sub(Duration::from_micros(1));
    Square::ALL.into_iter().find(|&square| {
        let there = timeline.man_at(square, released);
        squares & (1 << u32::from(square)) != 0 && there.is_some() && there != timeline.man_at(square, before)
    })
}

/// Returns the faults of sensors.
pub(super) fn sensor_faults(
    noise: &Noise,
    dice: &mut Dice,
    timeline: &BoardTimeline,
    truth: &mut Truth,
    end: Duration,
) -> Vec<(Duration, Action)> {
    let mut actions = Vec::new();
    let drop =
        |square: Square, lasts| Action::Dropout { square: flagfall_protocols::square::Square::wrapping(u8::from(square)), lasts };
    let dead = dice.chance(noise.dead_square);
    let square = dice.pick(&Square::ALL).filter(|_| dead);
    if let Some(square) = square {
        actions.push((Duration::ZERO, drop(square, end * 2)));
        const KINDS: [&str; 6] =
            ["wrong_set_up", "position_differs", "piece_in_hand", "king_missing", "unreadable_square", "clock_not_started"];
        truth.explain("dead_square", &KINDS, Duration::ZERO, end * 2);
    }
    let mut now = Duration::ZERO;
    while let Some(wait) = dice.until_next(noise.dropouts_per_s) {
        now += wait;
        if now >= end {
            break;
        }
        let standing: Vec<Square> = Square::ALL.into_iter().filter(|&square| timeline.man_at(square, now).is_some()).collect();
        let lasts = dice.span(noise.dropout_s);
        if let Some(square) = dice.pick(&standing) {
            actions.push((now, drop(square, lasts)));
        }
    }
    actions
}

/// Adds the flag-fall at the end, as in the recorded game.
pub(super) fn add_flag(truth: &mut Truth, fell: Duration) {
    let by = fell + FLAG_BOUND;
    truth.irregularities.push(Irregularity {
        kind: "flag",
        ply: truth.plies.len() + 1,
        from_us: micros(fell),
        to_us: micros(fell),
        expected: vec!["flag"],
        expected_us: [micros(fell.saturating_sub(SOONER)), micros(by)],
        in_step_from_us: None,
    });
    truth.explain("flag", &["flag", "clock_at_zero"], fell.saturating_sub(SOONER), fell + Duration::from_secs(600));
}

/// Marks the alarms that the actions of the hands explain.
pub(super) fn explain_alarms(truth: &mut Truth, moves: &[Move], end: Duration) {
    for index in 0..truth.plies.len() {
        let ply = &truth.plies[index];
        let [lifted, released] = [ply.lifted_us, ply.released_us].map(Duration::from_micros);
        let pressed = ply.pressed_us.map(Duration::from_micros).filter(|_| ply.lever);
        let forgotten = ply.odd.contains(&"press_forgotten");
        let unheard = !ply.lever && ply.pressed_us.is_some();
        let next_press = truth.plies[index + 1..].iter().find(|next| next.lever).and_then(|next| next.pressed_us);
        let next_press = next_press.map_or(end, Duration::from_micros);
        if released - lifted > HELD - SOONER {
            let kinds = ["piece_in_hand", "position_differs", "pieces_displaced", "king_missing"];
            truth.explain("held", &kinds, lifted + (HELD - SOONER).min(Duration::from_secs(2)), released + LATER);
        }
        let until = pressed.unwrap_or(next_press);
        if until > released + NOT_PRESSED - SOONER {
            truth.explain("not_pressed", &["incomplete_move"], released + NOT_PRESSED - SOONER, until + LATER);
        }
        if forgotten {
            truth.explain("press_forgotten", &["moved_by_wrong_side", "incomplete_move"], released, next_press + LATER);
            // From here on the clock has counted one move less.
            truth.explain("press_forgotten", &["clock_count_differs"], released, end + LATER);
        }
        if unheard {
            truth.explain("press_forgotten", &["moved_by_wrong_side", "incomplete_move"], released, next_press + LATER);
        }
    }
    explain_natural_ends(truth, moves, end);
}

/// Marks draws that end the game without a claim.
fn explain_natural_ends(truth: &mut Truth, moves: &[Move], end: Duration) {
    let mut position = Chess::default();
    let key = |at: &Chess| (at.board().clone(), at.turn(), at.castles().castling_rights(), at.legal_ep_square());
    let mut seen = vec![key(&position)];
    for (index, &mv) in moves.iter().enumerate() {
        position.play_unchecked(mv);
        let at = Duration::from_micros(truth.plies[index].lifted_us);
        if position.is_insufficient_material() {
            truth.explain("dead_position", &["dead_position"], at, end + LATER);
        }
        if seen.iter().filter(|&earlier| *earlier == key(&position)).count() >= 4 {
            truth.explain("fivefold", &["fivefold_repetition"], at, end + LATER);
        }
        if position.halfmoves() >= 150 {
            truth.explain("seventy_five", &["seventy_five_moves"], at, end + LATER);
        }
        seen.push(key(&position));
    }
}
