//! Encodes and decodes the messages that a host sends to a board of the Gameboard UI Protocol: the question for a square, and
//! the other commands for emulators and tests.

use alloc::vec::Vec;

use super::message::{LONGEST, name, square};
use crate::square::Square;

/// Returns the question for a square, with its line end.
pub const fn question(square: Square) -> [u8; 4] {
    let [file, rank] = name(square);
    [b'?', file, rank, b'\r']
}

/// All commands of a host. All commands except the question switch lights or change the board's position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HostCommand {
    /// `?e1`: asks whether the square is occupied.
    Ask(Square),
    /// A sign and a square: a light. `-` lift here, `+` put here, `*` possible move, `!` warning, `^` put the named piece here.
    Light(u8, Square),
    /// `.e1` switches off the light there, and `.` every light.
    Out(Option<Square>),
    /// `S` and 64 letters: a position, which the board helps people to set up.
    Set(Vec<u8>),
    /// Anything else.
    Other(Vec<u8>),
}

impl HostCommand {
    /// Returns the command of a word.
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

    /// Appends the command and its line end.
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
