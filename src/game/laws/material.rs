//! Implements the popular explanation of Article 6.9 (profile `material-only`): it looks at the men, and at blocked pawns, and asks
//! for no series of moves.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use flagfall_protocols::square::Color;
use shakmaty::attacks::{king_attacks, pawn_attacks};
use shakmaty::{Bitboard, Board, Chess, EnPassantMode, Position, Role};

use crate::men;

/// True if this player cannot win by the popular explanation: with a lone king, with a king and one bishop or knight, or with a
/// king and pawns that can never promote.
pub(crate) fn too_little(position: &Chess, side: Color) -> bool {
    no_more_than_a_minor(position.board(), side) || only_blocked_pawns(position, side)
}

/// A lone king, or a king with one bishop or knight.
fn no_more_than_a_minor(board: &Board, side: Color) -> bool {
    let men = board.by_color(men::to_color(side));
    let minor = men & (board.bishops() | board.knights());
    men.count() == 1 || (men.count() == 2 && minor.count() == 1)
}

/// A king and pawns that can never promote: only kings and pawns are on the board, a pawn stands directly before every pawn, no
/// pawn can capture, and no king can ever capture a pawn. Then no pawn ever moves. With another man on the board a pawn might
/// capture it one day.
fn only_blocked_pawns(position: &Chess, side: Color) -> bool {
    let board = position.board();
    let pawns = board.pawns();
    let only_pawns = board.occupied() == board.kings() | pawns && (board.by_color(men::to_color(side)) & pawns).any();
    if !only_pawns || position.ep_square(EnPassantMode::Legal).is_some() {
        return false;
    }
    let blocked = pawns.into_iter().all(|square| {
        let color = board.color_at(square).unwrap_or(shakmaty::Color::White);
        let before = square.offset(color.fold_wb(8, -8));
        before.is_some_and(|before| pawns.contains(before))
            && (pawn_attacks(color, square) & pawns & board.by_color(!color)).is_empty()
    });
    blocked && shakmaty::Color::ALL.into_iter().all(|color| !may_capture_a_pawn(board, color))
}

/// True if this king may one day capture a pawn, as far as the other side's pawns do not keep him away. The other king is left out,
/// because he can step aside.
fn may_capture_a_pawn(board: &Board, color: shakmaty::Color) -> bool {
    let others = board.pawns() & board.by_color(!color);
    let guarded = others.into_iter().fold(Bitboard::EMPTY, |all, square| all | pawn_attacks(!color, square));
    let mut reached = board.kings() & board.by_color(color);
    loop {
        let near = reached.into_iter().fold(reached, |all, square| all | king_attacks(square)) & !guarded;
        if (near & others).any() {
            return true;
        }
        let further = reached | (near & !board.pawns());
        if further == reached {
            return false;
        }
        reached = further;
    }
}

/// Why this player can or cannot win by the popular explanation, with his men.
pub(crate) fn sentence(position: &Chess, side: Color, name: &str) -> String {
    let (board, men) = (position.board(), men_in_words(position.board(), side));
    match () {
        () if no_more_than_a_minor(board, side) => {
            format!("{name} has {men}: by the popular explanation that is too little to win on time.")
        }
        () if only_blocked_pawns(position, side) => {
            format!(
                "{name} has {men}, and no pawn can ever promote: by the popular explanation that is too little to win on time."
            )
        }
        () => format!("{name} has {men}: by the popular explanation that is enough to win on time."),
    }
}

/// The men of a player: `king, 2 rooks and pawn`.
pub(crate) fn men_in_words(board: &Board, side: Color) -> String {
    let own = board.by_color(men::to_color(side));
    let roles =
        [(Role::Queen, "queen"), (Role::Rook, "rook"), (Role::Bishop, "bishop"), (Role::Knight, "knight"), (Role::Pawn, "pawn")];
    let mut told = Vec::from(["king".to_string()]);
    for (role, name) in roles {
        match (own & board.by_role(role)).count() {
            0 => {}
            1 => told.push(name.to_string()),
            many => told.push(format!("{many} {name}s")),
        }
    }
    match told.split_last() {
        Some((_, [])) | None => "only the king".to_string(),
        Some((last, first)) => format!("{} and {last}", first.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use shakmaty::CastlingMode;

    use super::*;
    use crate::laws::answering::read;
    use crate::mate::{Answer, Budget, winnable};

    fn at(fen: &str) -> Chess {
        read(fen, CastlingMode::Standard).expect(fen)
    }

    #[test]
    fn pawns_that_can_never_promote() {
        for (fen, blocked) in [
            ("8/4k3/1p1p1p1p/pPpPpPpP/P1P1P1P1/8/4K3/8 w - - 0 1", true),
            ("8/8/1k6/p1p1p1p1/P1P1P1P1/1K6/8/8 w - - 0 1", true),
            // A king comes round the pawns and captures one.
            ("4k3/8/8/p7/P7/8/8/4K3 w - - 0 1", false),
            // A pawn can move, or capture.
            ("8/8/1k6/p1p1p3/P1P1P1P1/1K6/8/8 w - - 0 1", false),
            ("8/8/1k6/p1p1p1p1/PpP1P1P1/PK6/8/8 w - - 0 1", false),
            // A pawn may one day capture the bishop.
            ("8/8/1k6/p1p1p1p1/P1P1P1P1/1K6/8/5B2 w - - 0 1", false),
            ("8/8/1k6/p1p1p1p1/P1P1P1P1/1K6/8/5b2 w - - 0 1", false),
        ] {
            assert_eq!(too_little(&at(fen), Color::White), blocked, "{fen}");
        }
    }

    /// Pawns face each other on most files, and kings stand anywhere. Where no pawn can ever promote, no series of moves mates.
    #[test]
    fn where_no_pawn_can_promote_nobody_can_mate() {
        let mut seed = 20_u64;
        let mut below = move |of: u64| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 33) % of
        };
        let mut blocked = 0;
        for _ in 0..4000 {
            let mut board = Board::empty();
            for file in shakmaty::File::ALL {
                if below(5) == 0 {
                    continue;
                }
                let rank = shakmaty::Rank::new(2 + below(3) as u32);
                let white = shakmaty::Square::from_coords(file, rank);
                board.set_piece_at(white, Role::Pawn.of(shakmaty::Color::White));
                board.set_piece_at(white.offset(8).expect("a square"), Role::Pawn.of(shakmaty::Color::Black));
            }
            board.set_piece_at(shakmaty::Square::new(below(16) as u32), Role::King.of(shakmaty::Color::White));
            board.set_piece_at(shakmaty::Square::new(48 + below(16) as u32), Role::King.of(shakmaty::Color::Black));
            let fen = format!("{} {} - - 0 1", board.board_fen(), if below(2) == 0 { 'w' } else { 'b' });
            let Some(position) = read(&fen, CastlingMode::Standard) else { continue };
            for side in [Color::White, Color::Black] {
                if only_blocked_pawns(&position, side) {
                    blocked += 1;
                    let answer = winnable(&position, men::to_color(side), Budget { nodes: 20_000, ..Budget::FULL });
                    assert!(!matches!(answer, Answer::Winnable { .. }), "{fen}: {side:?}");
                }
            }
        }
        assert!(blocked > 20, "only {blocked} such positions");
    }

    #[test]
    fn the_sentence_names_the_men() {
        let told = |fen: &str| sentence(&at(fen), Color::White, "White");
        assert!(told("4k3/8/8/8/8/8/8/4K3 w - - 0 1").starts_with("White has only the king: "));
        assert!(told("4k3/8/8/8/8/8/8/4KN2 w - - 0 1").starts_with("White has king and knight: "));
        assert!(told("4k3/8/8/8/8/8/PP6/R3KN2 w - - 0 1").starts_with("White has king, rook, knight and 2 pawns: "));
        let blocked = told("8/8/1k6/p1p1p1p1/P1P1P1P1/1K6/8/8 w - - 0 1");
        assert!(blocked.starts_with("White has king and 4 pawns, and no pawn can ever promote: "), "{blocked}");
    }
}
