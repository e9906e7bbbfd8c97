//! Decides about flag-falls under the club profile, 31 points of speed chess (`laws/README.md#5`): a flag-fall counts only if a
//! player declares it and stops both clocks. A declared flag-fall wins also against a mate that nobody has punched.

use alloc::vec;
use alloc::vec::Vec;

use flagfall_protocols::square::Color;
use flagfall_protocols::time::Instant;

use crate::laws::adjudicate::{fell_before, was_down};
use crate::laws::endings::Final;
use crate::laws::facts::{Caller, Flag};
use crate::laws::outcome::{Kind, Outcome};
use crate::laws::rules::About;
use crate::laws::tables::{Ruled, Tables, depending, wins};

/// The time at which a player declared the flag-fall (point 10); none if no player has. A spectator cannot declare it.
pub(crate) fn declared(flag: &Flag) -> Option<Instant> {
    flag.observed_at.filter(|_| flag.called_by == Some(Caller::Player) && flag.clocks_stopped != Some(false))
}

impl Tables<'_, '_> {
    /// The answer of the table for one flag, and whether the flag still waits for a declaration.
    pub(crate) fn club(&mut self, flag: &Flag) -> (Ruled, bool) {
        if flag.observed_at.is_some() && flag.called_by.is_none() {
            return (self.called_by_somebody(flag, Tables::club), false);
        }
        let seen = declared(flag);
        let (standing, flag_may_be_first) = self.before_flag(flag);
        let mut answers: Vec<(&'static str, Ruled)> = Vec::new();
        for it in &standing {
            answers.push((it.depends_on, self.club_ending(flag, it)));
        }
        if flag_may_be_first {
            let by_flag = self.after_endings(flag);
            answers.push(("the declaration came first", if seen.is_some() { by_flag } else { undeclared(by_flag) }));
        }
        let ruled = match answers.len() {
            1 => answers.remove(0).1,
            _ => depending("5", &["3", "13"], "order_of_ending_and_declaration", answers),
        };
        if seen.is_some() && flag.clocks_stopped.is_none() {
            let not_stopped = Ruled::new("1", Outcome::GameGoesOn, &["10", "12"]);
            let cases = vec![("the clocks were not both stopped", not_stopped), ("they were", ruled)];
            return (depending("1", &["10"], "clocks_stopped", cases), false);
        }
        (ruled, seen.is_none())
    }

    /// Checks whether another ending of the game holds against this flag.
    fn club_ending(&mut self, flag: &Flag, ended: &Final) -> Ruled {
        let stands = ended.ruled.clone();
        let winner_flagged = stands.outcome == wins(flag.side);
        let flags = self.facts.flags.iter().filter(|other| !other.set_aside);
        // Only the winner's flag can overturn the ending, whichever flag the question is about.
        if let Some(of_winner) =
            flags.filter(|other| !winner_flagged && wins(other.side) == stands.outcome).min_by_key(|it| it.fell.latest)
        {
            return self.club_ending(of_winner, ended);
        }
        match ended.kind {
            // Point 20: the players do not agree, and the flagged player loses.
            Kind::IllegalMove if winner_flagged => {
                let trusted = self.facts.rulebook.chose(About::Stamps);
                if trusted && ended.at.before(&flag.fell) {
                    return stands.resting_on(self.holds(About::Stamps));
                }
                let flagged = Ruled::new("4", wins(flag.side.other()), &["20"]);
                let cases =
                    vec![("both agree that no flag was down before the illegal move", stands), ("they do not agree", flagged)];
                depending("4", &["20"], "agreement_on_order", cases).resting_on(self.holds(About::Stamps))
            }
            // Point 13: the clock beats the mate if the time expired before it.
            Kind::MoveOnBoard if winner_flagged && !ended.at.before(&flag.fell) => {
                let certainly = flag.called_by == Some(Caller::Player) && flag.clocks_stopped == Some(true);
                let as_declared = Flag { called_by: flag.called_by.or(Some(Caller::Player)), ..flag.clone() };
                let by_flag = self.after_endings(&as_declared);
                let overturned = Ruled { articles: &["3.1", "13"], ended: None, ..by_flag };
                if declared(&as_declared).is_none() {
                    let declares_now = overturned.as_alternative("the mated player declares it now, his own flag up");
                    return Ruled { contested: true, alternatives: vec![declares_now], ..stands };
                }
                let by_declaration = if flag.fell.before(&ended.at) {
                    overturned
                } else {
                    let cases =
                        vec![("the flag fell before the mate was completed", overturned), ("it fell after", stands.clone())];
                    depending("5", &["3.2", "13"], "order_of_ending_and_flag", cases)
                };
                if certainly {
                    return by_declaration;
                }
                let cases = vec![("no player declared it and stopped both clocks", stands), ("one did", by_declaration)];
                depending("5", &["10", "13"], "declaration", cases)
            }
            _ => stands,
        }
    }

    /// Rows 2 and 3: a player declares the flag.
    pub(crate) fn club_by_time(&mut self, flag: &Flag) -> Ruled {
        let one = |tables: &mut Self| {
            let articles = tables.articles().on_time;
            let lost = tables.wins_if_possible(flag.side.other(), &flag.positions, ["3", "3"], articles);
            match tables.facts.rulebook.chose(About::Article69) && flag.moves_missing {
                true => Ruled::unknown("3", articles, "moves_missing"),
                false => lost,
            }
        };
        let facts = self.facts;
        let seen = declared(flag);
        let others = facts.flags.iter().filter(|other| other.side != flag.side && !other.set_aside);
        let down = others
            .filter(|other| seen.is_none_or(|seen| was_down(other, flag, seen) != Some(false)))
            .min_by_key(|other| other.fell.latest);
        let Some(other) = down else { return one(self) };
        let both = self.club_both(flag, other);
        if seen.is_none_or(|seen| was_down(other, flag, seen) == Some(true)) {
            return both;
        }
        let cases = vec![("the other flag was down as well", both), ("it was not", one(self))];
        depending("2", &["8", "11"], "order_of_declaration_and_flag", cases)
    }

    /// Row 2: both flags are down. The players must agree on which one fell first.
    fn club_both(&mut self, flag: &Flag, other: &Flag) -> Ruled {
        let stamps = self.holds(About::Stamps);
        let first_side = |first: bool| if first { flag.side } else { other.side };
        let by_stamps = fell_before(flag, other).filter(|_| self.facts.rulebook.chose(About::Stamps)).map(first_side);
        if let Some(side) = self.facts.agreed_first.or(by_stamps) {
            return Ruled::new("2", wins(side.other()), &["8", "11", "25"]).resting_on(stamps);
        }
        let lost = |side: Color| Ruled::new("2", wins(side.other()), &["8"]);
        let sides = [flag.side, other.side];
        let alternatives = vec![
            lost(sides[0]).as_alternative("both players agree that this flag fell first"),
            lost(sides[1]).as_alternative("both players agree that the other flag fell first"),
        ];
        Ruled { alternatives, ..Ruled::new("2", Outcome::Draw, &["8", "25"]).resting_on(stamps) }
    }
}

/// Row 1: nobody has declared the flag and stopped both clocks.
fn undeclared(by_flag: Ruled) -> Ruled {
    let goes_on = Ruled::new("1", Outcome::GameGoesOn, &["10", "12"]);
    by_flag.behind(goes_on, "a player declares it now and stops both clocks")
}
