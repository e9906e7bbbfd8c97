//! The tables of the rules (`laws/README.md`), row by row, for every profile, with the sentence of
//! each kind of answer; popular opinions compared with the profiles; and
//! properties of every finding.

mod club;
mod fide;
mod flags;
mod illegal;
mod knowledge;
mod popular;
mod profiles;
mod properties;
mod support;
mod undecided;
mod us_chess;
mod words;
