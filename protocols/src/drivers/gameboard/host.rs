//! What a host sends to a board, both directions: the question, and what emulators and tests must know besides.

use alloc::vec::Vec;

use super::message::{LONGEST, name, square};
use crate::square::Square;

/// The question for a square, its end included.
pub const fn question(square: Square) -> [u8; 4] {
    let [file, rank] = name(square);
    [b'?', file, rank, b'\r']
}

/// Everything a host can send. All but the question light squares or change what the board believes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HostCommand {
    /// `?e1`: does something stand there?
    Ask(Square),
    /// A sign and a square: a light. `-` lift here, `+` put here, `*` may be moved to, `!` warning, `^` put the named piece here.
    Light(u8, Square),
    /// `.e1`, or `.`: the light there, or every light, goes out.
    Out(Option<Square>),
    /// `S` and 64 letters: what stands where; the board leads people there.
    Set(Vec<u8>),
    /// Anything else.
    Other(Vec<u8>),
}

impl HostCommand {
    /// The command of a word.
    pub fn read(word: &[u8]) -> HostCommand {
        let other = || HostCommand::Other(word.into());
        match word {
            [b'?', name @ ..] => square(name).map_or_else(other, HostCommand::Ask),
            b"." => HostCommand::Out(None),
            [b'.', name @ ..] => square(name).map_or_else(other, |square| HostCommand::Out(Some(square))),
            [sign @ (b'-' | b'+' | b'*' | b'!' | b'^'), name @ ..] => {
                square(name).map_or_else(other, |square| HostCommand::Light(*sign, square))
            }
            [b'S', letters @ ..] if letters.len() == LONGEST => HostCommand::Set(letters.into()),
            _ => other(),
        }
    }

    /// Appends the command and the end of its line.
    pub fn encode(&self, out: &mut Vec<u8>) {
        match self {
            HostCommand::Ask(square) => return out.extend_from_slice(&question(*square)),
            HostCommand::Light(sign, square) => {
                out.push(*sign);
                out.extend_from_slice(&name(*square));
            }
            HostCommand::Out(square) => {
                out.push(b'.');
                out.extend(square.iter().flat_map(|square| name(*square)));
            }
            HostCommand::Set(letters) => {
                out.push(b'S');
                out.extend_from_slice(letters);
            }
            HostCommand::Other(word) => out.extend_from_slice(word),
        }
        out.push(b'\r');
    }
}
