//! The demonstration on a terminal: where the pages are, the logins and the way out stay in sight for the whole run.
#![cfg(all(feature = "broker", feature = "screens"))]

use std::fs::OpenOptions;
use std::process::{Command, Stdio};
use std::time::Duration;

use flagfall_hardware::link::{Link, LinkError};
use flagfall_hardware::pty::Pty;

/// As much of a terminal as the picture needs.
struct Terminal {
    rows: Vec<Vec<char>>,
    columns: usize,
    at: (usize, usize),
    cuts: bool,
    /// A control sequence that has begun.
    sequence: Option<String>,
}

impl Terminal {
    fn new(rows: usize, columns: usize) -> Terminal {
        Terminal { rows: vec![vec![' '; columns]; rows], columns, at: (0, 0), cuts: false, sequence: None }
    }

    fn row(&self, number: usize) -> String {
        self.rows[number].iter().collect::<String>().trim_end().to_owned()
    }

    /// Takes one character; true if a picture is whole, since what is below it was cleared.
    fn take(&mut self, c: char) -> bool {
        match (self.sequence.take(), c) {
            (None, '\x1b') => self.sequence = Some(String::new()),
            (Some(begun), '[') if begun.is_empty() => self.sequence = Some("[".to_owned()),
            (Some(begun), c) if c.is_ascii_digit() || ";?".contains(c) => self.sequence = Some(begun + &c.to_string()),
            (Some(begun), c) => return self.obey(begun.trim_start_matches('['), c),
            (None, '\r') => self.at.1 = 0,
            (None, '\n') => self.feed(),
            (None, c) => {
                match (self.at.1 == self.columns, self.cuts) {
                    (true, true) => self.at.1 -= 1,
                    (true, false) => {
                        self.at.1 = 0;
                        self.feed();
                    }
                    (false, _) => {}
                }
                self.rows[self.at.0][self.at.1] = c;
                self.at.1 += 1;
            }
        }
        false
    }

    fn feed(&mut self) {
        if self.at.0 + 1 == self.rows.len() {
            self.rows.remove(0);
            self.rows.push(vec![' '; self.columns]);
        } else {
            self.at.0 += 1;
        }
    }

    fn obey(&mut self, values: &str, command: char) -> bool {
        let number = |text: Option<&str>| text.and_then(|text| text.parse::<usize>().ok()).unwrap_or(1);
        match command {
            'H' => {
                let mut values = values.split(';');
                let (row, column) = (number(values.next()), number(values.next()));
                self.at = (row.min(self.rows.len()) - 1, column.min(self.columns) - 1);
            }
            'K' => self.rows[self.at.0][self.at.1..].fill(' '),
            'J' => {
                self.rows[self.at.0][self.at.1..].fill(' ');
                self.rows[self.at.0 + 1..].iter_mut().for_each(|row| row.fill(' '));
                return true;
            }
            'h' | 'l' if values == "?7" => self.cuts = command == 'l',
            'm' => {}
            other => panic!("the sequence {values}{other}"),
        }
        false
    }
}

#[test]
fn the_address_the_logins_and_the_way_out_stay_in_sight() {
    let (mut pty, path) = Pty::pair().expect("a pseudo-terminal");
    let end = || Stdio::from(OpenOptions::new().read(true).write(true).open(&path).expect("its other end"));
    let nothing_there = tempfile::tempdir().expect("a folder");
    let mut child = Command::new(env!("CARGO_BIN_EXE_flagfall"))
        .args(["demo", "--once", "--speed", "2", "--delay", "1", "--open"])
        .env("PATH", nothing_there.path())
        .env("TMPDIR", nothing_there.path())
        .stdin(Stdio::null())
        .stdout(end())
        .stderr(end())
        .spawn()
        .expect("the program runs");
    let mut terminals = [Terminal::new(24, 80), Terminal::new(16, 60)];
    let (mut buffer, mut printed, mut pictures) = ([0; 4096], Vec::new(), 0);
    let mut status = None;
    loop {
        match pty.read(&mut buffer, Duration::from_secs(1)) {
            Ok(count) => printed.extend_from_slice(&buffer[..count]),
            // Everything was read after the program had ended.
            Err(LinkError::TimedOut) if status.is_some() => break,
            Err(LinkError::TimedOut) => status = child.try_wait().expect("a child"),
            Err(error) => panic!("{error:?}"),
        }
        for c in printed.drain(..).map(char::from) {
            let whole = terminals.iter_mut().filter_map(|terminal| terminal.take(c).then_some(&*terminal)).count();
            pictures += whole;
            for terminal in terminals.iter().filter(|_| whole > 0) {
                let [pages, logins, _, way_out] = [0, 1, 2, 3].map(|number| terminal.row(number));
                assert!(
                    pages.starts_with("Pages: http://127.0.0.1:") && logins.starts_with("Logins: arbiter "),
                    "{pages}\n{logins}"
                );
                assert!(way_out.starts_with("Ctrl-C ends.  xdg-open (package xdg-utils) is missing"), "{way_out}");
                assert!(pages.contains("/arbiter/") || terminal.columns < 80, "{pages}");
            }
            if whole > 0 {
                assert!(terminals[0].row(23).starts_with("  a b c d e f g h"), "{}", terminals[0].row(23));
            }
        }
    }
    let end: Vec<String> = (0..24).map(|number| terminals[0].row(number)).collect();
    assert!(status.is_some_and(|status| status.success()) && pictures > 60, "{pictures} pictures, {end:#?}");
    assert!(end.iter().any(|row| row == "everything arrived"), "{end:#?}");
}
