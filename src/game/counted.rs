//! Finds the positions that count for a flag-fall or an entry (`laws/README.md#2.4`).

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use flagfall_protocols::square::Color;
use shakmaty::Chess;
use shakmaty::san::SanPlus;

use crate::alarm::{Alarm, AlarmStatus};
use crate::case::Case;
use crate::clock::flag::FlagFall;
use crate::interval::Interval;
use crate::laws::facts::Counted;
use crate::laws::outcome::Phase;
use crate::laws::rules::Table;
use crate::reconstruct::line::Tentative;
use crate::reconstruct::record::How;

/// The largest number of positions that may count at one moment. If there are more, the position counts as unknown.
pub(crate) const MAX_POSITIONS: usize = 6;

/// So many moves of the record, and the moves after them that are made and not sure.
#[derive(Clone, Copy)]
pub(crate) struct Played<'a> {
    pub(crate) sure: usize,
    pub(crate) made: &'a [Tentative],
}

impl Case<'_> {
    /// The moves that were played, as far as this fall is concerned. What stood when it was observed or ruled on stays.
    pub(crate) fn played<'a>(&'a self, fall: Option<&'a FlagFall>) -> Played<'a> {
        let decoder = &self.seen.play.decoder;
        let lost = fall.filter(|fall| fall.settled_at().is_some_and(|at| fall.stood.are_lost(decoder, at)));
        match lost {
            Some(fall) => Played { sure: fall.stood.base(), made: fall.stood.plies() },
            None => Played { sure: decoder.record.moves().len(), made: decoder.made() },
        }
    }

    /// The times at which these moves were made, with their players, in order.
    pub(crate) fn times<'a>(&'a self, played: Played<'a>) -> impl Iterator<Item = (Color, Interval)> + 'a {
        let sure = self.seen.play.decoder.record.moves().made().take(played.sure);
        sure.chain(played.made.iter().map(|ply| (ply.color, ply.made)))
    }

    /// The position after the first `count` of these moves.
    pub(crate) fn position_after(&self, played: Played<'_>, count: usize) -> Chess {
        match count.checked_sub(played.sure + 1).and_then(|beyond| played.made.get(beyond)) {
            Some(ply) => ply.node.position.clone(),
            None => self.seen.play.decoder.record.position_after(count.min(played.sure)),
        }
    }

    /// True if the last of the first `count` of these moves stands without a press.
    fn stands_unpressed(&self, played: Played<'_>, count: usize) -> bool {
        let stood = |last: usize| self.seen.play.decoder.record.moves().get(last).is_some_and(|known| known.how == How::Stood);
        count > played.sure || count.checked_sub(1).is_some_and(stood)
    }

    /// The positions that may count for a flag, or now; and true if there are more of them.
    pub(crate) fn positions(&self, fall: Option<&FlagFall>) -> (Vec<Counted>, bool) {
        let played = self.played(fall);
        let until = fall.and_then(FlagFall::settled_at).unwrap_or(self.now);
        let (mut positions, too_many) = self.positions_within(played, Interval { earliest: until, latest: until });
        // A man that was lifted when the flag fell. Later moves have nothing to do with it.
        let later =
            |fall: &FlagFall| self.times(played).any(|(_, made)| made.earliest >= fall.fell.latest && made.latest <= until);
        if let Some((last, fall)) = positions.last_mut().zip(fall.filter(|fall| fall.touched && !later(fall))) {
            last.phase = match (self.illegal_at(fall), last.phase) {
                (Some(true), _) => Phase::Illegal,
                (None, Phase::Idle) => Phase::Touched,
                (_, phase) => phase,
            };
        }
        (positions, too_many)
    }

    /// Whether an illegal move stood when this flag fell: true if it awaits its ruling still, and none if there was none.
    fn illegal_at(&self, fall: &FlagFall) -> Option<bool> {
        let open = |alarm: &Alarm| matches!(alarm.status, AlarmStatus::Open | AlarmStatus::CorrectedOnBoard);
        let stood = |alarm: &&Alarm| {
            alarm.kind.illegal().is_some()
                && alarm.happened <= fall.fell.latest
                && alarm.closed.is_none_or(|closed| closed > fall.fell.latest)
        };
        self.alarms.iter().filter(stood).map(open).reduce(|one, two| one || two)
    }

    /// The positions after the last move that was made at some moment of `when`, the earliest first.
    pub(crate) fn positions_at(&self, when: Interval) -> (Vec<Counted>, bool) {
        self.positions_within(self.played(None), when)
    }

    fn positions_within(&self, played: Played<'_>, when: Interval) -> (Vec<Counted>, bool) {
        let record = &self.seen.play.decoder.record;
        let mut made = self.times(played).map(|(_, made)| made).peekable();
        let sure = core::iter::from_fn(|| made.next_if(|made| made.latest <= when.earliest)).count();
        let possible = made.take_while(|made| made.earliest < when.latest).count();
        let phase = |count| if self.stands_unpressed(played, count) { Phase::Made } else { Phase::Idle };
        let counted = |count| Counted { position: self.position_after(played, count), phase: phase(count) };
        let mut positions: Vec<Counted> = (sure..=sure + possible).take(MAX_POSITIONS).map(counted).collect();
        if self.seen.config.rulebook.rules().table == Table::Club {
            // An inverted rook is a queen (point 29), so a rook that came from a pawn may stand for a queen.
            let queens = (sure..=sure + possible).take(MAX_POSITIONS).filter_map(|count| record.with_queens(count));
            positions.extend(queens.map(|position| Counted { position, phase: Phase::Idle }));
        }
        (positions, possible >= MAX_POSITIONS)
    }

    /// The position in which a sure move has ended the game on the board.
    pub(crate) fn position_of_ending(&self) -> Option<Counted> {
        let (_, made, _) = self.seen.play.ending?;
        self.positions_at(Interval { earliest: made.latest, latest: made.latest }).0.into_iter().next()
    }

    /// The position before the move that has ended the game on the board.
    pub(crate) fn position_before_ending(&self) -> Option<Counted> {
        let (_, made, by) = self.seen.play.ending_on_board()?;
        let decoder = &self.seen.play.decoder;
        let played = Played { sure: decoder.record.moves().len(), made: decoder.line().plies() };
        let before = self.times(played).position(|ply| ply == (by, made))?;
        Some(Counted { position: self.position_after(played, before), phase: Phase::Idle })
    }

    /// The move that was made, is not completed and leads to this position, in chess notation. If `fall` is a flag of its player and
    /// his completed moves are known, its number stands before it.
    pub(crate) fn made_move(&self, position: &Chess, fall: Option<&FlagFall>) -> Option<String> {
        let played = self.played(fall);
        let counts = (1..=played.sure + played.made.len()).rev().take_while(|&count| self.stands_unpressed(played, count));
        let index = counts.map(|count| count - 1).find(|index| self.position_after(played, index + 1) == *position)?;
        let before = self.position_after(played, index);
        let (mv, color) = match index.checked_sub(played.sure) {
            Some(beyond) => played.made.get(beyond).map(|ply| (ply.mv, ply.color))?,
            None => self.seen.play.decoder.record.moves().get(index).map(|known| (known.mv, known.color))?,
        };
        let san = SanPlus::from_move(before, mv);
        let own = fall.filter(|fall| fall.side == color).and_then(|fall| self.completed_by_fall(fall));
        let dots = if color == Color::White { "." } else { "..." };
        Some(own.map_or_else(|| san.to_string(), |(completed, _)| format!("{}{dots} {san}", completed + 1)))
    }
}
