//! Encodes and decodes the numbers in a frame of a Certabo or Tabutronic board (`certabo/README.md#2`).

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt::Write;

use crate::square::{Placement, Reading, Square};

/// The tag of a piece. Every piece has a different tag.
pub type Tag = [u8; 5];

/// The numbers of an empty square.
pub const NO_TAG: Tag = [0; 5];

/// Returns the square of the tag at `index` of a frame: 0 = a8, 7 = h8, 63 = h1; `None` above 63.
pub const fn square(index: u8) -> Option<Square> {
    // The files have the same order as in this project; the ranks have the reverse order.
    Square::new(index ^ 0b111_000)
}

/// Returns whether this may be the tag of a piece. By the maker's rule, a tag has fewer than three zeros.
pub fn may_be_tag(tag: &Tag) -> bool {
    tag.iter().filter(|byte| **byte == 0).count() < 3
}

/// Returns the occupied squares from the eight numbers of a frame: bit 0 = a1 … bit 63 = h8.
pub fn occupied(ranks: &[u8; 8]) -> u64 {
    ranks.iter().fold(0, |mask, rank| mask << 8 | u64::from(rank.reverse_bits()))
}

/// Returns the eight numbers of the occupied squares.
pub fn ranks(occupied: u64) -> [u8; 8] {
    occupied.to_be_bytes().map(u8::reverse_bits)
}

/// Returns the placement of these occupied squares.
pub fn placement(occupied: u64) -> Placement {
    let mut placement = Placement::EMPTY;
    Square::all().filter(|square| occupied & square.bit() != 0).for_each(|square| placement.set(square, Reading::Occupied));
    placement
}

/// Appends the text of a frame. Boards end it with or without a space, and some insert a line break after `wrap` characters.
pub fn encode(out: &mut Vec<u8>, numbers: &[u8], space: bool, wrap: Option<usize>) {
    let mut text = String::from(":");
    for (index, number) in numbers.iter().enumerate() {
        // Writing to a string cannot fail.
        let _ = write!(text, "{}{number}", if index == 0 { "" } else { " " });
    }
    if space {
        text.push(' ');
    }
    let wrap = wrap.unwrap_or(usize::MAX).max(1);
    for (index, line) in text.as_bytes().chunks(wrap).enumerate() {
        if index > 0 {
            out.push(b'\n');
        }
        out.extend_from_slice(line);
    }
    out.extend_from_slice(b"\r\n");
}
