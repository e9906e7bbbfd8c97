//! Defines what an output does with a round. Each output has a thread of its own (`worker.rs`), so it may wait as long as it must.

pub mod command;
pub mod files;
mod folder;
pub mod lichess;
mod pages;

use std::sync::Arc;
use std::time::Duration;

use crate::collect::body::RoundBody;
use crate::config::{Output, OutputKind};
use crate::http::Pages;
use crate::wire::output::BoardMessage;

/// Sends whole rounds to one receiver. It may block; it must end by itself within a time that it knows.
pub trait Sink: Send {
    /// Sends a round as it is now. It is called again with the same body after a failure, after a heartbeat, and at a person's request.
    fn send(&mut self, body: &RoundBody) -> Answer;

    /// Empties the round at the receiver, because a person asked for it; the round is sent again afterwards. Most receivers have nothing
    /// to empty.
    fn reset(&mut self, _round: &RoundBody) -> Answer {
        Answer::accepted()
    }
}

/// What became of one attempt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// Whether the receiver has the round, and if not, what follows.
    pub verdict: Verdict,
    /// The status code, of a receiver that speaks HTTP.
    pub http: Option<u16>,
    /// A sentence that says what is wrong and what to do; empty if nothing is wrong. It contains no secrets.
    pub message: String,
    /// What is wrong with single boards, also where the receiver took the others.
    pub boards: Vec<BoardMessage>,
}

/// Whether the receiver has the round.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It has.
    Accepted,
    /// Not now. The next attempt follows after this time; if none, after the usual waits.
    Retry(Option<Duration>),
    /// It refuses, and a person must change something. The next attempt follows after five minutes or at a person's request.
    Refused,
}

impl Answer {
    /// The receiver has everything.
    pub fn accepted() -> Answer {
        Answer { verdict: Verdict::Accepted, http: None, message: String::new(), boards: Vec::new() }
    }

    /// The attempt failed, and another one follows after the usual wait.
    pub fn failed(message: impl Into<String>) -> Answer {
        Answer { verdict: Verdict::Retry(None), message: message.into(), ..Answer::accepted() }
    }
}

/// The sink of an output. Outputs to one account of lichess share one of the `lines`.
pub fn make(output: &Output, lines: &mut lichess::Lines, pages: &Arc<Pages>) -> Box<dyn Sink> {
    let files = || files::Files::new(output.dir.clone(), output.split);
    match output.kind {
        OutputKind::Files => Box::new(files()),
        OutputKind::Command => Box::new(command::Command::new(files(), output)),
        OutputKind::Pages => Box::new(pages::RoundPages::new(pages)),
        OutputKind::Lichess => Box::new(lichess::Lichess::new(output, lines)),
    }
}
