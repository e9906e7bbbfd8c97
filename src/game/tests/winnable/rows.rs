//! The rows of `unwinnable.csv` and `unwinnable-bulk.csv.gz` (`mate/README.md#6`).

use std::path::Path;
use std::process::Command;

use shakmaty::fen::Fen;
use shakmaty::{CastlingMode, Chess, Color, PositionError};

/// One question with its answer.
#[derive(Clone)]
pub(crate) struct Row {
    pub(crate) fen: String,
    pub(crate) side: Color,
    pub(crate) winnable: bool,
    /// Whether the answer is only probable: two solvers agree, or a search had no result.
    pub(crate) probable: bool,
    pub(crate) hardness: String,
    pub(crate) real: bool,
    /// The half-moves of the line in a winnable row, which is seldom the shortest.
    #[allow(dead_code, reason = "the bench does not use it")]
    pub(crate) known: Option<usize>,
}

/// The rows of one file; an empty list if the file is not there.
pub(crate) fn rows(name: &str) -> Vec<Row> {
    let path = Path::new(crate::ROOT).join("../shared/data").join(name);
    if !path.exists() {
        return Vec::new();
    }
    let text = if path.extension().is_some_and(|ext| ext == "gz") {
        let out = Command::new("gzip").arg("-dc").arg(&path).output().expect("gzip");
        assert!(out.status.success(), "gzip -dc {}", path.display());
        String::from_utf8(out.stdout).expect("UTF-8")
    } else {
        std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    };
    text.lines().skip(1).map(row).collect()
}

/// The rows of both files.
pub(crate) fn all_rows() -> Vec<Row> {
    [rows("unwinnable.csv"), rows("unwinnable-bulk.csv.gz")].concat()
}

fn row(line: &str) -> Row {
    let fields: Vec<&str> = line.splitn(6, ',').collect();
    let [fen, side, verdict, reason, hardness, source] = fields[..] else {
        panic!("columns: {line}");
    };
    Row {
        fen: fen.to_owned(),
        side: side.chars().next().and_then(Color::from_char).expect(line),
        winnable: match verdict {
            "winnable" => true,
            "unwinnable" => false,
            _ => panic!("verdict: {line}"),
        },
        known: (verdict == "winnable").then(|| if reason == "mate-on-board" { 0 } else { reason.split(' ').count() }),
        probable: reason.starts_with("agreed:") || reason.starts_with("search-exhausted:"),
        hardness: hardness.to_owned(),
        real: source.trim_start_matches('"').starts_with("Lichess"),
    }
}

/// A position, which may be one that no game can reach.
pub(crate) fn position(fen: &str) -> Chess {
    fen.parse::<Fen>()
        .unwrap_or_else(|error| panic!("{fen}: {error}"))
        .into_position::<Chess>(CastlingMode::Standard)
        .or_else(PositionError::ignore_impossible_check)
        .or_else(PositionError::ignore_too_much_material)
        .unwrap_or_else(|error| panic!("{fen}: {error}"))
}
