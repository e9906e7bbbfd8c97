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
    // The ruling is painted at once, and what is known of its board may come a moment later.
    browser.shows_in(".positions", "Stands now");
    browser.gone(".ruling-notes .hatched");
    let place = "['.ruling-grid', '.positions', '.decide'].map(css => document.querySelector(css).getBoundingClientRect().top)";
    let before = browser.get(place);
    let mut changed = rulings::proposed();
    changed["revision"] = 4.into();
    changed["screen"]["proposal"] = "Proposal: DRAW.".into();
    room.witness.publish_ruling("1", changed.clone());
    browser.shows("The finding changed (revision 4)");
    browser.shows_in("s", "BLACK WINS");
    assert_eq!(browser.get(place), before, "nothing moved under the finger");
    browser.wait("the buttons come back", "document.querySelector('#choice-confirm:enabled')");
    browser.screenshot("changed");
    // A shorter line to the same mate is no change.
    browser.run(WATCH, &Value::Null);
    room.witness.publish_ruling("1", rulings::shorter(changed, 5));
    browser.wait("the new line is there", "document.querySelector('.line')?.textContent === '20... Qd5#'");
    assert_eq!(browser.get("test.seen"), json!([]), "no notice, and no button was off");
    browser.shows("The finding changed (revision 4)");
}

/// Notes whether a change was named or a decision not offered, at any moment from now on.
const WATCH: &str = "
    test.seen = [];
    const changed = document.querySelector('.changed')?.textContent;
    new MutationObserver(() => {
        const now = document.querySelector('.changed')?.textContent;
        if (now !== changed) test.seen.push(now);
        if (/you decide/i.test(document.body.innerText)) test.seen.push('you decide');
        if (document.querySelector('#choice-confirm:disabled')) test.seen.push('Confirm is off');
    }).observe(document.body, { subtree: true, childList: true, characterData: true, attributes: true });";

/// Until the first answer about mate nobody is asked to decide, and the answer is no change.
#[test]
fn the_first_answer_about_mate_comes_calmly() {
    let room = Room::new();
    let Some(browser) = room.browser("first_answer") else { return };
    room.witness.publish_hall(&["1"]);
    room.witness.publish_ruling("1", rulings::worked_out());
    browser.log_in("/arbiter/", "anna");
    browser.shows_in("[data-board='open26/5/1']", "being worked out");
    browser.run(WATCH, &Value::Null);
    // The answer comes in a moment, and this machine may be slow.
    browser.run("const now = Date.now(); Date.now = () => now;", &Value::Null);
    browser.click("[data-board='open26/5/1']");
    browser.shows_in(".proposal", "Whether Black can checkmate is being worked out.");
    browser.screenshot("pending");
    browser.is_accessible("a ruling that is being worked out");
    let mut answer = rulings::proposed();
    answer["revision"] = 4.into();
    room.witness.publish_ruling("1", answer);
    browser.shows_in(".proposal", "BLACK WINS");
    browser.wait("Confirm is offered", "document.querySelector('#choice-confirm:enabled')");
    assert_eq!(browser.get("test.seen"), json!([]));
    // It is worked out once more: the same answer is no change, and another one is.
    let again = |mut body: Value, revision: u64| {
        body["revision"] = revision.into();
        room.witness.publish_ruling("1", body);
    };
    again(rulings::worked_out(), 5);
    browser.shows_in(".proposal", "is being worked out.");
    again(rulings::proposed(), 6);
    browser.shows_in(".proposal", "BLACK WINS");
    browser.wait("no change is named", "!document.querySelector('.changed')");
    again(rulings::worked_out(), 7);
    browser.shows_in(".proposal", "is being worked out.");
    let mut drawn = rulings::proposed();
    drawn["screen"]["proposal"] = "Proposal: DRAW.".into();
    again(drawn, 8);
    browser.shows_in(".changed", "The finding changed (revision 8). Before: BLACK WINS");
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
    // Every alarm leads to its ruling first, on a telephone too, and both pages lead to each other.
    let mut ruling = rulings::proposed();
    ruling["kind"] = "illegal_move".into();
    ruling["flag"] = Value::Null;
    ruling["evidence"] = json!(["alarm:4"]);
    ruling["screen"]["besides"] = json!(["give Black 2:00 more"]);
    room.witness.publish_ruling("1", ruling.clone());
    room.witness.publish_alert("1", alert_body(4, "illegal_move", "loud"));
    browser.phone(390, 844);
    browser.open("/arbiter/?board=1&view=board&tab=alarms");
    // What comes a moment later moves what is clicked.
    browser.shows_in(".ruling-head", "playing");
    browser.click_nth(".alarm a", "Ruling");
    browser.shows_in(".besides", "give Black 2:00 more");
    browser.screenshot("illegal");
    // The key for "the game goes on" is the one under which the offence counts; that it was none is another choice.
    ruling["outcome"] = "game_goes_on".into();
    ruling["alternatives"] = json!([]);
    ruling["screen"]["choices"] = json!([
        {"label": "The game goes on", "verb": "confirm", "body": {}},
        {"label": "It was no illegal move", "verb": "reject", "body": {}}
    ]);
    ruling["revision"] = 5.into();
    room.witness.publish_ruling("1", ruling);
    browser.shows_in("#choice-none", "It was no illegal move");
    browser.wait("the buttons of what changed", "document.querySelector('#choice-confirm:enabled')");
    browser.keys("g");
    browser.wait("it has the focus", "document.activeElement.id === 'choice-confirm'");
    for (choice, sentence) in [("#choice-confirm", "The illegal move counts."), ("#choice-none", "does not count")] {
        browser.click(&format!("{choice}:enabled"));
        browser.shows_in("dialog[open]", sentence);
        browser.keys(crate::stage::browser::ESCAPE);
        browser.gone("dialog[open]");
    }
    browser.click_nth(".to-board", "Board");
    browser.shows_in(".tabs [aria-current=page]", "Position");
    browser.click_nth(".to-board", "Ruling");
    browser.shows_in(".besides", "give Black 2:00 more");
    browser.open("/arbiter/");
    browser.shows_in("[data-board='open26/5/1']", "Beispiel");
    browser.click_nth(".need a", "ILLEGAL MOVE");
    browser.shows_in(".besides", "give Black 2:00 more");
    // The alarm that it is not about is one tap away.
    browser.open("/arbiter/");
    browser.shows_in("[data-board='open26/5/1']", "Beispiel");
    browser.click_nth(".need a", "WHITE FLAG");
    browser.shows_in(".alarm-panel", "The flag fell");
    // What stays open after the decision is closed here.
    let mut decided = rulings::decided("*");
    decided["kind"] = "illegal_move".into();
    decided["evidence"] = json!(["alarm:4"]);
    room.witness.publish_ruling("1", decided);
    browser.open("/arbiter/");
    browser.shows_in("[data-board='open26/5/1']", "Beispiel");
    browser.click_nth(".need a", "ILLEGAL MOVE");
    browser.shows_in(".positions", "Stands now");
    browser.click_nth(".choices button", "Acknowledge");
    browser.click("dialog button.primary:enabled");
    assert_eq!(room.witness.command("acknowledge-alert", 1).message["body"], json!({"alarm": 4}));
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
