//! Checks that there is no mate behind a wall: for every square where the loser's king may stand, its flight squares cannot all
//! be closed while it is in check.
//!
//! Every man of a reach may stand on any of its squares, at the same time as all others. This allows more than any position does,
//! so a mate that is excluded here cannot arise. A square next to the king is closed if a man of its own may stand there, or if
//! it is attacked, also through every man that is not steady.

use alloc::vec::Vec;

use shakmaty::{Bitboard, Color, Role, Square, attacks};

use super::super::reason::Wall;
use super::Refused;
use super::places::{attacked, squares};

/// The largest number of steps in the cover search for one wall. A wall that needs more is refused.
const MOST_STEPS: u32 = 200_000;
/// The bit of the check itself, next to the eight bits of the flight squares.
const CHECK: u16 = 1 << 8;

/// Men of one kind: the squares that one of them can close, in each of its ways, and the number of men.
struct Closers {
    left: u8,
    ways: Vec<u16>,
}

/// Checks that there is no mate by `side` behind the wall.
pub fn mateless(wall: &Wall, side: Color) -> Result<(), Refused> {
    mateless_within(wall, side, &mut MOST_STEPS.clone())
}

/// The same with a limit of steps in `left`. It is reduced by the steps that were used.
pub(in crate::mate) fn mateless_within(wall: &Wall, side: Color, left: &mut u32) -> Result<(), Refused> {
    for king in squares(wall, !side, Role::King) {
        if mate_at(wall, side, king, left) {
            return Err(Refused::MatePattern);
        }
    }
    Ok(())
}

fn mate_at(wall: &Wall, side: Color, king: Square, steps: &mut u32) -> bool {
    let flights: Vec<Square> = attacks::king_attacks(king).into_iter().collect();
    let bits = |set: Bitboard| {
        let mut sum = 0_u16;
        for (index, flight) in flights.iter().enumerate() {
            if set.contains(*flight) {
                sum |= 1 << index;
            }
        }
        sum
    };
    let mut open = CHECK | ((1_u16 << flights.len()) - 1);
    open &= !bits(wall.steady.by_color(!side));
    for from in wall.steady.by_color(side) {
        if let Some(piece) = wall.steady.piece_at(from) {
            let attack = attacked(wall, piece, from);
            open &= !bits(attack);
            if attack.contains(king) {
                open &= !CHECK;
            }
        }
    }
    let mut men = Vec::new();
    for reach in &wall.reaches {
        let mut ways = Vec::new();
        for from in reach.squares {
            if from == king {
                continue;
            }
            let piece = reach.role.of(reach.color);
            let way = if reach.color == side {
                let attack = attacked(wall, piece, from);
                let check = attack.contains(king);
                if check && reach.role == Role::King {
                    continue;
                }
                bits(attack) | if check { CHECK } else { 0 }
            } else if reach.role == Role::King {
                continue;
            } else {
                bits(Bitboard::from_square(from))
            };
            ways.push(way & open);
        }
        keep_largest(&mut ways);
        if !ways.is_empty() {
            men.push(Closers { left: reach.count, ways });
        }
    }
    cover(&mut men, open, steps)
}

/// Removes ways that close no more than another way.
fn keep_largest(ways: &mut Vec<u16>) {
    ways.sort_unstable();
    ways.dedup();
    let all = ways.clone();
    ways.retain(|way| *way != 0 && !all.iter().any(|other| other != way && way & !other == 0));
}

/// True if the men can close all of `open`, or if the steps run out. Every call closes one of nine bits, so the depth is nine
/// at most.
fn cover(men: &mut [Closers], open: u16, steps: &mut u32) -> bool {
    if open == 0 || *steps == 0 {
        return true;
    }
    *steps -= 1;
    let first = open & open.wrapping_neg();
    for index in 0..men.len() {
        if men[index].left == 0 {
            continue;
        }
        men[index].left -= 1;
        for way in 0..men[index].ways.len() {
            let closes = men[index].ways[way];
            if closes & first != 0 && cover(men, open & !closes, steps) {
                return true;
            }
        }
        men[index].left += 1;
    }
    false
}
