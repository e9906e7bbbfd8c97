//! What is known of the rounds of an event, from the messages of nodes and of the organiser (`collect/README.md#1`). It has no network,
//! no files and no clock: the time comes with each call.

mod board;
mod claim;
mod naming;
mod nodes;
mod notes;

use std::collections::BTreeMap;

use flagfall_game::clock::control::TimeControl;
use serde::{Deserialize, Serialize};

pub(crate) use self::board::Game;
use self::board::{Board, Bound, Taken};
pub(crate) use self::claim::Claim;
use self::nodes::Nodes;
use crate::config::OutputAudience;
use crate::outputs::picture::Picture;
use crate::system_clock::{MonotonicTime, Utc};
use crate::wire::meta::{self, MAX_BOARDS, MAX_ROUNDS, Meta, MetaEvent, MetaRound, Pairing};
use crate::wire::round_games::RoundBound;
use crate::wire::topics::is_id;

/// What the configuration says of the event.
#[derive(Clone, Debug)]
pub(crate) struct Fixed {
    /// The id of the event.
    pub(crate) event: String,
    /// The round, as long as the organiser has named none.
    pub(crate) round: String,
    /// The time control, as long as the organiser has named none.
    pub(crate) time_control: Option<TimeControl>,
    /// Whether the games are Chess960.
    pub(crate) chess960: bool,
    /// The name of this collector.
    pub(crate) node: String,
    /// Whether it takes over from another collector.
    pub(crate) standby: bool,
}

/// Everything that is known.
#[derive(Debug)]
pub(crate) struct Model {
    pub(crate) fixed: Fixed,
    pub(crate) event: Option<Meta<MetaEvent>>,
    pub(crate) pairings: BTreeMap<String, Meta<MetaRound>>,
    pub(crate) rounds: BTreeMap<(OutputAudience, String), RoundBoards>,
    pub(crate) claim: Claim,
    nodes: Nodes,
    /// The retained messages that were there at the connection have been read.
    gathered: bool,
    pub(crate) counters: Counters,
    /// Something that outputs show has changed since this was last taken.
    changed: bool,
}

/// The boards of a round, as one audience sees them.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct RoundBoards {
    pub(crate) boards: BTreeMap<String, Board>,
}

/// What was refused since the start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Counters {
    /// Messages that cannot be read, or are about more boards and rounds than there can be.
    pub(crate) unreadable: u64,
    /// States that are older than what is known.
    pub(crate) old: u64,
    /// States of a node that does not serve the board.
    pub(crate) two_nodes: u64,
}

impl Model {
    pub(crate) fn new(fixed: Fixed) -> Model {
        Model {
            fixed,
            event: None,
            pairings: BTreeMap::new(),
            rounds: BTreeMap::new(),
            claim: Claim::default(),
            nodes: Nodes::default(),
            gathered: false,
            counters: Counters::default(),
            changed: false,
        }
    }

    /// The id of the present round.
    pub(crate) fn current_round(&self) -> &str {
        self.event.as_ref().map_or(&self.fixed.round, |event| &event.body.round)
    }

    /// Whether the games are Chess960.
    pub(crate) fn chess960(&self) -> bool {
        self.event.as_ref().is_some_and(|event| event.body.chess960) || self.fixed.chess960
    }

    /// Whether something has changed since the last call.
    pub(crate) fn take_changed(&mut self) -> bool {
        std::mem::take(&mut self.changed)
    }

    /// Takes the boards of a round from the disk.
    pub(crate) fn restore(&mut self, audience: OutputAudience, round: &str, mut boards: RoundBoards) {
        let chess960 = self.chess960();
        boards.boards.retain(|id, _| is_id(id));
        boards.boards.values_mut().for_each(|board| board.restored(chess960));
        self.rounds.insert((audience, round.to_owned()), boards);
    }

    /// A connection began: the retained messages come again.
    pub(crate) fn connected(&mut self) {
        self.nodes = Nodes::default();
        self.claim = Claim::default();
        self.gathered = false;
    }

    /// The retained messages have been read.
    pub(crate) fn gathered(&mut self, now: MonotonicTime) {
        self.gathered = true;
        self.wake(now);
    }

    /// Whether every board that should have a state has been heard, so that nothing more needs to be awaited.
    pub(crate) fn is_complete(&self, heard: &dyn Fn(&str) -> bool) -> bool {
        let boards = self.pairings.get(self.current_round()).map(|round| round.body.boards.as_slice()).unwrap_or_default();
        !boards.is_empty() && boards.iter().all(|pairing| heard(&pairing.board))
    }

    /// Lets time pass.
    pub(crate) fn wake(&mut self, now: MonotonicTime) {
        if !self.gathered {
            return;
        }
        let Fixed { event, node, standby, .. } = &self.fixed;
        self.claim.decide(&self.nodes, event, node, *standby, now);
        let keys: Vec<(OutputAudience, String, String)> = self
            .rounds
            .iter()
            .flat_map(|((audience, round), boards)| boards.boards.keys().map(|id| (*audience, round.clone(), id.clone())))
            .collect();
        for (audience, round, id) in keys {
            self.settle(audience, &round, &id, now);
        }
    }

    /// When time changes something by itself.
    pub(crate) fn deadline(&self) -> Option<MonotonicTime> {
        self.rounds.values().flat_map(|round| round.boards.values()).filter_map(Board::deadline).min()
    }

    /// Decides about states that wait.
    fn settle(&mut self, audience: OutputAudience, round: &str, id: &str, now: MonotonicTime) {
        let bound = self.bound(round, id);
        let whole_id = format!("{}/{round}/{id}", self.fixed.event);
        let Some(board) = self.rounds.get_mut(&(audience, round.to_owned())).and_then(|round| round.boards.get_mut(id)) else {
            return;
        };
        if board.settle(&bound, now) == Taken::Changed {
            self.changed = true;
        }
        let Some(rival) = &board.rival else { return };
        let owner_serves = board.owner().is_some_and(|owner| self.nodes.serves(owner, &whole_id));
        if owner_serves {
            // The other node has left, so nothing is wrong any more.
            if self.nodes.is_away(&rival.node) {
                board.rival = None;
                self.changed = true;
            }
        } else if let Some(rival) = board.rival.take() {
            board.take(rival, &bound, now);
            self.changed = true;
        }
    }

    /// Takes a state.
    pub(crate) fn take_picture(&mut self, audience: OutputAudience, round: &str, id: &str, picture: Picture, now: MonotonicTime) {
        let is_new = !self.rounds.contains_key(&(audience, round.to_owned()));
        if is_new && self.rounds.keys().filter(|(of, _)| *of == audience).count() >= MAX_ROUNDS as usize {
            self.counters.unreadable += 1;
            return;
        }
        let (bound, number) = (self.bound(round, id), self.number(audience, round, id));
        let whole_id = format!("{}/{round}/{id}", self.fixed.event);
        let boards = &mut self.rounds.entry((audience, round.to_owned())).or_default().boards;
        if boards.len() >= MAX_BOARDS && !boards.contains_key(id) {
            self.counters.unreadable += 1;
            return;
        }
        let board = boards.entry(id.to_owned()).or_insert_with(|| Board::numbered(number));
        let other = board.owner().filter(|owner| *owner != picture.node);
        if other.is_some_and(|owner| !self.gathered || self.nodes.serves(owner, &whole_id)) {
            self.counters.two_nodes += u64::from(self.gathered);
            self.changed |= board.rival.is_none();
            board.rival = Some(picture);
            return;
        }
        match board.take(picture, &bound, now) {
            Taken::Changed => self.changed = true,
            Taken::Same => {}
            Taken::Refused => self.counters.old += 1,
        }
    }

    /// Takes the organiser's message about the event. An empty one changes nothing.
    ///
    /// # Errors
    /// It cannot be read, or its number does not grow.
    pub(crate) fn take_event(&mut self, payload: &[u8]) -> Result<(), String> {
        let event = meta::read::<MetaEvent>(payload, "meta.event").map_err(|error| error.to_string())?;
        event.body.check().map_err(|error| error.to_string())?;
        if grows(self.event.as_ref(), &event)? {
            self.event = Some(event);
            self.changed = true;
        }
        Ok(())
    }

    /// Takes the organiser's pairings of a round. Returns the numbers of the boards whose present state a person wants to be taken.
    ///
    /// # Errors
    /// They cannot be read, or their number does not grow, or there are too many rounds.
    pub(crate) fn take_round(&mut self, round: &str, payload: &[u8], now: MonotonicTime) -> Result<(), String> {
        let told = meta::read::<MetaRound>(payload, "meta.round").map_err(|error| error.to_string())?;
        told.body.check().map_err(|error| error.to_string())?;
        if self.pairings.len() >= MAX_ROUNDS as usize && !self.pairings.contains_key(round) {
            return Err(format!("there are more than {MAX_ROUNDS} rounds"));
        }
        if !grows(self.pairings.get(round), &told)? {
            return Ok(());
        }
        for ((_, of), boards) in &mut self.rounds {
            for pairing in told.body.boards.iter().filter(|_| of == round) {
                let Some(board) = boards.boards.get_mut(&pairing.board) else { continue };
                board.number = pairing.number;
                if board.resets.replace(pairing.reset).is_some_and(|done| pairing.reset > done) {
                    board.reset();
                }
            }
        }
        self.pairings.insert(round.to_owned(), told);
        self.changed = true;
        self.wake(now);
        Ok(())
    }

    /// Takes the status of a node.
    pub(crate) fn take_status(&mut self, node: &str, payload: &[u8], now: MonotonicTime) {
        self.nodes.note_status(node, payload);
        self.wake(now);
    }

    /// Takes the info of a node.
    pub(crate) fn take_info(&mut self, node: &str, payload: &[u8], now: MonotonicTime) {
        self.nodes.note_info(node, payload);
        self.wake(now);
    }

    /// The pairing of a board.
    pub(crate) fn pairing(&self, round: &str, board: &str) -> Option<&Pairing> {
        self.pairings.get(round)?.body.boards.iter().find(|pairing| pairing.board == board)
    }

    /// Which games of a board belong to the round: without a pairing, all.
    fn bound(&self, round: &str, board: &str) -> Bound {
        let chess960 = self.chess960();
        let Some(pairing) = self.pairing(round, board) else { return Bound { chess960, ..Bound::default() } };
        let start = self.pairings.get(round).and_then(|round| Utc::parse_with_offset(round.body.start.as_deref()?));
        let games = Some(RoundBound { games: pairing.games.unwrap_or(1), start });
        Bound { games, chosen: pairing.game, chess960 }
    }
}

/// Whether a message of the organiser is newer than the one that is known. The same message again is not.
///
/// # Errors
/// Its number does not grow.
fn grows<T: PartialEq>(known: Option<&Meta<T>>, new: &Meta<T>) -> Result<bool, String> {
    match known {
        Some(known) if known == new => Ok(false),
        Some(known) if new.rev <= known.rev => Err(format!("`rev` is {}, and {} is known already", new.rev, known.rev)),
        _ => Ok(true),
    }
}

#[cfg(test)]
mod tests;
