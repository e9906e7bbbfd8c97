//! States that are made on request: the same numbered messages and the same states, but fewer of them; and the identity of devices.

use flagfall::publish::Message;
use flagfall::session::record_input::read_input;
use flagfall::session::station::{DirtyStates, StationOutput};
use flagfall_protocols::event::DeviceEvent;
use serde_json::Value;

use crate::support::tapes::{Tape, own_tapes};

fn messages(outputs: Vec<StationOutput>) -> Vec<Message> {
    let message = |output| match output {
        StationOutput::Message(message) => Some(message),
        _ => None,
    };
    outputs.into_iter().filter_map(message).collect()
}

/// All messages with coalesced states, which are made after every `every` inputs.
fn lazily(tape: &Tape, every: usize) -> (Vec<Message>, usize) {
    let mut station = tape.setting.station().expect("a station");
    station.set_coalesced(true);
    let (mut out, mut switches) = (Vec::new(), 0);
    for (index, (at, body)) in tape.inputs.iter().enumerate() {
        if let Some(input) = read_input(body).expect("readable") {
            station.feed(*at, &input, &mut out);
        }
        if index % every == 0 {
            switches += usize::from(station.dirty_states().running_changed);
            let stale = station.dirty_states();
            station.render_states(station.earliest().max(*at), stale, &mut out);
            assert_eq!(station.dirty_states(), DirtyStates::default());
        }
    }
    station.advance(tape.end(), &mut out);
    let stale = station.dirty_states();
    station.render_states(tape.end(), stale, &mut out);
    (messages(out), switches)
}

/// The last state on a topic, if there is one, without its times, because a state that is made later has later times.
fn last(messages: &[Message], ending: &str) -> Option<Value> {
    let found = messages.iter().rfind(|message| message.retain && message.topic.ends_with(ending))?;
    let mut body = serde_json::from_str::<Value>(&found.payload).expect("JSON")["body"].take();
    for key in ["clock", "white_ms", "black_ms", "read_us"] {
        body.as_object_mut().expect("an object").remove(key);
    }
    for pending in body["pending"].as_array_mut().into_iter().flatten() {
        (pending["white_ms"], pending["black_ms"]) = (Value::Null, Value::Null);
    }
    Some(body)
}

#[test]
fn coalesced_states_differ_only_in_the_states_in_between() {
    let mut spared = [0; 3];
    for tape in own_tapes() {
        let eager = messages(tape.run().outputs);
        for (every, spared) in [1, 7, usize::MAX].into_iter().zip(&mut spared) {
            let (lazy, _) = lazily(&tape, every);
            let numbered = |all: &[Message]| all.iter().filter(|message| message.number > 0).cloned().collect::<Vec<_>>();
            assert!(numbered(&lazy) == numbered(&eager), "{}", tape.name);
            assert!(last(&eager, "arbiter/replay/1/1/state").is_some(), "{}", tape.name);
            // A board without a clock has no state of a clock.
            for picture in ["arbiter/replay/1/1/state", "live/replay/1/1/state", "live/replay/1/1/clock"] {
                assert_eq!(last(&lazy, picture), last(&eager, picture), "{}: {picture}", tape.name);
            }
            // A short trace may have no state to leave out.
            assert!(lazy.len() <= eager.len(), "{}", tape.name);
            *spared += eager.len() - lazy.len();
        }
    }
    assert!(spared[0] <= spared[1] && 0 < spared[1] && spared[1] < spared[2], "{spared:?}");
}

#[test]
fn a_switch_of_the_clocks_is_published_at_once() {
    let tape = own_tapes().into_iter().find(|tape| tape.name.ends_with("one-move-short.trace")).expect("a trace");
    let (_, switches) = lazily(&tape, 1);
    assert_eq!(switches, 3, "the start and two presses");
}

/// Families whose devices report their identity.
const WITH_IDENTITY: [&str; 4] = ["dgt", "chesslink", "dgt_pegasus", "dgt_bus"];

#[test]
fn a_device_reports_its_identity_and_that_it_answers() {
    for tape in own_tapes() {
        let outputs = tape.run().outputs;
        let reported = |which: fn(&DeviceEvent) -> bool| {
            outputs.iter().any(|output| matches!(output, StationOutput::Device { event, .. } if which(event)))
        };
        assert!(reported(|event| matches!(event, DeviceEvent::Responding)), "{}", tape.name);
        // Other families have no message for it.
        if WITH_IDENTITY.contains(&tape.setting.driver.name) {
            assert!(reported(|event| matches!(event, DeviceEvent::Identity(_))), "{}", tape.name);
        }
        assert!(!reported(|event| matches!(event, DeviceEvent::Clock(_) | DeviceEvent::Square { .. })), "{}", tape.name);
    }
}
