//! A later layer replaces values of earlier layers.

use std::path::PathBuf;

use flagfall::config::{Config, Level, Role, WhiteClock};
use flagfall::wire::player::Player;

use crate::config::support::{Folder, config};

#[test]
fn nothing_at_all_is_the_default() {
    assert_eq!(config(&[], &[]), Config::default());
    assert_eq!(config(&["", "# nothing\n"], &[]), Config::default());
}

#[test]
fn later_files_and_then_variables_win_key_by_key() {
    let first = "[event]\nid = \"a\"\nround = \"1\"\ndelay = 5\n[discovery]\nfolders = [\"/a\", \"/b\"]\n";
    let second = "[event]\nround = \"2\"\ndelay = 6\n[discovery]\nfolders = [\"/c\"]\n";
    let found = config(&[first, second], &[("FLAGFALL__EVENT__DELAY", "7"), ("FLAGFALL__Event__Chess960", "true")]);
    assert_eq!((found.event.id.as_str(), found.event.round.as_str(), found.event.delay), ("a", "2", 7));
    assert!(found.event.chess960);
    assert_eq!(found.discovery.folders, [PathBuf::from("/c")]);
}

#[test]
fn a_variable_is_read_as_its_key_wants_it() {
    let found = config(
        &["[user.tom]\nrole = \"operator\"\n"],
        &[
            ("FLAGFALL__EVENT__ROUND", "007"),
            ("FLAGFALL__MQTT__PORT", "1884"),
            ("FLAGFALL__MQTT__RAW", "true"),
            ("FLAGFALL__LOG__LEVEL", "debug"),
            ("FLAGFALL__DISCOVERY__FOLDERS", "/a, /b"),
            ("FLAGFALL__USER__ANNA__ROLE", "chief"),
            ("FLAGFALL__USER__TOM__BOARDS", "b1,b2"),
            ("FLAGFALL__BROKER__WEBSOCKET", ""),
        ],
    );
    assert_eq!(found.event.round, "007");
    assert_eq!((found.mqtt.port, found.mqtt.raw, found.log.level), (Some(1884), true, Level::Debug));
    assert_eq!(found.discovery.folders, [PathBuf::from("/a"), PathBuf::from("/b")]);
    assert_eq!(found.user["anna"].role, Role::Chief);
    assert_eq!((found.user["tom"].role, found.user["tom"].boards.as_slice()), (Role::Operator, &["b1".into(), "b2".into()][..]));
    assert_eq!(found.broker.websocket, "");
}

#[test]
fn an_empty_list_replaces_a_full_one() {
    assert!(config(&["[discovery]\nfolders = []\n"], &[]).discovery.folders.is_empty());
    assert!(config(&[], &[("FLAGFALL__DISCOVERY__FOLDERS", "")]).discovery.folders.is_empty());
}

#[test]
fn boards_of_the_same_id_are_one_board_and_others_are_added() {
    let event = "[[board]]\nid = \"b2\"\nwhite = \"A\"\nport = \"/dev/x\"\n[[board]]\nid = \"b1\"\nserial = \"1\"\n";
    let machine = "[[board]]\nid = \"b3\"\nserial = \"3\"\n[[board]]\nid = \"b2\"\nport = \"/dev/y\"\nwhite_clock = \"left\"\n";
    let found = config(&[event, machine], &[]).board;
    assert_eq!(found.iter().map(|board| board.id.as_str()).collect::<Vec<_>>(), ["b2", "b1", "b3"]);
    assert_eq!(found[0].white, Some(Player::named("A")));
    let event = "[event]\ncasual = true\n[[board]]\nid = \"b1\"\ndriver = \"chessnut\"\nclock.driver = \"dgt3000_gateway\"\n";
    let clock =
        config(&[event, "[[board]]\nid = \"b1\"\nclock.bluetooth = \"x\"\n"], &[]).board.remove(0).clock.expect("a clock");
    assert_eq!((clock.driver.as_str(), clock.bluetooth.as_deref()), ("dgt3000_gateway", Some("x")));
    assert_eq!((found[0].port.clone(), found[0].white_clock), (Some(PathBuf::from("/dev/y")), Some(WhiteClock::Left)));
}

#[test]
fn a_player_is_a_name_or_a_table_and_is_replaced_as_a_whole() {
    let player = |files: &[&str]| config(files, &[]).board.remove(0).white;
    let table = "[[board]]\nid = \"b1\"\nwhite = { name = \"Anna Beispiel\", title = \"WFM\", rating = 2143, federation = \"NED\", \
                 fide_id = 99000001 }\n";
    let anna = Player {
        name: Some("Anna Beispiel".to_owned()),
        title: Some("WFM".to_owned()),
        rating: Some(2143),
        federation: Some("NED".to_owned()),
        fide_id: Some(99_000_001),
    };
    let [name, other] = ["\"Ben\"", "{ name = \"Ben\" }"].map(|text| format!("[[board]]\nid = \"b1\"\nwhite = {text}\n"));
    assert_eq!(player(&[table]), Some(anna.clone()));
    assert_eq!(player(&[&name, table]), Some(anna));
    for later in [&name, &other] {
        assert_eq!(player(&[table, later]), Some(Player::named("Ben")), "Ben does not have Anna's rating");
    }
    assert_eq!(
        player(&["[[board]]\nid = \"b1\"\nwhite.rating = 1800\n"]),
        Some(Player { rating: Some(1800), ..Player::default() })
    );
}

#[test]
fn users_of_several_files_are_one() {
    let found =
        config(&["[user.anna]\nrole = \"arbiter\"\n", "[user.anna]\nboards = [\"b1\"]\n[user.Bob]\nrole = \"chief\"\n"], &[]);
    assert_eq!((found.user["anna"].role, found.user["anna"].boards.len()), (Role::Arbiter, 1));
    assert!(found.user.contains_key("Bob"), "names keep their capital letters");
}

#[test]
fn the_hash_depends_on_the_settings_alone() {
    let hash = |text: &str| Folder::new().load(&[text], &[]).expect("right").hash;
    assert_eq!(hash("[event]\nid = \"a\"\ndelay = 1\n"), hash("# note\n[event]\ndelay = 1\nid = \"a\"\n"));
    assert_ne!(hash("[event]\ndelay = 1\n"), hash("[event]\ndelay = 2\n"));
    assert_eq!(hash(""), hash("[event]\ndelay = 0\n"));
}
