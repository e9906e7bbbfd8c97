//! Checks whether a position can have arisen by the move that `--not-pressed` names.

use flagfall_game::of_piece;
use shakmaty::san::{San, SanPlus, Suffix};
use shakmaty::uci::UciMove;
use shakmaty::{CastlingSide, Chess, File, Piece, Position, Rank, Role, Square};

/// Checks that the side that is not to move can have made this move last, as far as the position shows it.
///
/// # Errors
/// What is wrong with the move, in words.
pub(super) fn check(text: &str, position: &Chess) -> Result<(), String> {
    let mover = !position.turn();
    let stands = |square: Square, role: Role| match position.board().piece_at(square) {
        Some(piece) if piece == role.of(mover) => Ok(()),
        Some(other) => Err(format!("{}, but {} stands on {square}", told(position), man(other))),
        None => Err(format!("{}, but {square} is empty", told(position))),
    };
    let left = |square: Square| match position.board().piece_at(square) {
        None => Ok(()),
        Some(other) => Err(format!("{} stands on {square}, which the move has left", man(other))),
    };
    let text = without_number(text);
    if let Ok(UciMove::Normal { from, to, promotion }) = UciMove::from_ascii(text.as_bytes()) {
        let role = promotion.or_else(|| position.board().piece_at(to).map(|piece| piece.role)).unwrap_or(Role::Pawn);
        return stands(to, role).and_then(|()| left(from));
    }
    let Ok(SanPlus { san, suffix }) = SanPlus::from_ascii(text.as_bytes()) else {
        return Err("it is no move: write it as in Qd7, exd5, O-O or d1d7".to_owned());
    };
    match san {
        San::Normal { role, file, rank, to, promotion, .. } => {
            stands(to, promotion.unwrap_or(role))?;
            if let (Some(file), Some(rank)) = (file, rank) {
                left(Square::from_coords(file, rank))?;
            }
        }
        San::Castle(side) => {
            let (king, rook) = match side {
                CastlingSide::KingSide => (File::G, File::F),
                CastlingSide::QueenSide => (File::C, File::D),
            };
            let rank = mover.fold_wb(Rank::First, Rank::Eighth);
            stands(Square::from_coords(king, rank), Role::King)?;
            stands(Square::from_coords(rook, rank), Role::Rook)?;
        }
        San::Put { .. } | San::Null => return Err("it is no move of a man on the board".to_owned()),
    }
    match suffix {
        Some(Suffix::Checkmate) if !position.is_checkmate() => Err("the position is no checkmate".to_owned()),
        Some(Suffix::Check) if !position.is_check() => Err("no king is in check".to_owned()),
        _ => Ok(()),
    }
}

/// The move without the number before it, as in `40. Qd7`.
fn without_number(text: &str) -> &str {
    let text = text.trim();
    let rest = text.trim_start_matches(|letter: char| letter.is_ascii_digit());
    // `0-0` begins with a digit too, but no point follows it.
    if rest.starts_with('.') { rest.trim_start_matches('.').trim_start() } else { text }
}

fn told(position: &Chess) -> String {
    let (turn, mover) = if position.turn().is_white() { ("White", "Black") } else { ("Black", "White") };
    format!("{turn} is to move in the position, so {mover} made the last move")
}

fn man(piece: Piece) -> String {
    format!("a {}", of_piece(piece))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::settled::position;

    #[test]
    fn the_position_must_contain_the_move() {
        let queen = "3r2k1/3Q1ppp/8/8/8/8/5PPP/6K1 b - - 3 40";
        let castled = "r3k2r/8/8/8/8/8/8/R4RK1 b kq - 1 1";
        let mate = "7k/6Q1/5K2/8/8/8/8/8 b - -";
        for (text, fen) in [
            ("Qd7", queen),
            ("40. Qd7", queen),
            ("40.Qxd7", queen),
            ("d1d7", queen),
            ("Qd1d7", queen),
            ("O-O", castled),
            ("Qg7#", mate),
            ("Qg7", mate),
        ] {
            assert_eq!(check(text, &position(fen).expect(fen)), Ok(()), "{text}");
        }
        for (text, fen, problem) in [
            ("Zz9", queen, "no move"),
            ("", queen, "no move"),
            ("Qd6", queen, "d6 is empty"),
            ("Rd8", queen, "White made the last move, but a black rook stands on d8"),
            ("Nd7", queen, "a white queen stands on d7"),
            ("g1d7", queen, "a white king stands on g1, which the move has left"),
            ("O-O-O", castled, "c1 is empty"),
            ("Qd7#", queen, "no checkmate"),
            ("Qd7+", queen, "no king is in check"),
            ("--", queen, "no move"),
        ] {
            let found = check(text, &position(fen).expect(fen)).expect_err(text);
            assert!(found.contains(problem), "{text}: {found}");
        }
    }
}
