//! The tables, as text and as JSON.

use std::fmt::Write;

use serde_json::{Value, json};

use crate::measure::share;
use crate::methods::Method;
use crate::tally::{Key, LEVELS, Sum, Tally};

/// Writes all tables as text.
pub(crate) fn tables(tally: &Tally, text: &mut String) {
    for (irregular, head) in [(false, "without irregularities"), (true, "with irregularities: one in every other game")] {
        table(tally, irregular, head, text);
    }
    if tally.left > 0 {
        let _ = writeln!(text, "{} games could not be simulated", tally.left);
    }
    let _ =
        writeln!(text, "{} games read differently from the recorded bytes than in the simulation\n", tally.replayed_differently);
}

fn table(tally: &Tally, irregular: bool, head: &str, text: &mut String) {
    let _ = writeln!(
        text,
        "{:30} {:9} {:>21} {:>24} {:>18} {:>13} {:>15}",
        head.split(':').next().unwrap_or(head),
        "",
        "games exact of",
        "wrong / 1000 plies",
        "false alarms/1000",
        "told p50, ms",
        "p99, ms"
    );
    let _ = writeln!(
        text,
        "{:30} {:9} {:>21} {:>24} {:>18} {:>13} {:>15}",
        "", "", "clean typ rough", "clean typ rough", "clean typ rough", "c t r", "c t r"
    );
    let rows = tally.sums.keys().filter(|key| key.irregular == irregular && key.level == 0);
    let mut speeds: Vec<(usize, &str)> = rows.clone().map(|key| (key.order, key.speed)).collect();
    speeds.sort_unstable();
    speeds.dedup();
    let mut last = None;
    for key in rows {
        if last.replace(key.method).is_some_and(|last| last != key.method) && speeds.len() > 1 {
            text.push('\n');
        }
        row(tally, key, text);
    }
    text.push('\n');
}

fn row(tally: &Tally, key: &Key, text: &mut String) {
    let sums: Vec<Sum> =
        (0..LEVELS.len()).map(|level| tally.sums.get(&Key { level, ..*key }).cloned().unwrap_or_default()).collect();
    let each = |what: &dyn Fn(&Sum) -> String| sums.iter().map(what).collect::<Vec<_>>().join(" ");
    let exact = each(&|sum| format!("{:>4}", sum.exact)) + &format!(" /{:>5}", sums[0].games);
    let wrong = each(&|sum| format!("{:>7.2}", sum.per_thousand(sum.wrong)));
    let alarms = match key.method {
        Method::Ours => each(&|sum| format!("{:.2}", sum.per_thousand(sum.false_alarms))),
        _ => "-".to_owned(),
    };
    let told = |part: f64| match key.method {
        Method::Ours | Method::Without(_) => each(&|sum| format!("{:.0}", share(&mut sum.commit_us.clone(), part) / 1000.0)),
        _ => "-".to_owned(),
    };
    let line = format!(
        "{:30} {:9} {exact:>21} {wrong:>24} {alarms:>18} {:>13} {:>15}",
        key.method.name(),
        key.speed,
        told(0.5),
        told(0.99)
    );
    let _ = writeln!(text, "{}", line.trim_end());
}

/// The tables as an array of JSON objects.
pub(crate) fn json(tally: &Tally) -> String {
    let rows: Vec<Value> = tally
        .sums
        .iter()
        .map(|(key, sum)| {
            let ours = matches!(key.method, Method::Ours | Method::Without(_));
            let told = |part: f64| ours.then(|| share(&mut sum.commit_us.clone(), part) / 1000.0);
            json!({
                "method": key.method.name(),
                "irregularities": key.irregular,
                "speed": key.speed,
                "level": LEVELS[key.level],
                "games": sum.games,
                "exact": sum.exact,
                "plies": sum.plies,
                "wrong_commits": sum.wrong,
                "false_alarms": (key.method == Method::Ours).then_some(sum.false_alarms),
                "told_ms_p50": told(0.5),
                "told_ms_p99": told(0.99),
            })
        })
        .collect();
    // Numbers and names can always be written.
    serde_json::to_string_pretty(&rows).unwrap_or_default() + "\n"
}
