//! Tests what a node believes of the organiser's messages, and what they change.

use super::*;
use crate::config::Event;

fn event(rev: u64, round: &str, more: &str) -> String {
    format!(
        r#"{{"v":"1.1","type":"meta.event","rev":{rev},"body":{{"uuid":"{}","name":"x","rounds":9,"round":"{round}"{more}}}}}"#,
        "a".repeat(32)
    )
}

fn round(rev: u64, number: u32, boards: &str) -> String {
    format!(r#"{{"v":"1.1","type":"meta.round","rev":{rev},"body":{{"number":{number},"boards":[{boards}]}}}}"#)
}

const EVENT: &str = "flagfall/1/meta/open26";

fn received(messages: &[(&str, String)]) -> Received {
    let mut received = Received::new("flagfall", "open26", None);
    for (topic, payload) in messages {
        received.receive(&format!("{EVENT}{topic}"), payload.as_bytes()).unwrap_or_else(|error| panic!("{error}"));
    }
    received
}

fn applied(more: &str, boards: &str, config: &Config) -> Result<Config, MetaError> {
    let received = received(&[("/2", round(1, 2, boards)), ("", event(1, "2", more))]);
    received.published().expect("both are here").apply(config)
}

#[test]
fn an_event_is_there_when_its_round_is() {
    let mut received = received(&[("", event(3, "2", "")), ("/1", round(3, 1, ""))]);
    assert_eq!(received.published(), None);
    received.receive(&format!("{EVENT}/2"), round(3, 2, "").as_bytes()).expect("good");
    let before = received.published().expect("whole");
    // A message again, a deleted one and one of another event change nothing.
    received.receive(EVENT, event(3, "2", "").as_bytes()).expect("the same");
    received.receive(&format!("{EVENT}/2"), b"").expect("deleted");
    assert_eq!(received.published().as_ref(), Some(&before));
    // What is wrong or old changes nothing, also after a restart.
    for mut received in [received, Received::new("flagfall", "open26", Some(before.clone()))] {
        for (topic, payload) in [
            ("", event(2, "1", "")),
            ("", event(3, "1", "")),
            ("", event(4, "../1", "")),
            ("", event(4, "1", r#","delay":100000"#)),
            ("", "{".to_owned()),
            ("/2", round(2, 2, r#"{"board":"1","number":1}"#)),
            ("/2", round(4, 2, r#"{"board":"1","number":1},{"board":"1","number":2}"#)),
            ("/2", round(4, 2, r#"{"board":"1","number":1,"white":{"name":"a\u0007b"}}"#)),
            ("/2", round(4, 2, r#"{"board":"1","number":1,"white":{"name":""}}"#)),
            ("/2", round(4, 2, r#"{"board":"1","number":1,"black":{"federation":"ned"}}"#)),
            ("/2", round(4, 2, r#"{"board":"1","number":1,"black":{"title":"Grandmaster"}}"#)),
            ("/2", round(4, 2, r#"{"board":"1","number":1,"games":99}"#)),
            ("/2", event(4, "1", "")),
        ] {
            received.receive(&format!("{EVENT}{topic}"), payload.as_bytes()).expect_err(&payload);
            assert_eq!(received.published().as_ref(), Some(&before), "{payload}");
        }
    }
}

#[test]
fn the_organiser_sets_the_round_its_rules_and_its_players_and_can_only_delay_more() {
    let mut config = Config { board: vec![Board { id: "7".to_owned(), ..Board::default() }], ..Config::default() };
    config.event.delay = 600;
    config.board[0].time_control = Some("300".to_owned());
    let more = r#","delay":60,"delay_moves":3,"time_control":"5400+30","profile":"fide-2023-rapid","chess960":true"#;
    let boards = r#"{"board":"7","number":7,"white":{"name":"Anna"},"black":{"name":"Ben"}}"#;
    let said = applied(more, boards, &config).expect("possible");
    assert_eq!((said.event.round.as_str(), said.event.delay, said.event.delay_moves), ("2", 600, 3));
    assert_eq!((said.event.profile.as_str(), said.event.chess960), ("fide-2023-rapid", true));
    assert_eq!((said.event.time_control.as_deref(), &said.board[0].time_control), (Some("5400+30"), &None));
    assert_eq!((&said.board[0].white, said.board[0].games), (&Some(Player::named("Anna")), Some(1)));
    // What the organiser does not say stays, and players of a round before do not.
    config.board[0].white = Some(Player::named("Zoe"));
    let said = applied("", r#"{"board":"8","number":8}"#, &config).expect("possible");
    assert_eq!((said.board[0].time_control.as_deref(), &said.board[0].white), (Some("300"), &None));
    for more in [r#","time_control":"90min""#, r#","profile":"chess""#] {
        applied(more, boards, &config).expect_err(more);
    }
}

#[test]
fn where_a_round_has_pairings_no_other_board_has_a_game_of_it() {
    let board = |id: &str| Board { id: id.to_owned(), games: Some(3), ..Board::default() };
    let config = Config { board: vec![board("1"), board("2")], ..Config::default() };
    let said = |boards: &str| applied("", boards, &config).expect("possible");
    let games = |config: &Config| config.board.iter().map(|board| board.games).collect::<Vec<_>>();
    let (none, one) = (said(""), said(r#"{"board":"1","number":1}"#));
    assert_eq!((games(&none), games(&one)), (vec![Some(3); 2], vec![Some(1), Some(0)]));
    // Board 2 is paired: that must not wait. Other names may.
    let both = said(r#"{"board":"1","number":1},{"board":"2","number":2}"#);
    let named = said(r#"{"board":"1","number":1,"white":{"name":"Anna"}}"#);
    let waits = [(&one, &both), (&both, &one), (&none, &one), (&one, &named)];
    assert_eq!(waits.map(|(before, after)| pairs_other_boards(before, after)), [true, true, true, false]);
    let next = Config { event: Event { round: "3".to_owned(), ..both.event.clone() }, ..both };
    assert!(!pairs_other_boards(&one, &next), "a new round waits");
}

#[test]
fn a_device_serves_the_board_to_which_it_is_bound() {
    let board = |id: &str, serial: &str| Board { id: id.to_owned(), serial: Some(serial.to_owned()), ..Board::default() };
    let config = Config { board: vec![board("1", "24012"), board("2", "24013")], ..Config::default() };
    let ids =
        |boards: &str| applied("", boards, &config).map(|config| config.board.iter().map(|board| board.id.clone()).collect());
    let swapped = r#"{"board":"2","number":2,"device":"dgt-24012"},{"board":"1","number":1,"device":"dgt-24013"}"#;
    assert_eq!(ids(swapped), Ok(vec!["2".to_owned(), "1".to_owned()]));
    assert_eq!(ids(r#"{"board":"9","number":9,"device":"dgt-24013"}"#), Ok(vec!["1".to_owned(), "9".to_owned()]));
    assert_eq!(ids(r#"{"board":"9","number":9,"device":"dgt-024013"}"#), Ok(vec!["1".to_owned(), "9".to_owned()]));
    // Another node's device.
    assert_eq!(ids(r#"{"board":"1","number":1,"device":"dgt-9"}"#), Ok(vec!["1".to_owned(), "2".to_owned()]));
    assert!(ids(r#"{"board":"1","number":1,"device":"dgt-24013"}"#).is_err(), "two devices for one board");
}
