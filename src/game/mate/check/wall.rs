//! Checks that no legal move leads out of a wall (a set of positions), and that a given position is behind it.
//!
//! For each man and each square where it may ever stand, every way it moves is followed. A step is possible unless, in every
//! position behind the wall, one of these reasons prevents it: a steady man stands in the way or on the square; for a king, the
//! square is always attacked; for a pawn's capture, no man of the opponent can ever stand there; for its push, a guard has its
//! home there. A king's step that always stalemates the opponent, and a push that always mates the side in question, are not
//! followed either, because they end the game.

use shakmaty::{Bitboard, CastlingSide, Chess, Color, Piece, Position, Rank, Role, Square, attacks};

use super::super::reason::Wall;
use super::places::{attacked_for_ever, pawn_captures, squares, standing};
use super::stalemate::stalemates;
use super::{Refused, guard, push};

pub use super::pattern::mateless;
pub(in crate::mate) use super::pattern::mateless_within;

/// The pieces that a pawn may become.
const BECOMES: [Role; 4] = [Role::Knight, Role::Bishop, Role::Rook, Role::Queen];

/// The squares to which a pawn may ever go.
pub(super) fn pawn_steps(wall: &Wall, color: Color, from: Square) -> Bitboard {
    let standing = standing(wall);
    let ahead = color.fold_wb(8, -8);
    let mut steps = Bitboard::EMPTY;
    let barred = |to: Square| standing.contains(to) || guard::bars(wall, color, to);
    if let Some(one) = from.offset(ahead).filter(|to| !barred(*to)) {
        steps.add(one);
        let start = from.rank() == color.fold_wb(Rank::Second, Rank::Seventh);
        if let Some(two) = one.offset(ahead).filter(|to| start && !barred(*to)) {
            steps.add(two);
        }
    }
    steps | pawn_captures(wall, color, from)
}

pub(in crate::mate) fn steps(wall: &Wall, piece: Piece, from: Square) -> Bitboard {
    let own = wall.steady.by_color(piece.color);
    match piece.role {
        Role::Pawn => pawn_steps(wall, piece.color, from),
        Role::King => {
            // A step within the reach leads to no end that must be looked for.
            let within = squares(wall, piece.color, Role::King);
            attacks::king_attacks(from)
                .into_iter()
                .filter(|to| !own.contains(*to))
                .filter(|to| !attacked_for_ever(wall, piece.color, from, *to))
                .filter(|to| within.contains(*to) || !stalemates(wall, piece.color, from, *to))
                .collect()
        }
        _ => {
            let kings = standing(wall) & !wall.steady.occupied();
            attacks::attacks(from, piece, standing(wall)) & !own & !kings
        }
    }
}

/// True if each king has one reach, and no man of a kind stands in two reaches or on a steady square.
fn well_formed(wall: &Wall) -> bool {
    let steady = wall.steady.occupied();
    let apart = wall.reaches.iter().enumerate().all(|(index, reach)| {
        (reach.squares & steady).is_empty()
            && wall.reaches[..index]
                .iter()
                .all(|other| (other.color, other.role) != (reach.color, reach.role) || (other.squares & reach.squares).is_empty())
    });
    // A second reach would block squares where there is no king.
    let kings = |color| wall.reaches.iter().filter(move |reach| reach.color == color && reach.role == Role::King).count();
    apart && Color::ALL.into_iter().all(|color| kings(color) == 1 && squares(wall, color, Role::King).any())
}

/// Checks that no legal move leads out of the wall, except to the end of the game, and never to a mate by `side`.
pub fn inductive(wall: &Wall, side: Color) -> Result<(), Refused> {
    let steady = wall.steady.occupied();
    if !well_formed(wall) {
        return Err(Refused::NotSo);
    }
    for reach in &wall.reaches {
        let piece = reach.role.of(reach.color);
        for from in reach.squares {
            let to = steps(wall, piece, from);
            if (to & steady).any() {
                return Err(Refused::Passable);
            }
            let mut may = reach.squares;
            if reach.role == Role::Pawn {
                let last = to & Bitboard::BACKRANKS;
                if BECOMES.iter().any(|role| !last.is_subset(squares(wall, reach.color, *role))) {
                    return Err(Refused::Passable);
                }
                may |= last;
            }
            if !to.is_subset(may) {
                return Err(Refused::Passable);
            }
        }
    }
    for from in steady {
        let piece = wall.steady.piece_at(from).ok_or(Refused::NotSo)?;
        let mates = |to| piece.role == Role::Pawn && piece.color != side && push::mates(wall, piece.color, from, to);
        if piece.role == Role::King || !steps(wall, piece, from).into_iter().all(mates) {
            return Err(Refused::Passable);
        }
    }
    if wall.guards.iter().all(|guard| guard::stands(wall, *guard)) { Ok(()) } else { Err(Refused::Passable) }
}

/// True if pawns of this colour may promote behind the wall.
fn promotes(wall: &Wall, color: Color) -> bool {
    squares(wall, color, Role::Pawn).into_iter().any(|from| (pawn_steps(wall, color, from) & Bitboard::BACKRANKS).any())
}

/// True if a side may ever castle: it has the right, and no steady man stands between the king and the rook.
pub(in crate::mate) fn may_castle(wall: &Wall, position: &Chess) -> bool {
    let castles = position.castles();
    let steady = wall.steady.occupied();
    let open = |color, side| castles.has(color, side) && (castles.path(color, side) & steady).is_empty();
    castles.any() && Color::ALL.into_iter().any(|color| CastlingSide::ALL.into_iter().any(|side| open(color, side)))
}

/// True if the position is behind the wall.
pub fn holds(wall: &Wall, position: &Chess) -> bool {
    let board = position.board();
    if may_castle(wall, position) || position.legal_ep_square().is_some() {
        return false;
    }
    let steady = wall.steady.occupied();
    let loose = board.occupied() & !steady;
    steady.into_iter().all(|square| board.piece_at(square) == wall.steady.piece_at(square))
        && loose
            .into_iter()
            .all(|square| board.piece_at(square).is_some_and(|piece| squares(wall, piece.color, piece.role).contains(square)))
        && wall.reaches.iter().all(|reach| {
            let mut men = board.by_piece(reach.role.of(reach.color)) & loose & reach.squares;
            if BECOMES.contains(&reach.role) && promotes(wall, reach.color) {
                men |= board.by_piece(Role::Pawn.of(reach.color)) & loose;
            }
            men.count() <= usize::from(reach.count)
        })
        && wall.guards.iter().all(|guard| guard::on_duty(wall, *guard, position))
}
