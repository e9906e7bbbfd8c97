use std::collections::BTreeSet;

use flagfall_protocols::square::{Color, Placement};
use serde_json::{Value, json};

use super::*;
use crate::outputs::tap::{ClockPicture, Device, GamePicture};
use crate::wire::meta::MetaRound;
use crate::wire::player::{Pair, Players};

fn programme() -> Programme {
    Programme { event: "open26".to_owned(), round: "5".to_owned(), ..Programme::default() }
}

/// The same event as the organiser publishes it: round 5 with three pairings, of which the last is a forfeit, and round 4.
fn published() -> Programme {
    let event = r#"{"uuid":"6F1C0000-0000-4000-8000-00000000000A","name":"Example Open 2026","site":"Utrecht","country":"NED","rounds":9,
        "round":"5"}"#;
    let round = |text: &str| serde_json::from_str::<MetaRound>(text).expect("a round");
    let present = round(
        r#"{"number":5,"date":"2026-11-21","boards":[
        {"board":"b2","number":1,"white":{"name":"Zwart, Zoe","title":"WFM","federation":"NED","fide_id":99000002},"result":"1-0"},
        {"board":"b9","number":4,"result":"-/+"},
        {"board":"b10","number":3,"black":{"name":"Ben"},"result":"+/-"}]}"#,
    );
    let past = round(r#"{"number":4,"boards":[{"board":"b2","number":1,"white":{"name":"Anna"}}]}"#);
    let won = GamePicture { moves: vec![told("d4", Some(9), 0)], result: Some(GameResult::BlackWins), ..GamePicture::default() };
    Programme {
        published: Some(serde_json::from_str(event).expect("an event")),
        rounds: [("5".to_owned(), present), ("4".to_owned(), past)].into(),
        games: [(("4".to_owned(), "b2".to_owned()), Arc::new(won))].into(),
        ..programme()
    }
}

fn told(san: &str, seconds_left: Option<u32>, seconds_used: u32) -> ToldMove {
    ToldMove { san: san.to_owned(), seconds_left, seconds_used }
}

fn hall() -> Vec<Shown> {
    let white = Player { title: Some("WGM".to_owned()), fide_id: Some(99_000_001), ..Player::named("Beispiel, Anna") };
    let players = Players { white: Some(white), black: None };
    let game = GamePicture {
        round: "5".to_owned(),
        players,
        is_on: true,
        moves: vec![told("e4", Some(5391), 9), told("e5", None, 12)],
        ..GamePicture::default()
    };
    let clock =
        ClockPicture { seconds: Pair { white: 5391, black: 5400 }, running: Some(Color::Black), read_ms: 1_790_000_009_950 };
    let device = Device { online: true, serial: Some("47001".to_owned()), port: Some("ttyACM0".to_owned()), battery: Some(84) };
    let playing =
        Picture { placement: Placement::initial(), clock: Some(clock), game: Arc::new(game), ..Picture::unknown(device) };
    let waiting = GamePicture { round: "5".to_owned(), ..GamePicture::default() };
    let unknown = Picture { game: Arc::new(waiting), ..Picture::unknown(Device::default()) };
    let seat = |id: &str| Seat { id: id.to_owned(), ..Seat::default() };
    vec![Shown { seat: seat("b10"), picture: Arc::new(unknown) }, Shown { seat: seat("b2"), picture: Arc::new(playing) }]
}

fn read(path: &str) -> Value {
    read_of(&programme(), path)
}

fn read_of(programme: &Programme, path: &str) -> Value {
    serde_json::from_str(&get(path, programme, &hall()).unwrap_or_else(|| panic!("nothing at {path}"))).expect("JSON")
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
fn the_organisers_pairings_are_the_tournament() {
    let event = published();
    let uuid = "6f1c0000-0000-4000-8000-00000000000a";
    assert_eq!(read_of(&event, "tournaments"), json!([{"uuid": uuid, "description": "Example Open 2026", "rounds": 9}]));
    let tournament = read_of(&event, &format!("tournament/{uuid}"));
    // Number 2 is nobody's, and the board with number 4 is at another machine.
    assert_eq!(
        tournament,
        json!({"uuid": uuid, "name": "Example Open 2026", "description": "Example Open 2026", "location": "Utrecht",
               "country": "NED", "rounds": 9, "eboards": ["47001", "47001", "b10"]})
    );
    let round = read_of(&event, &format!("round/{uuid}/4"));
    assert_eq!((&round["nr"], &round["date"]), (&json!(5), &json!("2026-11-21")));
    let pairings = round["pairings"].as_array().expect("pairings");
    let shown: Vec<Value> = pairings.iter().map(|one| json!([one["nr"], one["uuid"], one["live"], one["result"]])).collect();
    assert_eq!(
        shown,
        [
            json!([1, "6f1c0000-0000-4000-8000-000000050001", true, null]),
            json!([3, "6f1c0000-0000-4000-8000-000000050003", false, "WHITEFORFAIT"]),
        ]
    );
    assert_eq!(
        pairings[0]["white"],
        json!({"fname": "Zoe", "mname": null, "lname": "Zwart", "title": "WFM", "federation": "NED", "gender": null,
               "fideid": "99000002"})
    );
    let game = read_of(&event, "game/6f1c0000-0000-4000-8000-000000050001");
    assert_eq!((&game["moves"], &game["result"]), (&json!(["e4 5391", "e5 +12"]), &Value::Null));
    // A round that was played, and one that has no pairings yet.
    let past = read_of(&event, &format!("round/{uuid}/3"));
    assert_eq!((&past["pairings"][0]["result"], &past["pairings"][0]["live"]), (&json!("BLACKWIN"), &json!(false)));
    let game = read_of(&event, "game/6f1c0000-0000-4000-8000-000000040001");
    assert_eq!((&game["moves"], &game["clock"], &game["result"]), (&json!(["d4 9"]), &Value::Null, &json!("BLACKWIN")));
    assert_eq!(read_of(&event, &format!("round/{uuid}/8")), json!({"nr": 9, "date": null, "pairings": []}));
    assert_eq!(get(&format!("round/{uuid}/9"), &event, &hall()), None);
    // Where all boards of the event are offered, so is the pairing of a board that nobody has.
    let whole = Programme { is_whole: true, ..event };
    let round = read_of(&whole, &format!("round/{uuid}/4"));
    assert_eq!((&round["pairings"][2]["nr"], &round["pairings"][2]["result"]), (&json!(4), &json!("BLACKFORFAIT")));
}

#[test]
fn strange_paths_are_nothing() {
    for path in [
        "",
        "eboards/",
        "round/x/0",
        "game/",
        "game/x",
        "tournament/x",
        "../eboards",
        "round",
        "game/\u{e9}\u{e9}\u{e9}\u{e9}\u{e9}\u{e9}\u{e9}\u{e9}\u{e9}\u{e9}\u{e9}\u{e9}\u{e9}\u{e9}\u{e9}\u{e9}\u{e9}\u{e9}",
    ] {
        assert_eq!(get(path, &programme(), &hall()), None, "{path}");
    }
    assert_eq!(get("eboards", &programme(), &[]), Some("[]".to_owned()));
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
