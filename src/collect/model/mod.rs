//! What is known of the rounds of an event, from the messages of nodes and of the organiser (`collect/README.md#1`). It has no network,
//! no files and no clock: the time comes with each call.

mod board;
mod claim;
mod game;
mod naming;
mod nodes;
mod notes;
mod orphans;

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use flagfall_game::clock::control::TimeControl;
use serde::{Deserialize, Serialize};

pub(crate) use self::board::Board;
use self::board::{Bound, Taken};
pub(crate) use self::claim::Claim;
pub(crate) use self::game::Game;
use self::nodes::Nodes;
use crate::config::{Fleet, OutputAudience};
use crate::outputs::moves_parts::MovesParts;
use crate::outputs::picture::{Picture, PictureError};
use crate::system_clock::{MonotonicTime, Utc};
use crate::wire::meta::{self, MAX_BOARDS, MAX_ROUNDS, Meta, MetaEvent, MetaRound, Pairing};
use crate::wire::round_games::RoundBound;
use crate::wire::topics::is_id;

/// After a connection an owner that was not heard yet keeps its boards for this time: it may be connecting too.
const ABSENT: Duration = Duration::from_secs(30);

/// What the configuration says of the event.
#[derive(Clone, Debug, Default)]
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
    /// Whether the public gets what a node that is gone would have published later.
    pub(crate) release_orphans: bool,
    /// The machines of the event's file, if it names them: who may serve a board.
    pub(crate) fleet: Fleet,
}

/// Everything that is known.
#[derive(Debug)]
pub(crate) struct Model {
    pub(crate) fixed: Fixed,
    pub(crate) event: Option<Meta<MetaEvent>>,
    pub(crate) pairings: BTreeMap<String, Meta<MetaRound>>,
    pub(crate) rounds: BTreeMap<(OutputAudience, String), RoundBoards>,
    /// The parts of the games by audience and round, and by board.
    parts: BTreeMap<(OutputAudience, String), BTreeMap<String, MovesParts>>,
    pub(crate) claim: Claim,
    nodes: Nodes,
    /// When the retained messages that were there at the connection had been read; none before that.
    gathered: Option<MonotonicTime>,
    pub(crate) counters: Counters,
    /// Something that outputs show has changed since this was last taken.
    changed: bool,
    /// The rounds with boards that are not stored yet.
    pub(crate) unstored: BTreeSet<(OutputAudience, String)>,
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
            parts: BTreeMap::new(),
            claim: Claim::default(),
            nodes: Nodes::default(),
            gathered: None,
            counters: Counters::default(),
            changed: false,
            unstored: BTreeSet::new(),
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
        self.gathered = None;
    }

    /// The retained messages have been read.
    pub(crate) fn gathered(&mut self, now: MonotonicTime) {
        self.gathered = Some(now);
        self.wake(now);
    }

    /// Whether every board that should have a state has been heard, so that nothing more needs to be awaited.
    pub(crate) fn is_complete(&self, heard: &dyn Fn(&str) -> bool) -> bool {
        let boards = self.pairings.get(self.current_round()).map(|round| round.body.boards.as_slice()).unwrap_or_default();
        !boards.is_empty() && boards.iter().all(|pairing| heard(&pairing.board))
    }

    /// Lets time pass.
    pub(crate) fn wake(&mut self, now: MonotonicTime) {
        if self.gathered.is_none() {
            return;
        }
        let Fixed { event, node, standby, .. } = &self.fixed;
        self.claim.decide(&self.nodes, event, node, *standby, now);
        let waits = |board: &Board| board.rival.is_some() || board.deadline().is_some();
        let mut keys = Vec::new();
        for ((audience, round), boards) in &self.rounds {
            let waiting = boards.boards.iter().filter(|(_, board)| waits(board));
            keys.extend(waiting.map(|(id, _)| (*audience, round.clone(), id.clone())));
        }
        for (audience, round, id) in keys {
            self.settle(audience, &round, &id, now);
        }
        self.release_orphans(now);
    }

    /// When time changes something by itself.
    pub(crate) fn deadline(&self) -> Option<MonotonicTime> {
        self.rounds.values().flat_map(|round| round.boards.values()).filter_map(Board::deadline).min()
    }

    /// Whether the owner of a board may still be believed alone.
    fn owner_serves(&self, owner: &str, round: &str, board: &str, now: MonotonicTime) -> bool {
        let Some(gathered) = self.gathered else { return true };
        let may_serve = self.fixed.fleet.may_serve(owner, board);
        let may_come = !self.nodes.is_known(owner) && now.since(gathered) < ABSENT;
        may_serve && (may_come || self.nodes.serves(owner, &format!("{}/{round}/{board}", self.fixed.event)))
    }

    /// Decides about states that wait.
    fn settle(&mut self, audience: OutputAudience, round: &str, id: &str, now: MonotonicTime) {
        let bound = self.bound(round, id);
        let key = (audience, round.to_owned());
        let Some(board) = self.rounds.get(&key).and_then(|round| round.boards.get(id)) else { return };
        let owner_serves = board.owner().is_some_and(|owner| self.owner_serves(owner, round, id, now));
        let rival_is_away = board.rival.as_ref().is_some_and(|rival| self.nodes.is_away(&rival.node));
        let Some(board) = self.rounds.get_mut(&key).and_then(|round| round.boards.get_mut(id)) else { return };
        let mut changed = board.settle(&bound, now) == Taken::Changed;
        if owner_serves && rival_is_away {
            // The other node has left, so nothing is wrong any more.
            board.rival = None;
            changed = true;
        } else if !owner_serves && let Some(rival) = board.rival.take() {
            board.take(rival, &bound, now);
            changed = true;
        }
        self.note_change(changed, key);
    }

    /// Takes a state. Returns whether it has all its moves and there is room for its board.
    ///
    /// # Errors
    /// With its parts it is longer than a game can be.
    pub(crate) fn take_picture(
        &mut self,
        of: (OutputAudience, &str, &str),
        picture: Picture,
        now: MonotonicTime,
    ) -> Result<bool, PictureError> {
        let Some(parts) = self.parts_of(of) else { return Ok(false) };
        let was_incomplete = parts.is_incomplete();
        let whole = parts.take_state(picture)?;
        self.changed |= whole.is_none() && !was_incomplete;
        Ok(whole.is_some_and(|picture| self.take_whole(of, picture, now)))
    }

    /// Takes a part of the moves of a board's game. Returns whether a state has all its moves now and was taken.
    ///
    /// # Errors
    /// It cannot be read, or the game is longer than it can be.
    pub(crate) fn take_moves(
        &mut self,
        of: (OutputAudience, &str, &str),
        part: u32,
        payload: &[u8],
        now: MonotonicTime,
    ) -> Result<bool, PictureError> {
        let Some(parts) = self.parts_of(of) else { return Ok(false) };
        let whole = parts.take_part(part, payload)?;
        Ok(whole.is_some_and(|picture| self.take_whole(of, picture, now)))
    }

    /// The parts of the game on a board; none if there are more boards and rounds than there can be.
    fn parts_of(&mut self, (audience, round, id): (OutputAudience, &str, &str)) -> Option<&mut MovesParts> {
        let of_audience = self.parts.keys().filter(|(of, _)| *of == audience).count();
        let key = (audience, round.to_owned());
        if of_audience >= MAX_ROUNDS as usize && !self.parts.contains_key(&key) {
            self.counters.unreadable += 1;
            return None;
        }
        let boards = self.parts.entry(key).or_default();
        if boards.len() >= MAX_BOARDS && !boards.contains_key(id) {
            self.counters.unreadable += 1;
            return None;
        }
        Some(boards.entry(id.to_owned()).or_default())
    }

    fn take_whole(&mut self, (audience, round, id): (OutputAudience, &str, &str), picture: Picture, now: MonotonicTime) -> bool {
        let key = (audience, round.to_owned());
        let of_audience = self.rounds.keys().filter(|(of, _)| *of == audience).count();
        let is_full = match self.rounds.get(&key) {
            Some(known) => known.boards.len() >= MAX_BOARDS && !known.boards.contains_key(id),
            None => of_audience >= MAX_ROUNDS as usize,
        };
        if is_full {
            self.counters.unreadable += 1;
            return false;
        }
        let bound = self.bound(round, id);
        let (number, resets) = (self.number(audience, round, id), self.pairing(round, id).map(|pairing| pairing.reset));
        let owner = self.rounds.get(&key).and_then(|round| round.boards.get(id)).and_then(Board::owner);
        let is_rival = owner.is_some_and(|owner| owner != picture.node && self.owner_serves(owner, round, id, now));
        let boards = &mut self.rounds.entry(key.clone()).or_default().boards;
        let board = boards.entry(id.to_owned()).or_insert_with(|| Board::new(number, resets));
        let changed = if is_rival {
            self.counters.two_nodes += u64::from(self.gathered.is_some());
            board.rival.replace(picture).is_none()
        } else {
            let taken = board.take(picture, &bound, now);
            self.counters.old += u64::from(taken == Taken::Refused);
            taken == Taken::Changed
        };
        self.note_change(changed, key);
        true
    }

    fn note_change(&mut self, changed: bool, round: (OutputAudience, String)) {
        if changed {
            self.changed = true;
            self.unstored.insert(round);
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

    /// Takes the organiser's pairings of a round. An empty message changes nothing.
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
        let (chess960, before) = (self.chess960(), self.pairings.get(round).map(|before| before.body.boards.as_slice()));
        let was_unpaired =
            |id: &str| before.is_some_and(|before| !before.is_empty() && before.iter().all(|pairing| pairing.board != id));
        for (key, boards) in self.rounds.iter_mut().filter(|((_, of), _)| of == round) {
            for pairing in &told.body.boards {
                let Some(board) = boards.boards.get_mut(&pairing.board) else { continue };
                board.number = pairing.number;
                if was_unpaired(&pairing.board) {
                    board.begin_round(chess960);
                }
                if board.resets.replace(pairing.reset).is_some_and(|done| pairing.reset > done) {
                    board.reset();
                }
            }
            naming::number_others(&mut boards.boards, &told.body.boards);
            self.unstored.insert(key.clone());
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

    /// Whether a node is known to be there.
    pub(crate) fn is_alive(&self, node: &str) -> bool {
        self.nodes.is_known(node) && !self.nodes.is_away(node)
    }

    /// The pairing of a board.
    pub(crate) fn pairing(&self, round: &str, board: &str) -> Option<&Pairing> {
        self.pairings.get(round)?.body.boards.iter().find(|pairing| pairing.board == board)
    }

    /// Whether a round has pairings and this board has none: its games go to no output.
    pub(crate) fn is_unpaired(&self, round: &str, board: &str) -> bool {
        let has_pairings = self.pairings.get(round).is_some_and(|told| !told.body.boards.is_empty());
        has_pairings && self.pairing(round, board).is_none()
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
