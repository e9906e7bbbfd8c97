//! The overlay of a stream: transparent, without scroll bars, and without a clock that is wrong.

use std::time::Duration;

use serde_json::{Value, json};

use crate::stage::browser::Browser;
use crate::stage::made_up::{FEN, live_body, state, topic};
use crate::stage::room::Room;

/// The places of the layouts as README.md has them: left, top, width, height in a scene of 1920 x 1080.
fn places() -> Vec<(String, [u64; 4])> {
    let readme = include_str!("../../README.md");
    let row = |line: &str| {
        let cells: Vec<&str> = line.split('|').map(str::trim).collect();
        let layout = cells.get(1)?.strip_prefix('`')?.strip_suffix('`')?;
        let ((left, top), (width, height)) = (cells.get(2)?.split_once(", ")?, cells.get(3)?.split_once(" x ")?);
        let numbers: Vec<u64> = [left, top, width, height].iter().filter_map(|number| number.parse().ok()).collect();
        Some((layout.to_owned(), numbers.try_into().ok()?))
    };
    readme.lines().filter_map(row).collect()
}

/// The smallest rectangle with all that is painted: left, top, width, height.
fn painted(browser: &Browser) -> [u64; 4] {
    let found = browser.run_async(&format!(
        "const picture = new Image();
         picture.src = 'data:image/png;base64,{}';
         await picture.decode();
         const canvas = Object.assign(document.createElement('canvas'), {{ width: picture.width, height: picture.height }});
         const context = canvas.getContext('2d');
         context.drawImage(picture, 0, 0);
         const {{ data }} = context.getImageData(0, 0, picture.width, picture.height);
         let [left, top, right, bottom] = [picture.width, picture.height, -1, -1];
         for (let index = 0; index < data.length / 4; index += 1) {{
           if (data[4 * index + 3] === 0) continue;
           const [x, y] = [index % picture.width, Math.floor(index / picture.width)];
           [left, top, right, bottom] = [Math.min(left, x), Math.min(top, y), Math.max(right, x), Math.max(bottom, y)];
         }}
         return [left, top, right - left + 1, bottom - top + 1];",
        browser.picture()
    ));
    serde_json::from_value(found).expect("four numbers")
}

/// A game of 61 half-moves, whose newest moves have as many letters as a move can have.
fn long_game() -> Value {
    let sans = ["Qa1xb2+", "exd8=Q+", "Nf3", "O-O-O"];
    let moves: Vec<Value> = (1..=61)
        .map(|ply| json!({"ply": ply, "san": sans[(ply + 3) % 4], "uci": "e7e5", "white_ms": 3_600_000, "black_ms": 3_540_000}))
        .collect();
    let players = json!({"white": {"name": "Beispiel, Anna", "title": "WIM", "federation": "GER", "rating": 2143},
        "black": {"name": "Nepomniachtchi, Ian", "title": "GM", "federation": "FID"}});
    let mut body = live_body();
    (body["moves"], body["players"]) = (moves.into(), players);
    body
}

#[test]
fn each_layout_has_its_place_and_drops_clocks_that_are_out_of_date() {
    let room = Room::new();
    let Some(browser) = room.browser("overlay") else { return };
    room.witness.publish_hall(&["1"]);
    let body = long_game();
    room.witness.publish(&topic("public", "1", "clock"), &state("board.clock", "1", body["clock"].clone()));
    room.witness.publish(&topic("public", "1", "state"), &state("board.state", "1", body));
    browser.cdp("Emulation.setDefaultBackgroundColorOverride", json!({"color": {"r": 0, "g": 0, "b": 0, "a": 0}}));
    browser.scene(1920, 1080);
    let places = places();
    assert_eq!(places.len(), 4, "{places:?}");
    for (layout, place) in &places {
        browser.open(&format!("/overlay/?board=1&audience=public&layout={layout}"));
        browser.shows(if layout == "moves" { "Qa1xb2+" } else { "GM Nepomniachtchi" });
        // All is painted in its place and fills it, so every other row and column of pixels is transparent.
        assert_eq!(painted(&browser), *place, "{layout}");
        let whole = "[...document.querySelectorAll('.newest, .between, .clock .value, .extra')].every(one =>
            one.scrollWidth <= one.clientWidth || getComputedStyle(one).display === 'inline')
            && document.documentElement.scrollWidth <= innerWidth && document.documentElement.scrollHeight <= innerHeight";
        assert_eq!(browser.get(whole), true, "{layout}: nothing is cut, and there is no scroll bar");
        let people = browser.text();
        assert!(layout == "moves" || people.contains("WIM Beispiel, Anna") && people.contains("GER"), "{layout}: {people}");
        browser.screenshot(layout);
    }
    let inside = "(one => { const { right, bottom } = one.getBoundingClientRect();
        const place = document.querySelector('.on-air').getBoundingClientRect();
        return one.scrollWidth <= one.clientWidth && right <= place.right && bottom <= place.bottom; })";
    let shown = |query: &str| {
        browser.open(&format!("/overlay/?board=1&audience=public&layout=moves{query}"));
        browser.shows_in(".newest", "Qa1xb2+");
        assert_eq!(browser.get(&format!("{inside}(document.querySelector('.newest'))")), true, "the newest move is whole");
        browser.get("['.newest', '.move'].map(css => getComputedStyle(document.querySelector(css)).color)")
    };
    let usual = shown("");
    assert_eq!(shown("&accent=f80&text=0A0b0C&ground=fff"), json!(["rgb(255, 136, 0)", "rgb(10, 11, 12)"]));
    // What is no colour changes nothing.
    assert_eq!(shown("&accent=red&text=url%28x%29&ground=fff%3Bcolor%3Ared"), usual);
    browser.scene(1280, 720);
    browser.open("/overlay/?board=1&audience=public&layout=board");
    browser.shows("GM Nepomniachtchi");
    let [left, top, ..] = painted(&browser);
    assert!((42..=43).contains(&left) && (37..=38).contains(&top), "a smaller scene has smaller places: {left} {top}");
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
    browser.shows("Nepomniachtchi");
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
