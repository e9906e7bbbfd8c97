//! Which square is asked for, and when: one at a time, for an answer does not name its square.
//!
//! ```text
//!  link up ── settle ── all squares, quickly ── one square after the other, slowly ── …
//!                              ▲ bytes were lost, the game asks           doubtful ones first
//! ```

use core::time::Duration;

use crate::square::Square;
use crate::time::Instant;

/// From the link's coming up to the first question.
const SETTLE: Duration = Duration::from_millis(300);
/// From an answer to the next question: an answer that comes twice falls in between.
const GAP: Duration = Duration::from_millis(30);
/// After an answer to no question: what is on its way arrives first.
const REST: Duration = Duration::from_millis(200);
/// From question to question while nothing is in doubt: all squares in five seconds.
const PACE: Duration = Duration::from_millis(75);
/// How long to wait for an answer …
const RETRY: Duration = Duration::from_secs(1);
/// … and for one of a board that speaks and has never answered: it may be of a level that does not.
const SLOW: Duration = Duration::from_secs(10);
/// A board that answers later than it is asked again is given this time at most.
const LATEST: Duration = Duration::from_secs(3);
/// A board is taken for silent after so many questions without any message, and not sooner than after this time.
const MISSED: u32 = 3;
const SILENCE: Duration = Duration::from_secs(3);

/// What is to be done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Due {
    /// Ask for this square.
    Ask(Square),
    /// The same again: no answer came.
    Again(Square),
    /// The board does not answer any more.
    Silent,
}

/// The questions of one link.
#[derive(Debug)]
pub(super) struct SquarePoller {
    /// The square that was asked for, and when to give up waiting.
    open: Option<(Square, Instant)>,
    /// Nothing is asked before this.
    free: Instant,
    /// When the last question left, and when it did for the first time, of one that was asked again.
    asked: Instant,
    first: Instant,
    /// So many answers more may come to the same question: it was asked so many times again.
    again: u32,
    /// How long an answer is waited for now.
    patience: Duration,
    /// Squares that are asked for quickly, and of these the ones that come first.
    round: u64,
    doubtful: u64,
    /// The one that is asked for next while nothing is in doubt.
    turn: Square,
    /// The square of the last answer, and what it said.
    last: Option<(Square, bool)>,
    /// Nothing was on its way when the last question left; it is to be so when the next one leaves.
    rested: bool,
    rests: bool,
    /// The board has spoken; it has answered.
    speaks: bool,
    answers: bool,
    /// When the last message came, and questions since.
    heard: Instant,
    missed: u32,
}

impl SquarePoller {
    /// The link came up, or the board fell silent.
    pub(super) const fn new(at: Instant) -> SquarePoller {
        SquarePoller {
            open: None,
            free: at.after(SETTLE),
            asked: at,
            first: at,
            again: 0,
            patience: RETRY,
            round: !0,
            doubtful: 0,
            turn: Square::wrapping(0),
            last: None,
            rested: false,
            rests: false,
            speaks: false,
            answers: false,
            heard: at,
            missed: 0,
        }
    }

    /// A message came; gives whether it is the first one.
    pub(super) const fn on_message(&mut self, at: Instant) -> bool {
        (self.heard, self.missed) = (at, 0);
        !core::mem::replace(&mut self.speaks, true)
    }

    /// An answer came; gives the square that was asked for.
    pub(super) fn on_answer(&mut self, at: Instant, occupied: bool) -> Option<Square> {
        let Some((square, _)) = self.open.take() else {
            // After a rest only the last answer is in question, and this one says the same.
            let awaited = self.again > 0;
            if awaited {
                // No answer was lost: this is how long the board takes.
                self.again -= 1;
                self.patience = LATEST.min(self.patience.max(at.since(self.asked)) + RETRY);
            }
            let twice = (self.rested || awaited) && self.last.is_some_and(|(_, last)| last == occupied);
            if !twice {
                // The one before it may have been another square's, and those before that too.
                self.doubtful |= self.last.take().map_or(0, |(square, _)| square.bit());
                self.ask_all();
            }
            self.rests = true;
            self.free = if self.again > 0 { self.free.max(at.after(REST)) } else { at.after(REST) };
            return None;
        };
        self.answers = true;
        let took = at.since(self.first);
        self.free = match self.again {
            0 => at.after(GAP),
            // The first answer may have been late, not lost: the others are as late, and would be taken for another square's.
            _ => self.asked.after(took.min(LATEST)).max(at).after(REST),
        };
        if took < RETRY {
            self.patience = RETRY;
        }
        self.last = Some((square, occupied));
        self.round &= !square.bit();
        self.doubtful &= !square.bit();
        Some(square)
    }

    /// This square is asked for again before all others.
    pub(super) const fn ask_first(&mut self, square: Square) {
        self.doubtful |= square.bit();
    }

    /// All squares are asked for, quickly.
    pub(super) const fn ask_all(&mut self) {
        self.round = !0;
    }

    /// All squares were asked for since that was wanted.
    pub(super) const fn is_done(&self) -> bool {
        self.round == 0 && self.is_sure()
    }

    /// No answer is in doubt.
    pub(super) const fn is_sure(&self) -> bool {
        self.doubtful == 0
    }

    pub(super) fn deadline(&self) -> Instant {
        match self.open {
            Some((_, end)) => end,
            None if self.round | self.doubtful != 0 => self.free,
            None => self.free.max(self.asked.after(PACE)),
        }
    }

    /// What is due, if anything is.
    pub(super) fn expire(&mut self, at: Instant) -> Option<Due> {
        if self.deadline() > at {
            return None;
        }
        let again = self.open.take();
        if again.is_some() {
            self.missed = self.missed.saturating_add(1);
            if self.answers && self.missed >= MISSED && self.heard.after(SILENCE) <= at {
                *self = SquarePoller::new(at);
                return Some(Due::Silent);
            }
        }
        if again.is_none() {
            self.rested = core::mem::take(&mut self.rests);
            (self.first, self.again) = (at, 0);
        } else {
            self.again = self.again.saturating_add(1);
        }
        let square = again.map_or_else(|| self.next_square(), |(square, _)| square);
        let slow = self.speaks && !self.answers;
        self.open = Some((square, at.after(if slow { SLOW } else { self.patience })));
        self.asked = at;
        Some(if again.is_some() { Due::Again(square) } else { Due::Ask(square) })
    }

    fn next_square(&mut self) -> Square {
        let first = |squares: u64| (squares != 0).then(|| Square::wrapping(squares.trailing_zeros() as u8));
        first(self.doubtful).or(first(self.round)).unwrap_or_else(|| {
            let square = self.turn;
            self.turn = Square::wrapping(square.index() as u8 + 1);
            square
        })
    }
}
