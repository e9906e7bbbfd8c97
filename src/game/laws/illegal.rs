//! Counts illegal moves and determines their cost (Articles 7.5.1 to 7.5.5, A.5.2; US Chess 11D; club points 15 to 19).

use alloc::vec;
use alloc::vec::Vec;

use flagfall_protocols::square::Color;

use crate::interval::Interval;
use crate::laws::endings::Final;
use crate::laws::facts::{Facts, Illegal, IllegalKind, Treated};
use crate::laws::outcome::{Kind, Outcome, Recommended};
use crate::laws::rules::{About, Table};
use crate::laws::tables::{Ruled, Tables, depending};
use crate::men;

/// The illegal moves of one player, in the order in which they were completed.
struct Tally<'a> {
    moves: Vec<&'a Illegal>,
}

impl<'a> Tally<'a> {
    /// The illegal moves that were ruled to count. Several kinds at one press are one illegal move (7.5.5).
    fn counted(&self) -> Vec<&'a Illegal> {
        let mut counted: Vec<&Illegal> = Vec::new();
        for illegal in self.moves.iter().filter(|illegal| illegal.treated == Treated::Counted) {
            let together = |other: &Illegal| other.kind != illegal.kind && other.at == illegal.at;
            if !counted.last().is_some_and(|other| together(other)) {
                counted.push(illegal);
            }
        }
        counted
    }

    /// The illegal move that reaches this number. Its interval covers every time at which the number may have been reached.
    fn nth_counted(&self, limit: usize) -> Option<Illegal> {
        let counted = self.counted();
        let index = limit.checked_sub(1)?;
        let mut earliest: Vec<_> = counted.iter().map(|illegal| illegal.at.earliest).collect();
        let mut latest: Vec<_> = counted.iter().map(|illegal| illegal.at.latest).collect();
        earliest.sort_unstable();
        latest.sort_unstable();
        let at = Interval { earliest: *earliest.get(index)?, latest: *latest.get(index)? };
        // If the order of some illegal moves is not sure, each of them may be the one.
        let may_be = |illegal: &&&Illegal| illegal.at.earliest <= at.latest && at.earliest <= illegal.at.latest;
        let positions = counted.iter().filter(may_be).flat_map(|illegal| illegal.positions.iter().cloned()).collect();
        Some(Illegal { at, positions, ..(*counted.get(index)?).clone() })
    }

    /// The highest possible number; 0 if no illegal move awaits a ruling or was ruled to count.
    fn possible(&self) -> usize {
        let point = |at: Interval| at.earliest == at.latest;
        let mut moves = self.moves.clone();
        moves.dedup_by(|next, kept| next.at == kept.at && next.kind != kept.kind && point(next.at));
        let only_settled = moves.iter().all(|illegal| illegal.treated == Treated::Settled);
        if only_settled { 0 } else { moves.len() }
    }
}

/// The illegal moves that a player is charged with, those until `before` if it is given. Those that were ruled to be none are left
/// out. If the rules have the deadline of A.5.2, those that stand since the opponent's next move are left out too.
pub(crate) fn charged<'a>(facts: &'a Facts, side: Color, before: Option<&Interval>) -> Vec<&'a Illegal> {
    let deadline = facts.rulebook.rules().illegal_deadline;
    let club = facts.rulebook.rules().table == Table::Club;
    // By the club's rules the opponent must also press after his reply (point 15).
    let replied = |illegal: &Illegal| if club { illegal.reply_pressed.is_some() } else { illegal.reply.is_some() };
    let stands = |illegal: &Illegal| deadline && replied(illegal) && illegal.treated != Treated::Counted;
    let in_time = |illegal: &Illegal| before.is_none_or(|fell| illegal.at.earliest <= fell.latest);
    let counts =
        |illegal: &&Illegal| illegal.by == side && illegal.treated != Treated::NotCounted && !stands(illegal) && in_time(illegal);
    let mut moves: Vec<&Illegal> = facts.illegal.iter().filter(counts).collect();
    let rank = |treated: Treated| [Treated::Counted, Treated::Open, Treated::Settled].iter().position(|it| *it == treated);
    moves.sort_by_key(|illegal| (illegal.at.latest, illegal.at.earliest, rank(illegal.treated), illegal.kind));
    moves
}

impl Tables<'_, '_> {
    fn tally(&self, side: Color, before: Option<&Interval>) -> Tally<'_> {
        Tally { moves: charged(self.facts, side, before) }
    }

    /// The illegal moves of a player that were ruled to count and were completed before his opponent's flag fell.
    pub(crate) fn counted_before(&self, side: Color, fell: &Interval) -> Vec<&Illegal> {
        self.tally(side, Some(fell)).counted()
    }

    /// Row 7a, for a player who has certainly completed too many illegal moves.
    pub(crate) fn by_illegal_moves(&mut self) -> Vec<Final> {
        let Some(limit) = self.facts.rulebook.illegal_loses() else { return Vec::new() };
        let mut finals = Vec::new();
        for side in [Color::White, Color::Black] {
            let tally = self.tally(side, None);
            if let Some(last) = tally.nth_counted(limit as usize) {
                let ruled = Ruled { ended: Some(last.at), offender: Some(side), ..self.offender_loses(&last) };
                finals.push(Final { kind: Kind::IllegalMove, at: last.at, depends_on: "the illegal moves came first", ruled });
            }
        }
        finals
    }

    /// The offender loses. The game is a draw if the opponent cannot mate (7.5.5).
    pub(crate) fn offender_loses(&mut self, last: &Illegal) -> Ruled {
        let row = self.rows().illegal_again;
        // By these rules one illegal move is enough, and each kind has its own point.
        let first_loses = self.facts.rulebook.illegal_loses() == Some(1);
        let articles = if first_loses { self.on_illegal(last.kind) } else { self.articles().illegal_again };
        self.wins_if_possible(last.by.other(), &last.positions, [row, row], articles).resting_on(self.holds(About::IllegalMoves))
    }

    /// Row 7a, if the number of illegal moves is not certain: the answer for each player who may have completed too many.
    pub(crate) fn may_have_lost(&mut self, before: Option<&Interval>) -> Vec<(&'static str, Ruled)> {
        let limit = self.facts.rulebook.illegal_loses().map_or(usize::MAX, |limit| limit as usize);
        let mut lost = Vec::new();
        for side in [Color::White, Color::Black] {
            let tally = self.tally(side, before);
            if tally.counted().len() < limit
                && tally.possible() >= limit
                && let Some(last) = tally.moves.iter().rfind(|it| it.treated != Treated::Settled).map(|it| (*it).clone())
            {
                let count = match side {
                    Color::White => "White's illegal moves count",
                    Color::Black => "Black's illegal moves count",
                };
                lost.push((count, Ruled { ended: Some(last.at), ..self.offender_loses(&last) }));
            }
        }
        lost
    }

    /// The illegal moves without a ruling, the last one first. If a flag fell, only those before it.
    pub(crate) fn open_illegal(&self, before: Option<&Interval>) -> Vec<Illegal> {
        let both = [Color::White, Color::Black].map(|side| self.tally(side, before));
        let open = both.iter().flat_map(|tally| &tally.moves).filter(|illegal| illegal.treated == Treated::Open);
        let mut open: Vec<Illegal> = open.map(|illegal| (*illegal).clone()).collect();
        open.sort_by_key(|illegal| core::cmp::Reverse(illegal.at.latest));
        open
    }

    /// The articles for an illegal move of this kind.
    pub(crate) fn on_illegal(&self, kind: IllegalKind) -> &'static [&'static str] {
        match kind {
            IllegalKind::Move => self.articles().illegal,
            IllegalKind::PromotionNotReplaced => self.articles().not_replaced,
            IllegalKind::PressedWithoutMove => self.articles().pressed_only,
            IllegalKind::TwoHands => self.articles().two_hands,
        }
    }

    /// The arbiter's measures if each of these is its player's first illegal move (7.5.1, 7.5.2, 7.5.5, A.3).
    pub(crate) fn remedy(&self, open: &[Illegal]) -> Vec<Recommended> {
        let seconds = self.facts.rulebook.penalty_s();
        let add = |illegal: &Illegal| Recommended::AddTime { side: men::color_name(illegal.by.other()), seconds };
        let add = open.iter().filter(|_| seconds > 0).map(add);
        let on_board = illegal_to_correct(open).and_then(|illegal| match illegal.kind {
            IllegalKind::Move => Some(Recommended::RestorePosition),
            IllegalKind::PromotionNotReplaced => Some(Recommended::ReplaceByQueen),
            IllegalKind::PressedWithoutMove | IllegalKind::TwoHands => None,
        });
        on_board.into_iter().chain(add).collect()
    }

    /// True if an illegal position stood on the board while it could still matter (A.5.4).
    pub(crate) fn stood_illegally(&self, matters: impl Fn(Interval) -> bool) -> bool {
        self.facts.rulebook.rules().illegal_position_draws && self.facts.illegal_position.is_some_and(matters)
    }

    /// A draw if the arbiter observed the illegal position (A.5.4), otherwise this answer.
    pub(crate) fn drawn_if_observed(&self, otherwise: Ruled) -> Ruled {
        let row = self.rows().illegal;
        let drawn = Ruled::new(row, Outcome::Draw, &["A.5.4"]);
        let cases = vec![("the arbiter observed the illegal position", drawn), ("nobody did", otherwise)];
        depending(row, &["A.5.4"], "observation_of_illegal_position", cases)
    }

    /// Rows 7a and 7b without a flag: the proposal for an illegal move without a ruling, or for an illegal position.
    pub(crate) fn illegal_without_flag(&mut self) -> Option<(Ruled, Kind)> {
        let open = self.open_illegal_moves();
        let stood = self.stood_illegally(|_| true);
        if !stood {
            return open.map(|ruled| (ruled, Kind::IllegalMove));
        }
        let goes_on = Ruled::new(self.rows().illegal, Outcome::GameGoesOn, &["A.5.2", "A.5.4"]);
        let ruled = self.drawn_if_observed(open.unwrap_or(goes_on));
        Some((Ruled { ended: self.facts.illegal_position, offender: None, ..ruled }, Kind::IllegalMove))
    }

    fn open_illegal_moves(&mut self) -> Option<Ruled> {
        let open = self.open_illegal(None);
        let last = illegal_to_correct(&open)?;
        let (articles, rows) = (self.articles(), self.rows());
        let on_last = self.on_illegal(last.kind);
        let goes_on = Ruled {
            recommended: self.remedy(&open),
            counted: last.positions.first().cloned(),
            ended: Some(last.at),
            offender: Some(last.by),
            ..Ruled::new(rows.illegal, Outcome::GameGoesOn, on_last).resting_on(self.holds(About::Penalty))
        };
        let mut cases = self.may_have_lost(None);
        if cases.is_empty() {
            return Some(goes_on);
        }
        cases.push(("they do not all count", goes_on));
        let ruled = depending(rows.illegal_again, articles.illegal_again, "illegal_move_ruling", cases);
        Some(Ruled { ended: Some(last.at), offender: Some(last.by), ..ruled })
    }
}

/// The open illegal move that is corrected on the board. It is the earliest one that changed the board, because its
/// correction covers all later ones. If none changed the board, it is the last one.
pub(crate) fn illegal_to_correct(open: &[Illegal]) -> Option<&Illegal> {
    let on_board = |illegal: &&Illegal| matches!(illegal.kind, IllegalKind::Move | IllegalKind::PromotionNotReplaced);
    open.iter().rev().find(on_board).or(open.first())
}
