//! Arbiters' records of position and moves: a position set, a move taken back or put right.

use alloc::vec::Vec;

use flagfall_protocols::time::Instant;
use shakmaty::Chess;
use shakmaty::fen::Fen;
use shakmaty::uci::UciMove;

use crate::alarm::AlarmKind;
use crate::audit::AuditEntry;
use crate::effect::Effect;
use crate::game::Game;
use crate::interval::Interval;
use crate::irregular::king::KingCapture;
use crate::irregular::position::IllegalPosition;
use crate::played::{Cause, GameMove, Revision};
use crate::reconstruct::record::How;
use crate::stage::Stage;

impl Game {
    pub(crate) fn position(&self, fen: &str) -> Result<Chess, &'static str> {
        let fen = Fen::from_ascii(fen.as_bytes()).map_err(|_| "the FEN cannot be read")?;
        fen.into_position(self.seen.config.castling_mode()).map_err(|_| "the FEN is not a legal position")
    }

    /// An earlier position of the game is a take-back; any other one begins a new record with the old counts.
    pub(crate) fn set_position(&mut self, position: Chess, out: &mut Vec<Effect>) {
        let plies = self.seen.play.decoder.record.moves().len();
        let mut earlier = self.seen.play.decoder.record.clone();
        for kept in (0..=plies).rev() {
            earlier.truncate(kept);
            if earlier.node().position == position {
                // Every count up to the record's own length can be cut back to.
                let _ = self.take_back(kept, Cause::SetPosition, out);
                return;
            }
        }
        self.restart_from(position, self.seen.config.castling_mode());
        out.push(revision(1, Cause::SetPosition, Vec::new()));
    }

    pub(crate) fn take_back(&mut self, plies: usize, cause: Cause, out: &mut Vec<Effect>) -> Result<(), &'static str> {
        if plies > self.seen.play.decoder.record.moves().len() {
            return Err("the game has fewer moves");
        }
        let cut = plies < self.seen.play.decoder.record.moves().len();
        self.seen.play.decoder.forget_tentative();
        if cut {
            self.seen.play.decoder.record.truncate(plies);
            out.push(revision(plies as u32 + 1, cause, Vec::new()));
        }
        self.reopen();
        self.settle_irregularities();
        self.seen.play.decoder.board_changed(self.now, &self.seen.board);
        Ok(())
    }

    pub(crate) fn correct_move(&mut self, plies: usize, uci: &str, out: &mut Vec<Effect>) -> Result<(), &'static str> {
        let moves = self.seen.play.decoder.record.moves().len();
        if plies > moves {
            return Err("the game has fewer moves");
        }
        let mut earlier = self.seen.play.decoder.record.clone();
        earlier.truncate(plies);
        let uci = UciMove::from_ascii(uci.as_bytes()).map_err(|_| "the move cannot be read")?;
        let mv = uci.to_move(&earlier.node().position).map_err(|_| "the move is not legal there")?;
        let color = earlier.turn();
        let replaced = self.seen.play.decoder.record.moves().get(plies);
        let standing = self.seen.play.decoder.line().plies().first().filter(|_| replaced.is_none());
        let now = Interval { earliest: self.now, latest: self.now };
        let made = replaced.map(|known| known.made).or(standing.map(|ply| ply.made)).unwrap_or(now);
        let pressed = self.seen.play.decoder.waiting_press(color).filter(|_| replaced.is_none());
        let times = replaced.map_or(self.seen.clock.view().times, |known| known.clocks);
        earlier.push(mv, made, pressed, How::Arbiter, times);
        match replaced {
            Some(replaced) => earlier.completed_like(&replaced),
            None if pressed.is_none() => {
                // When it was pressed for nobody has said: after the move before it.
                let before = self.seen.play.decoder.record.moves().last().map_or(Instant::ZERO, |last| last.made.earliest);
                earlier.completed_within(Interval { earliest: before.min(made.earliest), latest: self.now });
            }
            None => {}
        }
        if plies + 1 < moves {
            self.count_at_falls();
        }
        self.seen.play.decoder.record = earlier;
        self.seen.play.decoder.forget_tentative();
        self.settle_irregularities();
        self.reopen();
        self.note_ending(plies + 1, made, color, out);
        let corrected = self.sure_move(plies);
        out.push(match plies < moves {
            true => revision(plies as u32 + 1, Cause::CorrectMove, alloc::vec![corrected]),
            false => Effect::Move(corrected),
        });
        self.seen.play.decoder.board_changed(self.now, &self.seen.board);
        Ok(())
    }

    /// The game goes on: a flag that fell after its supposed end counts.
    pub(crate) fn reopen(&mut self) {
        self.seen.play.ending = None;
        self.seen.phase.stage = Stage::Playing;
        if self.rulings.result.is_none() {
            self.seen.clock.chessclock.flags_mut().iter_mut().for_each(|fall| fall.after_end = false);
            self.raise_flags();
        }
    }

    fn settle_irregularities(&mut self) {
        self.irregular.king = KingCapture::None;
        self.irregular.illegal_position = IllegalPosition::default();
        for kind in [AlarmKind::IllegalMove, AlarmKind::PromotionNotReplaced, AlarmKind::PressedWithoutMove] {
            self.alarms.settle(self.now, kind, None);
        }
    }
}

fn revision(from_ply: u32, cause: Cause, moves: Vec<GameMove>) -> Effect {
    Effect::Audit(AuditEntry::Revision(Revision { from_ply, cause, moves }))
}
