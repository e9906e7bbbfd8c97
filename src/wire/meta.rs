//! Defines the messages of the organiser: the event with its current round, and the pairings of each round (`wire/README.md#11`).
//! They come from the network, so readers check them with [`MetaEvent::check`] and [`MetaRound::check`].

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};

use super::player::Player;
use super::topics::is_id;

/// The largest message that is read, in bytes.
pub const MAX_META: usize = 256 << 10;
/// The largest number of boards of a round.
pub const MAX_BOARDS: usize = 512;
/// The largest number of rounds of an event.
pub const MAX_ROUNDS: u32 = 99;
/// The longest delay of the public, in seconds.
pub const MAX_DELAY: u32 = 86_400;

/// A message of the organiser: its header and its body.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Meta<T> {
    /// The version of the message format.
    pub v: String,
    /// The type of the body: `meta.event` or `meta.round`.
    #[serde(rename = "type")]
    pub kind: String,
    /// The number of the change. A message whose number does not grow is refused.
    pub rev: u64,
    /// What the organiser says.
    pub body: T,
}

/// Body of `meta.event`, on `meta/<event>`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct MetaEvent {
    /// Identifies the event on all machines: 32 hexadecimal digits, with or without hyphens.
    pub uuid: String,
    /// The name of the event.
    pub name: String,
    /// The town; empty if it is not known.
    #[serde(default)]
    pub site: String,
    /// The country, three letters; empty if it is not known.
    #[serde(default)]
    pub country: String,
    /// The number of rounds.
    pub rounds: u32,
    /// The id of the current round.
    pub round: String,
    /// Whether boards change to the current round even while their game goes on. Only a person may set it.
    #[serde(default)]
    pub force: bool,
    /// The time control of rounds that have not begun, in PGN notation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time_control: Option<String>,
    /// The rules of rounds that have not begun.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub profile: Option<String>,
    /// The delay of the public, seconds. A node takes the larger one of this and its own.
    #[serde(default)]
    pub delay: u32,
    /// The delay of the public in half-moves. A node takes the larger one of this and its own.
    #[serde(default)]
    pub delay_moves: u32,
    /// Whether rounds that have not begun are Chess960.
    #[serde(default)]
    pub chess960: bool,
}

/// Body of `meta.round`, on `meta/<event>/<round>`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct MetaRound {
    /// The number of the round.
    pub number: u32,
    /// Its date, `YYYY-MM-DD`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub date: Option<String>,
    /// When it begins, RFC 3339.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start: Option<String>,
    /// The id of the round at lichess.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lichess_round: Option<String>,
    /// The pairings.
    #[serde(default)]
    pub boards: Vec<Pairing>,
    /// What the organiser asked of outputs, by their names.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub outputs: BTreeMap<String, OutputRequests>,
}

/// Two players at a board.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Pairing {
    /// The id of the board in topics.
    pub board: String,
    /// The number of the board.
    pub number: u32,
    /// The id of the device on this board.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub device: Option<String>,
    /// White.
    #[serde(default)]
    pub white: Player,
    /// Black.
    #[serde(default)]
    pub black: Player,
    /// The result of a game without moves on an electronic board.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<PairingResult>,
    /// How many games of this board belong to the round; one if it is left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub games: Option<u32>,
    /// The number of the game on this board that is the round's game, if a person chose it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub game: Option<u32>,
    /// How many times a person asked to take the board's present state, even if it has fewer moves.
    #[serde(default, skip_serializing_if = "super::is_zero")]
    pub reset: u32,
    /// How many times the players of this board were replaced by others.
    #[serde(default, skip_serializing_if = "super::is_zero")]
    pub replaced: u32,
}

/// What the organiser asked of an output. Each number counts how many times that was; a collector acts when it grows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(default)]
pub struct OutputRequests {
    /// Try to send now.
    pub retry: u32,
    /// Empty the round at the receiver and send everything again.
    pub reset: u32,
}

/// The result of a pairing. Unlike the result of a game on the board it can be a forfeit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[allow(missing_docs, reason = "the notation says it")]
pub enum PairingResult {
    #[serde(rename = "1-0")]
    WhiteWins,
    #[serde(rename = "0-1")]
    BlackWins,
    #[serde(rename = "1/2-1/2")]
    Draw,
    #[serde(rename = "+/-")]
    BlackForfeits,
    #[serde(rename = "-/+")]
    WhiteForfeits,
    #[serde(rename = "-/-")]
    BothForfeit,
    #[serde(rename = "0-0")]
    BothLose,
    #[serde(rename = "1/2-0")]
    HalfToWhite,
    #[serde(rename = "0-1/2")]
    HalfToBlack,
}

impl PairingResult {
    /// All results with their notation.
    pub const ALL: [(PairingResult, &str); 9] = [
        (PairingResult::WhiteWins, "1-0"),
        (PairingResult::BlackWins, "0-1"),
        (PairingResult::Draw, "1/2-1/2"),
        (PairingResult::BlackForfeits, "+/-"),
        (PairingResult::WhiteForfeits, "-/+"),
        (PairingResult::BothForfeit, "-/-"),
        (PairingResult::BothLose, "0-0"),
        (PairingResult::HalfToWhite, "1/2-0"),
        (PairingResult::HalfToBlack, "0-1/2"),
    ];

    /// Its notation, such as `+/-`.
    pub fn notation(self) -> &'static str {
        Self::ALL.iter().find(|(result, _)| *result == self).map_or("*", |(_, notation)| notation)
    }

    /// Reads the notation.
    pub fn parse(notation: &str) -> Option<PairingResult> {
        Self::ALL.iter().find(|(_, text)| *text == notation).map(|(result, _)| *result)
    }
}

/// Why a message of the organiser is refused. The text names the field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MetaError(pub String);

impl fmt::Display for MetaError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for MetaError {}

/// Reads a message of the organiser.
///
/// # Errors
/// It is too large, it is not JSON of this form, or its type is not `kind`. The values of the body are not checked.
pub fn read<T: for<'a> Deserialize<'a>>(payload: &[u8], kind: &str) -> Result<Meta<T>, MetaError> {
    if payload.len() > MAX_META {
        return Err(MetaError(format!("the message has {} bytes, the limit is {MAX_META}", payload.len())));
    }
    let meta: Meta<T> =
        serde_json::from_slice(payload).map_err(|error| MetaError(format!("the message cannot be read: {error}")))?;
    if meta.kind != kind {
        return Err(MetaError(format!("`type` is {:?}, not {kind:?}", meta.kind)));
    }
    Ok(meta)
}

impl MetaEvent {
    /// Checks all values.
    ///
    /// # Errors
    /// The first value that cannot be.
    pub fn check(&self) -> Result<(), MetaError> {
        let digits = self.uuid.chars().filter(|char| *char != '-');
        if digits.clone().count() != 32 || !digits.clone().all(|char| char.is_ascii_hexdigit()) {
            return Err(MetaError("`uuid` is not 32 hexadecimal digits".to_owned()));
        }
        if !(1..=MAX_ROUNDS).contains(&self.rounds) {
            return Err(MetaError(format!("`rounds` is {}, not 1 to {MAX_ROUNDS}", self.rounds)));
        }
        if !is_id(&self.round) {
            return Err(MetaError(format!("`round` is {:?}, not 1 to 40 of a-z, 0-9 and -", self.round)));
        }
        if self.delay > MAX_DELAY {
            return Err(MetaError(format!("`delay` is {}, the limit is {MAX_DELAY}", self.delay)));
        }
        if self.delay_moves > 40 {
            return Err(MetaError(format!("`delay_moves` is {}, the limit is 40", self.delay_moves)));
        }
        Ok(())
    }
}

impl MetaRound {
    /// Checks all values.
    ///
    /// # Errors
    /// The first value that cannot be, with its board.
    pub fn check(&self) -> Result<(), MetaError> {
        if !(1..=MAX_ROUNDS).contains(&self.number) {
            return Err(MetaError(format!("`number` is {}, not 1 to {MAX_ROUNDS}", self.number)));
        }
        if let Some(id) =
            self.lichess_round.as_deref().filter(|id| id.len() != 8 || !id.bytes().all(|byte| byte.is_ascii_alphanumeric()))
        {
            let why = "is not the 8 letters and digits at the end of the round's address";
            return Err(MetaError(format!("`lichess_round` is {id:?}, which {why}")));
        }
        if self.boards.len() > MAX_BOARDS {
            return Err(MetaError(format!("the round has {} boards, the limit is {MAX_BOARDS}", self.boards.len())));
        }
        for (index, pairing) in self.boards.iter().enumerate() {
            if !is_id(&pairing.board) {
                return Err(MetaError(format!("`boards[{index}].board` is {:?}, not 1 to 40 of a-z, 0-9 and -", pairing.board)));
            }
            if !(1..=9999).contains(&pairing.number) {
                return Err(MetaError(format!("the number of board {} is {}, not 1 to 9999", pairing.board, pairing.number)));
            }
            let others = &self.boards[..index];
            if others.iter().any(|other| other.board == pairing.board || other.number == pairing.number) {
                return Err(MetaError(format!(
                    "board {} or its number {} stands twice in the round",
                    pairing.board, pairing.number
                )));
            }
            if pairing.device.is_some() && others.iter().any(|other| other.device == pairing.device) {
                return Err(MetaError(format!("the device of board {} has another board too", pairing.board)));
            }
            if let Some(device) = pairing.device.as_deref().filter(|device| !is_id(device)) {
                return Err(MetaError(format!(
                    "the device of board {} is {device:?}, not 1 to 40 of a-z, 0-9 and -",
                    pairing.board
                )));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event() -> MetaEvent {
        MetaEvent {
            uuid: "6f1c0000-0000-4000-8000-00000000000a".to_owned(),
            name: "Example Open".to_owned(),
            site: String::new(),
            country: String::new(),
            rounds: 9,
            round: "5".to_owned(),
            force: false,
            time_control: None,
            profile: None,
            delay: 0,
            delay_moves: 0,
            chess960: false,
        }
    }

    #[test]
    fn impossible_values_of_an_event_are_errors() {
        assert_eq!(event().check(), Ok(()));
        type Change = fn(&mut MetaEvent);
        let changes: [(&str, Change); 5] = [
            ("uuid", |event| event.uuid = "../../etc".to_owned()),
            ("rounds", |event| event.rounds = 0),
            ("round", |event| event.round = "a/b".to_owned()),
            ("delay", |event| event.delay = MAX_DELAY + 1),
            ("delay_moves", |event| event.delay_moves = 41),
        ];
        for (field, change) in changes {
            let mut event = event();
            change(&mut event);
            let error = event.check().expect_err(field);
            assert!(error.0.contains(&format!("`{field}`")), "{error}");
        }
    }

    #[test]
    fn impossible_values_of_a_round_are_errors() {
        let pairing = |board: &str, number| Pairing { board: board.to_owned(), number, ..Pairing::default() };
        let round = |boards| MetaRound { number: 5, boards, ..MetaRound::default() };
        assert_eq!(round(vec![pairing("1", 1), pairing("2", 2)]).check(), Ok(()));
        let with_device = |board, number| Pairing { device: Some("dgt-1".to_owned()), ..pairing(board, number) };
        for boards in [
            vec![pairing("../1", 1)],
            vec![pairing("", 1)],
            vec![pairing("1", 0)],
            vec![pairing("1", 1), pairing("1", 2)],
            vec![pairing("1", 1), pairing("2", 1)],
            vec![with_device("1", 1), with_device("2", 2)],
            (1..=MAX_BOARDS as u32 + 1).map(|number| pairing(&number.to_string(), number)).collect(),
        ] {
            assert!(round(boards.clone()).check().is_err(), "{boards:?}");
        }
        assert!(MetaRound { number: 0, ..MetaRound::default() }.check().is_err());
        for (id, right) in [("abcd1234", true), ("abc", false), ("../../ab", false)] {
            let round = MetaRound { number: 1, lichess_round: Some(id.to_owned()), ..MetaRound::default() };
            assert_eq!(round.check().is_ok(), right, "{id}");
        }
    }

    #[test]
    fn a_message_of_another_type_or_size_is_an_error() {
        let text = r#"{"v":"1.0","type":"meta.round","rev":3,"more":1,"body":{"number":5,"boards":[{"board":"1","number":1,"result":"+/-"}]}}"#;
        let round = read::<MetaRound>(text.as_bytes(), "meta.round").expect("a round");
        assert_eq!((round.rev, round.body.boards[0].result), (3, Some(PairingResult::BlackForfeits)));
        assert!(read::<MetaRound>(text.as_bytes(), "meta.event").is_err());
        assert!(read::<MetaRound>(&vec![b' '; MAX_META + 1], "meta.round").is_err());
        assert!(read::<MetaRound>(b"{", "meta.round").is_err());
    }

    #[test]
    fn every_result_has_its_notation() {
        for (result, notation) in PairingResult::ALL {
            assert_eq!(serde_json::to_string(&result).expect("a text"), format!("\"{notation}\""));
            assert_eq!(PairingResult::parse(result.notation()), Some(result));
        }
    }
}
