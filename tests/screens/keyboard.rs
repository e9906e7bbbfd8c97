//! The arbiters' page without a pointer.

use serde_json::Value;

use crate::stage::browser::{ENTER, ESCAPE, TAB};
use crate::stage::made_up::{alert_body, live_body};
use crate::stage::room::Room;
use crate::stage::rulings;

/// From now on a typed number waits for Enter however busy the machine is, not for two and a half seconds.
const NUMBER_STAYS: &str = "
    test.waits = 0;
    const set = window.setTimeout;
    window.setTimeout = (act, after, ...more) => {
        if (after !== 2500) return set(act, after, ...more);
        test.waits += 1;
        return 0;
    };";

#[test]
fn the_hall_is_walked_with_keys_and_letters_are_dead_in_fields() {
    let room = Room::new();
    let Some(browser) = room.browser("keyboard") else { return };
    let boards: Vec<String> = (1..=40).map(|number| number.to_string()).collect();
    room.witness.publish_hall(&boards.iter().map(String::as_str).collect::<Vec<_>>());
    for board in ["3", "17"] {
        room.witness.publish_alert(board, alert_body(1, "flag", "loud"));
        room.witness.publish_ruling(board, rulings::proposed());
    }
    browser.log_in("/arbiter/", "anna");
    browser.wait(
        "all boards",
        "document.querySelectorAll('.tile').length === 40 && document.querySelectorAll('.need').length === 2",
    );
    browser.keys("n");
    browser.shows_in("h1", "WHITE FLAG");
    browser.keys("o");
    browser.wait("Other has the focus", "document.activeElement?.id === 'choice-other'");
    browser.keys("g");
    browser.wait("Goes on has the focus", "document.activeElement?.id === 'choice-goes-on'");
    assert_eq!(
        browser.get("document.querySelector('dialog')"),
        Value::Null,
        "a letter puts the focus somewhere, and fires nothing"
    );
    browser.keys(ESCAPE);
    browser.wait("the hall", "document.querySelector('main.hall')");
    browser.run(NUMBER_STAYS, &Value::Null);
    browser.keys("17");
    browser.shows("Board 17 ↵");
    browser.keys(ENTER);
    assert_eq!(browser.get("test.waits"), 2, "each digit begins the wait for the next one, which does not end here");
    browser.shows_in("h1", "Board 17");
    browser.keys(ESCAPE);
    browser.wait("the hall", "document.querySelector('main.hall')");

    browser.keys("/");
    browser.wait("the search has the focus", "document.activeElement?.id === 'search'");
    browser.keys("Ln?m1");
    browser.wait("letters are text in a field", "document.activeElement?.value === 'Ln?m1'");
    assert_eq!(browser.get("document.querySelectorAll('.locked, .help, .typed').length"), 0);
    browser.keys(ESCAPE);
    browser.run(
        "const field = document.getElementById('search'); field.value = ''; field.dispatchEvent(new Event('input'));",
        &Value::Null,
    );
    let mut body = live_body();
    body["players"]["white"]["name"] = "Ünlü, Łukasz Çağrı".into();
    body["players"]["black"]["name"] = "Sørensen, Đorđe".into();
    room.witness.publish_live("5", body);
    for words in ["unlu", "lukasz cagri", "SORENSEN", "đor", "Ünl"] {
        browser.fill("#search", words);
        browser.wait(
            &format!("`{words}` finds board 5"),
            "document.querySelectorAll('.tile').length === 1 && document.querySelector('.tile [data-board=\"open26/5/5\"]')",
        );
    }
    browser.run(
        "const field = document.getElementById('search'); field.value = ''; field.dispatchEvent(new Event('input')); field.blur();",
        &Value::Null,
    );
    browser.keys("?");
    browser.shows_in(".help", "Keys");
    browser.is_accessible("the list of keys");
    browser.keys(ESCAPE);
    browser.gone(".help");

    // What has the focus is never under a bar, on a telephone with a list that sticks to the top.
    browser.phone(390, 844);
    browser.wait("the page has turned", "innerWidth === 390");
    browser.run("document.activeElement?.blur(); scrollTo(0, 0);", &Value::Null);
    for step in 0..30 {
        browser.keys(TAB);
        let covered = browser.get(
            "(() => {
                 const element = document.activeElement;
                 const { left, top, width, height } = element.getBoundingClientRect();
                 const seen = document.elementFromPoint(left + width / 2, top + height / 2);
                 return element.contains(seen) || seen?.contains(element) ? '' : `${element.outerHTML.slice(0, 120)} under ${seen?.outerHTML.slice(0, 120)}`;
             })()",
        );
        assert_eq!(covered, "", "step {step}");
    }
    browser.screenshot("focus");
}
