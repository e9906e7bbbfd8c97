//! The sound of loud alarms: after a tap only, on one page only, and until somebody looks.

use std::time::Duration;

use serde_json::Value;

use crate::stage::browser::Browser;
use crate::stage::made_up::alert_body;
use crate::stage::room::Room;

fn tones(browser: &Browser) -> u64 {
    browser.get("test.tones.length").as_u64().expect("a number")
}

#[track_caller]
fn tones_are(browser: &Browser, count: u64, what: &str) {
    browser.wait(&format!("{what}: {count} tones"), &format!("test.tones.length === {count}"));
}

#[test]
fn a_loud_alarm_sounds_after_a_tap_until_somebody_opens_it() {
    let room = Room::new();
    let Some(browser) = room.browser("sound") else { return };
    room.witness.publish_hall(&["1", "2"]);
    browser.log_in("/arbiter/", "anna");
    browser.shows_in("[data-board='open26/5/1']", "Beispiel");
    // Each alarm sounds again after ten and thirty seconds of the page, and this machine may be slow.
    browser.stop_clock();
    room.witness.publish_alert("1", alert_body(1, "illegal_move", "loud"));
    browser.shows_in(".need", "illegal move");
    assert_eq!(tones(&browser), 0, "no sound before the tap");
    browser.wait("the number is in the title", "document.title.startsWith('(1) ')");
    browser.screenshot("asked");
    browser.is_accessible("the question about sound");
    browser.click_nth(".ask-sound button", "Sound on");
    tones_are(&browser, 2, "the tap plays the sound once");
    browser.gone(".ask-sound");
    room.witness.publish_alert("2", alert_body(1, "piece_in_hand", "silent"));
    room.witness.publish_alert("2", alert_body(2, "clock_not_started", "note"));
    room.witness.publish_alert("2", alert_body(3, "flag", "loud"));
    browser.shows_in(".need", "flag");
    tones_are(&browser, 4, "one sound for the loud alarm, none for the others");
    browser.later(Duration::from_secs(11));
    tones_are(&browser, 6, "again after ten seconds");
    // Somebody opens both boards: only what was drawn was seen.
    for _ in 0..2 {
        browser.keys("n");
        browser.wait("a board", "document.querySelector('.board-player')");
        browser.keys(crate::stage::browser::ESCAPE);
        browser.wait("the hall", "document.querySelector('main.hall')");
        browser.keys("j");
        browser.keys("j");
        browser.keys(crate::stage::browser::ENTER);
        browser.wait("the other board", "document.querySelector('.board-player')");
        browser.keys(crate::stage::browser::ESCAPE);
        browser.wait("the hall", "document.querySelector('main.hall')");
    }
    assert_eq!(browser.get("document.title"), "(2) open26", "both are still open");
    browser.later(Duration::from_secs(31));
    browser.wait("it is drawn with that time", "parseInt(document.querySelector('.need-age')?.innerText) >= 42");
    assert_eq!(tones(&browser), 6, "no sound for what was opened");
    // A page that lies on the board's table is heard too, until somebody touches it.
    browser.keys("n");
    browser.wait("a board", "document.querySelector('.board-player')?.innerText.includes('Muster')");
    browser.later(Duration::from_secs(31));
    room.witness.publish_alert("1", alert_body(9, "fivefold_repetition", "loud"));
    tones_are(&browser, 8, "nobody looks");
    browser.keys("f");
    browser.wait("somebody looks", "document.querySelector('.board-player').innerText.includes('Beispiel')");
    browser.keys(crate::stage::browser::ESCAPE);
    // An alarm of a device has lower tones.
    room.witness.publish_alert("1", alert_body(2, "board_lost", "loud"));
    tones_are(&browser, 10, "a device");
    assert_eq!(browser.get("test.tones[9] < test.tones[0]"), true);
    browser.keys("m");
    room.witness.publish_alert("1", alert_body(3, "dead_position", "loud"));
    browser.shows_in(".need", "dead position");
    assert_eq!(tones(&browser), 10, "muted");
    browser.keys("m");
    tones_are(&browser, 12, "on again");
    // The device is not asked again: it sounds from the first tap on.
    browser.open("/arbiter/");
    browser.shows_in(".bell", "off");
    assert_eq!(browser.get("document.querySelector('.ask-sound')"), Value::Null);
    browser.click("h2");
    browser.shows_in(".bell", "on");
    room.witness.publish_alert("1", alert_body(4, "dead_position", "loud"));
    browser.wait("a new alarm sounds", "test.tones.length >= 2");
}

#[test]
fn no_other_page_makes_a_sound() {
    let room = Room::new();
    let Some(browser) = room.browser("silence") else { return };
    room.witness.publish_hall(&["1"]);
    browser.log_in("/operations/?tab=devices", "otto");
    browser.click("main");
    room.witness.publish_alert("1", alert_body(1, "board_lost", "loud"));
    browser.shows_in(".alarm", "Board lost");
    assert_eq!(tones(&browser), 0);
    for page in ["/wall/", "/board/?board=1", "/overlay/?board=1"] {
        browser.open(page);
        browser.wait("the page", "document.body");
        let loads = browser.run_async(
            "const names = performance.getEntriesByType('resource').map(entry => entry.name).filter(name => name.endsWith('.js'));
             const texts = await Promise.all(names.map(name => fetch(name).then(answer => answer.text())));
             return texts.filter(text => text.includes('AudioContext')).length;",
        );
        assert_eq!(loads, 0, "{page} loads no sound");
    }
}
