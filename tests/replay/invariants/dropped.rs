//! One report of a square that is missing.

use fastrand::Rng;
use flagfall_game::alarm::AlarmKind;
use flagfall_game::input::Input;
use flagfall_protocols::event::DeviceEvent;
use flagfall_protocols::square::Placement;
use flagfall_protocols::time::Instant;

use crate::invariants::lifts::only_what_was_played;
use crate::invariants::played_game::{BLITZ, Played, RAPID, Reports, device, game};
use crate::support::seeds::campaign;

/// The time in microseconds from a press until a move is called illegal (`reconstruct/README.md#6.1`). The press comes at least a tenth
/// of a second after the last touch, and may be reported sooner than the square.
const JUDGED: u64 = 1_200_000;

/// The reports without the one at `index`; a frame comes `after` microseconds later.
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

/// Checks that no wrong move is committed at any time, and that no move is missing in the end.
#[track_caller]
fn assert_repaired(played: &Played, index: usize, after: u64) {
    let reports = without(&played.reports, index, after);
    let checked = only_what_was_played(&reports, played);
    let (state, left_out) = (checked.state(), &played.reports[index]);
    let pending: Vec<&String> = state.pending.iter().map(|mv| &mv.uci).collect();
    let kinds: Vec<_> = checked.game.alarms().iter().map(|alarm| (alarm.kind, alarm.opened)).collect();
    // If an illegal move was called before the frame came, the move is only shown until the game goes on.
    let (mut repaired, called) =
        (checked.moves(), checked.game.alarms().iter().any(|alarm| alarm.kind == AlarmKind::IllegalMove));
    assert!(!called || after > JUDGED, "an illegal move was called too soon: {kinds:?}");
    repaired.extend(pending.iter().filter(|_| called).map(|uci| (*uci).clone()));
    assert_eq!(
        repaired, played.moves,
        "input {index}, {left_out:?}, frame {after} us later: pending {pending:?}, board {}, alarms {kinds:?}",
        state.board
    );
    assert_eq!(checked.revisions, 0);
}

/// Invariant 10, for every report of a square of the game, and for some with a frame that comes after an illegal move is called.
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
