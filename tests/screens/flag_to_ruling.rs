//! From a flag on an emulated board to the arbiter's decision, with keys only.

use serde_json::Value;

use crate::stage::browser::{ENTER, ESCAPE, TAB};
use crate::stage::daemon::Hall;

/// Both have [`SECONDS`]. White makes a second move, does not press, and the flag falls.
pub(crate) const WHITE_FLAG: &str = "0.2 set left 0:00:05 right 0:00:05\n1 run\n+0.3 lift e2\n+0.3 place e4\n+0.3 press left\n\
                                     +0.3 lift e7\n+0.3 place e5\n+0.3 press right\n+0.3 lift g1\n+0.3 place f3\n+8 stop\n";
pub(crate) const SECONDS: u32 = 5;

#[test]
fn an_arbiter_decides_a_flag_with_keys_only() {
    let hall = Hall::new(&["1", "2"], &["1", "2"], SECONDS);
    let Some(browser) = hall.browser("flag_to_ruling") else { return };
    browser.log_in("/arbiter/", "anna");
    browser.shows_in("[data-board='open26/5/1']", "set up");
    hall.play(0, WHITE_FLAG);
    browser.shows_in(".need", "White flag");
    browser.shows_in(".need", "Go and stop the clocks.");
    browser.shows_in("[data-board='open26/5/1']", "White flag");
    browser.screenshot("hall");
    let ruling = hall.witness.wait("the answer about 6.9", "/1/ruling", |message| {
        message["body"]["screen"]["choices"][0]["verb"] == "confirm" && message["body"]["winnable"]["verdict"] != "pending"
    });
    browser.keys("n");
    browser.shows_in("h1", "Board 1 · WHITE FLAG");
    browser.shows_in(".proposal", "BLACK WINS");
    browser.shows_in(".moves-done", "NOT PRESSED");
    // The diagram is the position that counts, not what the live audience sees.
    let position = ruling["body"]["position"].as_str().expect("a position");
    browser.draws(".positions staff-diagram", position);
    let observed = browser.get("document.querySelector('.observed input').value");
    browser.screenshot("ruling");

    browser.wait("Confirm is enabled", "document.querySelector('#choice-confirm:enabled')");
    browser.keys("c");
    browser.wait("Confirm has the focus", "document.activeElement?.id === 'choice-confirm'");
    browser.keys(ENTER);
    browser.wait("the sheet is open", "document.querySelector('dialog[open] button.primary:enabled')");
    browser.screenshot("sheet");
    if browser.get("document.activeElement?.matches('dialog button.primary')") != true {
        browser.keys(TAB);
    }
    // An impatient hand: the command is sent once.
    browser.keys(&[ENTER, ENTER].concat());
    let decided = hall.witness.wait("the decision", "/1/ruling", |message| !message["body"]["decision"].is_null());
    let decision = &decided["body"]["decision"];
    assert_eq!((&decision["by"], &decision["result"]), (&Value::from("anna"), &Value::from("0-1")));
    let commands = hall.witness.commands("confirm");
    assert_eq!(commands.len(), 1);
    // What the page showed is in local time with seconds; the machine of a test may have any zone.
    let sent = commands[0].message["observed_at"].as_str().expect("observed_at").to_owned();
    let shown = browser.run("return new Date(arguments[0]).toTimeString().slice(0, 8);", &sent.as_str().into());
    assert_eq!(shown, observed);
    browser.shows("Decided 0–1 by anna");
    browser.gone("dialog[open]");
    browser.keys(ESCAPE);
    browser.shows_in("[data-board='open26/5/1']", "anna");
    browser.shows_in("[data-board='open26/5/1']", "0–1");
    browser.screenshot("decided");
}
