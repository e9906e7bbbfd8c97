//! The allocations of driver, game and decoder; these tests are a program of their own, because they count allocations.

#[path = "../bench/counting.rs"]
mod counting;
#[path = "../bench/feed.rs"]
mod feed;
#[path = "../bench/stream.rs"]
mod stream;

mod allocations;
mod decoder_cost;
