//! Commands: what was seen when the sheet opened is what is decided on, and a command is carried out once.

use serde_json::{Value, json};

use crate::stage::browser::Browser;
use crate::stage::made_up::{arbiter_body, event, state, topic};
use crate::stage::room::Room;
use crate::stage::rulings;

/// A room with one board and a proposed ruling, on whose page `anna` looks.
fn at_a_ruling(test: &'static str) -> Option<(Room, Browser)> {
    let room = Room::new();
    let browser = room.browser(test)?;
    room.witness.publish_hall(&["1"]);
    room.witness.publish_ruling("1", rulings::proposed());
    browser.log_in("/arbiter/?board=1&view=ruling", "anna");
    browser.wait("Confirm is enabled", "document.querySelector('#choice-confirm:enabled')");
    Some((room, browser))
}

/// After 2. Nf3, what arbiters see.
fn moved_on() -> Value {
    let mut body = arbiter_body();
    let mut mv = body["moves"][0].clone();
    (mv["ply"], mv["san"], mv["uci"]) = (3.into(), "Nf3".into(), "g1f3".into());
    body["moves"].as_array_mut().expect("moves").push(mv);
    body["fen"] = "rnbqkbnr/pppp1ppp/8/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R b KQkq - 1 2".into();
    body["board"] = "rnbqkbnr/pppp1ppp/8/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R".into();
    body
}

#[test]
fn a_board_that_moved_on_is_looked_at_again_before_anything_is_sent() {
    let Some((room, browser)) = at_a_ruling("stale_lock") else { return };
    browser.wait("the state is there", "document.querySelector('#choice-other:enabled')");
    browser.click("#choice-other");
    browser.click_nth(".others button", "1-0");
    browser.wait("the sheet", "document.querySelector('dialog[open] button.primary:enabled')");
    room.witness.publish(&topic("arbiter", "1", "state"), &state("board.state", "1", moved_on()));
    browser.shows_in("dialog", "The board has moved on (2. Nf3)");
    browser.wait("both positions", "document.querySelectorAll('dialog .before-after staff-diagram').length === 2");
    browser.wait("the button is off", "document.querySelector('dialog button.primary:disabled')");
    browser.is_accessible("a sheet whose board has moved on");
    browser.screenshot("moved-on");
    assert!(room.witness.commands("declare-result").is_empty(), "nothing was sent");

    browser.click_nth("dialog button", "I have seen it");
    browser.click("dialog button.primary:enabled");
    let sent = room.witness.command("declare-result", 1);
    let seen = room.witness.wait("the state", "/arbiter/open26/5/1/state", |message| message["body"]["moves"][2]["san"] == "Nf3");
    assert_eq!(sent.message["expect"], json!({"game": seen["game"], "rev": seen["rev"]}));
    // A name that nobody guesses: at some brokers whoever knows a name can take over a connection.
    let replies = sent.response_topic.as_deref().and_then(|topic| topic.strip_prefix("flagfall/1/reply/anna/screen-"));
    assert!(replies.is_some_and(|name| u64::from_str_radix(name, 16).is_ok_and(|number| number > 0)), "{replies:?}");
    // The node has seen yet another move, and refuses.
    let mut next = moved_on();
    next["moves"][2]["san"] = "Bc4".into();
    next["fen"] = "rnbqkbnr/pppp1ppp/8/4p3/2B1P3/8/PPPP1PPP/RNBQK1NR b KQkq - 1 2".into();
    room.witness.publish(&topic("arbiter", "1", "state"), &state("board.state", "1", next));
    room.witness.answer(&sent, "failed", "stale", "the board has moved on");
    browser.shows_in("dialog", "Nothing was done.");
    browser.wait("both positions", "document.querySelectorAll('dialog .before-after staff-diagram').length === 2");
    browser.screenshot("stale");
    browser.click_nth("dialog button", "Look again");
    browser.wait("it can be sent again", "document.querySelector('dialog button.primary:enabled')");
    assert_eq!(room.witness.commands("declare-result").len(), 1, "nothing is sent by itself");
    browser.click("dialog button.primary:enabled");
    let again = room.witness.command("declare-result", 2);
    assert_ne!(again.message["id"], sent.message["id"], "another command");
    room.witness.answer(&again, "done", "ok", "");
    browser.gone("dialog[open]");
}

#[test]
fn a_finding_that_changed_is_looked_at_again() {
    let Some((room, browser)) = at_a_ruling("stale_finding") else { return };
    browser.click("#choice-confirm");
    browser.wait("the sheet", "document.querySelector('dialog[open] button.primary:enabled')");
    // A shorter line to the same mate asks for no further tap, and its revision is what is confirmed.
    room.witness.publish_ruling("1", rulings::shorter(rulings::proposed(), 4));
    browser.wait("the new line is there", "document.querySelector('.line')?.textContent === '20... Qd4#'");
    browser.run("document.querySelector('dialog button.primary:enabled').click();", &Value::Null);
    let sent = room.witness.command("confirm", 1);
    assert_eq!(sent.message["expect"]["finding"], json!({"id": 1, "revision": 4}));
    room.witness.answer(&sent, "done", "ok", "");
    browser.gone("dialog[open]");
    // The same for a result that is declared: its lock is the revision of the state.
    browser.click("#choice-other");
    browser.click_nth(".others button", "1-0");
    browser.wait("the sheet", "document.querySelector('dialog[open] button.primary:enabled')");
    let mut body = room.witness.wait("the state", "/arbiter/open26/5/1/state", |_| true)["body"].clone();
    body["finding"] = rulings::shorter(rulings::proposed(), 5);
    let present = state("board.state", "1", body);
    room.witness.publish(&topic("arbiter", "1", "state"), &present);
    room.witness.publish_ruling("1", rulings::shorter(rulings::proposed(), 5));
    browser.wait("the new line is there", "document.querySelector('.line')?.textContent === '20... Qd5#'");
    browser.run("document.querySelector('dialog button.primary:enabled').click();", &Value::Null);
    let sent = room.witness.command("declare-result", 1);
    assert_eq!(sent.message["expect"], json!({"game": present["game"], "rev": present["rev"]}));
    room.witness.answer(&sent, "done", "ok", "");
    browser.gone("dialog[open]");
    browser.click("#choice-confirm");
    browser.wait("the sheet", "document.querySelector('dialog[open] button.primary:enabled')");
    let mut changed = rulings::proposed();
    changed["revision"] = 6.into();
    changed["outcome"] = "draw".into();
    changed["screen"]["proposal"] = "Proposal: DRAW.".into();
    room.witness.publish_ruling("1", changed);
    browser.shows_in("dialog", "The finding has changed.");
    browser.shows_in("dialog", "Proposal: DRAW.");
    browser.wait("the button is off", "document.querySelector('dialog button.primary:disabled')");
    browser.keys("\u{E007}");
    browser.screenshot("changed");
    assert_eq!(room.witness.commands("confirm").len(), 1, "nothing was sent");
}

/// The times that the Laws give after an illegal move are one tap.
#[test]
fn two_minutes_are_one_tap() {
    let Some((room, browser)) = at_a_ruling("penalty") else { return };
    browser.open("/arbiter/?board=1&view=board&tab=do");
    browser.click_nth(".verbs button:enabled", "Penalty or time");
    browser.click_nth("dialog .segments button", "White");
    browser.click_nth("dialog [aria-label='Seconds for Black'] button", "+2:00");
    browser.shows_in("dialog .will", "A penalty or adjustment for White is recorded: Black gets 2:00.");
    browser.is_accessible("a penalty");
    browser.screenshot("penalty");
    browser.click("dialog button.primary:enabled");
    let sent = room.witness.command("penalty", 1);
    assert_eq!(sent.message["body"], json!({"side": "white", "seconds": {"white": 0, "black": 120}}));
}

#[test]
fn the_same_tap_is_the_same_command() {
    let Some((room, browser)) = at_a_ruling("same_id_twice") else { return };
    browser.click("#choice-confirm");
    browser.wait("the sheet", "document.querySelector('dialog[open] button.primary:enabled')");
    browser.run("const button = document.querySelector('dialog button.primary'); button.click(); button.click();", &Value::Null);
    let first = room.witness.command("confirm", 1);
    assert_eq!(first.message["observed_at"].as_str().map(str::len), Some(24), "{}", first.message);
    assert_eq!(first.message["expect"]["finding"], json!({"id": 1, "revision": 3}));
    // The answer is lost with the connection, and the arbiter asks again.
    room.proxy.cut();
    browser.shows("No answer. It may have been carried out");
    browser.screenshot("no-answer");
    browser.shows_in(".link-state", "live");
    assert_eq!(room.witness.commands("confirm").len(), 1, "nothing is sent by itself");
    browser.click_nth("dialog button.primary", "Ask again");
    let second = room.witness.command("confirm", 2);
    let sent = |received: &crate::stage::witness::Received| (received.message["id"].clone(), received.message["expect"].clone());
    assert_eq!(sent(&second), sent(&first), "the same command, which a node carries out once");
    room.witness.answer(&second, "accepted", "ok", "");
    room.witness.answer(&second, "done", "ok", "carried out before");
    browser.shows("Done.");
    // What the node adds is read before the sheet is closed.
    browser.click_nth("dialog button", "Close");
    browser.gone("dialog[open]");
    // A new sheet is a new command.
    browser.click("#choice-confirm");
    browser.click("dialog[open] button.primary:enabled");
    assert_ne!(room.witness.command("confirm", 3).message["id"], first.message["id"]);
}

#[test]
fn a_refusal_has_its_words() {
    let Some((room, browser)) = at_a_ruling("refusals") else { return };
    for (number, (code, words)) in [
        ("busy", "Too many at once"),
        ("expired", "Came too late"),
        ("invalid", "what the node says"),
        ("denied", "what the node says"),
    ]
    .into_iter()
    .enumerate()
    {
        browser.click("#choice-confirm");
        browser.click("dialog[open] button.primary:enabled");
        let sent = room.witness.command("confirm", number + 1);
        room.witness.answer(&sent, "failed", code, "what the node says");
        browser.shows_in("dialog", words);
        browser.shows_in("dialog", "what the node says");
        browser.is_accessible(code);
        browser.screenshot(code);
        browser.keys("\u{E00C}");
        browser.gone("dialog[open]");
    }
    browser.wait("a verb that is denied is off from then on", "document.querySelector('#choice-confirm:disabled')");
}

/// The connection is lost between the sending and the broker's acknowledgement: nobody knows whether the command arrived.
#[test]
fn a_command_that_may_have_been_sent_is_not_called_unsent() {
    let room = Room::new();
    let Some(browser) = room.browser("lost_acknowledgement") else { return };
    browser.open("/arbiter/");
    let stages = browser.run_async(
        "const { newCommander, openDraft } = await import('/js/staff/command.js');
         const stages = [];
         for (const error of [new Error('lost'), Object.assign(new Error('none'), { unsent: true })]) {
             const board = { key: 'e/1/1', event: 'e', round: '1', id: '1', time: null, ruling: null, state: { message: { game: 'g', rev: 1, body: {} } } };
             const draft = openDraft(board, 'declare-result', { result: '1-0' });
             await newCommander({ publish: () => Promise.reject(error), user: 'anna', replies: 'r', now: Date.now, onChange() {} }).send(draft);
             stages.push(draft.stage);
         }
         return stages;",
    );
    assert_eq!(stages, json!(["silent", "refused"]));
}

/// What another arbiter has sent is seen on every page of the board, until the record says what became of it.
#[test]
fn what_another_arbiter_is_doing_is_seen() {
    let Some((room, browser)) = at_a_ruling("underway") else { return };
    browser.click("#choice-confirm");
    browser.wait("the sheet", "document.querySelector('dialog[open] button.primary:enabled')");
    let confirm = json!({"v": "1.1", "type": "cmd.confirm", "id": "of-carl", "issued": flagfall::system_clock::utc().to_string(),
        "expect": {"game": "open26-5-1-g1", "finding": {"id": 1, "revision": 3}}, "body": {}});
    room.witness.send("cmd/carl/open26/5/1/confirm", confirm.to_string(), false);
    browser.shows_in("dialog", "carl is confirming…");
    browser.shows_in("main .underway", "carl is confirming…");
    browser.is_accessible("a sheet while another arbiter decides");
    browser.screenshot("sheet");
    let done = json!({"what": "command", "verb": "confirm", "actor": "carl", "role": "chief", "id": "of-carl", "code": "ok"});
    room.witness.publish(&topic("arbiter", "1", "audit"), &event("board.audit", "1", 7, done));
    room.witness.publish_ruling("1", rulings::decided("0-1"));
    browser.gone(".underway");
    browser.shows_in("main", "Decided 0–1 by anna");
    browser.shows_in("dialog", "The finding has changed.");
}
