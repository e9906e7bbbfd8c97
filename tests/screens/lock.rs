//! The lock screen: nothing of any board on it, for players look at tablets too.

use std::time::Duration;

use serde_json::Value;

use crate::stage::browser::Browser;
use crate::stage::made_up::alert_body;
use crate::stage::room::Room;

/// What a page must not show, or say in its title.
fn nothing_of_a_board(browser: &Browser) {
    let text = browser.get("document.body.textContent + document.title").to_string().to_lowercase();
    for word in ["beispiel", "muster", "1:00:00", "flag", "illegal", "board", "arbiter"] {
        // The event of the room is named, and nothing else.
        assert!(!text.contains(word), "a locked page shows `{word}`: {text}");
    }
    assert_eq!(browser.get("document.querySelectorAll('staff-diagram, .tile, .need').length"), 0);
}

#[test]
fn a_page_that_nobody_touches_is_locked_and_shows_numbers_only() {
    let room = Room::new();
    let Some(browser) = room.browser("lock") else { return };
    room.witness.publish_hall(&["1", "2"]);
    browser.log_in("/arbiter/", "anna");
    browser.shows_in("[data-board='open26/5/1']", "Beispiel");
    // The setting of a new device.
    browser.run("localStorage.removeItem('flagfall-lock-after');", &Value::Null);
    browser.later(Duration::from_secs(61));
    browser.wait("it is locked", "document.querySelector('.locked')");
    browser.shows("open26");
    nothing_of_a_board(&browser);
    room.witness.publish_alert("1", alert_body(1, "illegal_move", "loud"));
    browser.shows_in(".lock-new", "1 new");
    room.witness.publish_alert("2", alert_body(1, "piece_in_hand", "silent"));
    room.witness.publish_alert("2", alert_body(2, "flag", "loud"));
    browser.shows_in(".lock-new", "2 new");
    nothing_of_a_board(&browser);
    browser.is_accessible("the lock screen");
    browser.screenshot("locked");
    browser.keys("1234");
    browser.shows("Wrong PIN. 4 tries left.");
    // Loading it again does not open it.
    browser.open("/arbiter/?board=1&view=board");
    browser.wait("it is locked", "document.querySelector('.locked')");
    nothing_of_a_board(&browser);
    for digit in ["4", "7", "1", "1"] {
        browser.click_nth(".keypad button", digit);
    }
    browser.shows("Board 1");
    browser.screenshot("unlocked");
    browser.keys("L");
    browser.wait("the key locks it at once", "document.querySelector('.locked')");
    for _ in 0..5 {
        browser.keys("0000");
    }
    browser.shows("Five wrong PINs: log in again.");
    browser.wait("nothing is kept", "Object.keys(sessionStorage).length === 0");
}
