//! Recognises positions with something new that a search for a mate has not seen before. The result only guides the search.

use alloc::vec;
use alloc::vec::Vec;

use shakmaty::{Chess, Move, Position, Role};

/// The things seen, as a table of bits. If two things share a bit, a new thing only looks old.
pub(super) struct News {
    bits: Vec<u64>,
}

impl News {
    pub(super) fn new(cap: u32) -> Self {
        let words = (cap as usize).next_power_of_two().clamp(1 << 10, 1 << 16);
        Self { bits: vec![0; words] }
    }

    fn first(&mut self, thing: u64) -> bool {
        let sum = thing.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let sum = (sum ^ (sum >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let bit = (sum >> 20) as usize & (self.bits.len() * 64 - 1);
        let new = self.bits[bit / 64] & (1 << (bit % 64)) == 0;
        self.bits[bit / 64] |= 1 << (bit % 64);
        new
    }

    /// Rates a move by the man that moved: 0 if it stands where none of its kind stood, 1 if it is new together with another
    /// man, 2 if nothing is new.
    pub(super) fn look(&mut self, after: &Chess, step: &Move) -> usize {
        let board = after.board();
        let pawns = board.pawns();
        let mut base = (pawns & board.white()).0.wrapping_mul(0xff51_afd7_ed55_8ccd)
            ^ (pawns & board.black()).0.wrapping_mul(0xc4ce_b9fe_1a85_ec53).rotate_left(17);
        for (index, role) in [Role::Knight, Role::Bishop, Role::Rook, Role::Queen].into_iter().enumerate() {
            let men = board.by_role(role);
            base ^= (((men & board.white()).count() * 16 + (men & board.black()).count()) as u64) << (index * 16);
        }
        let role = step.promotion().unwrap_or(step.role());
        let mover = u64::from(role) * 128 + u64::from(step.to()) * 2 + u64::from(after.turn().is_white());
        base = base.wrapping_mul(0x2545_f491_4f6c_dd1d) ^ mover;
        let mut old = if self.first(base) { 0 } else { 2 };
        for role in [Role::Knight, Role::Bishop, Role::Rook, Role::Queen, Role::King] {
            for square in board.by_role(role) {
                let other = (u64::from(role) * 64 + u64::from(square) + 1) << 20;
                if self.first(base.wrapping_add(other.wrapping_mul(0x9e37_79b9_7f4a_7c15))) {
                    old = old.min(1);
                }
            }
        }
        old
    }
}
