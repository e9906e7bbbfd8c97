//! Stores the positions that a search for a mate has met, in the order in which it met them, with the way back to the root.

use alloc::vec;
use alloc::vec::Vec;

use shakmaty::{Chess, Move, Position};

use super::key::{Key, pack, unpack};

/// The number of positions in one block of memory. Blocks are used because a growing vector would copy itself and need twice its
/// room.
const BLOCK: usize = 4096;
/// The mark of a free slot in the table.
const FREE: u32 = u32::MAX;

/// Exact positions by number, in the order of insertion.
pub(super) struct Arena {
    blocks: Vec<Vec<(Key, u32)>>,
    slots: Vec<u32>,
    len: u32,
}

/// The largest amount of memory for each position, in bytes: key, parent, and slots while the table grows.
pub(super) const BYTES_EACH: usize = 64;

impl Arena {
    pub(super) fn new(root: &Chess) -> Self {
        let mut arena = Self { blocks: Vec::new(), slots: vec![FREE; 128], len: 0 };
        arena.insert(&pack(root), 0);
        arena
    }

    pub(super) fn len(&self) -> u32 {
        self.len
    }

    fn entry(&self, index: u32) -> &(Key, u32) {
        &self.blocks[index as usize / BLOCK][index as usize % BLOCK]
    }

    pub(super) fn parent(&self, index: u32) -> u32 {
        self.entry(index).1
    }

    pub(super) fn position(&self, index: u32) -> Option<Chess> {
        unpack(&self.entry(index).0)
    }

    /// Adds a position. Returns its number if it is new.
    pub(super) fn insert(&mut self, key: &Key, parent: u32) -> Option<u32> {
        let mask = self.slots.len() - 1;
        let mut slot = spread(key) as usize & mask;
        while self.slots[slot] != FREE {
            if self.entry(self.slots[slot]).0 == *key {
                return None;
            }
            slot = (slot + 1) & mask;
        }
        let index = self.len;
        self.slots[slot] = index;
        if (index as usize).is_multiple_of(BLOCK) {
            // The first block is small, because most searches are small.
            let room = if index == 0 { 64 } else { BLOCK };
            self.blocks.push(Vec::with_capacity(room));
        }
        self.blocks[index as usize / BLOCK].push((*key, parent));
        self.len += 1;
        if self.len as usize * 4 > self.slots.len() * 3 {
            self.grow();
        }
        Some(index)
    }

    fn grow(&mut self) {
        let size = self.slots.len() * 2;
        let mask = size - 1;
        self.slots = Vec::new();
        let mut slots = vec![FREE; size];
        for index in 0..self.len {
            let mut slot = spread(&self.entry(index).0) as usize & mask;
            while slots[slot] != FREE {
                slot = (slot + 1) & mask;
            }
            slots[slot] = index;
        }
        self.slots = slots;
    }

    /// The moves from the root to a position, rebuilt from the positions on the way.
    pub(super) fn line(&self, mut index: u32) -> Option<Vec<Move>> {
        let mut line = Vec::new();
        while index != 0 {
            let parent = self.parent(index);
            let before = self.position(parent)?;
            let step = before.legal_moves().into_iter().find(|step| {
                let mut after = before.clone();
                after.play_unchecked(*step);
                pack(&after) == self.entry(index).0
            })?;
            line.push(step);
            index = parent;
        }
        line.reverse();
        Some(line)
    }
}

pub(super) fn spread(key: &Key) -> u64 {
    let mut sum = 0x9e37_79b9_7f4a_7c15_u64;
    for word in key {
        sum = (sum ^ word).wrapping_mul(0xff51_afd7_ed55_8ccd);
        sum ^= sum >> 32;
    }
    sum
}
