//! Reports the actions of the players' hands beside the moves: touched men, squares in between, the order of a castling. These
//! are facts for the arbiters' record; the rulings on them (Articles 4.2 to 4.4, 4.7, 7.5.4) are the arbiters'.

use alloc::vec::Vec;
use core::time::Duration;

use flagfall_protocols::square::{Color, Square};
use flagfall_protocols::time::Instant;
use shakmaty::{CastlingSide, Chess, Move, Position};

use crate::audit::{AuditEntry, TouchedMan};
use crate::effect::Effect;
use crate::interval::Interval;
use crate::men::{self, EMPTY};
use crate::seen::Seen;

/// The largest number of squares in between that are reported of one move.
const MAX_STOOD: usize = 8;
/// The largest number of touched men of a game that are kept. The oldest one is dropped.
const MAX_TOUCHED: usize = 16;

impl Seen {
    /// Reports each man of the side to move that has just been put back on its square in its player's own time.
    pub(crate) fn report_touched_men(&mut self, now: Instant, out: &mut Vec<Effect>) {
        let plies = self.play.decoder.record.moves().len() + self.play.decoder.line().plies().len();
        let mut touched_men = Vec::new();
        let node = self.play.decoder.line().top(self.play.decoder.record.node());
        let turn = men::turn(&node.position);
        let Some(began) = self.own_time_since(turn) else { return };
        for square in men::squares(self.board.changed_then(now)) {
            let man = self.board.men()[square.index()];
            if men::color(man) != Some(turn) || node.men[square.index()] != man || self.board.weak(square.index(), now) {
                continue;
            }
            let mut changes = self.board.changes_of(square.index() as u8);
            let (Some(back), Some(lifted)) = (changes.next(), changes.next()) else { continue };
            let touched = back.before == EMPTY && lifted.before == man && lifted.at >= began;
            // A sensor may have missed a man that is away for less than two scans.
            if touched && back.at.since(lifted.at) * 2 >= self.board.scan() * 3 {
                let lifted = Interval::seen(lifted.at, self.board.scan());
                let put_back = Interval::seen(back.at, self.board.scan());
                out.push(Effect::Audit(AuditEntry::Touched { side: turn, square, lifted, put_back }));
                let kept = |man| TouchedMan { man, square, ply: plies as u32 + 1, lifted, put_back };
                touched_men.extend(men::piece(man).map(kept));
            }
        }
        let kept = &mut self.play.touched_men;
        kept.extend(touched_men);
        kept.drain(..kept.len().saturating_sub(MAX_TOUCHED));
    }

    /// The time since which it has been the turn of `turn`; none if it is not.
    fn own_time_since(&self, turn: Color) -> Option<Instant> {
        if self.clock.chessclock.present() {
            return (self.clock.chessclock.runs() == Some(turn)).then(|| self.clock.chessclock.changed_at());
        }
        let made = self.play.decoder.line().made_at();
        Some(made.or_else(|| Some(self.play.decoder.record.moves().last()?.made.latest)).unwrap_or(Instant::ZERO))
    }

    /// Reports what the hands did while they made the move with this index, which has become sure.
    pub(crate) fn report_handling(&self, index: usize, out: &mut Vec<Effect>) {
        let moves = self.play.decoder.record.moves();
        let Some(known) = moves.get(index) else { return };
        let began = index
            .checked_sub(1)
            .map_or(Instant::ZERO, |before| moves.get(before).map_or(Instant::ZERO, |before| before.made.latest));
        let position = self.play.decoder.record.position_after(index);
        let (mv, side, ply) = (known.mv(), known.color, index as u32 + 1);
        match mv {
            Move::Castle { king, rook } => {
                self.report_castling(&Castling::new(&position, king, rook), began, (side, ply), out);
            }
            _ => {
                let stood = self.stood_on_the_way(&position, mv, Interval { earliest: began, latest: known.made.latest });
                out.extend(
                    stood.into_iter().map(|(square, first, last)| {
                        Effect::Audit(AuditEntry::Stood { side, ply, square, shown: [first, last] })
                    }),
                );
            }
        }
    }

    /// The other squares on which the man of this move stood alone for at least a whole scan, with the first and the last
    /// time of each. All lie within the time of the move, and the man could have moved to each of them.
    fn stood_on_the_way(&self, position: &Chess, mv: Move, time: Interval) -> Vec<(Square, Instant, Instant)> {
        let Some((from, man)) = mv.from().and_then(|from| Some((from, position.board().piece_at(from)?))) else {
            return Vec::new();
        };
        let man = men::of_shakmaty(man);
        let legal = position.legal_moves();
        let others = legal.iter().filter(|other| other.from() == Some(from) && other.to() != mv.to() && !other.is_castle());
        let others = others.fold(0_u64, |mask, other| mask | 1 << other.to().to_u32());
        let own = others | 1 << from.to_u32() | 1 << mv.to().to_u32();
        let mut stood: Vec<(Square, Instant, Instant)> = Vec::new();
        let mut until = time.latest;
        for (since, shown) in self.board.past(time.earliest).skip_while(|(since, _)| *since >= time.latest) {
            let mut places = men::squares(own).filter(|square| shown[square.index()] == man);
            if let (Some(place), None) = (places.next(), places.next())
                && others & place.bit() != 0
                && since >= time.earliest
            {
                match stood.last_mut() {
                    Some((before, first, _)) if *before == place && *first == until => *first = since,
                    _ => stood.push((place, since, until)),
                }
            }
            until = since;
        }
        let whole: Duration = self.board.scan() * 2;
        stood.retain(|(_, first, last)| last.since(*first) >= whole);
        stood.truncate(MAX_STOOD);
        stood.reverse();
        stood
    }

    fn report_castling(&self, castling: &Castling, began: Instant, (side, ply): (Color, u32), out: &mut Vec<Effect>) {
        let left = |(square, man): (Square, u8)| {
            self.changes_since(square, began).into_iter().find(|(_, before, _)| *before == man).map(|(at, ..)| at)
        };
        let reached = |(square, man): (Square, u8)| {
            self.changes_since(square, began).into_iter().rev().find(|(.., after)| *after == man).map(|(at, ..)| at)
        };
        let lifted = left(castling.rook).zip(left(castling.king));
        let placed = reached(castling.rook_to).zip(reached(castling.king_to));
        let squares = [castling.rook.0, castling.king.0];
        if let Some((rook, king)) = lifted.filter(|(rook, king)| rook.after(self.board.scan()) < *king) {
            out.push(Effect::Audit(AuditEntry::RookFirst { side, ply, squares, lifted: [rook, king] }));
        }
        let together = |(one, other): &(Instant, Instant)| one.since(*other).max(other.since(*one)) <= self.board.scan();
        let told = lifted.filter(together).map(|times| (times, squares));
        let told = told.or_else(|| Some((placed.filter(together)?, [castling.rook_to.0, castling.king_to.0])));
        if let Some(((rook, king), squares)) = told {
            out.push(Effect::Audit(AuditEntry::TwoHands { side, ply, squares, shown: [rook, king] }));
        }
    }

    /// The changes of a square since `since`, the latest first: the time, the man before and the man after.
    fn changes_since(&self, square: Square, since: Instant) -> Vec<(Instant, u8, u8)> {
        let mut after = self.board.men()[square.index()];
        let changes = self.board.changes_of(square.index() as u8).take_while(|change| change.at >= since);
        changes.map(|change| (change.at, change.before, core::mem::replace(&mut after, change.before))).collect()
    }
}

/// The men of a castling, with the squares on which they begin and end.
struct Castling {
    king: (Square, u8),
    rook: (Square, u8),
    king_to: (Square, u8),
    rook_to: (Square, u8),
}

impl Castling {
    fn new(position: &Chess, king: shakmaty::Square, rook: shakmaty::Square) -> Castling {
        let us = position.turn();
        let side = CastlingSide::from_king_side(king < rook);
        let at =
            |square: shakmaty::Square, man: shakmaty::Piece| (Square::wrapping(square.to_u32() as u8), men::of_shakmaty(man));
        Castling {
            king: at(king, us.king()),
            rook: at(rook, us.rook()),
            king_to: at(side.king_to(us), us.king()),
            rook_to: at(side.rook_to(us), us.rook()),
        }
    }
}
