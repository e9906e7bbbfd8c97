use std::sync::Arc;

use flagfall_protocols::square::Placement;
use serde_json::json;

use super::*;
use crate::outputs::tap::{Device, Seat};

const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

fn board(id: &str, online: bool, serial: Option<&str>) -> Shown {
    let device = Device { online, serial: serial.map(str::to_owned), ..Device::default() };
    let picture = Picture { placement: Placement::initial(), ..Picture::unknown(device) };
    let seat = Seat { id: id.to_owned(), transport: "serial".to_owned(), ..Seat::default() };
    Shown { seat, picture: Arc::new(picture) }
}

fn hall() -> Vec<Shown> {
    vec![board("b10", true, Some("10010")), board("b2", false, None), board("b3", true, Some("10003"))]
}

/// What the client is sent, each as response, id and parameter.
fn said(session: &mut Session, text: &str) -> Vec<(String, Value, Value)> {
    let messages = session.handle(text, &hall(), Now { at: Instant(0), utc_ms: 5 });
    let read = |text: String| {
        let mut message: Value = serde_json::from_str(&text).expect("JSON");
        assert_eq!(message["time"], 5);
        (message["response"].as_str().expect("a word").to_owned(), message["id"].take(), message["param"].take())
    };
    messages.into_iter().map(read).collect()
}

#[test]
fn a_client_plays_as_the_known_pages_do() {
    let mut session = Session::default();
    let boards = &said(&mut session, r#"{"id":1,"call":"eboards"}"#)[0];
    let serials: Vec<&Value> = boards.2.as_array().expect("a list").iter().map(|board| &board["serialnr"]).collect();
    assert_eq!(
        (boards.0.as_str(), &boards.1, serials),
        ("call", &json!(1), vec![&json!("10003"), &json!("10010"), &json!("b2")])
    );
    let subscribe = r#"{"id":2,"call":"subscribe","param":{"feed":"eboardevent","id":1,"param":{"serialnr":"10003"}}}"#;
    let answers = said(&mut session, subscribe);
    assert_eq!((&answers[0], answers[1].0.as_str()), (&("call".to_owned(), json!(2), Value::Null), "feed"));
    assert_eq!(session.boards(), BTreeSet::from(["b3".to_owned()]));
    let set_up = format!(r#"{{"id":3,"call":"call","param":{{"id":1,"method":"setup","param":{{"fen":"{START}"}}}}}}"#);
    let answers = said(&mut session, &set_up);
    assert_eq!(
        (answers[0].1.clone(), answers[1].2["san"].clone(), answers[1].2["match"].clone()),
        (json!(3), json!([]), json!(true))
    );
    let answers = said(&mut session, r#"{"id":"4","call":"unsubscribe","param":{"id":1}}"#);
    assert_eq!(answers, [("call".to_owned(), json!("4"), Value::Null)]);
    assert!(session.boards().is_empty());
}

#[test]
fn mistakes_of_known_clients_do_not_end_a_feed() {
    let mut session = Session::default();
    // No board: the first of the list. No feed id: 0.
    assert_eq!(said(&mut session, r#"{"id":1,"call":"subscribe","param":{"feed":"eboardevent"}}"#)[1].2["serialnr"], "10003");
    for flip in [
        r#"{"id":2,"call":"call","param":{"id":0,"method":"setup","param":{"flip":true}}}"#,
        r#"{"id":2,"call":"call","param":{"id":0,"method":"flip","param":{"fen":false}}}"#,
        r#"{"id":2,"call":"call","param":{"id":"0","method":"flip","param":{"flip":true}}}"#,
    ] {
        let answers = said(&mut session, flip);
        assert_eq!((answers[0].0.as_str(), answers.len()), ("call", 2), "{flip}");
    }
    // A feed that is opened again begins again.
    let again = r#"{"id":3,"call":"subscribe","param":{"feed":"eboardevent","id":0,"param":{"serialnr":"b2"}}}"#;
    assert_eq!(said(&mut session, again)[1].2["serialnr"], "b2");
    assert_eq!(session.boards(), BTreeSet::from(["b2".to_owned()]));
    let sources = said(&mut session, r#"{"id":4,"call":"sources","param":null}"#);
    assert_eq!(
        sources[0].2[0],
        json!({"type": "serial", "device": "", "name": null, "present": false, "active": true, "status": null})
    );
}

/// Only the board's own machine sees the men between two moves.
#[test]
fn a_board_elsewhere_has_no_line_of_moves() {
    let mut boards = hall();
    boards.iter_mut().for_each(|shown| shown.seat.is_elsewhere = true);
    let mut session = Session::default();
    let mut said = |text: &str| -> Vec<Value> {
        let messages = session.handle(text, &boards, Now::default());
        messages.iter().map(|text| serde_json::from_str(text).expect("JSON")).collect()
    };
    let first = said(r#"{"id":1,"call":"subscribe","param":{"id":1,"param":{"serialnr":"10003"}}}"#);
    assert_eq!(first[1]["param"]["board"], "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR");
    for (method, param) in [("setup", format!(r#"{{"fen":"{START}"}}"#)), ("flip", r#"{"flip":true}"#.to_owned())] {
        let answers = said(&format!(r#"{{"id":7,"call":"call","param":{{"id":1,"method":"{method}","param":{param}}}}}"#));
        let message = answers[0]["param"]["message"].as_str().unwrap_or_default();
        assert!(answers[0]["response"] == "error" && message.contains("only at the board's own machine"), "{answers:?}");
    }
    assert_eq!(said(r#"{"id":8,"call":"sources"}"#)[0]["param"], json!([]));
    assert_eq!(said(r#"{"id":9,"call":"unsubscribe","param":{"id":1}}"#)[0]["response"], "call");
}

#[test]
fn every_refusal_is_an_error_with_the_id_of_the_call() {
    let mut session = Session::default();
    said(&mut session, r#"{"id":1,"call":"subscribe","param":{"id":1}}"#);
    for bad in [
        r#"{"id":9,"call":"teapot"}"#,
        r#"{"id":9,"call":"subscribe","param":{"feed":"other","id":1}}"#,
        r#"{"id":9,"call":"subscribe","param":{"id":1,"param":{"serialnr":"nobody"}}}"#,
        r#"{"id":9,"call":"subscribe","param":{"id":1,"param":{"serialnr":5}}}"#,
        r#"{"id":9,"call":"subscribe","param":7}"#,
        r#"{"id":9,"call":"subscribe","param":{"id":[[]]}}"#,
        r#"{"id":9,"call":"unsubscribe"}"#,
        r#"{"id":9,"call":"unsubscribe","param":{"id":7}}"#,
        r#"{"id":9,"call":"call","param":{"id":1}}"#,
        r#"{"id":9,"call":"call","param":{"id":1,"method":"beep"}}"#,
        r#"{"id":9,"call":"call","param":{"id":7,"method":"flip","param":{"flip":true}}}"#,
        r#"{"id":9,"call":"call","param":{"id":1,"method":"flip"}}"#,
        r#"{"id":9,"call":"call","param":{"id":1,"method":"setup","param":{"fen":true}}}"#,
        r#"{"id":9,"call":"call","param":{"id":1,"method":"setup","param":{"fen":"8/8/8/8/8/8/8/8 w - - 0 1"}}}"#,
    ] {
        let answers = said(&mut session, bad);
        assert_eq!((answers.len(), answers[0].0.as_str(), &answers[0].1), (1, "error", &json!(9)), "{bad}");
        assert!(answers[0].2["message"].as_str().is_some_and(|message| !message.is_empty()), "{bad}");
    }
    assert_eq!(said(&mut session, "{")[0].1, Value::Null);
    for id in 2..=MAX_FEEDS {
        assert_eq!(said(&mut session, &format!(r#"{{"id":5,"call":"subscribe","param":{{"id":{id}}}}}"#))[0].0, "call");
    }
    assert_eq!(said(&mut session, r#"{"id":5,"call":"subscribe","param":{"id":99}}"#)[0].0, "error");
    let nobody = session.handle(r#"{"id":5,"call":"subscribe","param":{"id":1}}"#, &[], Now::default());
    assert!(nobody[0].contains("there is no board"), "{nobody:?}");
}
