//! The lock screen: nothing of any board on it, for players look at tablets too.

use std::time::Duration;

use serde_json::Value;

use crate::stage::browser::Browser;
use crate::stage::made_up::alert_body;
use crate::stage::room::Room;
use crate::stage::rulings;

/// What a page must not show, or say in its title.
fn nothing_of_a_board(browser: &Browser) {
    let text = browser.get("document.body.textContent + document.title").to_string().to_lowercase();
    for word in ["beispiel", "muster", "1:00:00", "flag", "illegal", "board", "arbiter"] {
        // The event of the room is named, and nothing else.
        assert!(!text.contains(word), "a locked page shows `{word}`: {text}");
    }
    assert_eq!(browser.get("document.querySelectorAll('staff-diagram, .tile, .need').length"), 0);
}

/// The number of open needs is in the title and in the icon.
fn counts(browser: &Browser, number: u32) {
    browser.wait("the title", &format!("document.title === '({number}) open26'"));
    let icon = "decodeURIComponent(document.querySelector('link[rel=icon]').href)";
    browser.wait("the icon", &format!("{icon}.startsWith('data:image/svg+xml,') && {icon}.includes('>{number}</text>')"));
}

#[test]
fn a_page_that_nobody_touches_is_locked_and_shows_numbers_only() {
    let room = Room::new();
    let Some(browser) = room.browser("lock") else { return };
    room.witness.publish_hall(&["1", "2"]);
    browser.log_in("/arbiter/", "anna");
    browser.shows_in("[data-board='open26/5/1']", "Beispiel");
    browser.stop_clock();
    // The five minutes begin here, not when the page was loaded: this machine may be slow.
    browser.run("dispatchEvent(new PointerEvent('pointerdown'));", &Value::Null);
    // The setting of a new device.
    browser.run("localStorage.removeItem('flagfall-lock-after');", &Value::Null);
    browser.later(Duration::from_secs(280));
    room.witness.publish_alert("1", alert_body(1, "illegal_move", "loud"));
    browser.shows_in(".need", "illegal move");
    counts(&browser, 1);
    // Five minutes are over, and the need is new: somebody is about to look.
    browser.later(Duration::from_secs(30));
    browser.wait("half a minute passed", "parseInt(document.querySelector('.need-age').innerText) >= 30");
    assert_eq!(browser.get("document.querySelector('.locked')"), Value::Null, "it waits for whoever comes to look");
    browser.later(Duration::from_secs(31));
    browser.wait("it is locked", "document.querySelector('.locked')");
    browser.shows("open26");
    // What was open before counts as what comes later.
    browser.shows_in(".lock-open", "1 open");
    counts(&browser, 1);
    nothing_of_a_board(&browser);
    room.witness.publish_alert("2", alert_body(1, "piece_in_hand", "silent"));
    room.witness.publish_alert("2", alert_body(2, "flag", "loud"));
    browser.shows_in(".lock-open", "2 open");
    counts(&browser, 2);
    nothing_of_a_board(&browser);
    // Two boards of one node are lost at one moment, and one of them again later: two causes.
    let losses = [("1", 7, 0), ("2", 7, 1), ("2", 8, 600)];
    let now = alert_body(7, "board_lost", "loud")["opened_at"].as_u64().expect("a time");
    for (board, id, seconds) in losses {
        let mut lost = alert_body(id, "board_lost", "loud");
        lost["opened_at"] = (now + seconds * 1_000_000).into();
        room.witness.publish_alert(board, lost);
    }
    browser.shows_in(".lock-open", "4 open");
    counts(&browser, 4);
    for (board, id, _) in losses {
        let mut back = alert_body(id, "board_lost", "loud");
        back["status"] = "cured".into();
        room.witness.publish_alert(board, back);
    }
    browser.shows_in(".lock-open", "2 open");
    browser.is_accessible("the lock screen");
    browser.screenshot("locked");
    browser.keys("1234");
    browser.shows("Wrong PIN. 4 tries left.");
    // Loading it again does not open it.
    browser.open("/arbiter/?board=1&view=board");
    browser.wait("it is locked", "document.querySelector('.locked')");
    browser.shows_in(".lock-open", "2 open");
    nothing_of_a_board(&browser);
    // The page of operations has the same lock.
    browser.open("/operations/");
    browser.wait("it is locked", "document.querySelector('.locked')");
    browser.shows_in(".lock-open", "2 open");
    browser.wait("the title", "document.title === '(2) flagfall · operations'");
    browser.open("/arbiter/?board=1&view=board");
    browser.wait("it is locked", "document.querySelector('.locked')");
    for digit in ["4", "7", "1", "1"] {
        browser.click_nth(".keypad button", digit);
    }
    browser.shows("Board 1");
    browser.screenshot("unlocked");
    // A new need of the board that somebody looked at half a minute ago is a new need.
    room.witness.publish_ruling("1", rulings::proposed());
    browser.click_nth(".to-board", "Ruling");
    browser.stop_clock();
    browser.run("localStorage.setItem('flagfall-lock-after', '60');", &Value::Null);
    browser.later(Duration::from_secs(40));
    room.witness.publish_alert("1", alert_body(7, "flag", "loud"));
    counts(&browser, 3);
    browser.later(Duration::from_secs(30));
    browser.wait("the page counts on", "/^(1:[1-5]|[2-9]:\\d)\\d/.test(document.querySelector('.age').innerText)");
    assert_eq!(browser.get("document.querySelector('.locked')"), Value::Null, "it waits for whoever comes to look");
    browser.keys("L");
    browser.wait("the key locks it at once", "document.querySelector('.locked')");
    for _ in 0..5 {
        browser.keys("0000");
    }
    browser.shows("Five wrong PINs: log in again.");
    browser.wait("nothing is kept", "Object.keys(sessionStorage).length === 0");
}

#[test]
fn the_pin_opens_the_page_where_it_was() {
    let room = Room::new();
    let Some(browser) = room.browser("lock-where") else { return };
    let boards: Vec<String> = (1..=60).map(|number| number.to_string()).collect();
    room.witness.publish_hall(&boards.iter().map(String::as_str).collect::<Vec<_>>());
    room.witness.publish_ruling("1", rulings::proposed());
    let open_again = || {
        browser.wait("it is locked", "document.querySelector('.locked')");
        nothing_of_a_board(&browser);
        browser.run("localStorage.setItem('flagfall-lock-after', '0');", &Value::Null);
        browser.keys("4711");
        browser.gone(".locked");
    };
    browser.phone(390, 844);
    browser.log_in("/arbiter/", "anna");
    browser.wait("all boards", "document.querySelectorAll('.tile').length === 60");
    browser.click_nth(".chip", "Playing");
    browser.wait("the filter", "document.querySelector('.chip[aria-pressed=true]').innerText.includes('Playing')");
    browser.run("scrollTo(0, 700);", &Value::Null);
    browser.keys("L");
    open_again();
    browser.wait("the filter is kept", "document.querySelector('.chip[aria-pressed=true]').innerText.includes('Playing')");
    browser.wait("the list stands where it stood", "Math.abs(scrollY - 700) < 3");
    browser.open("/arbiter/?board=1&view=ruling");
    browser.click("#choice-goes-on:enabled");
    browser.fill("dialog[open] .reason input", "seen");
    browser.run("localStorage.setItem('flagfall-lock-after', '300');", &Value::Null);
    browser.later(Duration::from_secs(301));
    open_again();
    browser.wait("the sheet is in front of the page", "document.querySelector('dialog:modal .reason input')?.value === 'seen'");
    browser.wait("and the hand where it was", "document.activeElement?.matches('.reason input')");
    browser.click("dialog button.primary:enabled");
    assert_eq!(room.witness.command("reject", 1).message["reason"], "seen");
}
