//! The longest tasks of the main thread, from a recording of Chromium.

use std::collections::BTreeSet;
use std::time::Duration;

use serde_json::Value;

use crate::Lengths;
use crate::hall::Hall;
use crate::measure::share;
use crate::page::{PAGES, recording};
use crate::support::waiting::pause;
use crate::table::{Goal, Row};

/// The goal, milliseconds.
const LONGEST: f64 = 50.0;
/// Tasks of this time after the page has all boards do not count.
const FIRST_SECOND: Duration = Duration::from_secs(1);
/// What a recording of Chromium holds, with the loading of the page before it.
const LONGEST_RECORDING: Duration = Duration::from_secs(20);

/// Milliseconds of each task.
#[derive(Default)]
struct Tasks {
    /// CPU times.
    cpu: Vec<f64>,
    /// Times that passed, with the waits for a core.
    passed: Vec<f64>,
}

pub(crate) fn measure(hall: &Hall, lengths: &Lengths) -> Vec<Row> {
    let mut tasks = [Tasks::default(), Tasks::default()];
    let mut left = lengths.watched;
    while !left.is_zero() {
        let part = left.min(LONGEST_RECORDING);
        left -= part;
        for (open, tasks) in PAGES.iter().zip(&mut tasks) {
            let browser = recording(hall);
            open(&browser);
            pause(FIRST_SECOND + part);
            // The recording begins with the browser, and is read once.
            tasks.read(&browser.network(), part);
        }
    }
    let [mut page, mut yardstick] = tasks;
    let mut rows = Vec::new();
    for (what, page, yardstick) in
        [("CPU time", &mut page.cpu, &mut yardstick.cpu), ("with waits for a core", &mut page.passed, &mut yardstick.passed)]
    {
        for (which, part) in [("99 %", 0.99), ("longest", 1.0)] {
            rows.push(Row {
                what: format!("hall: tasks, {what}, {which}"),
                value: share(page, part),
                yardstick: Some(share(yardstick, part)),
                unit: "ms",
                goal: (part == 1.0).then_some(Goal::Units(LONGEST)),
            });
        }
    }
    rows
}

impl Tasks {
    /// Adds the tasks of all pages in the last part of a recording; only one of the pages does anything.
    fn read(&mut self, events: &[(String, Value)], part: Duration) {
        let traced = || events.iter().filter(|(method, _)| method == "Tracing.dataCollected").map(|(_, event)| event);
        let thread = |event: &Value| (event["pid"].as_u64(), event["tid"].as_u64());
        let of_pages = |event: &&Value| event["name"] == "thread_name" && event["args"]["name"] == "CrRendererMain";
        let main: BTreeSet<_> = traced().filter(of_pages).map(thread).collect();
        let runs: Vec<&Value> = traced().filter(|event| event["name"] == "RunTask" && main.contains(&thread(event))).collect();
        let micros = |event: &Value, field: &str| event[field].as_f64();
        let end = runs.iter().filter_map(|event| micros(event, "ts")).fold(0.0, f64::max);
        let begin = end - part.as_micros() as f64;
        let first = runs.iter().filter_map(|event| micros(event, "ts")).fold(end, f64::min);
        assert!(first <= begin, "the recording has only {:.1} s of {part:?}", (end - first) / 1e6);
        for event in runs.iter().filter(|event| micros(event, "ts") >= Some(begin)) {
            self.cpu.extend(micros(event, "tdur").map(|micros| micros / 1000.0));
            self.passed.extend(micros(event, "dur").map(|micros| micros / 1000.0));
        }
    }
}
