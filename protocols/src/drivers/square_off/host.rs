//! Encodes and decodes the messages that a host sends to a Square Off board (`square_off/README.md#1` and
//! `square_off/README.md#3`). They are for emulators and tests, and the driver's session uses none of them.

use alloc::vec::Vec;

use super::framing::Step;
use super::message::{bits, occupied};
use crate::event::Anomaly;
use crate::square::Square;

/// The longest command, in bytes: lights on all squares.
pub const MAX_COMMAND: usize = 132;

/// The signals of the board's lights about the game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the four names explain themselves")]
pub enum Signal {
    Check,
    WhiteWins,
    BlackWins,
    Draw,
}

impl Signal {
    /// All signals and their letters.
    pub const ALL: [(Signal, [u8; 2]); 4] =
        [(Signal::Check, *b"ck"), (Signal::WhiteWins, *b"wt"), (Signal::BlackWins, *b"bl"), (Signal::Draw, *b"dw")];
}

/// All commands of a host. An emulated device must accept them all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HostCommand {
    /// `30#R*`: all squares.
    Board,
    /// `4#*`: the battery.
    Battery,
    /// `14#1*`: begins a game. The Neo also accepts other characters than `1`.
    Start(u8),
    /// `25#e2e4*`: lights these squares, at most 64, and no others.
    Lights(Vec<Square>),
    /// `27#ck*`: a signal.
    Signal(Signal),
    /// `30#1100…*`: the expected squares. The board reports when they are occupied.
    Expect(u64),
    /// `1#*`: asks for the board's address. It is private, so no driver asks for it.
    Address,
    /// Another text before a `*`: motors (`24#…`, `0#…`) and unknown commands.
    Other(Vec<u8>),
    /// The Neo's motor, on its own characteristic: points from the top left to the target of a piece, each ended with `:` or
    /// `|`.
    Route(Vec<u8>),
    /// The Neo's `S:wt`, `M:c8`, `R:ISG`, on their own characteristic.
    Notice(Vec<u8>),
}

impl HostCommand {
    /// Decodes a text without its `*`.
    pub fn decode(text: &[u8]) -> HostCommand {
        let other = || HostCommand::Other(text.into());
        match text {
            b"30#R" => HostCommand::Board,
            b"4#" => HostCommand::Battery,
            b"1#" => HostCommand::Address,
            [b'1', b'4', b'#', what] => HostCommand::Start(*what),
            [b'2', b'5', b'#', squares @ ..] => parse_squares(squares).map_or_else(other, HostCommand::Lights),
            [b'2', b'7', b'#', letters @ ..] => {
                let signal = Signal::ALL.into_iter().find(|(_, signal)| signal == letters);
                signal.map_or_else(other, |(signal, _)| HostCommand::Signal(signal))
            }
            [b'3', b'0', b'#', expected @ ..] => occupied(expected).map_or_else(other, HostCommand::Expect),
            _ => other(),
        }
    }

    /// Decodes one whole write to one of the Neo's own characteristics.
    pub fn decode_own(bytes: &[u8]) -> Option<HostCommand> {
        match bytes {
            [b'S' | b'M' | b'R', b':', ..] => Some(HostCommand::Notice(bytes.into())),
            [b'0'..=b'9', .., b'|'] => Some(HostCommand::Route(bytes.into())),
            _ => None,
        }
    }

    /// Appends the bytes of the command. Squares after the first 64 are left out.
    pub fn encode(&self, out: &mut Vec<u8>) {
        match self {
            HostCommand::Board => out.extend_from_slice(b"30#R*"),
            HostCommand::Battery => out.extend_from_slice(b"4#*"),
            HostCommand::Address => out.extend_from_slice(b"1#*"),
            HostCommand::Start(what) => out.extend_from_slice(&[b'1', b'4', b'#', *what, b'*']),
            HostCommand::Lights(squares) => {
                out.extend_from_slice(b"25#");
                squares.iter().take(64).for_each(|square| out.extend_from_slice(&[b'a' + square.file(), b'1' + square.rank()]));
                out.push(b'*');
            }
            HostCommand::Signal(signal) => {
                let letters = Signal::ALL.into_iter().find(|(which, _)| which == signal).map_or(*b"ck", |(_, letters)| letters);
                out.extend_from_slice(&[b'2', b'7', b'#', letters[0], letters[1], b'*']);
            }
            HostCommand::Expect(expected) => {
                out.extend_from_slice(b"30#");
                out.extend_from_slice(&bits(*expected));
                out.push(b'*');
            }
            HostCommand::Other(text) => {
                out.extend_from_slice(text);
                out.push(b'*');
            }
            HostCommand::Route(bytes) | HostCommand::Notice(bytes) => out.extend_from_slice(bytes),
        }
    }
}

fn parse_squares(text: &[u8]) -> Option<Vec<Square>> {
    let pairs = text.chunks(2).map(|pair| core::str::from_utf8(pair).ok().and_then(Square::parse));
    pairs.collect()
}

/// Reads the text of a host for [`super::framing::Framing`].
pub fn text(held: &[u8]) -> Step<HostCommand> {
    match held.split_last() {
        Some((b'*', text)) => Step::Whole(HostCommand::decode(text)),
        Some((b' '..=b'~', _)) | None => Step::More,
        Some(_) => Step::Broken(if held.len() == 1 { Anomaly::StrayByte } else { Anomaly::Truncated }, held.len()),
    }
}
