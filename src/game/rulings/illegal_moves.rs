//! Names the illegal moves on which a finding rests: their numbers, and what was made of them (Article 7.5.5).

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use flagfall_protocols::square::Color;
use shakmaty::{Bitboard, Position, Square};

use super::{RulingRecord, Subject};
use crate::alarm::Alarm;
use crate::case::Case;
use crate::decision::{Decision, DecisionKind};
use crate::interval::Interval;
use crate::laws::facts::{Facts, Illegal, IllegalKind, Treated};
use crate::laws::finding::{Finding, IllegalMove};
use crate::laws::illegal::charged;
use crate::men;

impl RulingRecord {
    /// The illegal moves of both players that count or may count, and those that were rejected, which have no number. One that stands
    /// since the opponent's next move (A.5.2) is not among them.
    pub(super) fn illegal_moves(&self, case: &Case<'_>, facts: &Facts) -> Vec<IllegalMove> {
        let limit = facts.rulebook.illegal_loses();
        let mut named = Vec::new();
        for side in [Color::White, Color::Black] {
            let (mut number, mut before) = (0, None);
            for illegal in charged(facts, side, None) {
                // Several kinds at one press are one illegal move.
                number += u32::from(before != Some(illegal.at));
                before = Some(illegal.at);
                let same = |alarm: &&Alarm| (alarm.kind.illegal(), alarm.side) == (Some(illegal.kind), Some(side));
                let alarm = case.alarms.iter().filter(same).find(|alarm| alarm.happened == illegal.at.latest);
                let open = illegal.treated == Treated::Open;
                named.push(IllegalMove {
                    side,
                    at: illegal.at.latest,
                    alarm: alarm.map_or(0, |alarm| alarm.id),
                    open,
                    loses: limit.is_some_and(|limit| number >= limit),
                    words: format!(
                        "{}: {}",
                        what_was_done(case, (illegal.kind, side, illegal.at), alarm, number),
                        self.ruling_on(facts, illegal, alarm)
                    ),
                });
            }
            for alarm in case.alarms.iter().filter(|alarm| alarm.side == Some(side)) {
                let Some((kind, ruling)) = alarm.kind.illegal().zip(self.rejection(alarm.id)) else { continue };
                let at = Interval { earliest: alarm.happened, latest: alarm.happened };
                let words = format!("{}: {ruling}", what_was_done(case, (kind, side, at), Some(alarm), 0));
                named.push(IllegalMove { side, at: alarm.happened, alarm: alarm.id, open: false, loses: false, words });
            }
        }
        named
    }

    /// Who ruled that the illegal move with this alarm does not count, in words; none if nobody did.
    fn rejection(&self, alarm: u32) -> Option<String> {
        let decision = self.decisions.on_illegal_move(alarm)?;
        let penalty = decision.penalty.and_then(|penalty| penalty.counts);
        let rejected = decision.kind == DecisionKind::Rejected || penalty == Some(false);
        rejected.then(|| by("rejected", decision))
    }

    /// What was made of an illegal move, in words.
    fn ruling_on(&self, facts: &Facts, illegal: &Illegal, alarm: Option<&Alarm>) -> String {
        let by_entry = |decision: &&Decision| {
            let seen = decision.observed_at.unwrap_or(decision.at).min(decision.at);
            decision.kind == DecisionKind::Penalty && decision.side == Some(illegal.by) && seen == illegal.at.latest
        };
        let decision = match alarm {
            Some(alarm) => self.decisions.on_illegal_move(alarm.id),
            None => self.decisions.iter().filter(by_entry).last(),
        };
        let words = match (illegal.treated, decision) {
            (Treated::Counted, Some(decision)) if decision.kind == DecisionKind::Confirmed => by("confirmed", decision),
            (Treated::Counted, decision) => decision.map_or_else(|| "counted".to_string(), |decision| by("counted", decision)),
            _ => return "nobody has said whether it counts".to_string(),
        };
        let (seconds, other) = (facts.rulebook.penalty_s(), men::to_color(illegal.by.other()).fold_wb("White", "Black"));
        let time = format!("{}:{:02}", seconds / 60, seconds % 60);
        match illegal.time_added {
            _ if seconds == 0 => words,
            Some(true) => format!("{words}, {other} got {time}"),
            _ => format!("{words}, {time} more for {other} not seen on the clock"),
        }
    }

    /// The numbers of the alarms of the illegal moves on which this decision rules.
    pub(super) fn illegal_moves_ruled(&self, decision: &Decision) -> Vec<u32> {
        let finding = decision.finding.filter(|key| decision.rules_on(key.id)).and_then(|key| self.numbered(key.id));
        let confirmed_or_rejected = finding.into_iter().flat_map(|finding| finding.illegal_moves_to_rule()).map(|it| it.alarm);
        let penalised = decision.penalty.and_then(|penalty| penalty.alarm);
        penalised.into_iter().chain(confirmed_or_rejected).filter(|alarm| *alarm != 0).collect()
    }
}

/// This was decided, with the name of who did if it is known.
fn by(decided: &str, decision: &Decision) -> String {
    decision.by.as_ref().map_or_else(|| decided.to_string(), |name| format!("{decided} by {name}"))
}

/// What a finding without a flag is known by: the first open illegal move of the player, the one by which he loses, or the game.
pub(super) fn subject_without_flag(finding: &Finding) -> Subject {
    let Some(first) = finding.illegal_moves_to_rule().min_by_key(|it| it.at) else { return Subject::Game };
    let open = finding.illegal_moves.iter().filter(|it| it.open && first.open && it.side == first.side);
    let known_by = open.min_by_key(|it| it.at).unwrap_or(first);
    Subject::IllegalMove(known_by.side, known_by.at)
}

/// Which illegal move of its player it was, if it has a number (not 0), with the number of the move and in long notation as far as these
/// are known: `White's first illegal move, 12. Kd1-d3`.
fn what_was_done(
    case: &Case<'_>,
    (kind, side, at): (IllegalKind, Color, Interval),
    alarm: Option<&Alarm>,
    number: u32,
) -> String {
    let ordinal = ["", "first ", "second ", "third "].get(number as usize).unwrap_or(&"next ");
    let mut words = format!("{}'s {ordinal}illegal move", men::to_color(side).fold_wb("White", "Black"));
    // After another start position the moves before it cannot be counted.
    let play = &case.seen.play;
    let known = play.completed_before.get(side).is_some() && play.segments.is_empty();
    let Some(counted) = case.positions_at(at).0.pop().filter(|_| known) else { return words };
    let board = counted.position.board();
    let own = |square: &Square| board.by_color(men::to_color(side)).contains(*square);
    let (from, to): (Vec<Square>, Vec<Square>) = Bitboard(alarm.map_or(0, |alarm| alarm.squares)).into_iter().partition(own);
    let dots = if side == Color::White { "." } else { "..." };
    words.push_str(&format!(", {}{dots} ", counted.position.fullmoves()));
    words.push_str(&match (kind, &from[..], &to[..]) {
        (IllegalKind::Move, [from], [to]) => {
            let letter = board.role_at(*from).map_or('?', |role| role.upper_char());
            format!("{letter}{from}{}{to}", if board.occupied().contains(*to) { 'x' } else { '-' }).replace('P', "")
        }
        (IllegalKind::Move, ..) => "men on wrong squares".to_string(),
        (IllegalKind::PromotionNotReplaced, ..) => "pawn not replaced".to_string(),
        (IllegalKind::PressedWithoutMove, ..) => "pressed without a move".to_string(),
        (IllegalKind::TwoHands, ..) => "seen by an arbiter".to_string(),
    });
    words
}
