//! From the publication of an alarm to the frame that shows it.

use std::time::Duration;

use flagfall::system_clock::{monotonic, utc};

use crate::hall::{Hall, alarm_topic};
use crate::measure::share;
use crate::page::{PAGES, browser};
use crate::stage::made_up::{alert_body, state};
use crate::support::waiting::pause;
use crate::table::{Goal, Row};
use crate::{BOARDS, Lengths};

/// The time between two alarms.
const EVERY: Duration = Duration::from_millis(400);
/// An alarm is open for so many of these times.
const OPEN: usize = 4;
/// The goal for 99 of 100, milliseconds.
const PAINTED: f64 = 100.0;

pub(crate) fn measure(hall: &Hall, lengths: &Lengths) -> Vec<Row> {
    // Each page has numbers of its own, so that one does not show the alarms of the other.
    let mut number = 0;
    let [mut page, mut yardstick] = PAGES.map(|open| {
        let browser = browser(hall);
        open(&browser);
        let first = number + 1;
        let mut sent = Vec::new();
        let mut due = monotonic();
        for index in 0..lengths.alarms + OPEN {
            due = due.after(EVERY);
            pause(due.since(monotonic().min(due)));
            if let Some(old) = index.checked_sub(OPEN) {
                let id = first + old as u64;
                hall.publisher.delete(&alarm_topic(&board(id), id));
            }
            if index < lengths.alarms {
                number += 1;
                sent.push((number, now_ms()));
                let body = alert_body(number, "illegal_move", "loud");
                hall.publisher.retain(&alarm_topic(&board(number), number), &state("board.alert", &board(number), body));
            }
        }
        let painted = browser.get("[bench.painted, performance.timeOrigin]");
        let origin = painted[1].as_f64().expect("a time");
        let latency = |(id, sent): &(u64, f64)| Some(painted[0][id.to_string()].as_f64()? + origin - sent);
        let latencies: Vec<f64> = sent.iter().filter_map(latency).collect();
        assert_eq!(latencies.len(), sent.len(), "every alarm is shown: {painted}");
        latencies
    });
    let mut row = |which: &str, part: f64| Row {
        what: format!("hall: alarm to its frame, {which}"),
        value: share(&mut page, part),
        yardstick: Some(share(&mut yardstick, part)),
        unit: "ms",
        goal: (part == 0.99).then_some(Goal::Units(PAINTED)),
    };
    vec![row("median", 0.5), row("99 %", 0.99), row("longest", 1.0)]
}

fn board(number: u64) -> String {
    (number * 37 % BOARDS as u64 + 1).to_string()
}

/// Milliseconds since 1970.
fn now_ms() -> f64 {
    utc().0 as f64 / 1000.0
}
