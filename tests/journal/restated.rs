//! Numbers that a power cut makes a station give twice: their ids differ, and a consumer that obeys `restated` has what is published.

use std::collections::BTreeMap;

use fastrand::Rng;
use flagfall::journal::Limits;
use flagfall::publish::Message;
use flagfall::publish::delay::Delay;
use flagfall::session::boot::Start;
use flagfall::session::recorder::Recorder;
use flagfall::session::restore::RestoreReport;
use flagfall::session::station::StationOutput;
use flagfall_protocols::time::Instant;
use flagfall_protocols::trace::{Audience, Body, FORMAT, print_header};
use serde_json::Value;

use crate::support::fake_disk::FakeDisk;
use crate::support::parts::Parts;
use crate::support::seeds::{campaign, ordinary};
use crate::support::tapes::memory::Memory;
use crate::support::tapes::{Tape, own_tapes};

/// These seeds have a thousand power cuts together.
const SEEDS: u64 = 260;

fn boot(boot: u64) -> Start {
    Start { program: "test".to_owned(), node: "n1".to_owned(), boot, ..Start::default() }
}

fn json(message: &Message) -> Value {
    serde_json::from_str(&message.payload).expect("JSON")
}

fn uci(moves: &Value) -> Vec<String> {
    let moves = moves.as_array().expect("moves").iter();
    moves.map(|played| played["uci"].as_str().expect("a move").to_owned()).collect()
}

/// The first number that may have been given before, if this event says so.
fn restated(event: &Value) -> Option<u64> {
    let is = event["type"] == "board.restated" || event["type"] == "board.audit" && event["body"]["what"] == "restated";
    is.then(|| event["body"]["from"].as_u64().expect("a number"))
}

/// The start in which an event got its number.
fn boot_of(event: &Value) -> u64 {
    let id = event["id"].as_str().expect("an id");
    id.split(':').nth(1).expect("the start").parse().expect("a number")
}

/// A consumer of the events of one audience.
#[derive(Default)]
struct Consumer {
    /// The events that count, by id.
    held: BTreeMap<String, Value>,
    /// Every id that ever came, with its event.
    seen: BTreeMap<String, Value>,
    /// Every number that ever came, with the first event that had it.
    numbers: BTreeMap<u64, Value>,
    game: String,
    moves: Vec<String>,
    /// After `restated` the next state is the truth.
    awaits_state: bool,
    /// How many numbers came with two contents.
    twice: u64,
    compared: u64,
}

impl Consumer {
    fn take_event(&mut self, event: Value) {
        let id = event["id"].as_str().expect("an id").to_owned();
        let number = event["no"].as_u64().expect("a number");
        if let Some(before) = self.seen.insert(id.clone(), event.clone()) {
            assert_eq!(before, event, "one id, two events");
            return;
        }
        let first = self.numbers.entry(number).or_insert_with(|| event.clone());
        self.twice += u64::from(first["body"] != event["body"]);
        if let Some(from) = restated(&event) {
            let own = boot_of(&event);
            let is_void = |held: &Value| {
                let no = held["no"].as_u64().expect("a number");
                no >= from && (boot_of(held) != own || no < number)
            };
            self.held.retain(|_, held| !is_void(held));
            self.awaits_state = true;
        }
        let held = self.held.values().map(|held| held["no"].as_u64().expect("a number")).max();
        assert!(held.is_none_or(|held| held < number), "number {number} after {held:?}, and nothing says why");
        if self.game != event["game"] {
            self.game = event["game"].as_str().expect("a game").to_owned();
            self.moves.clear();
        }
        let body = &event["body"];
        match event["type"].as_str() {
            Some("board.move") => {
                self.moves.truncate(body["ply"].as_u64().expect("a ply") as usize - 1);
                self.moves.push(body["uci"].as_str().expect("a move").to_owned());
            }
            Some("board.revision") => {
                self.moves.truncate(body["from_ply"].as_u64().expect("a ply") as usize - 1);
                self.moves.extend(uci(&body["moves"]));
            }
            _ => {}
        }
        self.held.insert(id, event);
    }

    fn take_state(&mut self, state: &Value, what: &str) {
        let published = uci(&state["body"]["moves"]);
        // After an illegal position the plies begin anew, which no event says.
        let begins_anew = state["body"]["segments"].as_array().is_some_and(|segments| !segments.is_empty());
        if std::mem::take(&mut self.awaits_state) || begins_anew {
            (self.game, self.moves) = (state["game"].as_str().expect("a game").to_owned(), published);
            return;
        }
        let ours = if state["game"] == self.game.as_str() { &self.moves[..] } else { &[] };
        assert_eq!(ours, published, "{what}");
        self.compared += 1;
    }
}

/// All consumers.
#[derive(Default)]
struct Hall([Consumer; 3], Parts);

impl Hall {
    /// Takes what came in one turn: the events, then the last state of each audience.
    fn take(&mut self, out: Vec<StationOutput>, what: &str) {
        let Hall(consumers, parts) = self;
        let mut states: [Option<Value>; 3] = [None, None, None];
        for output in out {
            let StationOutput::Message(message) = output else { continue };
            let consumer = &mut consumers[message.audience as usize];
            if message.number > 0 {
                consumer.take_event(json(&message));
            } else if message.topic.ends_with("/state") {
                let state = parts.joined(&message.topic, message.payload.as_bytes());
                states[message.audience as usize] = serde_json::from_slice(&state).ok();
            } else {
                parts.joined(&message.topic, message.payload.as_bytes());
            }
        }
        for audience in [Audience::Live, Audience::Public] {
            if let Some(state) = &states[audience as usize] {
                consumers[audience as usize].take_state(state, what);
            }
        }
    }
}

fn tapes() -> Vec<Tape> {
    let short = |tape: &Tape| tape.inputs.len() < 400;
    let mut tapes: Vec<Tape> = own_tapes().into_iter().filter(short).collect();
    for tape in &mut tapes {
        tape.setting.delay = Some(Delay { time: std::time::Duration::from_secs(3), moves: 0 });
    }
    assert!(tapes.len() > 5, "too few short tapes");
    tapes
}

fn longest() -> Tape {
    tapes().into_iter().max_by_key(|tape| tape.inputs.len()).expect("a tape")
}

/// Plays a tape with power cuts; what the board sends while there is no power is lost. Returns the number of power cuts, of
/// numbers with two contents, and of states that were compared.
fn run(seed: u64, tapes: &[Tape]) -> [u64; 3] {
    let mut rng = Rng::with_seed(seed);
    let tape = &tapes[rng.usize(0..tapes.len())];
    let disk = FakeDisk::new(seed ^ 0x5eed);
    let mut hall = Hall::default();
    let cuts = rng.u64(3..6);
    let mut inputs = tape.inputs.iter();
    for run in 0..=cuts {
        let what = format!("{}, start {}", tape.name, run + 1);
        let mut out = Vec::new();
        let fs = Box::new(disk.clone());
        let opened = Recorder::start(fs, Limits::default(), &tape.setting, "s", &boot(run + 1), &mut |output| {
            out.push(output);
            Ok(())
        });
        let (mut recorder, _) = opened.expect("opens");
        let first = |audience| {
            out.iter().find_map(|output| match output {
                StationOutput::Message(message) if message.number > 0 && message.audience == audience => Some(json(message)),
                _ => None,
            })
        };
        for audience in Audience::ALL {
            assert_eq!(first(audience).is_some_and(|event| restated(&event).is_some()), run > 0, "{what}: {audience:?}");
        }
        hall.take(out, &what);
        let last_run = run == cuts;
        let most = if last_run { usize::MAX } else { rng.usize(0..=tape.inputs.len() * 2 / (cuts as usize + 1)) };
        for (at, body) in inputs.by_ref().take(most) {
            let mut out = Vec::new();
            let mut sink = |output| {
                out.push(output);
                Ok(())
            };
            recorder.feed(*at, body, &mut sink).expect("an input");
            hall.take(out, &what);
        }
        if last_run {
            let mut out = Vec::new();
            let end = tape.end().max(recorder.journal().standing().last_at);
            recorder
                .advance(end.after(std::time::Duration::from_secs(10)), &mut |output| {
                    out.push(output);
                    Ok(())
                })
                .expect("kept");
            hall.take(out, &what);
        } else {
            drop(recorder);
            disk.cut_power();
        }
    }
    let sum = |count: fn(&Consumer) -> u64| hall.0.iter().map(count).sum();
    [cuts, sum(|consumer| consumer.twice), sum(|consumer| consumer.compared)]
}

#[test]
fn after_a_thousand_power_cuts_a_consumer_has_what_is_published() {
    let tapes = tapes();
    let mut sums = [0; 3];
    // A sector of the journal is lost, and a deadline comes before the start.
    let deadline_before_start = 1_795_550_430_000_647;
    campaign("restated numbers", (0..SEEDS).chain([deadline_before_start]), |seed| {
        let more = run(seed, &tapes);
        sums.iter_mut().zip(more).for_each(|(sum, more)| *sum += more);
        more[0]
    });
    if ordinary() {
        let [cuts, twice, compared] = sums;
        assert!(cuts >= 1000, "only {cuts} power cuts");
        assert!(twice >= 50 && compared >= 1000, "{twice} numbers have two contents, {compared} states: the test shows little");
    }
}

/// Opens the journal on this disk as start `boot` and feeds a part of the tape.
fn play(disk: Memory, tape: &Tape, boot: u64, part: std::ops::Range<usize>) -> (Recorder, RestoreReport, Vec<Value>) {
    let mut events = Vec::new();
    let mut sink = |output| {
        if let StationOutput::Message(message) = output
            && message.number > 0
        {
            events.push(json(&message));
        }
        Ok(())
    };
    let opened = Recorder::start(Box::new(disk), Limits::default(), &tape.setting, "s", &self::boot(boot), &mut sink);
    let (mut recorder, report) = opened.expect("opens");
    for (at, body) in &tape.inputs[part] {
        recorder.feed(*at, body, &mut sink).expect("an input");
    }
    (recorder, report, events)
}

#[test]
fn after_a_clean_stop_nothing_is_restated_and_a_replay_gives_the_same() {
    let tape = longest();
    let (disk, half) = (Memory::default(), tape.inputs.len() / 2);
    let (mut first, _, events) = play(disk.clone(), &tape, 4, 0..half);
    assert!(!events.is_empty() && events.iter().all(|event| restated(event).is_none() && boot_of(event) == 4), "{events:?}");
    first.close(first.journal().standing().last_at).expect("on the disk");
    drop(first);

    let (second, report, events) = play(disk.clone(), &tape, 5, half..half + 10);
    assert_eq!(report.verified.differing, 0, "{:?}", report.verified.differences);
    assert!(events.iter().all(|event| restated(event).is_none()), "{events:?}");
    let numbers = second.journal().standing().last_outs();
    // The program dies.
    drop(second);

    let (third, report, events) = play(disk.clone(), &tape, 6, half + 10..tape.inputs.len());
    assert_eq!(report.verified.differing, 0, "{:?}", report.verified.differences);
    let from: Vec<u64> = events.iter().filter_map(restated).collect();
    assert_eq!(from, numbers.map(|last| last + 1));
    drop(third);

    let (_, report, _) = play(disk, &tape, 7, 0..0);
    assert_eq!(report.verified.differing, 0, "{:?}", report.verified.differences);
}

#[test]
fn a_journal_that_cannot_be_written_restates_and_its_ids_are_its_own() {
    let tape = longest();
    let disk = FakeDisk::new(1);
    disk.refuse(Some(String::new()));
    let mut ids = Vec::new();
    for start in [5, 6] {
        let mut out = Vec::new();
        let mut sink = |output| {
            if let StationOutput::Message(message) = output
                && message.number > 0
            {
                out.push((message.audience, json(&message)));
            }
            Ok(())
        };
        let opened = Recorder::start(Box::new(disk.clone()), Limits::default(), &tape.setting, "s", &boot(start), &mut sink);
        let mut recorder = opened.expect("opens").0;
        for (at, body) in &tape.inputs {
            recorder.feed(*at, body, &mut sink).expect("an input");
        }
        assert_eq!(out.iter().filter_map(|(_, event)| restated(event)).collect::<Vec<_>>(), [1, 1, 1]);
        assert!(recorder.close(tape.end()).is_err());
        assert!(out.len() > 10 && out.iter().all(|(_, event)| boot_of(event) == start), "{out:?}");
        ids.extend(out.iter().map(|(audience, event)| (*audience, event["id"].to_string())));
    }
    let all = ids.len();
    ids.sort();
    ids.dedup();
    assert_eq!(ids.len(), all, "ids are used again");
}

/// Version 1.0 had no number of the start in its ids.
#[test]
fn a_journal_of_version_1_0_replays_and_goes_on() {
    let tape = longest();
    let disk = Memory::default();
    drop(play(disk.clone(), &tape, 3, 0..tape.inputs.len() / 2));
    let mut text = format!("{FORMAT}\n");
    let carry = ("carry", "next 1 at 0 boots 0 arbiter 0 live 0 public 0".to_owned());
    for (key, value) in [("session", "s".to_owned())].into_iter().chain(tape.setting.headers()).chain([carry]) {
        print_header(key, &value, &mut text).expect("a line");
    }
    for record in disk.recovered().records() {
        let mut record = record.clone();
        let old;
        if let Body::Out { payload, .. } = &mut record.body {
            old = payload.replacen(":3:", ":", 1).replacen("\"v\":\"1.1\"", "\"v\":\"1.0\"", 1);
            assert_ne!(old, *payload);
            *payload = &old;
        }
        text.push_str(&crate::support::fake_disk::line(&record));
    }
    let old = Memory::with("00000001-s.journal", &text);
    let (recorder, report, events) = play(old, &tape, 4, tape.inputs.len() / 2..tape.inputs.len());
    assert!(report.verified.compared > 5 && report.inputs > 5, "{report:?}");
    assert_eq!(report.verified.differing, 0, "{:?}", report.verified.differences);
    assert_eq!(events.iter().filter_map(restated).count(), 3);
    assert!(events.iter().all(|event| boot_of(event) == 4));
    assert!(recorder.station().deadline().is_none_or(|due| due > Instant::ZERO));
}
