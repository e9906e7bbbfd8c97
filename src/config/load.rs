//! Loads the configuration files and then the environment variables. Later values replace earlier ones.

use std::io::{Error, ErrorKind, Read};
use std::path::{Path, PathBuf};

use ::config::{ConfigError, Source, Value, ValueKind};
use flagfall_protocols::bytes::crc32;

use super::file::{self, LONGEST_FILE, Layer};
use super::place::{Errors, Origins, Place, Problem};
use super::schema::{Kind, SECTIONS};
use super::types::Config;
use super::{checks, environment};

/// The first file that is read if the user names no file.
pub const MAIN_FILE: &str = "/etc/flagfall/flagfall.toml";
/// The second file, whose values replace those of the first.
pub const EVENT_FILE: &str = "/etc/flagfall/event.toml";

/// A configuration that passed all checks.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// The values.
    pub config: Config,
    /// The files that it was made of, the one with the highest priority last.
    pub files: Vec<PathBuf>,
    /// A checksum of all settings: two runs with the same checksum had the same settings.
    pub hash: u32,
}

/// Reads `explicit`, or if that is empty [`MAIN_FILE`] and [`EVENT_FILE`] where they exist, and then the environment.
///
/// # Errors
/// Everything that is wrong; see [`load`].
pub fn load_default(explicit: &[PathBuf]) -> Result<Loaded, Errors> {
    load_to_serve(explicit, &[])
}

/// The same for a program that will listen at the addresses of these keys: this machine must have them, and this user must be allowed to.
///
/// # Errors
/// Everything that is wrong; see [`load`].
pub fn load_to_serve(explicit: &[PathBuf], keys: &[&str]) -> Result<Loaded, Errors> {
    // A file that this user may not see is there: `load` reports it.
    let standard = [MAIN_FILE, EVENT_FILE].map(PathBuf::from).into_iter().filter(|file| file.try_exists().unwrap_or(true));
    let files = if explicit.is_empty() { standard.collect() } else { explicit.to_vec() };
    load_checked(&files, environment::variables().into_iter(), keys)
}

/// Reads `files`, a later one over the earlier ones, and then those variables whose names begin with `FLAGFALL__`.
///
/// # Errors
/// Everything that is wrong in any file or variable; if they are all right, everything that is wrong with the whole
/// configuration.
pub fn load(files: &[PathBuf], environment: impl Iterator<Item = (String, String)>) -> Result<Loaded, Errors> {
    load_checked(files, environment, &[])
}

fn load_checked(files: &[PathBuf], environment: impl Iterator<Item = (String, String)>, keys: &[&str]) -> Result<Loaded, Errors> {
    let (config, origins) = read_all(files, environment)?;
    let mut problems = Vec::new();
    checks::check(&config, &origins, keys, &mut problems);
    if !problems.is_empty() {
        return Err(Errors(problems));
    }
    let hash = crc32(format!("{config:?}").as_bytes());
    Ok(Loaded { config, files: files.to_vec(), hash })
}

/// Reads and combines the values, and checks each by itself.
///
/// # Errors
/// Everything that is wrong in any file or variable.
pub(super) fn read_all(
    files: &[PathBuf],
    environment: impl Iterator<Item = (String, String)>,
) -> Result<(Config, Origins), Errors> {
    let (mut problems, mut origins) = (Vec::new(), Origins::default());
    let (mut layers, mut tables) = (Vec::new(), Vec::new());
    for path in files {
        match read(path) {
            Ok(bytes) => {
                let contents = file::check(path, &bytes, &mut origins, &mut problems);
                layers.push(contents.layer);
                merge(&mut tables, contents.tables);
            }
            Err(message) => problems.push(Problem { place: Place::File(path.clone()), key: String::new(), message }),
        }
    }
    let mut variables = Layer::new();
    for (name, value) in environment {
        environment::check(&name, &value, &mut variables, &mut origins, &mut problems);
    }
    layers.push(variables);
    for section in ["board", "output"] {
        let found = tables.iter().filter(|(of, ..)| *of == section);
        let found: Vec<Value> = found.map(|(.., table)| table.clone().into()).collect();
        if !found.is_empty() {
            layers.push([(section.to_owned(), found.into())].into());
        }
    }
    missing(&origins, &mut problems);
    if !problems.is_empty() {
        return Err(Errors(problems));
    }
    let config = build(layers).map_err(|error| {
        let message = error.to_string();
        Errors(vec![Problem { place: Place::Default, key: String::new(), message }])
    })?;
    Ok((config, origins))
}

fn read(path: &Path) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::new();
    let wrong = |error: Error| {
        let hint = if error.kind() == ErrorKind::PermissionDenied { ": run the command with sudo" } else { "" };
        format!("cannot be read: {error}{hint}")
    };
    let file = std::fs::File::open(path).map_err(wrong)?;
    file.take(LONGEST_FILE + 1).read_to_end(&mut bytes).map_err(wrong)?;
    if bytes.len() as u64 > LONGEST_FILE {
        return Err(format!("is longer than {LONGEST_FILE} bytes and no configuration"));
    }
    Ok(bytes)
}

/// Adds the boards and outputs of a later file: known ones are changed key by key, others are added at the end.
fn merge(known: &mut Vec<(&'static str, String, Layer)>, more: Vec<(&'static str, String, Layer)>) {
    for (section, id, table) in more {
        match known.iter_mut().find(|(of, other, _)| *of == section && *other == id) {
            Some((.., earlier)) => table.into_iter().for_each(|(key, value)| lay_over(earlier, key, value)),
            None => known.push((section, id, table)),
        }
    }
}

/// Replaces a value; a section is combined key by key. A player is replaced as a whole, since the rating of one player is not that of
/// another.
fn lay_over(layer: &mut Layer, key: String, value: Value) {
    let boards = SECTIONS.iter().filter(|section| section.name == "board").filter_map(|section| section.kind.keys()).flatten();
    let is_section = boards.into_iter().any(|known| known.name == key && matches!(known.kind, Kind::Section(_)));
    match (layer.get_mut(&key).map(|known| &mut known.kind), value.kind) {
        (Some(ValueKind::Table(known)), ValueKind::Table(more)) if is_section => known.extend(more),
        (_, kind) => drop(layer.insert(key, kind.into())),
    }
}

/// Reports sections, outputs, and clocks of boards, without a key that they need.
fn missing(origins: &Origins, problems: &mut Vec<Problem>) {
    for (board, _) in origins.inside("board") {
        let (clock, driver) = (format!("{board}.clock"), format!("{board}.clock.driver"));
        if origins.has(&clock) && !origins.has(&driver) {
            problems.push(Problem { place: origins.place(&clock), key: driver, message: "is missing".to_owned() });
        }
    }
    let below =
        |name: &str| SECTIONS.iter().find(|key| key.name == name).and_then(|key| key.kind.keys()).unwrap_or_default().iter();
    let inner = below("broker").map(|key| ("broker.", key)).chain(below("fleet").map(|key| ("fleet.", key)));
    for (prefix, section) in SECTIONS.iter().map(|key| ("", key)).chain(inner) {
        let full = format!("{prefix}{}", section.name);
        let (tables, keys): (Vec<(&str, &Place)>, _) = match section.kind {
            Kind::Named(keys) | Kind::Tables(_, keys) => (origins.inside(&full).collect(), keys),
            Kind::Section(keys) => (origins.at(&full).into_iter().collect(), keys),
            _ => continue,
        };
        for (table, place) in tables {
            for key in keys.iter().filter(|key| key.required && !origins.has(&format!("{table}.{}", key.name))) {
                let key = format!("{table}.{}", key.name);
                problems.push(Problem { place: place.clone(), key, message: "is missing".to_owned() });
            }
        }
    }
}

#[derive(Clone, Debug)]
struct Values(Layer);

impl Source for Values {
    fn clone_into_box(&self) -> Box<dyn Source + Send + Sync> {
        Box::new(self.clone())
    }

    fn collect(&self) -> Result<Layer, ConfigError> {
        Ok(self.0.clone())
    }
}

fn build(layers: Vec<Layer>) -> Result<Config, ConfigError> {
    let builder = ::config::Config::builder();
    let builder = layers.into_iter().fold(builder, |builder, layer| builder.add_source(Values(layer)));
    builder.build()?.try_deserialize()
}
