//! A position of a class as squares, its number, and the moves that lead to it.

use shakmaty::{
    Bitboard, Board, CastlingMode, Chess, Color, EnPassantMode, FromSetup, Piece, Position, PositionError, Role, Setup, Square,
    attacks,
};

use crate::retrograde::Men;

/// A position of a class: the squares of White's king, Black's king and the men, and whether White is to move.
#[derive(Clone, Copy)]
pub(crate) struct PlacedMen {
    pub(crate) squares: [Square; 4],
    pub(crate) men: usize,
    pub(crate) white: bool,
}

impl PlacedMen {
    pub(crate) fn piece(&self, men: &[Piece], number: usize) -> Piece {
        match number {
            0 => Color::White.king(),
            1 => Color::Black.king(),
            _ => men[number - 2],
        }
    }

    pub(crate) fn occupied(&self) -> Bitboard {
        self.squares[..self.men].iter().copied().collect()
    }

    pub(crate) fn movers(self, men: &[Piece]) -> impl Iterator<Item = usize> {
        (0..self.men).filter(move |number| self.piece(men, *number).color.is_white() == self.white)
    }

    pub(crate) fn chess(&self, men: &[Piece]) -> Option<Chess> {
        let mut board = Board::empty();
        for (number, square) in self.squares[..self.men].iter().enumerate() {
            board.set_piece_at(*square, self.piece(men, number));
        }
        let turn = Color::from_white(self.white);
        Chess::from_setup(Setup { board, turn, ..Setup::empty() }, CastlingMode::Standard)
            .or_else(PositionError::ignore_impossible_check)
            .ok()
    }
}

/// The class and the position in it; without castling and en passant.
pub(crate) fn of(at: &Chess) -> Option<(Men, PlacedMen)> {
    let board = at.board();
    let men = board.occupied() & !board.kings();
    let mut rest: Vec<(Piece, Square)> = men.into_iter().filter_map(|square| Some((board.piece_at(square)?, square))).collect();
    rest.sort_by_key(|(piece, _)| (piece.color.is_black(), piece.role as usize));
    let mut squares = [Square::A1; 4];
    squares[0] = board.king_of(Color::White)?;
    squares[1] = board.king_of(Color::Black)?;
    for (slot, (_, square)) in squares[2..].iter_mut().zip(&rest) {
        *slot = *square;
    }
    let kinds: Men = rest.iter().map(|(piece, _)| *piece).collect();
    Some((kinds, PlacedMen { squares, men: rest.len() + 2, white: at.turn().is_white() }))
}

/// The number of the position or of its mirror image.
pub(crate) fn index(men: &[Piece], at: PlacedMen) -> u32 {
    let king = u32::from(at.squares[0]);
    let mut flip = if king & 7 > 3 { 7 } else { 0 };
    if king >> 3 > 3 && men.iter().all(|piece| piece.role != Role::Pawn) {
        flip |= 56;
    }
    let mut squares = at.squares.map(|square| u32::from(square) ^ flip);
    // Two men of one kind can change places.
    if let [first, second] = men
        && first == second
        && squares[2] > squares[3]
    {
        squares.swap(2, 3);
    }
    let king = squares[0] / 8 * 4 + squares[0] % 4;
    squares[1..at.men].iter().fold(king, |sum, square| sum * 64 + square) * 2 + u32::from(at.white)
}

/// The number of positions of a class: places of the white king, of each other man, and two sides to move.
pub(crate) fn all(men: &[Piece]) -> u32 {
    let kings = if men.iter().all(|piece| piece.role != Role::Pawn) { 16 } else { 32 };
    (kings * 2) << (6 * (men.len() + 1))
}

pub(crate) fn numbered(number: u32, men: usize) -> PlacedMen {
    let mut squares = [Square::A1; 4];
    let mut left = number / 2;
    for slot in squares[1..men + 2].iter_mut().rev() {
        *slot = Square::new(left % 64);
        left /= 64;
    }
    squares[0] = Square::new(left / 4 * 8 + left % 4);
    PlacedMen { squares, men: men + 2, white: number % 2 == 1 }
}

/// Whether every man has a square of its own, no pawn is on a last rank, and no king can be taken.
pub(crate) fn possible(men: &[Piece], at: PlacedMen) -> bool {
    let occupied = at.occupied();
    let pawns = |number: &usize| at.piece(men, *number).role == Role::Pawn;
    occupied.count() == at.men
        && !(0..at.men).filter(pawns).any(|number| Bitboard::BACKRANKS.contains(at.squares[number]))
        && !attacked(men, at, at.white, occupied)
}

/// Whether a man of one side attacks the king of the other.
fn attacked(men: &[Piece], at: PlacedMen, by_white: bool, occupied: Bitboard) -> bool {
    let king = at.squares[usize::from(by_white)];
    let attacks = |number: usize| attacks::attacks(at.squares[number], at.piece(men, number), occupied).contains(king);
    (0..at.men).any(|number| at.piece(men, number).color.is_white() == by_white && attacks(number))
}

pub(crate) fn mated(men: &[Piece], at: PlacedMen) -> bool {
    !at.white && attacked(men, at, true, at.occupied()) && at.chess(men).is_some_and(|at| at.is_checkmate())
}

pub(crate) fn ahead(color: Color, from: Square) -> Option<Square> {
    from.offset(color.fold_wb(8, -8))
}

/// Whether the side to move can make a double step past a pawn that could capture en passant.
pub(crate) fn passes(men: &[Piece], at: PlacedMen) -> bool {
    let two = men.iter().filter(|piece| piece.role == Role::Pawn).count() == 2 && men[0].color != men[1].color;
    two && at.chess(men).is_some_and(|at| {
        at.legal_moves().into_iter().any(|step| {
            let mut after = at.clone();
            after.play_unchecked(step);
            after.ep_square(EnPassantMode::Legal).is_some()
        })
    })
}

/// Calls `each` for every position from which a quiet move leads here; double steps past a pawn are left out.
pub(crate) fn before(men: &[Piece], at: PlacedMen, each: &mut impl FnMut(PlacedMen)) {
    let occupied = at.occupied();
    let moved = PlacedMen { white: !at.white, ..at };
    for mover in moved.movers(men) {
        let (piece, to) = (at.piece(men, mover), at.squares[mover]);
        let mut from = Bitboard::EMPTY;
        if piece.role == Role::Pawn {
            let back = piece.color.fold_wb(-8, 8);
            if let Some(one) = to.offset(back).filter(|one| !occupied.contains(*one)) {
                from.add(one);
                let double = to.rank() == piece.color.fold_wb(shakmaty::Rank::Fourth, shakmaty::Rank::Fifth);
                let other = |number: usize| at.piece(men, number) == Role::Pawn.of(!piece.color);
                let beside = attacks::king_attacks(to) & Bitboard::from_rank(to.rank());
                let taken =
                    (2..at.men).any(|number| other(number) && beside.contains(at.squares[number])) && at.after_double(men, mover);
                if let Some(two) = one.offset(back).filter(|two| double && !taken && !occupied.contains(*two)) {
                    from.add(two);
                }
            }
        } else {
            from = attacks::attacks(to, piece, occupied) & !occupied;
        }
        for square in from {
            let mut before = moved;
            before.squares[mover] = square;
            each(before);
        }
    }
}

impl PlacedMen {
    /// Whether the pawn that has just made a double step can be captured en passant.
    fn after_double(&self, men: &[Piece], pawn: usize) -> bool {
        let back = self.piece(men, pawn).color.fold_wb(-16, 16);
        let mut before = Self { white: !self.white, ..*self };
        let Some(home) = self.squares[pawn].offset(back) else { return false };
        before.squares[pawn] = home;
        before.chess(men).is_some_and(|at| {
            at.legal_moves().into_iter().any(|step| {
                let mut after = at.clone();
                after.play_unchecked(step);
                step.from() == Some(home) && step.to() == self.squares[pawn] && after.legal_ep_square().is_some()
            })
        })
    }
}
