//! Passwords, keys and certificates that `flagfall fleet make` makes and keeps.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::Command;
use std::time::SystemTime;

use flagfall::system_clock::{Utc, utc};

use super::{EVENT, NAMES, changed, files, folder, made, make};

#[test]
fn secrets_are_for_their_owner_only() {
    let folder = folder(EVENT);
    let out = folder.path().join("OUT");
    made(folder.path(), &[]);
    let mode = |path: &str| out.join(path).metadata().expect("it is there").permissions().mode() & 0o777;
    assert_eq!((mode("secrets"), mode("secrets/passwords")), (0o700, 0o700));
    let passwords: Vec<String> =
        NAMES.iter().map(|name| fs::read_to_string(out.join(format!("secrets/passwords/{name}"))).expect("a password")).collect();
    for (path, (text, _)) in files(&out) {
        let closed = passwords.iter().any(|password| text.contains(password.trim())) || text.contains("PRIVATE KEY");
        if closed || path.ends_with("passwords") {
            assert_eq!(mode(&path), 0o600, "{path}");
        }
        // A card has its own password and no other one, and never a key.
        if let Some(name) = path.strip_prefix("node/").and_then(|rest| rest.split('/').next()) {
            let others = NAMES.iter().zip(&passwords).filter(|(other, _)| **other != name);
            assert!(!text.contains("PRIVATE KEY"), "{path}");
            others.for_each(|(other, password)| assert!(!text.contains(password.trim()), "{path} has the password of {other}"));
        }
    }
    // What somebody opened is closed again.
    for (path, own) in [("secrets", 0o700), ("cards.txt", 0o600), ("hall/certs/flagfall.key", 0o600)] {
        fs::set_permissions(out.join(path), fs::Permissions::from_mode(own | 0o055)).expect("a mode");
        made(folder.path(), &[]);
        assert_eq!(mode(path), own, "{path}");
    }
}

#[test]
fn one_secret_is_made_new() {
    let folder = folder(EVENT);
    let out = folder.path().join("OUT");
    made(folder.path(), &[]);
    let mut before = files(&out);
    for (name, expected, words) in [
        (
            "pi-02",
            vec!["hall/mosquitto/passwords", "node/pi-02/mqtt.password", "node/pi-02/user-data", "secrets/passwords/pi-02"],
            "systemctl reload flagfall",
        ),
        ("anna", vec!["cards.txt", "hall/mosquitto/passwords", "secrets/passwords/anna"], "systemctl reload mosquitto"),
        ("relay", vec!["cards.txt", "hall/mosquitto/bridge.conf", "secrets/relay.password"], "bridge.conf"),
        (
            "certificate",
            vec!["hall/certs/flagfall.crt", "hall/certs/flagfall.key", "secrets/hall.key", "secrets/hall.pem"],
            "hall/certs",
        ),
    ] {
        let printed = made(folder.path(), &["--rotate", name]);
        assert!(printed.contains(&format!("{name}: ")) && printed.contains(words), "{printed}");
        let after = files(&out);
        assert_eq!(changed(&before, &after), expected, "{name}");
        let lines = |files: &BTreeMap<String, (String, SystemTime)>| -> Vec<String> {
            files["hall/mosquitto/passwords"].0.lines().map(str::to_owned).collect()
        };
        let (old, new) = (lines(&before), lines(&after));
        let other = old.iter().zip(&new).filter(|(old, new)| old != new).count();
        assert_eq!((old.len(), other), (NAMES.len(), usize::from(NAMES.contains(&name))), "{name}");
        before = after;
    }
    let ran = make(folder.path(), &["--rotate", "pi-20"]);
    assert_eq!(ran.code, Some(1));
    assert!(ran.err.contains("\"pi-20\": there is no such secret; there are: anna, "), "{}", ran.err);
    assert_eq!(before, files(&out), "and nothing is touched");
}

#[test]
fn other_dates_and_names_change_the_certificates_only() {
    let folder = folder(EVENT);
    let out = folder.path().join("OUT");
    made(folder.path(), &[]);
    let before = files(&out);
    fs::write(folder.path().join("event.toml"), EVENT.replace("hall.local", "chess.local")).expect("a file");
    made(folder.path(), &[]);
    let renamed = files(&out);
    assert_eq!(changed(&before, &renamed), ["hall/certs/flagfall.crt", "secrets/hall.pem"]);
    fs::write(folder.path().join("event.toml"), EVENT.replace("days = 700", "days = 750")).expect("a file");
    made(folder.path(), &[]);
    let later = changed(&before, &files(&out));
    assert!(later.contains(&"ca.pem".to_owned()) && !later.iter().any(|path| path.ends_with(".key")), "{later:?}");
}

#[test]
fn a_damaged_secret_is_reported_and_never_replaced() {
    let folder = folder(EVENT);
    let out = folder.path().join("OUT");
    made(folder.path(), &[]);
    for (path, contents, why) in [
        ("secrets/passwords/anna", "", "the password, is empty"),
        ("secrets/ca.key", "nothing\n", "is damaged"),
        ("secrets/hall.key", "-----BEGIN nothing\n", "OUT/secrets/hall.key: "),
        ("secrets/hall.pem", "nothing\n", "is damaged"),
    ] {
        let before = fs::read(out.join(path)).expect("a file");
        fs::write(out.join(path), contents).expect("a file");
        let ran = make(folder.path(), &[]);
        assert_eq!(ran.code, Some(1), "{path}: {}{}", ran.out, ran.err);
        assert!(ran.err.contains(why), "{path}: {}", ran.err);
        assert_eq!(fs::read_to_string(out.join(path)).expect("a file"), contents, "{path}");
        fs::write(out.join(path), before).expect("a file");
        made(folder.path(), &[]);
    }
}

/// The brokers and nodes of a hall read less than the library that makes certificates.
#[test]
fn what_a_machine_cannot_read_is_damaged() {
    let folder = folder(EVENT);
    let out = folder.path().join("OUT");
    made(folder.path(), &[]);
    for name in ["secrets/ca.key", "secrets/hall.key", "secrets/ca.pem", "secrets/hall.pem"] {
        let good = fs::read_to_string(out.join(name)).expect("a file");
        let half = &good[..good.len() / 2];
        for bad in [good.replace("\n-----END", "-----END"), good.replace("-----\nMI", "-----MI"), format!("{good}{half}")] {
            fs::write(out.join(name), &bad).expect("a file");
            let ran = make(folder.path(), &[]);
            assert_eq!(ran.code, Some(1), "{bad}: {}{}", ran.out, ran.err);
            assert!(ran.err.contains("/secrets/") && ran.err.contains("damaged"), "{}", ran.err);
        }
        fs::write(out.join(name), &good).expect("a file");
        made(folder.path(), &[]);
    }
}

/// One wrong letter would cut all machines off from their broker.
#[test]
fn a_certificate_with_a_wrong_letter_is_damaged() {
    let folder = folder(EVENT);
    let out = folder.path().join("OUT");
    made(folder.path(), &[]);
    for (name, line) in [("hall.pem", 3), ("hall.pem", 8), ("ca.pem", 6)] {
        let path = out.join("secrets").join(name);
        let before = fs::read_to_string(&path).expect("a file");
        let place = before.lines().take(line).map(|line| line.len() + 1).sum::<usize>() + 20;
        let letter = if &before[place..=place] == "A" { "B" } else { "A" };
        fs::write(&path, format!("{}{letter}{}", &before[..place], &before[place + 1..])).expect("a file");
        let ran = make(folder.path(), &[]);
        assert!(ran.code == Some(1) && ran.err.contains(name) && ran.err.contains("damaged"), "{name}:{line}: {}", ran.err);
        fs::write(&path, before).expect("a file");
    }
    made(folder.path(), &[]);
}

/// What is removed, as the message about damage advises, and what is interrupted, leaves certificates that belong to their keys.
#[test]
fn certificates_belong_to_their_keys() {
    let folder = folder(EVENT);
    let out = folder.path().join("OUT");
    let openssl = |words: &[&str]| Command::new("openssl").args(words).current_dir(&out).output().expect("openssl");
    made(folder.path(), &[]);
    let damages: [&dyn Fn(); 4] = [
        &|| fs::remove_file(out.join("secrets/hall.key")).expect("removed"),
        &|| fs::remove_file(out.join("secrets/ca.key")).expect("removed"),
        &|| {
            fs::remove_file(out.join("secrets/ca.key")).expect("removed");
            made(folder.path(), &["--rotate", "certificate"]);
        },
        // A rotation ended between the key and the certificate.
        &|| {
            let old = fs::read(out.join("secrets/hall.pem")).expect("a file");
            made(folder.path(), &["--rotate", "certificate"]);
            fs::write(out.join("secrets/hall.pem"), old).expect("a file");
        },
    ];
    for (number, damage) in damages.iter().enumerate() {
        damage();
        made(folder.path(), &[]);
        let verified = openssl(&["verify", "-no_check_time", "-CAfile", "ca.pem", "hall/certs/flagfall.crt"]);
        assert!(verified.status.success(), "{number}: {verified:?}");
        let public = openssl(&["pkey", "-in", "hall/certs/flagfall.key", "-pubout"]).stdout;
        let certified = openssl(&["x509", "-in", "hall/certs/flagfall.crt", "-noout", "-pubkey"]).stdout;
        assert!(!public.is_empty() && public == certified, "{number}");
    }
}

#[test]
fn certificates_that_are_not_valid_now_are_mentioned() {
    let day = |days: i64| Utc(utc().0 + days * 86_400_000_000).to_string()[..10].to_owned();
    for (from, days, why) in [
        (day(1), 60, Some(format!("The certificates begin on {}: ", day(1)))),
        (day(-60), 50, Some(format!("The certificates end on {}: ", day(-10)))),
        (day(-60), 73, Some(format!("The certificates end on {}: ", day(13)))),
        (day(-60), 75, None),
    ] {
        let text = EVENT.replace("from = \"2025-01-01\", days = 700", &format!("from = \"{from}\", days = {days}"));
        let printed = made(folder(&text).path(), &[]);
        let noted = printed.lines().find(|line| line.contains("certificates"));
        assert_eq!(noted.is_some(), why.is_some(), "{printed}");
        assert!(noted.is_none_or(|noted| noted.contains(why.as_deref().unwrap_or_default())), "{printed}");
    }
}
