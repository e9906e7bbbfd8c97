//! What reaches the pages that players may see: no fact that only arbiters may know, in no message and no script.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::flag_to_ruling::{SECONDS, WHITE_FLAG};
use crate::stage::base64;
use crate::stage::browser::Browser;
use crate::stage::daemon::Hall;
use crate::support::mqtt::packets::{Packet, packets};
use crate::support::schemas::arbiters_only::forbidden;

/// An illegal move of Black, which is pressed.
const ILLEGAL: &str = "0.2 set left 0:00:05 right 0:00:05\n1 run\n+0.3 lift e2\n+0.3 place e4\n+0.3 press left\n\
                       +0.3 lift e8\n+0.3 place e6\n+0.3 press right\n+1 stop\n";

/// What the DevTools saw of the pages: the bytes of each WebSocket, and the addresses of what was loaded.
#[derive(Default)]
struct Capture {
    streams: BTreeMap<String, Vec<u8>>,
    loaded: BTreeSet<String>,
}

impl Capture {
    fn take(&mut self, browser: &Browser) {
        for (method, parameters) in browser.network() {
            match method.as_str() {
                "Network.webSocketFrameReceived" => {
                    assert_eq!(parameters["response"]["opcode"], 2, "a frame is binary: {parameters}");
                    let stream = self.streams.entry(parameters["requestId"].to_string()).or_default();
                    base64::decode(parameters["response"]["payloadData"].as_str().unwrap_or_default(), stream);
                }
                "Network.requestWillBeSent" => self.loaded.extend(parameters["request"]["url"].as_str().map(str::to_owned)),
                _ => {}
            }
        }
    }

    /// Topic and payload of every message.
    fn messages(&self) -> Vec<(String, String)> {
        let published = |packet| match packet {
            Packet::Publish { topic, payload, .. } => Some((topic, payload)),
            _ => None,
        };
        self.streams.values().flat_map(|stream| packets(stream)).filter_map(published).collect()
    }
}

#[test]
fn no_message_and_no_script_of_a_page_for_players_says_what_arbiters_know() {
    let hall = Hall::new(&["1", "2"], &["1", "2"], SECONDS);
    let Some(browser) = Browser::with_network("players_see_nothing", hall.address) else { return };
    // A page that is there from the first move on, for each audience; then each other page, which gets what is retained.
    browser.open("/wall/?audience=live");
    browser.wait("the page asks", "document.querySelector('form.login')");
    browser.log_in_to_watch("overlay-1");
    browser.wait("both boards", "document.querySelectorAll('article.tile').length >= 2");
    hall.play(0, WHITE_FLAG);
    hall.play(1, ILLEGAL);
    hall.witness.wait("the flag", "/1/ruling", |message| message["body"]["flag"] == "white");
    hall.witness.wait("the illegal move", "/2/alert/1", |message| message["body"]["kind"] == "illegal_move");
    hall.witness.wait("the public has it", "/public/open26/5/1/state", |message| {
        message["body"]["moves"].as_array().is_some_and(|moves| moves.len() == 3)
    });
    browser.shows("Nf3");
    browser.screenshot("wall-live");
    let mut capture = Capture::default();
    capture.take(&browser);
    assert!(capture.messages().len() > 10, "{} messages were captured", capture.messages().len());
    for audience in ["live", "public"] {
        if audience == "public" {
            // Another screen, on which nobody has logged in.
            browser.run("sessionStorage.clear();", &Value::Null);
        }
        for page in ["/wall/?", "/board/?board=1&", "/overlay/?board=1&layout=board&"] {
            browser.open(&format!("{page}audience={audience}"));
            browser.shows(if page.starts_with("/overlay") { "Wilhelmina" } else { "Nf3" });
            browser.screenshot(&format!("{}-{audience}", page.split('/').nth(1).unwrap_or_default()));
            let before = capture.messages().len();
            capture.take(&browser);
            assert!(capture.messages().len() > before, "{page} {audience}: no message was captured");
        }
    }
    let messages = capture.messages();
    for audience in ["live", "public"] {
        let branch = format!("/{audience}/open26/5/1/state");
        assert!(messages.iter().any(|(topic, _)| topic.ends_with(&branch)), "{audience}");
    }
    for (topic, payload) in &messages {
        let branch = topic.split('/').nth(2).unwrap_or_default();
        assert!(["live", "public", "node", "meta"].contains(&branch), "{topic}");
        let message: Value = serde_json::from_str(payload).unwrap_or_else(|error| panic!("{topic}: {error}: {payload}"));
        let known = if branch == "node" { Vec::new() } else { forbidden(&message) };
        assert!(known.is_empty(), "{topic}: only arbiters may know {known:?}: {payload}");
        assert!(branch != "node" || topic.ends_with("/status"), "{topic}");
    }
    scripts_do_not_name_arbiters(&browser, &capture.loaded);
}

/// Every file that the pages loaded, read again.
fn scripts_do_not_name_arbiters(browser: &Browser, loaded: &BTreeSet<String>) {
    let own = loaded
        .iter()
        .filter(|url| url.starts_with(&browser.origin) && (url.ends_with(".js") || url.ends_with('/') || url.contains('?')));
    let mut count = 0;
    for url in own {
        let path = url.strip_prefix(&browser.origin).unwrap_or_default();
        let text = browser.run_async(&format!("return (await fetch({})).text();", Value::from(path)));
        let text = text.as_str().expect("a text");
        assert!(!text.is_empty() && !text.contains("arbiter"), "{path} names arbiters");
        count += 1;
    }
    assert!(count > 15, "only {count} scripts and pages were seen");
}
