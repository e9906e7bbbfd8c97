//! Every page in both themes, empty and full.

use crate::stage::made_up::{alert_body, device, device_body, live_body, plain, state, topic};
use crate::stage::room::Room;
use crate::stage::rulings;

const STAFF: [&str; 13] = [
    "/arbiter/?",
    "/arbiter/?board=1&view=board",
    "/arbiter/?board=1&view=board&tab=moves",
    "/arbiter/?board=1&view=board&tab=record",
    "/arbiter/?board=1&view=board&tab=do",
    "/arbiter/?board=2&view=ruling",
    "/arbiter/?board=99",
    "/operations/?",
    "/operations/?tab=devices",
    "/operations/?tab=nodes",
    "/operations/?tab=moves",
    "/arbiter/?board=5&view=board",
    "/arbiter/?board=4&view=ruling",
];

#[test]
fn pages_of_the_staff() {
    let room = Room::new();
    let Some(browser) = room.browser("axe-staff") else { return };
    browser.log_in("/arbiter/", "anna");
    browser.is_accessible("an empty hall");
    browser.screenshot("empty");
    room.witness.publish_hall(&["1", "2", "3", "4", "5"]);
    room.witness.publish_alert("2", alert_body(1, "flag", "loud"));
    room.witness.publish_ruling("2", rulings::proposed());
    let mut finished = live_body();
    finished["result"] = "1/2-1/2".into();
    room.witness.publish_live("3", finished);
    room.witness.publish_ruling("4", rulings::decided("0-1"));
    room.witness.publish(&device("5"), &plain("device.status", 1, device_body("5", "offline")));
    browser.shows_in("[data-board='open26/5/5']", "not live");
    // The clock of a finished game may still run; nobody is to move.
    browser.gone("[data-board='open26/5/3'] .runs");
    browser.click("[aria-label=Menu]");
    browser.shows_in(".menu", "Log out");
    browser.is_accessible("the menu");
    browser.screenshot("menu");
    for page in STAFF {
        browser.open(&format!("{page}&theme=dark"));
        browser.shows_in(".link-state", "live");
        browser.wait("the content", "document.querySelector('main')?.innerText.length > 10 && document.querySelector('main .tile, main h1, main a, main p')");
        browser.is_accessible(page);
        browser.has_contrast_in_light(page);
        browser.screenshot(&page.replace(['/', '?', '&', '='], "-"));
    }
}

#[test]
fn pages_for_spectators() {
    let room = Room::new();
    let Some(browser) = room.browser("axe-air") else { return };
    for (page, theme) in [("/", "dark"), ("/wall/?", "dark"), ("/board/?board=1&", "light")] {
        browser.open(&format!("{page}{}", if page == "/" { String::new() } else { format!("theme={theme}") }));
        browser.wait("some text", "document.body.innerText.trim().length > 5");
        browser.is_accessible(&format!("{page}, empty"));
    }
    room.witness.publish_hall(&["1", "2"]);
    for board in ["1", "2"] {
        let mut body = live_body();
        if board == "2" {
            body["result"] = "1-0".into();
        }
        room.witness.publish(&topic("public", board, "clock"), &state("board.clock", board, body["clock"].clone()));
        room.witness.publish(&topic("public", board, "state"), &state("board.state", board, body));
    }
    for page in ["/wall/?", "/board/?board=1&", "/board/?board=2&", "/overlay/?board=1&layout=board&"] {
        browser.open(&format!("{page}theme=dark"));
        browser.shows("Muster");
        browser.is_accessible(page);
        browser.screenshot(&page.replace(['/', '?', '&', '='], "-"));
        browser.has_contrast_in_light(page);
        browser.screenshot(&format!("{}-light", page.replace(['/', '?', '&', '='], "-")));
    }
    browser.open("/wall/?audience=live");
    browser.wait("the form", "document.querySelector('form.login')");
    browser.is_accessible("the login of a page that only reads");
}
