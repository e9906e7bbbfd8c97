//! The tables of the rules (`laws/README.md`), row by row, for every profile; what popular texts say and what the profiles say;
//! and what must hold of every finding.

#[path = "laws/club.rs"]
mod club;
#[path = "laws/fide.rs"]
mod fide;
#[path = "laws/flags.rs"]
mod flags;
#[path = "laws/illegal.rs"]
mod illegal;
#[path = "laws/knowledge.rs"]
mod knowledge;
#[path = "laws/popular.rs"]
mod popular;
#[path = "laws/profiles.rs"]
mod profiles;
#[path = "laws/properties.rs"]
mod properties;
#[path = "laws/support.rs"]
mod support;
#[path = "laws/us_chess.rs"]
mod us_chess;
