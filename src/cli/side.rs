//! Reads White or Black from the command line.

use clap::ValueEnum;
use flagfall_protocols::square::Color;

#[derive(Clone, Copy, ValueEnum)]
pub(super) enum Side {
    #[value(alias = "w")]
    White,
    #[value(alias = "b")]
    Black,
}

impl From<Side> for Color {
    fn from(side: Side) -> Color {
        match side {
            Side::White => Color::White,
            Side::Black => Color::Black,
        }
    }
}
