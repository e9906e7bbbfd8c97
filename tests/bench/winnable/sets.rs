//! The questions: rows of the reference files if they are there, otherwise a few positions of our own.

use std::path::Path;

use shakmaty::{Chess, Color};

#[path = "../../../src/game/tests/winnable/rows.rs"]
mod rows;

use crate::ROOT;
use rows::{Row, position};

const FILES: [&str; 2] = ["unwinnable.csv", "unwinnable-bulk.csv.gz"];

/// A row with its position.
pub(crate) struct Question {
    pub(crate) fen: String,
    pub(crate) position: Chess,
    pub(crate) side: Color,
    pub(crate) winnable: bool,
    pub(crate) probable: bool,
}

/// The kinds of questions by name, and the name of a missing file.
pub(crate) fn all() -> ([(&'static str, Vec<Question>); 4], Option<String>) {
    let dir = Path::new(ROOT).join("../shared/data");
    let missing = FILES.iter().map(|name| dir.join(name)).find(|path| !path.exists());
    let all = if missing.is_some() { own() } else { rows::all_rows() };
    let of = |wanted: fn(&Row) -> bool| all.iter().filter(|row| wanted(row)).map(question).collect();
    let sets = [
        ("ends of real games", of(|row| row.real)),
        ("hard", of(|row| row.hardness == "hard")),
        ("easy, not real", of(|row| !row.real && row.hardness == "easy")),
        ("medium, not real", of(|row| !row.real && row.hardness == "medium")),
    ];
    (sets, missing.map(|path| path.display().to_string()))
}

fn question(row: &Row) -> Question {
    let Row { fen, side, winnable, probable, .. } = row.clone();
    Question { position: position(&fen), fen, side, winnable, probable }
}

/// Positions with known answers: hardness, from a real game or not, winnable or not.
fn own() -> Vec<Row> {
    [
        ("easy", true, true, 'w', "4k3/8/8/8/8/8/4P3/4K3 w - -"),
        ("easy", true, false, 'w', "4k3/8/8/p1p1p1p1/P1P1P1P1/8/8/4K3 w - -"),
        ("easy", true, false, 'b', "7k/8/5K2/8/8/8/8/R7 b - -"),
        ("easy", false, false, 'w', "k7/1Q6/8/8/8/8/8/K7 b - -"),
        ("medium", false, true, 'w', "7k/5n2/8/8/8/2B5/8/2K5 b - -"),
        ("hard", false, true, 'w', "1b2kb2/8/2pp4/3p2p1/1p1K1pP1/1P1P1P2/8/1B3B2 b - -"),
    ]
    .map(|(hardness, real, winnable, side, fen)| Row {
        fen: fen.to_owned(),
        side: Color::from_char(side).expect("w or b"),
        winnable,
        probable: false,
        hardness: hardness.to_owned(),
        real,
        known: None,
    })
    .into()
}
