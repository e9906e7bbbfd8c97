//! Follows what the organiser published, at a node: which messages are believed, and what they change in the node's configuration.

use std::collections::BTreeMap;

use flagfall_game::clock::control::TimeControl;
use serde::{Deserialize, Serialize};

use crate::config::{Board, Config, rulebook};
use crate::system_clock::Utc;
use crate::wire::meta::{self, MAX_ROUNDS, Meta, MetaError, MetaEvent, MetaRound, Pairing};
use crate::wire::player::Player;
use crate::wire::topics;

/// The event and its current round, as they were published.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Published {
    /// The event.
    pub event: Meta<MetaEvent>,
    /// Its current round.
    pub round: Meta<MetaRound>,
}

/// The messages of one event that were believed.
#[derive(Clone, Debug)]
pub struct Received {
    topic: String,
    event: Option<Meta<MetaEvent>>,
    rounds: BTreeMap<String, Meta<MetaRound>>,
}

impl Received {
    /// Begins with what was believed before, if anything was.
    pub fn new(root: &str, event: &str, before: Option<Published>) -> Received {
        let mut received = Received { topic: topics::meta_event(root, event), event: None, rounds: BTreeMap::new() };
        if let Some(Published { event, round }) = before {
            received.rounds.insert(event.body.round.clone(), round);
            received.event = Some(event);
        }
        received
    }

    /// The filters of the messages.
    pub fn filters(&self) -> [String; 2] {
        [self.topic.clone(), format!("{}/+", self.topic)]
    }

    /// Takes a message. A message that is here already changes nothing.
    ///
    /// # Errors
    /// It cannot be read, a value cannot be, or its number has not grown. It changes nothing then.
    pub fn receive(&mut self, topic: &str, payload: &[u8]) -> Result<(), MetaError> {
        let Some(rest) = topic.strip_prefix(&self.topic).filter(|_| !payload.is_empty()) else { return Ok(()) };
        let Some(round) = rest.strip_prefix('/') else {
            let event: Meta<MetaEvent> = meta::read(payload, "meta.event")?;
            event.body.check()?;
            return take(&mut self.event, event);
        };
        let meta: Meta<MetaRound> = meta::read(payload, "meta.round")?;
        meta.body.check()?;
        meta.body.boards.iter().try_for_each(check_pairing)?;
        let mut before = self.rounds.remove(round);
        let taken = take(&mut before, meta);
        if let Some(meta) = before.filter(|_| self.rounds.len() < MAX_ROUNDS as usize) {
            self.rounds.insert(round.to_owned(), meta);
        }
        taken
    }

    /// The event; none before it was published.
    pub fn event(&self) -> Option<&MetaEvent> {
        self.event.as_ref().map(|event| &event.body)
    }

    /// The pairings of each round that was published, by the ids of the rounds.
    pub fn rounds(&self) -> impl Iterator<Item = (&str, &MetaRound)> {
        self.rounds.iter().map(|(id, round)| (id.as_str(), &round.body))
    }

    /// The event with its current round; none before both are here.
    pub fn published(&self) -> Option<Published> {
        let event = self.event.clone()?;
        let round = self.rounds.get(&event.body.round)?.clone();
        Some(Published { event, round })
    }
}

fn take<T: PartialEq>(known: &mut Option<Meta<T>>, new: Meta<T>) -> Result<(), MetaError> {
    match known {
        Some(known) if known.rev >= new.rev && *known != new => {
            Err(MetaError(format!("`rev` is {}, but publication {} is known already", new.rev, known.rev)))
        }
        _ => {
            *known = Some(new);
            Ok(())
        }
    }
}

/// Players are in the states of all audiences, so their values are checked as those of the configuration are.
fn check_pairing(pairing: &Pairing) -> Result<(), MetaError> {
    for (side, player) in [("white", &pairing.white), ("black", &pairing.black)] {
        let Player { name, title, rating, federation, .. } = player;
        let name =
            name.as_ref().is_none_or(|name| (1..=200).contains(&name.chars().count()) && !name.chars().any(char::is_control));
        let letters = |text: &str, lengths: std::ops::RangeInclusive<usize>| {
            lengths.contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_alphabetic())
        };
        let title = title.as_ref().is_none_or(|title| letters(title, 1..=5));
        let federation = federation.as_ref().is_none_or(|text| letters(text, 3..=3) && *text == text.to_ascii_uppercase());
        let rating = rating.is_none_or(|rating| (1..=4000).contains(&rating));
        for (field, fits) in [("name", name), ("title", title), ("federation", federation), ("rating", rating)] {
            if !fits {
                return Err(MetaError(format!("board {}: the {field} of {side} cannot be", pairing.board)));
            }
        }
    }
    if pairing.games.is_some_and(|games| !(1..=64).contains(&games)) {
        return Err(MetaError(format!("board {}: `games` is not 1 to 64", pairing.board)));
    }
    Ok(())
}

impl Published {
    /// Returns the configuration of a node with what the organiser says. The file's values hold for everything else, and its delay if
    /// that is longer.
    ///
    /// # Errors
    /// A value does not fit this node: nothing may change then.
    pub fn apply(&self, config: &Config) -> Result<Config, MetaError> {
        let (said, round) = (&self.event.body, &self.round.body);
        let mut config = config.clone();
        config.event.round.clone_from(&said.round);
        config.event.start.clone_from(&round.start);
        if let Some(start) = round.start.as_ref().filter(|start| Utc::parse_with_offset(start).is_none()) {
            return Err(MetaError(format!("`start` is {start:?}, which is no time with a date and the distance from UTC")));
        }
        if let Some(text) = &said.time_control {
            TimeControl::parse(text).map_err(|error| MetaError(format!("`time_control` is {text:?}: {error}")))?;
            config.event.time_control = Some(text.clone());
        }
        if let Some(profile) = &said.profile {
            rulebook(profile, config.event.guidelines)
                .map_err(|error| MetaError(format!("`profile` is {profile:?}: {error}")))?;
            config.event.profile.clone_from(profile);
        }
        config.event.chess960 = said.chess960;
        config.event.delay = config.event.delay.max(said.delay);
        config.event.delay_moves = config.event.delay_moves.max(said.delay_moves);
        for index in 0..config.board.len() {
            let board = &mut config.board[index];
            let bound = round.boards.iter().find(|pairing| pairing.device.as_ref().is_some_and(|id| is_device(board, id)));
            if let Some(bound) = bound {
                board.id.clone_from(&bound.board);
            }
            let pairing = round.boards.iter().find(|pairing| pairing.board == board.id);
            board.white = pairing.map(|pairing| pairing.white.clone());
            board.black = pairing.map(|pairing| pairing.black.clone());
            board.start = None;
            // Where a round has pairings, no game on another board is one of it.
            let unpaired = if round.boards.is_empty() { board.games } else { Some(0) };
            board.games = pairing.map(|pairing| pairing.games.unwrap_or(1)).or(unpaired);
            board.chess960 = None;
            board.time_control = board.time_control.take().filter(|_| said.time_control.is_none());
            board.profile = board.profile.take().filter(|_| said.profile.is_none());
        }
        for (index, board) in config.board.iter().enumerate() {
            if config.board[..index].iter().any(|other| other.id == board.id) {
                return Err(MetaError(format!("two devices of this node would serve board {}", board.id)));
            }
        }
        Ok(config)
    }
}

/// Whether a board has its pairing under one of these configurations of a round only: that must not wait until the boards are quiet.
pub fn pairs_other_boards(one: &Config, other: &Config) -> bool {
    let is_unpaired = |board: &Board| board.games == Some(0);
    let same_boards = one.board.iter().map(|board| &board.id).eq(other.board.iter().map(|board| &board.id));
    let mut boards = one.board.iter().zip(&other.board);
    one.event.round == other.event.round && same_boards && boards.any(|(one, other)| is_unpaired(one) != is_unpaired(other))
}

/// Whether this is the id of the board's device in topics, if the configuration has its serial number.
fn is_device(board: &Board, id: &str) -> bool {
    let driver = board.driver.as_deref().unwrap_or("dgt");
    board.serial.as_ref().is_some_and(|serial| topics::is_device(id, driver, serial))
}

#[cfg(test)]
mod tests;
