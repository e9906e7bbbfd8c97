//! Runs the one thread that answers questions that may take long. The limits of a search count nodes, never time. One question is
//! answered at a time, so that the memory of a search (64 MiB at most) is used once, and only while it runs.

use std::panic::catch_unwind;
use std::sync::Arc;
use std::thread::JoinHandle;

use flagfall_game::laws::answering::{self, Answered};
use flagfall_game::laws::winnable::{Answer, Ask, why};

use super::inbox::{Inbox, Popped};
use super::message::ToStation;

/// A question, and the inbox of the station that asks it.
pub(super) struct Question {
    /// The question.
    pub(super) ask: Ask,
    /// The inbox of the station that asks.
    pub(super) station: Arc<Inbox<ToStation>>,
}

/// Starts the thread, which ends when the inbox is closed and empty.
///
/// # Errors
/// The operating system gives no thread.
pub(super) fn start(inbox: Arc<Inbox<Question>>) -> std::io::Result<JoinHandle<()>> {
    let owner = inbox.replace_owner();
    std::thread::Builder::new().name("worker".to_owned()).spawn(move || {
        loop {
            match inbox.pop(owner, None) {
                Popped::Item(question) => answer(&question),
                Popped::TimedOut => {}
                Popped::Closed => return,
            }
        }
    })
}

fn answer(question: &Question) {
    let answered = solve(&question.ask);
    if let Some(refused) = answered.refused {
        let Ask { fen, side, .. } = &question.ask;
        tracing::error!("a proof for {side} in {fen} was thrown away, the question stays open: {}", why(refused));
    }
    if !question.station.offer(ToStation::Answer(answered.answer)) {
        tracing::warn!("an answer found no room in its station's inbox");
    }
}

/// A question on which the solver panics stays open; later questions are answered all the same.
fn solve(ask: &Ask) -> Answered {
    catch_unwind(|| answering::answer(ask)).unwrap_or_else(|_| {
        tracing::error!("the solver broke on {} in {}", ask.side, ask.fen);
        Answered { answer: Answer::open(ask), refused: None }
    })
}
