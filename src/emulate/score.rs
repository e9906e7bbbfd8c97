//! Compares what a station reported with what really happened in a simulated game.

use flagfall_game::mate::{Answer, Budget, winnable};
use flagfall_protocols::event::ClockSide;
use serde::Serialize;
use shakmaty::uci::UciMove;
use shakmaty::{Chess, Color, Position};

use super::simulated_game::{Outcome, Reported, ReportedMove};
use super::truth::{Ply, Truth};

/// The score of one game.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Score {
    /// The sure moves are the game; a last move that was not pressed may be pending.
    pub exact: bool,
    /// The first ply that differs, from 1, with what was played and what was reported there.
    pub differs: Option<Differs>,
    /// The game is not exact, but every move that is reported wrongly is among the alternatives that are named in the end.
    pub named: bool,
    /// Sure moves that were wrong when they were reported.
    pub wrong_commits: u64,
    /// Those of them that were not taken back, and whose played move is not among the alternatives that are named in the end.
    pub unnamed_commits: u64,
    /// Loud and silent alarms without a cause: kind and time, microseconds.
    pub false_alarms: Vec<(String, u64)>,
    /// Irregularities that were not reported in time.
    pub missed_alarms: Vec<&'static str>,
    /// For each move the time from its known press, or without a clock from its release, until it was reported, in microseconds.
    pub commit_us: Vec<u64>,
    /// Reported moves whose release lies in the reported interval.
    pub made_inside: u64,
    /// Reported moves that were right.
    pub made_of: u64,
    /// The sum of the widths of those intervals, microseconds.
    pub made_width_us: u64,
    /// Each fault after which the position must become right, with the microseconds from its end until it was; none if it never
    /// was.
    pub in_step: Vec<(&'static str, Option<u64>)>,
}

/// Where a game differs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Differs {
    /// The ply, from 1.
    pub ply: usize,
    /// UCI; none if the game had ended.
    pub played: Option<String>,
    /// UCI; none if nothing more was reported.
    pub told: Option<String>,
}

/// Compares the outcome with the truth.
pub fn score(truth: &Truth, outcome: &Outcome) -> Score {
    let mut score = Score::default();
    let wrong = moves(truth, outcome, &mut score);
    ends(truth, outcome, &mut score);
    (score.wrong_commits, score.unnamed_commits) = (wrong.len() as u64, unnamed(&wrong, truth, outcome));
    alarms(truth, outcome, &mut score);
    let faults = truth.irregularities.iter().filter(|irregularity| irregularity.in_step_from_us.is_some());
    score.in_step = faults.map(|fault| fault.kind).zip(outcome.in_step.iter().copied()).collect();
    score
}

/// Scores the reported moves, in their order. Returns the ones that were wrong when they were reported, with their indices in the game.
fn moves(truth: &Truth, outcome: &Outcome, score: &mut Score) -> Vec<(usize, String)> {
    let (mut list, mut wrong): (Vec<String>, Vec<(usize, String)>) = (Vec::new(), Vec::new());
    let mut once = vec![false; truth.plies.len()];
    let mut tell = |list: &mut Vec<String>, at: u64, mv: &ReportedMove, again: Option<&String>| {
        let index = mv.ply.saturating_sub(1);
        let Some(ply) = truth.plies.get(index).filter(|ply| ply.uci == mv.uci && index == list.len()) else {
            // A revision repeats reported moves; that is no new mistake.
            if again != Some(&mv.uci) {
                wrong.push((index, mv.uci.clone()));
            }
            list.push(mv.uci.clone());
            return;
        };
        list.push(mv.uci.clone());
        if !std::mem::replace(&mut once[index], true) {
            score.made_of += 1;
            score.made_inside += u64::from((mv.made_at[0]..=mv.made_at[1]).contains(&ply.released_us));
            score.made_width_us += mv.made_at[1].saturating_sub(mv.made_at[0]);
            score.commit_us.extend(if truth.clockless {
                Some(at.saturating_sub(ply.released_us))
            } else {
                latency(ply, index, at, outcome)
            });
        }
    };
    for told in &outcome.told {
        match told {
            Reported::Move { at, first_game: true, mv } => tell(&mut list, *at, mv, None),
            Reported::Move { mv, .. } => tell(&mut Vec::new(), 0, &ReportedMove { ply: usize::MAX, ..mv.clone() }, None),
            Reported::Revision { at, from_ply, moves } => {
                let before = list.split_off(from_ply.saturating_sub(1).min(list.len()));
                for (index, mv) in moves.iter().enumerate() {
                    tell(&mut list, *at, mv, before.get(index));
                }
            }
            Reported::Alarm { .. } => {}
        }
    }
    wrong
}

/// The number of these wrong moves that are in the record in the end without a word: the played move is not named as an alternative.
fn unnamed(wrong: &[(usize, String)], truth: &Truth, outcome: &Outcome) -> u64 {
    let silent = |(index, told): &&(usize, String)| match truth.plies.get(*index) {
        Some(played) => outcome.sure.get(*index) == Some(told) && !is_alternative(&played.uci, outcome),
        // It was reported after the last move, or for another game.
        None => true,
    };
    wrong.iter().filter(silent).count() as u64
}

/// The time from the first clock report that shows the press, or from the last change of the move's squares, to the report of the
/// move.
fn latency(ply: &Ply, index: usize, at: u64, outcome: &Outcome) -> Option<u64> {
    let pressed = ply.pressed_us.filter(|_| ply.lever)?;
    // White sits at the left.
    let up = if index.is_multiple_of(2) { ClockSide::Right } else { ClockSide::Left };
    let levers = &outcome.heard.levers;
    let first = levers.partition_point(|(heard, _)| *heard < pressed);
    let (lever, _) = levers[first..].iter().find(|(_, shown)| *shown == up)?;
    let fields = &outcome.heard.fields;
    let until = fields.partition_point(|(heard, _)| *heard <= at);
    let field = fields[..until].iter().rev().find(|(_, square)| square & ply.squares != 0).map_or(0, |(heard, _)| *heard);
    Some(at.saturating_sub((*lever).max(field)))
}

/// Scores the game as it was in the end.
fn ends(truth: &Truth, outcome: &Outcome, score: &mut Score) {
    let played: Vec<&String> = truth.plies.iter().map(|ply| &ply.uci).collect();
    let sure: Vec<&String> = outcome.sure.iter().collect();
    // Moves at the end without a press that moved the lever are not proved; without a clock this is the last move.
    let proved = match truth.clockless {
        true => truth.plies.len().saturating_sub(1),
        false => truth.plies.iter().rposition(|ply| ply.lever).map_or(0, |last| last + 1),
    };
    let with_pending: Vec<&String> = sure.iter().copied().chain(&outcome.pending).collect();
    // Such a move cannot be distinguished from a king that is put in the centre to show the result.
    let gesture = truth.plies.last().is_some_and(|ply| ply.king_to_centre);
    let known = if gesture {
        played.starts_with(&with_pending) && with_pending.len() + 1 >= played.len()
    } else {
        with_pending == played
    };
    score.exact = sure == played || sure.len() >= proved && known && outcome.open.is_empty();
    if !score.exact {
        score.named = named(&played, &with_pending, outcome);
        let same = played.iter().zip(&sure).take_while(|(one, other)| one == other).count();
        let [played, told] = [&played, &sure].map(|list| list.get(same).map(|uci| (*uci).clone()));
        score.differs = Some(Differs { ply: same + 1, played, told });
    }
}

/// Whether every played move is reported, or is named as an alternative.
fn named(played: &[&String], told: &[&String], outcome: &Outcome) -> bool {
    let alike = |(index, uci): (usize, &&String)| told.get(index) == Some(uci) || is_alternative(uci, outcome);
    told.len() <= played.len() && played.iter().enumerate().all(alike)
}

/// Whether this move is among the alternatives that are named in the end. For an unconfirmed promotion every piece is possible.
fn is_alternative(uci: &str, outcome: &Outcome) -> bool {
    let promoted = |mv: &String| uci.len() == 5 && mv.get(..4) == uci.get(..4);
    outcome.open.iter().any(|mv| mv == uci) || outcome.unconfirmed.iter().any(promoted)
}

fn alarms(truth: &Truth, outcome: &Outcome, score: &mut Score) {
    let mut seen = Vec::new();
    let mut opened: Vec<(&str, u64)> = Vec::new();
    for told in &outcome.told {
        let Reported::Alarm { alarm, .. } = told else { continue };
        if seen.contains(&(alarm.id, alarm.opened_at)) {
            continue;
        }
        seen.push((alarm.id, alarm.opened_at));
        opened.push((&alarm.kind, alarm.opened_at));
        let explained = truth.explained.iter().any(|explained| {
            explained.kinds.contains(&alarm.kind.as_str()) && (explained.from_us..=explained.to_us).contains(&alarm.opened_at)
        });
        let explained = explained || alarm.kind == "dead_position" && dead(truth, alarm.opened_at);
        if alarm.class != "note" && !explained {
            score.false_alarms.push((alarm.kind.clone(), alarm.opened_at));
        }
    }
    for irregularity in truth.irregularities.iter().filter(|irregularity| !irregularity.expected.is_empty()) {
        let [from, to] = irregularity.expected_us;
        let raised = |(kind, at): &(&str, u64)| irregularity.expected.contains(kind) && (from..=to).contains(at);
        if !opened.iter().any(raised) {
            score.missed_alarms.push(irregularity.kind);
        }
    }
}

/// Whether the position at that time is dead; it is proved here again.
fn dead(truth: &Truth, at: u64) -> bool {
    let mut position = Chess::default();
    for ply in truth.plies.iter().take_while(|ply| ply.released_us <= at) {
        let Some(mv) = ply.uci.parse::<UciMove>().ok().and_then(|uci| uci.to_move(&position).ok()) else { return false };
        position.play_unchecked(mv);
    }
    let lost = |side| matches!(winnable(&position, side, Budget::FULL), Answer::Unwinnable { .. });
    lost(Color::White) && lost(Color::Black)
}

#[cfg(test)]
mod tests;
