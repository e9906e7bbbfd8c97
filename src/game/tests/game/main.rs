//! The game through its public functions: inputs with their times in, effects out.

#[path = "../../../../tests/support/seeds.rs"]
mod seeds;

mod advice;
mod arbiter;
mod automatic;
mod batteries;
mod board_questions;
mod claim_findings;
mod claims;
mod claims_and_flags;
mod contested;
mod counts;
mod damaged_clock;
mod decisions;
mod desk;
mod ending;
mod endings_on_board;
mod entries;
mod evidence;
mod falls;
mod flag_order;
mod game_of_decision;
mod gaps;
mod garbage;
mod hands;
mod health;
mod illegal_and_flag;
mod illegal_rulings;
mod illegal_stands;
mod joining;
mod kings;
mod late_acts;
mod late_endings;
mod live;
mod made_moves;
mod next_game;
mod observers;
mod rejections;
mod reopened;
mod sides;
mod signal;
mod spare;
mod taken_back_results;
mod told_delay;
mod unidentified;
