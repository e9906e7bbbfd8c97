//! Browsers for a scene: one with a page of the staff, and one with the yardstick.

use std::time::Duration;

use serde_json::{Value, json};

use crate::BOARDS;
use crate::hall::Hall;
use crate::stage::browser::Browser;

/// What the DevTools say about a page since it was loaded.
#[derive(Clone, Copy)]
pub(crate) struct Metrics {
    /// CPU time of the main thread in tasks, and the part of it in scripts.
    pub(crate) tasks: Duration,
    pub(crate) scripts: Duration,
    /// The used heap, bytes.
    pub(crate) heap: f64,
}

/// A browser that notes what [`Browser::bench`] reads. It keeps no log of the network, which would hold every message.
pub(crate) fn browser(hall: &Hall) -> Browser {
    with_logs(hall, &json!({"browser": "ALL"}), &Value::Null)
}

/// The same, which records the tasks of the main thread.
pub(crate) fn recording(hall: &Hall) -> Browser {
    let recorded =
        json!({"enableNetwork": false, "enablePage": false, "traceCategories": "disabled-by-default-devtools.timeline"});
    with_logs(hall, &json!({"browser": "ALL", "performance": "ALL"}), &recorded)
}

fn with_logs(hall: &Hall, logs: &Value, performance: &Value) -> Browser {
    let browser = Browser::with_logs("bench", hall.address, logs, performance).expect("a browser, as was seen before");
    browser.before_each_page(&format!("const BOARDS = {BOARDS};\n{}\n{}", include_str!("page.js"), include_str!("plain.js")));
    browser
}

impl Browser {
    /// Opens the hall of an arbiter, and waits until it shows all boards.
    pub(crate) fn open_hall(&self) {
        self.log_in("/arbiter/", "anna");
        self.wait("all boards", "bench.all");
    }

    /// Opens the yardstick, and waits until it has received all boards.
    pub(crate) fn open_plain(&self) {
        self.open("/");
        self.wait("all boards", "bench.all");
    }

    pub(crate) fn metrics(&self) -> Metrics {
        let answer = self.cdp("Performance.getMetrics", json!({}));
        let value = |name: &str| {
            let metric = answer["metrics"].as_array().into_iter().flatten().find(|metric| metric["name"] == name);
            metric.and_then(|metric| metric["value"].as_f64()).unwrap_or_else(|| panic!("no {name} in {answer}"))
        };
        let time = |name: &str| Duration::from_secs_f64(value(name));
        Metrics { tasks: time("TaskDuration"), scripts: time("ScriptDuration"), heap: value("JSHeapUsedSize") }
    }

    /// Switches on the metrics, with CPU times instead of times that pass.
    pub(crate) fn count_cpu(&self) {
        self.cdp("Performance.enable", json!({"timeDomain": "threadTicks"}));
    }
}

/// The two pages that every scene compares, in this order: page and yardstick.
pub(crate) const PAGES: [fn(&Browser); 2] = [Browser::open_hall, Browser::open_plain];
