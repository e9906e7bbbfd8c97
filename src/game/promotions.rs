//! Promotions on a board that does not identify men: a queen, until play shows another piece (`reconstruct/README.md#3.4`).

use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::time::Duration;

use shakmaty::{Move, Position, Role};

use crate::alarm::AlarmKind;
use crate::effect::Effect;
use crate::game::Game;
use crate::message::{AuditBody, Cause, RevisionBody};
use crate::reconstruct::record::{How, Record};

/// A man that moved as no queen can has stood for so long.
const STOOD: Duration = Duration::from_secs(1);
/// What a pawn may have become instead, the likeliest first.
const OTHERS: [Role; 3] = [Role::Knight, Role::Rook, Role::Bishop];

impl Game {
    /// Promotions that nobody has confirmed, as they are told, in UCI notation.
    pub fn unconfirmed_promotions(&self) -> Vec<String> {
        let (moves, mode) = (self.seen.play.decoder.record.moves(), self.seen.play.decoder.record.mode());
        let told = self.alarms.is_open(AlarmKind::PromotionUnconfirmed);
        unproved(&self.seen.play.decoder.record)
            .into_iter()
            .filter(|_| told)
            .filter_map(|(ply, _)| Some(moves.get(ply)?.uci(mode).to_string()))
            .collect()
    }

    /// The move with this index became sure: who knows what its pawn became?
    pub(crate) fn note_promotion(&mut self, index: usize) {
        if self.seen.board.identifies() {
            return;
        }
        let promoted = unproved(&self.seen.play.decoder.record).into_iter().find(|(ply, _)| *ply == index);
        if let Some((_, square)) = promoted {
            self.alarms.raise(self.now, AlarmKind::PromotionUnconfirmed, None, square);
        }
    }

    /// A piece that has moved as a rook and as a bishop is a queen, and of one that is captured nobody asks any more.
    pub(crate) fn watch_promotions(&mut self) {
        if self.alarms.is_open(AlarmKind::PromotionUnconfirmed) && unproved(&self.seen.play.decoder.record).is_empty() {
            self.alarms.cure(self.now, AlarmKind::PromotionUnconfirmed);
        }
    }

    /// The board shows a move that a promoted piece can only have made if it is no queen: the promotion is put right.
    pub(crate) fn look_for_other_promotion(&mut self, out: &mut Vec<Effect>) {
        let rests = self.now >= self.seen.board.last_change().after(STOOD);
        if self.seen.board.identifies() || !rests || self.seen.play.decoder.explains(&self.seen.board) {
            return;
        }
        let record = &self.seen.play.decoder.record;
        let found = unproved(record).into_iter().rev().find_map(|(ply, _)| {
            let other = OTHERS.into_iter().filter_map(|role| with_promotion(record, ply, role));
            // What is only off its square may be in a hand.
            let made = |record: &Record| record.node().exact(self.seen.board.men()).is_some_and(|mv| !mv.is_capture());
            let mut shown = other.filter(made);
            shown.next().map(|record| (ply, record))
        });
        let Some((ply, record)) = found else { return };
        self.count_at_falls();
        self.seen.play.decoder.record = record;
        self.seen.play.decoder.forget_tentative();
        self.alarms.cure(self.now, AlarmKind::PromotionUnconfirmed);
        let moves = (ply..self.seen.play.decoder.record.moves().len()).map(|index| self.move_body(index)).collect();
        out.push(Effect::Audit(AuditBody::Revision(RevisionBody { from_ply: ply as u32 + 1, cause: Cause::Promotion, moves })));
        self.seen.play.decoder.board_changed(self.now, &self.seen.board);
        self.revised();
    }
}

/// Queens that nobody has confirmed and no move has proved: the index of the promotion, and the square as a mask.
fn unproved(record: &Record) -> Vec<(usize, u64)> {
    let moves = record.moves();
    let mut found = Vec::new();
    for (index, promoted) in moves.iter().enumerate() {
        let Some(Role::Queen) = promoted.mv().promotion().filter(|_| promoted.how != How::Arbiter) else { continue };
        let mut square = promoted.mv().to();
        let (mut straight, mut diagonal, mut gone) = (false, false, false);
        for later in moves.played().skip(index + 1) {
            if later.from() == Some(square) {
                let line = later.to().file() == square.file() || later.to().rank() == square.rank();
                (straight, diagonal) = (straight || line, diagonal || !line);
                square = later.to();
            } else {
                gone |= later.to() == square && later.is_capture();
            }
            if gone {
                break;
            }
        }
        if !(gone || straight && diagonal) {
            found.push((index, 1 << square.to_u32()));
        }
    }
    found
}

/// The same game with another piece at this promotion; none if its later moves are not legal then.
fn with_promotion(record: &Record, ply: usize, role: Role) -> Option<Record> {
    let moves = record.moves();
    let mut other = record.clone();
    other.truncate(ply);
    for (index, known) in moves.iter().enumerate().skip(ply) {
        let promotion = if index == ply { Some(role) } else { known.mv().promotion() };
        let same = |mv: &Move| {
            (mv.from(), mv.to(), mv.promotion(), mv.is_castle())
                == (known.mv().from(), known.mv().to(), promotion, known.mv().is_castle())
        };
        let mv = other.node().position.legal_moves().into_iter().find(same)?;
        other.push(mv, known.made, known.pressed, known.how, known.clocks);
        other.completed_like(&known);
    }
    Some(other)
}
