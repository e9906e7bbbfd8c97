//! Computes a lower bound for the number of moves (plies) until a position shows the wanted board.

use alloc::vec::Vec;

use shakmaty::attacks::{king_attacks, knight_attacks};
use shakmaty::{Bitboard, Board, ByRole, CastlingSide, Chess, Color, Piece, Position, Role, Square};

use crate::men::{self, EMPTY, Men, UNKNOWN};

/// A number of plies above those of any search: the square cannot be reached at all.
const NEVER: u32 = 99;
/// The number of pawns of a side.
const MOST_PAWNS: usize = 8;

/// The wanted board.
pub(super) struct Goal {
    white: ByRole<Bitboard>,
    black: ByRole<Bitboard>,
    /// Squares on which a man stands.
    pub(super) occupied: Bitboard,
    /// Squares on which a man stands that may be any man.
    unknown: Bitboard,
}

impl Goal {
    pub(super) fn new(board: &Men) -> Goal {
        let empty = ByRole::new_with(|_| Bitboard::EMPTY);
        let mut goal = Goal { white: empty, black: empty, occupied: Bitboard::EMPTY, unknown: Bitboard::EMPTY };
        for square in Square::ALL {
            let man = board[square.to_usize()];
            if man != EMPTY {
                goal.occupied.add(square);
            }
            if man == UNKNOWN {
                goal.unknown.add(square);
            }
        }
        for color in Color::ALL {
            for role in Role::ALL {
                let code = men::of_shakmaty(Piece { color, role });
                let here = Square::ALL.into_iter().filter(|square| board[square.to_usize()] == code).collect();
                *goal.side_mut(color).get_mut(role) = here;
            }
        }
        goal
    }

    fn side(&self, color: Color) -> &ByRole<Bitboard> {
        if color.is_white() { &self.white } else { &self.black }
    }

    fn side_mut(&mut self, color: Color) -> &mut ByRole<Bitboard> {
        if color.is_white() { &mut self.white } else { &mut self.black }
    }

    /// True if the board is the wanted one.
    pub(super) fn reached(&self, board: &Board) -> bool {
        let alike = |color: Color| {
            let wanted = self.side(color);
            Role::ALL.into_iter().all(|role| board.by_piece(role.of(color)) & !self.unknown == *wanted.get(role))
        };
        board.occupied() == self.occupied && Color::ALL.into_iter().all(alike)
    }

    /// How many men of `color` must still be captured, as far as the board shows. If the wanted board has unknown men, the number
    /// is for both sides together. A negative number means that there are too few men.
    pub(super) fn captures(&self, board: &Board, color: Color) -> i32 {
        if self.unknown.any() {
            return board.occupied().count() as i32 - self.occupied.count() as i32;
        }
        let wanted = self.side(color).into_iter().fold(Bitboard::EMPTY, |all, &part| all | part);
        board.by_color(color).count() as i32 - wanted.count() as i32
    }

    /// False only if no path of `plies` plies can lead from here to the wanted board.
    pub(super) fn feasible(&self, position: &Chess, plies: u8) -> bool {
        let plies = u32::from(plies);
        if self.unknown.any() && !self.occupancy_fits(position, plies) {
            return false;
        }
        Color::ALL.into_iter().all(|color| {
            let own = if color == position.turn() { plies.div_ceil(2) } else { plies / 2 };
            self.material_fits(position.board(), color, own) && self.side_fits(position, color, own)
        })
    }

    /// True if the pawns of both sides can have come from different pawns of this board. A pawn goes to the next file only by a
    /// capture.
    pub(super) fn pawns_fit(&self, board: &Board) -> bool {
        Color::ALL.into_iter().all(|color| {
            let now: Vec<Square> = board.by_piece(Role::Pawn.of(color)).into_iter().take(MOST_PAWNS).collect();
            // The fewest changes of file with which these pawns, a set bit for each, have come to the squares so far.
            let mut fewest = [None; 1 << MOST_PAWNS];
            fewest[0] = Some(0);
            for to in self.side(color).pawn {
                let mut next = [None; 1 << MOST_PAWNS];
                for (used, before) in fewest.iter().enumerate().filter_map(|(used, before)| Some((used, (*before)?))) {
                    for (index, &from) in now.iter().enumerate().filter(|(index, _)| used & (1 << index) == 0) {
                        let steps = if from == to { 0 } else { pawn_steps(color, from, to) };
                        let changes: u32 = before + from.file().distance(to.file());
                        let best = &mut next[used | 1 << index];
                        if steps < NEVER && best.is_none_or(|best| changes < best) {
                            *best = Some(changes);
                        }
                    }
                }
                fewest = next;
            }
            let captures = self.captures(board, !color);
            fewest.into_iter().flatten().any(|changes| changes as i32 <= captures)
        })
    }

    /// Each ply occupies one more square, and a capture occupies none. Castling and en passant are exceptions: each may occupy
    /// one more.
    fn occupancy_fits(&self, position: &Chess, plies: u32) -> bool {
        let occupied = position.board().occupied();
        let Some(captures) = occupied.count().checked_sub(self.occupied.count()) else { return false };
        let castlings = Color::ALL.into_iter().filter(|&color| position.castles().has_color(color)).count();
        let en_passant = captures.min(plies.div_ceil(2) as usize);
        let fills = (self.occupied & !occupied).count();
        captures <= plies as usize && fills + captures <= plies as usize + castlings + en_passant
    }

    /// True if the opponent's men that `color` must capture, and the promotions that `color` needs, fit into `own` plies.
    fn material_fits(&self, board: &Board, color: Color, own: u32) -> bool {
        let count = |role: Role| (board.by_piece(role.of(color)).count() as i32, self.side(color).get(role).count() as i32);
        let (kings, wanted_kings) = count(Role::King);
        if self.unknown.any() {
            return wanted_kings <= kings;
        }
        let (pawns, wanted_pawns) = count(Role::Pawn);
        let pieces = [Role::Knight, Role::Bishop, Role::Rook, Role::Queen];
        let promoted: i32 = pieces.map(count).iter().map(|&(now, wanted)| (wanted - now).max(0)).sum();
        kings == wanted_kings
            && promoted <= pawns - wanted_pawns
            && promoted <= own as i32
            && self.captures(board, color) >= 0
            && self.captures(board, !color) <= own as i32
    }

    /// True if the men of `color` can reach their squares within `own` plies of that side, if no other man were in the way.
    fn side_fits(&self, position: &Chess, color: Color, own: u32) -> bool {
        let now = ByRole::new_with(|role| position.board().by_piece(role.of(color)));
        if self.walks(&now, color) <= own {
            return true;
        }
        let castled = |side: CastlingSide| {
            let (rook, king) = (position.castles().rook(color, side)?, position.board().king_of(color)?);
            let mut after = now;
            after.king = Bitboard::from_square(side.king_to(color));
            after.rook.discard(rook);
            after.rook.add(side.rook_to(color));
            debug_assert!(now.king.contains(king));
            Some(1 + self.walks(&after, color))
        };
        own > 0 && CastlingSide::ALL.into_iter().filter_map(castled).any(|plies| plies <= own)
    }

    /// The least number of plies in which the men of one side reach their squares, on a board without other men and without
    /// castling. A different man goes to each square, so the least numbers of all squares are added.
    fn walks(&self, now: &ByRole<Bitboard>, color: Color) -> u32 {
        let wanted = self.side(color);
        let mut plies = 0;
        for role in Role::ALL {
            let (here, there) = (*now.get(role), *wanted.get(role));
            for to in there & !here {
                let same = here.into_iter().map(|from| {
                    // Another man must come to the square that this one leaves.
                    distance(role, color, from, to) + u32::from(there.contains(from))
                });
                let promoted = now.pawn.into_iter().map(|from| promotion(color, from, to));
                let least = match role {
                    Role::Pawn | Role::King => same.min(),
                    _ => same.chain(promoted).min(),
                };
                plies += least.unwrap_or(NEVER);
            }
        }
        plies
    }
}

/// The number of moves of a man over an empty board from one square to another. For a knight, at most 3 are counted.
fn distance(role: Role, color: Color, from: Square, to: Square) -> u32 {
    let straight = from.file() == to.file() || from.rank() == to.rank();
    let diagonal = from.file().distance(to.file()) == from.rank().distance(to.rank());
    match role {
        Role::Pawn => pawn_steps(color, from, to),
        Role::Knight if knight_attacks(from).contains(to) => 1,
        Role::Knight if (knight_attacks(from) & knight_attacks(to)).any() => 2,
        Role::Knight => 3,
        Role::Bishop if diagonal => 1,
        Role::Bishop if from.is_light() == to.is_light() => 2,
        Role::Bishop => NEVER,
        Role::Rook => 2 - u32::from(straight),
        Role::Queen => 2 - u32::from(straight || diagonal),
        Role::King if king_attacks(from).contains(to) => 1,
        Role::King => from.distance(to),
    }
}

/// How many ranks a pawn of `color` goes forward from `from` to the rank of `to`.
fn ranks(color: Color, from: Square, to: Square) -> i32 {
    let ranks = i32::from(to.rank()) - i32::from(from.rank());
    if color.is_white() { ranks } else { -ranks }
}

fn pawn_steps(color: Color, from: Square, to: Square) -> u32 {
    let (ranks, files) = (ranks(color, from, to), from.file().distance(to.file()) as i32);
    let home = from.rank() == color.relative_rank(shakmaty::Rank::Second);
    match () {
        () if ranks < 1 || files > ranks => NEVER,
        () if home && ranks - files >= 2 => ranks as u32 - 1,
        () => ranks as u32,
    }
}

/// The number of moves that bring a pawn to its last rank and the man that replaces it to `to`.
fn promotion(color: Color, from: Square, to: Square) -> u32 {
    let last = Square::from_coords(to.file(), color.relative_rank(shakmaty::Rank::Eighth));
    let there = Square::from_coords(from.file(), last.rank());
    let direct = if to == last { pawn_steps(color, from, to) } else { NEVER };
    direct.min(pawn_steps(color, from, there) + 1)
}
