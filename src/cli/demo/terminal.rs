//! The picture of the demonstration on a terminal. The first rows stay where they are for the whole run: where the pages are, who may log
//! in, and how to end.

use std::io::{self, Write, stdout};

/// No line is continued in the next row: a narrow terminal shows the beginnings of all rows (ANSI, DECAWM).
const CUT_LONG_ROWS: &str = "\x1b[?7l";
/// Lines are continued again, and the cursor goes to a new row below the picture.
const LEAVE: &str = "\x1b[?7h\x1b[999;1H\r\n";

/// What stands above the boards.
#[derive(Debug, Default)]
pub(super) struct Terminal {
    rows: Vec<String>,
    note: String,
}

impl Terminal {
    /// Adds a row for the whole run.
    pub(super) fn add(&mut self, row: String) {
        self.rows.push(row);
    }

    /// Says what goes on now, after the way out.
    pub(super) fn note(&mut self, note: &str) {
        note.clone_into(&mut self.note);
    }

    /// Draws everything again. Each row has its number, so nothing is scrolled: of a terminal that is too low the last rows are missing.
    pub(super) fn draw(&self, counts: &str, boards: &str) -> io::Result<()> {
        let words = ["Ctrl-C ends.", &self.note, counts].into_iter().filter(|words| !words.is_empty());
        let way_out = words.collect::<Vec<_>>().join("  ");
        let rows = self.rows.iter().map(String::as_str).chain([way_out.as_str()]).chain(boards.lines());
        let text: String = rows.zip(1..).map(|(row, number)| format!("\x1b[{number};1H{row}\x1b[K")).collect();
        let mut out = stdout().lock();
        write!(out, "{CUT_LONG_ROWS}{text}\x1b[J")?;
        out.flush()
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        // A terminal that is gone needs nothing.
        _ = stdout().write_all(LEAVE.as_bytes());
    }
}
