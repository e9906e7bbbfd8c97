//! The recorded games by speed: from the reference files if they are there, otherwise the two games of the tests.

use std::fmt::Write;
use std::fs::File;
use std::io::{self, BufReader};
use std::path::Path;

use flagfall::emulate::score_sheet::{self, ScoreSheet};

use crate::options::Options;

/// The files of each speed; games are taken from them in turn.
const SPEEDS: [(&str, &[&str]); 4] = [
    (
        "classical",
        &[
            "worldcup2025-classical.pgn",
            "wco2016-classical.pgn",
            "lezcano2025-classical.pgn",
            "luna45-other.pgn",
            "artefacts.pgn",
        ],
    ),
    ("rapid", &["worldcup2025-rapid.pgn"]),
    ("blitz", &["worldcup2025-blitz.pgn"]),
    ("internet", &["lichess-online-blitz.pgn"]),
];

/// Games of one speed.
pub(crate) struct Set {
    pub(crate) speed: &'static str,
    pub(crate) sheets: Vec<ScoreSheet>,
}

/// The games to be played.
pub(crate) fn all(options: &Options, text: &mut String) -> io::Result<Vec<Set>> {
    let mut sets = Vec::new();
    for (speed, names) in SPEEDS {
        let mut files = Vec::new();
        for name in names {
            let path = options.data.join(name);
            match path.exists() {
                true => files.push(read(&path)?),
                false => _ = writeln!(text, "{} is not there", path.display()),
            }
        }
        let mut sheets = in_turn(files);
        sheets.truncate(options.games.unwrap_or(usize::MAX));
        if !sheets.is_empty() {
            sets.push(Set { speed, sheets });
        }
    }
    if sets.is_empty() {
        let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/commands/simulate/two-games.pgn");
        let _ = writeln!(text, "none of the files is there: {} instead, of which nothing follows\n", own.display());
        sets.push(Set { speed: "own", sheets: read(&own)? });
    }
    Ok(sets)
}

fn read(path: &Path) -> io::Result<Vec<ScoreSheet>> {
    let sheets = score_sheet::read(BufReader::new(File::open(path)?))?;
    Ok(sheets.into_iter().filter(|sheet| sheet.unplayable.is_none()).collect())
}

fn in_turn(files: Vec<Vec<ScoreSheet>>) -> Vec<ScoreSheet> {
    let mut files: Vec<_> = files.into_iter().map(Vec::into_iter).collect();
    let mut all = Vec::new();
    loop {
        let before = all.len();
        all.extend(files.iter_mut().filter_map(Iterator::next));
        if all.len() == before {
            return all;
        }
    }
}
