//! Messages are untrusted: markup is a text, garbage is counted, and the page lives.

use serde_json::{Value, json};

use crate::stage::browser::Browser;
use crate::stage::made_up::{alert_body, arbiter_body, device, device_body, live_body, plain, state, topic};
use crate::stage::room::Room;
use crate::stage::rulings::proposed;

const MARKUP: &str = "<img src=x onerror=window.test.blocked.push('injected')><b>bold</b>";

#[test]
fn markup_in_names_reasons_and_sentences_stays_text() {
    let room = Room::new();
    let Some(browser) = room.browser("untrusted") else { return };
    room.witness.publish_hall(&["1"]);
    let named = json!({"white": {"name": MARKUP, "title": "WGM"}, "black": {"name": format!("Muster{MARKUP}")}});
    let mut live = live_body();
    live["players"] = named.clone();
    room.witness.publish_live("1", live.clone());
    let mut arbiter = arbiter_body();
    arbiter["players"] = named;
    room.witness.publish(&topic("arbiter", "1", "state"), &state("board.state", "1", arbiter));
    let mut public = state("board.state", "1", live);
    room.witness.publish(&topic("public", "1", "state"), &public);
    public["type"] = "board.clock".into();
    public["body"] = public["body"]["clock"].clone();
    room.witness.publish(&topic("public", "1", "clock"), &public);
    let mut alert = alert_body(1, "flag", "loud");
    alert["sentence"] = MARKUP.into();
    room.witness.publish_alert("1", alert);
    // A kind that this page does not know is shown as a text.
    let mut unknown = alert_body(2, "flag", "loud");
    unknown["kind"] = MARKUP.into();
    room.witness.send(&topic("arbiter", "1", "alert/2"), state("board.alert", "1", unknown).to_string(), true);
    let mut ruling = proposed();
    for field in ["headline", "proposal", "moves", "why", "rules", "line"] {
        ruling["screen"][field] = format!("{field} {MARKUP}").into();
    }
    ruling["screen"]["check"] = json!([MARKUP]);
    ruling["screen"]["choices"][0]["label"] = MARKUP.into();
    room.witness.publish_ruling("1", ruling);
    let mut broken = device_body("1", "online");
    (broken["problem"], broken["firmware"]) = (MARKUP.into(), MARKUP.into());
    room.witness.publish(&device("1"), &plain("device.status", 1, broken));

    browser.log_in("/arbiter/", "anna");
    stays_text(&browser, "hall");
    for place in ["?board=1&view=ruling", "?board=1&view=board&tab=alarms", "?board=1&view=board&tab=moves"] {
        browser.open(&format!("/arbiter/{place}"));
        stays_text(&browser, place);
    }
    for tab in ["setup", "devices", "nodes"] {
        browser.open(&format!("/operations/?tab={tab}"));
        browser.shows_in(".link-state", "live");
        browser.wait("the tab", "document.querySelector('main.ops')");
        no_element(&browser, tab);
    }
    for page in ["/wall/", "/board/?board=1", "/overlay/?board=1&layout=board"] {
        browser.open(page);
        browser.wait("the name", "document.body.textContent.includes('onerror')");
        stays_text(&browser, page);
    }
}

fn stays_text(browser: &Browser, what: &str) {
    browser.wait("the markup is shown as text", "document.body.textContent.includes('onerror')");
    browser.screenshot("markup");
    no_element(browser, what);
}

fn no_element(browser: &Browser, what: &str) {
    let made = browser.get("document.querySelectorAll('img, b > b, [onerror]').length + test.blocked.length");
    assert_eq!(made, 0, "{what}: markup became elements");
}

#[test]
fn garbage_and_wrong_types_are_counted_and_the_page_lives() {
    let room = Room::new();
    let Some(browser) = room.browser("garbage") else { return };
    room.witness.publish_hall(&["1", "2"]);
    browser.log_in("/arbiter/", "anna");
    browser.shows_in("[data-board='open26/5/1']", "Beispiel");
    let at = topic("live", "1", "state");
    let wrong = |change: fn(&mut Value)| {
        let mut message = state("board.state", "1", live_body());
        change(&mut message);
        message.to_string().into_bytes()
    };
    let garbage: [Vec<u8>; 12] = [
        vec![b'x'; 1 << 20],
        format!("{{\"body\":{{\"fen\":\"{}\"}}}}", "1".repeat(1 << 20)).into_bytes(),
        vec![0xff, 0xfe, 0],
        b"[]".to_vec(),
        b"null".to_vec(),
        "[".repeat(50_000).into_bytes(),
        wrong(|message| message["body"]["moves"] = "e4".into()),
        wrong(|message| message["body"]["moves"][0]["san"] = 7.into()),
        wrong(|message| message["body"]["clock"]["white_ms"] = "soon".into()),
        wrong(|message| message["body"]["players"]["white"] = json!(["a"])),
        wrong(|message| message["body"] = json!([1, 2])),
        wrong(|message| message["v"] = "2.0".into()),
    ];
    let count = garbage.len();
    for payload in garbage {
        room.witness.send(&at, payload, false);
    }
    room.witness.send(&topic("arbiter", "1", "ruling"), b"{}".to_vec(), false);
    room.witness.send(&topic("arbiter", "1", "alert/1"), b"{\"v\":\"1.1\"}".to_vec(), false);
    // What comes after them is shown.
    let mut later = live_body();
    later["players"]["white"]["name"] = "Later".into();
    room.witness.publish_live("1", later);
    browser.shows_in("[data-board='open26/5/1']", "Later");
    // Operations say how many; it counts what its own connection brought, so retained garbage is sent for it.
    let at = topic("live", "2", "state");
    browser.open("/operations/?tab=setup");
    browser.shows_in(".link-state", "live");
    // The players of board 2 come by the subscription that is to bring the garbage.
    browser.shows_in(".setup-row", "Anna Beispiel");
    browser.click_nth(".tabs a", "Nodes");
    browser.shows_in(".nodes", "pi-1");
    for _ in 0..count {
        room.witness.send(&at, b"garbage".to_vec(), false);
    }
    browser.shows(&format!("{count} messages not understood"));
    browser.screenshot("counted");
}
