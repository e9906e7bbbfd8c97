//! Assigns the squares on which Black's men stay while their king walks.
//!
//! If the king has no step and is not in check, another man must move, or it is stalemate. Then it is enough that a man which can
//! move at all can do so within its home: a pawn on its file, the queen that it became on the last two squares of the file, and
//! another man between two squares that attack each other. White's king never stands on an attacked square, and a man of White on
//! such a square is taken. A man that is pinned (by a bishop) takes the bishop or has no move.

use alloc::vec::Vec;

use shakmaty::{Bitboard, Board, Color, Role, Square, attacks};

/// The homes of the men. They have no square in common.
#[derive(Clone)]
pub(super) struct Homes {
    pub(super) all: Bitboard,
    /// True if the men may move, each in its home. Otherwise they never move.
    pub(super) stay: bool,
    each: Vec<(Role, Bitboard)>,
}

impl Homes {
    /// Homes in which all men stay where they are.
    pub(super) fn still(board: &Board) -> Self {
        Self { all: board.black() & !board.kings(), stay: false, each: Vec::new() }
    }

    /// Homes in which the men move, as far from their king as possible; `None` if there is no room. They are for play against
    /// one man of White: a man that takes it need not stay in its home.
    pub(super) fn moving(board: &Board) -> Option<Self> {
        let king = board.king_of(Color::Black)?;
        let men = board.black() & !board.kings();
        let mut homes = Self { all: Bitboard::EMPTY, stay: true, each: Vec::new() };
        for pawn in men & board.pawns() {
            let file = Bitboard::from(pawn.file()) & Bitboard(u64::MAX >> (63 - u32::from(pawn)));
            if (file & men).more_than_one() {
                return None;
            }
            homes.add(Role::Pawn, file)?;
        }
        let mut taken = homes.all | men;
        for man in men & !board.pawns() {
            let role = board.role_at(man)?;
            // A step of one square, so that no man can stand between.
            let reach = match role {
                Role::Knight => attacks::knight_attacks(man),
                Role::Bishop => attacks::bishop_attacks(man, Bitboard::EMPTY) & attacks::king_attacks(man),
                Role::Rook => attacks::rook_attacks(man, Bitboard::EMPTY) & attacks::king_attacks(man),
                _ => attacks::king_attacks(man),
            };
            let far = |square: &Square| (square.distance(king), u32::from(*square));
            let other = (reach & !taken).without(king).into_iter().max_by_key(far)?;
            taken.add(other);
            homes.add(role, Bitboard::from_square(man).with(other))?;
        }
        Some(homes)
    }

    /// The squares of the man that stood here at first.
    #[cfg(test)]
    pub(super) fn of(&self, man: Square) -> Option<Bitboard> {
        let moving = self.each.iter().map(|(_, home)| *home).find(|home| home.contains(man));
        if self.stay { moving } else { self.all.contains(man).then(|| Bitboard::from_square(man)) }
    }

    fn add(&mut self, role: Role, home: Bitboard) -> Option<()> {
        if !self.all.is_disjoint(home) {
            return None;
        }
        self.all |= home;
        self.each.push((role, home));
        Some(())
    }

    /// True if each of Black's men is in its home.
    pub(super) fn hold(&self, board: &Board) -> bool {
        let men = board.black() & !board.kings();
        if !men.is_subset(self.all) {
            return false;
        }
        let at_home = |(role, home): &(Role, Bitboard)| {
            let here = men & *home;
            let queens = home.into_iter().take(2).collect::<Bitboard>() & board.queens();
            let allowed = if *role == Role::Pawn { board.pawns() | queens } else { board.by_role(*role) };
            !here.more_than_one() && here.is_subset(allowed)
        };
        !self.stay || self.each.iter().all(at_home)
    }
}
