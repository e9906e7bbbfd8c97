//! Closes the alarms about the board whose causes are gone (`reconstruct/README.md#6.2`).

use alloc::vec::Vec;

use flagfall_protocols::time::Instant;

use crate::alarm::{Alarm, AlarmKind, AlarmStatus, Alarms};
use crate::men::{self, Men, UNKNOWN};
use crate::seen::Seen;

/// Closes every open alarm about the board whose cause is gone. `differs` are the squares that differ from what was played.
pub(super) fn close_board_alarms(now: Instant, seen: &Seen, differs: u64, alarms: &mut Alarms) {
    if alarms.open().next().is_none() {
        return;
    }
    let fresh = differs & !alarms.reported_squares();
    let cured: Vec<u32> = alarms.open().filter(|alarm| is_cured(alarm, seen, differs, fresh)).map(|alarm| alarm.id).collect();
    cured.into_iter().for_each(|id| alarms.cure_one(now, id));
    if differs == 0 && !seen.play.decoder.press_pending() {
        alarms.cure(now, AlarmKind::IllegalMove);
        alarms.cure(now, AlarmKind::PromotionNotReplaced);
    }
}

/// True if the cause of this alarm is gone. `fresh` are the squares that differ and that no open alarm reports.
fn is_cured(alarm: &Alarm, seen: &Seen, differs: u64, fresh: u64) -> bool {
    let shown = seen.board.men();
    let played = seen.play.decoder.line().top(seen.play.decoder.record.node());
    let right = alarm.squares & differs == 0;
    let open = alarm.status == AlarmStatus::Open;
    open && match alarm.kind {
        // While other squares have become wrong, the disorder is the same.
        AlarmKind::PositionDiffers | AlarmKind::PiecesDisplaced | AlarmKind::MovedByWrongSide => right && fresh == 0,
        // Once the player has made a move with another man, that man is in no hand.
        AlarmKind::PieceInHand => right || alarm.side != Some(men::turn(&played.position)),
        AlarmKind::KingMissing => differs == 0 || alarm.side.is_some_and(|side| shown.contains(&men::king(side))),
        AlarmKind::TooManyMen => alarm.side.is_some_and(|side| men::count_of(shown, side) <= men::MOST_OF_A_SIDE),
        AlarmKind::UnreadableSquare => men::squares(alarm.squares).all(|square| shown[square.index()] != UNKNOWN),
        // A man that was taken to be missing stands on its square, or has made a move and so stood there.
        AlarmKind::WrongSetUp if alarm.lacks_men() => men::difference(&played.men, shown) & alarm.squares == 0,
        AlarmKind::WrongSetUp => is_put_right(alarm, shown),
        _ => false,
    }
}

/// True if the squares of a wrong set-up show the men that should stand on them.
fn is_put_right(alarm: &Alarm, shown: &Men) -> bool {
    alarm.set_up.iter().all(|wrong| men::piece(shown[wrong.square.index()]) == wrong.expected)
}
