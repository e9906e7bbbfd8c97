//! Converts the entries of a board's log to the steps that followed a known position.

use alloc::collections::VecDeque;
use alloc::vec::Vec;

use flagfall_protocols::event::{ClockSide, LogEntry};
use flagfall_protocols::square::{Color, Reading, Square};
use flagfall_protocols::time::ClockTime;

use super::{Known, MOST_ENTRIES, Replay, Step};
use crate::men::{self, EMPTY, Men};
use crate::reconstruct::setup::initial_men;

/// The largest number of steps. A mark may report all squares again; a log with more steps than this is no game.
const MOST_STEPS: usize = 2 * MOST_ENTRIES;

struct Walk<'a> {
    known: &'a Known<'a>,
    men: Men,
    /// Squares whose state is known.
    reported: u64,
    /// The men that are listed after a power-up or start mark.
    listing: Option<Men>,
    steps: Vec<Step>,
    /// The number of steps before the beginning, if the beginning is certain so far.
    begin: Option<usize>,
    /// The sides that have since put a man where the known position has another man or none.
    away: [bool; 2],
    /// The position stood first, and then came back by moves.
    again: bool,
    /// The last press is the known one, and the known position has not stood at that time or since.
    after_press: bool,
    /// The beginning belongs to the known press.
    anchored: bool,
}

/// See [`super::LogDownload::replay`].
pub(super) fn replay(entries: &VecDeque<LogEntry>, known: &Known) -> Option<Replay> {
    let mentioned = entries.iter().fold(0, |mask, entry| match entry {
        LogEntry::Square { square, .. } => mask | turned(*square, known).bit(),
        _ => mask,
    });
    let mut walk = Walk {
        known,
        men: *known.men,
        // A square that the log does not mention is as it was when the known position stood.
        reported: !mentioned,
        listing: None,
        steps: Vec::new(),
        begin: None,
        away: [false; 2],
        again: false,
        after_press: false,
        anchored: false,
    };
    for entry in entries {
        walk.entry(*entry);
        if walk.steps.len() > MOST_STEPS {
            return None;
        }
    }
    walk.end_listing();
    let begin = walk.begin.filter(|_| !walk.again)?;
    Some(Replay { steps: walk.steps.split_off(begin) })
}

fn turned(square: Square, known: &Known) -> Square {
    if known.rotated { square.rotated() } else { square }
}

impl Walk<'_> {
    fn entry(&mut self, entry: LogEntry) {
        match entry {
            LogEntry::Square { square, reading, quick } => self.square(turned(square, self.known), reading, quick),
            LogEntry::Press { side, time } => self.press(side, time),
            LogEntry::PowerUp | LogEntry::StartMark => {
                self.end_listing();
                self.listing = Some([EMPTY; 64]);
            }
            LogEntry::InitialPosition { rotated } => {
                let mut men = initial_men();
                if rotated != self.known.rotated {
                    men.reverse();
                }
                self.end_listing();
                self.become_board(&men);
                self.new_game();
            }
            LogEntry::EmptyBoard => {
                self.end_listing();
                self.become_board(&[EMPTY; 64]);
                self.new_game();
            }
            LogEntry::FourRows | LogEntry::Downloaded | LogEntry::Other(_) | LogEntry::End => self.end_listing(),
        }
    }

    fn square(&mut self, square: Square, reading: Reading, quick: bool) {
        let man = men::of_reading(reading);
        if let Some(listing) = &mut self.listing {
            if man != EMPTY && listing[square.index()] == EMPTY {
                listing[square.index()] = man;
                return;
            }
            self.end_listing();
        }
        self.set_square(square, reading, quick);
        self.note_known_position();
    }

    fn set_square(&mut self, square: Square, reading: Reading, quick: bool) {
        let man = men::of_reading(reading);
        self.men[square.index()] = man;
        self.reported |= square.bit();
        if man != self.known.men[square.index()]
            && let Some(color) = men::color(man)
        {
            self.away[usize::from(color == Color::White)] = true;
        }
        self.steps.push(Step::Square { square, reading, quick });
    }

    /// Ends the list of men after a power-up. Differences from the board before were not seen.
    fn end_listing(&mut self) {
        if let Some(listed) = self.listing.take() {
            self.become_board(&listed);
        }
    }

    fn become_board(&mut self, board: &Men) {
        let placement = men::placement(board);
        for square in men::squares(men::difference(&self.men, board)) {
            self.set_square(square, placement.get(square), false);
        }
        self.reported = u64::MAX;
        self.note_known_position();
    }

    fn press(&mut self, side: ClockSide, time: ClockTime) {
        self.end_listing();
        self.steps.push(Step::Press { side, time });
        if self.known.last_press != Some((side, time)) {
            self.after_press = false;
            self.note_known_position();
        } else if self.anchored {
            // Every move adds time, so another press may have come at the same time of the clock.
            self.again |= self.shows_known_position() && self.away == [true; 2];
        } else {
            // The reply may have begun before the board heard the press.
            let unpressed = |begin: &usize| self.steps[*begin..self.steps.len() - 1].iter().all(|step| !is_press(step));
            self.begin = if self.shows_known_position() { Some(self.steps.len()) } else { self.begin.filter(unpressed) };
            self.anchored = self.begin.is_some();
            self.after_press = !self.anchored;
            (self.again, self.away) = (false, [false; 2]);
        }
    }

    fn shows_known_position(&self) -> bool {
        self.reported == u64::MAX && self.men == *self.known.men
    }

    /// Notes that the known position stands, if it does.
    fn note_known_position(&mut self) {
        if self.anchored || !self.shows_known_position() {
            return;
        }
        self.again |= self.begin.is_some() && self.away == [true; 2];
        self.begin = Some(self.steps.len());
        self.away = [false; 2];
        self.anchored = self.after_press;
        self.after_press = false;
    }

    /// Begins another game: positions before it do not count.
    fn new_game(&mut self) {
        (self.again, self.away) = (false, [false; 2]);
        (self.anchored, self.after_press) = (false, false);
        self.begin = self.shows_known_position().then_some(self.steps.len());
    }
}

fn is_press(step: &Step) -> bool {
    matches!(step, Step::Press { .. })
}
