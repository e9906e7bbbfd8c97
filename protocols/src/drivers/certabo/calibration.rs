//! Maps the tags in Certabo pieces to kinds of pieces. The table is learned from the initial position or given as text
//! (`certabo/README.md#4`).

use alloc::format;
use alloc::string::String;
use core::fmt;

use super::message::{NO_TAG, Tag, may_be_tag, square};
use crate::bytes::{push_hex, unhex};
use crate::calibration::CalibrationError;
use crate::square::{Color, Piece, Placement, Role, Square};

/// The tags of one set of pieces. By default the table is empty.
///
/// Its text is one line for a file of each board: the letter and the ten digits of the tag of each piece, separated by commas.
///
/// ```
/// use flagfall_protocols::drivers::certabo::Calibration;
/// use flagfall_protocols::square::Piece;
///
/// let table = Calibration::parse("K03005400aa,k0300550068").expect("two kings");
/// assert_eq!(table.piece(&[0x03, 0x00, 0x55, 0x00, 0x68]), Piece::from_letter('k'));
/// assert_eq!(table.print(), "K03005400aa,k0300550068");
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct Calibration {
    entries: [(Tag, Piece); Calibration::MAX],
    len: usize,
}

impl Default for Calibration {
    fn default() -> Calibration {
        Calibration { entries: [(NO_TAG, Piece::new(Color::White, Role::Pawn)); Calibration::MAX], len: 0 }
    }
}

impl fmt::Debug for Calibration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.print())
    }
}

impl Calibration {
    /// The largest number of pieces in a table: a set and the same number of spare pieces.
    pub const MAX: usize = 64;

    /// Parses the text of a table.
    ///
    /// # Errors
    /// An unknown letter, an invalid tag, a tag that occurs twice, or too many pieces. The error names the item.
    pub fn parse(text: &str) -> Result<Calibration, CalibrationError> {
        let mut table = Calibration::default();
        for (item, entry) in text.trim().split(',').filter(|_| !text.trim().is_empty()).enumerate() {
            let wrong = |message: &str| Err(CalibrationError::new(item, message));
            let mut letters = entry.trim().chars();
            let Some(piece) = letters.next().and_then(Piece::from_letter) else {
                return wrong("a man is one of the letters KQRBNP, for White, or kqrbnp, for Black, and its tag");
            };
            let tag = unhex(letters.as_str()).and_then(|tag| tag.try_into().ok());
            let Some(tag) = tag.filter(may_be_tag) else {
                return wrong("a man's tag is ten digits 0-9 a-f, and not three of its five bytes are 00");
            };
            if let Some(other) = table.piece(&tag) {
                return wrong(&format!(
                    "this tag stands there twice: one tag is one man, and it is of `{}` already",
                    other.letter()
                ));
            }
            if table.add(tag, piece).is_none() {
                return wrong(&format!("more than {} men", Calibration::MAX));
            }
        }
        Ok(table)
    }

    /// Parses the text of a table that must contain all pieces of the initial position.
    ///
    /// # Errors
    /// The same as for [`Calibration::parse`], or the first kind of piece of which there are too few.
    pub fn of_set(text: &str) -> Result<Calibration, CalibrationError> {
        let table = Calibration::parse(text)?;
        let initial = Placement::initial();
        for piece in Square::all().filter_map(|square| initial.get(square).piece()) {
            let wanted = Square::all().filter(|square| initial.get(*square).piece() == Some(piece)).count();
            let there = table.entries().iter().filter(|(_, known)| *known == piece).count();
            if there < wanted {
                let message = format!("{there} of the {wanted} men `{}` of a set are there", piece.letter());
                return Err(CalibrationError::new(table.len, message));
            }
        }
        Ok(table)
    }

    /// Returns the text of the table.
    pub fn print(&self) -> String {
        let mut text = String::new();
        for (tag, piece) in self.entries() {
            if !text.is_empty() {
                text.push(',');
            }
            text.push(piece.letter());
            push_hex(&mut text, tag);
        }
        text
    }

    /// Adds a piece. Returns `None` if its tag is invalid or known, or if the table is full.
    pub fn add(&mut self, tag: Tag, piece: Piece) -> Option<()> {
        if !may_be_tag(&tag) || self.piece(&tag).is_some() {
            return None;
        }
        *self.entries.get_mut(self.len)? = (tag, piece);
        self.len += 1;
        Some(())
    }

    /// Returns the piece with this tag.
    pub fn piece(&self, tag: &Tag) -> Option<Piece> {
        self.entries().iter().find(|(known, _)| known == tag).map(|(_, piece)| *piece)
    }

    /// Returns the pieces and their tags in the order in which they were added.
    pub fn entries(&self) -> &[(Tag, Piece)] {
        &self.entries[..self.len]
    }

    /// Returns the table of the initial position from the tags of the squares, with spare queens on d6 and d3 if there are any.
    /// Returns `None` if a piece is missing, a tag occurs twice, or a piece stands on another square. `shows` returns the state
    /// of the square with an index in a frame.
    pub(super) fn learn(shows: impl Fn(u8) -> Shows) -> Option<Calibration> {
        let initial = Placement::initial();
        let mut table = Calibration::default();
        for index in 0..64 {
            let square = square(index)?;
            match (shows(index), initial.get(square).piece(), spare(square)) {
                (Shows::Tag(tag), Some(piece), _) | (Shows::Tag(tag), None, Some(piece)) => table.add(tag, piece)?,
                (Shows::Nothing, None, _) => {}
                _ => return None,
            }
        }
        Some(table)
    }
}

/// The state of a square over several frames.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shows {
    /// No tag was seen more than twice.
    Nothing,
    /// This tag was seen nearly always.
    Tag(Tag),
    /// A tag was seen, but not often enough.
    Unclear,
}

/// The squares for spare queens while a set is learned: d6, index 19 of a frame, and d3, index 43.
pub(super) const SPARES: [(Square, Piece); 2] = [
    (Square::wrapping(43), Piece::new(Color::Black, Role::Queen)),
    (Square::wrapping(19), Piece::new(Color::White, Role::Queen)),
];

fn spare(square: Square) -> Option<Piece> {
    SPARES.into_iter().find(|(place, _)| *place == square).map(|(_, piece)| piece)
}
