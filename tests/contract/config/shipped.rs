//! The configuration files that come with the program.

use std::path::PathBuf;

use flagfall::config::{Config, Role, load, warnings};

fn shipped(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("config").join(name)
}

#[test]
fn the_keys_of_an_older_version_are_read() {
    let file = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/contract/config/older.toml");
    let config = load(&[file], std::iter::empty()).unwrap_or_else(|errors| panic!("{errors}")).config;
    assert_eq!((config.event.id.as_str(), config.event.delay, config.event.delay_moves), ("open26", 900, 3));
    let ids: Vec<&str> = config.board.iter().map(|board| board.id.as_str()).collect();
    assert_eq!((ids, config.user["anna"].role), (vec!["b12", "b13"], Role::Arbiter));
    assert_eq!(config.board[0].white.as_ref().and_then(|player| player.name.as_deref()), Some("Anna Beispiel"));
    // What the version did not know is off.
    let off = Config::default();
    assert_eq!((config.livechess, config.http, config.screens), (off.livechess, off.http, off.screens));
    assert!(!config.collect.enabled && config.output.is_empty() && !config.event.from_meta);
}

#[test]
fn the_commented_file_is_the_default() {
    let loaded = load(&[shipped("flagfall.toml")], std::iter::empty()).unwrap_or_else(|errors| panic!("{errors}"));
    assert_eq!(loaded.config, Config::default());
}

#[test]
fn the_examples_in_the_commented_file_are_right_too() {
    let text = std::fs::read_to_string(shipped("flagfall.toml")).expect("there");
    let example = |line: &&str| {
        line.starts_with("# [")
            || line.starts_with("# ")
                && line[2..]
                    .split_once(" = ")
                    .is_some_and(|(key, _)| key.bytes().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == b'_'))
    };
    // The files that the examples name do not exist on this machine.
    let opened = text.lines().map(|line| if example(&line) && !line.contains("_file = ") { &line[2..] } else { line });
    let without_broker_user =
        opened.filter(|line| !["[broker.user", "read =", "write =", "public_user ="].iter().any(|key| line.starts_with(key)));
    let whole = without_broker_user.collect::<Vec<_>>().join("\n");
    let (boards, clock) = whole.split_once("[board.clock]").expect("at the end");
    let lines =
        |out: &[&str]| boards.lines().filter(|line| !out.iter().any(|key| line.starts_with(key))).collect::<Vec<_>>().join("\n");
    // A board is connected by its cable or by Bluetooth.
    let wireless =
        lines(&["usb_serial =", "port =", "driver =", "transport ="]).replace("[[board]]", "[[board]]\ndriver = \"dgt_pegasus\"");
    let with_clock = format!("{wireless}\n[board.clock]{clock}").replace("casual = false", "casual = true");
    let with_clock = crate::config::support::config(&[&with_clock], &[]).board.remove(0).clock.expect("a clock");
    assert_eq!((with_clock.driver.as_str(), with_clock.bluetooth.as_deref()), ("dgt3000_gateway", Some("C0:FF:EE:00:30:01")));
    let wireless = crate::config::support::config(&[&wireless], &[]);
    assert_eq!(wireless.board[0].bluetooth.as_deref(), Some("C0:FF:EE:00:10:25"));
    let by_hid = lines(&["serial =", "port =", "bluetooth =", "driver =", "transport ="]);
    let by_hid = crate::config::support::config(
        &[&by_hid.replace("[[board]]", "[[board]]\ndriver = \"chessnut\"\ntransport = \"hid\"")],
        &[],
    );
    assert!(by_hid.board[0].is_hid() && !by_hid.board[0].is_bluetooth());
    let found = crate::config::support::config(&[&lines(&["bluetooth ="])], &[]);
    assert_eq!(found.user["anna"].role, Role::Arbiter);
    assert_eq!((found.board.len(), found.board[0].chess960), (1, Some(true)));
}

#[test]
fn the_example_of_an_event_is_right() {
    let files = [shipped("flagfall.toml"), shipped("event.example.toml")];
    let config = load(&files, std::iter::empty()).unwrap_or_else(|errors| panic!("{errors}")).config;
    assert_eq!((config.event.id.as_str(), config.event.delay, config.board.len()), ("open26", 900, 3));
    assert_eq!(config.user["petra"].role, Role::Chief);
    assert_eq!(warnings(&config), Vec::<String>::new());
}
