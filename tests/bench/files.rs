//! Files: the replay of a trace, and a restart from a journal.

use std::path::Path;

use flagfall::journal::{self, Disk, Limits};
use flagfall::session::recorder::Recorder;
use flagfall::session::replay;
use flagfall::session::restore::RestoreReport;
use flagfall::session::setting::{Overrides, Setting};
use flagfall_protocols::time::Instant;
use flagfall_protocols::trace::{self, Body, Record, Trace};

use crate::LENGTH;
use crate::measure::{ROUNDS, Row, Table, middle, span, time, yardstick};
use crate::stream::{CONTROL, Piece};

/// The number of records in the journal.
const RECORDS: u64 = 15_000;

/// Measures the speed of a replay with messages, as a multiple of real time.
pub(crate) fn replay(pieces: &[Piece], table: &mut Table) {
    let text = trace_of(pieces);
    let mut buffer = Vec::new();
    let (mut times, mut ratios) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        let taken = time(|| {
            let trace = Trace::new(text.as_bytes()).expect("a trace");
            let mut station = setting(&trace).station().expect("a station");
            replay::run(&trace, &mut station, &mut |_| Ok(())).expect("replays");
            assert!(station.game().moves().len() > 100, "the game is there");
        });
        times.push(taken);
        ratios.push(taken / time(|| yardstick(text.as_bytes(), &mut buffer)));
    }
    let taken = middle(&mut times);
    let speed = LENGTH.as_nanos() as f64 / taken;
    table.add(Row {
        what: format!("replay of a trace of {} records", pieces.len() + 1),
        value: span(taken),
        more: format!("{speed:.0} x real time"),
        ratio: Some(middle(&mut ratios)),
        goal: Some(("100000 x", speed >= 100_000.0)),
    });
}

fn trace_of(pieces: &[Piece]) -> String {
    let mut text = format!("{}\n# driver: dgt\n# time-control: {CONTROL}\n", trace::FORMAT);
    let up = Record { seq: 1, at: Instant::ZERO, body: Body::Link { link: 0, up: true, cause: "opened" } };
    trace::print(&up, &mut text).expect("a record");
    for (seq, piece) in (2..).zip(pieces) {
        let body = Body::Rx { link: 0, channel: 0, bytes: piece.bytes.as_slice().into() };
        trace::print(&Record { seq, at: piece.at, body }, &mut text).expect("a record");
    }
    text
}

/// Measures the time from opening a journal until the station is restored and all sent messages are compared.
pub(crate) fn restart(pieces: &[Piece], table: &mut Table) {
    let dir = tempfile::tempdir().expect("a directory");
    let text = trace_of(pieces);
    let setting = setting(&Trace::new(text.as_bytes()).expect("a trace"));
    write_journal(dir.path(), &setting, pieces);
    let mut buffer = Vec::new();
    let (mut times, mut reads, mut ratios) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        let mut restored = None;
        let taken = time(|| restored = Some(open(dir.path(), &setting).1));
        let restored = restored.expect("was opened");
        assert!(restored.verified.differing == 0 && restored.verified.compared > 100, "{:?}", restored.verified);
        times.push(taken);
        reads.push(time(|| drop(journal::read(&mut Disk::reading(dir.path())))));
        let bytes = bytes_of(dir.path());
        ratios.push(taken / time(|| yardstick(&bytes, &mut buffer)));
    }
    let taken = middle(&mut times);
    table.add(Row {
        what: format!("restart from a journal of {RECORDS} records"),
        value: span(taken),
        more: format!("recovery: {}", span(middle(&mut reads))),
        ratio: Some(middle(&mut ratios)),
        goal: Some(("150 ms", taken <= 150e6)),
    });
}

fn setting(trace: &Trace<'_>) -> Setting {
    Setting::from_trace(trace, &Overrides::default()).expect("a setting")
}

fn open(dir: &Path, setting: &Setting) -> (Recorder, RestoreReport) {
    let disk = Disk::open(dir).expect("the directory");
    Recorder::open(Box::new(disk), Limits::default(), setting, "bench", &mut |_| Ok(())).expect("opens")
}

/// Writes the journal of a daemon with this game, up to [`RECORDS`] records.
fn write_journal(dir: &Path, setting: &Setting, pieces: &[Piece]) {
    let (mut recorder, _) = open(dir, setting);
    let sink = &mut |_| Ok(());
    let up = Body::Link { link: 0, up: true, cause: "opened" };
    recorder.feed(Instant::ZERO, &up, sink).expect("a record");
    let records = |recorder: &Recorder| recorder.journal().standing().next_seq - 1;
    for piece in pieces.iter() {
        if records(&recorder) >= RECORDS {
            break;
        }
        let body = Body::Rx { link: 0, channel: 0, bytes: piece.bytes.as_slice().into() };
        recorder.feed(piece.at, &body, sink).expect("a record");
    }
    assert!((RECORDS..RECORDS + 20).contains(&records(&recorder)), "{} records", records(&recorder));
    recorder.flush(Instant(u64::MAX)).expect("the disk takes it");
}

fn bytes_of(dir: &Path) -> Vec<u8> {
    let files = std::fs::read_dir(dir).expect("the directory").map(|entry| entry.expect("an entry").path());
    files.flat_map(|file| std::fs::read(file).expect("a file")).collect()
}
