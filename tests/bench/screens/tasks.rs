//! The longest tasks of the main thread, from a recording of Chromium.

use std::collections::BTreeSet;

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
        // What was recorded until here belongs to the loading.
        browser.network();
        pause(lengths.watched);
        Tasks::read(&browser.network())
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
    /// The tasks of all pages in a recording; only one of them does anything.
    fn read(events: &[(String, Value)]) -> Tasks {
        let traced = || events.iter().filter(|(method, _)| method == "Tracing.dataCollected").map(|(_, event)| event);
        let thread = |event: &Value| (event["pid"].as_u64(), event["tid"].as_u64());
        let main: BTreeSet<_> = traced()
            .filter(|event| event["name"] == "thread_name" && event["args"]["name"] == "CrRendererMain")
            .map(thread)
            .collect();
        let mut tasks = Tasks::default();
        for event in traced().filter(|event| event["name"] == "RunTask" && main.contains(&thread(event))) {
            let ms = |field: &str| event[field].as_f64().map(|micros| micros / 1000.0);
            tasks.cpu.extend(ms("tdur"));
            tasks.passed.extend(ms("dur"));
        }
        assert!(!tasks.cpu.is_empty(), "the recording has no tasks: {} events", events.len());
        tasks
    }
}
