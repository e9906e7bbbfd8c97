//! Squares that Black's men keep to while their king walks.
//!
//! Where the king has no step and is not in check, somebody else must move, or it is stalemate. Then it is enough that a
//! man who can move at all can do so without leaving his home: a pawn on his file, a queen that he became on its last two
//! squares, and another man between two squares that he attacks one from the other. White's king never stands on an
//! attacked square, and where a man of White stands on it, he is taken. A man who is pinned (by a bishop) takes it or has
//! no move.

use alloc::vec::Vec;

use shakmaty::{Bitboard, Board, Color, Role, Square, attacks};

/// The homes of the men, which do not meet.
#[derive(Clone)]
pub(super) struct Homes {
    pub(super) all: Bitboard,
    /// The men may move, each in his home; else they stand for ever.
    pub(super) stay: bool,
    each: Vec<(Role, Bitboard)>,
}

impl Homes {
    /// All men stand where they are.
    pub(super) fn still(board: &Board) -> Self {
        Self { all: board.black() & !board.kings(), stay: false, each: Vec::new() }
    }

    /// Homes in which they move, as far from their king as can be. `None` if there is no room.
    /// They are for White with one man: whoever takes it need not stay.
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
            // A step of one square, so that nobody can stand between.
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

    /// The squares of the man who was here at first.
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

    /// Each of Black's men is at home.
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
