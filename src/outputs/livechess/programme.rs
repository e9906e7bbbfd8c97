//! The event as programs read it: its rounds, and who plays at which board (`livechess/README.md#4`).

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use flagfall_protocols::bytes::crc32;

use super::rest::{Shown, by_id};
use crate::outputs::tap::GamePicture;
use crate::wire::meta::{MetaEvent, MetaRound, Pairing};

/// What is known of the event beside its boards.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Programme {
    /// The id of the event.
    pub event: String,
    /// The id of the round that is played.
    pub round: String,
    /// What the organiser published of the event.
    pub published: Option<MetaEvent>,
    /// The pairings that the organiser published, by the ids of the rounds.
    pub rounds: BTreeMap<String, MetaRound>,
    /// The games that no board shows now, by the ids of round and board.
    pub games: BTreeMap<(String, String), Arc<GamePicture>>,
    /// All boards of the event are offered, not only those of one machine.
    pub is_whole: bool,
}

/// One pairing of a round.
#[derive(Clone, Copy, Debug)]
pub(super) struct Table<'a> {
    /// The number of the board for people.
    pub(super) number: u32,
    /// The board, if it is offered.
    pub(super) board: Option<&'a Shown>,
    /// What the organiser published of it.
    pub(super) pairing: Option<&'a Pairing>,
    /// The game, if it is known.
    pub(super) game: Option<&'a GamePicture>,
}

impl Programme {
    /// The name of the event for people.
    pub(super) fn name(&self) -> &str {
        let name = self.published.as_ref().map(|event| event.name.as_str()).filter(|name| !name.is_empty());
        name.unwrap_or(&self.event)
    }

    /// The number of rounds.
    pub(super) fn round_count(&self) -> u32 {
        self.published.as_ref().map_or(1, |event| event.rounds)
    }

    /// The id of the round in this place of the list of rounds, which begins with 0, and its number for people. None: there is no such
    /// round. The id is missing if nothing is known of the round.
    pub(super) fn round_at(&self, place: u32) -> Option<(Option<&str>, u32)> {
        if place >= self.round_count() {
            return None;
        }
        // Without messages of the organiser only the present round is known.
        let number = if self.published.is_some() { place + 1 } else { self.number(&self.round) };
        let present = Some(self.round.as_str()).filter(|round| self.number(round) == number);
        let published = self.rounds.iter().find(|(_, round)| round.number == number).map(|(id, _)| id.as_str());
        Some((present.or(published), number))
    }

    /// The number of a round for people: that of its pairings, or that of its id, or 1.
    pub(super) fn number(&self, round: &str) -> u32 {
        self.rounds.get(round).map(|round| round.number).or_else(|| round.parse().ok()).unwrap_or(1)
    }

    /// The pairings of a round in the order of their numbers.
    pub(super) fn tables<'a>(&'a self, round: &str, boards: &'a [Shown]) -> Vec<Table<'a>> {
        let shown = |id: &str| boards.iter().find(|shown| shown.seat.id == id);
        let game = |id: &str, board: Option<&'a Shown>| {
            let present = board.map(|shown| &*shown.picture.game).filter(|game| game.round == round);
            present.or_else(|| self.games.get(&(round.to_owned(), id.to_owned())).map(|game| &**game))
        };
        let pairings = self.rounds.get(round).map(|round| round.boards.as_slice()).unwrap_or_default();
        let paired = pairings.iter().map(|pairing| {
            let board = shown(&pairing.board);
            Table { number: pairing.number, board, pairing: Some(pairing), game: game(&pairing.board, board) }
        });
        let mut tables: Vec<Table<'a>> = paired.filter(|table| self.is_whole || table.board.is_some()).collect();
        let mut taken: BTreeSet<u32> = pairings.iter().map(|pairing| pairing.number).collect();
        for index in by_id(boards) {
            let board = &boards[index];
            let is_paired = pairings.iter().any(|pairing| pairing.board == board.seat.id);
            if is_paired || board.picture.game.round != round {
                continue;
            }
            let own = trailing_number(&board.seat.id).filter(|number| !pairings.is_empty() && !taken.contains(number));
            let number = own.unwrap_or_else(|| taken.last().map_or(1, |last| last + 1));
            taken.insert(number);
            tables.push(Table { number, board: Some(board), pairing: None, game: game(&board.seat.id, Some(board)) });
        }
        tables.sort_by_key(|table| table.number);
        tables
    }

    /// The uuid of the event: that of the organiser, or a fixed one that is made of the event's id.
    pub(super) fn uuid(&self) -> String {
        hyphened(&self.digits())
    }

    fn digits(&self) -> String {
        match &self.published {
            Some(event) => event.uuid.chars().filter(|char| *char != '-').map(|char| char.to_ascii_lowercase()).collect(),
            None => (0..4).map(|part| format!("{:08x}", crc32(format!("{part} {}", self.event).as_bytes()))).collect(),
        }
    }

    /// The uuid of a game: the event's, with the numbers of round and board as its last eight digits.
    pub(super) fn game_uuid(&self, round: u32, board: u32) -> String {
        let event: String = self.digits().chars().take(24).collect();
        hyphened(&format!("{event}{:04x}{:04x}", round & 0xffff, board & 0xffff))
    }
}

/// The number at the end of an id, as people number boards.
fn trailing_number(id: &str) -> Option<u32> {
    let digits = id.rsplit(|char: char| !char.is_ascii_digit()).next()?;
    digits.parse().ok().filter(|number| (1..=9999).contains(number))
}

/// 32 digits in the usual groups.
fn hyphened(digits: &str) -> String {
    let groups = [0..8, 8..12, 12..16, 16..20, 20..32];
    groups.map(|group| digits.get(group).unwrap_or_default()).join("-")
}
