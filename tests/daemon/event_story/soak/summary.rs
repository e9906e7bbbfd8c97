//! What a run of the soak ends with: `summary.json` for programs, and the same in Markdown for people.

use std::fmt::Write as _;
use std::time::Duration;

use flagfall::system_clock::{monotonic, utc};
use serde_json::{Value, json};

use super::journals::Digests;
use super::processes::Series;
use super::{Event, say};

/// The slope of the memory is judged after a run of this length, and may be this large, in MB an hour.
const JUDGED_FROM: Duration = Duration::from_secs(30 * 60);
const STEEPEST: f64 = 1.0;
/// These live through the whole run.
const JUDGED: [&str; 3] = ["node 1", "node 2", "node 3"];

/// Writes both files and prints the second one. Returns what is wrong.
pub(super) fn write(event: &Event, digests: &Digests) -> Vec<String> {
    let ran = monotonic().since(event.began);
    let mut red = event.red.clone();
    for (name, series) in &event.processes.series {
        let steep = series.slope().filter(|slope| *slope > STEEPEST);
        if let Some(slope) = steep.filter(|_| JUDGED.contains(&name.as_str()) && ran >= JUDGED_FROM) {
            red.push(format!("{name}: its memory grows by {slope:.2} MB/h"));
        }
    }
    let seen = event.reader.seen();
    red.extend(seen.different.iter().map(|what| format!("an event with two contents: {what}")));
    red.extend(digests.different.iter().map(|what| format!("a digest that differs: {what}")));
    if digests.open > 0 {
        red.push(format!("{} journals were not verified in time", digests.open));
    }
    let counts = event.troubles.counts;
    let numbers = [
        ("seconds", ran.as_secs()),
        ("boards", event.hall.size.boards as u64),
        ("rounds", event.rounds.into()),
        ("moves", seen.moves),
        ("messages", seen.messages),
        ("kills of the broker", counts.broker.into()),
        ("kills of node 4", counts.node.into()),
        ("kills of the collector", counts.collector.into()),
        ("cables pulled", counts.cables.into()),
        ("steps of node 3's clock", counts.steps.into()),
        ("midnights of node 3", counts.midnights.into()),
        ("commands of arbiters", counts.commands.into()),
        ("messages that came again", seen.repeated),
        ("numbers that were restated", seen.restated),
        ("events lost with the broker that the reader asked for", seen.asked_for),
        ("gaps", event.gaps as u64),
        ("journals verified", digests.same),
        ("digests that differ", digests.different.len() as u64),
    ];
    let folder = &event.wanted.folder;
    let processes: Vec<Value> = event.processes.series.iter().map(|(name, series)| process(name, series)).collect();
    let of_event: serde_json::Map<String, Value> =
        numbers.iter().map(|(name, number)| ((*name).to_owned(), json!(number))).collect();
    let summary = json!({
        "seed": event.wanted.seed, "date": &utc().to_string()[..10], "event": of_event, "answers": seen.answers,
        "processes": processes, "red": red,
    });
    std::fs::write(folder.join("summary.json"), format!("{summary:#}\n")).expect("the summary");
    let table = table(event, &numbers, &red);
    std::fs::write(folder.join("summary").with_extension("md"), &table).expect("the summary");
    say(table);
    red
}

fn process(name: &str, series: &Series) -> Value {
    let sample = |one: &super::processes::Sample| {
        json!({"s": one.at.round(), "rss_kib": one.rss, "anonymous_kib": one.anonymous, "threads": one.threads,
               "descriptors": one.descriptors})
    };
    json!({
        "name": name, "mb_per_hour": series.slope(), "quiet": series.quiet.iter().map(sample).collect::<Vec<_>>(),
        "samples": series.samples.iter().map(sample).collect::<Vec<_>>(),
    })
}

fn table(event: &Event, numbers: &[(&str, u64)], red: &[String]) -> String {
    let mut text =
        format!("# Soak \"event\" of seed {}, {}\n\n| | |\n| --- | ---: |\n", event.wanted.seed, &utc().to_string()[..10]);
    // Writing to a string does not fail.
    for (name, number) in numbers {
        _ = writeln!(text, "| {name} | {number} |");
    }
    text.push_str("\n| process | samples over | RSS, first to last | MB/h | threads | descriptors |\n");
    text.push_str("| --- | ---: | ---: | ---: | ---: | ---: |\n");
    for (name, series) in &event.processes.series {
        let (Some(first), Some(last)) = (series.samples.first(), series.samples.last()) else { continue };
        let (before, after) = (series.quiet.first().unwrap_or(first), series.quiet.last().unwrap_or(last));
        let mb = |kib: u64| kib as f64 * 1024.0 / 1e6;
        let slope = series.slope().map_or("?".to_owned(), |slope| format!("{slope:+.2}"));
        _ = writeln!(
            text,
            "| {name} | {:.0} s | {:.1} to {:.1} MB | {slope} | {} to {} | {} to {} |",
            last.at - first.at,
            mb(first.rss),
            mb(last.rss),
            before.threads,
            after.threads,
            before.descriptors,
            after.descriptors
        );
    }
    text.push_str("\nThreads and descriptors are those of the first and the last quiet moment, memory is that of the last process of each program.\n\n");
    if red.is_empty() {
        text.push_str("Nothing is red.\n");
    }
    red.iter().for_each(|line| _ = writeln!(text, "* red: {line:.400}"));
    text
}
