//! Reads the configuration from environment variables, `FLAGFALL__SECTION__KEY=value`, which replace the values of all files.
//!
//! Capital and small letters mean the same. The items of a list are separated by commas. Boards can be configured in files only.

use super::file::{Layer, unknown};
use super::leaf::Leaf;
use super::nearest::nearest;
use super::place::{Origins, Place, Problem, dotted};
use super::schema::{Key, Kind, SECTIONS, keys};
use super::values;

/// The beginning of the names of all configuration variables.
pub(crate) const PREFIX: &str = "FLAGFALL__";

/// Returns the configuration variables of this process.
#[allow(clippy::disallowed_methods, reason = "the configuration layer is where the environment is read")]
pub(crate) fn variables() -> Vec<(String, String)> {
    let text = |text: std::ffi::OsString| text.to_string_lossy().into_owned();
    let all = std::env::vars_os().map(|(name, value)| (text(name), text(value)));
    let mut ours: Vec<_> = all.filter(|(name, _)| name.starts_with(PREFIX)).collect();
    ours.sort();
    ours
}

/// Returns the only variables that a program gets which this program starts.
#[cfg(feature = "outputs")]
#[allow(clippy::disallowed_methods, reason = "the configuration layer is where the environment is read")]
pub(crate) fn of_commands() -> Vec<(&'static str, std::ffi::OsString)> {
    ["PATH", "HOME", "LANG"].into_iter().filter_map(|name| Some((name, std::env::var_os(name)?))).collect()
}

/// Returns the device and inode of the connection to systemd's journal, if systemd started this program (systemd.exec(5)).
#[allow(clippy::disallowed_methods, reason = "the configuration layer is where the environment is read")]
pub(crate) fn journal_stream() -> Option<String> {
    std::env::var("JOURNAL_STREAM").ok()
}

/// Checks one variable and puts its value into `layer`. Variables of other programs are ignored.
pub(crate) fn check(name: &str, value: &str, layer: &mut Layer, origins: &mut Origins, problems: &mut Vec<Problem>) {
    let Some(path) = name.strip_prefix(PREFIX) else { return };
    let path = path.to_lowercase();
    let words: Vec<&str> = path.split("__").collect();
    if let Err((key, message)) = set_key("", &words, SECTIONS, value, layer, origins, name) {
        problems.push(Problem { place: Place::Variable(name.to_owned()), key, message });
    }
}

fn set_key(
    prefix: &str,
    words: &[&str],
    siblings: &'static [Key],
    value: &str,
    layer: &mut Layer,
    origins: &mut Origins,
    variable: &str,
) -> Result<(), (String, String)> {
    let word = words.first().copied().unwrap_or_default();
    let full = dotted(prefix, word);
    let stray = |message: String| (String::new(), message);
    let key = siblings.iter().find(|key| key.name == word).ok_or_else(|| stray(fits_no_key(variable, word, siblings)))?;
    match (&key.kind, &words[1..]) {
        (Kind::Tables(..), _) => Err(stray(format!("{word}s can be configured in files only, [[{word}]]"))),
        (Kind::Section(inner), rest @ [_, ..]) => {
            let mut below = take_table(layer, word);
            let done = set_key(&full, rest, inner, value, &mut below, origins, variable);
            layer.insert(word.to_owned(), below.into());
            done
        }
        (Kind::Named(inner), [name, rest @ ..]) if !rest.is_empty() => {
            values::user(name).map_err(stray)?;
            let mut named = take_table(layer, word);
            let mut below = take_table(&mut named, name);
            let full = dotted(&full, name);
            if !origins.has(&full) {
                origins.set(&full, Place::Variable(variable.to_owned()));
            }
            let done = set_key(&full, rest, inner, value, &mut below, origins, variable);
            named.insert((*name).to_owned(), below.into());
            layer.insert(word.to_owned(), named.into());
            done
        }
        (Kind::Section(_) | Kind::Named(_), _) => Err(stray(format!("names no key of [{full}]"))),
        (_, [_, ..]) => Err(stray(fits_no_key(variable, word, siblings))),
        (kind, []) => {
            origins.set(&full, Place::Variable(variable.to_owned()));
            let value = Leaf::from_variable(value, kind).check(key.name, kind).map_err(|message| (full, message))?;
            layer.insert(word.to_owned(), value);
            Ok(())
        }
    }
}

/// Takes the table `name` out of the layer; the caller puts it back.
fn take_table(layer: &mut Layer, name: &str) -> Layer {
    layer.remove(name).and_then(|value| value.into_table().ok()).unwrap_or_default()
}

/// Suggests the nearest of all variables without a free name, or else the keys that fit in its place.
fn fits_no_key(variable: &str, word: &str, siblings: &'static [Key]) -> String {
    let fixed = keys().into_iter().filter(|key| !key.contains('*'));
    let all: Vec<String> = fixed.map(|key| format!("{PREFIX}{}", key.replace('.', "__").to_uppercase())).collect();
    let path = |name: &'_ str| name.trim_start_matches(PREFIX).to_lowercase();
    let paths: Vec<String> = all.iter().map(|name| path(name)).collect();
    match nearest(&path(variable), paths.iter().map(String::as_str)) {
        Some(near) => format!("fits no key; did you mean {PREFIX}{}?", near.to_uppercase()),
        None => format!("fits no key: {}", unknown(word, siblings)),
    }
}
