//! Defines a round as an output gets it: whole, as text, with nothing left to decide.

use std::sync::Arc;

use crate::wire::meta::OutputRequests;
use crate::wire::output::BoardMessage;

/// One round with all its games, for one output.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RoundBody {
    /// The id of the event.
    pub event: String,
    /// The id of the round.
    pub round: String,
    /// Whether it is the round that is played now.
    pub is_current: bool,
    /// The id of the round at lichess, for an output that pushes there; none if it has none.
    pub lichess_round: Option<String>,
    /// The games in the order of their boards.
    pub games: Vec<Arc<GameBody>>,
    /// `tournament.json`; empty for rounds that are not the present one.
    pub tournament: String,
    /// `index.json`.
    pub index: String,
    /// What the organiser asked of this output.
    pub requests: OutputRequests,
    /// What the collector found about single boards.
    pub notes: Vec<BoardMessage>,
}

/// One game of a round. A board has several only if the round has several games.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GameBody {
    /// The id of the board.
    pub board: String,
    /// The number of the board.
    pub number: u32,
    /// The number of half-moves in `pgn`.
    pub plies: u32,
    /// Whether it has moves and no result.
    pub is_on: bool,
    /// The game as PGN in the profile of the output, with a line feed at its end.
    pub pgn: String,
    /// The game as JSON (`outputs/README.md#2`).
    pub json: String,
}

impl RoundBody {
    /// All games as one PGN file.
    pub fn pgn(&self) -> String {
        join(self.games.iter().map(Arc::as_ref))
    }

    /// The number of half-moves of all games.
    pub fn plies(&self) -> u32 {
        self.games.iter().map(|game| game.plies).sum()
    }

    /// A checksum of everything that is sent: two bodies with the same one are the same for the receiver.
    pub fn checksum(&self) -> String {
        let mut text = String::new();
        for part in [&self.tournament, &self.index].into_iter().chain(self.lichess_round.as_ref()) {
            text.push_str(part);
            text.push('\n');
        }
        for game in &self.games {
            text.push_str(&game.pgn);
            text.push_str(&game.json);
        }
        format!("{:08x}-{}", flagfall_protocols::bytes::crc32(text.as_bytes()), text.len())
    }
}

/// Games as one PGN file: one blank line between two games.
pub(crate) fn join<'a>(games: impl IntoIterator<Item = &'a GameBody>) -> String {
    let texts: Vec<&str> = games.into_iter().map(|game| game.pgn.as_str()).collect();
    texts.join("\n")
}
