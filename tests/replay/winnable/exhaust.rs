//! All positions that can arise, generated with no knowledge of chess but the legal moves: the measure of every answer.

use shakmaty::{Chess, Color, EnPassantMode, Position};

/// The properties that make two positions the same: the men in four planes of bits, and castling, en passant and the side to move.
type PositionKey = [u64; 6];

fn position_key(at: &Chess) -> PositionKey {
    let (roles, colors) = at.board().clone().into_bitboards();
    let ep = at.ep_square(EnPassantMode::Legal).map_or(64, u64::from);
    let a = roles.pawn.0 | roles.bishop.0 | roles.queen.0;
    let b = roles.knight.0 | roles.bishop.0 | roles.king.0;
    let c = roles.rook.0 | roles.queen.0 | roles.king.0;
    [a, b, c, colors.white.0, at.castles().castling_rights().0, ep * 2 + u64::from(at.turn().is_white())]
}

fn hash([a, b, c, white, rights, rest]: &PositionKey) -> u64 {
    const ODD: u64 = 0xff51_afd7_ed55_8ccd;
    let sum = (a ^ 0x9e37_79b9_7f4a_7c15).wrapping_mul(ODD);
    let sum = (sum ^ (sum >> 29) ^ b).wrapping_mul(ODD);
    let sum = (sum ^ (sum >> 29) ^ c).wrapping_mul(ODD);
    let sum = (sum ^ (sum >> 29) ^ white).wrapping_mul(ODD);
    let sum = (sum ^ (sum >> 29) ^ rights.rotate_left(32) ^ rest).wrapping_mul(ODD);
    sum ^ (sum >> 29)
}

/// A set of positions in the order in which they were added.
struct PositionSet {
    positions: Vec<PositionKey>,
    /// The number of a position, with some bits of its hash, so that few positions must be compared.
    slots: Vec<(u32, u32)>,
}

const FREE: u32 = u32::MAX;

impl PositionSet {
    fn new() -> Self {
        Self { positions: Vec::new(), slots: vec![(FREE, 0); 1 << 10] }
    }

    /// Adds a position; returns true if it is new.
    fn add(&mut self, position: PositionKey) -> bool {
        let sum = hash(&position);
        let mask = self.slots.len() - 1;
        let mark = (sum >> 32) as u32;
        let mut slot = sum as usize & mask;
        loop {
            let (number, other) = self.slots[slot];
            if number == FREE {
                break;
            }
            if other == mark && self.positions[number as usize] == position {
                return false;
            }
            slot = (slot + 1) & mask;
        }
        self.slots[slot] = (u32::try_from(self.positions.len()).expect("below the cap"), mark);
        self.positions.push(position);
        if self.positions.len() * 2 > self.slots.len() {
            self.grow();
        }
        true
    }

    fn grow(&mut self) {
        let mask = self.slots.len() * 4 - 1;
        self.slots = vec![(FREE, 0); mask + 1];
        for (number, position) in self.positions.iter().enumerate() {
            let sum = hash(position);
            let mut slot = sum as usize & mask;
            while self.slots[slot].0 != FREE {
                slot = (slot + 1) & mask;
            }
            self.slots[slot] = (u32::try_from(number).expect("below the cap"), (sum >> 32) as u32);
        }
    }
}

/// `Some(true)` if a mate by `side` can arise, `Some(false)` if none can, `None` if there are more positions than the cap. The search
/// does not go on where `side` has only the king.
pub(crate) fn exhaust(root: &Chess, side: Color, cap: usize) -> Option<bool> {
    let mut met = PositionSet::new();
    met.add(position_key(root));
    let mut open = vec![root.clone()];
    while let Some(at) = open.pop() {
        let moves = at.legal_moves();
        if moves.is_empty() && at.is_check() && at.turn() != side {
            return Some(true);
        }
        if at.board().by_color(side).count() == 1 {
            continue;
        }
        for step in &moves {
            let mut after = at.clone();
            after.play_unchecked(*step);
            if met.add(position_key(&after)) {
                open.push(after);
            }
        }
        if met.positions.len() > cap {
            return None;
        }
    }
    Some(false)
}
