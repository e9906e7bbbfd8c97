//! All positions that can arise, generated with no knowledge of chess but the legal moves: the measure of every answer.

use shakmaty::{Chess, Color, EnPassantMode, Position};

/// The properties that make two positions the same: men, castling, en passant, the side to move.
type PositionKey = [u64; 9];

fn position_key(at: &Chess) -> PositionKey {
    let (roles, colors) = at.board().clone().into_bitboards();
    let ep = at.ep_square(EnPassantMode::Legal).map_or(64, u64::from);
    let [pawns, knights, bishops, rooks, queens, kings, white] =
        [roles.pawn, roles.knight, roles.bishop, roles.rook, roles.queen, roles.king, colors.white].map(|set| set.0);
    let rights = at.castles().castling_rights().0;
    [pawns, knights, bishops, rooks, queens, kings, white, rights, ep * 2 + u64::from(at.turn().is_white())]
}

/// A set of positions in the order in which they were added.
struct PositionSet {
    positions: Vec<PositionKey>,
    slots: Vec<u32>,
}

const FREE: u32 = u32::MAX;

impl PositionSet {
    fn new(cap: usize) -> Self {
        // There are twice as many slots as positions: at most the moves of one position exceed the cap.
        Self { positions: Vec::new(), slots: vec![FREE; (cap * 2 + 1_000).next_power_of_two()] }
    }

    /// Adds a position; returns true if it is new.
    fn add(&mut self, position: PositionKey) -> bool {
        let sum = position.iter().fold(0x9e37_79b9_7f4a_7c15_u64, |sum, word| {
            let sum = (sum ^ word).wrapping_mul(0xff51_afd7_ed55_8ccd);
            sum ^ (sum >> 29)
        });
        let mask = self.slots.len() - 1;
        let mut slot = usize::try_from(sum >> 20).expect("44 bits") & mask;
        while self.slots[slot] != FREE {
            if self.positions[self.slots[slot] as usize] == position {
                return false;
            }
            slot = (slot + 1) & mask;
        }
        self.slots[slot] = u32::try_from(self.positions.len()).expect("below the cap");
        self.positions.push(position);
        true
    }
}

/// `Some(true)` if a mate by `side` can arise, `Some(false)` if none can, `None` if there are more positions than the cap. The search
/// does not go on where `side` has only the king.
pub(crate) fn exhaust(root: &Chess, side: Color, cap: usize) -> Option<bool> {
    let mut met = PositionSet::new(cap);
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
        for step in moves {
            let mut after = at.clone();
            after.play_unchecked(step);
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
