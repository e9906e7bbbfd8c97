//! Reads pairings from the files of other programs. Nothing is half imported: a file gives all its pairings, or problems with their
//! lines.

mod csv;
mod fields;
mod livechess;
mod pgn;
mod rows;
mod text;
pub(in crate::event) mod trf;

#[cfg(test)]
mod tests;

use std::fmt;
use std::str::FromStr;

use crate::wire::meta::PairingResult;
use crate::wire::player::Player;

/// The largest file that is read, in bytes.
pub const MAX_IMPORT: u64 = 16 << 20;
/// The largest number of problems that are reported of one file.
const MAX_PROBLEMS: usize = 20;

/// The format of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Format {
    /// PGN with one game for each pairing.
    Pgn,
    /// CSV with a header line.
    Csv,
    /// FIDE's tournament report file.
    Trf,
    /// index.json of a round, as DGT LiveChess exports it.
    Livechess,
}

impl Format {
    /// The format of a file with this name.
    pub fn of_name(name: &str) -> Option<Format> {
        let end = name.rsplit_once('.')?.1.to_ascii_lowercase();
        Some(match end.as_str() {
            "pgn" => Format::Pgn,
            "csv" | "tsv" => Format::Csv,
            "trf" | "trfx" | "txt" => Format::Trf,
            "json" => Format::Livechess,
            _ => return None,
        })
    }
}

/// What the user said about the import.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The round to read; none = the only one of the file.
    pub round: Option<u32>,
    /// The encoding of the text, by its usual name; none = UTF-8, else Windows-1252.
    pub encoding: Option<String>,
    /// The boards to import; none = all.
    pub boards: Option<Boards>,
    /// A CSV file with the boards of the pairings, for files without board numbers.
    pub boards_from: Option<Vec<u8>>,
}

/// A set of board numbers, such as `1-20,25`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Boards(Vec<(u32, u32)>);

impl Boards {
    /// Whether the number is in the set.
    pub fn contains(&self, number: u32) -> bool {
        self.0.iter().any(|(first, last)| (*first..=*last).contains(&number))
    }
}

impl FromStr for Boards {
    type Err = String;

    fn from_str(text: &str) -> Result<Boards, String> {
        let range = |part: &str| {
            let (first, last) = part.split_once('-').unwrap_or((part, part));
            let (first, last) = (first.trim().parse().ok()?, last.trim().parse().ok()?);
            (1 <= first && first <= last && last <= 9999).then_some((first, last))
        };
        let ranges = text.split(',').map(|part| range(part).ok_or_else(|| format!("{part:?} is not like 1-20 or 25")));
        ranges.collect::<Result<_, _>>().map(Boards)
    }
}

/// One pairing of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Row {
    /// The line on which it begins.
    pub line: usize,
    /// The round, if the file says it.
    pub round: Option<u32>,
    /// The number of the board.
    pub number: Option<u32>,
    /// White.
    pub white: Player,
    /// Black.
    pub black: Player,
    /// The result, if there is one.
    pub result: Option<PairingResult>,
}

/// The pairings of one round.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Imported {
    /// The pairings by board; each has a number.
    pub rows: Vec<Row>,
    /// The round, if the file or the user says it.
    pub round: Option<u32>,
    /// The date, `YYYY-MM-DD`, if the file says it.
    pub date: Option<String>,
    /// What a person should know: an encoding that was guessed, lines that are no pairings.
    pub notes: Vec<String>,
    /// The numbers of the boards are not in the file: a person must look at them.
    pub guessed: bool,
}

/// What is wrong at one place of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The line, from 1; 0 = the file as a whole.
    pub line: usize,
    /// What was read there, and what is wrong with it.
    pub what: String,
}

/// Everything that is wrong with a file, up to a bound.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Problems(pub Vec<Problem>);

impl Problems {
    fn add(&mut self, line: usize, what: impl Into<String>) {
        if self.0.len() < MAX_PROBLEMS {
            self.0.push(Problem { line, what: what.into() });
        }
    }

    fn one(line: usize, what: impl Into<String>) -> Problems {
        Problems(vec![Problem { line, what: what.into() }])
    }

    /// Takes the value, or notes what is wrong and returns the default.
    fn take<T: Default>(&mut self, line: usize, field: &str, value: Result<T, String>) -> T {
        value.unwrap_or_else(|why| {
            self.add(line, format!("{field}: {why}"));
            T::default()
        })
    }

    fn ok<T>(self, value: T) -> Result<T, Problems> {
        if self.0.is_empty() { Ok(value) } else { Err(self) }
    }

    /// The text for people, one line for each problem: `file:line: what`.
    pub fn describe(&self, file: &str) -> String {
        let lines = self.0.iter().map(|Problem { line, what }| match line {
            0 => format!("{file}: {what}"),
            line => format!("{file}:{line}: {what}"),
        });
        lines.collect::<Vec<_>>().join("\n")
    }
}

impl fmt::Display for Problems {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.describe("the file"))
    }
}

impl std::error::Error for Problems {}

/// Reads the pairings of a file.
///
/// # Errors
/// What is wrong, with the lines.
pub fn read(bytes: &[u8], format: Format, options: &Options) -> Result<Imported, Problems> {
    let text::Text { text, note } = text::decode(bytes, options.encoding.as_deref())?;
    let mut imported = match format {
        Format::Pgn => pgn::read(&text),
        Format::Csv => csv::read(&text),
        Format::Trf => trf::read(&text, options.round),
        Format::Livechess => livechess::read(&text),
    }?;
    imported.notes.splice(0..0, note);
    if let Some(boards) = &options.boards_from {
        let text = text::decode(boards, options.encoding.as_deref()).map_err(in_boards)?.text;
        rows::number_by(&mut imported, &csv::read(&text).map_err(in_boards)?)?;
    }
    rows::finish(imported, options)
}

/// Marks problems as those of the file with the boards.
fn in_boards(mut problems: Problems) -> Problems {
    problems.0.iter_mut().for_each(|problem| problem.what.insert_str(0, "in the file of --boards-from: "));
    problems
}
