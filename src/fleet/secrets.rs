//! Passwords, keys and certificates, in the folder `secrets`: the only thing of a fleet that cannot be made again.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Read;
use std::path::{Path, PathBuf};

use super::certificates::{self, Subject};
use super::output::{make_folder, write_file};
use super::passwords;
use crate::config::{self, Config, FleetBroker, Valid};
use crate::random;

/// The secret that is the key and the certificate of the hall's broker.
const CERTIFICATE: &str = "certificate";
/// The secret with which the hall logs in at the broker outside.
const RELAY: &str = "relay";
/// The largest size of a file, in bytes.
const LONGEST: u64 = 1 << 16;
/// What is wrong with a key or certificate, and what to do.
const DAMAGED: &str = "is damaged: bring the file back, or remove it and give all machines their files again";

/// Everything that is secret, and the certificates that belong to the keys.
#[derive(Clone, Debug)]
pub struct Secrets {
    /// The password of each user, by name.
    pub passwords: BTreeMap<String, String>,
    /// The password of the hall at the broker outside.
    pub relay: String,
    /// The certificate that all machines trust, PEM.
    pub authority: String,
    /// The broker's certificate, PEM.
    pub certificate: String,
    /// Its private key, PEM.
    pub key: String,
    /// The public key of the folder with packages, if the event has one.
    pub packages: Option<String>,
}

/// The names of all secrets that can be made new.
pub fn names(config: &Config) -> BTreeSet<String> {
    let users = super::rights(config).into_iter().map(|user| user.user);
    users.chain([CERTIFICATE, RELAY].map(str::to_owned)).collect()
}

impl Secrets {
    /// Reads the secrets in `folder`, and makes those that are missing and those in `rotate`, which are among [`names`].
    ///
    /// # Errors
    /// A file cannot be read or written, or is damaged; the text has its path.
    pub fn open(folder: &Path, config: &Config, rotate: &BTreeSet<String>) -> Result<Secrets, String> {
        let fleet = &config.fleet;
        let (Some(broker), Some(valid)) = (&fleet.broker, &fleet.valid) else {
            return Err("[fleet] has no broker or no valid".to_owned());
        };
        let places = folder.join("passwords");
        for folder in [folder, &places] {
            make_folder(folder, 0o700)?;
        }
        let mut open = BTreeMap::new();
        for user in super::rights(config) {
            let path = places.join(&user.user);
            open.insert(user.user.clone(), password(&path, rotate.contains(&user.user))?);
        }
        let relay = password(&folder.join("relay.password"), rotate.contains(RELAY))?;
        let pair = certificates(folder, &config.event.id, broker, valid, rotate.contains(CERTIFICATE))?;
        let (authority, certificate, key) = pair;
        let packages = fleet.packages.as_ref().map(|_| packages_key(&folder.join("packages.asc"))).transpose()?;
        Ok(Secrets { passwords: open, relay, authority, certificate, key, packages })
    }
}

/// The public key with which packages are signed. Its private part is made by `gpg`.
fn packages_key(path: &Path) -> Result<String, String> {
    let wrong =
        |why: &str| format!("{}: {why}; `sign-packages` of the package flagfall-hall makes it (fleet.packages)", path.display());
    let file = std::fs::File::open(path).map_err(|error| wrong(&error.to_string()))?;
    let mut text = String::new();
    file.take(LONGEST).read_to_string(&mut text).map_err(|error| wrong(&error.to_string()))?;
    let is_line = |line: &str| line.bytes().all(|c| c == b' ' || c.is_ascii_graphic());
    let is_key = text.starts_with("-----BEGIN PGP PUBLIC KEY BLOCK-----") && text.lines().all(is_line);
    if is_key { Ok(text) } else { Err(wrong("is no public key of OpenPGP")) }
}

/// The password in a file; a new one if the file is missing or the password must change.
fn password(path: &Path, new: bool) -> Result<String, String> {
    if !new && path.exists() {
        return config::password(path).map_err(|why| format!("{}: {why}", path.display()));
    }
    let random = random::bytes(passwords::LETTERS).map_err(|error| format!("no random password: {error}"))?;
    let made = passwords::password(&random);
    write_file(path, &format!("{made}\n"), true)?;
    Ok(made)
}

/// The authority's certificate, the broker's, and the broker's key. What is there and fits the event's file and its keys stays.
fn certificates(
    folder: &Path,
    event: &str,
    broker: &FleetBroker,
    valid: &Valid,
    new: bool,
) -> Result<(String, String, String), String> {
    let subject = Subject { event, broker, valid };
    let path = |name: &str| folder.join(name);
    let key = |name: &str, new| {
        let key = kept(path(name), "", new, |_| certificates::key())?;
        let mark = certificates::mark(&key).map_err(|why| format!("{}: {why}; it {DAMAGED}", path(name).display()))?;
        Ok::<_, String>((key, mark))
    };
    let (authority_key, authority_mark) = key("ca.key", false)?;
    let make = |about: &str| subject.authority(&authority_key).map(|pem| format!("{about}{pem}"));
    let authority = kept(path("ca.pem"), &subject.of_authority(&authority_mark), false, make)?;
    let (key, mark) = key("hall.key", new)?;
    let make = |about: &str| subject.server(&authority_key, &key).map(|pem| format!("{about}{pem}"));
    let certificate = kept(path("hall.pem"), &subject.of_broker([&authority_mark, &mark]), new, make)?;
    let pem = |text: &str| text.find("-----BEGIN").map_or_else(String::new, |at| text[at..].to_owned());
    let (authority, certificate) = (pem(&authority), pem(&certificate));
    let damaged = |why: String| format!("{}: {why}; it or ca.pem {DAMAGED}", path("hall.pem").display());
    subject.check(&authority, &certificate).map_err(damaged)?;
    Ok((authority, certificate, key))
}

/// The contents of a file that begins with `about`; otherwise, or if it must change, it is made.
fn kept(path: PathBuf, about: &str, new: bool, make: impl FnOnce(&str) -> Result<String, String>) -> Result<String, String> {
    let wrong = |why: String| format!("{}: {why}", path.display());
    if !new && path.exists() {
        let long = path.metadata().map_err(|error| wrong(error.to_string()))?.len() > LONGEST;
        let text = if long { String::new() } else { std::fs::read_to_string(&path).map_err(|error| wrong(error.to_string()))? };
        if !text.contains("-----BEGIN") {
            return Err(wrong(DAMAGED.to_owned()));
        }
        if text.starts_with(about) {
            return Ok(text);
        }
    }
    let text = make(about).map_err(wrong)?;
    write_file(&path, &text, true)?;
    Ok(text)
}
