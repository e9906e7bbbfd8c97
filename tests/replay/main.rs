//! Hand motions, recordings and random input through driver, game and station: what was played, told the same however it is cut.

#[path = "../bench/counting.rs"]
#[allow(dead_code, reason = "the benches use more of it")]
mod counting;
#[path = "../support/mod.rs"]
mod support;

mod bus_games;
mod captures;
mod coalesced_states;
mod cuts;
mod delay;
mod emulate_games;
mod every_board;
mod fuzz;
mod games;
mod invariants;
mod own_clock;
mod restart;
mod scenarios;
mod scene;
mod traces;
mod winnable;
