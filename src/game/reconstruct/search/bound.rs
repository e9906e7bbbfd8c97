//! How many plies are needed at least until a position shows the wanted board.

use shakmaty::attacks::{king_attacks, knight_attacks};
use shakmaty::{Bitboard, Board, ByRole, CastlingSide, Chess, Color, Piece, Position, Role, Square};

use crate::men::{self, EMPTY, Men, UNKNOWN};

/// More than any search looks at: cannot be reached at all.
const NEVER: u32 = 99;

/// The wanted board.
pub(super) struct Goal {
    white: ByRole<Bitboard>,
    black: ByRole<Bitboard>,
    /// Squares on which something stands.
    pub(super) occupied: Bitboard,
    /// Squares on which anything may stand, but something must.
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

    /// The board shows what is wanted.
    pub(super) fn reached(&self, board: &Board) -> bool {
        let alike = |color: Color| {
            let wanted = self.side(color);
            Role::ALL.into_iter().all(|role| board.by_piece(role.of(color)) & !self.unknown == *wanted.get(role))
        };
        board.occupied() == self.occupied && Color::ALL.into_iter().all(alike)
    }

    /// How many men of `color` must yet be captured, as far as the board tells: of both sides together where it shows unknown
    /// men. Negative: there are too few.
    pub(super) fn captures(&self, board: &Board, color: Color) -> i32 {
        if self.unknown.any() {
            return board.occupied().count() as i32 - self.occupied.count() as i32;
        }
        let wanted = self.side(color).into_iter().fold(Bitboard::EMPTY, |all, &part| all | part);
        board.by_color(color).count() as i32 - wanted.count() as i32
    }

    /// False only if no `plies` plies from here can lead to the wanted board.
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

    /// Each ply occupies one more square and a capture none, but for castling (one more) and en passant (one more).
    fn occupancy_fits(&self, position: &Chess, plies: u32) -> bool {
        let occupied = position.board().occupied();
        let Some(captures) = occupied.count().checked_sub(self.occupied.count()) else { return false };
        let castlings = Color::ALL.into_iter().filter(|&color| position.castles().has_color(color)).count();
        let en_passant = captures.min(plies.div_ceil(2) as usize);
        let fills = (self.occupied & !occupied).count();
        captures <= plies as usize && fills + captures <= plies as usize + castlings + en_passant
    }

    /// The men that `color` must capture, and his own that must come from promotions.
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

    /// The men of `color` can be where they are wanted within `own` of his plies, other men being out of the way.
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

    /// Plies that the men of one side need at least to stand on their squares, on a board with no others and without castling.
    /// Every square is reached by another man, so the least of each adds up.
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

/// Moves of a man over an empty board from one square to another one; for a knight at most 3 are counted.
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

/// Ranks that a pawn of `color` on `from` has gone when it stands on the rank of `to`.
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

/// Moves that bring a pawn to its last rank and the piece that replaces it to `to`.
fn promotion(color: Color, from: Square, to: Square) -> u32 {
    let last = Square::from_coords(to.file(), color.relative_rank(shakmaty::Rank::Eighth));
    let there = Square::from_coords(from.file(), last.rank());
    let direct = if to == last { pawn_steps(color, from, to) } else { NEVER };
    direct.min(pawn_steps(color, from, there) + 1)
}
