//! Reads the moves, revisions and alarms from the messages to arbiters.

use anyhow::{Context, Result};
use flagfall_protocols::trace;
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::publish::Message;

/// A report to arbiters.
#[derive(Clone, Debug)]
pub enum Reported {
    /// A sure move.
    Move {
        /// When, microseconds.
        at: u64,
        /// Whether it is the first game of the board.
        first_game: bool,
        /// The reported move.
        mv: ReportedMove,
    },
    /// The moves from a ply on have changed.
    Revision {
        /// When, microseconds.
        at: u64,
        /// The first ply that differs, from 1.
        from_ply: usize,
        /// The moves from there on.
        moves: Vec<ReportedMove>,
    },
    /// An alarm was opened, changed or closed.
    Alarm {
        /// When, microseconds.
        at: u64,
        /// The alarm.
        alarm: ReportedAlarm,
    },
}

/// A move as it was reported.
#[derive(Clone, Debug, Deserialize)]
pub struct ReportedMove {
    /// From 1.
    pub ply: usize,
    /// UCI notation.
    pub uci: String,
    /// The interval in which it was made, in microseconds.
    pub made_at: [u64; 2],
}

/// An alarm as it was reported.
#[derive(Clone, Debug, Deserialize)]
pub struct ReportedAlarm {
    /// Its number.
    pub id: u32,
    /// Its kind.
    pub kind: String,
    /// `loud`, `silent` or `note`.
    pub class: String,
    /// When it was opened, in microseconds.
    pub opened_at: u64,
}

/// Reads the messages for arbiters.
#[derive(Debug, Default)]
pub(super) struct Reports {
    pub(super) told: Vec<Reported>,
    game: Option<String>,
}

#[derive(Deserialize)]
struct Envelope<'a> {
    r#type: &'a str,
    game: &'a str,
    #[serde(borrow)]
    body: &'a RawValue,
}

#[derive(Deserialize)]
struct Audit {
    what: String,
}

#[derive(Deserialize)]
struct Revision {
    from_ply: usize,
    moves: Vec<ReportedMove>,
}

impl Reports {
    pub(super) fn handle_message(&mut self, message: &Message) -> Result<()> {
        if message.number == 0 || message.audience != trace::Audience::Arbiter {
            return Ok(());
        }
        self.read(message).with_context(|| format!("message {}", message.payload))
    }

    fn read(&mut self, message: &Message) -> Result<()> {
        let at = message.at.0;
        let envelope: Envelope<'_> = serde_json::from_str(&message.payload)?;
        let body = envelope.body.get();
        if envelope.r#type == "board.move" {
            let first_game = *self.game.get_or_insert_with(|| envelope.game.to_owned()) == envelope.game;
            self.told.push(Reported::Move { at, first_game, mv: serde_json::from_str(body)? });
            return Ok(());
        }
        let Ok(Audit { what }) = serde_json::from_str(body) else { return Ok(()) };
        match what.as_str() {
            "alarm" => self.told.push(Reported::Alarm { at, alarm: serde_json::from_str(body)? }),
            "revision" => {
                let Revision { from_ply, moves } = serde_json::from_str(body)?;
                self.told.push(Reported::Revision { at, from_ply, moves });
            }
            _ => {}
        }
        Ok(())
    }
}
