//! Makes and parses the names of journal files.

use std::fmt;

/// The largest length of the name of a session, in bytes.
pub const MAX_SESSION: usize = 64;

/// The end of the name of a journal file.
const ENDING: &str = ".journal";
/// The end of the name of a file with bytes that were cut off.
const TORN: &str = ".torn";

/// The name of a journal file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct FileName {
    /// Rises by one from file to file.
    pub(super) number: u64,
    /// Name of the game or day.
    pub(super) session: String,
}

impl fmt::Display for FileName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:08}-{}{ENDING}", self.number, self.session)
    }
}

impl FileName {
    /// Parses the name of a journal file.
    pub(super) fn parse(name: &str) -> Option<FileName> {
        let (number, session) = name.strip_suffix(ENDING)?.split_once('-')?;
        let parsed = FileName { number: number.parse().ok()?, session: session.to_owned() };
        (is_session(session) && parsed.to_string() == name).then_some(parsed)
    }
}

/// Whether `session` is 1..=[`MAX_SESSION`] of `a-z 0-9 -`.
pub(super) fn is_session(session: &str) -> bool {
    (1..=MAX_SESSION).contains(&session.len())
        && session.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-')
}

/// The name of the file for the bytes that are cut off at `offset` of `file`. Cutting again at the same place gives the same
/// name, so that an interrupted recovery leaves no second copy.
pub(super) fn torn(file: &str, offset: usize) -> String {
    format!("{file}.{offset:010}{TORN}")
}

/// Whether `name` is a name that [`torn`] gives.
pub(super) fn is_torn(name: &str) -> bool {
    name.ends_with(TORN)
}
