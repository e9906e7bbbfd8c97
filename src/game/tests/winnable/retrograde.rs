//! The positions of four men that White can win with help: computed backwards from the mates, for all positions of a class at once.
//!
//! A class has two kings and two more men. Captures lead to classes of three men, promotions to other classes of four; these are
//! computed first. Mirrored positions count as one: the white king stands on the files a to d and, without pawns, on the ranks 1 to 4.

use std::collections::BTreeMap;

use shakmaty::{Bitboard, Chess, Piece, Position, Role, Square, attacks};

use crate::placed::{PlacedMen, ahead, all, before, index, mated, numbered, of, passes, possible};

/// The men without the kings; in every position White's king and Black's king come first.
pub(crate) type Men = Vec<Piece>;

/// A set of positions of a class.
struct Set(Vec<u64>);

impl Set {
    fn new(men: &[Piece]) -> Self {
        Self(vec![0; all(men) as usize / 64])
    }

    fn has(&self, index: u32) -> bool {
        self.0[index as usize / 64] >> (index % 64) & 1 == 1
    }

    /// Adds a position; returns true if it is new.
    fn add(&mut self, index: u32) -> bool {
        let new = !self.has(index);
        self.0[index as usize / 64] |= 1 << (index % 64);
        new
    }
}

/// The positions that White can win, for each class so far.
#[derive(Default)]
pub(crate) struct Truth {
    classes: BTreeMap<Vec<usize>, (Set, Set)>,
}

/// The men in their order: White's before Black's, pawns first.
pub(crate) fn sorted(mut men: Men) -> Men {
    men.sort_by_key(|piece| (piece.color.is_black(), piece.role as usize));
    men
}

fn name(men: &[Piece]) -> Vec<usize> {
    men.iter().map(|piece| piece.role as usize * 2 + usize::from(piece.color.is_black())).collect()
}

impl Truth {
    /// Whether White can win the position; `None` if its class was not computed, or if it is illegal.
    pub(crate) fn winnable(&self, at: &Chess) -> Option<bool> {
        let (men, at) = of(at)?;
        if !men.iter().any(|piece| piece.color.is_white()) {
            return Some(false);
        }
        let (legal, won) = self.classes.get(&name(&men))?;
        let index = index(&men, at);
        legal.has(index).then(|| won.has(index))
    }

    /// Computes a class, and before it the classes to which it leads.
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
            // A double step that allows a capture en passant leads to a position with one more move.
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

    /// Whether a capture or a promotion leads to a won position.
    fn leaves_well(&self, men: &[Piece], at: PlacedMen) -> bool {
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

    fn after(&self, men: &[Piece], at: PlacedMen, mover: usize, to: Square, role: Role, taken: Option<usize>) -> bool {
        let mut rest = Vec::new();
        for (number, square) in at.squares[..at.men].iter().enumerate().filter(|(number, _)| Some(*number) != taken) {
            let piece = at.piece(men, number);
            rest.push(if number == mover { (Piece { role, ..piece }, to) } else { (piece, *square) });
        }
        rest[2..].sort_by_key(|(piece, _)| (piece.color.is_black(), piece.role as usize));
        let kinds: Men = rest[2..].iter().map(|(piece, _)| *piece).collect();
        let mut after = PlacedMen { squares: [Square::A1; 4], men: rest.len(), white: !at.white };
        for (slot, (_, square)) in after.squares.iter_mut().zip(&rest) {
            *slot = *square;
        }
        self.classes.get(&name(&kinds)).is_some_and(|(_, won)| won.has(index(&kinds, after)))
    }

    fn passes_well(&self, men: &[Piece], at: PlacedMen, won: &Set) -> bool {
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
