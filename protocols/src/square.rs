//! Defines squares, pieces and the readings of sensors.

use core::fmt;

/// A square of the board, a1 = 0, b1 = 1 … h8 = 63.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Square(u8);

impl Square {
    /// Returns square `index` (a1 = 0 … h8 = 63), or `None` above 63.
    pub const fn new(index: u8) -> Option<Square> {
        if index < 64 { Some(Square(index)) } else { None }
    }

    /// Returns the square in the low six bits of `index`. Higher bits are dropped.
    pub const fn wrapping(index: u8) -> Square {
        Square(index & 63)
    }

    /// Returns the index, a1 = 0 … h8 = 63.
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// Returns 0 for the a-file … 7 for the h-file.
    pub const fn file(self) -> u8 {
        self.0 & 7
    }

    /// Returns 0 for the first rank … 7 for the eighth.
    pub const fn rank(self) -> u8 {
        self.0 >> 3
    }

    /// Returns the square as seen from the other side of the board (a1 ↔ h8).
    pub const fn rotated(self) -> Square {
        Square(63 - self.0)
    }

    /// Returns a mask with this square's bit set.
    pub const fn bit(self) -> u64 {
        1 << self.0
    }

    /// Parses `e4`.
    pub fn parse(name: &str) -> Option<Square> {
        match name.as_bytes() {
            [f @ b'a'..=b'h', r @ b'1'..=b'8'] => Some(Square((r - b'1') * 8 + (f - b'a'))),
            _ => None,
        }
    }

    /// Returns all squares, a1 first.
    pub fn all() -> impl DoubleEndedIterator<Item = Square> {
        (0..64).map(Square)
    }
}

impl fmt::Display for Square {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", (b'a' + self.file()) as char, self.rank() + 1)
    }
}

impl fmt::Debug for Square {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// A player's colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Color {
    /// The player of the white pieces.
    White,
    /// The player of the black pieces.
    Black,
}

impl Color {
    /// Returns the opponent's colour.
    pub const fn other(self) -> Color {
        match self {
            Color::White => Color::Black,
            Color::Black => Color::White,
        }
    }
}

/// A kind of piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[allow(missing_docs, reason = "the six names say it")]
pub enum Role {
    Pawn,
    Knight,
    Bishop,
    Rook,
    Queen,
    King,
}

impl Role {
    /// Returns the English word, in small letters.
    pub const fn name(self) -> &'static str {
        match self {
            Role::Pawn => "pawn",
            Role::Knight => "knight",
            Role::Bishop => "bishop",
            Role::Rook => "rook",
            Role::Queen => "queen",
            Role::King => "king",
        }
    }
}

/// A chess piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Piece {
    /// The colour.
    pub color: Color,
    /// The kind.
    pub role: Role,
}

impl Piece {
    /// Creates a piece of `color` and `role`.
    pub const fn new(color: Color, role: Role) -> Piece {
        Piece { color, role }
    }

    /// Returns the letter in a FEN: `P` … `K` for White, `p` … `k` for Black.
    pub const fn letter(self) -> char {
        let lower = match self.role {
            Role::Pawn => b'p',
            Role::Knight => b'n',
            Role::Bishop => b'b',
            Role::Rook => b'r',
            Role::Queen => b'q',
            Role::King => b'k',
        };
        match self.color {
            Color::White => lower.to_ascii_uppercase() as char,
            Color::Black => lower as char,
        }
    }

    /// Returns the piece of a FEN letter.
    pub const fn from_letter(letter: char) -> Option<Piece> {
        let role = match letter.to_ascii_lowercase() {
            'p' => Role::Pawn,
            'n' => Role::Knight,
            'b' => Role::Bishop,
            'r' => Role::Rook,
            'q' => Role::Queen,
            'k' => Role::King,
            _ => return None,
        };
        let color = if letter.is_ascii_uppercase() { Color::White } else { Color::Black };
        Some(Piece { color, role })
    }
}

impl fmt::Display for Piece {
    /// Writes the piece in words, as in `white queen`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let color = match self.color {
            Color::White => "white",
            Color::Black => "black",
        };
        write!(f, "{color} {}", self.role.name())
    }
}

/// The reading of one square.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Reading {
    /// The square is empty.
    #[default]
    Empty,
    /// This piece stands there.
    Piece(Piece),
    /// A piece stands there, but the board cannot identify it.
    Occupied,
    /// A result piece (not a chess piece) stands there: draw, White wins or Black wins.
    ResultPiece(ResultPiece),
    /// The sensor gave no usable answer.
    Unreadable,
}

impl Reading {
    /// Returns the piece, if it was identified.
    pub const fn piece(self) -> Option<Piece> {
        match self {
            Reading::Piece(piece) => Some(piece),
            _ => None,
        }
    }
}

/// The result that a result piece declares (`dgt/README.md#6.2`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "the three names say it")]
pub enum ResultPiece {
    Draw,
    WhiteWins,
    BlackWins,
}

/// The readings of all 64 squares, a1 first.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Placement(pub [Reading; 64]);

impl Placement {
    /// An empty board.
    pub const EMPTY: Placement = Placement([Reading::Empty; 64]);

    /// Returns the initial position (Article 2.3).
    pub fn initial() -> Placement {
        Placement::parse("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR").unwrap_or(Placement::EMPTY)
    }

    /// Returns the reading of `square`.
    pub const fn get(&self, square: Square) -> Reading {
        self.0[square.index()]
    }

    /// Sets the reading of `square`.
    pub const fn set(&mut self, square: Square, reading: Reading) {
        self.0[square.index()] = reading;
    }

    /// Returns the board as seen from the other side.
    pub fn rotated(&self) -> Placement {
        let mut turned = *self;
        turned.0.reverse();
        turned
    }

    /// Returns the placement without the identity of the pieces: only the occupied squares are known.
    pub fn occupied(&self) -> Placement {
        Placement(self.0.map(|reading| if reading == Reading::Empty { reading } else { Reading::Occupied }))
    }

    /// Parses the placement field of a FEN: eight ranks of letters and digits. `?` is [`Reading::Occupied`].
    pub fn parse(text: &str) -> Option<Placement> {
        let mut placement = Placement::EMPTY;
        let mut ranks = 0u8;
        for rank in text.split('/') {
            let mut file = 0u8;
            for letter in rank.chars() {
                match letter {
                    '1'..='8' => file += letter as u8 - b'0',
                    _ => {
                        let reading = match letter {
                            '?' => Reading::Occupied,
                            _ => Reading::Piece(Piece::from_letter(letter)?),
                        };
                        if file > 7 || ranks > 7 {
                            return None;
                        }
                        placement.set(Square::wrapping((7 - ranks) * 8 + file), reading);
                        file += 1;
                    }
                }
                if file > 8 {
                    return None;
                }
            }
            if file != 8 {
                return None;
            }
            ranks += 1;
            if ranks > 8 {
                return None;
            }
        }
        (ranks == 8).then_some(placement)
    }
}

impl fmt::Display for Placement {
    /// Writes the placement field of a FEN, with `?` for everything that is not an identified piece.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for rank in (0..8u8).rev() {
            let mut gap = 0;
            for file in 0..8u8 {
                let letter = match self.get(Square::wrapping(rank * 8 + file)) {
                    Reading::Empty => {
                        gap += 1;
                        continue;
                    }
                    Reading::Piece(piece) => piece.letter(),
                    _ => '?',
                };
                if gap > 0 {
                    write!(f, "{gap}")?;
                    gap = 0;
                }
                write!(f, "{letter}")?;
            }
            if gap > 0 {
                write!(f, "{gap}")?;
            }
            if rank > 0 {
                f.write_str("/")?;
            }
        }
        Ok(())
    }
}

impl fmt::Debug for Placement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
