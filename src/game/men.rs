//! Represents the chessmen on 64 squares as small numbers, so that two boards can be compared quickly.

use flagfall_protocols::square::{Color, Piece, Placement, Reading, Role, Square};
use shakmaty::{Board, Position};

/// The man on each square, from a1: 0 = empty, 1..=6 = White's P N B R Q K, 7..=12 = Black's, [`UNKNOWN`], [`OCCUPIED`].
pub(crate) type Men = [u8; 64];

/// An empty square.
pub(crate) const EMPTY: u8 = 0;
/// The difference between a pawn's number and the number of the queen of the same colour.
pub(crate) const PAWN_TO_QUEEN: u8 = 4;
/// A square that cannot be read.
pub(crate) const UNKNOWN: u8 = 13;
/// A man on a board that does not identify men.
pub(crate) const OCCUPIED: u8 = 14;

/// The number of men with which a side begins (2.2); it never has more.
pub(crate) const MOST_OF_A_SIDE: usize = 16;

/// The number of an identified piece.
pub(crate) fn code(piece: Piece) -> u8 {
    let role = match piece.role {
        Role::Pawn => 1,
        Role::Knight => 2,
        Role::Bishop => 3,
        Role::Rook => 4,
        Role::Queen => 5,
        Role::King => 6,
    };
    match piece.color {
        Color::White => role,
        Color::Black => role + 6,
    }
}

/// The piece with this number; none for an empty or unknown square.
pub(crate) fn piece(code: u8) -> Option<Piece> {
    let (color, role) = match code {
        1..=6 => (Color::White, code),
        7..=12 => (Color::Black, code - 6),
        _ => return None,
    };
    let role = [Role::Pawn, Role::Knight, Role::Bishop, Role::Rook, Role::Queen, Role::King][usize::from(role - 1)];
    Some(Piece { color, role })
}

/// The colour of the piece with this number.
pub(crate) fn color(code: u8) -> Option<Color> {
    match code {
        1..=6 => Some(Color::White),
        7..=12 => Some(Color::Black),
        _ => None,
    }
}

/// True if this is a pawn on its last rank.
pub(crate) const fn on_last_rank(man: u8, square: usize) -> bool {
    (man == 1 && square >= 56) || (man == 7 && square < 8)
}

/// The number for a sensor's reading. A result piece counts as an empty square (`dgt/README.md#6.2`).
pub(crate) fn of_reading(reading: Reading) -> u8 {
    match reading {
        Reading::Empty | Reading::ResultPiece(_) => EMPTY,
        Reading::Piece(piece) => code(piece),
        Reading::Occupied => OCCUPIED,
        Reading::Unreadable => UNKNOWN,
    }
}

/// The men of a position.
pub(crate) fn of_board(board: &Board) -> Men {
    let mut men = [EMPTY; 64];
    for (square, piece) in board.clone() {
        men[square.to_usize()] = of_shakmaty(piece);
    }
    men
}

/// The number of a piece of the rules library.
pub(crate) fn of_shakmaty(piece: shakmaty::Piece) -> u8 {
    piece.role as u8 + if piece.color.is_white() { 0 } else { 6 }
}

/// A piece of the rules library in the vocabulary of boards.
pub const fn of_piece(piece: shakmaty::Piece) -> Piece {
    let role = match piece.role {
        shakmaty::Role::Pawn => Role::Pawn,
        shakmaty::Role::Knight => Role::Knight,
        shakmaty::Role::Bishop => Role::Bishop,
        shakmaty::Role::Rook => Role::Rook,
        shakmaty::Role::Queen => Role::Queen,
        shakmaty::Role::King => Role::King,
    };
    Piece::new(of_color(piece.color), role)
}

/// The placement of these men.
pub(crate) fn placement(men: &Men) -> Placement {
    let mut placement = Placement::EMPTY;
    for square in Square::all() {
        let reading = match men[square.index()] {
            EMPTY => Reading::Empty,
            OCCUPIED => Reading::Occupied,
            other => piece(other).map_or(Reading::Unreadable, Reading::Piece),
        };
        placement.set(square, reading);
    }
    placement
}

/// True if both numbers may be the same man. A man that is not identified may be any man.
pub(crate) const fn fits(a: u8, b: u8) -> bool {
    a == b || (a == OCCUPIED && b != EMPTY) || (b == OCCUPIED && a != EMPTY)
}

/// The squares on which two boards differ, as a mask.
pub(crate) fn difference(a: &Men, b: &Men) -> u64 {
    let mut differs = 0;
    // Most boards are equal, and in others most ranks: eight squares are compared at once.
    let ranks = || a.as_chunks::<8>().0.iter().zip(b.as_chunks::<8>().0);
    if ranks().fold(0, |all, (a, b)| all | (u64::from_ne_bytes(*a) ^ u64::from_ne_bytes(*b))) == 0 {
        return differs;
    }
    for (rank, (a, b)) in ranks().enumerate() {
        if a != b {
            differs |= (0..8).fold(0, |mask, file| mask | (u64::from(!fits(a[file], b[file])) << file)) << (rank * 8);
        }
    }
    differs
}

/// True if two boards show the same men, as far as both identify them.
pub(crate) fn same(a: &Men, b: &Men) -> bool {
    difference(a, b) == 0
}

/// True if a man like this one stands where `expected` has none.
pub(crate) fn stands_elsewhere(man: u8, expected: &Men, shown: &Men) -> bool {
    (0..64).any(|square| match shown[square] {
        OCCUPIED => expected[square] == EMPTY,
        other => other == man && expected[square] != man,
    })
}

/// The number of men of this kind on the board.
pub(crate) fn count(men: &Men, man: u8) -> usize {
    men.iter().filter(|&&other| other == man).count()
}

/// The number of men of this side on the board, as far as they are identified.
pub(crate) fn count_of(men: &Men, side: Color) -> usize {
    men.iter().filter(|&&man| color(man) == Some(side)).count()
}

/// The number of this side's king.
pub(crate) const fn king(side: Color) -> u8 {
    match side {
        Color::White => 6,
        Color::Black => 12,
    }
}

/// The squares of a mask, lowest first.
pub(crate) fn squares(mask: u64) -> impl Iterator<Item = Square> {
    let mut left = mask;
    core::iter::from_fn(move || {
        let lowest = (left != 0).then_some(left.trailing_zeros() as u8)?;
        left &= left - 1;
        Some(Square::wrapping(lowest))
    })
}

/// The side to move of a position.
pub(crate) fn turn(position: &impl Position) -> Color {
    of_color(position.turn())
}

/// A colour of the rules library in this project's vocabulary.
pub(crate) const fn of_color(color: shakmaty::Color) -> Color {
    match color {
        shakmaty::Color::White => Color::White,
        shakmaty::Color::Black => Color::Black,
    }
}

/// A colour in the rules library's vocabulary.
pub const fn to_color(color: Color) -> shakmaty::Color {
    match color {
        Color::White => shakmaty::Color::White,
        Color::Black => shakmaty::Color::Black,
    }
}

/// `white` or `black`, as payloads spell it.
pub const fn color_name(color: Color) -> &'static str {
    match color {
        Color::White => "white",
        Color::Black => "black",
    }
}
