//! Extends the FIDE decision table (`laws/README.md#2.5`) to a flag-fall of each side: which flag fell first, and which one was
//! observed.

use alloc::vec;

use crate::laws::adjudicate::was_down;
use crate::laws::claim::{Ground, Standing};
use crate::laws::facts::{Claimed, Flag};
use crate::laws::outcome::Outcome;
use crate::laws::rules::{About, BothFlags};
use crate::laws::tables::{Ruled, Tables, depending, unknown_with};

impl Tables<'_, '_> {
    /// Row 11: a flag of each side fell, and their order is not known. The row applies only if both flags affect the result.
    pub(crate) fn two_flags(&mut self, flags: [&Flag; 2], this: Ruled, other: &Ruled) -> Ruled {
        let by_time = |ruled: &Ruled| matches!(ruled.row, "13" | "14" | "15" | "16");
        let goes_on = [this.outcome, other.outcome].contains(&Outcome::GameGoesOn);
        if goes_on || (!by_time(&this) && (!this.decided() || this.outcome == other.outcome)) {
            return this;
        }
        let articles = self.articles().both_flags;
        let last = flags.map(|flag| flag.last);
        let both_cost = this.row != "13" && other.row != "13" && by_time(&this) && by_time(other);
        let ruled = match self.facts.rulebook.rules().both_flags {
            // Additional time under III.4 ends the guideline.
            BothFlags::Guideline => {
                let added = |claim: &Claimed| claim.ground == Ground::AdditionalTime && claim.standing == Standing::Accepted;
                let none_added = self.facts.adds_time == Some(false) && !self.facts.claims.iter().any(added);
                self.facts.rulebook.guideline.is_some() && none_added
            }
            BothFlags::Always => true,
            BothFlags::Arbiter => false,
        };
        let of_both = match last {
            [Some(true), Some(true)] => Some(Outcome::Draw),
            [Some(false), Some(false)] => Some(Outcome::GameGoesOn),
            _ => None,
        };
        let drawn_anyway = self.facts.rulebook.chose(About::Rapid).then_some(Outcome::Draw);
        if let Some(outcome) = drawn_anyway.or(of_both).filter(|_| ruled && both_cost) {
            let articles = if self.facts.rulebook.guideline.is_some() { &["III.3.1"] } else { articles };
            return Ruled { counted: this.counted, ..Ruled::new("11", outcome, articles) };
        }
        if this.outcome == other.outcome && this.decided() {
            return this;
        }
        let (counted, winnable) = (this.counted.clone(), this.winnable.clone());
        let alternatives = vec![this.as_alternative("this flag fell first"), other.as_alternative("the other flag fell first")];
        let unknown = unknown_with("order_of_flags", &[&this, other]);
        Ruled { alternatives, counted, winnable, unknown, ..Ruled::unknown("11", articles, "order_of_flags") }
    }

    /// This flag fell first, but only the other flag was observed (6.8).
    pub(crate) fn only_other_flag_observed(&self, this: Ruled, other: &Ruled) -> Ruled {
        if this.outcome == Outcome::GameGoesOn || (this.outcome == other.outcome && this.decided()) {
            return this;
        }
        let (counted, winnable) = (this.counted.clone(), this.winnable.clone());
        let alternatives = vec![
            this.as_alternative("this flag, which fell first, is observed as well"),
            other.as_alternative("only the flag that was observed counts"),
        ];
        let name = "observation_of_first_flag";
        let unknown = unknown_with(name, &[&this, other]);
        Ruled { alternatives, counted, winnable, unknown, ..Ruled::unknown("8", self.articles().observed, name) }
    }

    /// Both displays show zero in rapid chess of the older print, so no player can claim (B8). A flag stays claimed if it was
    /// validly claimed while the claimant's own flag was up.
    pub(crate) fn both_down_in_old_rapid(&self, flags: [&Flag; 2], this: &Ruled, other: &Ruled) -> Option<Ruled> {
        let [flag, own] = flags;
        let claimed = self.observed(flag);
        let down = claimed.map(|claimed| was_down(own, flag, claimed));
        if down == Some(Some(false)) {
            return None;
        }
        let costs = |ruled: &Ruled| matches!(ruled.row, "14" | "15" | "16");
        let other_counts = !matches!(other.outcome, Outcome::GameGoesOn | Outcome::ResultNotEntered);
        if !self.facts.rulebook.chose(About::Rapid) || !costs(this) || !other_counts {
            return None;
        }
        let counted = this.counted.clone();
        let drawn = Ruled { counted, ..Ruled::new("11", Outcome::Draw, &["B8"]).resting_on(self.holds(About::Rapid)) };
        if down == Some(None) {
            let cases = vec![("the claimant's own flag was down", drawn), ("it was up", this.clone())];
            return Some(depending("11", &["B8"], "order_of_claim_and_flag", cases));
        }
        if costs(other) {
            return Some(drawn);
        }
        let mut cases = vec![("the other flag is down as well", drawn), ("it costs nothing", this.clone())];
        if other.row != "13" {
            // The other flag may be decided by something else than time.
            cases.push(("what is open of the other flag decides", other.clone()));
        }
        Some(depending("11", &["B8"], "other_flag", cases))
    }
}
