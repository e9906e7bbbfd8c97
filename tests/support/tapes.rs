//! Tapes: the inputs of every trace, and the outputs of a station that is fed with them.

pub(crate) mod change;
pub(crate) mod memory;

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use flagfall::import::import;
use flagfall::publish::{Message, states};
use flagfall::session::record_input::read_input;
use flagfall::session::replay::SETTLE;
use flagfall::session::setting::{Overrides, Setting};
use flagfall::session::station::{Station, StationOutput};
use flagfall_protocols::drivers;
use flagfall_protocols::time::Instant;
use flagfall_protocols::trace::{Body, Trace};

/// Recordings of real games that are not part of the project.
const RECORDINGS: [&str; 2] = ["dgt-blitz-3+2.jsonl", "dgt-blitz-5+5-flagfall.jsonl"];

/// The inputs of one trace.
#[derive(Clone)]
pub(crate) struct Tape {
    pub(crate) name: String,
    pub(crate) setting: Setting,
    pub(crate) inputs: Vec<(Instant, Body<'static>)>,
}

/// The outputs of a station that was fed with a tape.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Run {
    pub(crate) outputs: Vec<StationOutput>,
    /// State for arbiters, findings, alarms and anomalies at the end, as text.
    pub(crate) end: String,
}

impl Tape {
    pub(crate) fn parse(name: &str, text: &str) -> Tape {
        // The few tapes of a test live as long as the test.
        let text: &'static str = String::leak(text.to_owned());
        let trace = Trace::new(text.as_bytes()).unwrap_or_else(|error| panic!("{name}: {error}"));
        let setting = Setting::from_trace(&trace, &Overrides::default()).unwrap_or_else(|error| panic!("{name}: {error:#}"));
        let records = trace.records().map(|record| record.unwrap_or_else(|error| panic!("{name}: {error}")).1);
        let inputs = records.filter(|record| record.body.is_input()).map(|record| (record.at, record.body)).collect();
        Tape { name: name.to_owned(), setting, inputs }
    }

    /// A time at which the last events have settled.
    pub(crate) fn end(&self) -> Instant {
        self.inputs.last().map_or(Instant::ZERO, |(at, _)| *at).after(SETTLE)
    }

    /// Feeds all inputs to a new station.
    pub(crate) fn run(&self) -> Run {
        let (station, outputs) = self.play();
        Run { outputs, end: end(&station) }
    }

    pub(crate) fn play(&self) -> (Station, Vec<StationOutput>) {
        let mut station = self.setting.station().expect("a station");
        let mut outputs = Vec::new();
        for (at, body) in &self.inputs {
            if let Some(input) = read_input(body).expect("readable") {
                station.feed(*at, &input, &mut outputs);
            }
        }
        station.advance(self.end(), &mut outputs);
        (station, outputs)
    }
}

impl Run {
    pub(crate) fn messages(&self) -> impl Iterator<Item = &Message> {
        self.outputs.iter().filter_map(|output| match output {
            StationOutput::Message(message) => Some(message),
            _ => None,
        })
    }
}

/// The state of a station as text.
pub(crate) fn end(station: &Station) -> String {
    let game = station.game();
    let state = serde_json::to_string(&states::arbiter_state(game)).expect("JSON");
    format!("{state} {:?} {:?} {:?}", game.findings(), game.alarms(), station.anomalies())
}

/// Panics at the first difference, because the whole lists are too long to read.
#[track_caller]
pub(crate) fn assert_same_run(name: &str, one: &Run, other: &Run) {
    for (index, (one, other)) in one.outputs.iter().zip(&other.outputs).enumerate() {
        assert_eq!(one, other, "{name}: output {index}");
    }
    assert_eq!(one.outputs.len(), other.outputs.len(), "{name}: number of outputs");
    assert_eq!(one.end, other.end, "{name}: state at the end");
}

/// Our own traces, `tests/traces/<driver>/*.trace`.
pub(crate) fn own_tapes() -> Vec<Tape> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/traces");
    let entries = |folder: &Path| -> Vec<PathBuf> {
        let mut paths: Vec<PathBuf> =
            std::fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path()).collect();
        paths.sort();
        paths
    };
    let files = entries(&folder).into_iter().flat_map(|driver| entries(&driver));
    let traces = files.filter(|file| file.extension().is_some_and(|ending| ending == "trace"));
    let tapes: Vec<Tape> =
        traces.map(|file| Tape::parse(&file.display().to_string(), &std::fs::read_to_string(&file).expect("a text"))).collect();
    assert!(!tapes.is_empty(), "no traces in {}", folder.display());
    tapes
}

/// The recordings of real games, if they are there.
pub(crate) fn recordings() -> Vec<Tape> {
    RECORDINGS.into_iter().filter_map(recording).collect()
}

fn recording(name: &str) -> Option<Tape> {
    let capture = std::fs::read_to_string(shared(name)?).expect("a text");
    let control = if name.contains("5+5") { "300+5" } else { "180+2" };
    let driver = drivers::find("dgt").expect("registered");
    let text = import(&capture, driver, &[("time-control", control)]).unwrap_or_else(|error| panic!("{name}: {error:#}"));
    Some(Tape::parse(name, &text))
}

/// The path of a recording; if it is not there, this prints a line and returns none.
#[allow(clippy::print_stderr, reason = "a skipped test says so")]
pub(crate) fn shared(name: &str) -> Option<PathBuf> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/data/traces").join(name);
    if !path.is_file() {
        eprintln!("skipped: no {}", path.display());
        return None;
    }
    Some(path)
}

/// Our own traces and the recordings.
pub(crate) fn tapes() -> Vec<Tape> {
    let mut tapes = own_tapes();
    tapes.extend(recordings());
    tapes
}

/// Received bytes of link 0.
pub(crate) fn rx(bytes: &[u8]) -> Body<'static> {
    Body::Rx { link: 0, channel: 0, bytes: Cow::Owned(bytes.to_vec()) }
}
