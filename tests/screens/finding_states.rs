//! A ruling in each of its states: its words, and which buttons there are.

use serde_json::{Value, json};

use crate::stage::made_up::{FEN, alert_body, arbiter_body, now_us, state, topic};
use crate::stage::room::Room;
use crate::stage::rulings;

type Texts = &'static [&'static str];

/// The name of the state, what the page shows, the buttons that are enabled and those that are not.
const STATES: [(&str, Texts, Texts, Texts); 7] = [
    (
        "proposed",
        &["BLACK WINS", "NOT PRESSED", "Go and stop the clocks."],
        &["Confirm 0-1", "The game goes on", "Other result…"],
        &[],
    ),
    ("pending", &["is being worked out"], &["The game goes on"], &["Confirm 0-1"]),
    ("undecided", &["The arbiter decides."], &["The game goes on", "Black wins 0-1"], &[]),
    ("contested", &["Contested", "Not known: which flag fell first"], &["Confirm 0-1"], &[]),
    ("two-flags", &["1. ⚑ White", "2. ⚑ Black"], &["Confirm 0-1"], &[]),
    ("decided", &["Decided 0–1 by anna"], &["Take the decision back"], &[]),
    ("superseded", &["Decided goes on by anna"], &["Take the decision back"], &[]),
];

fn body(name: &str) -> Value {
    match name {
        "pending" => rulings::pending(),
        "undecided" => rulings::undecided(),
        "contested" => rulings::contested(),
        "decided" => rulings::decided("0-1"),
        "superseded" => rulings::decided("*"),
        _ => rulings::proposed(),
    }
}

fn buttons(enabled: bool) -> String {
    let which = if enabled { "enabled" } else { "disabled" };
    format!("[...document.querySelectorAll('.choices button:{which}')].map(button => button.innerText.split('\\n')[0])")
}

#[test]
fn a_ruling_in_each_state_has_its_words_and_buttons() {
    let room = Room::new();
    let Some(browser) = room.browser("finding_states") else { return };
    let boards: Vec<String> = (1..=STATES.len()).map(|number| number.to_string()).collect();
    room.witness.publish_hall(&boards.iter().map(String::as_str).collect::<Vec<_>>());
    for (board, (name, ..)) in boards.iter().zip(STATES) {
        room.witness.publish_ruling(board, body(name));
        let mut arbiter = arbiter_body();
        if name == "two-flags" {
            let at = now_us();
            let flag = |side: &str, at: u64, number: u64| {
                json!({"side": side, "path": "running_at_zero", "period": 1, "observed_at": null, "expired_at": [at - 1, at],
                    "number": number, "after_end": false})
            };
            arbiter["flags"] = json!([flag("white", at - 9_000_000, 1), flag("black", at - 3_000_000, 2)]);
        }
        room.witness.publish(&topic("arbiter", board, "state"), &state("board.state", board, arbiter));
    }
    browser.log_in("/arbiter/", "anna");
    for (board, (name, texts, enabled, disabled)) in boards.iter().zip(STATES) {
        browser.open(&format!("/arbiter/?board={board}&view=ruling"));
        texts.iter().for_each(|text| browser.shows_in("main.ruling", text));
        // The position that counts is not the one that stands now.
        browser.draws(".positions staff-diagram", rulings::POSITION);
        browser.shows_in(".positions", "Stands now");
        for (buttons, labels) in [(buttons(true), enabled), (buttons(false), disabled)] {
            browser.wait(&format!("{name}: {labels:?}"), &format!("{}.every(label => {buttons}.includes(label))", json!(labels)));
        }
        browser.screenshot(name);
        for theme in ["light", "dark"] {
            browser.run("document.documentElement.dataset.theme = arguments[0];", &theme.into());
            browser.is_accessible(&format!("{name}, {theme}"));
        }
    }
}

#[test]
fn a_ruling_that_changes_under_the_eyes_says_so_and_waits() {
    let room = Room::new();
    let Some(browser) = room.browser("finding_changes") else { return };
    room.witness.publish_hall(&["1"]);
    room.witness.publish_ruling("1", rulings::pending());
    browser.log_in("/arbiter/?board=1&view=ruling", "anna");
    browser.shows("is being worked out");
    let mut changed = rulings::proposed();
    changed["revision"] = 4.into();
    changed["screen"]["proposal"] = "Proposal: DRAW.".into();
    room.witness.publish_ruling("1", changed);
    browser.shows("The finding changed (revision 4)");
    browser.shows_in("s", "BLACK WINS");
    browser.wait("the buttons come back", "document.querySelector('#choice-confirm:enabled')");
    browser.screenshot("changed");
}

/// A user without a role, and an operator, may look and not decide.
#[test]
fn who_may_not_decide_has_no_buttons() {
    let room = Room::new();
    let Some(browser) = room.browser("finding_roles") else { return };
    room.witness.publish_hall(&["1"]);
    room.witness.publish_ruling("1", rulings::proposed());
    browser.log_in("/arbiter/?board=1&view=ruling", "otto");
    browser.shows("As operator you may look, not decide.");
    browser.wait("no button", "!document.querySelector('.choices button')");
    browser.screenshot("operator");
}

/// The finding is one tab, and each other alarm of the board is one.
#[test]
fn several_alarms_of_a_board_are_tabs() {
    let room = Room::new();
    let Some(browser) = room.browser("finding_tabs") else { return };
    room.witness.publish_hall(&["1"]);
    let mut flag = alert_body(1, "flag", "loud");
    flag["side"] = "white".into();
    room.witness.publish_alert("1", flag);
    room.witness.publish_ruling("1", rulings::proposed());
    browser.log_in("/arbiter/?board=1&view=ruling", "anna");
    browser.shows("BLACK WINS");
    assert_eq!(browser.get("document.querySelectorAll('.alarm-tabs').length"), 0, "a single alarm needs no tabs");
    let mut illegal = alert_body(2, "illegal_move", "loud");
    illegal["squares"] = json!(["e6"]);
    room.witness.publish_alert("1", illegal);
    room.witness.publish_alert("1", alert_body(3, "incomplete_move", "silent"));
    browser.wait("a tab for each loud alarm", "document.querySelectorAll('.alarm-tabs a').length === 2");
    browser.shows_in(".alarm-tabs [aria-current=page]", "White flag");
    browser.is_accessible("a ruling with tabs");
    browser.screenshot("ruling");
    browser.click_nth(".alarm-tabs a", "Illegal move");
    browser.shows_in(".alarm-panel", "No legal move stands on the board");
    browser.draws(".alarm-panel staff-diagram", FEN);
    assert_eq!(browser.get("document.querySelectorAll('.choices').length"), 0, "nothing is decided there");
    browser.is_accessible("the other alarm");
    browser.screenshot("other");
    browser.click_nth(".alarm-tabs a", "White flag");
    browser.shows("BLACK WINS");
    // A tab that is closed leads back to the ruling.
    browser.click_nth(".alarm-tabs a", "Illegal move");
    room.witness.clear(&topic("arbiter", "1", "alert/2"));
    browser.shows("BLACK WINS");
    browser.open("/arbiter/?board=1&view=board");
    browser.shows_in(".open-alarms", "White flag");
    browser.screenshot("board");
}

/// A decision that no finding asked for can be taken back as well.
#[test]
fn a_decision_alone_can_be_taken_back() {
    let room = Room::new();
    let Some(browser) = room.browser("finding_alone") else { return };
    room.witness.publish_hall(&["1"]);
    let decision = |number: u32, result: &str| json!({"decision": {"number": number, "kind": "declared", "result": result, "by": "carl", "at": now_us()}});
    room.witness.publish_ruling("1", decision(1, "1/2-1/2"));
    browser.log_in("/arbiter/?board=1&view=ruling", "anna");
    browser.shows("Decided ½–½ by carl");
    browser.screenshot("decided");
    browser.click_nth(".choices button:enabled", "Take the decision back");
    browser.shows_in("dialog", "the game goes on");
    browser.click("dialog button.primary:enabled");
    let sent = room.witness.command("declare-result", 1);
    assert_eq!(sent.message["body"], json!({"result": "*"}));
    room.witness.answer(&sent, "done", "ok", "");
    room.witness.publish_ruling("1", decision(2, "*"));
    browser.shows("Decided goes on by carl");
    browser.gone(".choices");
}
