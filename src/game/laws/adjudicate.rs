//! Derives findings from the facts of a game by the rules, in the order in which they matter.

use alloc::vec;
use alloc::vec::Vec;

use flagfall_protocols::square::Color;
use flagfall_protocols::time::Instant;
use shakmaty::{Chess, Position};

use crate::interval::Interval;
use crate::laws::facts::{Counted, Facts, Flag, Illegal, Treated};
use crate::laws::outcome::{Alternative, Kind, Outcome, Recommended};
use crate::laws::rules::{About, Table};
use crate::laws::tables::{Ruled, Tables, depending};
use crate::laws::winnable::Verdict;

/// The subject of a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Subject {
    /// The flag with this index among the facts.
    Flag(usize),
    /// The game.
    Game,
}

/// An answer of the rules.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// The subject of the finding.
    pub subject: Subject,
    /// The kind of finding.
    pub kind: Kind,
    /// The outcome.
    pub outcome: Outcome,
    /// The row of the profile's table.
    pub row: &'static str,
    /// The articles.
    pub articles: &'static [&'static str],
    /// True if nobody has observed or claimed the fall yet. The finding then holds if somebody does so now.
    pub conditional: bool,
    /// True if the ending was not certainly reached before the flag fell, and the flag would have another outcome.
    pub contested: bool,
    /// The possible outcomes, if there are several.
    pub alternatives: Vec<Alternative>,
    /// The position that counts; none if the rules need no position, or if it is not known.
    pub counted: Option<Counted>,
    /// Whether the winner could win.
    pub winnable: Verdict,
    /// The time at which the ending that decides was reached.
    pub ended: Option<Interval>,
    /// The player who made the illegal move that it is about (7.5).
    pub offender: Option<Color>,
    /// The rule choices in force on which this finding rests.
    pub configurable: Vec<&'static str>,
    /// Further measures that an arbiter should take.
    pub recommended: Vec<Recommended>,
    /// The inputs that are not known.
    pub unknown: Vec<&'static str>,
}

impl Found {
    fn new(subject: Subject, kind: Kind, conditional: bool, ruled: Ruled) -> Found {
        let Ruled { row, outcome, articles, contested, alternatives, unknown, .. } = ruled;
        let Ruled { configurable, recommended, counted, winnable, ended, offender, .. } = ruled;
        Found {
            subject,
            kind,
            outcome,
            row,
            articles,
            conditional,
            contested,
            alternatives,
            counted,
            winnable,
            ended,
            offender,
            configurable,
            recommended,
            unknown,
        }
    }
}

/// Applies the rulebook. The findings on flags come in the order of their fall, up to the first flag that affects the result.
/// If none does, the findings on other endings follow. `oracle` tells whether a side can checkmate from a position by any
/// possible series of legal moves.
pub fn adjudicate(facts: &Facts, oracle: &mut dyn FnMut(&Chess, Color) -> Verdict) -> Vec<Found> {
    let exchanged = facts.with_exchanged_sides().map(|facts| fell_before_seen(&facts).unwrap_or(facts));
    let limited = fell_before_seen(facts);
    let facts = limited.as_ref().unwrap_or(facts);
    let mut found = Vec::new();
    for index in in_order(facts) {
        let flag = &facts.flags[index];
        let if_exchanged = exchanged.as_ref().map(|facts| Tables { facts, oracle: &mut *oracle }.flag_in_order(index).0);
        let mut tables = Tables { facts, oracle: &mut *oracle };
        let (ruled, conditional) = tables.flag_in_order(index);
        let ruled = match if_exchanged {
            Some(if_exchanged) => tables.whichever_sides(ruled, if_exchanged),
            None => ruled,
        };
        let ruled = tables.note_choices(flag, ruled);
        let costs = ruled.outcome != Outcome::GameGoesOn && !flag.set_aside;
        found.push(Found::new(Subject::Flag(index), Kind::FlagFall, conditional, ruled));
        if costs {
            return found;
        }
    }
    found.extend(Tables { facts, oracle }.without_flag());
    found
}

/// The facts with each fall not later than its observation, because nobody can observe what has not happened. None if they
/// are so already.
fn fell_before_seen(facts: &Facts) -> Option<Facts> {
    let before = |flag: &Flag| flag.observed_at.is_some_and(|seen| seen < flag.fell.latest);
    if !facts.flags.iter().any(before) {
        return None;
    }
    let mut facts = facts.clone();
    for flag in &mut facts.flags {
        let seen = flag.observed_at.unwrap_or(flag.fell.latest).max(flag.fell.earliest);
        flag.fell.latest = flag.fell.latest.min(seen);
    }
    Some(facts)
}

/// True if the first of two flags fell first by an arbiter's record, which stands above every time; none if there is no record.
fn recorded_before(one: &Flag, other: &Flag) -> Option<bool> {
    let recorded = one.order_recorded && other.order_recorded && one.fell_second != other.fell_second;
    recorded.then_some(other.fell_second)
}

/// True if the first of two flags fell first; none if the order is not known.
pub(crate) fn fell_before(one: &Flag, other: &Flag) -> Option<bool> {
    if let Some(before) = recorded_before(one, other) {
        return Some(before);
    }
    let sooner = |a: &Flag, b: &Flag| {
        // Of two falls, the one that the clock shows first came first. Other times are only as exact as their bounds.
        let by_sign = a.shown && b.shown && a.fell.latest < b.fell.latest;
        by_sign || a.fell.latest < b.fell.earliest
    };
    match (sooner(one, other), sooner(other, one)) {
        (true, false) => Some(true),
        (false, true) => Some(false),
        _ => (one.fell_second != other.fell_second).then_some(other.fell_second),
    }
}

/// True if the claimant's `own` flag was down when he called `flag` at this time; none if it is not known.
pub(crate) fn was_down(own: &Flag, flag: &Flag, called: Instant) -> Option<bool> {
    match () {
        () if recorded_before(own, flag) == Some(true) || own.fell.latest <= called => Some(true),
        () if own.fell.earliest > called => Some(false),
        () => None,
    }
}

/// The flags in the order of their fall, or of their call if only that counts. Flags with an unknown order are sorted by
/// their own facts only.
fn in_order(facts: &Facts) -> Vec<usize> {
    let flags = &facts.flags;
    let by_call = facts.rulebook.rules().table != Table::Fide;
    let mut order: Vec<usize> = (0..flags.len()).collect();
    // Observed flags come before the others; the side is compared last.
    let seen = |flag: &Flag| flag.observed_at.map_or((true, 0), |at| (false, at.0));
    let known = |flag: &Flag| (flag.required, flag.completed, flag.last, flag.moves_missing, flag.apparently_over);
    let key = |index: &usize| {
        let flag = &flags[*index];
        let by = flag.called_by.map(|caller| caller as u8);
        let when = (flag.fell.latest, flag.fell_second, flag.fell.earliest, flag.shown);
        let called = if by_call { seen(flag) } else { (false, 0) };
        (called, when, seen(flag), by, flag.clocks_stopped, known(flag), flag.side == Color::Black)
    };
    order.sort_by_key(key);
    let recorded = |second: bool| order.iter().position(|&at| flags[at].order_recorded && flags[at].fell_second == second);
    if let (Some(first), Some(second)) = (recorded(false), recorded(true))
        && second < first
    {
        order[second..=first].rotate_right(1);
    }
    order
}

impl Tables<'_, '_> {
    /// The answer for the flag with this index among the facts, and whether nobody has observed or claimed it yet.
    fn flag_in_order(&mut self, index: usize) -> (Ruled, bool) {
        let facts = self.facts;
        let flag = &facts.flags[index];
        match facts.rulebook.rules().table {
            Table::Fide => {
                let order = in_order(facts);
                let place = order.iter().position(|&at| at == index).unwrap_or(0);
                self.fide_among(flag, place, &order)
            }
            Table::UsChess => self.us_chess(flag),
            Table::Club => self.club(flag),
        }
    }

    /// The answer if it is doubtful whose display is whose, from the answers for both sides.
    fn whichever_sides(&self, as_configured: Ruled, if_exchanged: Ruled) -> Ruled {
        let other = if_exchanged.alternatives.clone();
        let answers = vec![
            ("left and right of the clock are exchanged", if_exchanged),
            ("the sides of the clock are as configured", as_configured),
        ];
        let mut ruled = depending(self.rows().setting, self.articles().setting, "clock_sides", answers);
        if ruled.decided() && !other.is_empty() {
            ruled.alternatives.extend(other);
            ruled.unknown.push("clock_sides");
        }
        ruled
    }

    /// The answer of the FIDE table for a flag, with the effect of other flags.
    fn fide_among(&mut self, flag: &Flag, place: usize, order: &[usize]) -> (Ruled, bool) {
        if self.facts.rulebook.chose(About::Rapid) && flag.observed_at.is_some() && flag.called_by.is_none() {
            return (self.called_by_somebody(flag, |tables, flag| tables.fide_among(flag, place, order)), false);
        }
        let conditional = self.is_conditional(flag);
        let mut ruled = self.fide(flag);
        let others = order.iter().enumerate().filter(|(at, _)| *at != place).map(|(_, &index)| index);
        let facts = self.facts;
        let counts = |index: &usize| facts.flags[*index].side != flag.side && !facts.flags[*index].set_aside;
        let others: Vec<usize> = others.filter(counts).collect();
        for index in others {
            let other = &self.facts.flags[index];
            let of_other = self.fide(other);
            if let Some(drawn) = self.both_down_in_old_rapid([flag, other], &ruled, &of_other) {
                return (drawn, conditional);
            }
            match fell_before(flag, other) {
                None => ruled = self.two_flags([flag, other], ruled, &of_other),
                Some(true) if conditional && self.may_be_seen(other) && of_other.outcome != Outcome::GameGoesOn => {
                    ruled = self.only_other_flag_observed(ruled, &of_other);
                }
                Some(_) => {}
            }
        }
        (ruled, conditional)
    }

    /// The answer if no flag affects the result: for the event that ended the game, or for the illegal move without a ruling.
    fn without_flag(&mut self) -> Option<Found> {
        let mut standing = self.standing(None);
        if standing.is_empty() {
            let (ruled, kind) = match self.illegal_without_flag() {
                Some(illegal) => illegal,
                None => (self.claim_without_flag()?, Kind::Claim),
            };
            return Some(Found::new(Subject::Game, kind, false, ruled));
        }
        let kind = standing[0].kind;
        if standing.len() == 1 {
            return Some(Found::new(Subject::Game, kind, false, standing.remove(0).ruled));
        }
        let answers: Vec<_> = standing.into_iter().map(|it| (it.depends_on, it.ruled)).collect();
        let row = answers[0].1.row;
        let articles = answers[0].1.articles;
        let ruled = depending(row, articles, "order_of_endings", answers);
        Some(Found::new(Subject::Game, kind, false, ruled))
    }

    /// Notes the choices left to the event that matter here: 75 moves, or more illegal moves than some rules allow.
    fn note_choices(&self, flag: &Flag, mut ruled: Ruled) -> Ruled {
        let moves = flag.positions.iter().any(|counted| counted.position.halfmoves() >= 150);
        let counted = |side| {
            let of = |illegal: &&Illegal| illegal.by == side && illegal.treated == Treated::Counted;
            self.facts.illegal.iter().filter(of).count()
        };
        let illegal = counted(Color::White).max(counted(Color::Black)) > 1;
        for (applies, about) in [(moves, About::SeventyFive), (illegal, About::IllegalMoves)] {
            let choice = self.holds(about).filter(|name| applies && !ruled.configurable.contains(name));
            ruled = ruled.resting_on(choice);
        }
        ruled
    }
}
