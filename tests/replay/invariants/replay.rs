//! The same bytes again, in other pieces, and later, for driver and game as in a station.

use fastrand::Rng;
use flagfall::session::station::{Station, StationInput, StationOutput};
use flagfall::wire::topics::Board;
use flagfall_protocols::drivers;
use flagfall_protocols::time::Instant;
use serde_json::{Value, json};

use crate::invariants::clean::of_kind;
use crate::invariants::played_game::{BLITZ, Played, config, game};
use crate::support::seeds::campaign;

type Pieces = Vec<(Instant, Vec<u8>)>;

/// The outputs of a station that begins at `by`, with every time counted from there.
fn outputs(played: &Played, pieces: &Pieces, by: u64) -> Vec<Value> {
    let driver = drivers::find("dgt").expect("registered");
    let mut station = Station::new(driver, config(), Board::default(), "invariants");
    let mut out = Vec::new();
    let mut start = played.start.as_ref();
    station.feed(Instant(by), &StationInput::link(true), &mut out);
    for (at, bytes) in pieces {
        if let Some((when, command)) = start.take_if(|(when, _)| *when <= *at) {
            station.feed(Instant(when.0 + by), &StationInput::Command(command.clone()), &mut out);
        }
        station.feed(Instant(at.0 + by), &StationInput::bytes(0, bytes), &mut out);
    }
    let end = pieces.last().map_or(0, |(at, _)| at.0) + by + 5_000_000;
    station.advance(Instant(end), &mut out);
    let moves: Vec<String> = station.game().moves().map(|played| played.uci.to_string()).collect();
    assert_eq!(moves, played.moves);
    out.into_iter().map(|output| value(output, by)).collect()
}

fn value(output: StationOutput, by: u64) -> Value {
    let from = |at: Instant| at.0.checked_sub(by).expect("not before the beginning");
    match output {
        StationOutput::Message(message) => {
            let mut payload = serde_json::from_str(&message.payload).unwrap_or(Value::Null);
            earlier(&mut payload, by);
            json!([from(message.at), message.topic, message.retain, payload])
        }
        StationOutput::Send { at, bytes, .. } => json!([from(at), bytes]),
        other => json!(format!("{other:?}")),
    }
}

/// Subtracts `by` from every number that is not smaller: only times are so large.
fn earlier(value: &mut Value, by: u64) {
    match value {
        Value::Number(number) if by > 0 => {
            if let Some(less) = number.as_u64().and_then(|number| number.checked_sub(by)) {
                *value = less.into();
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| earlier(item, by)),
        Value::Object(fields) => {
            // A checksum of moves with other times is another one.
            fields.retain(|name, _| name != "sum" && name != "after");
            fields.values_mut().for_each(|field| earlier(field, by));
        }
        _ => {}
    }
}

#[track_caller]
fn same(one: &[Value], other: &[Value], what: &str) {
    for (index, (one, other)) in one.iter().zip(other).enumerate() {
        assert_eq!(one, other, "{what}: output {index}");
    }
    assert_eq!(one.len(), other.len(), "{what}: number of outputs");
}

/// The bytes in other pieces, each with its stamp.
fn cut(pieces: &Pieces, mut next: impl FnMut(usize) -> usize) -> Pieces {
    let mut cut = Pieces::new();
    for (at, bytes) in pieces {
        let mut rest = bytes.as_slice();
        while !rest.is_empty() {
            let (piece, tail) = rest.split_at(next(rest.len()).clamp(1, rest.len()));
            cut.push((*at, piece.to_vec()));
            rest = tail;
        }
    }
    cut
}

/// Invariant 7 for random games; `tests/replay/cuts.rs` checks it for every recording, and at the moments of deadlines.
#[test]
fn i07_replayed_cut_or_later_it_is_the_same() {
    // The beginning is so late that no interval reaches back before it, and that no other number is as large.
    const DAY: u64 = 86_400_000_000;
    campaign("invariant 7: again, cut, later", 71_000..71_004, |seed| {
        let mut rng = Rng::with_seed(seed);
        let played = if seed % 2 == 0 { game(&mut rng, BLITZ, 16) } else { of_kind(&mut rng, BLITZ, seed as usize) };
        let whole = outputs(&played, &played.bytes, DAY);
        same(&whole, &outputs(&played, &played.bytes, DAY), "again");
        same(&whole, &outputs(&played, &cut(&played.bytes, |_| 1), DAY), "single bytes");
        same(&whole, &outputs(&played, &cut(&played.bytes, |rest| rng.usize(1..=rest)), DAY), "cut at random");
        let later = DAY + rng.u64(1..365) * DAY + rng.u64(0..DAY);
        same(&whole, &outputs(&played, &played.bytes, later), &format!("later by {}", later - DAY));
        played.bytes.iter().map(|(_, bytes)| bytes.len() as u64).sum()
    });
}
