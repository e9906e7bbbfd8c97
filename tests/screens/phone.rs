//! The pages on the screen of a telephone.

use serde_json::{Value, json};

use crate::stage::browser::Browser;
use crate::stage::made_up::{alert_body, arbiter_body, live_body, state, topic};
use crate::stage::room::Room;
use crate::stage::rulings;

fn room() -> Room {
    let room = Room::new();
    room.witness.publish_hall(&["1", "2", "3"]);
    // A name that is longer than a telephone is wide.
    let long = "Wilhelmina-Anastasia van der Hoogstraten-Bartholomeusdottir";
    let (mut live, mut arbiter) = (live_body(), arbiter_body());
    live["players"]["white"]["name"] = long.into();
    arbiter["players"]["white"]["name"] = long.into();
    room.witness.publish_live("1", live.clone());
    room.witness.publish(&topic("arbiter", "1", "state"), &state("board.state", "1", arbiter));
    room.witness.publish(&topic("public", "1", "clock"), &state("board.clock", "1", live["clock"].clone()));
    room.witness.publish(&topic("public", "1", "state"), &state("board.state", "1", live));
    let mut flag = alert_body(1, "flag", "loud");
    flag["side"] = "white".into();
    room.witness.publish_alert("1", flag);
    room.witness.publish_alert("2", alert_body(1, "wrong_set_up", "loud"));
    room.witness.publish_ruling("1", rulings::proposed());
    room
}

#[test]
fn a_ruling_needs_no_scrolling_to_its_buttons() {
    let room = room();
    let Some(browser) = room.browser("phone") else { return };
    browser.phone(390, 844);
    browser.log_in("/arbiter/?board=1&view=ruling", "anna");
    browser.wait("Confirm is enabled", "document.querySelector('#choice-confirm:enabled')");
    browser.draws(".positions staff-diagram", rulings::POSITION);
    browser.screenshot("ruling");
    let hidden = browser.get(
        "['.act', '.proposal', '.positions staff-diagram', '.times-row:last-child', '.moves-done', '.observed input', '#choice-confirm', '#choice-goes-on', '#choice-other'].filter(css => {
             const element = document.querySelector(css);
             const { top, bottom, left, right, width, height } = element.getBoundingClientRect();
             const seen = document.elementFromPoint(left + width / 2, top + height / 2);
             return top < 0 || bottom > innerHeight || left < 0 || right > innerWidth || !element.contains(seen);
         })",
    );
    assert_eq!(hidden, Value::Array(Vec::new()), "these are not seen at once");
    for id in ["choice-confirm", "choice-goes-on", "choice-other"] {
        let height = browser.get(&format!("document.getElementById('{id}').offsetHeight")).as_u64();
        assert!(height >= Some(56), "{id} is {height:?} px high");
    }
}

/// What the ruling says may be long: the order stays, and what decides stays at the bottom edge.
#[test]
fn a_long_ruling_keeps_its_order_and_its_buttons() {
    let room = room();
    let Some(browser) = room.browser("phone-long") else { return };
    let mut long = rulings::contested();
    long["screen"]["why"] = "Black can still be mated, and the arbiter must first say which flag fell first. ".repeat(4).into();
    long["screen"]["unknown"] = json!(["which flag fell first", "whether the 40th move was completed before the fall"]);
    room.witness.publish_ruling("1", long);
    browser.phone(390, 844);
    browser.log_in("/arbiter/?board=1&view=ruling", "anna");
    browser.shows("which flag fell first");
    browser.draws(".positions staff-diagram", rulings::POSITION);
    browser.screenshot("top");
    let order = browser.get(
        "['.act', '.proposal', '.positions', '.times-row', '.moves-done', '.notice.amber', '.rules', '.observed', '#choice-confirm']
             .map(css => document.querySelector(css).getBoundingClientRect().top)",
    );
    let tops: Vec<f64> = order.as_array().into_iter().flatten().filter_map(Value::as_f64).collect();
    let shown = browser.get("['.observed input', '#choice-confirm'].every(css => document.querySelector(css).getBoundingClientRect().bottom <= innerHeight)");
    assert_eq!(shown, true, "what decides is at the bottom edge before anything is scrolled");
    assert!(tops[..7].windows(2).all(|pair| pair[0] <= pair[1]), "the order of a ruling: {tops:?}");
    browser.run("scrollTo(0, document.documentElement.scrollHeight);", &Value::Null);
    browser.wait(
        "nothing is hidden behind the buttons",
        "document.querySelector('.rules').getBoundingClientRect().bottom <= document.querySelector('.decide').getBoundingClientRect().top",
    );
    browser.screenshot("bottom");
}

const PAGES: [&str; 13] = [
    "/arbiter/",
    "/arbiter/?board=1&view=ruling",
    "/arbiter/?board=1&view=board",
    "/arbiter/?board=1&view=board&tab=moves",
    "/arbiter/?board=1&view=board&tab=alarms",
    "/arbiter/?board=1&view=board&tab=record",
    "/arbiter/?board=1&view=board&tab=do",
    "/operations/",
    "/operations/?tab=devices",
    "/operations/?tab=nodes",
    "/",
    "/wall/",
    "/board/?board=1",
];

#[test]
fn at_320_pixels_nothing_scrolls_sideways_and_targets_are_large() {
    let room = room();
    let Some(browser) = room.browser("phone-320") else { return };
    browser.phone(320, 640);
    browser.log_in("/arbiter/", "anna");
    let mut problems = Vec::new();
    for page in PAGES {
        browser.open(page);
        browser.wait("the page", "document.querySelector('main, .wall, .tile, .doors, article')");
        let name = if page.contains("/board/") { "hoogstraten" } else { "" };
        browser.wait(
            "its content",
            &format!("document.body.innerText.trim().length > 20 && document.body.innerText.toLowerCase().includes('{name}')"),
        );
        let width = browser.get("document.documentElement.scrollWidth").as_u64();
        let place = page.replace(['/', '?', '&', '='], "-");
        browser.screenshot(&place);
        if width > Some(320) {
            problems.push(format!("{page} is {width:?} px wide"));
        }
        problems.extend(small_targets(&browser).into_iter().map(|target| format!("{page}: under 44 px: {target}")));
    }
    assert!(problems.is_empty(), "{problems:#?}");
}

/// What is to be touched and too small; links in running text are as high as the text.
fn small_targets(browser: &Browser) -> Vec<String> {
    let small = browser.get(
        "[...document.querySelectorAll('button, a[href], input, select, summary')].flatMap(element => {
             const target = element.matches('[type=checkbox], [type=radio]') ? element.closest('label') ?? element : element;
             // Eight squares side by side are as wide as the screen.
             if (target.closest('.editor-squares')) return [];
             if (!target.checkVisibility() || getComputedStyle(target).display === 'inline') return [];
             const { width, height } = target.getBoundingClientRect();
             return height < 43.5 || width < 43.5 ? [`${target.outerHTML.slice(0, 90)} ${Math.round(width)} x ${Math.round(height)}`] : [];
         })",
    );
    small.as_array().into_iter().flatten().map(|target| target.as_str().unwrap_or_default().to_owned()).collect()
}

/// A list that has no room for all its rows says how many more there are, and every row says that it opens.
#[test]
fn a_list_of_needs_that_is_cut_says_how_many_more() {
    let room = Room::new();
    let Some(browser) = room.browser("phone-needs") else { return };
    let boards: Vec<String> = (1..=12).map(|number| number.to_string()).collect();
    room.witness.publish_hall(&boards.iter().map(String::as_str).collect::<Vec<_>>());
    for (number, board) in (0..).zip(&boards) {
        room.witness.publish_alert(board, alert_body(1, if number % 3 == 2 { "board_lost" } else { "illegal_move" }, "loud"));
    }
    for (width, height) in [(390, 844), (1024, 768)] {
        browser.phone(width, height);
        if width == 390 {
            browser.log_in("/arbiter/", "anna");
        }
        // Four boards of one node without a word are one row.
        browser.wait("all rows", "document.querySelectorAll('.need').length === 9");
        let hidden = "(() => {
            const end = document.querySelector('.needs ul').getBoundingClientRect().bottom;
            return [...document.querySelectorAll('.need')].filter(row => {
                const { top, height } = row.getBoundingClientRect();
                return top + height / 2 > end;
            }).length;
        })()";
        browser.wait("some rows have no room", &format!("{hidden} > 0"));
        browser.wait("it says how many", &format!("document.querySelector('.needs-more').innerText === `${{{hidden}}} more ↓`"));
        browser.wait(
            "every row says that it opens",
            "[...document.querySelectorAll('.need-open')].every(one => one.checkVisibility())",
        );
        browser.is_accessible("a list that is cut");
        browser.screenshot(&format!("{width}"));
        let end = "const list = document.querySelector('.needs ul'); list.scrollTo(0, list.scrollHeight);";
        browser.run(end, &Value::Null);
        browser.gone(".needs-more");
        browser.run("document.querySelector('.needs ul').scrollTo(0, 0);", &Value::Null);
    }
}
