//! Which positions of four men can White win with help? Backwards from the mates, for all positions of a class at once.
//!
//! A class is two kings and two more men. Captures lead to classes of three men, promotions to other classes of four; those are
//! made first. Mirrored positions are one: the white king stands on the files a to d, and where there are no pawns on
//! the ranks 1 to 4.

use std::collections::BTreeMap;

use shakmaty::{
    Bitboard, Board, CastlingMode, Chess, Color, EnPassantMode, FromSetup, Piece, Position, PositionError, Role, Setup, Square,
    attacks,
};

/// Men that are no kings: White's king and Black's come first in every position.
pub(crate) type Men = Vec<Piece>;

/// A position of a class: the squares of White's king, Black's king and the men, and whether White is to move.
#[derive(Clone, Copy)]
struct At {
    squares: [Square; 4],
    men: usize,
    white: bool,
}

/// A set of positions of a class.
struct Set(Vec<u64>);

impl Set {
    fn new(men: &[Piece]) -> Self {
        Self(vec![0; all(men) as usize / 64])
    }

    fn has(&self, index: u32) -> bool {
        self.0[index as usize / 64] >> (index % 64) & 1 == 1
    }

    /// True if it is new.
    fn add(&mut self, index: u32) -> bool {
        let new = !self.has(index);
        self.0[index as usize / 64] |= 1 << (index % 64);
        new
    }
}

/// What White can win, of each class made so far.
#[derive(Default)]
pub(crate) struct Truth {
    classes: BTreeMap<Vec<usize>, (Set, Set)>,
}

/// In the order of the men: White's before Black's, pawns first.
pub(crate) fn sorted(mut men: Men) -> Men {
    men.sort_by_key(|piece| (piece.color.is_black(), piece.role as usize));
    men
}

fn name(men: &[Piece]) -> Vec<usize> {
    men.iter().map(|piece| piece.role as usize * 2 + usize::from(piece.color.is_black())).collect()
}

impl Truth {
    /// Can White win the position? `None` if it is not of a class that was made, or illegal.
    pub(crate) fn winnable(&self, at: &Chess) -> Option<bool> {
        let (men, at) = of(at)?;
        if !men.iter().any(|piece| piece.color.is_white()) {
            return Some(false);
        }
        let (legal, won) = self.classes.get(&name(&men))?;
        let index = index(&men, at);
        legal.has(index).then(|| won.has(index))
    }

    /// Makes the class, and before it those that it leads to.
    pub(crate) fn make(&mut self, men: &[Piece]) {
        let men = sorted(men.to_vec());
        if self.classes.contains_key(&name(&men)) || !men.iter().any(|piece| piece.color.is_white()) {
            return;
        }
        for left in 0..men.len() {
            let mut fewer = men.clone();
            let gone = fewer.remove(left);
            self.make(&fewer);
            for role in [Role::Knight, Role::Bishop, Role::Rook, Role::Queen] {
                if gone.role == Role::Pawn {
                    let promoted = [fewer.clone(), vec![Piece { role, ..gone }]].concat();
                    self.make(&promoted);
                    for taken in 0..fewer.len() {
                        let mut rest = promoted.clone();
                        rest.remove(taken);
                        self.make(&rest);
                    }
                }
            }
        }
        let made = self.class(&men);
        self.classes.insert(name(&men), made);
    }

    fn class(&self, men: &[Piece]) -> (Set, Set) {
        let (mut legal, mut won) = (Set::new(men), Set::new(men));
        let mut open = Vec::new();
        let mut passing = Vec::new();
        for number in 0..all(men) {
            let at = numbered(number, men.len());
            if index(men, at) != number || !possible(men, at) {
                continue;
            }
            legal.add(number);
            if self.leaves_well(men, at) || mated(men, at) {
                won.add(number);
                open.push(number);
            } else if passes(men, at) {
                passing.push(number);
            }
        }
        loop {
            while let Some(number) = open.pop() {
                before(men, numbered(number, men.len()), &mut |at| {
                    let before = index(men, at);
                    if !won.has(before) && legal.has(before) {
                        won.add(before);
                        open.push(before);
                    }
                });
            }
            // A double step that may be taken in passing leads to a position with one move more.
            for number in &passing {
                if !won.has(*number) && self.passes_well(men, numbered(*number, men.len()), &won) {
                    won.add(*number);
                    open.push(*number);
                }
            }
            if open.is_empty() {
                return (legal, won);
            }
        }
    }

    /// A capture or a promotion leads to what is won.
    fn leaves_well(&self, men: &[Piece], at: At) -> bool {
        let occupied = at.occupied();
        for mover in at.movers(men) {
            let (piece, from) = (at.piece(men, mover), at.squares[mover]);
            let mut to = attacks::attacks(from, piece, occupied) & occupied;
            if piece.role == Role::Pawn {
                to |= ahead(piece.color, from)
                    .map_or(Bitboard::EMPTY, |one| Bitboard::from_square(one) & !occupied & Bitboard::BACKRANKS);
            }
            for square in to {
                let taken = (2..at.men).find(|other| at.squares[*other] == square);
                if taken.is_some_and(|other| at.piece(men, other).color == piece.color)
                    || taken.is_none() && occupied.contains(square)
                {
                    continue;
                }
                let promotes = piece.role == Role::Pawn && Bitboard::BACKRANKS.contains(square);
                let roles: &[Role] =
                    if promotes { &[Role::Knight, Role::Bishop, Role::Rook, Role::Queen] } else { &[piece.role] };
                for role in roles {
                    if self.after(men, at, mover, square, *role, taken) {
                        return true;
                    }
                }
            }
        }
        false
    }

    fn after(&self, men: &[Piece], at: At, mover: usize, to: Square, role: Role, taken: Option<usize>) -> bool {
        let mut rest = Vec::new();
        for (number, square) in at.squares[..at.men].iter().enumerate().filter(|(number, _)| Some(*number) != taken) {
            let piece = at.piece(men, number);
            rest.push(if number == mover { (Piece { role, ..piece }, to) } else { (piece, *square) });
        }
        rest[2..].sort_by_key(|(piece, _)| (piece.color.is_black(), piece.role as usize));
        let kinds: Men = rest[2..].iter().map(|(piece, _)| *piece).collect();
        let mut after = At { squares: [Square::A1; 4], men: rest.len(), white: !at.white };
        for (slot, (_, square)) in after.squares.iter_mut().zip(&rest) {
            *slot = *square;
        }
        self.classes.get(&name(&kinds)).is_some_and(|(_, won)| won.has(index(&kinds, after)))
    }

    fn passes_well(&self, men: &[Piece], at: At, won: &Set) -> bool {
        let Some(at) = at.chess(men) else { return false };
        at.legal_moves().into_iter().any(|step| {
            let mut after = at.clone();
            after.play_unchecked(step);
            after.legal_ep_square().is_some()
                && after.legal_moves().into_iter().any(|reply| {
                    let mut end = after.clone();
                    end.play_unchecked(reply);
                    if reply.is_capture() {
                        return self.winnable(&end) == Some(true);
                    }
                    of(&end).is_some_and(|(_, end)| won.has(index(men, end)))
                })
        })
    }
}

impl At {
    fn piece(&self, men: &[Piece], number: usize) -> Piece {
        match number {
            0 => Color::White.king(),
            1 => Color::Black.king(),
            _ => men[number - 2],
        }
    }

    fn occupied(&self) -> Bitboard {
        self.squares[..self.men].iter().copied().collect()
    }

    fn movers(self, men: &[Piece]) -> impl Iterator<Item = usize> {
        (0..self.men).filter(move |number| self.piece(men, *number).color.is_white() == self.white)
    }

    fn chess(&self, men: &[Piece]) -> Option<Chess> {
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
fn of(at: &Chess) -> Option<(Men, At)> {
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
    Some((kinds, At { squares, men: rest.len() + 2, white: at.turn().is_white() }))
}

/// The number of the position or of its mirror image.
fn index(men: &[Piece], at: At) -> u32 {
    let king = u32::from(at.squares[0]);
    let mut flip = if king & 7 > 3 { 7 } else { 0 };
    if king >> 3 > 3 && men.iter().all(|piece| piece.role != Role::Pawn) {
        flip |= 56;
    }
    let mut squares = at.squares.map(|square| u32::from(square) ^ flip);
    // Two men of one kind are the same either way.
    if let [first, second] = men
        && first == second
        && squares[2] > squares[3]
    {
        squares.swap(2, 3);
    }
    let king = squares[0] / 8 * 4 + squares[0] % 4;
    squares[1..at.men].iter().fold(king, |sum, square| sum * 64 + square) * 2 + u32::from(at.white)
}

/// How many numbers there are: places of the white king, of each other man, and two sides to move.
fn all(men: &[Piece]) -> u32 {
    let kings = if men.iter().all(|piece| piece.role != Role::Pawn) { 16 } else { 32 };
    kings * 2 << (6 * (men.len() + 1))
}

fn numbered(number: u32, men: usize) -> At {
    let mut squares = [Square::A1; 4];
    let mut left = number / 2;
    for slot in squares[1..men + 2].iter_mut().rev() {
        *slot = Square::new(left % 64);
        left /= 64;
    }
    squares[0] = Square::new(left / 4 * 8 + left % 4);
    At { squares, men: men + 2, white: number % 2 == 1 }
}

/// Every man on a square of its own, no pawn on a last rank, no king to be taken.
fn possible(men: &[Piece], at: At) -> bool {
    let occupied = at.occupied();
    let pawns = |number: &usize| at.piece(men, *number).role == Role::Pawn;
    occupied.count() == at.men
        && !(0..at.men).filter(pawns).any(|number| Bitboard::BACKRANKS.contains(at.squares[number]))
        && !attacked(men, at, at.white, occupied)
}

/// A man of one side attacks the other's king.
fn attacked(men: &[Piece], at: At, by_white: bool, occupied: Bitboard) -> bool {
    let king = at.squares[usize::from(by_white)];
    let attacks = |number: usize| attacks::attacks(at.squares[number], at.piece(men, number), occupied).contains(king);
    (0..at.men).any(|number| at.piece(men, number).color.is_white() == by_white && attacks(number))
}

fn mated(men: &[Piece], at: At) -> bool {
    !at.white && attacked(men, at, true, at.occupied()) && at.chess(men).is_some_and(|at| at.is_checkmate())
}

fn ahead(color: Color, from: Square) -> Option<Square> {
    from.offset(color.fold_wb(8, -8))
}

/// The side to move can step past a pawn that could take in passing.
fn passes(men: &[Piece], at: At) -> bool {
    let two = men.iter().filter(|piece| piece.role == Role::Pawn).count() == 2 && men[0].color != men[1].color;
    two && at.chess(men).is_some_and(|at| {
        at.legal_moves().into_iter().any(|step| {
            let mut after = at.clone();
            after.play_unchecked(step);
            after.ep_square(EnPassantMode::Legal).is_some()
        })
    })
}

/// Calls with each position from which a move that takes nothing leads here; double steps past a pawn are left out.
fn before(men: &[Piece], at: At, each: &mut impl FnMut(At)) {
    let occupied = at.occupied();
    let moved = At { white: !at.white, ..at };
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

impl At {
    /// The pawn that has just made a double step can be taken in passing.
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
