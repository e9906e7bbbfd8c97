//! How long a page takes to show what it is for, and how much it loads.

use serde_json::json;

use crate::hall::Hall;
use crate::measure::middle;
use crate::page::browser;
use crate::stage::browser::Browser;
use crate::table::{Goal, Row};
use crate::{BOARDS, Lengths};

/// Every page, and whether its first state is that of a staff page, which logs in by itself after the first time.
const PAGES: [&str; 5] = ["/arbiter/", "/operations/", "/wall/?boards=1-40", "/board/?board=1", "/overlay/?board=1"];
const FIRST_STATE_MS: f64 = 1000.0;
const WEIGHT_KB: f64 = 200.0;

pub(crate) fn measure(hall: &Hall, lengths: &Lengths) -> Vec<Row> {
    let browser = browser(hall);
    // What a page loads, it loads each time.
    browser.cdp("Network.enable", json!({}));
    browser.cdp("Network.setCacheDisabled", json!({"cacheDisabled": true}));
    browser.log_in("/arbiter/", "anna");
    let yardstick = Loaded::of(&browser, "/", lengths.loads);
    let mut rows = Vec::new();
    for page in PAGES {
        let mut loaded = Loaded::of(&browser, page, lengths.loads);
        let name = page.split('?').next().unwrap_or(page);
        let row = |what: &str, value: f64, yardstick: f64, unit, goal: Option<f64>| Row {
            what: format!("{name} {what}"),
            value,
            yardstick: Some(yardstick),
            unit,
            goal: goal.map(Goal::Units),
        };
        rows.push(row(
            "first state",
            middle(&mut loaded.first),
            middle(&mut yardstick.first.clone()),
            "ms",
            Some(FIRST_STATE_MS),
        ));
        if name == "/arbiter/" {
            let what = format!("all {BOARDS} boards");
            rows.push(row(&what, middle(&mut loaded.all), middle(&mut yardstick.all.clone()), "ms", None));
        }
        rows.push(row("loads", loaded.weight, yardstick.weight, "KB", Some(WEIGHT_KB)));
    }
    rows
}

/// The times of several loads, and the weight of the last one.
struct Loaded {
    first: Vec<f64>,
    all: Vec<f64>,
    weight: f64,
}

impl Loaded {
    fn of(browser: &Browser, page: &str, loads: usize) -> Loaded {
        let mut loaded = Loaded { first: Vec::new(), all: Vec::new(), weight: 0.0 };
        for _ in 0..loads {
            browser.open(page);
            browser.wait("what it shows", "bench.first && bench.all");
            let read = |name: &str| browser.get(name).as_f64().unwrap_or_else(|| panic!("{name} is no number"));
            loaded.first.push(read("bench.first"));
            loaded.all.push(read("bench.all"));
            loaded.weight = browser.weight();
        }
        loaded
    }
}

impl Browser {
    /// Everything that the page has loaded from its server, in kilobytes as they were sent.
    fn weight(&self) -> f64 {
        let bytes = self.get(
            "[...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')]
                 .reduce((sum, entry) => sum + entry.encodedBodySize, 0)",
        );
        bytes.as_f64().expect("a number") / 1000.0
    }
}
