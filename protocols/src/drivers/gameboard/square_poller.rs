//! Decides which square of a board of the Gameboard UI Protocol is asked for and when. Only one question is open at a time,
//! because an answer does not name its square.
//!
//! ```text
//!  link up ── settle ── all squares, quickly ── one square after the other, slowly ── …
//!                              ▲ bytes were lost, the game asks           doubtful squares first
//! ```

use core::time::Duration;

use crate::square::Square;
use crate::time::Instant;

/// The time from the start of the link to the first question.
const SETTLE: Duration = Duration::from_millis(300);
/// The time from an answer to the next question. A doubled answer arrives within it.
const GAP: Duration = Duration::from_millis(30);
/// The pause after an answer without a question. Answers that are on their way arrive within it.
const REST: Duration = Duration::from_millis(200);
/// The time between two questions while no square is in doubt: all squares in five seconds.
const PACE: Duration = Duration::from_millis(75);
/// The waiting time for an answer.
const RETRY: Duration = Duration::from_secs(1);
/// The waiting time for an answer of a board that sends messages but has never answered. Its level may not support answers.
const SLOW: Duration = Duration::from_secs(10);
/// The longest waiting time for an answer of a board that answers slowly.
const LATEST: Duration = Duration::from_secs(3);
/// The number of questions without any message after which a board counts as silent, but not before [`SILENCE`].
const MISSED: u32 = 3;
/// The shortest time without any message after which a board counts as silent.
const SILENCE: Duration = Duration::from_secs(3);

/// The next action.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Due {
    /// Ask for this square.
    Ask(Square),
    /// Ask for the same square again, because no answer came.
    Again(Square),
    /// The board does not answer any more.
    Silent,
}

/// The state of the questions on one link.
#[derive(Debug)]
pub(super) struct SquarePoller {
    /// The square that was asked for, and the end of the wait.
    open: Option<(Square, Instant)>,
    /// No question is sent before this time.
    free: Instant,
    /// The time of the last question, and the time of its first try.
    asked: Instant,
    first: Instant,
    /// The number of repetitions of the question. The same number of additional answers may come.
    again: u32,
    /// The present waiting time for an answer.
    patience: Duration,
    /// Squares that are asked for quickly, and among them the doubtful ones, which come first.
    round: u64,
    doubtful: u64,
    /// The next square while no square is in doubt.
    turn: Square,
    /// The square of the last answer, and its value.
    last: Option<(Square, bool)>,
    /// Whether no answer was on its way when the last question left, and whether the same must hold for the next one.
    rested: bool,
    rests: bool,
    /// Whether the board has sent a message, and whether it has answered a question.
    speaks: bool,
    answers: bool,
    /// The time of the last message, and the number of questions since.
    last_message: Instant,
    missed: u32,
}

impl SquarePoller {
    /// Creates a poller, because the link came up or the board fell silent.
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
            last_message: at,
            missed: 0,
        }
    }

    /// Records a message. Returns whether it is the first one.
    pub(super) const fn on_message(&mut self, at: Instant) -> bool {
        (self.last_message, self.missed) = (at, 0);
        !core::mem::replace(&mut self.speaks, true)
    }

    /// Records an answer. Returns the square that was asked for.
    pub(super) fn on_answer(&mut self, at: Instant, occupied: bool) -> Option<Square> {
        let Some((square, _)) = self.open.take() else {
            // After a pause only the last answer can be doubled, and this one has the same value.
            let awaited = self.again > 0;
            if awaited {
                // No answer was lost: this is the answer time of the board.
                self.again -= 1;
                self.patience = LATEST.min(self.patience.max(at.since(self.asked)) + RETRY);
            }
            let twice = (self.rested || awaited) && self.last.is_some_and(|(_, last)| last == occupied);
            if !twice {
                // The previous answer may have been for another square, and so may the ones before it.
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
            // The first answer may have been late and not lost. The others are then as late, and would count for another
            // square.
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

    /// Asks for this square again before all others.
    pub(super) const fn ask_first(&mut self, square: Square) {
        self.doubtful |= square.bit();
    }

    /// Asks for all squares quickly.
    pub(super) const fn ask_all(&mut self) {
        self.round = !0;
    }

    /// Returns whether all squares have been asked for since the last [`ask_all`](Self::ask_all).
    pub(super) const fn is_done(&self) -> bool {
        self.round == 0 && self.is_sure()
    }

    /// Returns whether no answer is in doubt.
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

    /// Returns the action that is due, if there is one.
    pub(super) fn expire(&mut self, at: Instant) -> Option<Due> {
        if self.deadline() > at {
            return None;
        }
        let again = self.open.take();
        if again.is_some() {
            self.missed = self.missed.saturating_add(1);
            if self.answers && self.missed >= MISSED && self.last_message.after(SILENCE) <= at {
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
