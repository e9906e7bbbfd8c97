//! Turns the arguments of `flagfall adjudicate` into the facts that the rules need, and the ruling into a finding.
//!
//! The times in these facts only give an order: the position was reached, a flag fell, the fall was observed.

use flagfall_game::clock::control::TimeControl;
use flagfall_game::interval::Interval;
use flagfall_game::laws::adjudicate::{Found, Subject};
use flagfall_game::laws::facts::{Caller, Counted, End, Ended, Facts, Flag};
use flagfall_game::laws::finding::Finding;
use flagfall_game::laws::forced_wins::forced_win;
use flagfall_game::laws::outcome::Ending;
use flagfall_game::laws::outcome::Phase;
use flagfall_game::laws::rulebook::Rulebook;
use flagfall_game::laws::rules::{Table, Winnability};
use flagfall_game::laws::winnable::Verdict;
use flagfall_protocols::square::Color;
use flagfall_protocols::time::Instant;
use shakmaty::{Chess, Position};

use super::{Adjudicate, Answer, Order};

/// The time of each of two events whose order is not known.
const ANY: Interval = Interval { earliest: Instant(0), latest: Instant(3) };
/// The time of the first of two events.
const FIRST: Interval = Interval { earliest: Instant(0), latest: Instant(1) };
/// The time of the second of two events.
const SECOND: Interval = Interval { earliest: Instant(2), latest: Instant(3) };
/// The time at which the flag-fall was observed, after both events.
const OBSERVED: Instant = Instant(4);

/// The function that answers whether a side can still checkmate.
pub(super) type Oracle<'a> = dyn FnMut(&Chess, Color) -> Verdict + 'a;

pub(super) fn facts(
    arguments: &Adjudicate,
    rulebook: Rulebook,
    control: Option<&TimeControl>,
    at: &Chess,
    oracle: &mut Oracle<'_>,
) -> Facts {
    let flagged = Color::from(arguments.flagged);
    let mut flags = vec![flag(arguments, control, at, flagged, arguments.completed)];
    if arguments.both_flags {
        flags.push(flag(arguments, control, at, flagged.other(), arguments.other_completed));
    }
    if rulebook.rules().table == Table::UsChess {
        flags.iter_mut().for_each(|flag| flag.forced_wins = vec![forced_win(at, flag.side.other())]);
    }
    Facts {
        adds_time: control.map(TimeControl::adds_time),
        flags,
        endings: ending(arguments, &rulebook, at, oracle).into_iter().collect(),
        scoresheet: arguments.scoresheet.map(Answer::is_yes),
        ..Facts::new(rulebook)
    }
}

fn flag(arguments: &Adjudicate, control: Option<&TimeControl>, at: &Chess, side: Color, completed: Option<u32>) -> Flag {
    let first = match arguments.order {
        Order::Unknown => None,
        Order::WhiteFirst => Some(Color::White),
        Order::BlackFirst => Some(Color::Black),
    };
    let seen = arguments.observed || arguments.claimed;
    // The option counts from 1.
    let period = match (arguments.period, control) {
        (Some(period), _) => Some(period as usize - 1),
        (None, Some(control)) if control.is_last(0) => Some(0),
        // With fewer moves than the first period requires, no other period has begun.
        (None, Some(control)) => control.required(0).zip(completed).filter(|(required, done)| done < required).map(|_| 0),
        _ => None,
    };
    let in_period = control.zip(period);
    let fell = first.map_or(ANY, |first| if first == side { FIRST } else { SECOND });
    Flag {
        fell_second: arguments.both_flags && first.is_some_and(|first| first != side),
        observed_at: seen.then_some(OBSERVED),
        called_by: seen.then_some(if arguments.claimed { Caller::Player } else { Caller::Arbiter }),
        clocks_stopped: arguments.clocks_stopped.map(Answer::is_yes),
        last: in_period.map(|(control, period)| control.is_last(period)),
        required: in_period.and_then(|(control, period)| control.required(period)),
        completed: completed.map(|completed| (completed, false)),
        positions: vec![Counted { position: at.clone(), phase: phase(arguments) }],
        ..Flag::new(side, fell)
    }
}

fn phase(arguments: &Adjudicate) -> Phase {
    if arguments.not_pressed.is_some() { Phase::Made } else { Phase::Idle }
}

/// The ending that the position itself shows. It was reached before the fall was observed, but it is not known whether before the
/// fall. A move whose clock was not pressed is not finished where the press finishes it (club points 4 and 7).
fn ending(arguments: &Adjudicate, rulebook: &Rulebook, at: &Chess, oracle: &mut Oracle<'_>) -> Option<Ended> {
    let by = if at.turn().is_white() { Color::Black } else { Color::White };
    let ending = match () {
        () if at.is_checkmate() => Ending::Checkmate,
        () if at.is_stalemate() => Ending::Stalemate,
        () if is_dead(arguments, rulebook, at, oracle) => Ending::DeadPosition,
        () if at.halfmoves() >= 150 => Ending::SeventyFiveMoves,
        () => return None,
    };
    let pressed = arguments.not_pressed.is_none().then_some(ANY);
    Some(Ended { end: End::Board { ending, by }, at: ANY, pressed, positions: Vec::new() })
}

/// Whether neither side can mate (5.2.2). The popular explanation considers the material only.
fn is_dead(arguments: &Adjudicate, rulebook: &Rulebook, at: &Chess, oracle: &mut Oracle<'_>) -> bool {
    if at.is_insufficient_material() {
        return true;
    }
    let flagged = Color::from(arguments.flagged);
    let mut cannot = |side| matches!(oracle(at, side), Verdict::Unwinnable(_));
    // The question that is needed anyway comes first: its answer is seldom no.
    rulebook.winnability() != Winnability::Material && cannot(flagged.other()) && cannot(flagged)
}

/// Makes the finding in the form of a board's finding; its moments are empty.
pub(super) fn finding(facts: &Facts, mut found: Found, id: u32, at: &Chess) -> Finding {
    let flag = match found.subject {
        Subject::Flag(index) => facts.flags.get(index),
        Subject::Game => None,
    };
    let counted = found.counted.take().or_else(|| flag.and_then(|flag| flag.positions.first().cloned()));
    let counted = counted.unwrap_or_else(|| Counted { position: at.clone(), phase: Phase::Idle });
    if flag.is_some_and(|flag| flag.last.is_none()) && !found.unknown.contains(&"time_control") {
        found.unknown.push("time_control");
    }
    Finding {
        id,
        flag: flag.map(|flag| flagfall_game::color_name(flag.side)),
        completed: flag.and_then(|flag| flag.completed).map(|(sure, _)| sure),
        required: flag.and_then(|flag| flag.required),
        last_period: flag.and_then(|flag| flag.last),
        ended_at: None,
        ..Finding::of(found, &facts.rulebook, &counted.position, counted.phase)
    }
}
