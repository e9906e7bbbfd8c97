//! A journal of another version: the sent messages stay, differences are reported, and no number is used twice.

use flagfall::journal::Limits;
use flagfall::session::recorder::Recorder;
use flagfall_protocols::time::Instant;
use flagfall_protocols::trace::{Audience, Body, Record, parse, print};

use crate::restart::{RecorderRig, on_disk, outs};
use crate::support::tapes::memory::Memory;
use crate::support::tapes::{Tape, own_tapes};

fn tape(name: &str) -> Tape {
    own_tapes().into_iter().find(|tape| tape.name.ends_with(name)).expect(name)
}

/// A difference in the outputs of an older version.
#[derive(Clone, Copy, Debug)]
enum Older {
    OtherWords,
    OneMore,
    OneLess,
}

/// The lines of a journal of an older version, up to the output number `cut` for arbiters.
fn journal_of_older_version(text: &str, how: Older, number: u64, cut: u64) -> Vec<String> {
    let mut seq = 0;
    let mut shift = 0i64;
    let mut lines: Vec<String> = text.lines().take_while(|line| line.starts_with('#')).map(str::to_owned).collect();
    let mut write = |at: Instant, body: Body<'_>| {
        seq += 1;
        let mut line = String::new();
        print(&Record { seq, at, body }, &mut line).expect("a record");
        lines.push(line.trim_end().to_owned());
    };
    for line in text.lines().skip_while(|line| line.starts_with('#')) {
        let Record { at, body, .. } = parse(line).expect("a record");
        let Body::Out { number: is, audience: audience @ Audience::Arbiter, topic, retain, payload } = body else {
            if !matches!(body, Body::Snap(_)) {
                write(at, body);
            }
            continue;
        };
        let numbered =
            |number: u64| payload.replacen(&format!(":{is}\",\"no\":{is},"), &format!(":{number}\",\"no\":{number},"), 1);
        let here = is == number;
        if here && matches!(how, Older::OneLess) {
            shift -= 1;
            if is == cut {
                break;
            }
            continue;
        }
        let mut now = is.saturating_add_signed(shift);
        if here && matches!(how, Older::OneMore) {
            write(at, Body::Out { number: now, audience, topic: "flagfall/1/old", retain, payload: "{\"old\":true}" });
            shift += 1;
            now += 1;
        }
        let payload = match how {
            Older::OtherWords if here => "{\"old\":true}".to_owned(),
            _ => numbered(now),
        };
        write(at, Body::Out { number: now, audience, topic, retain, payload: &payload });
        if is == cut {
            break;
        }
    }
    lines
}

#[test]
fn numbers_go_on_from_what_was_sent() {
    let tape = tape("game.trace");
    let mut whole = RecorderRig::open(&tape, Memory::default());
    whole.feed_rest(&tape);
    let text = whole.text();
    for how in [Older::OtherWords, Older::OneMore, Older::OneLess] {
        for (number, cut) in [(5, 20), (20, 20), (8, 8)] {
            let name = format!("{how:?} at {number}, broken off after {cut}");
            let lines = journal_of_older_version(&text, how, number, cut);
            let mut rig = RecorderRig::open(&tape, on_disk(lines.iter().map(String::as_str)));
            let last_missing = number == cut && matches!(how, Older::OneLess);
            // An event that is missing at the end may not have been sent before: it is sent now.
            let expected = usize::from(!last_missing);
            assert_eq!(rig.restored.verified.differing, expected, "{name}: {:#?}", rig.restored.verified.differences);
            let sent_before = outs(&rig.memory);
            rig.feed_rest(&tape);
            for audience in Audience::ALL {
                let mut numbers = Vec::new();
                for (_, body) in outs(&rig.memory) {
                    let Body::Out { number, audience: whose, payload, .. } = body else { continue };
                    if whose == audience {
                        numbers.push(number);
                        let inside = payload.contains(&format!(":{number}\",\"no\":{number},"));
                        assert!(inside || payload.contains("old"), "{name}: {number} {payload}");
                    }
                }
                assert!(numbers.iter().copied().eq(1..=numbers.len() as u64), "{name}: {numbers:?}");
            }
            assert!(outs(&rig.memory).starts_with(&sent_before), "{name}: rewritten");
            // Every new event comes once, with the text of this version.
            let [ours, theirs] = [&rig, &whole].map(|rig| rig.numbered().into_iter().rev().map(|m| m.topic).collect::<Vec<_>>());
            assert!(theirs.starts_with(&ours), "{name}");
        }
    }
}

#[test]
fn another_session_begins_anew_with_the_numbers_after_the_last() {
    let tape = tape("illegal-move.trace");
    let mut first = RecorderRig::open(&tape, Memory::default());
    first.feed_rest(&tape);
    let last = first.recorder.journal().standing().clone();
    drop(first.recorder);
    let fs = Box::new(first.memory.clone());
    let mut sent = Vec::new();
    let mut sink = |output| crate::restart::keep(&mut sent, output);
    let (mut recorder, restored) = Recorder::open(fs, Limits::default(), &tape.setting, "next", &mut sink).expect("opens");
    assert_eq!((restored.inputs, restored.verified.compared), (0, 0));
    for (at, body) in &tape.inputs {
        // One journal has one time, which continues too.
        recorder.feed(last.last_at.after(std::time::Duration::from_micros(at.micros())), body, &mut sink).expect("an input");
    }
    drop(recorder);
    let fresh = tape.run();
    let numbers = |audience| sent.iter().filter(move |message| message.audience == audience).map(|message| message.number);
    for audience in [Audience::Arbiter, Audience::Live] {
        let count = fresh.messages().filter(|message| message.audience == audience && message.number > 0).count() as u64;
        let from = last.next_out(audience);
        assert!(numbers(audience).filter(|&number| number > 0).eq(from..from + count), "{audience:?}");
    }
    let again = Recorder::open(Box::new(first.memory.clone()), Limits::default(), &tape.setting, "next", &mut |_| Ok(()));
    let (_, restored) = again.expect("opens");
    assert_eq!((restored.verified.differing, restored.inputs), (0, tape.inputs.len() as u64));
}

#[test]
fn open_questions_are_asked_again_until_they_are_answered() {
    let tape = tape("freeze-and-kings.trace");
    let mut rig = RecorderRig::open(&tape, Memory::default());
    rig.feed_rest(&tape);
    let again = RecorderRig::open(&tape, on_disk(rig.text().lines()));
    assert_eq!(again.restored.asks.iter().map(|ask| ask.id).collect::<Vec<_>>(), [1]);
    drop(again);
    rig.feed(tape.end(), &Body::Answer("{\"id\":1}"));
    rig.recorder.flush(tape.end()).expect("written");
    let answered = RecorderRig::open(&tape, on_disk(rig.text().lines()));
    assert_eq!(answered.restored.asks, []);
    assert_eq!(answered.restored.verified.differences, [""; 0]);
}

#[test]
fn input_that_cannot_be_read_again_is_not_recorded() {
    let tape = tape("illegal-move.trace");
    let mut rig = RecorderRig::open(&tape, Memory::default());
    let before = rig.recorder.journal().standing().clone();
    let long = format!("{{\"verb\":\"start-game\",\"fen\":\"{}\"}}", "8".repeat(1 << 20));
    for (body, problem) in [
        (Body::Cmd("{\"verb\":\"explode\"}"), "command"),
        (Body::Answer("1"), "answer"),
        (Body::Cmd(&long), "longer than"),
        (Body::Snap([1].as_slice().into()), "`snap` is no input"),
    ] {
        let refused = rig.recorder.feed(Instant(5), &body, &mut |_| panic!("sent")).expect_err(problem);
        assert!(format!("{refused:#}").contains(problem), "{refused:#}");
        assert_eq!(*rig.recorder.journal().standing(), before);
    }
    // A command of an older version is reported as a difference, and the rest is restored.
    let mut line = String::new();
    print(&Record { seq: 1, at: Instant(1), body: Body::Cmd("{\"verb\":\"explode\"}") }, &mut line).expect("a record");
    let text = rig.text();
    let restored = RecorderRig::open(&tape, on_disk(text.lines().chain([line.trim_end()]))).restored;
    assert_eq!((restored.inputs, restored.verified.differing), (1, 1), "{restored:?}");
}
