//! Determines the state of the game when a flag fell: its period, the moves completed, whether the game seemed to be over.

use core::time::Duration;

use flagfall_protocols::time::Instant;

use crate::case::Case;
use crate::clock::flag::{FlagFall, FlagPath};
use crate::interval::Interval;
use crate::men;
use crate::seen::Seen;

/// The time without a move before a fall after which the game may have ended without a result (row 9). It is this long because
/// players do think for half an hour, and then the fall counts.
const LONG_PAUSE: Duration = Duration::from_secs(45 * 60);

impl Case<'_> {
    /// True if the fall ended the last period; none if this is not known.
    pub(crate) fn last_period(&self, fall: &FlagFall) -> Option<bool> {
        match &self.seen.clock.control {
            Some(control) => self.period_of(fall).map(|period| control.is_last(period)),
            // A clock that stops for good at zero has no further period.
            None => fall.blocked.then_some(true),
        }
    }

    pub(crate) fn required(&self, fall: &FlagFall) -> Option<u32> {
        self.seen.clock.control.as_ref().and_then(|control| control.required(self.period_of(fall)?))
    }

    /// The period that the fall ended; none if the clock may have added the time of a further period unseen.
    fn period_of(&self, fall: &FlagFall) -> Option<usize> {
        let control = self.seen.clock.control.as_ref()?;
        if fall.period_known || control.is_last(fall.period) {
            return Some(fall.period);
        }
        // The clock itself added the time of a period after this fall, and only one more period can follow.
        if fall.path == FlagPath::PeriodAtZero && control.is_last(fall.period + 1) {
            return Some(fall.period);
        }
        // A player with fewer moves than this period requires cannot have begun another one.
        let (sure, more) = self.completed_by_fall(fall)?;
        (sure + u32::from(more) < control.required(fall.period)?).then_some(fall.period)
    }

    /// The number of moves that the flagged player completed by the fall, and whether he may have completed one more: a move
    /// whose press came in the same report, or a move that his own next move completed at that moment (6.2.1.2).
    pub(crate) fn completed_by_fall(&self, fall: &FlagFall) -> Option<(u32, bool)> {
        if fall.counted.is_some() {
            return fall.counted;
        }
        let before = (*self.seen.play.completed_before.get(fall.side))?;
        let record = &self.seen.play.decoder.record;
        let (mut sure, more) = record.completed(fall.side, Some(&fall.fell));
        let total = |sure: u32| before.saturating_add_unsigned(sure).max(0) as u32;
        let mut doubtful = more > 0;
        // The lowest number of moves that this fall may have required, whichever period it ended.
        let required = self.seen.clock.control.as_ref().and_then(|control| control.required(fall.period));
        // One further move leaves only the order open. With several further moves the count is not known.
        if more > 1 && required.is_some_and(|required| total(sure) < required) {
            return None;
        }
        if fall.path == FlagPath::ObservedByArbiter {
            // More than one move may have been completed between the last report and the observation.
            let seen = Interval { earliest: fall.fell.latest, latest: fall.fell.latest };
            let most = record.completed(fall.side, Some(&seen)).0;
            if most > sure + 1 && required.is_some_and(|required| total(sure) < required) {
                return None;
            }
        }
        let played = self.played(Some(fall));
        let own = || played.made.iter().filter(|ply| ply.color == fall.side);
        let mut sure_moves = record.moves().iter().take(played.sure);
        let last_open = sure_moves.rfind(|known| known.color == fall.side).is_some_and(|known| known.completed.is_none());
        // The last of the player's own made moves completes the one before it (6.2.1.2).
        if let Some(next) = own().nth(usize::from(!last_open)).filter(|_| record.next_move_completes) {
            if next.made.before(&fall.fell) {
                sure += 1;
            } else if next.made.earliest <= fall.fell.latest {
                doubtful = true;
            }
        }
        doubtful |= fall.with_press || self.seen.play.decoder.pressed_by(fall.side, fall.fell.latest);
        Some((total(sure), doubtful))
    }
}

impl Seen {
    /// True if the game seems to have ended before a flag that falls now: a result was shown, the board was cleared, or
    /// nothing was moved for very long (row 9).
    pub(crate) fn apparently_over(&self, now: Instant) -> bool {
        let men = |men: &men::Men| men.iter().filter(|&&man| man != men::EMPTY).count();
        let cleared = self.board.known() && men(self.board.men()) * 2 < men(&self.play.decoder.record.node().men);
        let made = self.play.decoder.record.moves().last().map_or(Instant::ZERO, |record| record.made.latest);
        let moved = self.board.last_change().max(made);
        // If play goes on after a gesture, it was no gesture.
        let shown = self.phase.hints.last().is_some_and(|hint| hint.at >= made);
        shown || cleared || now.since(moved) >= LONG_PAUSE
    }
}
