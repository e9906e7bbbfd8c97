//! Offers the local API of DGT LiveChess, so that programs that were written for it work with every board of this node, or with all
//! boards of the event where the collector runs (`livechess/README.md`).
//!
//! `hall` has the boards, `programme` the event with its pairings. `envelope` reads and writes messages, `calls` answers them, `feed` is
//! one subscription, `rest` the same over HTTP GET, `origin` decides who may connect, and `server` connects all of them with the boards.

mod calls;
mod envelope;
mod feed;
mod hall;
mod natural;
mod origin;
mod programme;
mod rest;
mod server;

pub use hall::Hall;
pub use programme::Programme;
pub use server::{Bound, Running, bind};
