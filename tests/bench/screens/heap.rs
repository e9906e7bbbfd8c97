//! Whether the heap of a page grows.

use std::time::Duration;

use flagfall::system_clock::monotonic;
use serde_json::json;

use crate::Lengths;
use crate::hall::Hall;
use crate::page::{PAGES, browser};
use crate::stage::browser::Browser;
use crate::support::waiting::pause;
use crate::table::{Goal, Row};

/// The number of samples; the first quarter is not used for the growth.
const SAMPLES: u32 = 60;
/// The goals: megabytes, and megabytes in an hour.
const SIZE: f64 = 40.0;
const GROWTH: f64 = 1.0;

/// Hours since the beginning, and megabytes.
type Sample = (f64, f64);

pub(crate) fn measure(hall: &Hall, lengths: &Lengths) -> Vec<Row> {
    // Both pages at the same time: an hour is long, and a heap does not depend on the load of the machine.
    let browsers = PAGES.map(|open| {
        let browser = browser(hall);
        open(&browser);
        browser.count_cpu();
        browser
    });
    let began = monotonic();
    let mut samples = [Vec::new(), Vec::new()];
    let mut due = began;
    for _ in 0..SAMPLES {
        due = due.after(lengths.heap / SAMPLES);
        pause(due.since(monotonic().min(due)));
        for (browser, samples) in browsers.iter().zip(&mut samples) {
            let heap = collected(browser);
            samples.push((monotonic().since(began).as_secs_f64() / 3600.0, heap));
        }
    }
    let minutes = lengths.heap.as_secs() / 60;
    let [page, yardstick] = samples;
    let row = |what: String, of: fn(&[Sample]) -> f64, unit, goal: Option<f64>| Row {
        what,
        value: of(&page),
        yardstick: Some(of(&yardstick)),
        unit,
        goal: goal.map(Goal::Units),
    };
    vec![
        row(
            format!("hall: heap after {minutes} minutes"),
            |samples| samples.last().map_or(0.0, |sample| sample.1),
            "MB",
            Some(SIZE),
        ),
        // Minutes say nothing about an hour.
        row(
            format!("hall: growth of the heap, last {} minutes", minutes * 3 / 4),
            |samples| slope(&samples[samples.len() / 4..]),
            "MB/h",
            (lengths.heap >= Duration::from_secs(3600)).then_some(GROWTH),
        ),
    ]
}

/// The used heap after a collection of garbage, megabytes.
fn collected(browser: &Browser) -> f64 {
    browser.cdp("HeapProfiler.collectGarbage", json!({}));
    browser.metrics().heap / 1e6
}

/// Megabytes in an hour, by least squares.
fn slope(samples: &[Sample]) -> f64 {
    let count = samples.len() as f64;
    let mean = |pick: fn(&Sample) -> f64| samples.iter().map(pick).sum::<f64>() / count;
    let (time, size) = (mean(|sample| sample.0), mean(|sample| sample.1));
    let above: f64 = samples.iter().map(|sample| (sample.0 - time) * (sample.1 - size)).sum();
    let below: f64 = samples.iter().map(|sample| (sample.0 - time).powi(2)).sum();
    above / below
}
