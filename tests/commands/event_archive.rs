//! `flagfall event archive` with a real mosquitto.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use crate::event_command::{CONFIG, done, login, refused, with_round_1};
use crate::support::mqtt::{Mosquitto, publish};

/// Publishes what a node keeps of a board: its state for arbiters and for the live audience, and its PGN.
fn play_board(port: u16, board: &str, more: &Value) {
    let played = |ply: u64, san: &str| json!({"ply": ply, "san": san, "white_ms": 5_390_000, "black_ms": 5_380_000, "made_at": [ply, ply]});
    let mut body = json!({"game_no": 1, "initial_fen": "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
                          "moves": [played(1, "e4"), played(2, "e5")], "pending": [played(3, "Nf3")], "result": "0-1"});
    for (key, value) in more.as_object().expect("fields") {
        body[key] = value.clone();
    }
    let t = json!({"us": 2_000_000, "utc": "2026-11-21T13:02:11.412Z", "sync": "ntp"});
    let state = json!({"game": format!("open26-1-{board}-g1"), "rev": 4, "t": t, "body": body});
    publish(port, &format!("flagfall/1/arbiter/open26/1/{board}/state"), &state.to_string(), &["-r"]);
    let live = json!({"game": format!("open26-1-{board}-g1"), "rev": 4, "body": {
        "game_no": 1, "initial_fen": body["initial_fen"], "moves": [played(1, "d4")], "result": "1/2-1/2"}});
    publish(port, &format!("flagfall/1/live/open26/1/{board}/state"), &live.to_string(), &["-r"]);
    publish(port, &format!("flagfall/1/live/open26/1/{board}/pgn"), &format!("[Event \"{board}\"]\n\n*\n"), &["-r"]);
}

#[test]
fn the_record_of_a_round_is_kept_in_a_folder_or_what_is_missing_is_named() {
    // Like the rules of config/mosquitto: somebody who may read everything, and an organiser who may not read arbiter/.
    let acl = "topic write flagfall/#\ntopic read flagfall/1/live/#\ntopic read flagfall/1/meta/#\nuser chief\ntopic readwrite flagfall/#\n";
    let Some(broker) = Mosquitto::with_files("listener TCP 127.0.0.1\nallow_anonymous true\nacl_file DIR/acl", &[("acl", acl)])
    else {
        return;
    };
    let (folder, port) = (with_round_1(), broker.port());
    let here = folder.path();
    login(here, port);
    fs::write(here.join("password"), "any").expect("a file");
    set_private(&here.join("password"));
    let password = here.join("password");
    let chief = format!("[mqtt]\nhost = \"127.0.0.1\"\nport = {port}\nuser = \"chief\"\npassword_file = {password:?}\n");
    fs::write(here.join("chief.toml"), chief).expect("a file");
    let words = |config: &'static str, more: &[&'static str]| [&["archive", "--round", "1", CONFIG, config], more].concat();
    refused(here, &["archive", "--round", "7", CONFIG, "o.toml"], "round 7 has no pairings");
    let finding = json!({"finding": {"id": 4, "kind": "flag_fall"},
        "decisions": [{"number": 1, "kind": "confirmed", "result": "0-1", "finding": {"id": 4, "revision": 2}, "at": 9}]});
    play_board(port, "1", &finding);
    refused(here, &words("o.toml", &[]), "right to read flagfall/1/arbiter/#");
    refused(here, &words("chief.toml", &[]), "board 2: there is no state for arbiters, and the pairing has no result");
    assert!(!here.join("open26-round-1").exists(), "nothing is written");
    let said = done(here, &words("chief.toml", &["--incomplete", "--into", "part"]));
    assert!(said.contains("part: 1 games, 1 with a result") && said.contains("board 2: there is no state"), "{said}");

    for (more, why) in [
        (json!({"moves_from": 5, "parts": {"total": 1, "sum": 7}}), "board 2: the broker does not have all its moves"),
        (json!({"moves": 7}), "board 2: its state for arbiters cannot be read"),
    ] {
        play_board(port, "2", &more);
        refused(here, &words("chief.toml", &[]), why);
    }
    play_board(port, "2", &json!({"unpublished": "after_the_round", "game_no": 2}));
    play_board(port, "3", &json!({}));
    let said = done(here, &words("chief.toml", &[]));
    for line in
        ["open26-round-1: 2 games, 2 with a result", "board 2: another game is on the board", "board 3: it has no pairing"]
    {
        assert!(said.contains(line), "{line}: {said}");
    }
    let kept = |name: &str| fs::read_to_string(here.join("open26-round-1").join(name)).expect(name);
    let games = kept("games.pgn");
    for text in [
        "[White \"Beispiel, Anna\"]",
        "[UTCTime \"13:02:09\"]",
        "[GameId \"open26-1-1\"]\n[Termination \"time forfeit\"]\n\n1. e4 {[%clk 1:29:50]} 1... e5",
        "2. Nf3 {[%clk 1:29:50]} 0-1\n\n[Event",
        "[GameId \"open26-1-2\"]\n\n1. d4 {[%clk 1:29:50]} 1/2-1/2\n",
    ] {
        assert!(games.contains(text), "{text}: {games}");
    }
    assert_eq!(kept("board-3.pgn"), "[Event \"3\"]\n\n*\n");
    let state: Value = serde_json::from_str(&kept("board-1.json")).expect("JSON");
    assert_eq!(state["body"]["decisions"][0]["kind"], "confirmed");
    // The same again changes nothing, and a forfeit needs no state.
    done(here, &words("chief.toml", &[]));
    assert_eq!(kept("games.pgn"), games);
    for audience in ["arbiter", "live"] {
        publish(port, &format!("flagfall/1/{audience}/open26/1/2/state"), "", &["-r"]);
    }
    done(here, &["result", "2", "+/-", CONFIG, "chief.toml"]);
    let said = done(here, &words("chief.toml", &["--into", "forfeit"]));
    assert!(said.contains("forfeit: 2 games, 2 with a result"), "{said}");
    assert!(fs::read_to_string(here.join("forfeit/games.pgn")).expect("a file").contains("\n\n{forfeit} 1-0\n"));
}

/// Only the owner may read it, as files of passwords must be.
fn set_private(path: &Path) {
    use std::os::unix::fs::PermissionsExt as _;
    fs::set_permissions(path, fs::Permissions::from_mode(0o600)).expect("set");
}
