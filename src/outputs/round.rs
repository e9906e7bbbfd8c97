//! Defines what is known of a round: its event, its pairings, and the game of each board as it was published.

use flagfall_game::clock::control::TimeControl;

use super::picture::Body;
use crate::system_clock::Utc;
use crate::wire::meta::PairingResult;
use crate::wire::player::Players;

/// A round of an event.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Round {
    /// The name of the event.
    pub event: String,
    /// Where it is played, such as `Utrecht NED`; empty if that is not known.
    pub site: String,
    /// The number of the round; none if it is not known.
    pub number: Option<u32>,
    /// The date of the round, `YYYY.MM.DD`; none if it is not known.
    pub date: Option<String>,
    /// The time control; none if it is not known.
    pub time_control: Option<TimeControl>,
    /// Whether the games are Chess960.
    pub chess960: bool,
    /// The games in the order of their boards.
    pub games: Vec<RoundGame>,
}

/// The game of one board.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RoundGame {
    /// The number of the board.
    pub board: u32,
    /// What identifies the game for receivers. It never changes for a pairing.
    pub id: String,
    /// The players, as far as they are known.
    pub players: Players,
    /// When the first move was made, UTC: date `YYYY.MM.DD` and time `HH:MM:SS`; none if that is not known.
    pub began: Option<(String, String)>,
    /// The game; none before the board has shown one.
    pub shown: Option<Body>,
    /// The result of the pairing. It counts for a game without moves only, such as a forfeit.
    pub pairing_result: Option<PairingResult>,
    /// How it ended, in a word of the standard of PGN; only arbiters' states tell it, and only the profile `archive` writes it.
    pub termination: Option<&'static str>,
}

/// A time as tags have it: `YYYY.MM.DD` and `HH:MM:SS`, UTC.
pub fn date_and_time(at: Utc) -> (String, String) {
    let text = at.to_string();
    let (date, time) = text.split_once('T').unwrap_or((&text, ""));
    (date.replace('-', "."), time.chars().take(8).collect())
}
