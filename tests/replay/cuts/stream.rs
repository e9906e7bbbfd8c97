//! The board's messages in the bytes of a whole tape, independent of its records.

use flagfall_protocols::trace::Body;

use crate::support::tapes::{Tape, rx, tapes};

/// The tapes of boards with the DGT protocol.
pub(crate) fn dgt_tapes() -> Vec<Tape> {
    tapes().into_iter().filter(|tape| tape.setting.driver.name == "dgt").collect()
}

/// A message: its id, and the place of its data in the stream.
pub(crate) struct Found {
    pub(crate) id: u8,
    pub(crate) data: std::ops::Range<usize>,
}

/// All received bytes.
pub(crate) fn bytes(tape: &Tape) -> Vec<u8> {
    let pieces = tape.inputs.iter().filter_map(|(_, body)| match body {
        Body::Rx { bytes, .. } => Some(bytes.as_ref()),
        _ => None,
    });
    pieces.collect::<Vec<_>>().concat()
}

/// The whole messages in `stream`, read without the driver: id, two bytes of length, data without bit 7.
pub(crate) fn messages(stream: &[u8]) -> Vec<Found> {
    let mut found = Vec::new();
    let mut at = 0;
    while at + 3 <= stream.len() {
        let total = usize::from(stream[at + 1]) << 7 | usize::from(stream[at + 2]);
        let whole = stream[at] & 0x80 != 0 && total >= 3 && at + total <= stream.len();
        if whole && stream[at + 3..at + total].iter().all(|byte| byte & 0x80 == 0) {
            found.push(Found { id: stream[at], data: at + 3..at + total });
            at += total;
        } else {
            at += 1;
        }
    }
    found
}

/// The tape with the same number of other bytes in the same pieces.
pub(crate) fn with(tape: &Tape, stream: &[u8]) -> Tape {
    let mut rest = stream;
    let inputs = tape.inputs.iter().map(|(at, body)| match body {
        Body::Rx { bytes, .. } => {
            let (piece, tail) = rest.split_at(bytes.len());
            rest = tail;
            (*at, rx(piece))
        }
        other => (*at, other.clone()),
    });
    Tape { inputs: inputs.collect(), ..tape.clone() }
}

/// The codes of the board's squares, in the board's order, after all dumps and updates of `stream`.
pub(crate) fn squares(stream: &[u8]) -> [u8; 64] {
    let mut codes = [0; 64];
    for message in messages(stream) {
        let data = &stream[message.data];
        match (message.id, data) {
            (0x86, _) if data.len() == 64 => codes.copy_from_slice(data),
            (0x8e, &[square, code]) if square < 64 => codes[usize::from(square)] = code,
            _ => {}
        }
    }
    codes
}
