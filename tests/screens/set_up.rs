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

#[test]
fn the_touch_test_names_boards_that_are_exchanged() {
    // The boards that were plugged into the ports of 2 and 3 stand at tables 3 and 2.
    let hall = Hall::new(&["1", "2", "3", "4"], &["1", "3", "2", "4"], 600);
    let Some(browser) = hall.browser("set_up") else { return };
    browser.log_in("/operations/", "otto");
    browser.wait("four boards", "document.querySelectorAll('.setup-row').length === 4");
    begin(&browser, "1");
    hall.play(0, "0.1 lift e2\n+1.5 place e2\n");
    browser.wait("board 1 felt it", "document.querySelector('.setup-row .ticks li:last-child.tick-yes')");
    hall.witness.wait("the pawn is back", "/arbiter/open26/5/1/state", |message| message["body"]["stage"] == "armed");
    begin(&browser, "2");
    hall.play(1, "0.1 lift e2\n+1.5 place e2\n");
    browser.shows("board 3 felt it: the cables of 2 and 3 are exchanged");
    browser.shows("it felt the test of board 2: the cables are exchanged");
    browser.is_accessible("the touch test");
    browser.screenshot("exchanged");
}
