//! Can a player checkmate the opponent by any possible series of legal moves (Articles 5.1.2, 5.2.2, 6.9, 7.5.5)?
//!
//! **The promise:** never a wrong answer. [`Answer::Winnable`] carries legal moves that end in mate by that side,
//! [`Answer::Unwinnable`] a reason that [`check::check`] accepts, and what the budget does not settle is
//! [`Answer::Undecided`]. Same position and budget, same answer and same line on every machine: budgets count nodes.
//!
//! En passant and castling are part of the position. The 50-move, 75-move and repetition rules are not: the question is
//! what moves are possible, and no claim or count cuts a series short. Positions that no game can reach are answered for
//! what stands on the board.
//!
//! The order of the questions: is the game over, is the material enough, is the play forced; is there a mate that a short walk
//! finds, a wall around the position, a mate by a search in depth; and then by turns, with more and more positions: what do all
//! that can arise say, and is there a mate that a guided search finds? `stages` has the table, `mate/README.md` the arguments.
//!
//! [`shorten`] takes more time for a line that people read; [`dead`] is the watch of Article 5.2.2 after every made move.

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
mod probe;
mod reach;
pub mod reason;
mod roam;
mod short;
mod solve;
mod stages;
mod steps;
#[cfg(test)]
mod tests;
mod watch;

pub use forced::{Forced, forced};
pub use reason::{Answer, Closure, Counters, ForcedEnd, Guard, Reach, Reason, Wall};
pub use short::shorten;
pub use solve::{Budget, at_once, counted, winnable};
pub use watch::{Life, Watch, dead, watched};
