//! Determines the penalty time that a player is due for an offence of the opponent, and whether his clock received it (Articles
//! 7.5.5 and 9.5.3, Guideline III.5).

use alloc::vec::Vec;

use flagfall_protocols::square::Color;
use flagfall_protocols::time::Instant;

use crate::case::Case;
use crate::interval::Interval;
use crate::laws::claim::Standing;
use crate::laws::facts::{Claimed, Illegal, Treated};

/// An offence for which the opponent is due penalty time.
struct Due<'a> {
    at: Interval,
    /// True for an illegal move. Of several kinds of illegal move at one press only one counts (7.5.5).
    illegal: bool,
    added: &'a mut Option<bool>,
}

impl Case<'_> {
    /// Notes for each penalty whether the time for it, and for the penalties before it, was seen to be added.
    pub(crate) fn note_time_added(&self, claims: &mut [Claimed], illegal: &mut [Illegal]) {
        for side in [Color::White, Color::Black] {
            let fined = claims.iter_mut().filter(|claim| claim.by == side && claim.standing == Standing::Refused);
            let fined = fined.filter(|claim| self.seen.config.rulebook.fines(claim.ground));
            let counted = illegal.iter_mut().filter(|illegal| illegal.by == side && illegal.treated == Treated::Counted);
            let of_claims = fined.map(|claim| Due { at: claim.at, illegal: false, added: &mut claim.time_added });
            let of_moves = counted.map(|illegal| Due { at: illegal.at, illegal: true, added: &mut illegal.time_added });
            let mut due: Vec<Due<'_>> = of_claims.chain(of_moves).collect();
            due.sort_by_key(|due| (due.at.earliest, due.at.latest, due.illegal));
            let first = due.first().map_or(Instant::ZERO, |due| due.at.earliest);
            let mut penalties = 0;
            let mut before: Option<Interval> = None;
            for due in due {
                penalties += u32::from(!due.illegal || before != Some(due.at));
                before = due.illegal.then_some(due.at);
                let until = self.next_flag(side.other(), due.at.earliest);
                let in_all = self.time_added_ms(side.other(), first, until) >= self.penalty_ms(penalties);
                let since = self.time_added_ms(side.other(), due.at.earliest, until) >= self.penalty_ms(1);
                *due.added = (in_all && since).then_some(true);
            }
        }
    }

    fn penalty_ms(&self, penalties: u32) -> i64 {
        // Without a penalty in the rules any added time is enough.
        (i64::from(self.seen.config.rulebook.penalty_s()) * 1000 * i64::from(penalties)).max(1)
    }

    /// The time at which the next flag of `side` fell.
    fn next_flag(&self, side: Color, since: Instant) -> Option<Instant> {
        let mut falls = self.seen.clock.chessclock.flags().iter().filter(|fall| fall.side == side && fall.fell.latest >= since);
        falls.next().map(|fall| fall.fell.latest)
    }

    /// The milliseconds by which somebody set the clock of `side` forward.
    fn time_added_ms(&self, side: Color, since: Instant, until: Option<Instant>) -> i64 {
        let in_time = |set: &&(Instant, i64)| set.0 >= since && until.is_none_or(|until| set.0 < until);
        self.seen.clock.time_set.get(side).iter().filter(in_time).map(|(_, rise_ms)| rise_ms).sum()
    }
}
