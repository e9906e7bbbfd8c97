//! Stores the moves of a game in little memory: values that most of them share are stored once.

use alloc::vec::Vec;

use flagfall_protocols::square::Color;
use flagfall_protocols::time::{ClockTime, Instant};
use shakmaty::uci::UciMove;
use shakmaty::{CastlingMode, Move};

use crate::interval::Interval;
use crate::pair::Pair;
use crate::reconstruct::notation::{Notation, Times};
use crate::reconstruct::record::How;

/// The number of moves for which room is made at a time. A list that doubled its room would hold as much memory unused.
const ROOM: usize = 64;

/// Makes room for one more move at the end of a list.
pub(crate) fn room_for_one<T>(list: &mut Vec<T>) {
    if list.len() == list.capacity() {
        list.reserve_exact(ROOM);
    }
}

/// One move of the game.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MoveRecord {
    /// The side that made it.
    pub(crate) color: Color,
    /// In standard algebraic notation.
    pub(crate) san: Notation,
    /// When it was made on the board.
    pub(crate) made: Interval,
    /// When the player pressed, if a press was heard.
    pub(crate) pressed: Option<Interval>,
    /// Why it is sure.
    pub(crate) how: How,
    /// When it was completed in the sense of 6.2.1, if it was.
    pub(crate) completed: Option<Interval>,
    /// The times on the display when the move became sure.
    pub(crate) clocks: Pair<Option<ClockTime>>,
    pub(crate) mv: Move,
}

impl MoveRecord {
    pub(crate) const fn mv(&self) -> Move {
        self.mv
    }

    /// In UCI notation.
    pub(crate) fn uci(&self, mode: CastlingMode) -> UciMove {
        UciMove::from_move(self.mv, mode)
    }
}

/// The meaning of the one time that is stored beside the time of the making.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum At {
    /// There is no such time.
    Unknown,
    /// The time of the press. The move is not completed.
    Pressed,
    /// The time of the completion. The move was not pressed.
    Completed,
    /// The time of the press and of the completion.
    Both,
    /// The time of the completion. The press was at another time, which is stored in `Moves::apart`.
    Apart,
}

#[derive(Clone, Copy, Debug)]
struct Kept {
    made: Interval,
    time: Interval,
    at: At,
    color: Color,
    how: How,
    mv: Move,
    san: Notation,
    clocks: Times,
}

/// The moves of a game in their order.
#[derive(Clone, Debug, Default)]
pub(crate) struct Moves {
    kept: Vec<Kept>,
    /// For each move that was completed at another time than it was pressed: its index and the time of the press, in order.
    apart: Vec<(u32, Interval)>,
}

impl Moves {
    pub(crate) fn len(&self) -> usize {
        self.kept.len()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.kept.is_empty()
    }

    /// The moves from the one with index `from` on.
    pub(crate) fn since(&self, from: usize) -> impl DoubleEndedIterator<Item = MoveRecord> + ExactSizeIterator {
        (from.min(self.len())..self.len()).map(|index| self.record(index))
    }

    pub(crate) fn iter(&self) -> impl DoubleEndedIterator<Item = MoveRecord> + ExactSizeIterator {
        self.since(0)
    }

    /// All moves without their times.
    pub(crate) fn played(&self) -> impl Iterator<Item = Move> {
        self.kept.iter().map(|kept| kept.mv)
    }

    #[inline]
    pub(crate) fn get(&self, index: usize) -> Option<MoveRecord> {
        (index < self.len()).then(|| self.record(index))
    }

    pub(crate) fn last(&self) -> Option<MoveRecord> {
        self.get(self.len().checked_sub(1)?)
    }

    /// The times on the display after each move.
    pub(crate) fn clocks(&self) -> impl Iterator<Item = Times> {
        self.kept.iter().map(|kept| kept.clocks)
    }

    /// For each move: the side that made it, and when.
    pub(crate) fn made(&self) -> impl Iterator<Item = (Color, Interval)> {
        self.kept.iter().map(|kept| (kept.color, kept.made))
    }

    /// For each move: the side that made it, whether it was pressed, and when it was completed.
    pub(crate) fn completed(&self) -> impl Iterator<Item = (Color, bool, Option<Interval>)> {
        self.kept.iter().map(|kept| {
            let pressed = matches!(kept.at, At::Pressed | At::Both | At::Apart);
            let completed = matches!(kept.at, At::Completed | At::Both | At::Apart).then_some(kept.time);
            (kept.color, pressed, completed)
        })
    }

    /// The move with this index, which must exist.
    #[inline]
    pub(crate) fn record(&self, index: usize) -> MoveRecord {
        let Kept { made, time, at, color, how, mv, san, clocks } = self.kept[index];
        let press_apart = || self.find_apart(index).ok().map(|place| self.apart[place].1);
        let (pressed, completed) = match at {
            At::Unknown => (None, None),
            At::Pressed => (Some(time), None),
            At::Completed => (None, Some(time)),
            At::Both => (Some(time), Some(time)),
            At::Apart => (press_apart(), Some(time)),
        };
        MoveRecord { color, san, made, pressed, how, completed, clocks: clocks.pair(), mv }
    }

    pub(crate) fn push(&mut self, record: MoveRecord) {
        room_for_one(&mut self.kept);
        let index = self.kept.len();
        let kept = self.compress(index, record);
        self.kept.push(kept);
    }

    /// Changes the move with this index.
    pub(crate) fn change(&mut self, index: usize, change: impl FnOnce(&mut MoveRecord)) {
        let Some(mut record) = self.get(index) else { return };
        change(&mut record);
        if let Ok(place) = self.find_apart(index) {
            self.apart.remove(place);
        }
        self.kept[index] = self.compress(index, record);
    }

    fn find_apart(&self, index: usize) -> Result<usize, usize> {
        self.apart.binary_search_by_key(&(index as u32), |(of, _)| *of)
    }

    fn compress(&mut self, index: usize, record: MoveRecord) -> Kept {
        let MoveRecord { color, san, made, pressed, how, completed, clocks, mv } = record;
        let never = Interval { earliest: Instant::ZERO, latest: Instant::ZERO };
        let (time, at) = match (pressed, completed) {
            (None, None) => (never, At::Unknown),
            (Some(pressed), None) => (pressed, At::Pressed),
            (None, Some(completed)) => (completed, At::Completed),
            (Some(pressed), Some(completed)) if pressed == completed => (completed, At::Both),
            (Some(pressed), Some(completed)) => {
                let place = self.find_apart(index).unwrap_or_else(|place| place);
                self.apart.insert(place, (index as u32, pressed));
                (completed, At::Apart)
            }
        };
        Kept { made, time, at, color, how, mv, san, clocks: Times::of(&clocks) }
    }

    pub(crate) fn truncate(&mut self, len: usize) {
        self.kept.truncate(len);
        self.apart.retain(|(of, _)| (*of as usize) < len);
    }
}

#[cfg(test)]
mod tests {
    use shakmaty::{Role, Square};

    use super::*;

    #[test]
    fn a_move_takes_little_room() {
        assert!(size_of::<Kept>() <= 56, "{}", size_of::<Kept>());
    }

    #[test]
    fn times_come_back_as_they_were() {
        let at = |micros: u64| Interval { earliest: Instant(micros), latest: Instant(micros + 5) };
        let san = Notation::of(&"e4".parse().unwrap());
        let mv = Move::Normal { role: Role::Pawn, from: Square::E2, capture: None, to: Square::E4, promotion: None };
        let clocks = Pair { white: None, black: Some(ClockTime(5)) };
        let times =
            [(None, None), (Some(at(1)), None), (None, Some(at(2))), (Some(at(3)), Some(at(3))), (Some(at(4)), Some(at(5)))];
        let mut moves = Moves::default();
        for (pressed, completed) in times {
            moves.push(MoveRecord { color: Color::White, san, made: at(0), pressed, how: How::Press, completed, clocks, mv });
        }
        let told = |moves: &Moves| moves.iter().map(|record| (record.pressed, record.completed)).collect::<Vec<_>>();
        assert_eq!(told(&moves), times);
        moves.change(4, |record| record.pressed = record.completed);
        assert_eq!((told(&moves)[4], moves.apart.len()), ((Some(at(5)), Some(at(5))), 0));
        moves.change(0, |record| (record.pressed, record.completed) = times[4]);
        assert_eq!((told(&moves)[0], moves.get(0).unwrap().clocks), (times[4], clocks));
        moves.truncate(0);
        assert!(moves.is_empty() && moves.apart.is_empty());
    }
}
