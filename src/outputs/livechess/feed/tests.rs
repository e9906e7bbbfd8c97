use serde_json::{Value, json};
use shakmaty::Position;
use shakmaty::san::SanPlus;

use super::*;
use crate::outputs::tap::{Device, Seat};
use crate::system_clock::MonotonicTime;
use crate::wire::player::Pair;

const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

fn at(ms: u64) -> Now {
    Now { at: Instant(ms * 1000), utc_ms: ms as i64 }
}

fn after(moves: &str) -> Placement {
    let mut position = Chess::default();
    for text in moves.split_whitespace() {
        let san: SanPlus = text.parse().expect("SAN");
        position.play_unchecked(san.san.to_move(&position).expect("legal"));
    }
    Placement::parse(&position.board().board_fen().to_string()).expect("a placement")
}

/// A picture of a board that shows this placement since `ms`.
fn picture(placement: Placement, ms: u64) -> Arc<Picture> {
    let device = Device { online: true, serial: Some("24012".to_owned()), ..Device::default() };
    Arc::new(Picture { number: ms, placement, since: MonotonicTime(ms * 1000), ..Picture::unknown(device) })
}

fn feed() -> Feed {
    Feed::new("1", Shown { seat: Seat::default(), picture: picture(Placement::initial(), 0) })
}

/// The parameters of messages, all of which are of feed 1.
fn params(messages: &[String]) -> Vec<Value> {
    let param = |text: &String| {
        let mut message: Value = serde_json::from_str(text).expect("JSON");
        assert_eq!((&message["response"], &message["id"]), (&json!("feed"), &json!(1)), "{text}");
        message["param"].take()
    };
    messages.iter().map(param).collect()
}

#[test]
fn the_keys_stand_in_their_order_and_absent_is_not_null() {
    let mut feed = feed();
    let board = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR";
    let first = format!(
        r#"{{"response":"feed","id":1,"param":{{"serialnr":"24012","flipped":false,"board":"{board}","clock":null}},"time":7}}"#
    );
    assert_eq!(feed.wake(at(7)), [first]);
    assert!(feed.wake(at(8)).is_empty());
    let set_up = format!(
        r#"{{"response":"feed","id":1,"param":{{"serialnr":"24012","flipped":false,"start":"{START}","san":[],"match":true}},"time":9}}"#
    );
    assert_eq!(feed.set_up(START, at(9)), Ok(vec![set_up]));
    let e4 = feed.see(&picture(after("e4"), 1_000), at(1_001));
    let key = |key: &str| params(&e4)[0].get(key).cloned();
    assert_eq!((key("san"), key("match"), key("clock")), (None, Some(json!(false)), None));
    assert_eq!(feed.deadline(), Some(at(1_300).at));
    let settled = feed.wake(at(1_300));
    assert_eq!(params(&settled), [json!({"serialnr": "24012", "flipped": false, "start": START, "san": ["e4"], "match": true})]);
}

#[test]
fn a_move_that_replaces_another_comes_as_two_messages() {
    let mut feed = feed();
    assert!(feed.set_up(START, at(0)).is_ok());
    feed.see(&picture(after("e4"), 1_000), at(1_300));
    feed.see(&picture(after("e4 e6"), 2_000), at(2_300));
    let moved_on = params(&feed.see(&picture(after("e4 e5"), 3_000), at(3_300)));
    assert_eq!((moved_on.len(), moved_on[0].get("san"), &moved_on[0]["match"]), (1, None, &json!(false)));
    let corrected = params(&feed.wake(at(4_000)));
    let lists: Vec<_> = corrected.iter().map(|param| (param["san"].clone(), param["match"].clone())).collect();
    assert_eq!(lists, [(json!(["e4"]), json!(false)), (json!(["e4", "e5"]), json!(true))]);
    let back = params(&feed.see(&picture(after(""), 5_000), at(6_000)));
    assert_eq!(back.iter().map(|param| param["san"].clone()).collect::<Vec<_>>(), [json!([])]);
}

#[test]
fn a_clock_is_sent_when_it_shows_something_else() {
    let mut feed = feed();
    feed.wake(at(0));
    let with_clock = |ms: u64, white, running| {
        let clock = ClockPicture { seconds: Pair { white, black: 60 }, running, read_ms: ms as i64 };
        Arc::new(Picture { clock: Some(clock), ..(*picture(Placement::initial(), ms)).clone() })
    };
    let clock = |messages: Vec<String>| params(&messages).first().map(|param| param["clock"].clone());
    let first = clock(feed.see(&with_clock(1, 59, Some(Color::White)), at(1)));
    assert_eq!(first, Some(json!({"white": 59, "black": 60, "run": true, "time": 1})));
    assert_eq!(clock(feed.see(&with_clock(2, 59, Some(Color::White)), at(2))), None);
    let stopped = clock(feed.see(&with_clock(3, 59, None), at(3)));
    assert_eq!(stopped, Some(json!({"white": 59, "black": 60, "run": null, "time": 3})));
    let turned = params(&feed.turn(true, at(4)));
    assert_eq!((&turned[0]["flipped"], &turned[0]["clock"]["white"]), (&json!(true), &json!(60)));
    assert_eq!(turned[0]["board"], "RNBKQBNR/PPPPPPPP/8/8/8/8/pppppppp/rnbkqbnr");
    assert_eq!(clock(feed.see(&picture(Placement::initial(), 5), at(5))), Some(Value::Null));
}

#[test]
fn a_picture_that_waited_is_not_shown_after_a_later_one() {
    let mut feed = feed();
    feed.wake(at(0));
    assert_eq!(feed.see(&picture(after("e4 e5"), 20), at(20)).len(), 1);
    assert!(feed.see(&picture(after("e4"), 10), at(21)).is_empty());
}

#[test]
fn positions_of_clients_are_read_with_patience_and_others_are_errors() {
    for fen in [
        START,
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR",
        "8/8/8/4k3/8/8/4P3/4K3 b - - 0 1",
        "bbqnnrkr/pppppppp/8/8/8/8/PPPPPPPP/BBQNNRKR w HFhf - 0 1",
    ] {
        assert!(position(fen).is_ok(), "{fen}: {:?}", position(fen));
    }
    for fen in
        ["", "8/8/8/8/8/8/8/8 w - - 0 1", "x", "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR z", "kk6/8/8/8/8/8/8/K7 w - - 0 1"]
    {
        assert!(position(fen).is_err(), "{fen}");
    }
}
