//! Defines the configuration of the collector and of its outputs.

use std::ops::RangeInclusive;
use std::path::PathBuf;

use serde::Deserialize;

/// The collector inside `flagfall run`, and what `flagfall collect` shares with it.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Collect {
    /// Whether `flagfall run` starts it. `flagfall collect` always does.
    pub enabled: bool,
    /// The folder with what it has collected.
    pub dir: PathBuf,
    /// Whether it takes over when the collector that sends the round is gone.
    pub standby: bool,
    /// Whether the public gets what a node that is gone would have published later.
    pub release_orphans: bool,
}

impl Default for Collect {
    fn default() -> Collect {
        Collect { enabled: false, dir: PathBuf::from("/var/lib/flagfall-collect"), standby: false, release_orphans: true }
    }
}

/// One output of the collector.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Output {
    /// Its name in topics, `[a-z0-9-]{1,40}`.
    pub name: String,
    /// What it does.
    pub kind: OutputKind,
    /// Whose messages it sends on.
    #[serde(default)]
    pub audience: OutputAudience,
    /// The form of its PGN.
    #[serde(default)]
    pub profile: OutputProfile,
    /// The folder of the files.
    #[serde(default)]
    pub dir: PathBuf,
    /// Whether each game has files of its own too.
    #[serde(default = "yes")]
    pub split: bool,
    /// The numbers of its boards, `1-50,60`; empty = all.
    #[serde(default)]
    pub boards: String,
    /// The program and its arguments.
    #[serde(default)]
    pub command: Vec<String>,
    /// The address of lichess.
    #[serde(default = "lichess")]
    pub url: String,
    /// The file with the token of the account at lichess.
    #[serde(default)]
    pub token_file: PathBuf,
    /// The id of the present round at lichess; empty = the organiser names it.
    #[serde(default)]
    pub round: String,
    /// The least time between two starts of the program or two pushes, seconds; if none, [`Output::EVERY`].
    pub every: Option<u32>,
    /// The time after which the program is killed, seconds; if none, [`Output::TIMEOUT`].
    pub timeout: Option<u32>,
    /// The time after which the program runs again although nothing changed, seconds; if none, [`Output::HEARTBEAT`]; 0 = never.
    pub heartbeat: Option<u32>,
    /// The receivers delay the games themselves, so what is not delayed may be sent to them.
    #[serde(default)]
    pub receiver_delays: bool,
}

/// What an output does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum OutputKind {
    /// It writes files.
    Files,
    /// It writes files and starts a program that sends them.
    Command,
    /// It pushes to a broadcast at lichess.
    Lichess,
    /// It gives rounds to the pages that are served over HTTP. No file can name it: `http.listen` makes one.
    #[serde(skip)]
    Pages,
}

/// Whose messages an output sends on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum OutputAudience {
    /// The public, with the delay.
    #[default]
    Public,
    /// The live audience, without delay.
    Live,
}

/// The form of the PGN.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum OutputProfile {
    /// For files and viewers.
    #[default]
    Full,
    /// For lichess and programs that fetch it.
    Relay,
}

fn lichess() -> String {
    Output::LICHESS.to_owned()
}

fn yes() -> bool {
    true
}

impl Output {
    /// The address of lichess.
    pub const LICHESS: &str = "https://lichess.org";
    /// The least time between two starts of the program or two pushes, seconds.
    pub const EVERY: u32 = 2;
    /// The time after which the program is killed, seconds.
    pub const TIMEOUT: u32 = 60;
    /// The time after which the program runs again although nothing changed, seconds.
    pub const HEARTBEAT: u32 = 60;

    /// The name of the output that gives rounds to the pages over HTTP.
    pub const PAGES: &str = "http";

    /// The output that gives rounds to the pages over HTTP.
    pub fn of_pages() -> Output {
        let pages = Output::of_files(Output::PAGES, PathBuf::new());
        Output { kind: OutputKind::Pages, profile: OutputProfile::Relay, ..pages }
    }

    /// An output that writes the public games of all boards to one file for each round.
    pub fn of_files(name: &str, dir: PathBuf) -> Output {
        Output {
            name: name.to_owned(),
            kind: OutputKind::Files,
            audience: OutputAudience::Public,
            profile: OutputProfile::Full,
            dir,
            split: false,
            boards: String::new(),
            command: Vec::new(),
            url: String::new(),
            token_file: PathBuf::new(),
            round: String::new(),
            every: None,
            timeout: None,
            heartbeat: None,
            receiver_delays: false,
        }
    }

    /// The output that stands for the PGN of rounds at the broker.
    pub fn of_topics() -> Output {
        Output { name: "mqtt".to_owned(), profile: OutputProfile::Full, ..Output::of_pages() }
    }

    /// The form of its PGN: lichess reads only one.
    pub fn form(&self) -> OutputProfile {
        if self.kind == OutputKind::Lichess { OutputProfile::Relay } else { self.profile }
    }

    /// Whether it has the board with this number.
    pub fn has_board(&self, number: u32) -> bool {
        // The text was checked when it was read.
        let ranges = board_ranges(&self.boards).unwrap_or_default();
        ranges.is_empty() || ranges.iter().any(|range| range.contains(&number))
    }
}

/// The names that stand for something in the arguments of a command, each with braces around it.
pub(crate) const PLACEHOLDERS: [&str; 4] = ["games", "dir", "event", "round"];

/// Reads numbers of boards such as `1-50,60`. An empty text gives no range.
pub(crate) fn board_ranges(text: &str) -> Option<Vec<RangeInclusive<u32>>> {
    let number = |text: &str| text.trim().parse::<u32>().ok().filter(|number| (1..=9999).contains(number));
    let range = |text: &str| match text.split_once('-') {
        Some((first, last)) => Some(number(first)?..=number(last)?).filter(|range| !range.is_empty()),
        None => number(text).map(|one| one..=one),
    };
    if text.trim().is_empty() { Some(Vec::new()) } else { text.split(',').map(range).collect() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_boards() {
        for (text, ranges) in [
            ("", Some(vec![])),
            ("1-50, 60", Some(vec![1..=50, 60..=60])),
            ("7", Some(vec![7..=7])),
            ("50-1", None),
            ("0", None),
            ("1,,2", None),
            ("1-2-3", None),
            ("a", None),
            ("10000", None),
        ] {
            assert_eq!(board_ranges(text), ranges, "{text:?}");
        }
    }
}
