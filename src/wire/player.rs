//! Defines the two players in messages: their colours, and a pair with one value for each player.

use flagfall_game::pair;
use flagfall_protocols::square::Color;
use serde::{Deserialize, Serialize};

/// A player's colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs, reason = "the two names say it")]
pub enum Side {
    White,
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

/// One value for White and one for Black.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Pair<T> {
    /// White's.
    pub white: T,
    /// Black's.
    pub black: T,
}

impl<T, U: From<T>> From<pair::Pair<T>> for Pair<U> {
    fn from(pair: pair::Pair<T>) -> Pair<U> {
        Pair { white: pair.white.into(), black: pair.black.into() }
    }
}

impl<T> From<Pair<T>> for pair::Pair<T> {
    fn from(pair: Pair<T>) -> pair::Pair<T> {
        pair::Pair { white: pair.white, black: pair.black }
    }
}
