//! The wall on a television of 1920 x 1080: so many boards that people can read their names at a distance of 3 m.

use crate::stage::made_up::{live_body, state, topic};
use crate::stage::room::Room;

/// Boards of the hall.
const BOARDS: usize = 40;

#[test]
fn a_page_has_boards_that_people_can_read_or_those_of_the_address() {
    let room = Room::new();
    let Some(browser) = room.browser("wall") else { return };
    room.witness.publish_hall(&["1"]);
    for board in (1..=BOARDS).map(|board| board.to_string()) {
        room.witness.publish(&topic("public", &board, "state"), &state("board.state", &board, live_body()));
    }
    browser.scene(1920, 1080);
    let all: Vec<String> = (1..=BOARDS).map(|board| board.to_string()).collect();
    for (query, boards, pages, smallest) in [
        ("", &all[..14], "page 1 of 3", 20.0),
        ("?boards=1-16", &all[..16], "", 20.0),
        ("?boards=1-12", &all[..12], "", 20.0),
        ("?boards=3-5,9", &[&all[2..5], &all[8..9]].concat()[..], "", 20.0),
        ("?page=20", &all[..20], "page 1 of 2", 11.5),
        ("?page=40", &all[..], "", 11.5),
        ("?boards=1-16&page=4", &all[..4], "page 1 of 4", 20.0),
    ] {
        browser.open(&format!("/wall/{query}"));
        let numbers = "[...document.querySelectorAll('.tile .number')].map(one => one.textContent)";
        browser.wait(&format!("the boards of {query}"), &format!("JSON.stringify({numbers}) === JSON.stringify({boards:?})"));
        let shown =
            "[...document.querySelectorAll('#header .time')].filter(one => !one.hidden).map(one => one.textContent).join(' ')";
        let right = if pages.is_empty() { format!("!{shown}.includes('page')") } else { format!("{shown}.includes('{pages}')") };
        // The boards come one after the other; their number is right when all are there.
        browser.wait(&format!("{query}: {pages}"), &right);
        let sizes = "[...document.querySelectorAll('.tile .name')].map(one => parseFloat(getComputedStyle(one).fontSize))";
        let names = browser.get(&format!("Math.min(...{sizes})"));
        assert!(names.as_f64() >= Some(smallest), "{query}: names of {names} pixels");
        let inside = "[...document.querySelectorAll('.tile')].every(one => { const { right, bottom, top, left } = one.getBoundingClientRect();
            return left >= 0 && top >= 0 && right <= innerWidth && bottom <= innerHeight; })";
        assert_eq!(browser.get(inside), true, "{query}: every tile is whole");
        let whole = "[...document.querySelectorAll('.tile .name')].every(one => one.scrollWidth <= one.clientWidth)";
        assert!(smallest < 20.0 || browser.get(whole) == true, "{query}: every name is whole");
        browser.screenshot(&format!("wall-{}", boards.len()));
    }
}
