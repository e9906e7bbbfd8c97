//! Recognising positions that no move leads to: the set-up at the start, a game joined in progress, a wrong promotion.

use alloc::vec::Vec;

use flagfall_protocols::square::{Color, Square};
use shakmaty::{Bitboard, CastlingMode, Chess, FromSetup, PositionErrorKinds, Setup};

use crate::men::{self, Men};
use crate::reconstruct::candidates::{Candidate, Node};

/// The men of the initial position (Article 2.3).
pub(crate) fn initial_men() -> Men {
    men::of_board(&shakmaty::Board::new())
}

/// How the board shows the initial position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shown {
    /// As the board is turned now.
    Upright,
    /// Turned by 180 degrees.
    Rotated,
}

/// Whether `men` are the initial position, one way or the other.
pub(crate) fn shows_initial(men: &Men) -> Option<Shown> {
    let initial = initial_men();
    let mut turned = *men;
    turned.reverse();
    match () {
        () if *men == initial => Some(Shown::Upright),
        () if turned == initial => Some(Shown::Rotated),
        () => None,
    }
}

/// Whether `men` are the initial position but for White's first move, one way or the other: made, or its man in the hand.
pub(crate) fn first_move(men: &Men) -> Option<(Shown, bool)> {
    let first = Node::new(Chess::default());
    let mut turned = *men;
    turned.reverse();
    [(Shown::Upright, men), (Shown::Rotated, &turned)].into_iter().find_map(|(shown, men)| {
        let changed = men::difference(&first.men, men);
        let lifted = |candidate: &Candidate| changed & !candidate.mask == 0;
        let in_hand = changed.count_ones() == 1
            && men::squares(changed).all(|square| men[square.index()] == men::EMPTY)
            && first.table().iter().any(lifted);
        let made = first.exact(men).is_some();
        (made || in_hand).then_some((shown, made))
    })
}

/// The squares that are wrong, if `men` are the initial position but for at most two of them: a wrong set-up (7.2).
pub(crate) fn nearly_initial(men: &Men) -> Option<Vec<Square>> {
    let wrong = men::difference(men, &initial_men());
    (1..=2).contains(&wrong.count_ones()).then(|| men::squares(wrong).collect())
}

/// The position of a game joined in progress: castling rights where king and rook stand at home, no en passant. None if it
/// cannot be a position with `turn` to move.
pub(crate) fn joined(men: &Men, turn: Color, mode: CastlingMode) -> Option<Chess> {
    let mut setup = Setup::empty();
    for square in Square::all() {
        let Some(piece) = men::piece(men[square.index()]) else { continue };
        let role = shakmaty::Role::from_char(piece.letter().to_ascii_lowercase())?;
        let to = shakmaty::Square::new(square.index() as u32);
        setup.board.set_piece_at(to, role.of(men::to_color(piece.color)));
    }
    setup.turn = men::to_color(turn);
    setup.castling_rights = Bitboard::from_iter(
        [(Color::White, 0), (Color::Black, 56)].into_iter().flat_map(|(color, rank)| home_rooks(men, color, rank)),
    );
    match Chess::from_setup(setup, mode) {
        Ok(position) => Some(position),
        Err(error) if error.kinds() == PositionErrorKinds::TOO_MUCH_MATERIAL => error.ignore_too_much_material().ok(),
        Err(_) => None,
    }
}

fn home_rooks(men: &Men, color: Color, rank: usize) -> impl Iterator<Item = shakmaty::Square> {
    let (king, rook) = match color {
        Color::White => (6, 4),
        Color::Black => (12, 10),
    };
    let at_home = men[rank + 4] == king;
    [rank, rank + 7]
        .into_iter()
        .filter(move |&square| at_home && men[square] == rook)
        .map(|square| shakmaty::Square::new(square as u32))
}

/// A pawn of `color` stands on its last rank (7.5.2).
pub(crate) fn pawn_on_last_rank(men: &Men, color: Color) -> bool {
    match color {
        Color::White => men[56..].contains(&1),
        Color::Black => men[..8].contains(&7),
    }
}
