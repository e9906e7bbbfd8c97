//! Runs the one thread that answers questions that may take long. The limits of a search count nodes, never time. One question is
//! answered at a time, so that the memory of a search (64 MiB at most) is used once, and only while it runs.
//!
//! An answer goes out as soon as it exists. A shorter line for an arbiter to play over is looked for afterwards, while no question
//! waits, and goes out as a second answer to the same question. A restart forgets which lines were still to be shortened.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
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

/// The largest number of answers whose line waits to be shortened. The oldest ones stay as they are.
const MOST_LINES: usize = 16;

/// An answer with a line that may be longer than necessary.
struct Line {
    question: Question,
    answer: Answer,
}

/// Starts the thread, which ends when the inbox is closed and empty. It shortens lines only while no question waits.
///
/// # Errors
/// The operating system gives no thread.
pub(super) fn start(inbox: Arc<Inbox<Question>>) -> std::io::Result<JoinHandle<()>> {
    let owner = inbox.replace_owner(None);
    std::thread::Builder::new().name("worker".to_owned()).spawn(move || {
        let mut lines: VecDeque<Line> = VecDeque::new();
        loop {
            match if lines.is_empty() { inbox.pop(owner) } else { inbox.take(owner) } {
                Popped::Item(question) => {
                    if lines.len() == MOST_LINES {
                        lines.pop_front();
                    }
                    lines.extend(answer(question));
                }
                Popped::TimedOut => {
                    // A line whose search was interrupted waits until no question is left.
                    let Some(line) = lines.pop_front() else { continue };
                    if !shorten(&line, &|| inbox.is_idle(owner)) {
                        lines.push_front(line);
                    }
                }
                Popped::Closed => return,
            }
        }
    })
}

/// Answers a question. Returns the answer if its line may be longer than necessary.
fn answer(question: Question) -> Option<Line> {
    let answered = solve(&question.ask);
    if let Some(refused) = answered.refused {
        let Ask { fen, side, .. } = &question.ask;
        tracing::error!("a proof for {side} in {fen} was thrown away, the question stays open: {}", why(refused));
    }
    send(&question, answered.answer.clone());
    let long = answered.answer.line.is_some() && !answered.answer.shortest;
    long.then_some(Line { question, answer: answered.answer })
}

/// Looks for a shorter line and sends it. Returns false if the search was interrupted.
fn shorten(line: &Line, go_on: &dyn Fn() -> bool) -> bool {
    let interrupted = AtomicBool::new(false);
    let go_on = || {
        let wanted = go_on();
        interrupted.fetch_or(!wanted, Ordering::Relaxed);
        wanted
    };
    let Line { question, answer } = line;
    match catch_unwind(AssertUnwindSafe(|| answering::shorter(&question.ask, answer, &go_on))) {
        _ if interrupted.load(Ordering::Relaxed) => return false,
        Ok(Some(shorter)) => send(question, shorter),
        Ok(None) => {}
        Err(_) => tracing::error!("the search for a shorter line broke on {} in {}", question.ask.side, question.ask.fen),
    }
    true
}

fn send(question: &Question, answer: Answer) {
    if !question.station.offer(ToStation::Answer(answer)) {
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
