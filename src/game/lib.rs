//! Derives moves, flag-falls and findings under the Laws of Chess from sensor events and clock presses.
//!
//! **The promise:** the same inputs give the same outputs. Nothing in this crate reads a clock, does input or output, has a
//! thread or depends on the environment; time comes in with every input.
//!
//! [`game::Game::step`] follows the order of an arbiter's questions: what was played, is it over, what is wrong, what do the Laws
//! say, who must know?
#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;

mod after_gap;
mod after_illegal;
mod after_result;
pub mod alarm;
pub mod arbiter_entries;
pub mod audit;
mod board_questions;
mod case;
pub mod clock;
mod clocks;
mod commands;
pub mod config;
mod contradicted_end;
mod corrections;
mod counted;
pub mod decision;
mod decisions;
pub mod effect;
mod entries;
mod evidence;
mod facts;
mod flag_context;
pub mod follow;
pub mod game;
pub mod game_phase;
pub mod health;
mod hidden_moves;
pub mod input;
pub mod interval;
mod irregular;
mod joining;
pub mod laws;
mod lifecycle;
pub mod mate;
mod men;
mod monitor;
mod moves_after_result;
mod next_game;
pub mod open_matters;
pub mod pair;
mod pauses;
mod penalties;
mod play;
pub mod played;
mod pressed;
mod promotions;
mod putting_back;
pub mod reconstruct;
mod reported_moves;
mod reports;
mod rulings;
mod scan;
mod seen;
mod spare;
mod touch_observations;

pub use clock::flag::{FlagFall, FlagPath};
pub use decision::AUTOMATIC;
pub use men::{color_name, of_piece, to_color};
