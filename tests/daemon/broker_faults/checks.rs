//! Checks of all packets between daemon and broker.

use std::collections::BTreeMap;
use std::time::Duration;

use flagfall::journal::Out;
use flagfall::system_clock::{MonotonicTime, Utc, monotonic, utc};
use serde_json::Value;

use crate::rig::ROUND;
use crate::support::mqtt::packets::Packet;
use crate::support::mqtt::proxy::Timed;

/// Audience, event, round and board: `live/open26/5/b1`.
pub(crate) type Line = String;

pub(crate) use crate::contract::line;

/// A connection that has no fault for this time after its CONNACK shows the right states.
const QUIET: Duration = Duration::from_secs(1);
/// A connection that lasts longer than this has acknowledged states of every line.
const PATIENCE: Duration = Duration::from_secs(10);
/// The highest age of a state at its acknowledgement, on a machine that has much else to do. A quiet machine needs 0.3 s.
const STATE_AGE: Duration = Duration::from_secs(2);

/// The time of the broker's CONNACK.
pub(crate) fn welcome_time(wire: &Timed) -> Option<MonotonicTime> {
    wire.down.iter().find(|(_, packet)| matches!(packet, Packet::Other(first) if first >> 4 == 2)).map(|(at, _)| *at)
}

/// A publication at QoS 1 on one connection.
pub(crate) struct Published {
    pub(crate) at: MonotonicTime,
    pub(crate) line: Line,
    pub(crate) topic: String,
    /// The size of topic and payload.
    pub(crate) bytes: usize,
    pub(crate) json: Value,
    pub(crate) acked: Option<Acknowledgement>,
}

/// The broker's acknowledgement.
pub(crate) struct Acknowledgement {
    pub(crate) at: MonotonicTime,
    /// The number of acknowledgements before it on this connection.
    pub(crate) place: usize,
}

/// The publications of a connection, in their order.
pub(crate) fn published(wire: &Timed) -> Vec<Published> {
    let answers: Vec<_> = wire
        .down
        .iter()
        .filter_map(|(at, packet)| match packet {
            Packet::PubAck { id } => Some((*id, *at)),
            _ => None,
        })
        .collect();
    // An id is used again only after its acknowledgement.
    let mut by_id = BTreeMap::<u16, Vec<Acknowledgement>>::new();
    for (place, (id, at)) in answers.into_iter().enumerate().rev() {
        by_id.entry(id).or_default().push(Acknowledgement { at, place });
    }
    let ours = wire.up.iter().filter_map(|(at, packet)| match packet {
        Packet::Publish { id: Some(id), topic, payload } => Some((*at, id, topic, payload)),
        _ => None,
    });
    ours.map(|(at, id, topic, payload)| Published {
        at,
        line: line(topic),
        topic: topic.clone(),
        bytes: topic.len() + payload.len(),
        json: serde_json::from_str(payload).unwrap_or_default(),
        acked: by_id.get_mut(id).and_then(Vec::pop),
    })
    .collect()
}

/// The numbers of each line that were acknowledged, in order, with repetitions.
pub(crate) fn acknowledged(wires: &[Timed]) -> BTreeMap<Line, Vec<u64>> {
    let mut lines = BTreeMap::<Line, Vec<u64>>::new();
    for event in wires.iter().flat_map(published).filter(|event| event.acked.is_some()) {
        if let Some(no) = event.json["no"].as_u64() {
            lines.entry(event.line).or_default().push(no);
        }
    }
    lines
}

/// The moves of a line in SAN from each time on. The live audience also sees moves that are not sure, and their revisions.
fn histories(wires: &[Timed], of: &str) -> Vec<(Utc, Vec<Value>)> {
    let is_move = |event: &Value| event["type"] == "board.move" || event["type"] == "board.revision";
    let mut events = BTreeMap::<u64, Value>::new();
    for event in wires.iter().flat_map(published).filter(|event| event.line == of && is_move(&event.json)) {
        events.entry(event.json["no"].as_u64().expect("a number")).or_insert(event.json);
    }
    let mut stood = vec![(Utc(i64::MIN), Vec::new())];
    for event in events.values() {
        let at = event["t"]["utc"].as_str().and_then(Utc::parse).expect("a time");
        let (body, mut moves) = (&event["body"], stood.last().expect("the beginning").1.clone());
        let from = body["from_ply"].as_u64().or(body["ply"].as_u64()).expect("a ply") as usize;
        let (one, several) = (body["san"].is_string().then_some(body), body["moves"].as_array());
        moves.truncate(from - 1);
        moves.extend(one.into_iter().chain(several.into_iter().flatten()).map(|played| played["san"].clone()));
        stood.push((at, moves));
    }
    stood
}

/// After each CONNACK without a fault soon after it, the first states that are acknowledged after some time show the moves that
/// were played.
pub(crate) fn assert_states_are_right(wires: &[Timed], faults: &[MonotonicTime]) {
    let (now, wall) = (monotonic(), utc());
    let mut checked = 0;
    for (number, wire) in wires.iter().enumerate().skip(1) {
        let Some(began) = welcome_time(wire) else { continue };
        let fault_within = |time| faults.iter().any(|fault| (began..began.after(time)).contains(fault));
        if fault_within(QUIET) {
            continue;
        }
        checked += 1;
        let states = published(wire);
        for board in ["b1", "b2"] {
            for (audience, delay) in [("arbiter", 0), ("live", 0), ("public", 2)] {
                let line = format!("{audience}/{ROUND}/{board}");
                let name = format!("connection {number}, {line}");
                let ours = states.iter().filter(|state| state.line == line && state.topic.ends_with("/state"));
                let acked = ours.filter_map(|state| Some((state, state.acked.as_ref()?.at)));
                // The last one of the quiet time, or else the first one after it.
                let (early, late): (Vec<_>, Vec<_>) = acked.partition(|(_, at)| *at <= began.after(QUIET));
                let shown = early.last().or(late.first());
                if shown.is_none() && fault_within(PATIENCE) {
                    continue;
                }
                let shown = shown.map(|(shown, _)| &shown.json["body"]);
                let moves = shown.map(|body| body["moves"].as_array().expect("moves"));
                let moves = moves.map(|moves| moves.iter().map(|played| played["san"].clone()).collect::<Vec<_>>());
                // The moves before these are in the parts.
                let from = shown.and_then(|body| body["moves_from"].as_u64()).map_or(0, |first| first as usize - 1);
                let since = now.since(began) + STATE_AGE + Duration::from_secs(delay);
                let limit = wall.after_micros(-(since.as_micros() as i64));
                let stood = histories(wires, &line);
                let first = stood.iter().rposition(|(at, _)| *at < limit).expect("the beginning");
                // The public has no state in the first seconds.
                let none_yet = audience == "public" && stood[first].1.is_empty() && moves.is_none();
                let right = || {
                    stood[first..].iter().any(|(_, stood)| stood.get(from..).is_some_and(|stood| moves.as_deref() == Some(stood)))
                };
                assert!(none_yet || right(), "{name}: shown {moves:?} from {from}, played {:?}", &stood[first..]);
            }
        }
    }
    assert!(checked >= 1, "only {checked} of {} connections lasted", wires.len());
}

/// The subscriber has every event as it was recorded.
pub(crate) fn assert_subscriber_has_every_event(
    received: &BTreeMap<Line, BTreeMap<u64, Value>>,
    journals: &BTreeMap<Line, Vec<Out>>,
) {
    for (line, outs) in journals {
        let received = &received[line];
        for out in outs.iter().filter(|out| Some(&out.number) <= received.keys().last()) {
            let recorded: Value = serde_json::from_str(&out.payload).expect("JSON");
            assert_eq!(received.get(&out.number), Some(&recorded["body"]), "{line} {}", out.number);
        }
    }
}
