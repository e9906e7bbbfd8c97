//! Reads a published `board.state` of the live or public audience. It comes from the network, so nothing in it is trusted.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::system_clock::Utc;
use crate::wire::clock::ClockBody;
use crate::wire::moves::LiveMove;
use crate::wire::moves_part::PartsBefore;
use crate::wire::outcome::GameResult;
use crate::wire::player::{Players, Side};
use crate::wire::state::{Lists, LiveState, Segment};
use crate::wire::time::TimeSource;

/// The largest state that is read, in bytes. A node publishes nothing larger (`wire/README.md#3`).
pub const MAX_STATE: usize = 256 << 10;
/// The largest number of half-moves of a game, with all its parts.
pub const MAX_PLIES: usize = 1200;
/// The largest number of parts before the present one.
pub const MAX_SEGMENTS: usize = 8;

/// One state with the fields of its header that outputs need.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Picture {
    /// The id of the game.
    pub game: String,
    /// The number of changes of the game.
    pub rev: u32,
    /// The node that published it; empty in a message that was not sent yet.
    #[serde(default)]
    pub node: String,
    /// How often that node was started.
    #[serde(default)]
    pub boot: u64,
    /// When it was true.
    #[serde(default)]
    pub t: PictureTime,
    /// What the board shows.
    pub body: Body,
}

/// The time of a state.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct PictureTime {
    /// Microseconds since the journal began.
    pub us: u64,
    /// The same for people, RFC 3339.
    pub utc: String,
    /// The source of the time for people.
    pub sync: TimeSource,
}

/// The body of a state, as far as outputs need it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Body {
    /// The number of the game on this board.
    pub game_no: u32,
    /// The start position of the present part, FEN.
    pub initial_fen: String,
    /// The made moves of the present part.
    pub moves: Vec<PictureMove>,
    /// The ply of the first move in `moves`, if earlier ones are in the parts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub moves_from: Option<u32>,
    /// The parts with all moves before `moves`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parts: Option<PartsBefore>,
    /// The parts of the game before it.
    #[serde(default)]
    pub segments: Vec<PictureSegment>,
    /// The times.
    #[serde(default)]
    pub clock: PictureClock,
    /// The result, if it is known.
    pub result: Option<GameResult>,
    /// When the first move of the game was made, RFC 3339, if a synchronised clock has told it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub began: Option<String>,
    /// Which game of the round it is, from 1, if its node has said so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub round_game: Option<u32>,
    /// The players, as far as they are known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub players: Option<Players>,
}

/// The times of both clocks.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct PictureClock {
    /// White's time, milliseconds, if it is known.
    pub white_ms: Option<u32>,
    /// Black's time, milliseconds, if it is known.
    pub black_ms: Option<u32>,
    /// Whose clock runs.
    pub running: Option<Side>,
    /// When it was read, microseconds since the journal began.
    pub read_us: u64,
}

/// A part of a game that has a start position of its own.
pub type PictureSegment = Segment<PictureMove>;

/// One made move with both times after it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PictureMove {
    /// Standard algebraic notation.
    pub san: String,
    /// White's time after it, milliseconds, if it is known.
    pub white_ms: Option<u32>,
    /// Black's time after it, milliseconds, if it is known.
    pub black_ms: Option<u32>,
}

/// The reason why a state cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PictureError {
    /// It has more than [`MAX_STATE`] bytes.
    TooLarge(usize),
    /// It is not JSON of this form; the text names line and column.
    Json(String),
    /// It has more half-moves or parts than a game can have.
    TooLong,
}

impl fmt::Display for PictureError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PictureError::TooLarge(bytes) => write!(f, "the state has {bytes} bytes, the limit is {MAX_STATE}"),
            PictureError::Json(why) => write!(f, "the state cannot be read: {why}"),
            PictureError::TooLong => write!(f, "the state has more than {MAX_PLIES} half-moves or {MAX_SEGMENTS} parts"),
        }
    }
}

impl std::error::Error for PictureError {}

impl Picture {
    /// Reads the payload of a state. Unknown fields are ignored.
    ///
    /// # Errors
    /// See [`PictureError`].
    pub fn read(payload: &[u8]) -> Result<Picture, PictureError> {
        if payload.len() > MAX_STATE {
            return Err(PictureError::TooLarge(payload.len()));
        }
        let picture: Picture = serde_json::from_slice(payload).map_err(|error| PictureError::Json(error.to_string()))?;
        picture.check_length()?;
        Ok(picture)
    }

    /// # Errors
    /// It has more half-moves or parts than a game can have.
    pub(super) fn check_length(&self) -> Result<(), PictureError> {
        let is_long = self.body.plies() > MAX_PLIES || self.body.segments.len() > MAX_SEGMENTS;
        if is_long { Err(PictureError::TooLong) } else { Ok(()) }
    }
}

impl PictureTime {
    /// The time for people, microseconds since 1970, of an earlier moment in microseconds since the journal began. None for 0, for a later
    /// moment, and if the message has no time for people.
    pub fn utc_of(&self, us: u64) -> Option<i64> {
        let utc = Utc::parse(&self.utc)?;
        let earlier = i64::try_from(self.us.checked_sub(us)?).ok()?;
        (us > 0).then(|| utc.after_micros(-earlier).0)
    }
}

impl Body {
    /// The fields that have its moves.
    pub(crate) fn lists(&mut self) -> Lists<'_, PictureMove> {
        let Body { initial_fen, moves, moves_from, parts, segments, .. } = self;
        Lists { initial_fen, moves, moves_from, parts, segments }
    }

    /// Whether parts of its moves are missing (`wire/README.md#2.2`).
    pub fn is_incomplete(&self) -> bool {
        self.parts.is_some() || self.moves_from.is_some_and(|from| from > 1)
    }

    /// The number of made moves in all parts of the game.
    pub fn plies(&self) -> usize {
        self.moves.len() + self.segments.iter().map(|part| part.moves.len()).sum::<usize>()
    }
}

impl From<&LiveState> for Body {
    fn from(state: &LiveState) -> Body {
        let moves = |moves: &[LiveMove]| {
            let one = |LiveMove { san, white_ms, black_ms, .. }: &LiveMove| PictureMove {
                san: san.to_string(),
                white_ms: *white_ms,
                black_ms: *black_ms,
            };
            moves.iter().map(one).collect()
        };
        let segment =
            |part: &Segment<LiveMove>| PictureSegment { initial_fen: part.initial_fen.clone(), moves: moves(&part.moves) };
        let ClockBody { white_ms, black_ms, running, read_us, .. } = state.clock;
        let running = running.map(|side| if side == "white" { Side::White } else { Side::Black });
        Body {
            game_no: state.game_no,
            initial_fen: state.initial_fen.clone(),
            moves: moves(&state.moves),
            moves_from: state.moves_from,
            parts: state.parts,
            segments: state.segments.iter().map(segment).collect(),
            clock: PictureClock { white_ms, black_ms, running, read_us },
            result: state.result,
            began: state.began.map(|began| began.to_string()),
            round_game: state.round_game,
            players: state.players.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A state of contract 1.0, as nodes of the version of 2026-11-23 retain it.
    #[test]
    fn the_state_of_an_older_node_is_read() {
        let state = r#"{"v":"1.0","type":"board.state","game":"open26-5-12-g1","rev":7,"node":"pi-07","boot":3,
            "t":{"us":9000000,"utc":"2026-11-23T19:00:09.000Z","sync":"ntp"},"body":{"game_no":1,
            "initial_fen":"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
            "fen":"rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1",
            "moves":[{"ply":1,"san":"e4","uci":"e2e4","white_ms":5425000,"black_ms":5400000}],
            "clock":{"white_ms":5425000,"black_ms":5400000,"running":"black","read_us":8000000,"resolution_ms":1000,"source":"dgt"},
            "result":null}}"#;
        let picture = Picture::read(state.as_bytes()).expect("a state");
        assert_eq!((picture.rev, picture.body.moves[0].san.as_str(), picture.body.players), (7, "e4", None));
        assert_eq!(picture.body.clock.running, Some(Side::Black));
    }

    #[test]
    fn hostile_states_are_errors() {
        let move_of = r#"{"san":"e4","white_ms":1,"black_ms":null}"#;
        let state = |moves: &str| {
            format!(r#"{{"game":"g","rev":1,"x":0,"body":{{"game_no":1,"initial_fen":"","moves":[{moves}],"result":"*"}}}}"#)
        };
        assert_eq!(Picture::read(state(move_of).as_bytes()).expect("a state").body.moves.len(), 1);
        let long = [move_of; MAX_PLIES + 1].join(",");
        assert_eq!(Picture::read(state(&long).as_bytes()), Err(PictureError::TooLong));
        assert_eq!(Picture::read(&vec![b' '; MAX_STATE + 1]), Err(PictureError::TooLarge(MAX_STATE + 1)));
        for bad in ["", "[]", "{", &state("7"), &state(move_of).replace("\"*\"", "\"2-0\""), "\u{0}"] {
            assert!(matches!(Picture::read(bad.as_bytes()), Err(PictureError::Json(_))), "{bad}");
        }
    }
}
