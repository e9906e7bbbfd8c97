//! Configurations, the files of halls, secrets, and calibrations. What is taken is complete, and is written again and taken as the same;
//! what is not is an error with its place.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use flagfall::calibration;
use flagfall::config::{self, Errors, Mqtt, Place, load_venue};
use flagfall::fleet::{self, Secrets};
use flagfall::mqtt::Identity;
use flagfall::system_clock::Utc;
use flagfall_protocols::drivers::DRIVERS;

use super::{BYTES, assert_plain, campaign, lines};
use crate::support::nearly::take_anything;

const HALL: &str = include_str!("../../commands/fleet_command/event.toml");

/// Each problem names its place in the file, unless it is about the file as a whole.
#[track_caller]
fn assert_places(errors: &Errors, file: &Path, bytes: &[u8]) {
    assert!(!errors.0.is_empty());
    for problem in &errors.0 {
        let known = match &problem.place {
            Place::Line { file: named, line, column } => named == file && (1..=lines(bytes)).contains(line) && *column > 0,
            Place::File(named) => named == file,
            Place::Variable(_) | Place::Default => false,
        };
        assert!(known, "{problem}");
        assert_plain(&problem.to_string());
    }
}

#[test]
fn configurations_take_anything() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("event.toml");
    let more = "[node]\nname = \"pi-1\"\n[mqtt]\nhost = \"127.0.0.1\"\nport = 1883\nroot = \"flagfall\"\n[broker]\nenabled = true\n\
                tcp = \"127.0.0.1:1883\"\n[livechess]\nenabled = true\nlisten = [\"127.0.0.1:1982\"]\n[screens]\nnames = [\"hall.local\"]\n\
                [collect]\nenabled = true\n[[output]]\nname = \"files\"\nkind = \"files\"\ndir = \"/tmp/x\"\nboards = \"1-50,60\"\n";
    let samples = [include_str!("../../../config/event.example.toml"), more, HALL];
    let take = |bytes: &[u8]| {
        fs::write(&path, bytes).expect("written");
        match config::load(std::slice::from_ref(&path), std::iter::empty()) {
            Err(errors) => assert_places(&errors, &path, bytes),
            Ok(loaded) => {
                config::warnings(&loaded.config).iter().for_each(|warning| assert_plain(warning));
                let again = config::load(&loaded.files, std::iter::empty()).expect("the same");
                assert_eq!((again.hash, again.config), (loaded.hash, loaded.config));
            }
        }
    };
    let one = |seed| take_anything(seed, BYTES / 4, &samples, |_, bytes| take(bytes));
    campaign("fuzz of configurations", 0..1, one);
}

#[test]
fn files_of_halls_take_anything() {
    let folder = tempfile::tempdir().expect("a folder");
    let (path, node) = (folder.path().join("event.toml"), folder.path().join("node.toml"));
    let text = str::to_owned;
    let take = |bytes: &[u8]| {
        fs::write(&path, bytes).expect("written");
        let venue = match load_venue(&path) {
            Ok(venue) => venue,
            Err(errors) => return assert_places(&errors, &path, bytes),
        };
        let passwords = fleet::names(&venue.config).into_iter().map(|name| (name, text("secret"))).collect();
        let [relay, authority, certificate, key] = ["relay", "ca", "crt", "key"].map(text);
        let secrets = Secrets { passwords, relay, authority, certificate, key, packages: Some(text("packages")) };
        let made = fleet::files(&venue, &secrets).expect("files");
        assert_eq!(made, fleet::files(&venue, &secrets).expect("the same"));
        fleet::advice(&venue.config, Utc(1_790_000_000_000_000)).iter().for_each(|advice| assert_plain(advice));
        // Each machine can begin with its file; what it lacks here are files that its card has.
        for file in made.iter().filter(|file| file.path.ends_with("/event.toml")) {
            fs::write(&node, &file.text).expect("written");
            let problems = config::load(std::slice::from_ref(&node), std::iter::empty()).err().map(|errors| errors.0);
            let strange = problems.into_iter().flatten().find(|problem| !problem.key.ends_with("_file"));
            assert!(strange.is_none(), "{}: {strange:?}\n{}", file.path, file.text);
        }
    };
    let one = |seed| take_anything(seed, BYTES / 8, &[HALL], |_, bytes| take(bytes));
    campaign("fuzz of files of halls", 0..1, one);
}

/// The secrets of a hall in a folder, and what they give.
fn secrets(folder: &Path) -> (config::Config, Secrets) {
    let file = folder.join("event.toml");
    fs::write(&file, HALL).expect("written");
    let config = load_venue(&file).expect("a hall").config;
    let secrets = Secrets::open(&folder.join("secrets"), &config, &Default::default()).expect("secrets");
    (config, secrets)
}

/// Writes a file that other users cannot read.
fn write_closed(path: &Path, bytes: &[u8]) {
    fs::write(path, bytes).expect("written");
    fs::set_permissions(path, fs::Permissions::from_mode(0o600)).expect("closed");
}

/// What a client needs for TLS with these files in a folder.
fn tls_of(folder: &Path) -> Mqtt {
    let path = |name: &str| Some(folder.join(name));
    Mqtt { tls: true, ca_file: path("ca"), certificate_file: path("crt"), key_file: path("key"), ..Mqtt::default() }
}

#[test]
fn certificates_and_keys_take_anything() {
    let folder = tempfile::tempdir().expect("a folder");
    let (_, secrets) = secrets(folder.path());
    let tls = tls_of(folder.path());
    let good = [("ca", &secrets.authority), ("crt", &secrets.certificate), ("key", &secrets.key)];
    good.iter().for_each(|(name, text)| write_closed(&folder.path().join(name), text.as_bytes()));
    assert!(Identity::read(&tls, "node").is_ok());
    let one = |seed, (name, text): (&str, &String)| {
        let path = folder.path().join(name);
        let taken = take_anything(seed, BYTES / 10, &[text], |_, bytes| {
            fs::write(&path, bytes).expect("written");
            if let Err(error) = Identity::read(&tls, "node") {
                let (key, cause) = (error.key, &error.cause);
                assert!(key.ends_with("_file") && cause.contains(": ") && cause.starts_with('/'), "{error}");
                assert_plain(cause);
            }
        });
        fs::write(&path, text).expect("written");
        taken
    };
    campaign("fuzz of certificates and keys", 0..1, |seed| good.map(|sample| one(seed, sample)).iter().sum());
}

#[test]
fn secrets_of_halls_take_anything() {
    let folder = tempfile::tempdir().expect("a folder");
    let (config, good) = secrets(folder.path());
    let names = ["ca.key", "ca.pem", "hall.key", "hall.pem", "relay.password", "passwords/anna"];
    let path = |name: &str| folder.path().join("secrets").join(name);
    let kept = names.map(|name| (name, fs::read(path(name)).expect("a secret")));
    let tls = tls_of(folder.path());
    let open = || Secrets::open(&folder.path().join("secrets"), &config, &Default::default());
    let one = |seed, (name, text): &(&str, Vec<u8>)| {
        take_anything(seed, BYTES / 1000, &[text], |_, bytes| {
            fs::write(path(name), bytes).expect("written");
            match open() {
                Err(error) => assert!(error.contains("/secrets/") && error.contains(name), "{error}"),
                // What is given to the machines of a hall is whole.
                Ok(Secrets { authority, certificate, key, .. }) => {
                    for (name, text) in [("ca", &authority), ("crt", &certificate), ("key", &key)] {
                        write_closed(&folder.path().join(name), text.as_bytes());
                    }
                    Identity::read(&tls, "node").map(drop).unwrap_or_else(|error| panic!("{error}"));
                }
            }
            kept.iter().for_each(|(name, text)| fs::write(path(name), text).expect("written"));
        })
    };
    campaign("fuzz of secrets of halls", 0..1, |seed| kept.iter().map(|sample| one(seed, sample)).sum());
    assert_eq!(open().expect("secrets").key, good.key);
}

#[test]
fn calibrations_take_anything() {
    let driver = DRIVERS.iter().find(|driver| driver.calibrated.is_some()).expect("one that must be calibrated");
    let men = (1..).zip("RNBQKBNRPPPPPPPPpppppppprnbqkbnrQq".chars());
    let items: Vec<String> = men.map(|(number, letter)| format!("{letter}03005400{number:02x}")).collect();
    let sample = calibration::print(driver, "board 12", &items.join(","));
    assert!(calibration::parse(sample.as_bytes(), driver).is_ok());
    let take = |bytes: &[u8]| match calibration::parse(bytes, driver) {
        Ok(items) => {
            let again = calibration::print(driver, "again", &items);
            assert_eq!(calibration::parse(again.as_bytes(), driver), Ok(items));
        }
        Err(error) => {
            assert_plain(&error);
            let line = error.strip_prefix("line ").and_then(|rest| rest.split_once(':')?.0.parse().ok());
            assert!(line.is_some_and(|line: usize| (1..=lines(bytes) + 1).contains(&line)), "{error}");
        }
    };
    campaign("fuzz of calibrations", 0..1, |seed| take_anything(seed, BYTES, &[&sample], |_, bytes| take(bytes)));
}
