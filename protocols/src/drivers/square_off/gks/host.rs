//! Encodes and decodes the commands that a host sends to a Grand Kingdom Set (`square_off/README.md#2`). They are for tests
//! only.

use alloc::vec::Vec;

use crate::square::Square;

/// One command of a host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the README has only these words")]
pub enum HostCommand {
    Connected,
    BoardType,
    /// The players have the black pieces.
    GameBlack,
    /// The motor makes this move.
    Move(Square, Square),
    Ok,
    Live,
    ResetVariables,
    AutoReset,
    BatteryVolts,
}

/// The commands and their words.
const WORDS: [(HostCommand, &[u8]); 8] = [
    (HostCommand::Connected, b"xCONNECTEDz"),
    (HostCommand::BoardType, b"xBOARDTYPEz"),
    (HostCommand::GameBlack, b"xGAMEBLACKz"),
    (HostCommand::Ok, b"xOKz"),
    (HostCommand::Live, b"xLIVEz"),
    (HostCommand::ResetVariables, b"xRSTVARz"),
    (HostCommand::AutoReset, b"xAUTORESETz"),
    // This command really ends with `y`.
    (HostCommand::BatteryVolts, b"xBATVOLy"),
];

impl HostCommand {
    /// Decodes a whole command; `None` if the page does not list it.
    pub fn decode(bytes: &[u8]) -> Option<HostCommand> {
        if let Some((command, _)) = WORDS.into_iter().find(|(_, words)| *words == bytes) {
            return Some(command);
        }
        let squares = bytes.strip_prefix(b"x")?.strip_suffix(b"z")?;
        let (from, to) = core::str::from_utf8(squares).ok()?.split_at_checked(2)?;
        Some(HostCommand::Move(Square::parse(from)?, Square::parse(to)?))
    }

    /// Appends the bytes of the command.
    pub fn encode(self, out: &mut Vec<u8>) {
        match (self, WORDS.into_iter().find(|(command, _)| *command == self)) {
            (HostCommand::Move(from, to), _) => {
                let name = |square: Square| [b'a' + square.file(), b'1' + square.rank()];
                out.extend_from_slice(b"x");
                out.extend_from_slice(&name(from));
                out.extend_from_slice(&name(to));
                out.extend_from_slice(b"z");
            }
            (_, Some((_, words))) => out.extend_from_slice(words),
            // Every other command has its words in the table.
            (_, None) => {}
        }
    }
}
