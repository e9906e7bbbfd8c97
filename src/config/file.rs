//! Checks one configuration file: every key and value with its line and column, before the files are combined.

use std::collections::BTreeSet;
use std::ops::Range;
use std::path::Path;

use ::config::Value;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::leaf::Leaf;
use super::nearest::nearest;
use super::place::{Origins, Place, Problem, dotted};
use super::schema::{Key, Kind, SECTIONS, keys};
use super::values::{self, shown};

/// The largest size of a configuration file, in bytes.
pub(crate) const LONGEST_FILE: u64 = 1 << 20;

/// The values of a table. Its order is random, so values are read by name only.
pub(crate) type Layer = ::config::Map<String, Value>;

/// The contents of one file.
#[derive(Default)]
pub(crate) struct Contents {
    /// Everything but the tables that are identified by a key.
    pub(crate) layer: Layer,
    /// The boards by id and the outputs by name, in their order, each with the name of its section.
    pub(crate) tables: Vec<(&'static str, String, Layer)>,
}

/// Checks `bytes`, the contents of `file`, against the schema, and notes the place of each key.
pub(crate) fn check(file: &Path, bytes: &[u8], origins: &mut Origins, problems: &mut Vec<Problem>) -> Contents {
    let text = match std::str::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => {
            let before = String::from_utf8_lossy(&bytes[..error.valid_up_to()]);
            let place = place(file, &before, before.len());
            problems.push(Problem { place, key: String::new(), message: "is not text in UTF-8".to_owned() });
            return Contents::default();
        }
    };
    let (table, errors) = DeTable::parse_recoverable(text);
    let first = problems.len();
    if errors.is_empty() {
        let mut walk = Walk { file, text, origins, problems, tables: Vec::new() };
        let layer = walk.table("", SECTIONS, table.get_ref());
        let tables = walk.tables;
        problems[first..].sort_by_key(line_and_column);
        return Contents { layer, tables };
    }
    // The rest of a broken file would only give false errors.
    for error in errors {
        let at = error.span().map_or(text.len(), |span| span.start);
        let message = error.message().lines().collect::<Vec<_>>().join(", ");
        problems.push(Problem { place: place(file, text, at), key: String::new(), message });
    }
    problems[first..].sort_by_key(line_and_column);
    Contents::default()
}

fn line_and_column(problem: &Problem) -> (usize, usize) {
    match &problem.place {
        Place::Line { line, column, .. } => (*line, *column),
        _ => (0, 0),
    }
}

fn place(file: &Path, text: &str, at: usize) -> Place {
    let before = text.get(..at).unwrap_or(text);
    let start = before.rfind('\n').map_or(0, |feed| feed + 1);
    let line = before.bytes().filter(|byte| *byte == b'\n').count() + 1;
    Place::Line { file: file.to_owned(), line, column: before[start..].chars().count() + 1 }
}

struct Walk<'a> {
    file: &'a Path,
    text: &'a str,
    origins: &'a mut Origins,
    problems: &'a mut Vec<Problem>,
    tables: Vec<(&'static str, String, Layer)>,
}

impl Walk<'_> {
    fn problem(&mut self, span: Range<usize>, key: &str, message: String) {
        let place = place(self.file, self.text, span.start);
        self.problems.push(Problem { place, key: key.to_owned(), message });
    }

    fn table(&mut self, prefix: &str, keys: &'static [Key], table: &DeTable<'_>) -> Layer {
        let mut layer = Layer::new();
        for (name, value) in table {
            let full = dotted(prefix, &printable(name.get_ref()));
            let Some(key) = keys.iter().find(|key| key.name == name.get_ref()) else {
                self.problem(name.span(), &full, unknown(name.get_ref(), keys));
                continue;
            };
            self.origins.set(&full, place(self.file, self.text, name.span().start));
            if let Some(value) = self.value(&full, key, value) {
                layer.insert(key.name.to_owned(), value);
            }
        }
        layer
    }

    fn value(&mut self, full: &str, key: &'static Key, value: &Spanned<DeValue<'_>>) -> Option<Value> {
        match (&key.kind, value.get_ref()) {
            (Kind::Section(keys) | Kind::Player(keys), DeValue::Table(table)) => Some(self.table(full, keys, table).into()),
            (Kind::Named(keys), DeValue::Table(table)) => {
                let mut named = Layer::new();
                for (name, value) in table {
                    let inner = dotted(full, &printable(name.get_ref()));
                    let DeValue::Table(table) = value.get_ref() else {
                        let wanted = key.kind.wanted(full);
                        self.problem(name.span(), &inner, format!("must be in {wanted}"));
                        continue;
                    };
                    if let Err(message) = values::user(name.get_ref()) {
                        self.problem(name.span(), &inner, message);
                    }
                    self.origins.set(&inner, place(self.file, self.text, name.span().start));
                    named.insert(name.get_ref().to_string(), self.table(&inner, keys, table).into());
                }
                Some(named.into())
            }
            (Kind::Tables(id, keys), DeValue::Array(list)) => {
                let mut seen = BTreeSet::new();
                for (index, value) in list.iter().enumerate() {
                    self.listed(key.name, id, keys, index, value, &mut seen);
                }
                None
            }
            (kind, other) => match Leaf::from_toml(other).check(key.name, kind) {
                Ok(value) => Some(value),
                Err(message) => {
                    self.problem(value.span(), full, message);
                    None
                }
            },
        }
    }

    /// Reads one of the tables `[[section]]`, which the key `mark` identifies.
    fn listed(
        &mut self,
        section: &'static str,
        mark: &'static str,
        keys: &'static [Key],
        index: usize,
        value: &Spanned<DeValue<'_>>,
        seen: &mut BTreeSet<String>,
    ) {
        let DeValue::Table(table) = value.get_ref() else {
            return self.problem(value.span(), &format!("{section}[{index}]"), format!("must be a table, [[{section}]]"));
        };
        let written = table.iter().find(|(name, _)| name.get_ref() == mark).map(|(_, id)| id);
        let id = written.and_then(|id| id.get_ref().as_str()).filter(|id| values::id(id).is_ok()).map(str::to_owned);
        let prefix = id.as_ref().map_or_else(|| format!("{section}[{index}]"), |id| format!("{section}.{id}"));
        if written.is_none() {
            self.problem(value.span(), &dotted(&prefix, mark), format!("is missing: every {section} needs one"));
        }
        let fresh = id.as_ref().is_none_or(|id| seen.insert(id.clone()));
        if let (false, Some(written)) = (fresh, written) {
            let first = self.origins.place(&dotted(&prefix, mark));
            self.problem(written.span(), &dotted(&prefix, mark), format!("is the {mark} of another {section} too, at {first}"));
        }
        self.origins.set(&prefix, place(self.file, self.text, value.span().start));
        let layer = self.table(&prefix, keys, table);
        self.tables.extend(id.map(|id| (section, id, layer)));
    }
}

/// A name as error messages show it; names with special characters are in quotes.
fn printable(name: &str) -> String {
    match name.bytes().all(|c| c.is_ascii_alphanumeric() || b"-_".contains(&c)) && (1..=64).contains(&name.len()) {
        true => name.to_owned(),
        false => shown(name),
    }
}

/// The message for an unknown key: the nearest key beside it, or the same key elsewhere, or all keys that exist.
pub(crate) fn unknown(name: &str, siblings: &[Key]) -> String {
    if let Some(near) = nearest(name, siblings.iter().map(|key| key.name)) {
        return format!("unknown key; did you mean `{near}`?");
    }
    let all = keys();
    let last = |key: &&String| key.rsplit('.').next() == Some(&name.to_lowercase());
    let elsewhere: Vec<&str> = all.iter().filter(last).map(String::as_str).collect();
    match elsewhere.as_slice() {
        [] => {
            let names: Vec<&str> = siblings.iter().map(|key| key.name).collect();
            format!("unknown key; here are known: {}", names.join(", "))
        }
        keys => format!("unknown key; did you mean `{}`?", keys.join("` or `")),
    }
}
