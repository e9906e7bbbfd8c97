//! Every kind of alarm: its words, and whether the hall shows it.

use serde_json::{Value, json};

use crate::stage::made_up::{alert_body, arbiter_body, state, topic};
use crate::stage::room::Room;

/// The kinds of the schema.
fn kinds() -> Vec<String> {
    let schema: Value = serde_json::from_str(include_str!("../../config/schema/board.alert.json")).expect("a schema");
    let kinds = schema["$defs"]["AlarmKind"]["oneOf"].as_array().expect("kinds");
    kinds.iter().map(|kind| kind["const"].as_str().expect("a kind").to_owned()).collect()
}

#[test]
fn every_kind_has_words_and_its_class_says_who_sees_it() {
    let room = Room::new();
    let Some(browser) = room.browser("every_alarm") else { return };
    let kinds = kinds();
    assert!(kinds.len() > 40, "{kinds:?}");
    room.witness.publish_hall(&["1", "2", "3"]);
    let publish = |board: &str, id: u64, body: Value| {
        let topic = topic("arbiter", board, &format!("alert/{id}"));
        room.witness.send(&topic, state("board.alert", board, body).to_string(), true);
    };
    for (board, class) in [("1", "loud"), ("2", "silent"), ("3", "note")] {
        for (id, kind) in (1..).zip(&kinds) {
            room.witness.publish_alert(board, alert_body(id, kind, class));
        }
        // A later version of the node may have kinds that this page does not know.
        let mut later = alert_body(99, "flag", class);
        later["kind"] = "kind_of_next_year".into();
        publish(board, 99, later);
        room.witness.publish(&topic("arbiter", board, "state"), &state("board.state", board, arbiter_body()));
    }
    browser.log_in("/arbiter/", "anna");
    let count = kinds.len() + 1;
    browser.wait("every loud alarm has a row", &format!("document.querySelectorAll('.need').length === {count}"));
    browser.shows_in(".need", "Kind of next year");
    browser.wait("nothing of silent ones", "[...document.querySelectorAll('.need-board')].every(one => one.innerText === '1')");
    for board in ["2", "3"] {
        let tile = format!("[data-board='open26/5/{board}']");
        // The rows are painted at once, and what the tiles say may come a moment later.
        browser.shows_in(&tile, "Beispiel");
        let word = browser.get(&format!("document.querySelector(\"{tile} .tile-word\").innerText"));
        assert_eq!(word, "", "the tile of board {board} is silent about its alarms");
    }
    browser.screenshot("hall");
    browser.is_accessible("a hall with every alarm");
    let words = browser.run_async("return (await import('/js/staff/words.js')).ALARMS;");
    let mut known: Vec<String> = words.as_object().expect("a table").keys().cloned().collect();
    let mut expected = kinds.clone();
    known.sort();
    expected.sort();
    assert_eq!(known, expected, "words.js and the schema");
    for (board, sign) in [("1", "go to the board"), ("2", "do not walk over"), ("3", "for the record")] {
        browser.open(&format!("/arbiter/?board={board}&view=board&tab=alarms"));
        browser.wait("all alarms", &format!("document.querySelectorAll('.alarm').length === {count}"));
        browser.wait(sign, &format!("[...document.querySelectorAll('.alarm-class')].every(one => one.innerText === '{sign}')"));
        let shown = browser.get("[...document.querySelectorAll('.alarm-title')].map(one => one.innerText.toLowerCase())");
        let shown: Vec<&str> = shown.as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        for kind in &kinds {
            let title = words[kind]["title"].as_str().expect("a title");
            assert!(!title.contains('_') && !title.is_empty(), "{kind}");
            assert!(shown.iter().any(|one| one.contains(&title.to_lowercase())), "{title} is not among {shown:?}");
        }
        browser.screenshot(&format!("board-{board}"));
        browser.is_accessible("the alarms of a board");
    }
    the_desk(&browser, &words, &kinds);
}

/// Some kinds are for the desk, others are about devices.
fn the_desk(browser: &crate::stage::browser::Browser, words: &Value, kinds: &[String]) {
    let of = |mark: &str| kinds.iter().filter(|kind| words[*kind][mark] == json!(true)).count();
    browser.open("/operations/?tab=moves");
    let desk = 3 * of("desk");
    browser.wait("moves to check", &format!("document.querySelectorAll('.desk p b').length === {desk}"));
    browser.screenshot("desk");
    browser.open("/operations/?tab=devices");
    let devices = 3 * of("device");
    browser.wait("alarms of devices", &format!("document.querySelectorAll('.alarm').length === {devices}"));
    browser.is_accessible("devices");
    browser.screenshot("devices");
}
