//! The touch test of the volunteers, with emulated boards of which two stand at each other's table.

use crate::stage::browser::Browser;
use crate::stage::daemon::Hall;

fn begin(browser: &Browser, board: &str) {
    let row = format!(
        "[...document.querySelectorAll('.setup-row')].find(row => row.querySelector('.tile-number').innerText === '{board}')"
    );
    browser.wait(&format!("the row of board {board}"), &row);
    let button = format!("[...{row}.querySelectorAll('button')].find(button => button.innerText.includes('ouch test'))");
    browser.wait("the button", &button);
    browser.run(&format!("{button}.click();"), &serde_json::Value::Null);
    browser.shows(&format!("Lift the e2 pawn on board {board}"));
}

/// The boards of a hall.
const BOARDS: usize = 40;
/// Two of them, each of which stands at the table of the other.
const EXCHANGED: [&str; 2] = ["17", "23"];
/// The men before the game, and without the pawn that is lifted.
const SET_UP: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR";
const LIFTED: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPP1PPP/RNBQKBNR";

#[test]
fn the_touch_test_names_boards_that_are_exchanged() {
    let names: Vec<String> = (1..=BOARDS).map(|number| number.to_string()).collect();
    let boards: Vec<&str> = names.iter().map(String::as_str).collect();
    let [one, other] = EXCHANGED;
    let at = |name: &str| boards.iter().position(|board| *board == name).expect("a board");
    let mut ports = boards.clone();
    ports.swap(at(one), at(other));
    let hall = Hall::new(&boards, &ports, 600);
    let Some(browser) = hall.browser("set_up") else { return };
    browser.log_in("/operations/", "otto");
    browser.wait("all boards", &format!("document.querySelectorAll('.setup-row').length === {BOARDS}"));
    begin(&browser, "1");
    // The pawn stays in the air until it was felt: this machine may be slow.
    hall.play(at("1"), "0.1 lift e2\n");
    browser.wait("board 1 felt it", "document.querySelector('.setup-row .ticks li:last-child.tick-yes')");
    let state = "/arbiter/open26/5/1/state";
    let lifted = hall.witness.wait("the pawn is in the air", state, |message| message["body"]["board"] == LIFTED);
    hall.play(at("1"), "0.1 place e2\n");
    hall.witness.wait("the pawn is back", state, |message| {
        message["t"]["us"].as_u64() > lifted["t"]["us"].as_u64() && message["body"]["board"] == SET_UP
    });
    begin(&browser, one);
    hall.play(at(one), "0.1 lift e2\n");
    browser.shows(&format!("board {other} felt it: the cables of {one} and {other} are exchanged"));
    browser.shows(&format!("it felt the test of board {one}: the cables are exchanged"));
    hall.play(at(one), "0.1 place e2\n");
    browser.is_accessible("the touch test");
    browser.screenshot("exchanged");
}
