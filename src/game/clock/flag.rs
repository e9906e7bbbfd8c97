//! Keeps the flag-falls of a game: a fall is latched (kept) when it is seen, and only an arbiter's record takes it back. While
//! the latch lasts, further signs of the same flag are signs of the same fall. Afterwards they are another fall.

use alloc::string::String;
use alloc::vec::Vec;

use flagfall_protocols::event::{ByteRange, ClockReading};
use flagfall_protocols::square::Color;
use flagfall_protocols::time::Instant;

use crate::interval::Interval;
use crate::reconstruct::made::MadeMoves;

/// The sign of the clock by which a fall was seen (`dgt/clock.md#5.2`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FlagPath {
    /// The clock stopped for good at zero (bit 0x10).
    Blocked,
    /// The flag sign came up (bit 0x40) at a time other than zero.
    Shown,
    /// The flag sign came up at zero and the clock went on.
    RunningAtZero,
    /// The flag sign came up and the clock added the next period's time to both sides.
    PeriodAtZero,
    /// The display reached zero after the other side's flag had fallen: such a clock shows no second sign.
    ZeroAfterOther,
    /// The sign was up when the clock was connected: when it fell is not known.
    OnConnect,
    /// The clock has shown nothing: an arbiter observed the fall or a player validly claimed it (Article 6.8). When the time
    /// expired is not known.
    ObservedByArbiter,
}

/// One report of the clock, and the bytes from which it was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reported {
    /// The range of its bytes.
    pub source: ByteRange,
    /// The reading that the bytes contain.
    pub reading: ClockReading,
}

/// One flag-fall (Article 6.1.1).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FlagFall {
    /// The number of the fall in its game, from 1, in the order in which the falls were seen. No number is used twice.
    pub number: u32,
    /// The player whose flag fell.
    pub side: Color,
    /// The sign by which the fall was seen.
    pub path: FlagPath,
    /// The time at which the allotted time expired.
    pub fell: Interval,
    /// The clock is blocked, so it shows nothing that comes after the fall.
    pub blocked: bool,
    /// The same player's press came in the same report, so the order of press and fall is not known.
    pub with_press: bool,
    /// The period whose time expired, counted from 0.
    pub period: usize,
    /// True if that period is known. If not, the clock may have added the time of more periods than were seen.
    pub period_known: bool,
    /// The moves that the player had completed by then, and whether he may have completed one more. They are kept when a
    /// later record of an arbiter replaces the moves from which they were counted.
    pub counted: Option<(u32, bool)>,
    /// The time at which an arbiter observed the fall or a player validly claimed it (Article 6.8); none if nobody did.
    pub observed_at: Option<Instant>,
    /// The sender's id of the command that reports the observation; none if a device observed the fall or the command has no
    /// id.
    pub observed_by: Option<String>,
    /// Both clocks were stopped with the observation (club point 10); none if this is not known, or if nobody observed the
    /// fall.
    pub clocks_stopped: Option<bool>,
    /// The time at which an arbiter decided on the finding. If nobody observed the fall before, the position at this time
    /// counts.
    pub ruled_at: Option<Instant>,
    /// The game had ended before the fall.
    pub after_end: bool,
    /// The game seemed to have ended before the fall, and no result was entered.
    pub after_quiet: bool,
    /// The last report before the fall was seen or observed; none if there was no report.
    pub before: Option<Reported>,
    /// The report that showed the fall; none if the clock has not shown it.
    pub shown: Option<Reported>,
    /// The time at which somebody set this player's clock forward after the fall; none if nobody did.
    pub set_anew: Option<Instant>,
    /// The time of the second press after the fall, of either player, with time on this player's clock; none before it.
    pub played_on: Option<Instant>,
    /// The number of those presses, at most two.
    pub(crate) presses: u8,
    /// A man was lifted or displaced when the clock showed the fall.
    pub(crate) touched: bool,
    /// When the flag fell the board showed men that no move explains, or somebody has pressed since: until the observation, moves may
    /// have been made that nobody saw.
    pub(crate) hides_moves: bool,
    /// The moves that stood without a press when the fall was observed or ruled on.
    pub(crate) stood: MadeMoves,
}

/// The number of presses, with time on the clock of the player whose flag fell, after which the clock can show another fall.
const PLAYED_ON: u8 = 2;

impl FlagFall {
    /// True if the latch ended by this time: the clock was set anew, or play went on with time on it. The fall itself stays.
    pub(crate) fn is_over(&self, at: Instant) -> bool {
        let by = |moment: Option<Instant>| moment.is_some_and(|moment| moment <= at);
        by(self.set_anew) || by(self.played_on)
    }

    /// True if this fall is the one that was called if somebody called the flag at this time. A clock that was only set anew
    /// may belong to the next game, so a fall without a ruling is meant until play goes on.
    fn is_meant_at(&self, seen: Instant) -> bool {
        let by = |moment: Option<Instant>| moment.is_some_and(|moment| moment <= seen);
        let over = if by(self.ruled_at) { self.is_over(seen) } else { by(self.set_anew) && by(self.played_on) };
        !over
    }

    /// Counts presses that came with time on this player's clock.
    pub(super) fn note_presses(&mut self, presses: usize, at: Instant) {
        self.presses = PLAYED_ON.min(self.presses.saturating_add(u8::try_from(presses).unwrap_or(PLAYED_ON)));
        if self.presses == PLAYED_ON {
            self.played_on.get_or_insert(at);
        }
    }

    /// The time up to which moves count for this fall (`laws/README.md#2.4`); none as long as moves that are made still count.
    pub(crate) fn settled_at(&self) -> Option<Instant> {
        self.observed_at.or(self.ruled_at)
    }

    /// Notes an observation, which the command with this id reports. The earliest observation counts.
    pub(crate) fn observe(&mut self, at: Instant, command: Option<&String>) {
        if self.observed_at.is_none_or(|earlier| at < earlier) {
            self.observed_at = Some(at);
            self.observed_by = command.cloned();
        }
    }
}

/// The flags of a game in the order in which they were seen to fall, at most [`Flags::MAX`].
#[derive(Clone, Debug, Default)]
pub(crate) struct Flags {
    falls: Vec<FlagFall>,
    /// The highest number of a fall so far.
    numbered: u32,
}

impl Flags {
    /// The largest number of flag-falls kept: twice as many as a time control can have without a clock that is set anew.
    const MAX: usize = 4 * super::control::MAX_PERIODS;

    pub(crate) fn iter(&self) -> core::slice::Iter<'_, FlagFall> {
        self.falls.iter()
    }

    /// The last fall of `side`.
    pub(crate) fn of(&self, side: Color) -> Option<&FlagFall> {
        self.falls.iter().rev().find(|fall| fall.side == side)
    }

    /// The last fall of `side`, for a caller that adds what is known of it.
    pub(crate) fn last_fall_mut(&mut self, side: Color) -> Option<&mut FlagFall> {
        self.falls.iter_mut().rev().find(|fall| fall.side == side)
    }

    /// The fall of `side` that somebody called at `seen`: the last one, or the one in this period. A fall whose period was not
    /// known is given this period. None if no latched fall is meant.
    pub(crate) fn claimed_fall(&mut self, side: Color, period: Option<usize>, seen: Instant) -> Option<&mut FlagFall> {
        let meant = |fall: &&mut FlagFall| {
            let in_period = period.is_none_or(|period| !fall.period_known || fall.period == period);
            fall.side == side && in_period && fall.is_meant_at(seen)
        };
        let fall = self.falls.iter_mut().rev().find(meant)?;
        if let Some(period) = period {
            (fall.period, fall.period_known) = (period, true);
        }
        Some(fall)
    }

    pub(crate) fn any(&self) -> bool {
        !self.falls.is_empty()
    }

    /// Keeps a fall, which gets its number here. Returns false if the flag of this side and period is latched already.
    pub(crate) fn latch(&mut self, fall: FlagFall) -> bool {
        let same = |other: &&FlagFall| other.side == fall.side && other.period == fall.period;
        let known = self.falls.iter().filter(same).any(|other| !other.is_over(fall.fell.latest));
        if known || self.falls.len() >= Flags::MAX {
            return false;
        }
        self.numbered += 1;
        self.falls.push(FlagFall { number: self.numbered, ..fall });
        true
    }

    /// Notes that somebody set the clock of `side` forward.
    pub(crate) fn set_anew(&mut self, side: Color, at: Instant) {
        for fall in self.falls.iter_mut().filter(|fall| fall.side == side) {
            fall.set_anew.get_or_insert(at);
        }
    }

    /// Notes that somebody called the flag of `side` with the command of this id, and meant the fall with this number. Earlier
    /// falls that nobody has ruled on, and after which nobody set the clock anew, are called with it.
    pub(crate) fn observe_earlier(&mut self, side: Color, number: u32, seen: Instant, command: Option<&String>) {
        let open = |fall: &&mut FlagFall| fall.ruled_at.is_none() && fall.set_anew.is_none() && fall.observed_at.is_none();
        let earlier = self.falls.iter_mut().filter(|fall| fall.side == side && fall.number < number);
        for fall in earlier.filter(open) {
            fall.observe(seen.max(fall.fell.earliest), command);
        }
    }

    pub(crate) fn iter_mut(&mut self) -> core::slice::IterMut<'_, FlagFall> {
        self.falls.iter_mut()
    }

    /// Exchanges White's and Black's falls, which were recorded for the wrong sides.
    pub(crate) fn exchange(&mut self) {
        for fall in &mut self.falls {
            fall.side = fall.side.other();
        }
    }

    /// Notes that the clock stopped for good at a fall that is latched.
    pub(crate) fn block(&mut self, side: Color, period: usize) {
        if let Some(fall) = self.falls.iter_mut().rev().find(|fall| fall.side == side && fall.period == period) {
            fall.blocked = true;
        }
    }

    /// Removes the flags of `side`, because an arbiter's record takes them back.
    pub(crate) fn take_back(&mut self, side: Color) {
        self.falls.retain(|fall| fall.side != side);
    }
}
