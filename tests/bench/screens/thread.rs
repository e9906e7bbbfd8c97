//! How busy the main thread of a page is.

use flagfall::system_clock::monotonic;

use crate::Lengths;
use crate::hall::Hall;
use crate::page::{PAGES, browser};
use crate::support::waiting::pause;
use crate::table::{Goal, Row};

/// The goal, percent of one core.
const BUSY: f64 = 25.0;

pub(crate) fn measure(hall: &Hall, lengths: &Lengths) -> Vec<Row> {
    let [page, yardstick] = PAGES.map(|open| {
        let browser = browser(hall);
        open(&browser);
        browser.count_cpu();
        let (began, before) = (monotonic(), browser.metrics());
        pause(lengths.watched);
        let (after, passed) = (browser.metrics(), monotonic().since(began).as_secs_f64());
        let share = |spent: std::time::Duration| spent.as_secs_f64() / passed * 100.0;
        [share(after.tasks - before.tasks), share(after.scripts - before.scripts)]
    });
    let row = |what: &str, index: usize, goal| Row {
        what: what.to_owned(),
        value: page[index],
        yardstick: Some(yardstick[index]),
        unit: "%",
        goal,
    };
    vec![row("hall: CPU time of the main thread", 0, Some(Goal::Units(BUSY))), row("hall: the part of it in scripts", 1, None)]
}
