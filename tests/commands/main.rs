//! Every command of the program as a user types it.

#[path = "../support/mod.rs"]
mod support;

mod adjudicate_command;
mod adjudicate_contradictions;
mod adjudicate_rows;
mod config_commands;
mod demo;
mod demo_terminal;
mod emulate_board;
mod emulate_command;
mod event_archive;
mod event_command;
mod event_words;
#[cfg(feature = "tools")]
mod fleet_command;
mod help;
mod packaged;
mod simulate;
mod winnable_command;
