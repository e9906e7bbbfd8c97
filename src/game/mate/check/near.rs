//! Tells whether a mate may be near: whether the men could close everything around the loser's king within the moves that each side
//! has left. The check of a shortest line uses it to leave out positions.
//!
//! For each square where the loser's king may stand, a man of the winner closes the squares that it attacks, also through other
//! men, and a man of the loser closes its own square. The moves of a man are counted on an empty board, and those of a side are
//! added up. This allows more than the game does, so a mate that is excluded here cannot arise in time.

use alloc::collections::BTreeMap;
use alloc::vec;
use alloc::vec::Vec;

use shakmaty::{Bitboard, Chess, Color, Piece, Position, Rank, Role, Square, attacks};

/// The bit of the check itself, after the bits of the flight squares.
const CHECK: u16 = 1 << 8;
/// A man needs no more moves to close whatever it can close at all: a knight's six, a king's seven, and a pawn's six with a queen's two,
/// because what a knight closes around a king is also closed by a queen from some square.
const FARTHEST: u8 = 8;
/// The moves that a side may save by castling once.
const CASTLING: u8 = 2;

/// What one man can close in so many moves.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Way {
    moves: u8,
    closes: u16,
}

/// The squares that a man can reach in so many moves, with the role that it has then.
#[derive(Clone, Copy)]
struct Reached {
    moves: u8,
    role: Role,
    squares: Bitboard,
}

/// Keeps what was found out about single men.
pub(super) struct Near {
    /// The side that mates.
    side: Color,
    /// The ways of a man, by its kind and square and by the square of the loser's king.
    ways: Vec<Option<Vec<Way>>>,
    /// The squares that a man reaches, by its kind and square.
    reached: BTreeMap<(bool, Role, Square), Vec<Reached>>,
}

impl Near {
    pub(super) fn new(side: Color) -> Self {
        Self { side, ways: vec![None; 2 * 6 * 64 * 64], reached: BTreeMap::new() }
    }

    /// True if a mate may be possible after so many moves of the winner and of the loser.
    pub(super) fn possible(&mut self, position: &Chess, moves: [usize; 2]) -> bool {
        let spare = |color| if position.castles().has_color(color) { CASTLING } else { 0 };
        let most = |count: usize| u8::try_from(count).unwrap_or(u8::MAX);
        let moves = [most(moves[0]).saturating_add(spare(self.side)), most(moves[1]).saturating_add(spare(!self.side))];
        let Some(king) = position.board().king_of(!self.side) else { return true };
        Square::ALL.into_iter().any(|at| {
            let away = king.distance(at) as u8;
            away <= moves[1] && self.closed_at(position, at, [moves[0], moves[1] - away])
        })
    }

    /// True if everything around the loser's king can be closed when it stands here.
    fn closed_at(&mut self, position: &Chess, king: Square, moves: [u8; 2]) -> bool {
        let board = position.board();
        let flights = attacks::king_attacks(king).count();
        let men = || board.clone().into_iter().filter(|(_, piece)| piece.role != Role::King || piece.color == self.side);
        let men: Vec<(usize, usize, Piece, Square)> = men()
            .map(|(square, piece)| (place(piece, square, king), usize::from(piece.color != self.side), piece, square))
            .collect();
        for (place, _, piece, square) in &men {
            if self.ways[*place].is_none() {
                self.ways[*place] = Some(self.closing(*piece, *square, king));
            }
        }
        let men: Vec<(&[Way], usize)> =
            men.iter().map(|(place, side, ..)| (self.ways[*place].as_deref().unwrap_or_default(), *side)).collect();
        cover(&men, 0, CHECK | ((1 << flights) - 1), moves)
    }

    /// What a man can close around the king.
    fn closing(&mut self, piece: Piece, from: Square, king: Square) -> Vec<Way> {
        let flights: Vec<Square> = attacks::king_attacks(king).into_iter().collect();
        let winner = piece.color == self.side;
        let mut ways = Vec::new();
        for Reached { moves, role, squares } in self.reached(piece, from) {
            for square in *squares {
                if square == king || winner && *role == Role::King && square.distance(king) == 1 {
                    continue;
                }
                let closes = if winner {
                    let attacked = attacks::attacks(square, role.of(piece.color), Bitboard::EMPTY);
                    bits(attacked, &flights) | if attacked.contains(king) { CHECK } else { 0 }
                } else {
                    bits(Bitboard::from_square(square), &flights)
                };
                ways.push(Way { moves: *moves, closes });
            }
        }
        fewest(ways)
    }

    /// The squares that a man reaches with each number of moves, on an empty board; a pawn also to the left and right.
    fn reached(&mut self, piece: Piece, from: Square) -> &Vec<Reached> {
        self.reached.entry((piece.color.is_white(), piece.role, from)).or_insert_with(|| {
            let mut sets: BTreeMap<Role, Bitboard> = BTreeMap::from([(piece.role, Bitboard::from_square(from))]);
            let mut list = Vec::new();
            for moves in 0..=FARTHEST {
                list.extend(sets.iter().map(|(role, squares)| Reached { moves, role: *role, squares: *squares }));
                let mut next = sets.clone();
                for (role, squares) in &sets {
                    for square in *squares {
                        step(Piece { role: *role, ..piece }, square, &mut next);
                    }
                }
                sets = next;
            }
            list
        })
    }
}

/// Adds the squares that a man can reach with one move.
fn step(piece: Piece, from: Square, sets: &mut BTreeMap<Role, Bitboard>) {
    let mut to = attacks::attacks(from, piece, Bitboard::EMPTY);
    if piece.role != Role::Pawn {
        *sets.entry(piece.role).or_default() |= to;
        return;
    }
    let ahead = piece.color.fold_wb(8, -8);
    let one = from.offset(ahead);
    to |= Bitboard::from_iter(one);
    if from.rank() == piece.color.fold_wb(Rank::Second, Rank::Seventh) {
        to |= Bitboard::from_iter(one.and_then(|one| one.offset(ahead)));
    }
    *sets.entry(Role::Pawn).or_default() |= to & !Bitboard::BACKRANKS;
    for role in [Role::Knight, Role::Bishop, Role::Rook, Role::Queen] {
        *sets.entry(role).or_default() |= to & Bitboard::BACKRANKS;
    }
}

/// The bits of the flight squares that are in the set.
fn bits(set: Bitboard, flights: &[Square]) -> u16 {
    flights.iter().enumerate().filter(|(_, flight)| set.contains(**flight)).map(|(index, _)| 1 << index).sum()
}

/// The ways without those for which another one closes the same in no more moves.
fn fewest(mut ways: Vec<Way>) -> Vec<Way> {
    ways.sort_unstable();
    let mut kept: Vec<Way> = Vec::new();
    for way in ways {
        if way.closes != 0 && !kept.iter().any(|other| way.closes & !other.closes == 0) {
            kept.push(way);
        }
    }
    kept
}

/// The place of a man's ways in the list.
fn place(piece: Piece, from: Square, king: Square) -> usize {
    let kind = usize::from(piece.color.is_white()) * 6 + usize::from(piece.role) - 1;
    (kind * 64 + usize::from(from)) * 64 + usize::from(king)
}

/// True if the men that are not `used` can close all of `open`. Every call closes one of nine bits, so the depth is nine at most.
fn cover(men: &[(&[Way], usize)], used: u64, open: u16, moves: [u8; 2]) -> bool {
    if open == 0 {
        return true;
    }
    // The check is closed first, because few men can give it.
    let first = if open & CHECK != 0 { CHECK } else { open & open.wrapping_neg() };
    men.iter().enumerate().filter(|(index, _)| used & (1 << index) == 0).any(|(index, (ways, side))| {
        ways.iter().any(|way| {
            way.closes & first != 0 && way.moves <= moves[*side] && {
                let mut left = moves;
                left[*side] -= way.moves;
                cover(men, used | (1 << index), open & !way.closes, left)
            }
        })
    })
}
