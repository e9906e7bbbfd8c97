//! The smallest wall around a position: where each man can ever stand.
//!
//! It starts with every man steady and the kings at home, and lets in what [`wall::steps`] allows until nothing is added. The
//! result is only a claim; [`wall::inductive`] and [`wall::mateless`] say whether it proves anything.

use alloc::vec::Vec;

use shakmaty::{Bitboard, Chess, Color, Position, Role, Square};

use super::check::{guard, wall};
use super::reason::{Guard, Reach, Wall};

const BECOMES: [Role; 4] = [Role::Knight, Role::Bishop, Role::Rook, Role::Queen];

/// A wall that surrounds the position and holds no mate by `side`, if the smallest one does.
pub(super) fn wall_around(position: &Chess, side: Color) -> Option<Wall> {
    if position.castles().any() || position.legal_ep_square().is_some() {
        return None;
    }
    let claim = closed(position);
    wall::mateless(&claim, side).ok()?;
    (wall::inductive(&claim).is_ok() && wall::holds(&claim, position)).then_some(claim)
}

fn closed(position: &Chess) -> Wall {
    let board = position.board();
    let mut claim = Wall { steady: board.clone(), reaches: Vec::with_capacity(16), guards: Vec::new() };
    for at in board.kings() {
        loosen(&mut claim, at);
    }
    while grow(&mut claim) {
        merge(&mut claim.reaches);
    }
    promotable(claim)
}

/// Adds what one step more can reach; false if nothing.
fn grow(claim: &mut Wall) -> bool {
    let mut grown = false;
    for index in 0..claim.reaches.len() {
        let Reach { color, role, squares, .. } = claim.reaches[index];
        let mut to = Bitboard::EMPTY;
        for from in squares {
            to |= wall::steps(claim, role.of(color), from);
        }
        for at in to & claim.steady.occupied() {
            loosen(claim, at);
            grown = true;
        }
        if role == Role::Pawn {
            let last = to & Bitboard::BACKRANKS;
            for role in BECOMES {
                for at in last & !wall::squares(claim, color, role) {
                    add(claim, color, role, 0, at);
                    grown = true;
                }
            }
            to &= !last;
        }
        grown |= !to.is_subset(squares);
        claim.reaches[index].squares |= to;
    }
    for from in claim.steady.occupied() {
        if let Some(piece) = claim.steady.piece_at(from)
            && wall::steps(claim, piece, from).any()
        {
            loosen(claim, from);
            grown = true;
        }
    }
    let mut guards = core::mem::take(&mut claim.guards);
    let before = guards.len();
    claim.guards.clone_from(&guards);
    guards.retain(|guard| guard::stands(claim, *guard));
    grown |= guards.len() < before;
    claim.guards = guards;
    grown
}

fn loosen(claim: &mut Wall, at: Square) {
    if let Some(piece) = claim.steady.remove_piece_at(at) {
        add(claim, piece.color, piece.role, 1, at);
        if piece.role == Role::Pawn {
            claim.guards.retain(|guard| guard.home.file() != at.file() || guard.color != piece.color);
            claim.guards.push(Guard { color: piece.color, home: at });
        }
    }
}

fn add(claim: &mut Wall, color: Color, role: Role, count: u8, at: Square) {
    claim.reaches.push(Reach { color, role, count, squares: Bitboard::from_square(at) });
}

/// Men of one kind that may stand on the same square are one reach.
fn merge(reaches: &mut Vec<Reach>) {
    let mut index = 0;
    while index < reaches.len() {
        let reach = reaches[index].clone();
        let twin = reaches[..index]
            .iter_mut()
            .find(|other| (other.color, other.role) == (reach.color, reach.role) && (other.squares & reach.squares).any());
        if let Some(twin) = twin {
            twin.squares |= reach.squares;
            twin.count = twin.count.saturating_add(reach.count);
            reaches.remove(index);
            index = 0;
        } else {
            index += 1;
        }
    }
}

/// Adds the pawns to the counts of what they may become.
fn promotable(mut claim: Wall) -> Wall {
    for color in Color::ALL {
        let promotes = wall::squares(&claim, color, Role::Pawn)
            .into_iter()
            .any(|from| (wall::steps(&claim, Role::Pawn.of(color), from) & Bitboard::BACKRANKS).any());
        let pawns: u8 =
            claim.reaches.iter().filter(|reach| reach.color == color && reach.role == Role::Pawn).map(|reach| reach.count).sum();
        if promotes {
            for reach in &mut claim.reaches {
                if reach.color == color && BECOMES.contains(&reach.role) {
                    reach.count = reach.count.saturating_add(pawns);
                }
            }
        }
    }
    claim
}
