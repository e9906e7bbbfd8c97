//! What a page loads, with everything that it loads later: a telephone in a crowded hall must have it in a moment.

use serde_json::{Value, json};

use crate::stage::made_up::{live_body, state, topic};
use crate::stage::room::Room;

/// The most that a page may load, bytes as they are sent.
const MOST: f64 = 200_000.0;
/// The pages, and what each of them shows at the end.
const PAGES: [(&str, &str); 6] = [
    ("/", "main"),
    ("/wall/", ".tile:not(.empty)"),
    ("/board/?board=1", "#stage:not([hidden]) piece"),
    ("/overlay/?board=1", "#stage:not([hidden]) piece"),
    ("/arbiter/?board=1&view=board&tab=do", ".editor"),
    ("/operations/?tab=setup", ".setup-row"),
];

#[test]
fn no_page_loads_more_than_200_kilobytes() {
    let room = Room::new();
    let Some(browser) = room.browser("weight") else { return };
    room.witness.publish_hall(&["1"]);
    room.witness.publish(&topic("public", "1", "state"), &state("board.state", "1", live_body()));
    browser.log_in("/arbiter/", "anna");
    // What an earlier page has loaded counts again.
    browser.cdp("Network.enable", json!({}));
    browser.cdp("Network.setCacheDisabled", json!({"cacheDisabled": true}));
    let mut weights = Vec::new();
    for (page, shown) in PAGES {
        browser.open(page);
        browser.wait("its content", &format!("document.querySelector({})", Value::from(shown)));
        let weight = browser.get(
            "[...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')]
                 .reduce((sum, entry) => sum + entry.encodedBodySize, 0)",
        );
        weights.push((page, weight.as_f64().expect("a number")));
    }
    assert!(weights.iter().all(|(_, weight)| *weight > 1000.0 && *weight <= MOST), "{weights:?}");
}
