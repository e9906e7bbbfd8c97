//! Finds how long each move took, from the times that were published with the moves (`outputs/README.md#1`). What the times contradict is
//! left out: an arbiter may have set them, and the clock may give other additional time than is configured.

use flagfall_game::clock::control::{Method, Period, TimeControl};
use shakmaty::{Color, Position};

use super::Part;

/// The most that a display that stands may fall from one move to the next, milliseconds: a move is recorded some time after its press.
const RECORDED_LATE_MS: i64 = 5_000;
/// The largest difference of two readings of the same time, milliseconds. Fractions of a second are cut.
const STEP_MS: i64 = 1_000;

/// The times of one move.
pub(super) struct MoveTime {
    /// The number of the move.
    pub(super) number: u32,
    /// Who made it.
    pub(super) mover: Color,
    /// The time that the player has after it, milliseconds.
    pub(super) left_ms: Option<u32>,
    /// The time that it took, milliseconds.
    pub(super) used_ms: Option<u32>,
}

/// Both times at a moment, milliseconds, where they are known.
#[derive(Clone, Copy, Default)]
struct Shown {
    mover: Option<i64>,
    opponent: Option<i64>,
}

/// The times of all moves of a part.
pub(super) fn times(part: &Part<'_>, control: Option<&TimeControl>) -> Vec<MoveTime> {
    let first = part.start.turn();
    let side = |ply: usize| if ply.is_multiple_of(2) { first } else { !first };
    let black_began = usize::from(first == Color::Black);
    let number = |ply: usize| part.start.fullmoves().get().saturating_add(((ply + black_began) / 2) as u32);
    let turns: Vec<Option<Turn>> =
        (0..part.moves.len()).map(|ply| Turn::of(part, ply, side(ply), period_of(control?, number(ply))?)).collect();
    let as_configured = gives_as_configured(turns.iter().flatten());
    let time = |ply: usize| {
        // Only the turn of the opponent shows whether the move was pressed and gave time: his clock runs or has run.
        let answered = turns.get(ply + 1).map_or(part.runs == Some(!side(ply)), |next| next.is_none_or(|next| next.ran()));
        let used = turns[ply].filter(|turn| as_configured && (turn.added == 0 || answered)).and_then(Turn::used);
        MoveTime { number: number(ply), mover: side(ply), left_ms: part.time(ply, side(ply)), used_ms: used }
    };
    (0..part.moves.len()).map(time).collect()
}

/// The period of this move; none if the clock may have added the time of the next period with it.
fn period_of(control: &TimeControl, number: u32) -> Option<&Period> {
    let ends = |period: &usize| control.required(*period).filter(|_| !control.is_last(*period));
    let period = (0..).find(|period| ends(period).is_none_or(|required| number <= required))?;
    (ends(&period) != Some(number)).then(|| control.period(period))
}

/// One player's turn, from the opponent's move to his own.
#[derive(Clone, Copy)]
struct Turn {
    /// The time after the player's last move.
    last: Option<i64>,
    began: Shown,
    ended: Shown,
    /// The additional time that the time control gives with the move, milliseconds.
    added: i64,
}

impl Turn {
    /// None if the clock gives time in another way than with each move.
    fn of(part: &Part<'_>, ply: usize, mover: Color, period: &Period) -> Option<Turn> {
        let added = match period.method {
            Method::TimeOnly => 0,
            Method::Fischer => i64::from(period.per_move_ms),
            Method::Bronstein | Method::UsDelay => return None,
        };
        let time = |back: usize, side| part.time(ply.checked_sub(back)?, side).map(i64::from);
        let shown = |back: usize| Shown { mover: time(back, mover), opponent: time(back, !mover) };
        Some(Turn { last: time(2, mover), began: shown(1), ended: shown(0), added })
    }

    /// By how much the player's time rose with this move and the turn before it, milliseconds.
    fn gain(&self) -> Option<i64> {
        Some(self.ended.mover? - self.last?)
    }

    /// False if the player's time did not change in his turn: his clock did not run, because the move before was not pressed.
    fn ran(&self) -> bool {
        self.began.mover.zip(self.ended.mover).is_none_or(|(began, ended)| began != ended)
    }

    /// The time that the move took, milliseconds: the player's last time and the additional time, less the present time. None if a time was
    /// set meanwhile: a display changed that stands, or it shows more than it can.
    fn used(self) -> Option<u32> {
        let stood = |before: Option<i64>, after: Option<i64>| {
            before.zip(after).is_none_or(|(before, after)| (-STEP_MS..=RECORDED_LATE_MS).contains(&(before - after)))
        };
        let untouched = stood(self.last, self.began.mover) && stood(self.began.opponent, self.ended.opponent);
        let used = u32::try_from(self.added - self.gain()?).ok()?;
        (untouched && (self.added == 0 || self.ran())).then_some(used)
    }
}

/// False if the times contradict the additional time of the time control: the displays rise by more, or a second turn is known and no
/// display has risen by two thirds of it.
fn gives_as_configured<'a>(turns: impl Iterator<Item = &'a Turn> + Clone) -> bool {
    let gains = || turns.clone().filter_map(|turn| Some((turn.gain()?, turn.added)));
    let shown = |(gain, added): (i64, i64)| 3 * gain >= 2 * added && gain <= added + STEP_MS;
    let adds = gains().filter(|(_, added)| *added > 0);
    let too_much = gains().filter(|(gain, added)| *gain > added + STEP_MS).count();
    too_much < 2 && (adds.clone().count() < 2 || adds.clone().any(shown))
}

impl Part<'_> {
    /// The time of a player after this half-move, counted from 0, milliseconds.
    fn time(&self, ply: usize, side: Color) -> Option<u32> {
        let (_, played) = self.moves.get(ply)?;
        if side == Color::White { played.white_ms } else { played.black_ms }
    }
}
