//! From games to hand motions and back: what hands play on an emulated board is what a station reads.

mod demo;
mod hands;
mod screen;
