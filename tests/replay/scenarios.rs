//! The scenarios of `tests/README.md#4`: hand motions at an emulated board, or reports in an exact order.

mod reports;

mod at_the_flag;
mod busy_hands;
mod captures;
mod castling;
mod clock;
mod doubts;
mod ends;
mod fast;
mod flag;
mod gaps;
mod index;
mod irregular;
mod knocked;
mod lost;
mod moves;
mod next_game;
mod occupancy;
mod phases;
mod presses;
mod promotion;
mod rulings;
mod sensors;
mod settings;
mod setup;
mod touched;
mod without_clock;
