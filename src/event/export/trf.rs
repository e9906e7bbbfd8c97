//! Writes the results of one round into the organiser's tournament report file. Every other byte stays as it is.

use encoding_rs::{Encoding, WINDOWS_1252};

use super::Played;
use crate::event::import::trf::{FIRST_ROUND, ROUND_WIDTH, at};
use crate::wire::meta::PairingResult;

/// One line of the file.
struct Line {
    bytes: Vec<u8>,
    chars: Vec<char>,
    /// Whether a character may have several bytes.
    utf8: bool,
}

impl Line {
    /// The place of a column, counted from 1, in bytes. Columns behind the end are blanks.
    fn byte_of(&mut self, column: usize) -> usize {
        while self.chars.len() < column {
            self.chars.push(' ');
            let end = self.end();
            self.bytes.insert(end, b' ');
        }
        match self.utf8 {
            true => self.chars.iter().take(column - 1).map(|char| char.len_utf8()).sum(),
            false => column - 1,
        }
    }

    /// Where the text ends, before the end of the line.
    fn end(&self) -> usize {
        self.bytes.iter().rposition(|byte| !matches!(byte, b'\r' | b'\n')).map_or(0, |at| at + 1)
    }
}

/// Returns the file with the results of a round. `encoding` is its name; none = UTF-8, else Windows-1252.
///
/// # Errors
/// Line and reason: a name or a colour differs, or another result is there already. Nothing is written then.
pub fn patch(file: &[u8], encoding: Option<&str>, round: u32, games: &[Played<'_>]) -> Result<Vec<u8>, Vec<(usize, String)>> {
    let utf8 = match encoding {
        None => str::from_utf8(file).is_ok(),
        Some(label) => label.eq_ignore_ascii_case("utf-8"),
    };
    let encoding = encoding.and_then(|label| Encoding::for_label(label.as_bytes())).unwrap_or(WINDOWS_1252);
    let mut lines: Vec<Line> = file
        .split_inclusive(|byte| *byte == b'\n')
        .map(|bytes| {
            let text = if utf8 { String::from_utf8_lossy(bytes) } else { encoding.decode_without_bom_handling(bytes).0 };
            let chars = text.trim_end_matches(['\r', '\n']).chars().collect();
            Line { bytes: bytes.to_vec(), chars, utf8 }
        })
        .collect();
    let first = FIRST_ROUND + (round as usize - 1) * ROUND_WIDTH;
    let mut problems = Vec::new();
    for game in games {
        if let Some(result) = game.result {
            problems.extend(write_game(&mut lines, first, game, result).err());
        }
    }
    if problems.is_empty() { Ok(lines.into_iter().flat_map(|line| line.bytes).collect()) } else { Err(problems) }
}

/// Writes the result of one game into the lines of both players.
fn write_game(lines: &mut [Line], first: usize, game: &Played<'_>, result: PairingResult) -> Result<(), (usize, String)> {
    let number = game.pairing.number;
    let names = [&game.pairing.white, &game.pairing.black].map(|player| player.name.clone().unwrap_or_default());
    let ids = [game.pairing.white.fide_id, game.pairing.black.fide_id];
    let mut places = [0; 2];
    for side in 0..2 {
        let fits = |line: &Line| {
            let name = at(&line.chars, (15, 47)).split_whitespace().collect::<Vec<_>>().join(" ");
            let id = at(&line.chars, (58, 68)).parse::<u32>().ok().filter(|id| *id > 0);
            line.bytes.starts_with(b"001") && name == names[side] && (id.is_none() || ids[side].is_none() || id == ids[side])
        };
        let found: Vec<usize> = lines.iter().enumerate().filter(|(_, line)| fits(line)).map(|(index, _)| index).collect();
        let [only] = found.as_slice() else {
            return Err((0, format!("board {number}: {:?} stands {} times in the file, not once", names[side], found.len())));
        };
        places[side] = *only;
    }
    let ranks = places.map(|place| at(&lines[place].chars, (5, 8)));
    let letters = letters(result);
    for side in 0..2 {
        let line = &lines[places[side]];
        let opponent = at(&line.chars, (first, first + 3));
        let color = line.chars.get(first + 4).map_or(' ', char::to_ascii_lowercase);
        if opponent.trim_start_matches('0') != ranks[1 - side].trim_start_matches('0') || color != ['w', 'b'][side] {
            let what = format!("{:?} has opponent {opponent:?} and colour {color:?}", names[side]);
            return Err((places[side] + 1, format!("board {number}: {what}, not {} and {}", ranks[1 - side], ['w', 'b'][side])));
        }
        let there = line.chars.get(first + 6).copied().unwrap_or(' ');
        if there != ' ' && there != letters[side] {
            return Err((
                places[side] + 1,
                format!("board {number}: the result {there:?} is there already, not {:?}", letters[side]),
            ));
        }
    }
    for side in 0..2 {
        let line = &mut lines[places[side]];
        let place = line.byte_of(first + 7);
        line.chars[first + 6] = letters[side];
        line.bytes[place] = letters[side] as u8;
    }
    Ok(())
}

/// The letters of White and Black.
fn letters(result: PairingResult) -> [char; 2] {
    match result {
        PairingResult::WhiteWins => ['1', '0'],
        PairingResult::BlackWins => ['0', '1'],
        PairingResult::Draw => ['=', '='],
        PairingResult::BlackForfeits => ['+', '-'],
        PairingResult::WhiteForfeits => ['-', '+'],
        PairingResult::BothForfeit => ['-', '-'],
        PairingResult::BothLose => ['0', '0'],
        PairingResult::HalfToWhite => ['=', '0'],
        PairingResult::HalfToBlack => ['0', '='],
    }
}
