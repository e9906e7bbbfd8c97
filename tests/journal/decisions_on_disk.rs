//! A decision is on the disk before any audience gets it: arbiters, commentary, the public.

use std::sync::Arc;

use flagfall::arbiter::{Recorded, Submission, Verdict};
use flagfall::journal::commit_log::CommitLog;
use flagfall::journal::{Limits, Unsynced};
use flagfall::publish::delay::Delay;
use flagfall::session::record_input::read_input;
use flagfall::session::recorder::Recorder;
use flagfall::session::setting::{Overrides, Setting};
use flagfall::session::station::{DirtyStates, StationOutput};
use flagfall_game::config::Rulings;
use flagfall_game::laws::outcome::GameResult;
use flagfall_protocols::time::Instant;
use flagfall_protocols::trace::{Audience, Body, Trace};

use crate::support::tapes::memory::Memory;
use crate::support::tapes::{Tape, own_tapes};

/// An answer with a mate in the position after 1. e4 e5, with White to move.
const MATE: &str = "{\"id\":1,\"line\":[\"a2a3\",\"f8c5\",\"a3a4\",\"d8f6\",\"a4a5\",\"f6f2\"]}";

/// A game up to the fall of White's flag, without a delay for the public.
fn tape() -> Tape {
    let mut tape = own_tapes().into_iter().find(|tape| tape.name.contains("freeze-and-kings")).expect("the trace");
    tape.setting.delay = Some(Delay { time: std::time::Duration::ZERO, moves: 0 });
    let mut station = tape.setting.station().expect("a station");
    let mut fed = 0;
    for (at, body) in &tape.inputs {
        fed += 1;
        if let Some(input) = read_input(body).expect("readable") {
            station.feed(*at, &input, &mut Vec::new());
        }
        if station.game().has_fallen_flag() {
            break;
        }
    }
    assert!(station.game().has_fallen_flag(), "no flag");
    tape.inputs.truncate(fed);
    tape
}

fn shows_result(output: &StationOutput) -> bool {
    match output {
        StationOutput::Message(message) => {
            // A choice of a ruling is the body of a command, not yet a result.
            let payload = message.payload.replace("\"body\":{\"result\":\"0-1\"}", "");
            payload.contains("\"result\":\"0-1\"") || payload.contains("\"decision\":{")
        }
        _ => false,
    }
}

fn audience(output: &StationOutput) -> Option<Audience> {
    match output {
        StationOutput::Message(message) => Some(message.audience),
        _ => None,
    }
}

/// A command of an arbiter in the form of a journal.
fn command(verb: &str, action: &str) -> String {
    let submission = format!("{{\"actor\":\"anna\",\"role\":\"arbiter\",\"verb\":\"{verb}\",\"id\":\"a\"}}");
    let json = format!("{{\"submission\":{submission},\"verdict\":{{\"admitted\":{{\"game\":{action}}}}}}}");
    let recorded: Recorded = serde_json::from_str(&json).expect("a command");
    let Recorded { submission: Submission { actor, .. }, verdict: Verdict::Admitted(_), .. } = &recorded else {
        panic!("{json}")
    };
    assert_eq!(actor, "anna");
    recorded.to_json()
}

struct RecorderRig {
    memory: Memory,
    recorder: Recorder,
    now: Instant,
    out: Vec<StationOutput>,
    /// Whether messages with the decision are checked: none may come while there are unsynced bytes.
    watched: bool,
}

impl RecorderRig {
    fn new(tape: &Tape) -> RecorderRig {
        let memory = Memory::default();
        let fs = Box::new(memory.clone());
        let (recorder, _) = Recorder::open(fs, Limits::default(), &tape.setting, "s", &mut |_| Ok(())).expect("opens");
        let mut rig = RecorderRig { memory, recorder, now: Instant::ZERO, out: Vec::new(), watched: true };
        for (at, body) in &tape.inputs {
            rig.feed(*at, body);
        }
        rig
    }

    fn feed(&mut self, at: Instant, body: &Body<'_>) {
        let (memory, out, watched) = (&self.memory, &mut self.out, self.watched);
        let fed = self.recorder.feed(at, body, &mut |output| {
            assert!(!watched || !shows_result(&output) || memory.unsynced() == 0, "not on the disk: {output:?}");
            out.push(output);
            Ok(())
        });
        self.now = fed.expect("an input");
    }

    fn advance(&mut self, to: Instant) {
        let (memory, out, watched) = (&self.memory, &mut self.out, self.watched);
        let advanced = self.recorder.advance(to, &mut |output| {
            assert!(!watched || !shows_result(&output) || memory.unsynced() == 0, "not on the disk: {output:?}");
            out.push(output);
            Ok(())
        });
        advanced.expect("kept");
        self.now = to;
    }

    /// The audiences that have got the decision.
    fn shown(&self) -> Vec<Audience> {
        let mut shown: Vec<Audience> = self.out.iter().filter(|output| shows_result(output)).filter_map(audience).collect();
        shown.sort_by_key(|audience| *audience as usize);
        shown.dedup();
        shown
    }
}

const EVERYBODY: [Audience; 3] = [Audience::Arbiter, Audience::Live, Audience::Public];

fn later(at: Instant, ms: u64) -> Instant {
    at.after(std::time::Duration::from_millis(ms))
}

#[test]
fn a_decision_is_published_after_the_disk_has_it() {
    let tape = tape();
    for (verb, action) in [
        ("declare-result", "{\"verb\":\"declare-result\",\"result\":\"0-1\"}"),
        ("confirm", "{\"verb\":\"confirm\",\"finding\":{\"id\":1,\"revision\":2}}"),
    ] {
        let mut rig = RecorderRig::new(&tape);
        rig.feed(later(rig.now, 1), &Body::Answer(MATE));
        rig.feed(later(rig.now, 1), &Body::Cmd(&command(verb, action)));
        rig.advance(later(rig.now, 100));
        assert_eq!(rig.recorder.station().game().result(), Some(GameResult::BlackWins), "{verb}");
        assert_eq!(rig.shown(), EVERYBODY, "{verb}");
    }
}

/// If another thread syncs the disk, no message with the decision is sent before that, not even a state for another audience.
#[test]
fn a_decision_that_another_thread_syncs_is_held_for_every_audience() {
    let declared = command("declare-result", "{\"verb\":\"declare-result\",\"result\":\"0-1\"}");
    for (lazy, automatic) in [(false, false), (true, false), (false, true), (true, true)] {
        let name = format!("lazy {lazy}, automatic {automatic}");
        let tape = if automatic { self::automatic() } else { tape() };
        let mut rig = RecorderRig::new(&tape);
        let unsynced = Arc::<Unsynced>::default();
        rig.recorder.share(Arc::clone(&unsynced), rig.now);
        rig.recorder.station_mut().set_coalesced(lazy);
        // The disk is not synced before.
        rig.watched = false;
        // The public has got the earlier events.
        rig.advance(later(rig.now, 1));
        let input = if automatic { Body::Answer(MATE) } else { Body::Cmd(&declared) };
        rig.feed(later(rig.now, 1), &input);
        rig.advance(later(rig.now, 50));
        assert_eq!(rig.recorder.station().game().result(), Some(GameResult::BlackWins), "{name}");
        assert_eq!(rig.shown(), [], "{name}");
        assert!(EVERYBODY.iter().all(|audience| rig.recorder.is_holding(*audience)), "{name}: no state is made now");
        assert!(rig.recorder.hand_over(rig.now), "there are bytes to sync");
        CommitLog::without().commit([("b1", &*unsynced)]);
        let (now, out) = (later(rig.now, 10), &mut rig.out);
        let mut sink = |output| {
            out.push(output);
            Ok(())
        };
        rig.recorder.release(now, &mut sink).expect("kept");
        assert!(EVERYBODY.iter().all(|audience| !rig.recorder.is_holding(*audience)), "{name}");
        let all = DirtyStates { arbiter: true, live: true, ..DirtyStates::default() };
        rig.recorder.station_mut().render_states(now, all, &mut rig.out);
        rig.advance(later(now, 50));
        assert_eq!(rig.shown(), EVERYBODY, "{name}");
    }
}

/// The tape with automatic rulings.
fn automatic() -> Tape {
    let mut tape = tape();
    (tape.setting.config.rulings, tape.setting.config.observer) = (Rulings::Automatic, true);
    tape
}

#[test]
fn a_decision_without_an_arbiter_waits_for_the_disk_too() {
    let mut rig = RecorderRig::new(&automatic());
    rig.feed(later(rig.now, 1), &Body::Answer(MATE));
    rig.advance(later(rig.now, 100));
    let decisions: Vec<_> = rig.recorder.station().game().decisions().cloned().collect();
    assert_eq!(decisions.iter().map(|decision| decision.by.as_deref()).collect::<Vec<_>>(), [Some("automatic")]);
    assert_eq!(rig.shown(), EVERYBODY);
}

/// An automatic decision stays, and a question for an arbiter stays one, in spite of another configuration at the next start.
#[test]
fn a_round_goes_on_with_the_rulings_it_was_begun_with() {
    for (begun, then, result) in [(automatic(), tape(), Some(GameResult::BlackWins)), (tape(), automatic(), None)] {
        let mut rig = RecorderRig::new(&begun);
        rig.feed(later(rig.now, 1), &Body::Answer(MATE));
        rig.advance(later(rig.now, 100));
        let (digest, memory) = (rig.recorder.station().digest(), rig.memory.clone());
        drop(rig);
        let mut setting = then.setting.clone();
        for _ in 0..2 {
            let opened = Recorder::open(Box::new(memory.clone()), Limits::default(), &setting, "s", &mut |_| Ok(()));
            let (again, restored) = opened.expect("opens");
            assert_eq!(again.station().game().result(), result);
            assert_eq!((again.station().digest(), restored.verified.differing), (digest, 0));
            assert_eq!(restored.other_rules, setting.config.rulings != begun.setting.config.rulings);
            setting = begun.setting.clone();
        }
    }
}

/// A confirmed finding keeps its number and revision, so the decision is there after the restart.
#[test]
fn a_round_goes_on_with_the_rules_and_times_it_was_begun_with() {
    let begun = tape();
    let other = |headers: &str| {
        let head = format!("# flagfall trace 1\n# driver: dgt\n{headers}");
        let read = Setting::from_trace(&Trace::new(head.as_bytes()).expect("a trace"), &Overrides::default()).expect("a setting");
        let mut setting = begun.setting.clone();
        let (config, wanted) = (&mut setting.config, &read.config);
        (config.rulebook, config.default_time_s) = (wanted.rulebook, wanted.default_time_s);
        config.time_control.clone_from(&wanted.time_control);
        setting
    };
    let mut rig = RecorderRig::new(&begun);
    rig.feed(later(rig.now, 1), &Body::Answer(MATE));
    let confirm = command("confirm", "{\"verb\":\"confirm\",\"finding\":{\"id\":1,\"revision\":2}}");
    rig.feed(later(rig.now, 1), &Body::Cmd(&confirm));
    rig.advance(later(rig.now, 100));
    let (digest, memory) = (rig.recorder.station().digest(), rig.memory.clone());
    drop(rig);
    for headers in ["# profile: us-chess\n", "# time-control: 40/7200:3600\n", "# default-time: 1800\n"] {
        let opened = Recorder::open(Box::new(memory.clone()), Limits::default(), &other(headers), "s", &mut |_| Ok(()));
        let (again, restored) = opened.expect("opens");
        assert_eq!(again.station().game().result(), Some(GameResult::BlackWins), "{headers}");
        assert_eq!((again.station().digest(), restored.verified.differing), (digest, 0), "{headers}");
        assert!(restored.other_rules, "{headers}");
    }
}

/// The head of a journal has everything on which findings and rulings depend.
#[test]
fn the_head_of_a_journal_names_the_rules() {
    let head = |more: &str| format!("# flagfall trace 1\n# driver: dgt\n{more}");
    let setting = |text: &str| Setting::from_trace(&Trace::new(text.as_bytes()).expect("a trace"), &Overrides::default());
    let plain = setting(&head("")).expect("a setting");
    assert_eq!((plain.config.rulings, plain.config.observer), (Rulings::Advise, false), "an older journal");
    let full = head("# profile: fide-2023-rapid+guidelines-III.5\n# rulings: automatic\n# observer: true\n# casual: true\n");
    let full = setting(&full).expect("a setting");
    assert_eq!((full.config.rulings, full.config.observer), (Rulings::Automatic, true));
    assert_eq!((plain.config.casual, full.config.casual), (false, true));
    assert_ne!(full.config.rulebook, plain.config.rulebook);
    for (key, value) in
        [("profile", "fide-2023-rapid+guidelines-III.5"), ("rulings", "automatic"), ("observer", "true"), ("casual", "true")]
    {
        assert!(full.headers().contains(&(key, value.to_owned())), "{key}");
    }
    for wrong in ["# profile: checkers\n", "# rulings: maybe\n"] {
        assert!(setting(&head(wrong)).is_err(), "{wrong}");
    }
}
