//! Which tag is which piece: a table that is learned from the initial position or given as text (`certabo.md`, Calibration).

use alloc::string::String;
use core::fmt;

use super::message::{NO_TAG, Tag, may_be_tag, square};
use crate::bytes::{push_hex, unhex};
use crate::square::{Color, Piece, Placement, Role, Square};

/// The tags of one set of pieces. The default knows none.
///
/// As text it is one line, to be kept in a file for each board: a piece's letter and its tag in ten digits, with commas between
/// two.
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
    /// The most pieces of a table: a set and as many spare ones.
    pub const MAX: usize = 64;

    /// The table of a text; none if a letter is no piece, a tag cannot be one or stands there twice, or there are too many.
    pub fn parse(text: &str) -> Option<Calibration> {
        let mut table = Calibration::default();
        for entry in text.trim().split(',').filter(|_| !text.trim().is_empty()) {
            let mut letters = entry.trim().chars();
            let piece = Piece::from_letter(letters.next()?)?;
            let tag = unhex(letters.as_str())?.try_into().ok()?;
            table.add(tag, piece)?;
        }
        Some(table)
    }

    /// The text of the table.
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

    /// Adds a piece; none if its tag cannot be one or is known, or the table is full.
    pub fn add(&mut self, tag: Tag, piece: Piece) -> Option<()> {
        if !may_be_tag(&tag) || self.piece(&tag).is_some() {
            return None;
        }
        *self.entries.get_mut(self.len)? = (tag, piece);
        self.len += 1;
        Some(())
    }

    /// The piece with this tag.
    pub fn piece(&self, tag: &Tag) -> Option<Piece> {
        self.entries().iter().find(|(known, _)| known == tag).map(|(_, piece)| *piece)
    }

    /// The pieces and their tags, in the order in which they were added.
    pub fn entries(&self) -> &[(Tag, Piece)] {
        &self.entries[..self.len]
    }

    /// The table of the initial position, of the tag that each square shows, if it shows one for certain; with spare queens on
    /// d6 and d3 if there are. None if a piece is missing, a tag is seen twice, or something stands anywhere else. `shows` is
    /// asked for a square's index in a frame.
    pub(super) fn learn(shows: impl Fn(u8) -> Shows) -> Option<Calibration> {
        let initial = Placement::initial();
        let mut table = Calibration::default();
        for index in 0..64 {
            let square = square(index)?;
            match (shows(index), initial.get(square).piece(), spare_queen(square)) {
                (Shows::Tag(tag), Some(piece), _) | (Shows::Tag(tag), None, Some(piece)) => table.add(tag, piece)?,
                (Shows::Nothing, None, _) => {}
                _ => return None,
            }
        }
        Some(table)
    }
}

/// What a square shows over several frames.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shows {
    /// No tag more than once or twice.
    Nothing,
    /// This one nearly always.
    Tag(Tag),
    /// Neither.
    Unclear,
}

/// The spare queen that may stand there while a set is learned: d6 and d3.
const fn spare_queen(square: Square) -> Option<Piece> {
    match (square.file(), square.rank()) {
        (3, 5) => Some(Piece::new(Color::Black, Role::Queen)),
        (3, 2) => Some(Piece::new(Color::White, Role::Queen)),
        _ => None,
    }
}
