//! The placement in a capture, read from its raw messages without code of the project.

use serde_json::Value;

/// FEN letters of the board's piece codes; anything else is no chess piece.
const LETTERS: &[u8] = b".PRNBKQprnbkq";

/// The placement at the last report of a running clock: later changes (kings in the centre, pieces taken off) do not belong to the
/// game.
pub(crate) fn while_the_clock_ran(capture: &str) -> String {
    let mut codes = [0u8; 64];
    let mut last = String::new();
    for line in capture.lines() {
        let line: Value = serde_json::from_str(line).expect("JSON");
        let hex = line["hex"].as_str().expect("hex");
        let bytes: Vec<u8> = (0..hex.len()).step_by(2).map(|at| u8::from_str_radix(&hex[at..at + 2], 16).expect("hex")).collect();
        match bytes.as_slice() {
            [0x86, 0, 0x43, dump @ ..] => codes.copy_from_slice(dump),
            [0x8e, 0, 5, square, code] => codes[usize::from(*square)] = *code,
            [0x8d, 0, 0x0a, .., status] if status & 1 == 1 => last = placement(&codes),
            _ => {}
        }
    }
    last
}

/// Squares come from a8 to h8, then the rank below, as in a FEN.
fn placement(codes: &[u8; 64]) -> String {
    let rank = |codes: &[u8]| {
        let mut text = String::new();
        let mut empty = 0;
        for &code in codes {
            match LETTERS.get(usize::from(code)) {
                Some(letter) if *letter != b'.' => {
                    if empty > 0 {
                        text.push_str(&empty.to_string());
                    }
                    empty = 0;
                    text.push(char::from(*letter));
                }
                _ => empty += 1,
            }
        }
        if empty > 0 {
            text.push_str(&empty.to_string());
        }
        text
    };
    codes.chunks(8).map(rank).collect::<Vec<_>>().join("/")
}
