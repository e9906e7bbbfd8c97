//! Builds the smallest wall around a position: the squares on which each man can ever stand.
//!
//! At first every man is steady and the kings are on their squares. Then every possible step is added until nothing changes. The
//! result is only a claim; [`wall::inductive`] and [`wall::mateless`] decide whether it proves anything.

use alloc::vec::Vec;

use shakmaty::{Bitboard, Chess, Color, Position, Role, Square, attacks};

use super::check::{guard, places, push, stalemate, wall};
use super::meter::Meter;
use super::reason::{Guard, Reach, Wall};
use super::steps::{Fields, ahead};

/// The pieces that a pawn may become.
const BECOMES: [Role; 4] = [Role::Knight, Role::Bishop, Role::Rook, Role::Queen];

/// The largest number of steps in the search for a mate behind a wall. The checker allows more before it gives up.
const MOST_COVERS: u32 = 10_000;

/// The effort of an attempt.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Effort {
    /// It ends as soon as a pawn can promote. It does not begin for a side with more than pawns and bishops, nor if no pawns block
    /// each other.
    Quick,
    /// It goes on to the end.
    Full,
}

/// The smallest wall that surrounds the position, if it holds no mate by `side`.
pub(super) fn wall_around(position: &Chess, side: Color, effort: Effort, meter: &mut Meter) -> Option<Wall> {
    if position.legal_ep_square().is_some() {
        return None;
    }
    let board = position.board();
    let strong = board.by_color(side) & (board.knights() | board.rooks_and_queens());
    let blocked = ahead(Color::White, board.pawns() & board.white()) & board.pawns() & board.black();
    if effort == Effort::Quick && (strong.any() || blocked.is_empty()) {
        return None;
    }
    let claim = closed(position, side, effort, meter)?;
    meter.work(claim.reaches.iter().map(|reach| reach.squares.count() as u64).sum());
    let mut left = MOST_COVERS;
    let mateless = wall::mateless_within(&claim, side, &mut left);
    meter.work(u64::from(MOST_COVERS - left) / 4);
    mateless.ok()?;
    (wall::inductive(&claim, side).is_ok() && wall::holds(&claim, position)).then_some(claim)
}

fn closed(position: &Chess, side: Color, effort: Effort, meter: &mut Meter) -> Option<Wall> {
    let board = position.board();
    let mut claim = Wall { steady: board.clone(), reaches: Vec::with_capacity(16), guards: Vec::new() };
    for at in board.kings() {
        loosen(&mut claim, at);
    }
    while grow(&mut claim, side, meter) {
        merge(&mut claim.reaches);
        if meter.spent()
            || wall::may_castle(&claim, position)
            || effort == Effort::Quick && claim.reaches.iter().any(|reach| reach.count == 0)
        {
            return None;
        }
    }
    Some(promotable(claim))
}

/// Adds the squares that can be reached. Returns false if there are none.
fn grow(claim: &mut Wall, side: Color, meter: &mut Meter) -> bool {
    let mut fields = Fields::of(claim);
    let mut grown = false;
    let mut index = 0;
    while index < claim.reaches.len() {
        let Reach { color, role, squares, .. } = claim.reaches[index];
        let mut fresh = squares;
        // Only new squares are checked again here. Whether they open a way for other men is seen in the next full pass.
        while fresh.any() {
            meter.work(fresh.count() as u64 / 4 + 1);
            let mut to = fields.steps(color, role, fresh);
            if role == Role::King {
                to = going_on(claim, color, fresh, to & !squares);
            }
            let loose = to & claim.steady.occupied();
            if loose.any() {
                for at in loose {
                    loosen(claim, at);
                }
                fields = Fields::of(claim);
                grown = true;
            }
            if role == Role::Pawn {
                let last = to & Bitboard::BACKRANKS;
                for role in BECOMES {
                    for at in last & !places::squares(claim, color, role) {
                        add(claim, color, role, 0, at);
                        grown = true;
                    }
                }
                to &= !last;
            }
            fresh = to & !claim.reaches[index].squares;
            grown |= fresh.any();
            claim.reaches[index].squares |= to;
        }
        index += 1;
    }
    let fields = Fields::of(claim);
    for from in fields.steady_that_move() {
        if only_mates(claim, side, from, &fields) {
            continue;
        }
        loosen(claim, from);
        grown = true;
    }
    let mut guards = core::mem::take(&mut claim.guards);
    let before = guards.len();
    claim.guards.clone_from(&guards);
    guards.retain(|guard| guard::stands(claim, *guard));
    grown |= guards.len() < before;
    claim.guards = guards;
    grown
}

/// The squares of `to` that the king may reach from a square of `from` by a step that does not end the game.
fn going_on(claim: &Wall, color: Color, from: Bitboard, to: Bitboard) -> Bitboard {
    let goes_on =
        |to: Square| (attacks::king_attacks(to) & from).into_iter().any(|from| !stalemate::stalemates(claim, color, from, to));
    to.into_iter().filter(|to| goes_on(*to)).collect()
}

/// True if the man on `from` is a pawn of the opponent of `side` whose every step mates `side`.
fn only_mates(claim: &Wall, side: Color, from: Square, fields: &Fields) -> bool {
    claim.steady.by_piece((!side).pawn()).contains(from)
        && fields.steps(!side, Role::Pawn, from.into()).into_iter().all(|to| push::mates(claim, !side, from, to))
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

/// Merges reaches of men of one kind that may stand on the same square.
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

/// Adds the pawns to the counts of the pieces that they may become.
fn promotable(mut claim: Wall) -> Wall {
    for color in Color::ALL {
        let promotes = places::squares(&claim, color, Role::Pawn)
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
