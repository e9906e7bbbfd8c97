//! Boards whose news are old: the hall says so, since when and why.

use serde_json::json;

use crate::stage::made_up::{alert_body, device, device_body, health_body, plain};
use crate::stage::room::Room;

#[test]
fn a_board_that_is_not_live_says_why() {
    let room = Room::new();
    let Some(browser) = room.browser("not_live") else { return };
    room.witness.publish_hall(&["1", "2", "3", "4"]);
    let ready = |boot| plain("node.status", boot, json!({"state": "ready"}));
    room.witness.publish("node/pi-1/status", &ready(2));
    browser.log_in("/arbiter/", "anna");
    let tile = |board: &str| format!("[data-board='open26/5/{board}']");
    browser.shows_in(&tile("1"), "Beispiel");
    browser.wait(
        "all boards are live",
        "document.querySelectorAll('.tile').length === 4 && !document.querySelector('.tile.hatched')",
    );

    room.witness.publish(&device("1"), &plain("device.status", 1, device_body("1", "offline")));
    browser.shows_in(&tile("1"), "not live");
    browser.wait("since when, and what", "/since \\d\\d:\\d\\d: board/.test(document.querySelector('.tile.dead').innerText)");

    // Alarm 0 is of the program itself: it has given the board up.
    let mut failed = alert_body(0, "board_failed", "loud");
    failed["sentence"] = json!("The program failed twice at the same place.");
    room.witness.publish_alert("2", failed);
    browser.shows_in(&tile("2"), "Board given up");
    let mut health = health_body();
    health["failed_boards"] = json!(["open26/5/3"]);
    room.witness.publish("node/pi-1/health", &plain("node.health", 1, health));
    browser.shows_in(&tile("3"), "given up, bytes recorded");

    let mut health = plain("node.health", 1, health_body());
    health["node"] = "pi-09".into();
    health["body"]["withheld_boards"] = json!(["open26/5/4"]);
    room.witness.publish("node/pi-09/health", &health);
    browser.shows_in(&tile("4"), "served twice, see pi-09");
    health["body"]["withheld_boards"] = json!([]);
    room.witness.publish("node/pi-09/health", &health);
    browser.wait("board 4 is live", &format!("!document.querySelector(\"{}\").closest('.tile').matches('.hatched')", tile("4")));
    browser.screenshot("boards");

    // The will of an earlier run says nothing of this one; that of this run does.
    let mut will = json!({"v": "1.1", "type": "node.status", "node": "pi-1", "boot": 1, "body": {"state": "lost"}});
    room.witness.publish("node/pi-1/status", &will);
    room.witness.publish(&device("1"), &plain("device.status", 1, device_body("1", "online")));
    browser.gone(".tile.dead [data-board='open26/5/1']");
    browser.wait(
        "board 4 is still live",
        &format!("!document.querySelector(\"{}\").closest('.tile').matches('.hatched')", tile("4")),
    );
    will["boot"] = 2.into();
    room.witness.publish("node/pi-1/status", &will);
    browser.shows_in(&tile("4"), "node lost");
    browser.shows_in(&tile("1"), "node lost");
    room.witness.publish("node/pi-1/status", &plain("node.status", 2, json!({"state": "stopped"})));
    browser.shows_in(&tile("4"), "node stopped");
    browser.is_accessible("boards that are not live");
    browser.screenshot("node-stopped");
}
