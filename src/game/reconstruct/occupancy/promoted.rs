//! Finds promotions on a board that does not identify men. Such a promotion is recorded as a queen until a later move or the
//! arbiter shows what it is.

use alloc::vec::Vec;

use shakmaty::{Move, Position, Role};

use crate::reconstruct::record::{How, Record};

/// Returns the promoted queens that neither the arbiter nor a later move has confirmed: the index of the move, and the square on
/// which the piece stands now, as a mask.
pub(crate) fn unproved(record: &Record) -> Vec<(usize, u64)> {
    let moves = record.moves();
    let mut found = Vec::new();
    for (index, promoted) in moves.iter().enumerate() {
        let Some(Role::Queen) = promoted.mv().promotion().filter(|_| promoted.how != How::Arbiter) else { continue };
        let mut square = promoted.mv().to();
        let (mut straight, mut diagonal, mut gone) = (false, false, false);
        for later in moves.played().skip(index + 1) {
            if later.from() == Some(square) {
                let line = later.to().file() == square.file() || later.to().rank() == square.rank();
                (straight, diagonal) = (straight || line, diagonal || !line);
                square = later.to();
            } else {
                gone |= later.to() == square && later.is_capture();
            }
            if gone {
                break;
            }
        }
        if !(gone || straight && diagonal) {
            found.push((index, 1 << square.to_u32()));
        }
    }
    found
}

/// The same game with another man at this promotion. None if its later moves are not legal then.
pub(crate) fn with_promotion(record: &Record, ply: usize, role: Role) -> Option<Record> {
    let moves = record.moves();
    let mut other = record.clone();
    other.truncate(ply);
    for (index, known) in moves.iter().enumerate().skip(ply) {
        let promotion = if index == ply { Some(role) } else { known.mv().promotion() };
        let same = |mv: &Move| {
            (mv.from(), mv.to(), mv.promotion(), mv.is_castle())
                == (known.mv().from(), known.mv().to(), promotion, known.mv().is_castle())
        };
        let mv = other.node().position.legal_moves().into_iter().find(same)?;
        other.push(mv, known.made, known.pressed, known.how, known.clocks);
        other.completed_like(&known);
    }
    Some(other)
}
