use std::collections::BTreeSet;

use flagfall_protocols::square::{Color, Placement};
use serde_json::{Value, json};

use super::*;
use crate::outputs::tap::{ClockPicture, Device};
use crate::wire::player::{Pair, Players};

fn place() -> Place {
    Place { event: "open26".to_owned(), round: "5".to_owned() }
}

fn hall() -> Vec<Shown> {
    let white = Player { title: Some("WGM".to_owned()), fide_id: Some(99_000_001), ..Player::named("Beispiel, Anna") };
    let players = Players { white: Some(white), black: None };
    let told = |san: &str, seconds_left, seconds_used| ToldMove { san: san.to_owned(), seconds_left, seconds_used };
    let game =
        GamePicture { is_on: true, moves: vec![told("e4", Some(5391), 9), told("e5", None, 12)], ..GamePicture::default() };
    let clock =
        ClockPicture { seconds: Pair { white: 5391, black: 5400 }, running: Some(Color::Black), read_ms: 1_790_000_009_950 };
    let device = Device { online: true, serial: Some("47001".to_owned()), port: Some("ttyACM0".to_owned()), battery: Some(84) };
    let playing =
        Picture { placement: Placement::initial(), clock: Some(clock), game: Arc::new(game), ..Picture::unknown(device) };
    let seat = |id: &str, players| Seat { id: id.to_owned(), transport: "serial".to_owned(), players };
    vec![
        Shown { seat: seat("b10", Players::default()), picture: Arc::new(Picture::unknown(Device::default())) },
        Shown { seat: seat("b2", players), picture: Arc::new(playing) },
    ]
}

fn read(path: &str) -> Value {
    serde_json::from_str(&get(path, &place(), &hall()).unwrap_or_else(|| panic!("nothing at {path}"))).expect("JSON")
}

fn keys(value: &Value) -> BTreeSet<&str> {
    value.as_object().expect("an object").keys().map(String::as_str).collect()
}

/// A known client fails if a key is missing or added.
#[test]
fn the_keys_are_exactly_those_that_clients_know() {
    let boards = read("eboards");
    let first = json!({"serialnr": "47001", "source": "ttyACM0", "state": "ACTIVE", "battery": "84%", "comment": null,
        "board": "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR", "flipped": false,
        "clock": {"white": 5391, "black": 5400, "run": false, "time": 1_790_000_009_950_i64}});
    assert_eq!(boards[0], first);
    assert_eq!(
        (&boards[1]["state"], &boards[1]["clock"], &boards[1]["serialnr"]),
        (&json!("NOTRESPONDING"), &Value::Null, &json!("b10"))
    );
    let tournaments = read("tournaments");
    assert_eq!(keys(&tournaments[0]), BTreeSet::from(["uuid", "description", "rounds"]));
    let uuid = tournaments[0]["uuid"].as_str().expect("a uuid").to_owned();
    let tournament = read(&format!("tournament/{uuid}"));
    assert_eq!(keys(&tournament), BTreeSet::from(["uuid", "name", "description", "location", "country", "rounds", "eboards"]));
    assert_eq!(tournament["eboards"], json!(["47001", "b10"]));
    let round = read(&format!("round/{uuid}/0"));
    assert_eq!((keys(&round), &round["nr"]), (BTreeSet::from(["nr", "date", "pairings"]), &json!(5)));
    let pairing = &round["pairings"][0];
    assert_eq!(keys(pairing), BTreeSet::from(["nr", "uuid", "white", "black", "live", "result"]));
    assert_eq!(
        pairing["white"],
        json!({"fname": "Anna", "mname": null, "lname": "Beispiel", "title": "WGM", "federation": null,
        "gender": null, "fideid": "99000001"})
    );
    assert_eq!((&pairing["black"]["lname"], &pairing["live"]), (&json!("Black 1"), &json!(true)));
    let game = pairing["uuid"].as_str().expect("a uuid");
    assert_eq!((game.len(), &game[28..]), (36, "00050001"));
    let game = read(&format!("game/{game}"));
    assert_eq!(keys(&game), BTreeSet::from(["chess960", "result", "comment", "clock", "moves"]));
    assert_eq!((&game["moves"], &game["chess960"]), (&json!(["e4 5391", "e5 +12"]), &json!(518)));
}

#[test]
fn strange_paths_are_nothing() {
    for path in ["", "eboards/", "round/x/0", "game/", "game/x", "tournament/x", "../eboards", "round"] {
        assert_eq!(get(path, &place(), &hall()), None, "{path}");
    }
    assert_eq!(get("eboards", &place(), &[]), Some("[]".to_owned()));
}

#[test]
fn start_positions_have_their_numbers() {
    for (rank, number) in [
        ("RNBQKBNR", Some(518)),
        ("BBQNNRKR", Some(0)),
        ("RKRNNQBB", Some(959)),
        ("RNBKQBNR", Some(534)),
        ("RNBQKBN", None),
        ("KRRNNQBB", None),
        ("BQBNNRKR", None),
        ("4K3", None),
        ("", None),
    ] {
        assert_eq!(scharnagl(rank), number, "{rank}");
    }
    assert_eq!(start_number("4k3/8/8/8/8/8/8/4K3 w - - 0 1"), 518);
}
