//! `flagfall fleet make` as an organiser types it: the folder of a fleet of three, the same again, secrets, and refusals.

mod secrets;

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use crate::config_commands::program::{Ran, flagfall_in};

const EVENT: &str = include_str!("fleet_command/event.toml");
/// Users and machines of the event.
const NAMES: [&str; 9] = ["anna", "carol", "desk", "obs", "office", "pi-01", "pi-02", "pi-03", "screen-1"];

/// A folder with the event's file.
fn folder(text: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("event.toml"), text).expect("a file");
    folder
}

fn make(folder: &Path, more: &[&str]) -> Ran {
    let words: Vec<&str> = ["fleet", "make", "event.toml", "OUT"].into_iter().chain(more.iter().copied()).collect();
    flagfall_in(folder, &words, &[])
}

#[track_caller]
fn made(folder: &Path, more: &[&str]) -> String {
    let ran = make(folder, more);
    assert_eq!(ran.code, Some(0), "{}{}", ran.out, ran.err);
    ran.out
}

/// Every file below a folder: its path there, its contents and when it was written.
fn files(folder: &Path) -> BTreeMap<String, (String, SystemTime)> {
    fn collect(folder: &Path, prefix: &str, found: &mut BTreeMap<String, (String, SystemTime)>) {
        for entry in fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display())) {
            let entry = entry.expect("an entry");
            let name = format!("{prefix}{}", entry.file_name().to_str().expect("UTF-8"));
            if entry.path().is_dir() {
                collect(&entry.path(), &format!("{name}/"), found);
            } else {
                let written = entry.metadata().and_then(|data| data.modified()).expect("a time");
                found.insert(name, (fs::read_to_string(entry.path()).expect("text"), written));
            }
        }
    }
    let mut found = BTreeMap::new();
    collect(folder, "", &mut found);
    found
}

/// The paths of files with other contents.
fn changed(before: &BTreeMap<String, (String, SystemTime)>, after: &BTreeMap<String, (String, SystemTime)>) -> Vec<String> {
    let paths = before.keys().chain(after.keys().filter(|path| !before.contains_key(*path)));
    let text = |files: &BTreeMap<String, (String, SystemTime)>, path: &str| files.get(path).map(|(text, _)| text.clone());
    paths.filter(|path| text(before, path) != text(after, path)).cloned().collect()
}

/// The text with words in the place of certificates.
fn without_certificates(text: &str) -> String {
    let mut out = String::new();
    let mut inside = false;
    for line in text.lines() {
        let bare = line.trim_start();
        inside |= bare.starts_with("-----BEGIN");
        if bare.starts_with("-----END") {
            inside = false;
            out.push_str(&format!("{}(PEM)\n", &line[..line.len() - bare.len()]));
        } else if !inside {
            out.push_str(&format!("{line}\n"));
        }
    }
    out
}

/// `FLAGFALL_BLESS=1 cargo test --test commands fleet_command::` writes the files again, for review.
#[test]
fn a_fleet_of_three_has_these_files() {
    let folder = folder(EVENT);
    let secrets = folder.path().join("OUT/secrets/passwords");
    fs::create_dir_all(&secrets).expect("a folder");
    let given = NAMES.map(|name| secrets.join(name)).into_iter().chain([folder.path().join("OUT/secrets/relay.password")]);
    for path in given {
        let name = path.file_name().and_then(|name| name.to_str()).expect("a name");
        fs::write(&path, format!("secret-of-{name}\n")).expect("a file");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).expect("a mode");
    }
    made(folder.path(), &[]);
    let found = files(&folder.path().join("OUT"));
    let found = found.into_iter().filter(|(path, _)| !path.starts_with("secrets/"));
    let found: BTreeMap<String, String> = found.map(|(path, (text, _))| (path, without_certificates(&text))).collect();

    let golden = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden/fleet"));
    #[allow(clippy::disallowed_methods, reason = "a test that writes its goldens")]
    if std::env::var_os("FLAGFALL_BLESS").is_some() {
        _ = fs::remove_dir_all(&golden);
        for (path, text) in &found {
            let path = golden.join(path);
            fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
            fs::write(path, text).expect("a file");
        }
    }
    let expected: BTreeMap<String, String> = files(&golden).into_iter().map(|(path, (text, _))| (path, text)).collect();
    assert_eq!(found.keys().collect::<Vec<_>>(), expected.keys().collect::<Vec<_>>());
    for (path, text) in &found {
        assert_eq!(text, &expected[path], "{path}");
    }
}

#[test]
fn the_same_again() {
    let folder = folder(EVENT);
    let out = folder.path().join("OUT");
    assert!(made(folder.path(), &[]).contains("new      node/pi-03/user-data\n"));
    let first = files(&out);
    assert!(made(folder.path(), &[]).starts_with(&format!("{} files, ", first.len() - NAMES.len() - 5)));
    assert_eq!(first, files(&out), "nothing is touched");
    for name in ["hall", "node"] {
        fs::remove_dir_all(out.join(name)).expect("removed");
    }
    fs::remove_file(out.join("cards.txt")).expect("removed");
    made(folder.path(), &[]);
    assert_eq!(changed(&first, &files(&out)), Vec::<String>::new(), "from the event's file and the secrets alone");
}

#[test]
fn a_machine_that_is_taken_out_cannot_log_in_any_more() {
    let folder = folder(EVENT);
    made(folder.path(), &[]);
    let without = EVENT.replace("[fleet.node.pi-03]\nboards = [\"4\"]\n", "");
    fs::write(folder.path().join("event.toml"), without).expect("a file");
    let printed = made(folder.path(), &[]);
    assert!(printed.contains("node/pi-03 is no machine of the event any more"), "{printed}");
    let passwords = fs::read_to_string(folder.path().join("OUT/hall/mosquitto/passwords")).expect("a file");
    assert!(passwords.contains("pi-02:") && !passwords.contains("pi-03:"), "{passwords}");
}

#[test]
fn what_is_wrong_is_refused_with_its_line_and_key() {
    let node = |name: &str| format!("[fleet.node.{name}]\nboards = [\"9\"]\n");
    let add = |more: &str| format!("{EVENT}\n{more}");
    let instead = |old: &str, new: &str| {
        assert!(EVENT.contains(old), "{old}");
        EVENT.replacen(old, new, 1)
    };
    let line = |text: &str, what: &str| text.lines().position(|line| line.contains(what)).map_or(0, |index| index + 1);
    for (text, at, key, why) in [
        (add(&node("\"pi/9\"")), "[fleet.node.\"pi/9\"]", "fleet.node", "\"pi/9\" is not"),
        (add(&node("\"pi+9\"")), "[fleet.node.\"pi+9\"]", "fleet.node", "\"pi+9\" is not"),
        (add(&node("\"#\"")), "[fleet.node.\"#\"]", "fleet.node", "\"#\" is not"),
        (add(&node("\"\"")), "[fleet.node.\"\"]", "fleet.node", "\"\" is not"),
        (add(&node("\"pi\\n9\"")), "[fleet.node.\"pi\\n9\"]", "fleet.node", "is not"),
        (add(&node("Pi-9")), "[fleet.node.Pi-9]", "fleet.node.Pi-9", "is not the name of a node"),
        (add(&node("anna")), "[fleet.node.anna]", "fleet.node.anna", "is also the name of a user"),
        (add(&node("relay")), "[fleet.node.relay]", "fleet.node.relay", "choose another one"),
        (add(&node("desk-collect")), "[fleet.node.desk-collect]", "fleet.node.desk-collect", "is the name of a collector"),
        (add(&node("x-collect")), "[fleet.node.x-collect]", "fleet.node.x-collect", "is the name of a collector"),
        (add(&node("pi-01")), "", "", "duplicate key"),
        (add("[fleet.user.anna]\nrole = \"screen\"\n"), "[fleet.user.anna]", "fleet.user.anna", "is in [user.anna] already"),
        (add("[fleet.user.\"a b\"]\nrole = \"screen\"\n"), "[fleet.user.\"a b\"]", "fleet.user", "is not a user name"),
        (add("[fleet.user.x]\nrole = \"king\"\n"), "role = \"king\"", "fleet.user.x.role", "\"king\" is not one of"),
        (add("[fleet.user.x]\n"), "[fleet.user.x]", "fleet.user.x.role", "is missing"),
        (add("[fleet.user.X]\nrole = \"collector\"\n"), "[fleet.user.X]", "fleet.user.X", "a collector publishes under its name"),
        (add("[fleet.node.pi-00]\nboards = [\"3\"]\n"), "boards = [\"3\"]", "fleet.node.pi-02.boards", "board \"3\" is at pi-00"),
        (add("[fleet.node.pi-09]\nboards = [\"9\", \"9\"]\n"), "boards = [\"9\", \"9\"]", "fleet.node.pi-09.boards", "twice"),
        (add("[fleet.node.pi-09]\nboards = []\n"), "boards = []", "fleet.node.pi-09.boards", "is empty"),
        (
            add("[fleet.node.pi-09]\nboards = [\"8\", \"9\"]\n"),
            "boards = [\"8\", \"9\"]",
            "board.8",
            "there are several boards: needs serial",
        ),
        (add("[fleet.node.pi-09]\nboards = [\"a/b\"]\n"), "boards = [\"a/b\"]", "fleet.node.pi-09.boards", "is not an id"),
        (add("[fleet.node.pi-09]\nboards = [\"pgn\"]\n"), "boards = [\"pgn\"]", "fleet.node.pi-09.boards", "another id"),
        (add("[[board]] # the last one\nid = \"9\"\n"), "# the last one", "board.9", "no [fleet.node.NAME] has this board"),
        (
            instead("boards = [\"1\", \"3\"]", "boards = [\"11\"]"),
            "boards = [\"11\"]",
            "user.anna.boards",
            "no [fleet.node.NAME]",
        ),
        (instead("address = \"192.168.1.10\"", "address = \"hall\""), "broker =", "fleet.broker.address", "is not an address"),
        (instead("name = \"hall.local\", ", ""), "broker =", "fleet.broker.name", "is missing"),
        (instead("name = \"hall.local\"", "name = \"a b\""), "broker =", "fleet.broker.name", "is not the name of a machine"),
        (
            instead("address = \"192.168.1.10\"", "address = \"192.168.1.10\", port = 9443"),
            "broker =",
            "fleet.broker.port",
            "where the broker serves pages",
        ),
        (instead("from = \"2025-01-01\"", "from = \"2025-02-30\""), "valid =", "fleet.valid.from", "is not a day"),
        (instead("days = 700", "days = 801"), "valid =", "fleet.valid.days", "from 1 to 800"),
        (instead("ssh-ed25519 AAAA", "mine: AAAA"), "ssh_key =", "fleet.ssh_key", "is not a public key"),
        (instead("relay.example.com:8884", "relay.example.com"), "relay =", "fleet.relay", "with its port"),
        (instead("[fleet]\n", "[fleet]\nnet = \"10.0.0.0/8\"\n"), "net =", "fleet.net", "does not contain"),
        (instead("[fleet]\n", "[fleet]\nnet = \"192.168.1.0/+24\"\n"), "net =", "fleet.net", "is not a network"),
        (instead("[fleet]\n", "[fleet]\npackages = \"/srv/flagfall\"\n"), "packages =", "fleet.packages", "is not the address"),
        (instead("[fleet]\n", "[fleet]\nspares = [\"\"]\n"), "spares =", "fleet.spares", "is empty"),
        (instead("serial = \"24013\"", "white = \"Karl\u{2028}x\""), "white =", "board.2.white", "on one line"),
        (instead("[fleet]\n", "[fleet]\nbrokers = 1\n"), "brokers", "fleet.brokers", "did you mean `broker`?"),
        (instead("serial = \"24013\"", "serial = \"24012\""), "", "board.2.serial", "is that of board \"1\" too"),
        ("[event]\nid = \"e\"\n".to_owned(), "nowhere", "fleet.node", "there is no machine"),
    ] {
        let folder = folder(&text);
        let ran = make(folder.path(), &[]);
        assert_eq!(ran.code, Some(78), "{at} {key}: {}{}", ran.out, ran.err);
        let place = match line(&text, at) {
            _ if at.is_empty() => "event.toml:".to_owned(),
            0 => "event.toml: ".to_owned(),
            line => format!("event.toml:{line}:"),
        };
        let found = ran.err.lines().any(|found| found.contains(&place) && found.contains(key) && found.contains(why));
        assert!(found, "{place} {key} {why}: {}", ran.err);
        assert!(!folder.path().join("OUT").exists(), "nothing is written");
    }
}

#[test]
fn a_spare_board_and_a_number_without_zeros_are_in_the_rights() {
    let text = EVENT.replace("[fleet]\n", "[fleet]\nspares = [\"1099\"]\nhall = \"hall-2\"\n").replace("\"24013\"", "\"1025\"");
    let folder = folder(&text);
    made(folder.path(), &[]);
    let acl = fs::read_to_string(folder.path().join("OUT/hall/mosquitto/acl")).expect("a file");
    let own = acl.split("user ").find(|part| part.starts_with("pi-01\n")).expect("its rights");
    for device in ["dgt-24012", "dgt-01025", "dgt-01099", "board-1", "board-2"] {
        assert!(own.contains(&format!("topic write flagfall/1/device/{device}/#\n")), "{device}: {own}");
    }
    let bridge = fs::read_to_string(folder.path().join("OUT/hall/mosquitto/bridge.conf")).expect("a file");
    assert!(bridge.contains("remote_username hall-2\n") && !bridge.contains("hall-1"), "{bridge}");
}

#[test]
fn the_broker_and_all_machines_have_the_port_of_the_event() {
    let address = "address = \"192.168.1.10\"";
    let folder = folder(&EVENT.replace(address, &format!("{address}, port = 20883")));
    made(folder.path(), &[]);
    let made = files(&folder.path().join("OUT"));
    for (path, (text, _)) in &made {
        let names = match path.rsplit('/').next() {
            Some("flagfall.conf") => text.contains("\nlistener 20883\n"),
            Some("event.toml" | "user-data") => text.contains("port = 20883\n"),
            _ => true,
        };
        let words = || text.split(|c: char| !c.is_ascii_alphanumeric());
        assert!(names && !words().any(|word| word == "8883"), "{path}: {text}");
    }
}

#[test]
fn cards_trust_the_key_of_the_hall_s_packages() {
    let folder = folder(&EVENT.replace("[fleet]\n", "[fleet]\npackages = \"http://192.168.1.10:8000\"\n"));
    let key = folder.path().join("OUT/secrets/packages.asc");
    for (text, why) in [(None, "No such file"), (Some("-----BEGIN PRIVATE KEY-----\n"), "is no public key of OpenPGP")] {
        text.into_iter().for_each(|text| fs::write(&key, text).expect("a file"));
        let ran = make(folder.path(), &[]);
        assert_eq!(ran.code, Some(1), "{}{}", ran.out, ran.err);
        assert!(ran.err.contains("OUT/secrets/packages.asc: ") && ran.err.contains(why), "{}", ran.err);
    }
    fs::write(&key, "-----BEGIN PGP PUBLIC KEY BLOCK-----\n\nmDME\n-----END PGP PUBLIC KEY BLOCK-----\n").expect("a file");
    made(folder.path(), &[]);
    let card = fs::read_to_string(folder.path().join("OUT/node/pi-01/user-data")).expect("a file");
    let source = "- path: /etc/apt/sources.list.d/flagfall.sources\n  permissions: '0644'\n  content: |\n    Types: deb\n    \
                  URIs: http://192.168.1.10:8000\n    Suites: ./\n    Signed-By:\n     -----BEGIN PGP PUBLIC KEY BLOCK-----\n     .\n     \
                  mDME\n     -----END PGP PUBLIC KEY BLOCK-----\n";
    assert!(card.contains(source), "{card}");
}

#[test]
fn the_file_of_a_fleet_is_a_configuration_too() {
    let text =
        EVENT.replace("driver = \"certabo\"\ncalibration_file = \"/etc/flagfall/board-3.calibration\"\n", "serial = \"1\"\n");
    let folder = folder(&text);
    let ran = flagfall_in(folder.path(), &["check-config", "--config", "event.toml"], &[]);
    assert_eq!(ran.code, Some(0), "{}{}", ran.out, ran.err);
    // And so is what each machine gets.
    made(folder.path(), &[]);
    let node = folder.path().join("OUT/node/pi-01");
    let here = [
        ("FLAGFALL__MQTT__CA_FILE", node.join("ca.pem").display().to_string()),
        ("FLAGFALL__MQTT__PASSWORD_FILE", node.join("mqtt.password").display().to_string()),
    ];
    let here: Vec<(&str, &str)> = here.iter().map(|(key, value)| (*key, value.as_str())).collect();
    let ran = flagfall_in(&node, &["check-config", "--json", "--config", "event.toml"], &here);
    assert_eq!(ran.code, Some(0), "{}{}", ran.out, ran.err);
    let report = ran.json();
    assert_eq!((&report["node"], &report["broker"]), (&"pi-01".into(), &"mqtts://192.168.1.10:8883/flagfall".into()));
    assert_eq!(report["users"][0]["boards"], serde_json::json!(["1"]), "of anna's boards those of this machine");
    assert_eq!(report["warnings"], serde_json::json!([]));
}
