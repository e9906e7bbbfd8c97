//! The public branch: no event is early, missing or repeated, and all are in order, also over restarts, gaps of time and other delays.

mod published;

use std::time::Duration;

use fastrand::Rng;
use flagfall::publish::delay::Delay;
use flagfall::session::setting::{Overrides, Setting};
use flagfall_game::config::UntilPress;
use flagfall_protocols::time::Instant;
use flagfall_protocols::trace::{Audience, Body};
use published::{PublicRecorder, PublishedLog, events};

use crate::board_pgn::last_pgn;
use crate::support::seeds::{campaign, ordinary};
use crate::support::tapes::memory::Memory;
use crate::support::tapes::{Tape, own_tapes, recordings};

/// The number of seeds of each random test.
const SEEDS: u64 = 2;

/// The tape with gaps between its inputs, some of them an hour long.
fn with_gaps(tape: &Tape, rng: &mut Rng) -> Tape {
    let mut shift = 0;
    let mut inputs = Vec::new();
    for (at, body) in &tape.inputs {
        shift += match rng.u8(..60) {
            0 => rng.u64(..3_600_000_000),
            1..=5 => rng.u64(..20_000_000),
            _ => 0,
        };
        inputs.push((Instant(at.0 + shift), body.clone()));
    }
    Tape { inputs, ..tape.clone() }
}

fn any_delay(rng: &mut Rng) -> Delay {
    let time = Duration::from_millis([0, 1, 900, 15_000, 900_000, rng.u64(..200_000)][rng.usize(..6)]);
    Delay { time, moves: [0, 0, 1, 4][rng.usize(..4)] }
}

/// In `live/` and `public/` moves wait for their press, or in neither.
fn any_until_press(rng: &mut Rng) -> UntilPress {
    UntilPress { live: rng.bool(), public: false }
}

fn with_delay(tape: &Tape, delay: Delay) -> Tape {
    let mut tape = tape.clone();
    tape.setting.delay = Some(delay);
    tape
}

#[test]
fn without_a_delay_in_the_setting_there_is_no_public() {
    for tape in own_tapes() {
        assert!(tape.run().messages().all(|message| message.audience != Audience::Public), "{}", tape.name);
    }
}

#[test]
fn the_public_changes_nothing_for_the_others() {
    for tape in own_tapes() {
        let others = |tape: &Tape| -> Vec<_> {
            tape.run().messages().filter(|message| message.audience != Audience::Public).cloned().collect()
        };
        let with = with_delay(&tape, Delay { time: Duration::from_secs(7), moves: 1 });
        assert!(others(&tape) == others(&with), "{}", tape.name);
    }
}

#[test]
fn nothing_is_early_and_everything_comes_in_order() {
    let (own, recordings) = (own_tapes(), recordings());
    campaign("delay for the public", 0..SEEDS, |seed| {
        // A recording is as long as twenty traces.
        let long = if seed == 1 { &[] } else { &recordings[..] };
        let mut inputs = 0;
        for tape in own.iter().chain(long) {
            let mut rng = Rng::with_seed(seed);
            let delay = any_delay(&mut rng);
            let mut tape = with_delay(&with_gaps(tape, &mut rng), delay);
            tape.setting.until_press = any_until_press(&mut rng);
            let end = tape.end().after(delay.time + Duration::from_secs(1));
            let (mut station, mut outputs) = tape.play();
            station.advance(end, &mut outputs);
            let mut published = PublishedLog::default();
            published.run(delay);
            outputs.into_iter().for_each(|output| published.record(output));
            let [_, pgn] = last_pgn(&mut station, end);
            published.check_pgn(&tape.name, pgn.as_deref());
            published.check(&format!("{}, seed {seed}, {delay}", tape.name), station.game());
            assert_eq!(station.lost(), Default::default());
            inputs += tape.inputs.len() as u64;
        }
        inputs
    });
}

#[test]
fn a_restart_publishes_what_an_uninterrupted_run_publishes() {
    let mut cuts = 0;
    let tapes = own_tapes();
    campaign("delay over restarts", 0..1, |seed| {
        for tape in &tapes {
            let mut rng = Rng::with_seed(seed);
            let mut tape = with_delay(&with_gaps(tape, &mut rng), any_delay(&mut rng));
            tape.setting.until_press = UntilPress { public: rng.bool(), ..any_until_press(&mut rng) };
            let end = tape.end().after(Duration::from_secs(2000));
            let mut whole = PublicRecorder::open(&tape, Memory::default());
            whole.feed(&tape, tape.inputs.len(), end);
            let text = whole.text();
            for _ in 0..2 {
                let header = text.find("\n1 ").expect("a record") + 1;
                let bytes = rng.usize(header..text.len());
                let name = format!("{}, seed {seed}, cut at {bytes}", tape.name);
                let mut public = PublicRecorder::open(&tape, Memory::with("00000001-test.journal", &text[..bytes]));
                assert_eq!(public.restored.verified.differences, [""; 0], "{name}");
                public.feed(&tape, tape.inputs.len(), end);
                let [ours, theirs] = [&public, &whole].map(|public| events(&public.memory, Audience::Public));
                assert!(ours == theirs, "{name}\n{ours:#?}\n{theirs:#?}");
                let [ours_pgn, whole_pgn] = [&mut public, &mut whole].map(|rig| last_pgn(rig.recorder.station_mut(), end));
                assert_eq!(ours_pgn[0], whole_pgn[0], "{name}");
                // With a delay in moves a restart may release a state earlier than the next event: see `DelayQueue::pop_recorded`.
                if tape.setting.delay.is_some_and(|delay| delay.moves == 0) {
                    assert_eq!(ours_pgn[1], whole_pgn[1], "{name}");
                }
                cuts += usize::from(!theirs.is_empty());
            }
        }
        tapes.iter().map(|tape| tape.inputs.len() as u64).sum()
    });
    assert!(!ordinary() || cuts > 20, "{cuts}");
}

#[test]
fn another_delay_after_a_restart_repeats_nothing_and_is_never_early() {
    let tapes = own_tapes();
    campaign("another delay after a restart", 0..1, |seed| {
        for tape in &tapes {
            let mut rng = Rng::with_seed(seed);
            let tape = with_gaps(tape, &mut rng);
            let (memory, mut published) = (Memory::default(), PublishedLog::default());
            let mut name = format!("{}, seed {seed}", tape.name);
            let mut game = None;
            for run in 0..4 {
                let delay = any_delay(&mut rng);
                name += &format!(", {delay}");
                let tape = with_delay(&tape, delay);
                published.run(delay);
                let mut public = PublicRecorder::open_logged(&tape, memory.clone(), &mut published);
                assert_eq!(public.restored.verified.differences, [""; 0], "{name}");
                let upto = if run == 3 { tape.inputs.len() } else { tape.inputs.len() * (run + 1) / 4 };
                let last = tape.inputs[upto.max(1) - 1].0;
                let end = if run == 3 { tape.end().after(Duration::from_secs(2000)) } else { last };
                public.feed_logged(&tape, upto, end, &mut published);
                game = Some(public.recorder.station().game().clone());
                let [_, pgn] = last_pgn(public.recorder.station_mut(), end);
                published.check_pgn(&name, pgn.as_deref());
            }
            published.check(&name, &game.expect("a run"));
        }
        tapes.iter().map(|tape| tape.inputs.len() as u64).sum()
    });
}

#[test]
fn the_head_of_a_journal_names_the_delay() {
    let text = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/traces/dgt/game.trace")).expect("a trace");
    let (first, rest) = text.split_once('\n').expect("lines");
    let with = |line: &str| format!("{first}\n{line}\n{rest}");
    let setting = |text: &str| {
        let trace = flagfall_protocols::trace::Trace::new(text.as_bytes()).expect("a trace");
        Setting::from_trace(&trace, &Overrides::default())
    };
    let delay = Delay { time: Duration::from_secs(900), moves: 3 };
    let read = setting(&with(&format!("# delay: {delay}"))).expect("a setting");
    assert_eq!(read.delay, Some(delay));
    assert!(read.headers().contains(&("delay", "900 s 3 moves".to_owned())), "{:?}", read.headers());
    for wrong in ["900", "900 s", "-1 s 0 moves", "9 s x moves"] {
        assert!(setting(&with(&format!("# delay: {wrong}"))).is_err(), "{wrong}");
    }
    let tape = Tape::parse("game.trace", &text);
    assert!(tape.inputs.iter().any(|(_, body)| matches!(body, Body::Rx { .. })));
}
