//! The record of a board: a gap is shown, and asked for once.

use serde_json::json;

use crate::stage::made_up::{event, topic};
use crate::stage::room::Room;

#[test]
fn a_gap_is_shown_and_asked_for_once() {
    let room = Room::new();
    let Some(browser) = room.browser("gap") else { return };
    room.witness.publish_hall(&["1", "2"]);
    browser.log_in("/arbiter/?board=1&view=board&tab=record", "anna");
    browser.shows("Nothing yet since this page was opened.");
    let asked = room.witness.command("resync", 1);
    assert_eq!((&asked.message["body"]["from"], &asked.message["body"]["audience"]), (&json!(1), &json!("arbiter")));
    room.witness.answer(&asked, "done", "ok", "");
    let audit = |no: u64| {
        let body = json!({"what": "clock", "event": "stopped", "side": null});
        room.witness.publish(&topic("arbiter", "1", "audit"), &event("board.audit", "1", no, body));
    };
    [1, 2, 4].into_iter().for_each(audit);
    browser.shows("… 1 not received");
    browser.is_accessible("a record with a gap");
    browser.screenshot("gap");
    audit(3);
    audit(3);
    browser.gone(".record-gap");
    browser.wait("each event once", "document.querySelectorAll('.record-line').length === 4");
    assert_eq!(room.witness.commands("resync").len(), 1, "it was asked for once");
    browser.keys(crate::stage::browser::ESCAPE);
    browser.wait("the hall", "document.querySelectorAll('.tile').length === 2");
    assert_eq!(browser.get("document.querySelectorAll('.tile.hatched, .need').length"), 0, "the hall is undisturbed");
    browser.screenshot("hall");
}
