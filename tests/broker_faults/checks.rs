//! What must be true of everything that went over the line.

use std::collections::BTreeMap;
use std::time::Duration;

use flagfall::journal::Out;
use flagfall::wall::{Mono, Utc, mono, utc};
use serde_json::Value;

use crate::mqtt_support::packets::Packet;
use crate::mqtt_support::proxy::Timed;
use crate::rig::ROUND;

/// Audience, event, round and board: `live/open26/5/b1`.
pub(crate) type Line = String;

pub(crate) use crate::contract::line;

/// After a reconnection what is retained is right within this time.
const RIGHT_WITHIN: Duration = Duration::from_secs(1);
/// A state is so old at most when it is made (`mqtt.md` section 3: ten a second), and then waits its turn.
const STATE_AGE: Duration = Duration::from_millis(300);
/// What may be under way at once, and therefore be acknowledged without the daemon's knowing.
const WINDOW: u64 = 32;

/// When the broker welcomed the client.
pub(crate) fn welcome(wire: &Timed) -> Option<Mono> {
    wire.down.iter().find(|(_, packet)| matches!(packet, Packet::Other(first) if first >> 4 == 2)).map(|(at, _)| *at)
}

/// Something published at QoS 1 on one connection.
struct Published {
    line: Line,
    topic: String,
    json: Value,
    acked: Option<Mono>,
}

fn published(wire: &Timed) -> Vec<Published> {
    // An id is used again only after its acknowledgement.
    let mut answers = BTreeMap::<u16, Vec<Mono>>::new();
    for (at, packet) in wire.down.iter().rev() {
        if let Packet::PubAck { id } = packet {
            answers.entry(*id).or_default().push(*at);
        }
    }
    let ours = wire.up.iter().filter_map(|(_, packet)| match packet {
        Packet::Publish { id: Some(id), topic, payload } => Some((id, topic, payload)),
        _ => None,
    });
    ours.map(|(id, topic, payload)| Published {
        line: line(topic),
        topic: topic.clone(),
        json: serde_json::from_str(payload).unwrap_or_default(),
        acked: answers.get_mut(id).and_then(Vec::pop),
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

/// Every event of the journals was acknowledged, first occurrences in order; each connection goes on from the cursor, without a
/// gap; what is told is what is recorded.
pub(crate) fn order(wires: &[Timed], journals: &BTreeMap<Line, Vec<Out>>) {
    let mut cursors = BTreeMap::<Line, u64>::new();
    for (number, wire) in wires.iter().enumerate() {
        let mut last = BTreeMap::<Line, u64>::new();
        for event in published(wire) {
            let Some(no) = event.json["no"].as_u64() else { continue };
            let cursor = cursors.entry(event.line.clone()).or_insert(0);
            let name = || format!("connection {number}, {} {no}, acknowledged up to {cursor}", event.line);
            match last.insert(event.line.clone(), no) {
                // A rewound line begins again; forwards nothing is left out.
                Some(before) => assert!(no <= before + 1, "{} after {before}", name()),
                None => assert!(no <= *cursor + 1 && no + WINDOW > *cursor, "{} is not the cursor", name()),
            }
            let out = &journals[&event.line][no as usize - 1];
            let recorded: Value = serde_json::from_str(&out.payload).expect("JSON");
            assert_eq!((out.number, &out.topic, &recorded["body"]), (no, &event.topic, &event.json["body"]), "{}", name());
            if event.acked.is_some() {
                assert!(no <= *cursor + 1, "{}", name());
                *cursor = no.max(*cursor);
            }
        }
    }
    for (line, outs) in journals {
        assert_eq!(cursors.get(line).copied().unwrap_or(0), outs.len() as u64, "{line}");
        assert!(outs.iter().map(|out| out.number).eq(1..=outs.len() as u64), "{line}");
        // A move that was under way when the daemon died may be read otherwise, and then the game stands still for the public.
        let least = if line.starts_with("arbiter") { 20 } else { 1 };
        assert!(outs.len() >= least, "{line} has only {} events", outs.len());
    }
}

/// The moves of a line that were played before a time.
fn moves_before(wires: &[Timed], of: &str, time: Utc) -> usize {
    let mut plies = Vec::new();
    for event in wires.iter().flat_map(published).filter(|event| event.line == of && event.topic.ends_with("/move")) {
        let at = event.json["t"]["utc"].as_str().and_then(Utc::parse).expect("a time");
        if at < time {
            plies.push(event.json["no"].as_u64());
        }
    }
    plies.sort_unstable();
    plies.dedup();
    plies.len()
}

/// After each welcome that was not soon followed by a fault, the acknowledged states show what had been played.
pub(crate) fn states(wires: &[Timed], faults: &[Mono]) {
    let (now, wall) = (mono(), utc());
    let mut looked = 0;
    for (number, wire) in wires.iter().enumerate().skip(1) {
        let Some(began) = welcome(wire) else { continue };
        let until = began.after(RIGHT_WITHIN);
        if faults.iter().any(|fault| (began..until).contains(fault)) {
            continue;
        }
        looked += 1;
        let states = published(wire);
        for board in ["b1", "b2"] {
            for (audience, delay) in [("arbiter", 0), ("live", 0), ("public", 2)] {
                let line = format!("{audience}/{ROUND}/{board}");
                let name = format!("connection {number}, {line}");
                let mut ours = states.iter().filter(|state| state.line == line && state.topic.ends_with("/state"));
                let shown = ours.rfind(|state| state.acked.is_some_and(|at| at <= until));
                let moves = shown.map(|shown| shown.json["body"]["moves"].as_array().expect("moves").len());
                let since = now.since(began) + STATE_AGE + Duration::from_secs(delay);
                let played = moves_before(wires, &line, wall.after_micros(-(since.as_micros() as i64)));
                // The public has no picture in the first seconds.
                let none_yet = audience == "public" && played == 0;
                assert!(moves >= Some(played) || none_yet, "{name}: {moves:?} moves are shown, {played} were played");
            }
        }
    }
    assert!(looked >= 1, "only {looked} of {} connections lasted", wires.len());
}

/// The consumer has every event, as it was recorded.
pub(crate) fn whole(heard: &BTreeMap<Line, BTreeMap<u64, Value>>, journals: &BTreeMap<Line, Vec<Out>>) {
    for (line, outs) in journals {
        let heard = &heard[line];
        for out in outs.iter().filter(|out| Some(&out.number) <= heard.keys().last()) {
            let recorded: Value = serde_json::from_str(&out.payload).expect("JSON");
            assert_eq!(heard.get(&out.number), Some(&recorded["body"]), "{line} {}", out.number);
        }
    }
}
