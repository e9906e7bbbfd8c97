//! Answers whether a player can checkmate the opponent by any possible series of legal moves (Articles 5.1.2, 5.2.2, 6.9, 7.5.5).
//!
//! **The promise** is that no answer is wrong. [`Answer::Winnable`] carries legal moves that end in mate by that side, and
//! [`Answer::Unwinnable`] a reason that [`check::check`] accepts. A question that the budget does not settle is
//! [`Answer::Undecided`]. The same position and budget give the same answer and the same line on every machine, because budgets
//! count nodes (positions).
//!
//! En passant and castling are part of the position. The 50-move, 75-move and repetition rules are not: the question is which
//! moves are possible, and no claim or count ends a series of moves. A position that no game can reach has an answer for the men
//! on the board.
//!
//! The order of the questions: is the game over, is the material enough, is the play forced; is there a mate that a short walk
//! finds, a wall around the position, a mate by a search in depth. Then two searches take turns with more and more positions: a
//! closure of all positions that can arise, and a guided search for a mate. At the end the searches for a mate go on until the
//! budget is spent. `stages` has the table, `mate/README.md` the arguments.
//!
//! [`shorten`] spends more time on a line that people read. [`dead`] checks Article 5.2.2 after every made move.

mod arena;
pub mod check;
mod closure;
mod deepen;
pub mod explain;
mod forced;
mod guided;
mod homes;
mod key;
mod meter;
mod near;
mod news;
mod picture;
mod probe;
mod reach;
pub mod reason;
mod roam;
mod short;
mod shortest;
mod solve;
mod stages;
mod steps;
#[cfg(test)]
mod tests;
mod watch;

pub use forced::{Forced, forced};
pub use key::MOST_MEN;
pub use reason::{Answer, Closure, Counters, ForcedEnd, Guard, Reach, Reason, Wall};
pub use short::shorten;
pub use shortest::{Shorter, shortest};
pub use solve::{Budget, at_once, counted, winnable};
pub use watch::{Life, Watch, dead, watched};
