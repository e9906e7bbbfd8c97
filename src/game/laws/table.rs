//! Implements the flag-fall decision table of the FIDE Laws (`laws/README.md#2.3`), row by row.

use alloc::vec;
use alloc::vec::Vec;

use flagfall_protocols::time::Instant;

use crate::interval::Interval;
use crate::laws::claim::{Ground, Standing};
use crate::laws::endings::Final;
use crate::laws::facts::{Caller, Claimed, Flag};
use crate::laws::illegal::illegal_to_correct;
use crate::laws::outcome::{Kind, Outcome, Recommended};
use crate::laws::rulebook::Guideline;
use crate::laws::rules::{About, Table};
use crate::laws::tables::{Ruled, Tables, depending};
use crate::laws::{club, us_chess};
use crate::men;

impl Tables<'_, '_> {
    /// The answer of the table for this flag alone.
    pub(crate) fn fide(&mut self, flag: &Flag) -> Ruled {
        // For a flag without effect nothing else matters.
        if self.costs_nothing(flag) {
            return self.by_time(flag);
        }
        let mut answers: Vec<(&'static str, Ruled)> = Vec::new();
        let (standing, flag_may_be_first) = self.before_flag(flag);
        let only = standing.first().map(|it| it.kind);
        for Final { at, depends_on, ruled, kind } in standing {
            let contested = !at.before(&flag.fell);
            // Row 7a: an illegal move after the time expired decides only if the fall was not yet considered.
            let doubtful = contested && kind == Kind::IllegalMove;
            answers.push((depends_on, Ruled { contested, ..ruled }));
            if doubtful {
                let after = self.after_endings(flag);
                answers.push(("the illegal move was completed after the time expired", after));
            }
        }
        if flag_may_be_first {
            let after = self.after_endings(flag);
            answers.push(("the fall was observed first", after));
        }
        match answers.len() {
            1 => {
                let ruled = answers.remove(0).1;
                match only {
                    Some(kind) => self.with_contested_flag(flag, kind, ruled),
                    None => self.with_open_offer(flag, ruled),
                }
            }
            _ => {
                let row = answers[0].1.row;
                let unknown = if flag_may_be_first { "order_of_ending_and_observation" } else { "order_of_endings" };
                depending(row, self.articles().observed, unknown, answers)
            }
        }
    }

    /// An ending that may have come after the time expired stands if the fall was observed later (6.8). The finding names the
    /// other outcome too.
    fn with_contested_flag(&mut self, flag: &Flag, kind: Kind, mut ruled: Ruled) -> Ruled {
        if ruled.contested && ruled.decided() {
            let by_flag = match kind {
                // The position would be the one before the move that ended the game.
                Kind::MoveOnBoard => {
                    self.after_endings(&Flag { positions: flag.before_ending.iter().cloned().collect(), ..flag.clone() })
                }
                _ => self.after_endings(flag),
            };
            // With the same outcome either way there is nothing to examine.
            ruled.contested = by_flag.outcome != ruled.outcome;
            if ruled.contested {
                ruled.alternatives.push(by_flag.as_alternative("the fall was observed before it"));
            }
        }
        ruled
    }

    /// An open offer may be accepted until the fall is observed (5.2.3, 6.8). The finding names this outcome too.
    fn with_open_offer(&self, flag: &Flag, mut ruled: Ruled) -> Ruled {
        if flag.open_offer && !matches!(ruled.outcome, Outcome::Draw | Outcome::GameGoesOn) {
            let agreed = Ruled::new(self.rows().agreement, Outcome::Draw, self.articles().agreement);
            ruled.alternatives.push(agreed.as_alternative("the open offer of a draw was accepted before the fall was observed"));
        }
        ruled
    }

    /// The time at which the flag is considered to have fallen by the rules in force.
    pub(crate) fn called(&self, flag: &Flag) -> Option<Instant> {
        match self.facts.rulebook.rules().table {
            Table::Fide => self.observed(flag),
            Table::UsChess => us_chess::claimed(flag),
            Table::Club => club::declared(flag),
        }
    }

    /// The time at which the fall was observed or claimed, if these rules allow it (A.5.5; B6 of the older print).
    pub(crate) fn observed(&self, flag: &Flag) -> Option<Instant> {
        let by_claim_only = self.facts.rulebook.chose(About::Rapid);
        flag.observed_at.filter(|_| !by_claim_only || flag.called_by == Some(Caller::Player))
    }

    pub(crate) fn is_conditional(&self, flag: &Flag) -> bool {
        self.observed(flag).is_none()
    }

    /// True if the fall was observed or claimed, or may have been: it is not known by whom.
    pub(crate) fn may_be_seen(&self, flag: &Flag) -> bool {
        !self.is_conditional(flag) || (flag.observed_at.is_some() && flag.called_by.is_none())
    }

    /// Rows 6a to 16: no ending came before.
    pub(crate) fn after_endings(&mut self, flag: &Flag) -> Ruled {
        let ruled = self.after_illegal_position(flag);
        let seen = self.called(flag);
        let in_time = |stood: Interval| seen.is_none_or(|seen| stood.earliest < seen);
        if self.stood_illegally(in_time) { self.drawn_if_observed(ruled) } else { ruled }
    }

    fn after_illegal_position(&mut self, flag: &Flag) -> Ruled {
        let ruled = self.after_illegal_again(flag);
        let mut cases = self.may_have_lost(Some(&flag.fell));
        if cases.is_empty() {
            return ruled;
        }
        cases.push(("they do not all count", ruled));
        depending(self.rows().illegal_again, self.articles().illegal_again, "illegal_move_ruling", cases)
    }

    fn after_illegal_again(&mut self, flag: &Flag) -> Ruled {
        let row = self.rows().claim;
        let ruled = self.after_claims(flag);
        let Some(claim) = self.pending_claim(flag).cloned() else { return ruled };
        match claim.ground {
            Ground::AdditionalTime => {
                let granted = Ruled::new(row, Outcome::GameGoesOn, &["III.4"]);
                depending(row, &["III.4"], "claim_ruling", vec![("the request is granted", granted), ("it is not", ruled)])
            }
            Ground::NormalMeans => {
                let articles = self.articles().normal_means;
                let drawn = Ruled::new(row, Outcome::Draw, articles);
                depending(row, articles, "claim_ruling", vec![("the claim is granted", drawn), ("it is rejected", ruled)])
            }
            Ground::Repetition | Ground::FiftyMoves => {
                let articles = self.articles();
                let drawn = Ruled::new(row, Outcome::Draw, articles.claim);
                let cases = vec![("the claim is correct", drawn), ("it is not", ruled)];
                depending(row, articles.claim, "claim_ruling", cases)
            }
        }
    }

    /// The claims that have no decision and that these rules know.
    fn lodged_claims(&self) -> impl Iterator<Item = &Claimed> {
        let rulebook = &self.facts.rulebook;
        let announced = move |ground: Ground| match ground {
            Ground::AdditionalTime => rulebook.guideline == Some(Guideline::AdditionalTime),
            Ground::NormalMeans => rulebook.guideline == Some(Guideline::NormalMeans) || rulebook.rules().quickplay_claims,
            Ground::Repetition | Ground::FiftyMoves => true,
        };
        self.facts.claims.iter().filter(move |claim| claim.standing == Standing::Lodged && announced(claim.ground))
    }

    /// Row 6 or 6a without a flag: what the record of the game says of a claim that awaits its ruling, and what follows.
    pub(crate) fn claim_without_flag(&self) -> Option<Ruled> {
        let claim = self.lodged_claims().filter(|claim| !claim.played_on).last()?;
        let (articles, rows) = (self.articles(), self.rows());
        let opponent = men::color_name(claim.by.other());
        let seconds = if self.facts.rulebook.fines(claim.ground) { self.facts.rulebook.penalty_s() } else { 0 };
        let refused = Ruled::new(rows.claim_incorrect, Outcome::GameGoesOn, articles.claim_incorrect);
        let ruled = match (claim.ground, claim.correct) {
            (Ground::AdditionalTime, _) => Ruled::unknown(rows.claim, &["III.4"], "claim_ruling"),
            (Ground::NormalMeans, _) => {
                let drawn = Ruled::new(rows.claim, Outcome::Draw, articles.normal_means);
                let cases = vec![("the claim is granted", drawn), ("it is rejected", refused)];
                depending(rows.claim, articles.normal_means, "claim_ruling", cases)
            }
            (_, Some(true)) => Ruled::new(rows.claim, Outcome::Draw, articles.claim),
            (_, Some(false)) => {
                let time = (seconds > 0).then_some(Recommended::AddTime { side: opponent, seconds });
                let indicated = Recommended::PlayIndicatedMove { side: men::color_name(claim.by) };
                let recommended = time.into_iter().chain(claim.indicated.then_some(indicated)).collect();
                Ruled { recommended, ..refused }.resting_on(self.holds(About::Penalty))
            }
            (_, None) => {
                let drawn = Ruled::new(rows.claim, Outcome::Draw, articles.claim);
                let cases = vec![("the claim is correct", drawn), ("it is not", refused)];
                depending(rows.claim, articles.claim, "claim_ruling", cases)
            }
        };
        Some(Ruled { ended: Some(claim.at), ..ruled })
    }

    /// A claim that was lodged in time and has no decision.
    pub(crate) fn pending_claim(&self, flag: &Flag) -> Option<&Claimed> {
        let in_time = |claim: &Claimed| match claim.ground {
            // Such a claim must come before the flag falls (III.4, III.5).
            Ground::AdditionalTime | Ground::NormalMeans => claim.at.earliest <= flag.fell.latest,
            Ground::Repetition | Ground::FiftyMoves => self.observed(flag).is_none_or(|seen| claim.at.earliest < seen),
        };
        let valid = self.lodged_claims().filter(|claim| in_time(claim));
        valid.min_by_key(|claim| (claim.at.latest, claim.at.earliest, claim.by == flag.side, claim.ground as u8))
    }

    /// Rows 7b to 16.
    fn after_claims(&mut self, flag: &Flag) -> Ruled {
        let ruled = self.after_illegal(flag);
        let open = self.open_illegal(Some(&flag.fell));
        let Some(first) = illegal_to_correct(&open).filter(|_| self.facts.rulebook.rules().table != Table::Club) else {
            return ruled;
        };
        let (articles, row) = (self.on_illegal(first.kind), self.rows().illegal);
        let restored = Ruled::new(row, Outcome::GameGoesOn, articles);
        let cases = vec![("the illegal move is put right and penalised", restored), ("nothing is penalised", ruled)];
        Ruled {
            recommended: self.remedy(&open),
            offender: Some(first.by),
            ..depending(row, articles, "illegal_move_ruling", cases).resting_on(self.holds(About::Penalty))
        }
    }

    /// Rows 9 to 16.
    fn after_illegal(&mut self, flag: &Flag) -> Ruled {
        let ruled = self.after_apparent_end(flag);
        // If nothing is lost in either case, no question is needed.
        if !flag.apparently_over || ruled.outcome == Outcome::GameGoesOn {
            return ruled;
        }
        Ruled {
            alternatives: vec![ruled.as_alternative("the game had not ended")],
            unknown: ruled.unknown,
            counted: ruled.counted,
            winnable: ruled.winnable,
            ..Ruled::new(self.rows().apparently_over, Outcome::ResultNotEntered, &[])
        }
    }

    /// Rows 10 to 16.
    fn after_apparent_end(&mut self, flag: &Flag) -> Ruled {
        let ruled = self.with_penalties(flag);
        if !self.facts.setting_differs {
            return ruled;
        }
        if self.setting_stands() {
            let by_time = matches!(ruled.row, "14" | "15" | "16");
            return Ruled { articles: if by_time { &["6.9", "A.5.3", "A.5.1"] } else { ruled.articles }, ..ruled };
        }
        let (row, articles) = (self.rows().setting, self.articles().setting);
        let lost = ruled.outcome != Outcome::GameGoesOn;
        let mut open = ruled.behind(Ruled::unknown(row, articles, "clock_setting"), "the configured time control is right");
        if lost {
            // The arbiter puts the setting right and adjusts the times (6.10.2).
            let put_right = Ruled::new(row, Outcome::GameGoesOn, articles);
            open.alternatives.push(put_right.as_alternative("the clock was set wrongly and is put right"));
        }
        open
    }

    /// True if so many moves were completed that the setting of the clock stays as it is (A.5.1).
    pub(crate) fn setting_stands(&self) -> bool {
        let after = self.facts.rulebook.rules().setting_stands_after;
        after.zip(self.facts.completed_by_both).is_some_and(|(after, completed)| completed >= after)
    }

    /// Row 6a, and the same after an illegal move: time due to this player may be missing on his clock.
    fn with_penalties(&mut self, flag: &Flag) -> Ruled {
        let ruled = self.by_time(flag);
        let seconds = self.facts.rulebook.penalty_s();
        let side = men::color_name(flag.side);
        let (claims, illegal) = self.unpaid(flag);
        let penalties = claims.len() as u32 + illegal;
        if penalties == 0 {
            return ruled;
        }
        let (articles, rows) = (self.articles(), self.rows());
        let (row, articles) = match claims.is_empty() {
            false => (rows.claim_incorrect, articles.claim_incorrect),
            true => (rows.illegal, articles.illegal_again),
        };
        let missing = Ruled::new(row, Outcome::GameGoesOn, articles);
        let cases = vec![("the time due to this player was not added", missing), ("it was added", ruled)];
        let indicated = claims.iter().any(|claim| matches!(claim.ground, Ground::Repetition | Ground::FiftyMoves));
        let mut recommended = vec![Recommended::AddTime { side, seconds: seconds * penalties }];
        if indicated {
            recommended.push(Recommended::PlayIndicatedMove { side: men::color_name(flag.side.other()) });
        }
        let ruled = depending(row, articles, "penalty_time", cases).resting_on(self.holds(About::Penalty));
        Ruled { recommended, ..ruled }
    }

    /// The offences that should have brought this player time before his flag fell, and did not: refused claims, and the
    /// number of illegal moves.
    pub(crate) fn unpaid(&self, flag: &Flag) -> (Vec<&Claimed>, u32) {
        if self.facts.rulebook.penalty_s() == 0 {
            return (Vec::new(), 0);
        }
        let refused = |claim: &&Claimed| {
            let refused = claim.standing == Standing::Refused && claim.by != flag.side;
            refused && self.facts.rulebook.fines(claim.ground) && claim.at.earliest <= flag.fell.latest
        };
        let claims = self.facts.claims.iter().filter(refused).filter(|claim| claim.time_added != Some(true));
        let illegal = self.counted_before(flag.side.other(), &flag.fell);
        let illegal = illegal.iter().filter(|illegal| illegal.time_added != Some(true)).count();
        (claims.collect(), illegal as u32)
    }

    fn by_time(&mut self, flag: &Flag) -> Ruled {
        match self.facts.rulebook.rules().table {
            Table::Fide => self.fide_by_time(flag),
            Table::UsChess => self.us_by_time(flag),
            Table::Club => self.club_by_time(flag),
        }
    }

    /// Rows 12 to 16.
    fn fide_by_time(&mut self, flag: &Flag) -> Ruled {
        let articles = self.articles();
        let goes_on = Ruled::new("12", Outcome::GameGoesOn, articles.next_period);
        let row_13 = |unknown, articles, cases| Ruled {
            recommended: vec![Recommended::BringScoresheetsUpToDate],
            ..depending("13", articles, unknown, cases)
        };
        match (flag.last, flag.required, flag.completed) {
            (Some(false), Some(required), Some((completed, _))) if completed >= required => goes_on,
            (Some(false), Some(required), Some((completed, true))) if completed + 1 >= required => depending(
                "13",
                articles.press_and_flag,
                "order_of_press_and_flag",
                vec![
                    ("the last move was completed before the flag fell", goes_on),
                    ("the last move was not completed before the flag fell", self.by_mate(flag)),
                ],
            ),
            (Some(true), ..) => self.by_mate(flag),
            (Some(false), Some(_), Some(_)) if !flag.moves_missing => self.by_mate(flag),
            (Some(false), _, _) => row_13(
                "completed_moves",
                articles.count_unknown,
                vec![
                    ("the required moves were completed", goes_on),
                    ("the required moves were not completed", self.by_mate(flag)),
                ],
            ),
            (None, ..) => depending(
                "13",
                articles.periods,
                "time_control",
                vec![
                    ("another period follows and its moves were completed", goes_on),
                    ("it was the last period, or moves are missing", self.by_mate(flag)),
                ],
            ),
        }
    }

    /// Article 6.9.
    fn by_mate(&mut self, flag: &Flag) -> Ruled {
        let ruled = self.wins_if_possible(flag.side.other(), &flag.positions, ["14", "15"], self.articles().on_time);
        if !flag.moves_missing {
            return ruled;
        }
        let open = Ruled::unknown(ruled.row, ruled.articles, "moves_missing");
        ruled.behind(open, "no move is missing from the record")
    }
}
