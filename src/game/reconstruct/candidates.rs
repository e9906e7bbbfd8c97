//! Lists the squares that each legal move changes on the board. With this table changed squares are translated to a move.

use alloc::vec::Vec;

use shakmaty::{CastlingSide, Chess, Move, Position, Square, attacks};

use crate::men::{self, EMPTY, Men, OCCUPIED};
use crate::reconstruct::board::PhysicalBoard;

/// A legal move and the two to four squares that it changes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Candidate {
    /// The move.
    pub(crate) mv: Move,
    /// The squares that differ before and after the move; empty if the board looks the same (a castling in Chess960 may do that).
    pub(crate) mask: u64,
    after: [(u8, u8); 4],
    len: u8,
}

impl Candidate {
    fn new(position: &Chess, before: &Men, mv: Move) -> Candidate {
        let us = position.turn();
        let mut this = Candidate { mv, mask: 0, after: [(0, EMPTY); 4], len: 0 };
        match mv {
            Move::Normal { role, from, to, promotion, .. } => {
                this.put(from, EMPTY);
                this.put(to, men::of_shakmaty(promotion.unwrap_or(role).of(us)));
            }
            Move::EnPassant { from, to } => {
                this.put(from, EMPTY);
                this.put(to, men::of_shakmaty(us.pawn()));
                this.put(Square::from_coords(to.file(), from.rank()), EMPTY);
            }
            Move::Castle { king, rook } => {
                let side = CastlingSide::from_king_side(king < rook);
                this.put(king, EMPTY);
                this.put(rook, EMPTY);
                this.put(side.king_to(us), men::of_shakmaty(us.king()));
                this.put(side.rook_to(us), men::of_shakmaty(us.rook()));
            }
            Move::Put { .. } => {}
        }
        this.mask =
            this.after().iter().fold(0, |mask, &(square, man)| mask | (u64::from(before[usize::from(square)] != man) << square));
        this
    }

    fn put(&mut self, square: Square, man: u8) {
        let index = square.to_u32() as u8;
        let used = usize::from(self.len);
        if let Some(entry) = self.after[..used].iter_mut().find(|entry| entry.0 == index) {
            entry.1 = man;
        } else if used < 4 {
            self.after[used] = (index, man);
            self.len += 1;
        }
    }

    /// The squares that the move sets, with the men on them after the move.
    pub(crate) fn after(&self) -> &[(u8, u8)] {
        &self.after[..usize::from(self.len)]
    }

    /// True if the move puts the man on this square that `board` shows there.
    pub(crate) fn puts(&self, square: u8, board: &Men) -> bool {
        self.after().contains(&(square, board[usize::from(square)]))
    }

    /// The men after the move, if it is made where `men` stand.
    pub(crate) fn men_after(&self, men: &Men) -> Men {
        let mut after = *men;
        for &(square, man) in self.after() {
            after[usize::from(square)] = man;
        }
        after
    }

    /// The square of a captured man, if another man stands on it after the move. A board that does not identify men shows no
    /// difference there.
    pub(crate) fn target(&self) -> u64 {
        match self.mv {
            Move::Normal { capture: Some(_), to, .. } => 1 << to.to_u32(),
            _ => 0,
        }
    }

    /// The squares on which `board` can show that this move was made.
    pub(crate) fn seen_mask(&self, board: &Men) -> u64 {
        let target = self.target();
        let hidden = target != 0 && board[target.trailing_zeros() as usize] == OCCUPIED;
        if hidden { self.mask & !target } else { self.mask }
    }

    /// True if the board shows every square of this move as it is after the move. Squares of `dead` may show nothing.
    pub(crate) fn shown_by(&self, board: &Men, dead: u64) -> bool {
        self.after().iter().all(|&(square, man)| {
            let shown = board[usize::from(square)];
            men::fits(man, shown) || (shown == EMPTY && dead & (1 << square) != 0)
        })
    }

    /// The one square that must be dead if this move was made on the board: it has never shown a man.
    pub(crate) fn dead_square(&self, board: &PhysicalBoard) -> Option<u8> {
        self.missing(board.men()).filter(|&square| !board.has_shown_a_man(square))
    }

    /// The one square that is shown empty although a man stands there after this move, if all other squares of the move are
    /// right.
    pub(crate) fn missing(&self, board: &Men) -> Option<u8> {
        let mut missing = None;
        for &(square, man) in self.after() {
            match board[usize::from(square)] {
                shown if men::fits(man, shown) => {}
                EMPTY if missing.is_none() => missing = Some(square),
                _ => return None,
            }
        }
        missing
    }
}

/// A position of the game with its table of legal moves.
#[derive(Clone, Debug)]
pub(crate) struct Node {
    /// The position with its rights to castle and to capture en passant.
    pub(crate) position: Chess,
    /// The men that should stand on the board.
    pub(crate) men: Men,
    /// The square to which the last move went; none if that is not known.
    pub(crate) arrived: Option<Square>,
    table: Vec<Candidate>,
}

impl Node {
    /// A position and its table of legal moves.
    pub(crate) fn new(position: Chess) -> Node {
        let men = men::of_board(position.board());
        let table = position.legal_moves().iter().map(|&mv| Candidate::new(&position, &men, mv)).collect();
        Node { position, men, arrived: None, table }
    }

    /// The legal moves with the squares that they change.
    pub(crate) fn table(&self) -> &[Candidate] {
        &self.table
    }

    /// True in mate and stalemate: there is no legal move.
    pub(crate) fn is_end(&self) -> bool {
        self.table.is_empty()
    }

    /// The one legal move after which the board is exactly `board`. Where men are identified, there is at most one such move. A
    /// castling in Chess960 that leaves the board as it is, is never found.
    pub(crate) fn exact(&self, board: &Men) -> Option<Move> {
        let changed = men::difference(&self.men, board);
        if changed == 0 || changed.count_ones() > 4 {
            return None;
        }
        self.table.iter().find(|c| c.seen_mask(board) == changed && c.shown_by(board, 0)).map(|c| c.mv)
    }

    /// True if the man that captures could also have captured the man that made the last move.
    pub(crate) fn spares_last_mover(&self, candidate: &Candidate) -> bool {
        let rival = |other: &Candidate| other.mv.from() == candidate.mv.from() && Some(other.mv.to()) == self.arrived;
        candidate.target() != 0
            && Some(candidate.mv.to()) != self.arrived
            && self.table.iter().any(|other| other.target() != 0 && rival(other))
    }

    /// True if the squares that this move changes are also changed by a longer legal move: a slide that goes on, or the rook of a
    /// castling.
    pub(crate) fn may_be_part(&self, mv: Move) -> bool {
        let (Some(from), to) = (mv.from(), mv.to()) else { return false };
        self.table.iter().any(|longer| match longer.mv {
            Move::Castle { king, rook } => {
                rook == from && CastlingSide::from_king_side(king < rook).rook_to(self.position.turn()) == to
            }
            other => other.from() == Some(from) && attacks::between(from, other.to()).contains(to),
        })
    }

    /// The position after a legal move of this one.
    pub(crate) fn after(&self, mv: Move) -> Node {
        let mut position = self.position.clone();
        position.play_unchecked(mv);
        Node { arrived: Some(mv.to()), ..Node::new(position) }
    }
}
