//! One square that is never told.

use fastrand::Rng;
use flagfall_game::alarm::AlarmKind;
use flagfall_game::input::Input;
use flagfall_protocols::event::DeviceEvent;
use flagfall_protocols::square::Placement;
use flagfall_protocols::time::Instant;

use crate::invariants::lifts::only_what_was_played;
use crate::invariants::played_game::{BLITZ, Played, RAPID, Reports, device, game};
use crate::support::seeds::campaign;

/// After a press a move is called illegal so much later, microseconds (`reconstruct/README.md#6.1`); the press comes a tenth of
/// a second after the last touch at the earliest, and may be told sooner than the square.
const JUDGED: u64 = 1_200_000;

/// Without the square told at `index`; all squares are told `after` microseconds later.
fn without(reports: &Reports, index: usize, after: u64) -> Reports {
    let due = Instant(reports[index].0.0 + after);
    let (mut board, mut changed, mut repaired) = (Placement::EMPTY, Reports::new(), false);
    for (here, (at, input)) in reports.iter().enumerate() {
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
        changed.push((due.max(reports[reports.len() - 1].0), device(DeviceEvent::Frame(board))));
    }
    changed
}

/// Nothing wrong is committed at any time, and in the end nothing is missing.
#[track_caller]
fn assert_repaired(played: &Played, index: usize, after: u64) {
    let reports = without(&played.reports, index, after);
    let checked = only_what_was_played(&reports, played);
    let (state, left_out) = (checked.state(), &played.reports[index]);
    let pending: Vec<&String> = state.pending.iter().map(|mv| &mv.uci).collect();
    let kinds: Vec<_> = checked.game.alarms().iter().map(|alarm| (alarm.kind, alarm.opened)).collect();
    // Where an illegal move was called before the frame came, the move is no more than shown until the game goes on.
    let (mut repaired, called) =
        (checked.moves(), checked.game.alarms().iter().any(|alarm| alarm.kind == AlarmKind::IllegalMove));
    assert!(!called || after > JUDGED, "a judgement came too soon: {kinds:?}");
    repaired.extend(pending.iter().filter(|_| called).map(|uci| (*uci).clone()));
    assert_eq!(
        repaired, played.moves,
        "input {index}, {left_out:?}, frame {after} us later: pending {pending:?}, board {}, alarms {kinds:?}",
        state.board
    );
    assert_eq!(checked.revisions, 0);
}

/// Invariant 10: every square of the game in turn, and some with a frame that comes later than the judgement.
#[test]
fn i10_a_square_never_reported_is_repaired_by_the_next_frame() {
    campaign("invariant 10: a square never reported", 101_000..101_006, |seed| {
        let mut rng = Rng::with_seed(seed);
        let played = game(&mut rng, if seed % 2 == 0 { RAPID } else { BLITZ }, 40);
        let square = |index: &usize| matches!(played.reports[*index].1, Input::Device { event: DeviceEvent::Square { .. }, .. });
        let squares: Vec<usize> = (0..played.reports.len()).filter(square).collect();
        for _ in 0..12 {
            let index = rng.choice(&squares).copied().expect("a square");
            let after = rng.choice([100_000, 500_000, 1_000_000, 2_000_000]).expect("times");
            assert_repaired(&played, index, after);
        }
        let games = 12 + squares.len();
        for index in squares {
            assert_repaired(&played, index, rng.choice([100_000, 500_000, 1_000_000]).expect("times"));
        }
        (games * played.reports.len()) as u64
    });
}
