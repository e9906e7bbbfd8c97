//! Decides about flag-falls under the US Chess rules (`laws/README.md#4`). Only players claim them, and rule 14E counts material
//! and not helpmates (mates with the help of both players).

use alloc::vec;
use alloc::vec::Vec;

use flagfall_protocols::square::Color;
use flagfall_protocols::time::Instant;
use shakmaty::Chess;

use crate::laws::adjudicate::was_down;
use crate::laws::facts::{Caller, Flag};
use crate::laws::forced_wins::{Men, men};
use crate::laws::outcome::Outcome;
use crate::laws::rules::About;
use crate::laws::tables::{Ruled, Tables, depending, wins};
use crate::laws::winnable::Verdict;

/// The time at which the opponent claimed it. A director may not call a flag (13C1).
pub(crate) fn claimed(flag: &Flag) -> Option<Instant> {
    flag.observed_at.filter(|_| flag.called_by == Some(Caller::Player))
}

impl Tables<'_, '_> {
    /// The answer of the table for one flag, and whether the flag is still unclaimed.
    pub(crate) fn us_chess(&mut self, flag: &Flag) -> (Ruled, bool) {
        if flag.observed_at.is_some() && flag.called_by.is_none() {
            return (self.called_by_somebody(flag, Tables::us_chess), false);
        }
        let claim = claimed(flag);
        if self.costs_nothing(flag) {
            let ruled = self.us_by_time(flag);
            return (if claim.is_some() { ruled } else { self.unclaimed(flag, ruled) }, claim.is_none());
        }
        let (standing, flag_may_be_first) = self.before_flag(flag);
        // 13A: an ending before the claim makes everything later irrelevant.
        let mut answers: Vec<(&'static str, Ruled)> = standing.into_iter().map(|it| (it.depends_on, it.ruled)).collect();
        if flag_may_be_first {
            let ruled = match claim {
                Some(_) => self.after_endings(flag),
                None => {
                    let if_claimed = self.after_endings(flag);
                    self.unclaimed(flag, if_claimed)
                }
            };
            answers.push(("the claim came first", ruled));
        }
        let ruled = match answers.len() {
            1 => answers.remove(0).1,
            _ => depending("1", &["13A", "13C"], "order_of_ending_and_claim", answers),
        };
        (ruled, claim.is_none())
    }

    /// Row 3, with the answer that a claim now would have.
    fn unclaimed(&mut self, flag: &Flag, if_claimed: Ruled) -> Ruled {
        let down =
            |other: &Flag| other.side != flag.side && !other.set_aside && other.last == Some(true) && claimed(other).is_none();
        if flag.last == Some(true) && self.facts.flags.iter().any(down) {
            let drawn = Ruled::new("3", Outcome::Draw, &["14G2"]);
            let goes_on = Ruled::new("3", Outcome::GameGoesOn, &["13C1"]);
            let cases = vec![("the director declares the draw", drawn), ("he does not", goes_on)];
            return depending("3", &["14G2"], "decision_of_the_director", cases);
        }
        Ruled {
            alternatives: vec![if_claimed.as_alternative("the opponent claims it now, his own flag up")],
            counted: if_claimed.counted,
            winnable: if_claimed.winnable,
            configurable: if_claimed.configurable,
            ..Ruled::new("3", Outcome::GameGoesOn, &["13C", "13C1"])
        }
    }

    /// Rows 4 to 11: the opponent claims the flag, or would claim it now.
    pub(crate) fn us_by_time(&mut self, flag: &Flag) -> Ruled {
        let claim = claimed(flag);
        let facts = self.facts;
        if flag.required_moves_completed() {
            return self.us_one_flag(flag);
        }
        // The claimant's own flag, if it is down at the claim. A flag of a period that was completed does not count.
        let own = facts.flags.iter().filter(|own| own.side != flag.side && !own.set_aside && !own.required_moves_completed());
        let own = own
            .filter(|own| claim.is_none_or(|claim| was_down(own, flag, claim) != Some(false)))
            .max_by_key(|own| own.fell.latest);
        let Some(own) = own else { return self.us_one_flag(flag) };
        // The clock has gone on to the next period since then, so it is not known whether that sign still shows.
        let of_earlier = own.last == Some(false)
            && (flag.last == Some(true) || own.required.zip(flag.required).is_some_and(|(own, needed)| own < needed));
        let down_at_claim = claim.is_none_or(|claim| was_down(own, flag, claim) == Some(true));
        // If all time due had been added, the flag might still be up.
        let (claims, illegal) = self.unpaid(own);
        let due = !claims.is_empty() || illegal > 0;
        let surely_down = down_at_claim && own.surely_costs() && !of_earlier && !due;
        let both = match (flag.last, own.last) {
            (Some(true), Some(true)) => Ruled::new("4", Outcome::Draw, &["14G"]),
            (Some(false), Some(false)) => {
                let draw = facts.rulebook.chose(About::BothBeforeLast);
                let outcome = if draw { Outcome::Draw } else { Outcome::GameGoesOn };
                let both = Ruled::new("4", outcome, &["13C", "14G"]).resting_on(self.holds(About::BothBeforeLast));
                let completed = Ruled::new("6", Outcome::GameGoesOn, &["13C"]);
                match flag.surely_costs() {
                    true => both,
                    false => depending(
                        "6",
                        &["13C"],
                        "completed_moves",
                        vec![("the moves were completed", completed), ("they were not", both)],
                    ),
                }
            }
            (Some(true), Some(false)) | (Some(false), Some(true)) => match facts.rulebook.chose(About::OwnFlag) {
                true => self.us_one_flag(flag).resting_on(self.holds(About::OwnFlag)),
                false => Ruled::new("4", Outcome::GameGoesOn, &["13C"]).resting_on(self.holds(About::OwnFlag)),
            },
            _ => {
                let draw = Ruled::new("4", Outcome::Draw, &["14G"]);
                let fails = Ruled::new("4", Outcome::GameGoesOn, &["13C"]);
                depending("4", &["14G"], "time_control", vec![("it is sudden death", draw), ("it is not", fails)])
            }
        };
        if surely_down {
            return both;
        }
        let cases = vec![("the claimant's own flag was down", both), ("it was up", self.us_one_flag(flag))];
        let unknown = if own.surely_costs() && !of_earlier && !due { "order_of_claim_and_flag" } else { "own_flag" };
        depending("4", &["14G"], unknown, cases)
    }

    /// Rows 5 to 11.
    fn us_one_flag(&mut self, flag: &Flag) -> Ruled {
        let fails = Ruled::new("6", Outcome::GameGoesOn, &["13C"]);
        match (flag.last, flag.required, flag.completed) {
            (Some(true), ..) => self.us_by_material(flag),
            (Some(false), Some(required), Some((done, _))) if done >= required => fails,
            (Some(false), Some(required), Some((done, doubtful))) if !flag.moves_missing => {
                let lost = self.us_with_scoresheet(flag);
                match doubtful && done + 1 >= required {
                    true => depending(
                        "6",
                        &["13C"],
                        "order_of_press_and_flag",
                        vec![("the last move was completed in time", fails), ("it was not", lost)],
                    ),
                    false => lost,
                }
            }
            (last, ..) => {
                let unknown = if last.is_none() { "time_control" } else { "completed_moves" };
                let mut cases = vec![("the moves were completed", fails), ("they were not", self.us_with_scoresheet(flag))];
                if last.is_none() {
                    cases.push(("it is sudden death", self.us_by_material(flag)));
                }
                depending("6", &["13C"], unknown, cases)
            }
        }
    }

    /// Row 5: in a time control with a number of moves, a claim needs the claimant's scoresheet.
    fn us_with_scoresheet(&mut self, flag: &Flag) -> Ruled {
        let fails = Ruled::new("5", Outcome::GameGoesOn, &["13C", "13C7"]);
        let stands = match self.facts.scoresheet {
            Some(false) => return fails,
            _ => self.us_by_material(flag),
        };
        if self.facts.scoresheet == Some(true) {
            return stands;
        }
        let cases = vec![("the claimant's scoresheet is not reasonably complete", fails), ("it is", stands)];
        depending("5", &["13C", "13C7"], "scoresheet", cases)
    }

    /// Rows 7 to 11.
    fn us_by_material(&mut self, flag: &Flag) -> Ruled {
        let claimant = flag.side.other();
        if flag.moves_missing || flag.positions.is_empty() {
            return Ruled::unknown("11", &["13C", "14E"], "position");
        }
        let forced = flag.forced_wins.iter().copied().chain(core::iter::repeat(None));
        let answers: Vec<Ruled> = core::iter::zip(&flag.positions, forced)
            .map(|(counted, forced_win)| Ruled {
                counted: Some(counted.clone()),
                ..self.us_position(&counted.position, claimant, forced_win)
            })
            .collect();
        let cases = answers.into_iter().map(|ruled| ("the position is one of those that may have counted", ruled)).collect();
        depending("11", &["13C", "14E"], "position", cases)
    }

    fn us_position(&mut self, position: &Chess, claimant: Color, forced_win: Option<bool>) -> Ruled {
        let men = men(position, claimant);
        if men == Men::LoneKing {
            return Ruled::new("7", Outcome::Draw, &["14E1"]);
        }
        let can = (self.oracle)(position, claimant);
        let won = Ruled::new("11", wins(claimant), &["13C"]);
        let helpless = matches!(can, Verdict::Unwinnable { .. });
        let ruled = match (&can, men) {
            (_, Men::Few) => {
                let drawn = Ruled::new("8", Outcome::Draw, &["14E2", "14E3"]);
                let won = Ruled::new("8", wins(claimant), &["14E2", "14E3"]);
                // If even the opponent's help cannot bring about mate, nobody can force it.
                match if helpless { Some(false) } else { forced_win } {
                    Some(true) => won,
                    Some(false) => drawn,
                    None => {
                        let cases = vec![("the claimant has a forced win", won), ("he has none", drawn)];
                        depending("8", &["14E2", "14E3"], "forced_win", cases)
                    }
                }
            }
            (Verdict::Winnable { .. }, _) => won,
            _ => {
                let other = (self.oracle)(position, claimant.other());
                let drawn = Ruled::new("9", Outcome::Draw, &["14D4"]);
                match other {
                    Verdict::Unwinnable { .. } if helpless => drawn,
                    // The position is alive for the other side. Directors read 14D4 in both ways.
                    Verdict::Winnable { .. } if helpless => {
                        let cases = vec![("14D4 is read of this player alone", drawn), ("it is read of both players", won)];
                        depending("10", &["14D4"], "decision_of_the_director", cases)
                    }
                    _ => {
                        let cases = vec![("no series of legal moves can mate", drawn), ("one can", won)];
                        depending("10", &["14D4"], "winnable", cases)
                    }
                }
            }
        };
        Ruled { winnable: can, ..ruled }
    }
}
