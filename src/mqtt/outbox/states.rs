//! Keeps the last version of each retained state, and whether the broker has it.

use std::collections::{BTreeMap, VecDeque};

use super::{BoardNo, Retained, STATES};
use crate::wire::topics;

/// The number of ranks: states of the node, of devices, parts of moves, states of boards, and open alarms and rulings.
const RANKS: usize = 5;
/// The order of the ranks when a connection begins, so that nobody gets an alarm of a board that he does not know, and the present comes
/// before what was ...
const AT_BIRTH: [usize; RANKS] = [0, 1, 3, 4, 2];
/// ... and later, when no alarm waits behind the states of many boards on a slow line.
const AFTER_BIRTH: [usize; RANKS] = [0, 1, 4, 2, 3];

/// The last state of each topic. Only one version of a state is under way at a time, so that a slow connection carries the newest
/// ones.
#[derive(Default)]
pub(super) struct States {
    slots: Vec<Option<Slot>>,
    names: BTreeMap<String, usize>,
    free: Vec<usize>,
    /// Slots to be sent, by rank, the one that waits longest first. None of them is under way.
    queues: [VecDeque<usize>; RANKS],
    versions: u64,
    /// The present round of each board and the one before, as `event/round`.
    rounds: BTreeMap<BoardNo, [String; 2]>,
}

struct Slot {
    retained: Retained,
    board: Option<BoardNo>,
    version: u64,
    flying: Option<u64>,
    queued: bool,
    /// The state is not sent yet in this connection.
    fresh: bool,
    /// It is forgotten when the broker has it, or when the connection ends.
    once: bool,
    /// It belongs to a round before the last two of its board, and is forgotten when the broker has it.
    past: bool,
}

/// One version of a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Version {
    slot: usize,
    version: u64,
}

/// The rank of a topic, by its third level (`wire/README.md#4`).
fn rank(topic: &str) -> usize {
    if topic.contains("/1/node/") {
        0
    } else if topic.contains("/1/device/") {
        1
    } else if topic.contains("/moves/") {
        2
    } else if topic.contains("/alert/") || topic.ends_with("/ruling") {
        4
    } else {
        3
    }
}

impl States {
    /// Stores a state. Returns whether there was room.
    pub(super) fn retain(&mut self, board: Option<BoardNo>, retained: Retained) -> bool {
        self.versions += 1;
        let version = self.versions;
        if let Some(&index) = self.names.get(&retained.topic)
            && let Some(slot) = &mut self.slots[index]
        {
            (slot.retained, slot.board, slot.version, slot.once) = (retained, board, version, false);
            if slot.flying.is_none() {
                self.enqueue(index);
            }
            return true;
        }
        if self.names.len() >= STATES {
            return false;
        }
        let index = self.free.pop().unwrap_or(self.slots.len());
        let past = board.zip(topics::round_of(&retained.topic)).is_some_and(|(board, round)| {
            // What comes late for the public begins no round, nor does what is deleted.
            if retained.topic.contains("/1/arbiter/") && !retained.payload.is_empty() {
                self.begin_round(board, round);
            }
            self.is_past(board, round)
        });
        self.names.insert(retained.topic.clone(), index);
        let slot = Some(Slot { retained, board, version, flying: None, queued: false, fresh: true, once: false, past });
        match self.slots.get_mut(index) {
            Some(place) => *place = slot,
            None => self.slots.push(slot),
        }
        self.enqueue(index);
        true
    }

    /// Notes the round of a board. If it is a new one, the states of those before the last two are forgotten as soon as the broker has
    /// them: it keeps them, and the memory of a node must not grow with the rounds of an event.
    fn begin_round(&mut self, board: BoardNo, round: &str) {
        let rounds = self.rounds.entry(board).or_default();
        if rounds.iter().any(|known| known == round) {
            return;
        }
        rounds.swap(0, 1);
        round.clone_into(&mut rounds[0]);
        for index in 0..self.slots.len() {
            let Some(slot) = self.slots[index].as_ref().filter(|slot| slot.board == Some(board)) else { continue };
            let past = topics::round_of(&slot.retained.topic).is_some_and(|round| self.is_past(board, round));
            let known = !slot.queued && slot.flying.is_none();
            if past && known {
                self.forget(index);
            } else if let Some(slot) = &mut self.slots[index] {
                slot.past = past;
            }
        }
    }

    fn is_past(&self, board: BoardNo, round: &str) -> bool {
        self.rounds.get(&board).is_some_and(|rounds| rounds.iter().all(|known| known != round))
    }

    /// Stores a state that is sent once, unless a state of that topic, or its deletion, is held. Returns whether there was room.
    pub(super) fn retain_once(&mut self, board: Option<BoardNo>, retained: Retained) -> bool {
        let topic = retained.topic.clone();
        if self.slot(&topic).is_some() {
            return true;
        }
        let room = self.retain(board, retained);
        if let Some(slot) = self.names.get(&topic).and_then(|index| self.slots[*index].as_mut()) {
            slot.once = true;
        }
        room
    }

    fn slot(&self, topic: &str) -> Option<&Slot> {
        self.names.get(topic).and_then(|index| self.slots[*index].as_ref())
    }

    /// The topics below this prefix whose state is held.
    pub(super) fn held_topics(&self, prefix: &str) -> Vec<String> {
        let below = self.names.range(prefix.to_owned()..).map(|(topic, _)| topic).take_while(|topic| topic.starts_with(prefix));
        below.filter(|topic| self.slot(topic).is_some_and(|slot| !slot.retained.payload.is_empty())).cloned().collect()
    }

    fn enqueue(&mut self, index: usize) {
        if let Some(slot) = self.slots[index].as_mut().filter(|slot| !slot.queued) {
            slot.queued = true;
            self.queues[rank(&slot.retained.topic)].push_back(index);
        }
    }

    /// Takes the next state to be sent, of boards that are not held. `birth`: the connection has just begun.
    pub(super) fn next_state(&mut self, held: impl Fn(BoardNo) -> bool, birth: bool) -> Option<(Version, Retained)> {
        let States { slots, queues, .. } = self;
        for rank in if birth { AT_BIRTH } else { AFTER_BIRTH } {
            let queue = &mut queues[rank];
            let free = |index: &usize| slots[*index].as_ref().is_some_and(|slot| !slot.board.is_some_and(&held));
            let Some(place) = queue.iter().position(free) else { continue };
            let index = queue.remove(place)?;
            let slot = slots[index].as_mut()?;
            (slot.queued, slot.fresh, slot.flying) = (false, false, Some(slot.version));
            return Some((Version { slot: index, version: slot.version }, slot.retained.clone()));
        }
        None
    }

    /// Whether a state waits that was not sent in this connection.
    pub(super) fn has_fresh(&self, held: impl Fn(BoardNo) -> bool) -> bool {
        let fresh = |index: &usize| self.slots[*index].as_ref().is_some_and(|slot| slot.fresh && !slot.board.is_some_and(&held));
        self.queues.iter().flatten().any(fresh)
    }

    /// How many states wait or are under way.
    pub(super) fn waiting(&self) -> usize {
        let flying = self.slots.iter().flatten().filter(|slot| slot.flying.is_some()).count();
        self.queues.iter().map(VecDeque::len).sum::<usize>() + flying
    }

    pub(super) fn has_next(&self, held: impl Fn(BoardNo) -> bool) -> bool {
        let free = |index: &usize| self.slots[*index].as_ref().is_some_and(|slot| !slot.board.is_some_and(&held));
        self.queues.iter().flatten().any(free)
    }

    /// Notes that the broker has this version.
    pub(super) fn acknowledge(&mut self, sent: Version) {
        let Some(slot) = self.slots[sent.slot].as_mut().filter(|slot| slot.flying == Some(sent.version)) else { return };
        slot.flying = None;
        if slot.version != sent.version {
            self.enqueue(sent.slot);
        } else if slot.once || slot.past || slot.retained.payload.is_empty() {
            self.forget(sent.slot);
        }
    }

    fn forget(&mut self, index: usize) {
        if let Some(slot) = self.slots[index].take() {
            self.names.remove(&slot.retained.topic);
            self.free.push(index);
        }
    }

    /// Notes that this version must be sent again, or the one that has replaced it.
    pub(super) fn send_again(&mut self, sent: Version) {
        let Some(slot) = self.slots[sent.slot].as_mut().filter(|slot| slot.flying == Some(sent.version)) else { return };
        slot.flying = None;
        self.enqueue(sent.slot);
    }

    /// Marks all states to be sent, in order of their topics: it is not known what the broker has.
    pub(super) fn mark_all_unsent(&mut self) {
        self.queues.iter_mut().for_each(VecDeque::clear);
        let is_once = |slot: &Option<Slot>| slot.as_ref().is_some_and(|slot| slot.once);
        let once: Vec<usize> = (0..self.slots.len()).filter(|index| is_once(&self.slots[*index])).collect();
        once.into_iter().for_each(|index| self.forget(index));
        for index in self.names.values() {
            if let Some(slot) = &mut self.slots[*index] {
                (slot.flying, slot.queued, slot.fresh) = (None, true, true);
                self.queues[rank(&slot.retained.topic)].push_back(*index);
            }
        }
    }
}
