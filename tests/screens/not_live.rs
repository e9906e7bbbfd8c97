//! Boards whose news are old: the hall says so, since when and why.

use std::time::Duration;

use serde_json::{Value, json};

use crate::stage::made_up::{alert_body, device, device_body, health_body, live_body, plain, state, topic};
use crate::stage::room::Room;

#[test]
fn a_board_that_is_not_live_says_why() {
    let room = Room::new();
    let Some(browser) = room.browser("not_live") else { return };
    // The card of another machine claims all boards, with nobody's rights, and is gone.
    let boards = ["1", "2", "3", "4"].map(|board| format!("open26/5/{board}"));
    for (leaf, body) in [
        ("status", json!({"state": "lost"})),
        (
            "info",
            json!({"version": "0.1.0", "capabilities": ["dgt"], "boards": boards, "rounds": ["open26/5"], "delay": 0, "delay_moves": 0}),
        ),
    ] {
        let mut claim = plain(&format!("node.{leaf}"), 1, body);
        claim["node"] = "pi-0".into();
        room.witness.publish(&format!("node/pi-0/{leaf}"), &claim);
    }
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

    // What is wrong comes first in the lists of operations, and nothing jumps while somebody touches the page.
    room.witness.publish("node/pi-1/status", &plain("node.status", 2, json!({"state": "ready"})));
    room.witness.publish(&device("3"), &plain("device.status", 1, device_body("3", "offline")));
    browser.open("/operations/?tab=devices");
    let first = |row: &str| format!("document.querySelector('{row}')?.innerText");
    browser.wait("the board that is away is first", &format!("{} === '3'", first("tbody th")));
    // Three seconds after a touch the rows may move again, and this machine may be slow.
    browser.stop_clock();
    browser.run("dispatchEvent(new PointerEvent('pointerdown'));", &Value::Null);
    room.witness.publish(&device("3"), &plain("device.status", 1, device_body("3", "online")));
    room.witness.publish(&device("4"), &plain("device.status", 1, device_body("4", "offline")));
    browser.shows_in("tr.is-off", "dgt-4");
    assert_eq!(browser.get(&first("tbody th")), "3", "not under a finger");
    browser.later(Duration::from_secs(4));
    browser.wait("afterwards", &format!("{} === '4'", first("tbody th")));
    browser.screenshot("devices");
    browser.open("/operations/?tab=setup");
    // Board 3 was given up.
    let rows = "[...document.querySelectorAll('.setup-row .tile-number')].map(one => one.innerText).join()";
    browser.wait("the same in the set-up", &format!("{rows} === '3,4,1,2'"));
    browser.open("/operations/?tab=nodes");
    browser.wait("and among the nodes", &format!("{}?.startsWith('pi-0')", first(".nodes h2")));
    browser.wait("and the other one", "document.querySelectorAll('.nodes h2')[1]?.innerText.startsWith('pi-09')");
}

/// Counts how often the page is drawn from now on.
const FRAMES: &str = "
    test.frames = 0;
    const draw = requestAnimationFrame;
    window.requestAnimationFrame = paint => draw(time => { paint(time); test.frames += 1; });";

/// A clock that counts down on a wall stops when the wall has lost its connection, its node or the board.
#[test]
fn a_wall_that_is_not_live_stops_its_clocks() {
    let room = Room::new();
    let Some(browser) = room.browser("not_live_wall") else { return };
    room.witness.publish_hall(&["1"]);
    let node = |state: &str| room.witness.publish("node/pi-1/status", &plain("node.status", 1, json!({"state": state})));
    let publish = || {
        let body = live_body();
        room.witness.publish(&topic("public", "1", "clock"), &state("board.clock", "1", body["clock"].clone()));
        room.witness.publish(&topic("public", "1", "state"), &state("board.state", "1", body));
    };
    publish();
    let time = "document.querySelector('.side.white .value').innerText";
    for page in ["/wall/?boards=1", "/board/?board=1"] {
        for loss in ["connection", "node", "board"] {
            browser.open(page);
            browser.wait("the board", "document.querySelector('.side.white .value')?.innerText");
            // A reading that the broker had kept is not counted down.
            publish();
            browser.wait("its clock counts down", &format!("{time} !== '1:00:00'"));
            match loss {
                "connection" => room.proxy.close(),
                "node" => node("lost"),
                _ => {
                    let mut body = live_body();
                    body["link"] = "down".into();
                    room.witness.publish(&topic("public", "1", "state"), &state("board.state", "1", body));
                }
            }
            browser.wait("it is out of date", "document.querySelector('.clock.hatched')");
            browser.run(FRAMES, &Value::Null);
            let stands = browser.get(time);
            browser.later(Duration::from_secs(8));
            browser.wait("it was drawn anew", "test.frames > 1");
            assert_eq!(browser.get(time), stands, "{page} without its {loss}");
            room.proxy.open();
            node("ready");
            publish();
        }
    }
}

/// The node goes on to the next round while the page is open, and an alarm of the round before is still retained.
#[test]
fn boards_of_a_round_that_nobody_serves_are_no_boards_of_today() {
    let room = Room::new();
    let Some(browser) = room.browser("other_round") else { return };
    room.witness.publish_hall(&["1", "2"]);
    room.witness.publish_alert("2", alert_body(1, "flag", "loud"));
    browser.log_in("/arbiter/", "anna");
    browser.shows_in(".need", "flag");
    let info = json!({"version": "0.1.0", "capabilities": ["dgt"], "boards": ["open26/6/1", "open26/6/2"], "rounds": ["open26/6"],
        "delay": 0, "delay_moves": 0, "roles": {"anna": {"role": "arbiter"}}});
    room.witness.publish("node/pi-1/info", &plain("node.info", 1, info));
    for board in ["1", "2"] {
        room.witness.publish(&format!("live/open26/6/{board}/state"), &state("board.state", board, live_body()));
    }
    browser.wait("the boards of the round", "document.querySelectorAll('.tile').length === 2");
    browser.shows_in("[data-board='open26/6/2']", "Beispiel");
    browser.wait("nobody is needed", "document.title === 'open26' && !document.querySelector('.need:not(.closed)')");
    browser.keys("2\u{E007}");
    browser.wait("the board of this round", "location.search.includes('board=2')");
    browser.shows("Nothing has been published about this board for arbiters.");
}
