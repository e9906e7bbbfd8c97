//! Changes of tapes.

use std::borrow::Cow;

use fastrand::Rng;
use flagfall::session::record_input::read_input;
use flagfall_protocols::time::Instant;
use flagfall_protocols::trace::Body;

use super::Tape;

/// The tape with every `rx` record cut into pieces with the same stamp; `next` returns the length of each piece.
pub(crate) fn cut(tape: &Tape, mut next: impl FnMut(usize) -> usize) -> Tape {
    let mut inputs = Vec::new();
    for (at, body) in &tape.inputs {
        let Body::Rx { link, channel, bytes } = body else {
            inputs.push((*at, body.clone()));
            continue;
        };
        let mut rest: &[u8] = bytes;
        while !rest.is_empty() {
            let (piece, tail) = rest.split_at(next(rest.len()).clamp(1, rest.len()));
            inputs.push((*at, Body::Rx { link: *link, channel: *channel, bytes: Cow::Owned(piece.to_vec()) }));
            rest = tail;
        }
    }
    Tape { inputs, ..tape.clone() }
}

/// The tape with inputs moved to the exact time of a deadline, if one lies between their neighbours.
pub(crate) fn aligned(tape: &Tape, seed: u64) -> Tape {
    let mut rng = Rng::with_seed(seed);
    let mut station = tape.setting.station().expect("a station");
    let mut out = Vec::new();
    let mut inputs: Vec<(Instant, Body<'static>)> = Vec::new();
    for (index, (at, body)) in tape.inputs.iter().enumerate() {
        let before = inputs.last().map_or(Instant::ZERO, |(at, _)| *at);
        let next = tape.inputs.get(index + 1).map_or(*at, |(at, _)| *at);
        let due = station.deadline().filter(|due| (before..=next).contains(due) && rng.bool());
        let at = due.unwrap_or(*at).max(before);
        if let Some(input) = read_input(body).expect("readable") {
            station.feed(at, &input, &mut out);
        }
        inputs.push((at, body.clone()));
    }
    assert!(inputs.iter().zip(&tape.inputs).any(|(one, other)| one != other), "{}: no deadlines", tape.name);
    Tape { name: format!("{}, aligned by seed {seed}", tape.name), inputs, ..tape.clone() }
}
