//! Twenty boards in simulated time: garbage on one changes no byte of the records and messages of the others.

use std::collections::BTreeMap;

use fastrand::Rng;
use flagfall::journal::Limits;
use flagfall::session::recorder::Recorder;
use flagfall::session::station::StationOutput;
use flagfall_protocols::time::Instant;

use crate::support::tapes::memory::Memory;
use crate::support::tapes::{Tape, own_tapes, rx};

const BOARDS: usize = 20;
/// The bytes of a piece of garbage, and the microseconds from one piece to the next: 1 MB/s.
const PIECE: usize = 4_096;
const PIECE_EVERY: u64 = 4_096;
const GARBAGE_FROM: u64 = 1_000_000;
const GARBAGE_UNTIL: u64 = 3_500_000;

/// The results of one board: its messages, and the files on its disk.
type Island = (Vec<StationOutput>, Vec<(String, String)>);

/// Plays a trace on every board, all inputs in the order of time, with or without garbage on the first.
fn play(tapes: &[Tape], garbage: bool) -> Vec<Island> {
    let mut outputs: Vec<Vec<StationOutput>> = vec![Vec::new(); BOARDS];
    let disks: Vec<Memory> = (0..BOARDS).map(|_| Memory::default()).collect();
    let mut recorders: Vec<Recorder> = Vec::new();
    // Inputs by time and board, at most one for each pair.
    let mut inputs = BTreeMap::new();
    for board in 0..BOARDS {
        let tape = &tapes[board % tapes.len()];
        let fs = Box::new(disks[board].clone());
        let opened = Recorder::open(fs, Limits::default(), &tape.setting, "test", &mut |_| Ok(()));
        recorders.push(opened.expect("opens").0);
        for (index, (at, body)) in tape.inputs.iter().enumerate() {
            inputs.insert((*at, board, index), body.clone());
        }
    }
    if garbage {
        let mut rng = Rng::with_seed(1);
        for at in (GARBAGE_FROM..GARBAGE_UNTIL).step_by(PIECE_EVERY as usize) {
            let mut bytes = vec![0; PIECE];
            rng.fill(&mut bytes);
            inputs.insert((Instant(at), 0, usize::MAX), rx(&bytes));
        }
    }
    for ((at, board, _), body) in inputs {
        let out = &mut outputs[board];
        let mut keep = |output| {
            out.push(output);
            Ok(())
        };
        recorders[board].feed(at, &body, &mut keep).expect("an input");
    }
    for (board, recorder) in recorders.iter_mut().enumerate() {
        let (out, end) = (&mut outputs[board], tapes[board % tapes.len()].end());
        let mut keep = |output| {
            out.push(output);
            Ok(())
        };
        recorder.advance(end, &mut keep).expect("kept");
        recorder.flush(end).expect("written");
    }
    outputs.into_iter().zip(disks.iter().map(Memory::files)).collect()
}

#[test]
fn garbage_on_one_board_changes_no_byte_of_the_others() {
    let tapes = own_tapes();
    let (with, without) = (play(&tapes, true), play(&tapes, false));
    assert!(with[0].0 != without[0].0, "there was no garbage");
    for board in 1..BOARDS {
        assert!(!without[board].0.is_empty());
        assert!(with[board] == without[board], "board {board} differs");
    }
}
