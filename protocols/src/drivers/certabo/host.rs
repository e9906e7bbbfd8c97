//! Encodes and decodes the commands that a host sends to a Certabo or Tabutronic board: lights (`certabo/README.md#5`). They
//! are for emulators and tests only; the driver's session sends nothing.

use alloc::boxed::Box;
use alloc::vec::Vec;

use crate::square::Square;

/// The number of lights at the corners of squares: nine rows of nine, from the lower side of the first rank and from the
/// h-file's side.
pub const CORNERS: usize = 81;
/// The length of a command for coloured lights, in bytes.
const COLOURED: usize = 2 + 3 * CORNERS + 2;
/// The first bytes of a command for coloured lights.
const HEAD: [u8; 2] = [0xff, 0x55];
/// The last bytes of a command for coloured lights.
const TAIL: [u8; 2] = [0x0d, 0x0a];

/// All commands of a host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HostCommand {
    /// Plain lights: bit 0 = a1 … bit 63 = h8.
    Lights(u64),
    /// Coloured lights of the corners: red, green, blue.
    Coloured(Box<[[u8; 3]; CORNERS]>),
    /// A command for coloured lights with a wrong end.
    Unknown,
}

impl HostCommand {
    /// Creates a command that lights the corners of these squares in one colour and no others.
    pub fn coloured(squares: impl IntoIterator<Item = Square>, colour: [u8; 3]) -> HostCommand {
        let mut corners = Box::new([[0; 3]; CORNERS]);
        for square in squares {
            let (row, column) = (usize::from(square.rank()), usize::from(7 - square.file()));
            for at in [9 * row + column, 9 * row + column + 1, 9 * (row + 1) + column, 9 * (row + 1) + column + 1] {
                corners[at] = colour;
            }
        }
        HostCommand::Coloured(corners)
    }

    /// Appends the bytes of the command. An unknown command appends nothing.
    pub fn encode(&self, out: &mut Vec<u8>) {
        match self {
            HostCommand::Lights(squares) => out.extend_from_slice(&squares.to_be_bytes()),
            HostCommand::Coloured(corners) => {
                out.extend_from_slice(&HEAD);
                out.extend_from_slice(corners.as_flattened());
                out.extend_from_slice(&TAIL);
            }
            HostCommand::Unknown => {}
        }
    }
}

/// Cuts a host's bytes into commands. Plain lights have no head: eight bytes are always one command, unless they begin like
/// coloured lights.
#[derive(Clone, Debug, Default)]
pub struct HostDecoder {
    held: Vec<u8>,
}

impl HostDecoder {
    /// Reads one byte. Returns the command that it completed.
    pub fn push(&mut self, byte: u8) -> Option<HostCommand> {
        self.held.push(byte);
        let coloured = self.held.starts_with(&HEAD);
        let command = match (coloured, self.held.len()) {
            (false, 8) => HostCommand::Lights(self.held.iter().fold(0, |squares, rank| squares << 8 | u64::from(*rank))),
            (true, COLOURED) => self.corners().unwrap_or(HostCommand::Unknown),
            _ => return None,
        };
        self.held.clear();
        Some(command)
    }

    fn corners(&self) -> Option<HostCommand> {
        let colours = self.held.strip_prefix(&HEAD)?.strip_suffix(&TAIL)?.as_chunks().0;
        Some(HostCommand::Coloured(Box::new(colours.try_into().ok()?)))
    }

    /// Forgets the incomplete command.
    pub fn reset(&mut self) {
        self.held.clear();
    }
}
