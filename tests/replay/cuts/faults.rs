//! Damaged bytes: nothing panics, and one report of all squares corrects the board.

use std::time::Duration;

use flagfall_hardware::faulty::{Rates, damage};
use flagfall_protocols::drivers::dgt::board::BoardMessage;
use flagfall_protocols::drivers::dgt::squares;
use flagfall_protocols::square::{Placement, Reading};
use flagfall_protocols::time::Instant;
use flagfall_protocols::trace::Body;

use crate::cuts::stream;
use crate::support::seeds::{campaign, ordinary};
use crate::support::tapes::{Tape, rx};

const SEEDS: u64 = 12;
/// Far more damage than on any line in use.
const AWFUL: Rates = Rates { drop: 0.01, flip: 0.01, duplicate: 0.01, garbage: 0.05, silence: 0.005, ..Rates::ROUGH };

/// A driver that finds the board silent begins again. It ignores bytes for less than this time, and then it asks again.
const AGAIN: Duration = Duration::from_secs(1);

/// The tape over a bad line, with two dumps of the board at its end.
fn over_bad_line(tape: &Tape, seed: u64, rates: Rates) -> Tape {
    let pieces: Vec<(Instant, Vec<u8>)> = tape
        .inputs
        .iter()
        .filter_map(|(at, body)| match body {
            Body::Rx { bytes, .. } => Some((*at, bytes.to_vec())),
            _ => None,
        })
        .collect();
    let rest = tape.inputs.iter().filter(|(_, body)| !matches!(body, Body::Rx { .. })).cloned();
    let bad = damage(seed, rates, &pieces).into_iter().map(|(at, bytes)| (at, rx(&bytes)));
    let mut inputs: Vec<(Instant, Body<'static>)> = rest.chain(bad).collect();
    inputs.sort_by_key(|(at, _)| *at);
    let damaged = Tape { inputs, ..tape.clone() };
    let mut dump = Vec::new();
    BoardMessage::Board(&stream::squares(&stream::bytes(tape))).encode(&mut dump);
    let end = damaged.end();
    let dumps = [end, end.after(AGAIN)].map(|at| (at, rx(&dump)));
    Tape { inputs: damaged.inputs.into_iter().chain(dumps).collect(), ..damaged }
}

/// The true placement, as seen from the board's connector.
fn true_placement(tape: &Tape) -> Placement {
    let mut placement = Placement::EMPTY;
    for (index, code) in (0..).zip(stream::squares(&stream::bytes(tape))) {
        let (square, reading) = (squares::square(index), squares::reading(code));
        placement.set(square.expect("below 64"), reading.unwrap_or(Reading::Unreadable));
    }
    placement
}

#[test]
fn a_bad_line_never_panics_and_one_dump_corrects_the_board() {
    let mut harmed = 0;
    let clean: Vec<_> = stream::dgt_tapes().into_iter().map(|tape| (true_placement(&tape), tape.run(), tape)).collect();
    campaign("damaged recordings", 0..SEEDS, |seed| {
        let rates = if seed % 2 == 0 { Rates::ROUGH } else { AWFUL };
        for (truth, clean, tape) in &clean {
            let (station, outputs) = over_bad_line(tape, seed, rates).play();
            let board = station.game().placement();
            let board = if station.game().is_rotated() { board.rotated() } else { board };
            assert_eq!(board.to_string(), truth.to_string(), "{}", tape.name);
            harmed += usize::from(outputs != clean.outputs);
        }
        clean.iter().map(|(_, _, tape)| tape.inputs.len() as u64).sum()
    });
    assert!(!ordinary() || harmed > 0, "no byte was damaged");
}
