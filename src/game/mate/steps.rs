//! Computes the steps of the men of a growing wall, for many squares at once. The checker has its own code, square by square. If
//! a step were missing here, the result would only be a claim that the checker refuses.

use shakmaty::{Bitboard, ByColor, Color, Role, Square, attacks};

use super::reason::Wall;

/// The squares at one moment on which the steps depend.
pub(super) struct Fields {
    steady: ByColor<Bitboard>,
    /// The steady men by kind.
    roles: [Bitboard; 6],
    /// The squares that are never empty.
    standing: Bitboard,
    /// The squares where a man that can be taken may stand.
    victims: ByColor<Bitboard>,
    /// The squares where a pawn may stand, apart from steady pawns.
    pawns: ByColor<Bitboard>,
    /// The squares to which a pawn of the colour cannot be pushed.
    barred: ByColor<Bitboard>,
    /// The squares to which a king of the colour can never step, steady sliders apart.
    forbidden: ByColor<Bitboard>,
    /// The squares that are empty in every position.
    never: Bitboard,
}

/// The order of the roles in [`Fields`].
const ORDER: [Role; 6] = [Role::Pawn, Role::Knight, Role::Bishop, Role::Rook, Role::Queen, Role::King];

impl Fields {
    pub(super) fn of(wall: &Wall) -> Self {
        let board = &wall.steady;
        let steady = ByColor { white: board.white(), black: board.black() };
        let mut victims = steady;
        let mut pawns = ByColor { white: Bitboard::EMPTY, black: Bitboard::EMPTY };
        let mut kings = pawns;
        let mut standing = board.occupied();
        let mut never = !board.occupied();
        for reach in &wall.reaches {
            never &= !reach.squares;
            match reach.role {
                Role::King => {
                    *kings.get_mut(reach.color) |= reach.squares;
                    if reach.squares.count() == 1 {
                        standing |= reach.squares;
                    }
                    continue;
                }
                Role::Pawn => *pawns.get_mut(reach.color) |= reach.squares,
                _ => {}
            }
            *victims.get_mut(reach.color) |= reach.squares;
        }
        let mut barred = ByColor { white: standing, black: standing };
        for guard in &wall.guards {
            barred.get_mut(!guard.color).add(guard.home);
        }
        let forbidden = ByColor::new_with(|color: Color| {
            let mut sum = pawn_attacks(!color, board.pawns() & *steady.get(!color));
            for from in board.knights() & *steady.get(!color) {
                sum |= attacks::knight_attacks(from);
            }
            let king = *kings.get(!color);
            if king.any() && king.count() <= 8 {
                sum |= king.into_iter().fold(Bitboard::FULL, |all, from| all & attacks::king_attacks(from));
            }
            sum
        });
        let roles = ORDER.map(|role| board.by_role(role));
        Self { steady, roles, standing, victims, pawns, barred, forbidden, never }
    }

    /// The squares to which men of a kind may step from any of the squares. Squares with steady men in their way are
    /// included.
    pub(super) fn steps(&self, color: Color, role: Role, from: Bitboard) -> Bitboard {
        let own = *self.steady.get(color);
        match role {
            Role::Pawn => self.pawn_steps(color, from),
            Role::King => {
                let open = !own & !*self.forbidden.get(color);
                let sliders = *self.steady.get(!color) & (self.roles[2] | self.roles[3] | self.roles[4]);
                from.into_iter().fold(Bitboard::EMPTY, |sum, at| {
                    let to = attacks::king_attacks(at) & open;
                    if sliders.is_empty() { sum | to } else { sum | (to & !self.swept(sliders, at, to)) }
                })
            }
            _ => {
                let shut = own | (self.standing & !self.steady.white & !self.steady.black);
                from.into_iter().fold(Bitboard::EMPTY, |sum, at| sum | attacks::attacks(at, role.of(color), self.standing))
                    & !shut
            }
        }
    }

    /// The steady men that may step.
    pub(super) fn steady_that_move(&self) -> Bitboard {
        let mut sum = Bitboard::EMPTY;
        for color in Color::ALL {
            for (role, men) in ORDER.into_iter().zip(self.roles) {
                let men = men & *self.steady.get(color);
                sum |=
                    men.into_iter().filter(|at| self.steps(color, role, Bitboard::from_square(*at)).any()).collect::<Bitboard>();
            }
        }
        sum
    }

    /// The squares of `to` that a steady slider always attacks, also past the square that the king leaves.
    fn swept(&self, sliders: Bitboard, king: Square, to: Bitboard) -> Bitboard {
        let free = self.never.with(king);
        let attacked = |square: Square| {
            sliders.into_iter().any(|by| {
                let diagonal = attacks::bishop_attacks(by, Bitboard::EMPTY).contains(square);
                let straight = attacks::rook_attacks(by, Bitboard::EMPTY).contains(square);
                let may = diagonal && !self.roles[3].contains(by) || straight && !self.roles[2].contains(by);
                by != square && may && attacks::between(by, square).is_subset(free)
            })
        };
        to.into_iter().filter(|square| attacked(*square)).collect()
    }

    fn pawn_steps(&self, color: Color, from: Bitboard) -> Bitboard {
        let barred = *self.barred.get(color);
        let (other, third, passing) = match color {
            Color::White => (*self.pawns.get(Color::Black), Bitboard(0x0000_0000_00ff_0000), Bitboard(0x0000_ff00_0000_0000)),
            Color::Black => (*self.pawns.get(Color::White), Bitboard(0x0000_ff00_0000_0000), Bitboard(0x0000_0000_00ff_0000)),
        };
        let one = ahead(color, from) & !barred;
        let two = ahead(color, one & third) & !barred;
        let passed = passing & ahead(color, other) & ahead(!color, other);
        one | two | (pawn_attacks(color, from) & (*self.victims.get(!color) | passed))
    }
}

/// The squares before these pawns.
pub(super) fn ahead(color: Color, pawns: Bitboard) -> Bitboard {
    match color {
        Color::White => Bitboard(pawns.0 << 8),
        Color::Black => Bitboard(pawns.0 >> 8),
    }
}

fn pawn_attacks(color: Color, pawns: Bitboard) -> Bitboard {
    const NOT_A: u64 = 0xfefe_fefe_fefe_fefe;
    const NOT_H: u64 = 0x7f7f_7f7f_7f7f_7f7f;
    match color {
        Color::White => Bitboard((pawns.0 & NOT_A) << 7 | (pawns.0 & NOT_H) << 9),
        Color::Black => Bitboard((pawns.0 & NOT_A) >> 9 | (pawns.0 & NOT_H) >> 7),
    }
}
