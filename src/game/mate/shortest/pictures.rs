//! Lists the pictures of mate that can be reached in time. A picture is a square for the loser's king and squares for as few men
//! as close everything: a man gives check, and each square next to the king is attacked or holds a man of the loser.
//!
//! Every mate contains such a picture. The men that the picture does not name may be anywhere. The path of each man is counted on
//! an empty board, and the moves of each side are added up, because a move moves one man. So a picture that is too far away
//! excludes only mates that cannot be reached in time.
//!
//! If there are too many pictures, only the first men of each are named. Such a picture contains less, so it excludes less.

use alloc::vec::Vec;

use shakmaty::{Bitboard, Board, Color, Role, Square, attacks};

use super::paths::{Paths, Target};
use crate::mate::meter::Meter;

/// The largest number of men that are followed.
pub(super) const MOST_MEN: usize = 32;

/// The largest number of pictures in one list. A longer list would cost more than the search that it saves.
const MOST_PICTURES: usize = 50_000;
/// The same for a list of some pictures.
const SOME_PICTURES: usize = 3_000;
/// The mark of a man that a picture does not name.
const FREE: u16 = u16::MAX;

/// A man that is followed through the moves. A man that was captured has no square.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Man {
    pub(super) color: Color,
    pub(super) role: Role,
    pub(super) square: Option<Square>,
}

/// The men of a position, in the order of their squares.
pub(super) fn men(board: &Board) -> Vec<Man> {
    let man = |square| board.piece_at(square).map(|piece| Man { color: piece.color, role: piece.role, square: Some(square) });
    board.occupied().into_iter().filter_map(man).collect()
}

/// A picture: the target of each man, by the number of the man.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Picture {
    targets: [u16; MOST_MEN],
    /// The moves that the winner needs, and those that the loser needs, from the first position.
    pub(super) costs: [u8; 2],
}

impl Picture {
    /// The target of the man with this number, if the picture names it.
    pub(super) fn target(&self, index: usize) -> Option<Target> {
        Some(self.targets[index]).filter(|target| *target != FREE).map(Target)
    }
}

/// How a list of pictures is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Listing {
    /// Every mate within reach has a picture in the list, which names at most so many men besides the loser's king.
    All(usize),
    /// Some pictures for each square of the loser's king. What a man closes from where it stands is closed by this man.
    Some,
}

/// Lists pictures for a mate by `side` within `moves` of the winner and of the loser. None if there are too many, or if the budget
/// is spent.
pub(super) fn pictures(
    men: &[Man],
    side: Color,
    moves: [u8; 2],
    paths: &Paths,
    listing: Listing,
    meter: &mut Meter,
) -> Option<Vec<Picture>> {
    let loser = men.iter().position(|man| man.color != side && man.role == Role::King)?;
    let king = |square| Target::role(Role::King, square);
    let near = |square: &Square| {
        let man = &men[loser];
        man.square.is_some_and(|from| paths.cost(man.color, man.role, from, king(*square)) <= moves[1])
    };
    let squares: Vec<Square> = Square::ALL.into_iter().filter(near).collect();
    let named = if let Listing::All(named) = listing { named } else { MOST_MEN };
    let mut finder = Finder {
        men,
        side,
        moves,
        paths,
        named,
        found: Vec::new(),
        most: MOST_PICTURES,
        few: listing == Listing::Some,
        king: Square::A1,
        steps: 0,
    };
    for (done, square) in squares.iter().enumerate() {
        finder.king = *square;
        if listing == Listing::Some {
            finder.most = SOME_PICTURES * (done + 1) / squares.len();
        }
        let mut picture = Picture { targets: [FREE; MOST_MEN], costs: [0, 0] };
        finder.add(&mut picture, loser, king(*square));
        let all = finder.close(&picture, &Placed::default()).is_some();
        meter.work(core::mem::take(&mut finder.steps));
        if meter.spent() || !all && listing != Listing::Some {
            return None;
        }
    }
    finder.found.sort_unstable();
    finder.found.dedup();
    Some(finder.found)
}

/// The men of a picture that is being made.
#[derive(Clone, Default)]
struct Placed {
    /// Their squares, without the loser's king.
    occupied: Bitboard,
    /// The men of the loser.
    blockers: Bitboard,
    /// The men of the winner.
    winners: Vec<(Role, Square)>,
}

struct Finder<'a> {
    men: &'a [Man],
    side: Color,
    moves: [u8; 2],
    paths: &'a Paths,
    /// The largest number of men that a picture names, besides the loser's king.
    named: usize,
    found: Vec<Picture>,
    /// The largest number of pictures, for now.
    most: usize,
    /// Men that need no move go first, and exclude the others.
    few: bool,
    /// The square of the loser's king.
    king: Square,
    /// The work so far.
    steps: u64,
}

impl Finder<'_> {
    /// Gives a man a target. Returns false if its side has not enough moves.
    fn add(&mut self, picture: &mut Picture, index: usize, target: Target) -> bool {
        self.steps += 1;
        let man = self.men[index];
        let Some(square) = man.square else { return false };
        let sum = &mut picture.costs[usize::from(man.color != self.side)];
        *sum = sum.saturating_add(self.paths.cost(man.color, man.role, square, target));
        picture.targets[index] = target.0;
        *sum <= self.moves[usize::from(man.color != self.side)]
    }

    /// Closes the first thing that is open, in every way. None if there are too many pictures.
    fn close(&mut self, picture: &Picture, placed: &Placed) -> Option<()> {
        if placed.occupied.count() >= self.named {
            return self.keep(picture);
        }
        let mut attacked = Bitboard::EMPTY;
        let mut check = false;
        for (role, square) in &placed.winners {
            let reached = attacks::attacks(*square, role.of(self.side), placed.occupied);
            check |= reached.contains(self.king);
            attacked |= reached;
        }
        if !check {
            return self.attack(picture, placed, self.king);
        }
        let Some(flight) = (attacks::king_attacks(self.king) & !attacked & !placed.blockers).first() else {
            return self.keep(picture);
        };
        let stands = |man: &Man| man.color != self.side && man.role != Role::King && man.square == Some(flight);
        let standing = self.men.iter().position(stands).filter(|index| self.few && picture.target(*index).is_none());
        if standing.is_none() {
            self.attack(picture, placed, flight)?;
        }
        if placed.occupied.contains(flight) {
            return Some(());
        }
        for index in 0..self.men.len() {
            let man = self.men[index];
            if standing.is_some_and(|standing| standing != index) {
                continue;
            }
            if man.color == self.side || man.role == Role::King || picture.target(index).is_some() {
                continue;
            }
            let mut next = picture.clone();
            if self.add(&mut next, index, Target::any(flight)) {
                let mut placed = placed.clone();
                placed.occupied.add(flight);
                placed.blockers.add(flight);
                self.close(&next, &placed)?;
            }
        }
        Some(())
    }

    fn keep(&mut self, picture: &Picture) -> Option<()> {
        self.found.push(picture.clone());
        (self.found.len() <= self.most).then_some(())
    }

    /// Lets each free man of the winner attack the square, from every square.
    fn attack(&mut self, picture: &Picture, placed: &Placed, at: Square) -> Option<()> {
        let beside = attacks::king_attacks(self.king);
        for index in 0..self.men.len() {
            let man = self.men[index];
            if man.color != self.side || picture.target(index).is_some() || (man.role == Role::King && at == self.king) {
                continue;
            }
            let own = [man.role];
            let roles: &[Role] = match man.role {
                Role::Pawn => &[Role::Pawn, Role::Knight, Role::Bishop, Role::Rook, Role::Queen],
                _ => &own,
            };
            for role in roles {
                let mut from = attacks::attacks(at, role.of(!self.side), placed.occupied) & !placed.occupied;
                from.discard(self.king);
                match role {
                    Role::King => from &= !beside,
                    Role::Pawn => from &= !Bitboard::BACKRANKS,
                    _ => {}
                }
                for square in from {
                    let mut next = picture.clone();
                    if self.add(&mut next, index, Target::role(*role, square)) {
                        let mut placed = placed.clone();
                        placed.occupied.add(square);
                        placed.winners.push((*role, square));
                        self.close(&next, &placed)?;
                    }
                }
            }
        }
        Some(())
    }
}
