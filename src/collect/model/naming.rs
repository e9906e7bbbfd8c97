//! Numbers the boards of a round.

use std::collections::{BTreeMap, BTreeSet};

use super::Model;
use super::board::Board;
use crate::config::OutputAudience;
use crate::outputs::names;
use crate::wire::meta::Pairing;

impl Model {
    /// The number of a board: that of its pairing, or that at the end of its id if no other board has it, or the next one. A board keeps
    /// its number.
    pub(super) fn number(&self, audience: OutputAudience, round: &str, id: &str) -> u32 {
        if let Some(pairing) = self.pairing(round, id) {
            return pairing.number;
        }
        let known = self.rounds.get(&(audience, round.to_owned()));
        let paired =
            self.pairings.get(round).into_iter().flat_map(|round| round.body.boards.iter().map(|pairing| pairing.number));
        let numbers = known.into_iter().flat_map(|round| round.boards.values().map(|board| board.number));
        let taken: BTreeSet<u32> = numbers.chain(paired).collect();
        let own = names::board_number(id).filter(|number| !taken.contains(number));
        own.unwrap_or_else(|| taken.last().map_or(1, |last| last.saturating_add(1)))
    }
}

/// Gives another number to each board without a pairing whose number a pairing has.
pub(super) fn number_others(boards: &mut BTreeMap<String, Board>, pairings: &[Pairing]) {
    let paired: BTreeSet<u32> = pairings.iter().map(|pairing| pairing.number).collect();
    let mut last = boards.values().map(|board| board.number).chain(paired.iter().copied()).max().unwrap_or_default();
    let others = boards.iter_mut().filter(|(id, _)| !pairings.iter().any(|pairing| pairing.board == **id));
    for (_, board) in others.filter(|(_, board)| paired.contains(&board.number)) {
        last = last.saturating_add(1);
        board.number = last;
    }
}
