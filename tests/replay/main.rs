//! Hand motions, recordings and random input for driver, game and station: the game that was played comes out, in whatever pieces the
//! bytes come.

#[path = "../bench/counting.rs"]
#[allow(dead_code, reason = "the benches use more of it")]
mod counting;
#[path = "../bench/stream.rs"]
mod stream;
#[path = "../support/mod.rs"]
mod support;

mod audiences;
mod board_pgn;
mod bus_games;
mod captures;
mod coalesced_states;
mod cuts;
mod damage;
mod delay;
mod emulate_games;
mod every_board;
mod fuzz;
mod games;
mod invariants;
mod joins;
mod lost_step;
mod manners;
mod own_clock;
mod pgn;
mod restart;
mod round_games;
mod scenarios;
mod scene;
mod traces;
mod until_press;
mod update_size;
