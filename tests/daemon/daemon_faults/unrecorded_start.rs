//! A start on a read-only disk leaves no trace there. The next start finds one at the broker, so nobody keeps the wrong events.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use flagfall::emulate::PtyBoard;
use flagfall::journal::{Disk, read};
use flagfall::wire::alarm::ProgramAlarm;
use flagfall_hardware::emulator::Settings;
use flagfall_hardware::emulator::script::Script;
use flagfall_protocols::trace::{Audience, Body};
use serde_json::Value;

use super::{PLIES, alert, alerts, script};
use crate::support::hall::process::{DaemonFolder, DaemonProcess};
use crate::support::mqtt::{Mosquitto, MosquittoMessage, MosquittoSub};
use crate::support::schemas;

/// A consumer that keeps the events of one audience and obeys `restated`.
#[derive(Default)]
struct Consumer {
    /// By number and id.
    held: BTreeMap<(u64, String), Value>,
    restated: Vec<u64>,
}

/// The start in which an id was given.
fn boot_of(id: &str) -> &str {
    id.split(':').nth(1).expect("the start")
}

impl Consumer {
    fn take(&mut self, number: u64, event: &Value) {
        let id = event["id"].as_str().expect("an id").to_owned();
        if event["type"] == "board.restated" || event["body"]["what"] == "restated" {
            let from = event["body"]["from"].as_u64().expect("a number");
            self.held.retain(|(no, held), _| *no < from || (boot_of(held) == boot_of(&id) && *no >= number));
            self.restated.push(from);
        }
        self.held.insert((number, id), event["body"].clone());
    }
}

/// The consumers of all audiences, by the audience's name.
fn consumers(all: &[MosquittoMessage]) -> BTreeMap<&str, Consumer> {
    let mut consumers = BTreeMap::<&str, Consumer>::new();
    for received in all.iter().filter(|received| received.topic.contains("/ev/1/b0/")) {
        if let Some(number) = received.no() {
            schemas::validate(&received.topic, received.payload.as_bytes()).unwrap_or_else(|problem| panic!("{problem}"));
            consumers.entry(received.branch()).or_default().take(number, &received.json);
        }
    }
    consumers
}

/// The ids and bodies of an audience's events in the journal, by number.
fn recorded(journal: &Path, audience: Audience) -> BTreeMap<u64, (String, Value)> {
    let recovered = read(&mut Disk::reading(journal)).expect("readable");
    let event = |record: flagfall_protocols::trace::Record<'_>| match record.body {
        Body::Out { number, audience: whose, payload, .. } if whose == audience => {
            let mut event: Value = serde_json::from_str(payload).expect("JSON");
            Some((number, (event["id"].as_str().expect("an id").to_owned(), event["body"].take())))
        }
        _ => None,
    };
    recovered.records().filter_map(event).collect()
}

#[test]
fn after_a_start_that_could_record_nothing_no_consumer_keeps_wrong_events() {
    let broker = Mosquitto::start();
    let folder = DaemonFolder::new("n1", broker.port());
    let config = folder.config();
    let board = PtyBoard::start("b0", Settings::default(), &Script::new(), 1.0).expect("a board");
    board.link_at(&folder.port()).expect("a link");
    let (subscriber, alerts) = (MosquittoSub::new(broker.port(), &["flagfall/#"]), alerts(&broker));
    let mut all = Vec::new();
    let end = |process: DaemonProcess, all: &mut Vec<MosquittoMessage>| {
        process.terminate();
        assert!(process.wait_for_end().success());
        all.extend(
            subscriber
                .until("the end", |received| received.topic.ends_with("/n1/status") && received.body()["state"] == "stopped"),
        );
    };
    let with_moves = |count: usize| {
        move |received: &MosquittoMessage| {
            received.topic == "flagfall/1/arbiter/ev/1/b0/state"
                && received.body()["moves"].as_array().is_some_and(|moves| moves.len() >= count)
        }
    };

    let first = DaemonProcess::start(&config);
    all.extend(subscriber.until("the board", |received| received.body()["state"] == "online"));
    board.load(&script()).expect("hands");
    all.extend(subscriber.until("moves", with_moves(2)));
    end(first, &mut all);
    let journal = folder.journal().join("b0");
    let before = recorded(&journal, Audience::Arbiter).len();

    // The journal can be read and not written: the game goes on.
    let journals = folder.journal().display().to_string();
    let mounts = [format!("--bind {journals} {journals}"), format!("-o remount,bind,ro {journals}")];
    let Some(second) = DaemonProcess::with_mount(&config, &[&mounts[0], &mounts[1]]) else { return };
    alert(&alerts, ProgramAlarm::NotRecorded, Some("not_recorded"));
    assert!(board.wait_done(Duration::from_secs(60)));
    all.extend(subscriber.until("the game goes on", with_moves(4)));
    end(second, &mut all);
    assert_eq!(recorded(&journal, Audience::Arbiter).len(), before, "nothing was recorded");
    let last = |consumer: &Consumer| consumer.held.keys().next_back().map_or(0, |(number, _)| *number);
    assert!(consumers(&all).values().all(|consumer| last(consumer) > before as u64), "numbers were given");

    let third = DaemonProcess::start(&config);
    all.extend(subscriber.until("the whole game", with_moves(PLIES)));
    end(third, &mut all);
    for (branch, consumer) in consumers(&all) {
        let audience = Audience::ALL.into_iter().find(|audience| audience.name() == branch).expect("an audience");
        let recorded = recorded(&journal, audience);
        assert_eq!(consumer.restated.last(), Some(&1), "{branch}");
        for ((number, id), body) in &consumer.held {
            assert_eq!(recorded.get(number), Some(&(id.clone(), body.clone())), "{branch}: {:?}", consumer.restated);
        }
    }
    // After a start that is known, nothing is restated.
    let count = all.len();
    let fourth = DaemonProcess::start(&config);
    let ready = |received: &MosquittoMessage| received.topic.ends_with("/n1/status") && received.body()["state"] == "ready";
    all.extend(subscriber.until("the fourth start", ready));
    end(fourth, &mut all);
    assert!(consumers(&all[count..]).values().all(|consumer| consumer.restated.is_empty()));
}
