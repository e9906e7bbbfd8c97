//! Writes one plain sentence for each health alarm: the problem, and what to do about it.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use flagfall_protocols::square::Square;

use crate::alarm::{Alarm, AlarmKind, AlarmStatus, Fact};
use crate::men;
use crate::reconstruct::board::dropouts::WITHIN;

/// The problem and what to do, for alarms whose kind does not say it all.
pub fn sentence(alarm: &Alarm) -> Option<String> {
    let minutes = WITHIN.as_secs() / 60;
    let squares = || men::squares(alarm.squares).map(|square| square.to_string()).collect::<Vec<_>>().join(" ");
    Some(match (alarm.kind, alarm.fact) {
        (_, Some(Fact::Square { times })) => format!(
            "Square {} lost its man {times} times in {minutes} minutes: look at the man and at the board after the round.",
            squares()
        ),
        (_, Some(Fact::Man { man, began, promoted, times })) => format!(
            "The {} {} {} was lost {times} times in {minutes} minutes, on {}: exchange this man after the round.",
            name(man),
            if promoted { "promoted on" } else { "from" },
            Square::wrapping(began),
            squares()
        ),
        (kind, Some(Fact::Battery { percent, minutes_left })) => {
            let left = minutes_left.map(|left| format!(", {left} minutes left")).unwrap_or_default();
            let what = if kind == AlarmKind::BatteryCritical { "charge it now, it may go out" } else { "charge it" };
            format!("The board's battery has {percent} %{left}: {what}.")
        }
        (AlarmKind::ClockBatteryLow, None) => {
            "The clock shows its battery warning: exchange its batteries after the round.".to_string()
        }
        (AlarmKind::WeakSignal, None) => {
            "The board's radio is received weakly and may be lost: bring its receiver nearer.".to_string()
        }
        (AlarmKind::ClockWeakSignal, None) => {
            "The clock's radio is received weakly and may be lost: bring its receiver nearer.".to_string()
        }
        (AlarmKind::IllegalMove, None) if alarm.status == AlarmStatus::Cured => {
            "The illegal move stands, because the opponent has replied (A.5.2; club point 15). The arbiter does not restore \
             the position any more; under A.5.2 the players may agree to correct the move."
                .to_string()
        }
        (AlarmKind::UnpublishedGame, None) => {
            "Only arbiters see the game on this board, and the round's game has no result. Say whether this is the round's game or \
             private."
                .to_string()
        }
        (AlarmKind::PositionToRestore, None) => {
            "Another board serves this game and shows another position. Set up the position of the game; until then nothing is \
             read as a move or as another game."
                .to_string()
        }
        (_, None) => return None,
    })
}

fn name(man: u8) -> String {
    men::piece(man).map_or_else(|| "man".to_string(), |piece| piece.to_string())
}
