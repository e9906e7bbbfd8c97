//! A station whose journal ends anywhere: a restart keeps the sent messages, sends the missing ones, and gives the same state.

mod differences;
mod own_clock;
mod verify;

use fastrand::Rng;
use flagfall::journal::Limits;
use flagfall::publish::Message;
use flagfall::session::recorder::Recorder;
use flagfall::session::restore::RestoreReport;
use flagfall::session::station::StationOutput;
use flagfall_protocols::time::Instant;
use flagfall_protocols::trace::Body;

use crate::support::seeds::{campaign, ordinary};
use crate::support::tapes::change::{aligned, cut};
use crate::support::tapes::memory::Memory;
use crate::support::tapes::{Tape, end, own_tapes, recordings};

const SESSION: &str = "test";
/// The number of restarts of one journal; each costs a whole replay.
const CUTS: usize = 6;

/// A recorder on a disk in memory, and its messages since it was opened.
pub(crate) struct RecorderRig {
    pub(crate) memory: Memory,
    pub(crate) recorder: Recorder,
    pub(crate) restored: RestoreReport,
    pub(crate) sent: Vec<Message>,
}

impl RecorderRig {
    pub(crate) fn open(tape: &Tape, memory: Memory) -> RecorderRig {
        let mut sent = Vec::new();
        let fs = Box::new(memory.clone());
        let opened = Recorder::open(fs, Limits::default(), &tape.setting, SESSION, &mut |output| keep(&mut sent, output));
        let (recorder, restored) = opened.expect("opens");
        RecorderRig { memory, recorder, restored, sent }
    }

    pub(crate) fn feed(&mut self, at: Instant, body: &Body<'_>) {
        let sent = &mut self.sent;
        self.recorder.feed(at, body, &mut |output| keep(sent, output)).expect("an input");
    }

    pub(crate) fn advance(&mut self, to: Instant) {
        let sent = &mut self.sent;
        self.recorder.advance(to, &mut |output| keep(sent, output)).expect("kept");
    }

    /// Feeds the inputs of the tape that are not in the journal, and lets the time pass to the end.
    pub(crate) fn feed_rest(&mut self, tape: &Tape) {
        for (at, body) in &tape.inputs[self.restored.inputs as usize..] {
            self.feed(*at, body);
        }
        self.advance(tape.end());
        self.recorder.flush(tape.end()).expect("written");
    }

    pub(crate) fn numbered(&self) -> Vec<Message> {
        self.sent.iter().filter(|message| message.number > 0).cloned().collect()
    }

    /// The text of the one journal file.
    pub(crate) fn text(&self) -> String {
        let files = self.memory.files();
        let [(_, text)] = files.as_slice() else { panic!("{} files", files.len()) };
        text.clone()
    }
}

fn keep(sent: &mut Vec<Message>, output: StationOutput) -> anyhow::Result<()> {
    if let StationOutput::Message(message) = output {
        sent.push(message);
    }
    Ok(())
}

/// A journal file that begins with these lines of another.
pub(crate) fn on_disk<'a>(lines: impl IntoIterator<Item = &'a str>) -> Memory {
    let text: String = lines.into_iter().flat_map(|line| [line, "\n"]).collect();
    Memory::with("00000001-test.journal", &text)
}

/// The recorded outputs: time, number, audience, topic, payload.
pub(crate) fn outs(memory: &Memory) -> Vec<(Instant, Body<'static>)> {
    let recovered = memory.recovered();
    let out = recovered.records().filter_map(|record| match record.body {
        Body::Out { number, audience, topic, retain, payload } => {
            let (topic, payload) = (String::leak(topic.to_owned()), String::leak(payload.to_owned()));
            Some((record.at, Body::Out { number, audience, topic, retain, payload }))
        }
        _ => None,
    });
    out.collect()
}

#[test]
fn a_journal_changes_nothing_and_is_written_first() {
    for tape in own_tapes().into_iter().chain(recordings()) {
        let memory = Memory::default();
        let mut sent = Vec::new();
        let mut last = 0;
        let mut sink = |output: StationOutput| {
            if let StationOutput::Message(message) = &output {
                assert!(!message.finding || memory.unsynced() == 0, "{}: a finding was sent before the disk had it", tape.name);
                if message.number > 0 {
                    let text: String = memory.files().into_iter().map(|(_, text)| text).collect();
                    let found = text[last..].find(&message.payload).unwrap_or_else(|| panic!("not recorded: {message:?}"));
                    last += found;
                }
            }
            sent.push(output);
            Ok(())
        };
        let fs = Box::new(memory.clone());
        let (mut recorder, restored) = Recorder::open(fs, Limits::default(), &tape.setting, SESSION, &mut sink).expect("opens");
        assert_eq!(restored, RestoreReport::default());
        for (at, body) in &tape.inputs {
            assert_eq!(recorder.feed(*at, body, &mut sink).expect("an input"), *at, "{}", tape.name);
        }
        recorder.advance(tape.end(), &mut sink).expect("kept");
        let ended = end(recorder.station());
        assert!(memory.syncs() < tape.inputs.len() * 2, "group commit");
        assert_eq!(recorder.unrecorded(), 0);
        let plain = tape.run();
        assert!(sent == plain.outputs && ended == plain.end, "{}", tape.name);
    }
}

/// Cuts the journal of `tape` off after this number of bytes, restarts, and compares.
fn restart_at(tape: &Tape, whole: &RecorderRig, text: &str, bytes: usize) {
    let name = format!("{}, cut at byte {bytes}", tape.name);
    let memory = Memory::with("00000001-test.journal", &text[..bytes]);
    let known = outs(&Memory::with("00000001-test.journal", &text[..bytes])).len();
    let mut rig = RecorderRig::open(tape, memory);
    assert_eq!(rig.restored.verified.differences, [""; 0], "{name}");
    assert_eq!(rig.restored.verified.compared, known, "{name}");
    rig.feed_rest(tape);
    assert!(outs(&rig.memory) == outs(&whole.memory), "{name}: recorded outputs");
    assert!(rig.numbered() == whole.numbered()[known..], "{name}: sent outputs");
    assert_eq!(rig.recorder.station().digest(), whole.recorder.station().digest(), "{name}");
    assert_eq!(end(rig.recorder.station()), end(whole.recorder.station()), "{name}");
}

#[test]
fn a_journal_broken_off_anywhere_goes_on_as_if_it_had_not_been() {
    let tapes: Vec<Tape> = own_tapes().into_iter().chain(recordings()).collect();
    campaign("journals broken off", 0..1, |seed| {
        tapes.iter().skip((seed % 2) as usize).step_by(2).for_each(|tape| broken_off(tape, CUTS, seed));
        tapes.iter().map(|tape| tape.inputs.len() as u64).sum()
    });
}

#[test]
fn inputs_at_the_moment_of_a_deadline_come_before_it_again() {
    let tapes = own_tapes();
    campaign("restarts at deadlines", 0..1, |seed| {
        for tape in tapes.iter().skip((seed % 3) as usize).step_by(3) {
            let mut rng = Rng::with_seed(seed);
            broken_off(&cut(&aligned(tape, seed), |rest| rng.usize(1..=rest)), 4, seed);
        }
        tapes.iter().map(|tape| tape.inputs.len() as u64).sum()
    });
}

/// Cuts the journal of `tape` off at this number of places and some more; the seed chooses them.
fn broken_off(tape: &Tape, places: usize, seed: u64) {
    let mut whole = RecorderRig::open(tape, Memory::default());
    whole.feed_rest(tape);
    let text = whole.text();
    let header = text.find("\n1 ").expect("a record") + 1;
    let ends: Vec<usize> = text[header..].match_indices('\n').map(|(at, _)| header + at + 1).collect();
    let mut rng = Rng::with_seed(seed.wrapping_add(ends.len() as u64));
    // The places are behind the header and the last records, around outputs, at random, and within lines.
    let mut cuts: Vec<usize> = ends.iter().rev().take(4).copied().chain([header]).collect();
    let is_out = |at: usize| text[at..].split(' ').nth(2) == Some("out");
    let mut around: Vec<usize> = ends.iter().copied().filter(|&at| is_out(at)).collect();
    rng.shuffle(&mut around);
    cuts.extend(around.into_iter().take(places / 2));
    cuts.extend((0..places / 2).map(|_| ends[rng.usize(..ends.len())]));
    cuts.extend((0..4).map(|_| rng.usize(header..text.len())));
    if places == CUTS && ends.len() < 50 {
        cuts.extend(&ends);
    }
    cuts.sort_unstable();
    cuts.dedup();
    cuts.into_iter().for_each(|bytes| restart_at(tape, &whole, &text, bytes));
}

#[test]
fn deadlines_that_come_before_late_inputs_come_first_again() {
    let mut moved = 0;
    let tapes = own_tapes();
    campaign("restarts with late inputs", 0..4, |seed| {
        for tape in &tapes {
            let mut rng = Rng::with_seed(seed);
            let mut rig = RecorderRig::open(tape, Memory::default());
            for (at, body) in &tape.inputs {
                // A deadline is fed before an input with an earlier stamp arrives.
                if rng.u8(..4) == 0 {
                    rig.advance(Instant(at.micros() + rng.u64(..2_000_000)));
                }
                if let Some(due) = rig.recorder.station().deadline().filter(|due| due <= at) {
                    rig.advance(due);
                }
                let before = rig.recorder.station().earliest();
                rig.feed(*at, body);
                moved += usize::from(before > *at);
            }
            rig.advance(tape.end().after(flagfall::session::replay::SETTLE));
            rig.recorder.flush(tape.end()).expect("written");
            let mut again = RecorderRig::open(tape, on_disk(rig.text().lines()));
            let name = format!("{}, seed {seed}", tape.name);
            assert_eq!(again.restored.verified.differences, [""; 0], "{name}");
            assert_eq!(again.restored.unsent, [], "{name}");
            again.advance(tape.end().after(flagfall::session::replay::SETTLE));
            assert_eq!(end(again.recorder.station()), end(rig.recorder.station()), "{name}");
            assert_eq!(again.numbered(), [], "{name}");
        }
        tapes.iter().map(|tape| tape.inputs.len() as u64).sum()
    });
    assert!(!ordinary() || moved > 100, "only {moved} inputs were late");
}

#[test]
fn a_session_in_many_files_is_one() {
    let tape = own_tapes().into_iter().find(|tape| tape.name.ends_with("game.trace")).expect("a trace");
    let memory = Memory::default();
    let limits = Limits { file: 5_000, total: 1, ..Limits::default() };
    let mut known = 0;
    for end in (0..=tape.inputs.len()).step_by(100).chain([tape.inputs.len()]) {
        let opened = Recorder::open(Box::new(memory.clone()), limits, &tape.setting, SESSION, &mut |_| Ok(()));
        let (mut recorder, restored) = opened.expect("opens");
        assert_eq!((restored.inputs, restored.verified.differing), (known, 0), "{:?}", restored.verified);
        for (at, body) in &tape.inputs[known as usize..end] {
            recorder.feed(*at, body, &mut |_| Ok(())).expect("an input");
        }
        known = end as u64;
        recorder.flush(tape.inputs[end.max(1) - 1].0).expect("written");
    }
    assert!(memory.files().len() > 3, "{} files", memory.files().len());
    let mut whole = RecorderRig::open(&tape, Memory::default());
    tape.inputs.iter().for_each(|(at, body)| whole.feed(*at, body));
    whole.recorder.flush(tape.end()).expect("written");
    assert!(outs(&memory) == outs(&whole.memory));
}
