//! One subscription: what a client has been sent of one board, and what it gets next (`livechess/README.md#2`).

use std::sync::Arc;

use flagfall_game::follow::Follower;
use flagfall_protocols::square::{Color, Placement};
use flagfall_protocols::time::Instant;
use serde::{Serialize, Serializer};
use shakmaty::fen::{Fen, ParseFenError};
use shakmaty::{CastlingMode, Chess, PositionError};

use super::envelope;
use super::rest::Shown;
use crate::outputs::tap::{ClockPicture, Picture};

/// A clock as clients read it. It has exactly these keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub(super) struct Clock {
    white: u32,
    black: u32,
    /// `true` = White's clock runs, `false` = Black's, null = neither.
    #[serde(serialize_with = "white_runs")]
    run: Option<Color>,
    /// When it was read, in milliseconds since 1970.
    time: i64,
}

fn white_runs<S: Serializer>(running: &Option<Color>, out: S) -> Result<S::Ok, S::Error> {
    running.map(|color| color == Color::White).serialize(out)
}

impl Clock {
    /// The clock of a picture, of which `turned` = the client sees the board from the other side.
    pub(super) fn new(clock: ClockPicture, turned: bool) -> Clock {
        let ClockPicture { seconds, running, read_ms } = clock;
        match turned {
            false => Clock { white: seconds.white, black: seconds.black, run: running, time: read_ms },
            true => Clock { white: seconds.black, black: seconds.white, run: running.map(Color::other), time: read_ms },
        }
    }

    /// Whether it shows the same; the time at which it was read does not matter.
    fn shows(self, other: Clock) -> bool {
        Clock { time: 0, ..self } == Clock { time: 0, ..other }
    }
}

/// The line that a client has set up.
#[derive(Debug)]
struct Line {
    /// The start position as the client wrote it.
    start: String,
    follower: Follower,
}

/// What the client was sent last.
#[derive(Debug, Default)]
struct Sent {
    board: Option<String>,
    clock: Option<Option<Clock>>,
    line: Option<(Vec<String>, bool)>,
}

/// One subscription of a client.
#[derive(Debug)]
pub(super) struct Feed {
    /// The client's id of the feed, as JSON.
    pub(super) id: String,
    /// What the client said about how the board stands; none = as it was recognised.
    flip: Option<bool>,
    line: Option<Line>,
    /// The board with the latest picture that was seen.
    shown: Shown,
    sent: Sent,
}

/// An `eboardevent`. Keys that are none are left out: they have not changed.
#[derive(Serialize)]
struct Event<'a> {
    serialnr: &'a str,
    flipped: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    board: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    clock: Option<Option<Clock>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    start: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    san: Option<&'a [String]>,
    #[serde(rename = "match", skip_serializing_if = "Option::is_none")]
    is_match: Option<bool>,
}

impl Feed {
    /// A feed that was sent nothing.
    pub(super) fn new(id: &str, shown: Shown) -> Feed {
        Feed { id: id.to_owned(), flip: None, line: None, shown, sent: Sent::default() }
    }

    /// The id of the board.
    pub(super) fn board(&self) -> &str {
        &self.shown.seat.id
    }

    /// Whether the board is at another machine, which alone can follow its moves.
    pub(super) fn is_elsewhere(&self) -> bool {
        self.shown.seat.is_elsewhere
    }

    /// Begins a line of moves, and returns the messages about it.
    ///
    /// # Errors
    /// The text is no position, for the client.
    pub(super) fn set_up(&mut self, fen: &str, now: Now) -> Result<Vec<String>, String> {
        let start = position(fen)?;
        let follower = Follower::new(start, self.shown.picture.since(), &self.placement());
        self.line = Some(Line { start: fen.to_owned(), follower });
        self.sent.line = None;
        let mut messages = self.news(now);
        messages.extend(self.wake(now));
        Ok(messages)
    }

    /// Turns the board by the word of the client, and returns the messages about it. The line begins anew where it began.
    pub(super) fn turn(&mut self, flip: bool, now: Now) -> Vec<String> {
        self.flip = Some(flip);
        self.sent = Sent::default();
        let start = self.line.take().map(|line| line.start);
        // The position could be read before.
        match start.and_then(|start| self.set_up(&start, now).ok()) {
            Some(messages) => messages,
            None => self.news(now),
        }
    }

    /// Shows a picture to the feed, and returns the messages about it.
    pub(super) fn see(&mut self, picture: &Arc<Picture>, now: Now) -> Vec<String> {
        // It may be older than the one with which the feed began.
        if picture.number >= self.shown.picture.number {
            self.shown.picture = Arc::clone(picture);
            let placement = self.placement();
            if let Some(line) = &mut self.line {
                line.follower.see(picture.since(), &placement);
            }
        }
        self.wake(now)
    }

    /// When [`Feed::wake`] should be called, unless the board changes before.
    pub(super) fn deadline(&self) -> Option<Instant> {
        self.line.as_ref().and_then(|line| line.follower.deadline())
    }

    /// Handles the deadlines up to now, and returns the messages about everything that the client does not know.
    pub(super) fn wake(&mut self, now: Now) -> Vec<String> {
        if let Some(line) = &mut self.line {
            line.follower.wake(now.at);
        }
        self.news(now)
    }

    /// Whether the client sees the board from the other side.
    fn is_turned(&self) -> bool {
        self.flip.is_some_and(|flip| flip != self.shown.picture.rotated)
    }

    /// The placement as the client sees it.
    fn placement(&self) -> Placement {
        let placement = self.shown.picture.placement;
        if self.is_turned() { placement.rotated() } else { placement }
    }

    fn news(&mut self, now: Now) -> Vec<String> {
        let (turned, picture) = (self.is_turned(), &self.shown.picture);
        let shown = match &self.line {
            Some(line) => line.follower.placement().to_string(),
            None if turned => turned_fen(&picture.fen()),
            None => picture.fen(),
        };
        let clock = picture.clock.map(|clock| Clock::new(clock, turned));
        let same_clock = match (self.sent.clock, clock) {
            (Some(Some(sent)), Some(clock)) => sent.shows(clock),
            (sent, clock) => sent == Some(clock),
        };
        let line = self.line.as_ref().map(|line| {
            let san: Vec<String> = line.follower.san().map(str::to_owned).collect();
            (san, line.follower.is_match())
        });
        let new_board = self.sent.board.as_ref() != Some(&shown);
        let new_line = line != self.sent.line;
        if !new_board && same_clock && !new_line {
            return Vec::new();
        }
        let (serialnr, start) = (self.shown.serial(), self.line.as_ref().map(|line| line.start.as_str()));
        let mut event = Event {
            serialnr: &serialnr,
            flipped: self.flip.unwrap_or(picture.rotated),
            board: new_board.then_some(shown.as_str()),
            clock: (!same_clock).then_some(clock),
            start: None,
            san: None,
            is_match: None,
        };
        let mut messages = Vec::new();
        let sent = self.sent.line.as_ref().map(|(sent, _)| sent);
        if let Some((san, is_match)) = line.as_ref().filter(|_| new_board || new_line) {
            event.is_match = Some(*is_match);
            // A known client takes a list that is sent again for another castling.
            if sent != Some(san) {
                (event.start, event.san) = (start, Some(san.as_slice()));
            }
            if let Some(kept) = sent.and_then(|sent| replaced_from(sent, san)) {
                // A client that counts moves by the length of the list would miss a move that takes the place of another.
                let shorter = Event { san: Some(&san[..kept]), is_match: Some(false), ..event };
                messages.push(envelope::feed(&self.id, &shorter, now.utc_ms));
                (event.board, event.clock) = (None, None);
            }
        }
        messages.push(envelope::feed(&self.id, &event, now.utc_ms));
        self.sent.board = Some(shown);
        if !same_clock {
            self.sent.clock = Some(clock);
        }
        self.sent.line = line;
        messages
    }
}

/// A moment: for followers, and for messages in milliseconds since 1970.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Now {
    pub(super) at: Instant,
    pub(super) utc_ms: i64,
}

/// Where a list of moves differs from the one before, if it is neither longer nor shorter only.
fn replaced_from(before: &[String], after: &[String]) -> Option<usize> {
    let kept = before.iter().zip(after).take_while(|(one, other)| one == other).count();
    (kept < before.len() && kept < after.len()).then_some(kept)
}

fn turned_fen(fen: &str) -> String {
    fen.chars().rev().collect()
}

/// The position of a FEN.
fn position(text: &str) -> Result<Chess, String> {
    let fen: Fen = text.parse().map_err(|error: ParseFenError| format!("`fen`: {error}"))?;
    let mode = CastlingMode::detect(fen.as_setup());
    let position = fen.into_position::<Chess>(mode);
    position
        .or_else(PositionError::ignore_invalid_castling_rights)
        .or_else(PositionError::ignore_invalid_ep_square)
        .or_else(PositionError::ignore_too_much_material)
        .or_else(PositionError::ignore_impossible_check)
        .map_err(|error| format!("`fen`: {error}"))
}

#[cfg(test)]
mod tests;
