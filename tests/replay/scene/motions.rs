//! The motions of a move, and quiet moves.

use shakmaty::uci::UciMove;
use shakmaty::{CastlingSide, Chess, Move, Position};

/// The motions of a move: the captured man is lifted first, then the moving man; the king moves before the rook.
pub(super) fn motions(position: &Chess, mv: Move) -> Vec<String> {
    let mut lines = Vec::new();
    match mv {
        Move::Normal { from, to, promotion, capture, .. } => {
            if capture.is_some() {
                lines.extend([format!("lift {to}"), "drop".to_owned()]);
            }
            lines.push(format!("lift {from}"));
            match promotion {
                Some(role) => {
                    let piece = role.of(position.turn()).char();
                    lines.extend(["drop".to_owned(), format!("place {to} {piece}")]);
                }
                None => lines.push(format!("place {to}")),
            }
        }
        Move::EnPassant { from, to } => {
            let pawn = shakmaty::Square::from_coords(to.file(), from.rank());
            lines.extend([format!("lift {pawn}"), "drop".to_owned(), format!("lift {from}"), format!("place {to}")]);
        }
        Move::Castle { king, rook } => {
            let side = CastlingSide::from_king_side(king < rook);
            let us = position.turn();
            lines.extend([format!("lift {king}"), format!("place {}", side.king_to(us))]);
            lines.extend([format!("lift {rook}"), format!("place {}", side.rook_to(us))]);
        }
        Move::Put { .. } => {}
    }
    lines
}

/// A legal move without a capture, a mate or an early repetition, chosen by its number.
pub(super) fn quiet_move(position: &Chess, number: usize) -> String {
    let quiet = |mv: &&Move| {
        let mut after = position.clone();
        after.play_unchecked(**mv);
        !mv.is_capture() && !mv.is_castle() && !after.is_check() && !after.legal_moves().is_empty() && !mv.is_promotion()
    };
    let moves = position.legal_moves();
    let quiet: Vec<&Move> = moves.iter().filter(quiet).collect();
    let seed = number.wrapping_mul(7919).wrapping_add(position.fullmoves().get() as usize * 31);
    UciMove::from_standard(*quiet[seed % quiet.len()]).to_string()
}
