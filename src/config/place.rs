//! Defines the place of a key (file, line and column, or variable), and the problems that are reported with their places.

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;

/// The place at which a key of the configuration was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// In a file; line and column count from 1.
    Line {
        /// The file.
        file: PathBuf,
        /// The line.
        line: usize,
        /// The letter in the line.
        column: usize,
    },
    /// The file as a whole.
    File(PathBuf),
    /// An environment variable.
    Variable(String),
    /// Nowhere: the default.
    Default,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place::Line { file, line, column } => write!(f, "{}:{line}:{column}", file.display()),
            Place::File(file) => write!(f, "{}", file.display()),
            Place::Variable(name) => f.write_str(name),
            Place::Default => f.write_str("configuration"),
        }
    }
}

/// One problem in the configuration, with its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The place.
    pub place: Place,
    /// The key in dotted form; empty if it is about no key. A board's keys are `board.<id>.<key>`.
    pub key: String,
    /// What is wrong, and what would be right.
    pub message: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.key.as_str() {
            "" => write!(f, "{}: {}", self.place, self.message),
            key => write!(f, "{}: {key}: {}", self.place, self.message),
        }
    }
}

/// Everything that is wrong with a configuration, in the order of the files and lines. Commands end with exit code 78.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Errors(pub Vec<Problem>);

impl fmt::Display for Errors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, problem) in self.0.iter().enumerate() {
            if index > 0 {
                f.write_str("\n")?;
            }
            problem.fmt(f)?;
        }
        Ok(())
    }
}

impl std::error::Error for Errors {}

/// Where each key was written last.
#[derive(Debug, Default)]
pub(crate) struct Origins(BTreeMap<String, Place>);

impl Origins {
    pub(crate) fn set(&mut self, key: &str, place: Place) {
        self.0.insert(key.to_owned(), place);
    }

    /// Whether the key was written somewhere.
    pub(crate) fn has(&self, key: &str) -> bool {
        self.0.contains_key(key)
    }

    /// The table of this name with its place, if it was written.
    pub(crate) fn at(&self, key: &str) -> Option<(&str, &Place)> {
        self.0.get_key_value(key).map(|(key, place)| (key.as_str(), place))
    }

    /// The tables directly below `prefix`, with their places.
    pub(crate) fn inside(&self, prefix: &str) -> impl Iterator<Item = (&str, &Place)> {
        let start = format!("{prefix}.");
        let below = move |key: &&String| key.strip_prefix(&start).is_some_and(|name| !name.contains('.'));
        self.0.keys().filter(below).map(|key| (key.as_str(), &self.0[key]))
    }

    /// The place of the key; if it was not written, the place of the table that it would be in.
    pub(crate) fn place(&self, key: &str) -> Place {
        let mut key = key;
        loop {
            if let Some(place) = self.0.get(key) {
                return place.clone();
            }
            match key.rsplit_once('.') {
                Some((table, _)) => key = table,
                None => return Place::Default,
            }
        }
    }
}

/// `prefix.name`.
pub(crate) fn dotted(prefix: &str, name: &str) -> String {
    if prefix.is_empty() { name.to_owned() } else { format!("{prefix}.{name}") }
}
