//! Defines the two players in messages: their colours, who they are, and a pair with one value for each player.

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

/// A player, for people. Fields that are not known are left out.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(default)]
pub struct Player {
    /// The name.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 200))]
    pub name: Option<String>,
    /// The title, such as `WFM`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(regex(pattern = r"^[A-Za-z]{1,5}$"))]
    pub title: Option<String>,
    /// The rating.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 4000))]
    pub rating: Option<u16>,
    /// The federation, three letters as FIDE writes it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(regex(pattern = r"^[A-Z]{3}$"))]
    pub federation: Option<String>,
    /// The number of the player at FIDE.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fide_id: Option<u32>,
}

impl Player {
    /// Returns a player of whom only the name is known.
    pub fn named(name: &str) -> Player {
        Player { name: Some(name.to_owned()), ..Player::default() }
    }
}

/// The players of a board. A player of whom nothing is known is left out.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Players {
    /// White.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub white: Option<Player>,
    /// Black.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub black: Option<Player>,
}

impl Players {
    /// Returns the players; none if nothing is known of both.
    pub fn known(white: Option<Player>, black: Option<Player>) -> Option<Players> {
        let [white, black] = [white, black].map(|player| player.filter(|player| *player != Player::default()));
        (white.is_some() || black.is_some()).then_some(Players { white, black })
    }
}
