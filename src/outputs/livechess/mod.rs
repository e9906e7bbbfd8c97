//! Offers the local API of DGT LiveChess, so that programs that were written for it work with every board of this node
//! (`livechess/README.md`).
//!
//! `envelope` reads and writes messages, `calls` answers them, `feed` is one subscription, `rest` the same over HTTP GET, `origin`
//! decides who may connect, and `server` connects all of them with the boards.

mod calls;
mod envelope;
mod feed;
mod natural;
mod origin;
mod rest;
mod server;

pub use server::{LiveChess, Running};
