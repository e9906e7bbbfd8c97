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

/// Milliseconds of each task.
#[derive(Default)]
struct Tasks {
    /// CPU times.
    cpu: Vec<f64>,
    /// Times that passed, with the waits for a core.
    passed: Vec<f64>,
}

pub(crate) fn measure(hall: &Hall, lengths: &Lengths) -> Vec<Row> {
    let [mut page, mut yardstick] = PAGES.map(|open| {
        let browser = recording(hall);
        open(&browser);
        pause(lengths.watched);
        // The recording begins with the browser, and is read once.
        Tasks::read(&browser.network(), lengths.watched)
    });
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
    /// The tasks of all pages in the last part of a recording; only one of the pages does anything.
    fn read(events: &[(String, Value)], part: Duration) -> Tasks {
        let traced = || events.iter().filter(|(method, _)| method == "Tracing.dataCollected").map(|(_, event)| event);
        let thread = |event: &Value| (event["pid"].as_u64(), event["tid"].as_u64());
        let of_pages = |event: &&Value| event["name"] == "thread_name" && event["args"]["name"] == "CrRendererMain";
        let main: BTreeSet<_> = traced().filter(of_pages).map(thread).collect();
        let runs: Vec<&Value> = traced().filter(|event| event["name"] == "RunTask" && main.contains(&thread(event))).collect();
        let micros = |event: &Value, field: &str| event[field].as_f64();
        let end = runs.iter().filter_map(|event| micros(event, "ts")).fold(0.0, f64::max);
        let begin = end - part.as_micros() as f64;
        let mut tasks = Tasks::default();
        for event in runs.iter().filter(|event| micros(event, "ts") >= Some(begin)) {
            tasks.cpu.extend(micros(event, "tdur").map(|micros| micros / 1000.0));
            tasks.passed.extend(micros(event, "dur").map(|micros| micros / 1000.0));
        }
        assert!(!tasks.cpu.is_empty(), "the recording has no tasks: {} events", events.len());
        tasks
    }
}
