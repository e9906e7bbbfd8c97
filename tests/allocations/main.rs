//! What driver, game and decoder allocate: alone in their program, because they count.

#[path = "../bench/counting.rs"]
mod counting;
#[path = "../bench/feed.rs"]
mod feed;
#[path = "../bench/stream.rs"]
mod stream;

mod allocations;
mod decoder_cost;
