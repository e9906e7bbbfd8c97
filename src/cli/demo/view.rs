//! Draws what a subscriber and an arbiter see: two boards in 80 columns and 20 rows, or one line for each event.
//!
//! A board has three columns: its diagram, what the public sees, and what the arbiter sees. At a flag-fall the arbiter's column
//! has the order of an arbiter's screen: whose flag fell, what to do, the proposal, what was completed, the reason, what to
//! check, and what is unknown.

use serde_json::Value;

use flagfall_protocols::trace::Audience;

use super::topic::Topic;

mod arbiter;
mod diagram;
mod event_line;
mod paint;
mod public;

use paint::{Paint, fit};

/// The widths of the diagram, the public's column and the arbiter's column, in characters. Two spaces are between them.
const WIDTHS: [usize; 3] = [18, 22, 36];
/// The rows of a board under its title: eight ranks, and the names of the files.
const ROWS: usize = 9;

/// A board on the screen, with the names of its players.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Named {
    /// Its id in topics.
    pub id: String,
    /// For people.
    pub white: String,
    /// For people.
    pub black: String,
}

/// The last messages of a board.
#[derive(Clone, Debug, Default)]
struct Board {
    /// The state for the public audience, or for the live one while there is none.
    public: Value,
    /// Whether it is the public audience's own state.
    delayed: bool,
    clock: Value,
    arbiter: Value,
    ruling: Value,
    /// Microseconds since the journal began, of the newest message.
    newest: u64,
    events: [u64; 2],
}

/// The screen, with the last messages of each board.
#[derive(Clone, Debug)]
pub struct View {
    colour: bool,
    boards: Vec<(Named, Board)>,
}

impl View {
    /// Makes an empty screen. With `colour` it contains ANSI sequences.
    pub fn new(colour: bool, boards: Vec<Named>) -> View {
        View { colour, boards: boards.into_iter().map(|named| (named, Board::default())).collect() }
    }

    /// Handles a message. Returns a line for people if it is an event; none for states, and for messages about other boards.
    pub fn handle_message(&mut self, topic: &str, payload: &[u8]) -> Option<String> {
        let topic = Topic::read(topic)?;
        let (_, board) = self.boards.iter_mut().find(|(named, _)| named.id == topic.board)?;
        if payload.is_empty() {
            if topic.kind == "ruling" {
                board.ruling = Value::Null;
            }
            return None;
        }
        match serde_json::from_slice::<Value>(payload) {
            Ok(message) => {
                board.handle_message(topic, &message);
                event_line::event_line(topic, &message)
            }
            Err(error) => Some(format!("board {} {}: payload is no JSON: {error}", topic.board, topic.audience.name())),
        }
    }

    /// Returns the boards as they are now: rows of at most 80 columns, each ended by a line feed. Two boards take 20 rows.
    pub fn frame(&self) -> String {
        let paint = Paint { colour: self.colour };
        let mut text = String::new();
        for (named, board) in &self.boards {
            let players = format!("Board {}  {} - {}", named.id, named.white, named.black);
            let heads = [paint.bold(&fit(&players, WIDTHS[0] + 2 + WIDTHS[1])), paint.bold(&fit("ARBITER SEES", WIDTHS[2]))];
            row(&mut text, &heads);
            let diagram = diagram::rows(&board.placement(), paint);
            let (public, arbiter) = (board.public_rows(paint), board.arbiter_rows(paint));
            for at in 0..ROWS {
                let cell = |rows: &[String], width| rows.get(at).cloned().unwrap_or_else(|| " ".repeat(width));
                let cells = [cell(&diagram, WIDTHS[0]), cell(&public, WIDTHS[1]), cell(&arbiter, WIDTHS[2])];
                row(&mut text, &cells);
            }
        }
        text
    }

    /// Returns how many events came to each audience.
    pub fn counts(&self) -> String {
        let count = |audience: usize| self.boards.iter().map(|(_, board)| board.events[audience]).sum::<u64>();
        format!("Events: {} public, {} arbiters.", count(0), count(1))
    }
}

/// Adds a row. The cells are already coloured and have their full width.
fn row(text: &mut String, cells: &[String]) {
    let joined = cells.join("  ");
    text.push_str(joined.trim_end());
    text.push('\n');
}

impl Board {
    fn handle_message(&mut self, topic: Topic<'_>, message: &Value) {
        self.newest = self.newest.max(message["t"]["us"].as_u64().unwrap_or(0));
        let body = &message["body"];
        let public = topic.audience == Audience::Public;
        let counts = usize::from(topic.audience == Audience::Arbiter);
        match (topic.audience, topic.kind) {
            (Audience::Arbiter, "state") => self.arbiter = body.clone(),
            (Audience::Arbiter, "ruling") => self.ruling = body.clone(),
            (_, "state") if public || !self.delayed => {
                let before = std::mem::replace(&mut self.public, body.clone());
                public::keep_earlier_moves(&before, &mut self.public);
                self.clock = body["clock"].clone();
                self.delayed = public;
            }
            (_, "clock") if public || !self.delayed => self.clock = body.clone(),
            _ if message["no"].is_u64() && (counts == 1 || public || !self.delayed) => self.events[counts] += 1,
            _ => {}
        }
    }

    /// The position on the board, the placement field of a FEN, White below.
    fn placement(&self) -> String {
        let sensors = self.arbiter["board"].as_str();
        let turned = self.arbiter["rotated"] == true;
        match (sensors, self.public["fen"].as_str()) {
            (Some(board), _) if turned => board.chars().rev().collect(),
            (Some(board), _) => board.to_owned(),
            (None, Some(fen)) => fen.split(' ').next().unwrap_or_default().to_owned(),
            (None, None) => String::new(),
        }
    }
}
