//! Promotions on a board that does not identify men: a queen, until play shows another piece (`reconstruct/README.md#3.4`).

use alloc::vec::Vec;
use core::time::Duration;

use shakmaty::Role;

use crate::alarm::AlarmKind;
use crate::audit::AuditEntry;
use crate::effect::Effect;
use crate::game::Game;
use crate::played::{Cause, Revision};
use crate::reconstruct::promoted::{unproved, with_promotion};
use crate::reconstruct::record::Record;

/// A man that moved as no queen can has stood for so long.
const STOOD: Duration = Duration::from_secs(1);
/// What a pawn may have become instead, the likeliest first.
const OTHERS: [Role; 3] = [Role::Knight, Role::Rook, Role::Bishop];

impl Game {
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
        let moves = (ply..self.seen.play.decoder.record.moves().len()).map(|index| self.sure_move(index)).collect();
        out.push(Effect::Audit(AuditEntry::Revision(Revision { from_ply: ply as u32 + 1, cause: Cause::Promotion, moves })));
        self.seen.play.decoder.board_changed(self.now, &self.seen.board);
        self.revised();
    }
}
