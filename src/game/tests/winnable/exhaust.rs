//! All positions that can arise, generated with no knowledge of chess but the legal moves: the measure of every answer.

use shakmaty::{Chess, Color, EnPassantMode, Position};

/// The properties that make two positions with the same side to move the same, in four planes of bits: the kinds of the men (7 is a rook
/// that may castle), and White's men. The last plane also marks the empty square on which en passant is legal. It is never all zeros.
type PositionKey = [u64; 4];

const FREE: PositionKey = [0; 4];

fn position_key(at: &Chess) -> PositionKey {
    let (roles, colors) = at.board().clone().into_bitboards();
    let rights = at.castles().castling_rights().0;
    let ep = at.ep_square(EnPassantMode::Legal).map_or(0, |square| 1 << u32::from(square));
    let a = roles.pawn.0 | roles.bishop.0 | roles.queen.0;
    let b = roles.knight.0 | roles.bishop.0 | roles.king.0;
    let c = roles.rook.0 | roles.queen.0 | roles.king.0;
    [a | rights, b | rights, c, colors.white.0 | ep]
}

/// A place among at least as many as the mask says.
fn place([a, b, c, white]: &PositionKey, mask: usize) -> usize {
    const ODD: u64 = 0xff51_afd7_ed55_8ccd;
    let sum = (a ^ 0x9e37_79b9_7f4a_7c15).wrapping_mul(ODD);
    let sum = (sum ^ (sum >> 29) ^ b).wrapping_mul(ODD);
    let sum = (sum ^ (sum >> 29) ^ c).wrapping_mul(ODD);
    let sum = (sum ^ (sum >> 29) ^ white).wrapping_mul(ODD);
    (sum ^ (sum >> 29)) as usize & mask
}

/// A set of positions with one side to move.
struct PositionSet {
    /// The positions at places that depend on them, with free places between.
    places: Vec<PositionKey>,
    count: usize,
}

impl PositionSet {
    fn new() -> Self {
        Self { places: vec![FREE; 1 << 9], count: 0 }
    }

    /// Adds a position; returns true if it is new.
    fn add(&mut self, position: PositionKey) -> bool {
        let at = self.find(&position);
        if self.places[at] != FREE {
            return false;
        }
        self.places[at] = position;
        self.count += 1;
        if self.count * 2 > self.places.len() {
            let larger = vec![FREE; self.places.len() * 4];
            for position in std::mem::replace(&mut self.places, larger) {
                if position != FREE {
                    let at = self.find(&position);
                    self.places[at] = position;
                }
            }
        }
        true
    }

    /// The place of the position, or the free place where it belongs.
    fn find(&self, position: &PositionKey) -> usize {
        let mask = self.places.len() - 1;
        let mut at = place(position, mask);
        // A comparison of the arrays would be a call of memcmp.
        let same = |other: &PositionKey| other.iter().zip(position).fold(0, |sum, (one, two)| sum | (one ^ two)) == 0;
        while self.places[at] != FREE && !same(&self.places[at]) {
            at = (at + 1) & mask;
        }
        at
    }
}

/// `Some(true)` if a mate by `side` can arise, `Some(false)` if none can, `None` if there are more positions than the cap. The search
/// does not go on where `side` has only the king.
pub(crate) fn exhaust(root: &Chess, side: Color, cap: usize) -> Option<bool> {
    let mut met = [PositionSet::new(), PositionSet::new()];
    let mut add = |at: &Chess| met[usize::from(at.turn().is_white())].add(position_key(at)).then(|| met[0].count + met[1].count);
    add(root);
    let mut open = vec![root.clone()];
    while let Some(at) = open.pop() {
        let moves = at.legal_moves();
        if moves.is_empty() && at.is_check() && at.turn() != side {
            return Some(true);
        }
        if at.board().by_color(side).count() == 1 {
            continue;
        }
        for step in moves {
            let mut after = at.clone();
            after.play_unchecked(step);
            if let Some(positions) = add(&after) {
                if positions > cap {
                    return None;
                }
                open.push(after);
            }
        }
    }
    Some(false)
}
