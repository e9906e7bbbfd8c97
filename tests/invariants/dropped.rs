//! One square that is never told.

use fastrand::Rng;
use flagfall_game::input::Input;
use flagfall_protocols::event::DeviceEvent;
use flagfall_protocols::square::Placement;
use flagfall_protocols::time::Instant;

use crate::lifts::only_what_was_played;
use crate::seeds::each;
use crate::table::{BLITZ, RAPID, Told, device, game};

/// Without the square told at `index`; all squares are told `after` microseconds later.
fn without(told: &Told, index: usize, after: u64) -> Told {
    let due = Instant(told[index].0.0 + after);
    let (mut board, mut changed, mut repaired) = (Placement::EMPTY, Told::new(), false);
    for (here, (at, input)) in told.iter().enumerate() {
        if here > index && *at > due && !std::mem::replace(&mut repaired, true) {
            changed.push((due, device(DeviceEvent::Frame(board))));
        }
        match input {
            Input::Device { event: DeviceEvent::Frame(frame), .. } => board = *frame,
            Input::Device { event: DeviceEvent::Square { square, reading }, .. } => board.set(*square, *reading),
            _ => {}
        }
        if here != index {
            changed.push((*at, input.clone()));
        }
    }
    if !repaired {
        changed.push((due.max(told[told.len() - 1].0), device(DeviceEvent::Frame(board))));
    }
    changed
}

/// Invariant 10: nothing wrong is committed at any time, and in the end nothing is missing.
#[test]
fn i10_a_square_never_told_is_repaired_by_the_next_frame() {
    each(101_000, 6, |seed| {
        let mut rng = Rng::with_seed(seed);
        let played = game(&mut rng, if seed % 2 == 0 { RAPID } else { BLITZ }, 40);
        let square = |index: &usize| matches!(played.told[*index].1, Input::Device { event: DeviceEvent::Square { .. }, .. });
        let squares: Vec<usize> = (0..played.told.len()).filter(square).collect();
        for _ in 0..12 {
            let index = rng.choice(&squares).copied().expect("a square");
            let after = rng.choice([100_000, 500_000, 1_000_000, 2_000_000]).expect("times");
            let told = without(&played.told, index, after);
            let ear = only_what_was_played(&told, &played);
            assert_eq!(ear.moves(), played.moves, "input {index}, {:?}, frame {after} us later", played.told[index]);
            assert_eq!(ear.revisions, 0);
        }
    });
}
