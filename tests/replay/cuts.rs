//! Changes of a tape without an effect on the outputs: pieces of the bytes, the time of the beginning, the orientation of the board, a
//! second replay. And damaged bytes, which must do no lasting harm.

mod faults;
mod rotated;
pub(crate) mod stream;

use std::time::Duration;

use fastrand::Rng;
use flagfall::session::station::StationOutput;
use flagfall_protocols::time::Instant;
use serde_json::Value;

use crate::support::seeds::campaign;
use crate::support::tapes::change::{aligned, cut};
use crate::support::tapes::{Tape, assert_same_run, tapes};

/// The number of random cuts of each tape.
const SEEDS: u64 = 1;

#[test]
fn a_replay_gives_the_same_again() {
    for tape in tapes() {
        assert_same_run(&tape.name, &tape.run(), &tape.run());
    }
}

#[test]
fn cutting_the_bytes_changes_nothing() {
    for tape in tapes() {
        assert_same_run(&format!("{}, single bytes", tape.name), &tape.run(), &cut(&tape, |_| 1).run());
    }
}

#[test]
fn cutting_the_bytes_anywhere_changes_nothing() {
    let whole: Vec<_> = tapes().into_iter().map(|tape| (tape.run(), tape)).collect();
    campaign("cuts of the bytes", 0..SEEDS, |seed| {
        for (whole, tape) in &whole {
            let mut rng = Rng::with_seed(seed);
            assert_same_run(&tape.name, whole, &cut(tape, |rest| rng.usize(1..=rest)).run());
            // A deadline with the stamp of the pieces comes after all of them.
            let aligned = aligned(tape, seed);
            assert_same_run(&format!("{}, aligned", tape.name), &aligned.run(), &cut(&aligned, |rest| rng.usize(1..=rest)).run());
        }
        whole.iter().map(|(_, tape)| tape.inputs.len() as u64).sum()
    });
}

/// The outputs of a tape that begins later by `by`, as JSON in which every time is counted from `by`.
fn outputs_from(tape: &Tape, by: Duration) -> Vec<Value> {
    let inputs = tape.inputs.iter().map(|(at, body)| (at.after(by), body.clone())).collect();
    let later = Tape { inputs, ..tape.clone() };
    let at = |at: Instant| at.micros().checked_sub(by.as_micros() as u64).expect("not before the beginning");
    let value = |output: StationOutput| match output {
        StationOutput::Message(message) => {
            let mut payload: Value = match message.payload.as_str() {
                "" => Value::Null,
                text => serde_json::from_str(text).expect("JSON"),
            };
            subtract(&mut payload, by.as_micros() as u64);
            serde_json::json!([at(message.at), message.topic, message.retain, payload])
        }
        StationOutput::Send { at: sent, bytes, .. } => serde_json::json!([at(sent), bytes]),
        StationOutput::Ask(ask) => serde_json::json!(format!("{ask:?}")),
        StationOutput::Device { event, .. } => serde_json::json!(format!("{event:?}")),
        StationOutput::Reply(reply) => serde_json::json!(reply),
        StationOutput::Daemon(action) => serde_json::json!(action),
    };
    later.run().outputs.into_iter().map(value).collect()
}

/// Subtracts `by` from every number that is not smaller: only times are so large.
fn subtract(value: &mut Value, by: u64) {
    match value {
        Value::Number(number) => {
            if let Some(less) = number.as_u64().and_then(|number| number.checked_sub(by)) {
                *value = less.into();
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| subtract(item, by)),
        Value::Object(fields) => {
            // A checksum of moves with other times is another one.
            fields.retain(|name, _| name != "sum" && name != "after");
            fields.values_mut().for_each(|field| subtract(field, by));
        }
        _ => {}
    }
}

#[test]
fn a_later_beginning_shifts_every_time_and_nothing_else() {
    // The tape does not begin at zero, because intervals are cut off there.
    let (day, year) = (Duration::from_secs(86_400), Duration::from_secs(31_536_000));
    for tape in tapes() {
        let (one, other) = (outputs_from(&tape, day), outputs_from(&tape, year));
        for (one, other) in one.iter().zip(&other) {
            assert_eq!(one, other, "{}", tape.name);
        }
        assert_eq!(one.len(), other.len(), "{}", tape.name);
    }
}
