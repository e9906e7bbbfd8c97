//! Provides the common parts of the decision tables: the form of an answer, and the merging of answers that depend on unknown
//! facts.

use alloc::vec;
use alloc::vec::Vec;

use flagfall_protocols::square::Color;
use shakmaty::Chess;

use crate::interval::Interval;
use crate::laws::facts::{Caller, Counted, Facts, Flag};
use crate::laws::material::too_little;
use crate::laws::outcome::{Alternative, Outcome, Recommended};
use crate::laws::rules::{About, Articles, Rows, Winnability};
use crate::laws::winnable::Verdict;

/// An answer of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Ruled {
    pub(crate) row: &'static str,
    pub(crate) outcome: Outcome,
    pub(crate) articles: &'static [&'static str],
    pub(crate) contested: bool,
    pub(crate) alternatives: Vec<Alternative>,
    pub(crate) unknown: Vec<&'static str>,
    pub(crate) configurable: Vec<&'static str>,
    pub(crate) recommended: Vec<Recommended>,
    /// The position that counts.
    pub(crate) counted: Option<Counted>,
    pub(crate) winnable: Verdict,
    /// The time at which the ending that decides was reached.
    pub(crate) ended: Option<Interval>,
    /// The player who made the illegal move that it is about.
    pub(crate) offender: Option<Color>,
}

impl Ruled {
    pub(crate) fn new(row: &'static str, outcome: Outcome, articles: &'static [&'static str]) -> Ruled {
        Ruled {
            row,
            outcome,
            articles,
            contested: false,
            alternatives: Vec::new(),
            unknown: Vec::new(),
            configurable: Vec::new(),
            recommended: Vec::new(),
            counted: None,
            winnable: Verdict::NotAsked,
            ended: None,
            offender: None,
        }
    }

    pub(crate) fn unknown(row: &'static str, articles: &'static [&'static str], unknown: &'static str) -> Ruled {
        Ruled { unknown: vec![unknown], ..Ruled::new(row, Outcome::Undecided, articles) }
    }

    pub(crate) fn as_alternative(&self, depends_on: &'static str) -> Alternative {
        Alternative { depends_on, outcome: self.outcome, row: self.row }
    }

    /// `first`, with this answer as its one alternative. Position, verdict and choices are those of this answer, and what is not
    /// known in it is not known in `first` either, unless `first` is certain.
    pub(crate) fn behind(self, first: Ruled, depends_on: &'static str) -> Ruled {
        let inner: &[&'static str] = if first.decided() { &[] } else { &self.unknown[..] };
        let unknown = without_repetition(first.unknown.iter().chain(inner));
        Ruled {
            alternatives: vec![self.as_alternative(depends_on)],
            unknown,
            counted: self.counted,
            winnable: self.winnable,
            configurable: self.configurable,
            ..first
        }
    }

    pub(crate) fn resting_on(mut self, choice: Option<&'static str>) -> Ruled {
        self.configurable.extend(choice);
        self
    }

    /// True if no unknown fact can change the outcome.
    pub(crate) fn decided(&self) -> bool {
        use Outcome::*;
        matches!(self.outcome, WhiteWins | BlackWins | Draw | GameGoesOn)
    }
}

/// The names in their order, each of them once.
fn without_repetition<'a>(names: impl Iterator<Item = &'a &'static str>) -> Vec<&'static str> {
    let mut once: Vec<&'static str> = Vec::new();
    for name in names {
        if !once.contains(name) {
            once.push(name);
        }
    }
    once
}

/// What is not known where several answers are possible: which of them it is, then what is not known in the answers. Those names
/// are sorted, so that the order of the evidence does not change them.
pub(crate) fn unknown_with(which: &'static str, answers: &[&Ruled]) -> Vec<&'static str> {
    let mut inner: Vec<&'static str> = answers.iter().flat_map(|ruled| ruled.unknown.iter().copied()).collect();
    inner.sort_unstable();
    without_repetition(core::iter::once(&which).chain(&inner))
}

/// Combines several answers, each with its condition. If all have the same outcome, the last one is returned; otherwise an
/// undecided answer that lists them all. What is not known in one of the answers is not known in the whole either.
pub(crate) fn depending(
    row: &'static str,
    articles: &'static [&'static str],
    unknown: &'static str,
    mut answers: Vec<(&'static str, Ruled)>,
) -> Ruled {
    let same = answers.windows(2).all(|pair| pair[0].1.outcome == pair[1].1.outcome && pair[0].1.decided());
    let configurable = without_repetition(answers.iter().flat_map(|(_, ruled)| &ruled.configurable));
    let unknowns = unknown_with(unknown, &answers.iter().map(|(_, ruled)| ruled).collect::<Vec<_>>());
    let alternatives = answers.iter().map(|(depends_on, ruled)| ruled.as_alternative(depends_on)).collect();
    let last = answers.pop().map(|(_, ruled)| ruled);
    let of_last = |last: Option<Ruled>| last.unwrap_or_else(|| Ruled::unknown(row, articles, unknown));
    if same {
        return Ruled { configurable, ..of_last(last) };
    }
    let Ruled { recommended, counted, winnable, .. } = of_last(last);
    let open = Ruled { unknown: unknowns, ..Ruled::unknown(row, articles, unknown) };
    Ruled { alternatives, configurable, recommended, counted, winnable, ..open }
}

/// The outcome in which this side wins.
pub(crate) fn wins(side: Color) -> Outcome {
    match side {
        Color::White => Outcome::WhiteWins,
        Color::Black => Outcome::BlackWins,
    }
}

/// The function that tells whether a side can mate from a position.
pub(crate) type Oracle<'a> = dyn FnMut(&Chess, Color) -> Verdict + 'a;

/// The facts of a game, and the oracle for its positions.
pub(crate) struct Tables<'a, 'b> {
    pub(crate) facts: &'a Facts,
    pub(crate) oracle: &'a mut Oracle<'b>,
}

impl Tables<'_, '_> {
    pub(crate) fn articles(&self) -> &'static Articles {
        &self.facts.rulebook.rules().articles
    }

    pub(crate) fn rows(&self) -> &'static Rows {
        &self.facts.rulebook.rules().rows
    }

    pub(crate) fn holds(&self, about: About) -> Option<&'static str> {
        self.facts.rulebook.holds(about)
    }

    /// A flag that somebody called, if it matters who did: the answer for a player's call, and the answer for any other call.
    pub(crate) fn called_by_somebody(&mut self, flag: &Flag, mut rule: impl FnMut(&mut Self, &Flag) -> (Ruled, bool)) -> Ruled {
        let mut by = |caller| rule(self, &Flag { called_by: Some(caller), ..flag.clone() }).0;
        let (by_player, by_arbiter) = (by(Caller::Player), by(Caller::Arbiter));
        let cases = vec![("nobody but an arbiter called it", by_arbiter), ("the opponent claimed it", by_player)];
        depending(cases[0].1.row, self.articles().observed, "called_by", cases)
    }

    /// `winner` wins unless he could not have won. The two rows are for these two cases.
    pub(crate) fn wins_if_possible(
        &mut self,
        winner: Color,
        positions: &[Counted],
        rows: [&'static str; 2],
        articles: &'static [&'static str],
    ) -> Ruled {
        let won = Ruled::new(rows[0], wins(winner), articles);
        let drawn = Ruled::new(rows[1], Outcome::Draw, articles);
        let Some(first) = positions.first() else {
            return match self.facts.rulebook.winnability() {
                Winnability::Never => won.resting_on(self.holds(About::Article69)),
                _ => depending(rows[0], articles, "position", vec![("he could win", won), ("he could not", drawn)]),
            };
        };
        let ruled = match self.facts.rulebook.winnability() {
            Winnability::Never | Winnability::Us14E => won.resting_on(self.holds(About::Article69)),
            Winnability::Material => {
                let bare = |counted: &Counted| too_little(&counted.position, winner);
                match (positions.iter().all(bare), positions.iter().any(bare)) {
                    (true, _) => drawn,
                    (false, false) => won,
                    (false, true) => {
                        depending(rows[0], articles, "position", vec![("his men suffice", won), ("they do not", drawn)])
                    }
                }
            }
            Winnability::AnySeries => {
                let verdicts: Vec<Verdict> = positions.iter().map(|counted| (self.oracle)(&counted.position, winner)).collect();
                let can = |verdict: &Verdict| matches!(verdict, Verdict::Winnable { .. });
                let cannot = |verdict: &Verdict| matches!(verdict, Verdict::Unwinnable { .. });
                let ruled = match (verdicts.iter().all(can), verdicts.iter().all(cannot)) {
                    (true, _) => won,
                    (_, true) => drawn,
                    _ => {
                        let settled = verdicts.iter().all(|verdict| can(verdict) || cannot(verdict));
                        let unknown = if settled { "position" } else { "winnable" };
                        let [can, cannot] = ["the opponent can mate by some series of legal moves", "the opponent cannot"];
                        let row = if rows[0] == "14" { "16" } else { rows[0] };
                        depending(row, articles, unknown, vec![(can, won), (cannot, drawn)])
                    }
                };
                Ruled { winnable: verdicts.into_iter().next().unwrap_or(Verdict::NotAsked), ..ruled }
            }
        };
        Ruled { counted: Some(first.clone()), ..ruled }
    }
}
