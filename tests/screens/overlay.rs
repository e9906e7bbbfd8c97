//! The overlay of a stream: transparent, without scroll bars, and without a clock that is wrong.

use std::time::Duration;

use serde_json::{Value, json};

use crate::stage::made_up::{FEN, live_body, state, topic};
use crate::stage::room::Room;

#[test]
fn it_is_transparent_and_drops_clocks_that_are_out_of_date() {
    let room = Room::new();
    let Some(browser) = room.browser("overlay") else { return };
    room.witness.publish_hall(&["1"]);
    let body = live_body();
    room.witness.publish(&topic("public", "1", "clock"), &state("board.clock", "1", body["clock"].clone()));
    room.witness.publish(&topic("public", "1", "state"), &state("board.state", "1", body));
    browser.cdp("Emulation.setDefaultBackgroundColorOverride", json!({"color": {"r": 0, "g": 0, "b": 0, "a": 0}}));
    for layout in ["clocks", "strip", "moves", "board"] {
        browser.open(&format!("/overlay/?board=1&audience=public&layout={layout}"));
        browser.shows(if layout == "moves" { "e5" } else { "Muster" });
        let alpha = browser.run_async(&format!(
            "const picture = new Image();
             picture.src = 'data:image/png;base64,{}';
             await picture.decode();
             const canvas = Object.assign(document.createElement('canvas'), {{ width: picture.width, height: picture.height }});
             const context = canvas.getContext('2d');
             context.drawImage(picture, 0, 0);
             const {{ data }} = context.getImageData(0, 0, picture.width, picture.height);
             let painted = 0;
             for (let index = 3; index < data.length; index += 4) if (data[index] > 200) painted += 1;
             return [data[3], data[4 * picture.width - 1], painted];",
            browser.picture()
        ));
        assert_eq!((&alpha[0], &alpha[1]), (&json!(0), &json!(0)), "{layout}: both upper corners are transparent");
        assert!(alpha[2].as_u64() > Some(500), "{layout}: something is drawn: {alpha}");
        let room_left =
            "document.documentElement.scrollWidth <= innerWidth && document.documentElement.scrollHeight <= innerHeight";
        assert_eq!(browser.get(room_left), true, "{layout}: no scroll bar");
        browser.screenshot(layout);
    }
    browser.draws(".with-board", FEN);
    let clocks = "[...document.querySelectorAll('.clock')].some(one => getComputedStyle(one).visibility === 'visible')";
    assert_eq!(browser.get(clocks), true);
    room.proxy.close();
    browser.wait("the connection is lost", "true");
    browser.later(Duration::from_secs(20));
    assert_eq!(browser.get("document.querySelector('dialog, form, .banner')"), Value::Null, "nothing else comes on air");
    // The page notices the loss at its next look, and counts from there.
    browser.wait("time passes", &format!("(test.later += 5000) && !({clocks})"));
    browser.draws(".with-board", FEN);
    browser.shows("Muster");
    browser.screenshot("without-clocks");
    room.proxy.open();
    browser.wait("the clocks are back", &format!("(test.later = 0, {clocks})"));
}

#[test]
fn nothing_is_drawn_before_the_first_state() {
    let room = Room::new();
    let Some(browser) = room.browser("overlay-empty") else { return };
    browser.open("/overlay/?board=1&audience=public&layout=board");
    browser
        .wait("it is connected", "performance.getEntriesByType('resource').some(entry => entry.name.endsWith('/config.json'))");
    assert_eq!(browser.text().trim(), "");
    assert_eq!(browser.get("document.querySelectorAll('dialog, form').length"), 0);
}
