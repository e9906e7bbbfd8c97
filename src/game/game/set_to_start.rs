//! Forgets the flags that fell before the first move, once both times are set to the start again.

use alloc::vec::Vec;

use flagfall_protocols::square::Color;

use super::Game;
use crate::alarm::AlarmKind;
use crate::audit::{AuditEntry, ClockEvent};
use crate::effect::Effect;
use crate::game_phase::GamePhase;
use crate::pair::Pair;
use crate::seen::Seen;

impl Game {
    /// Before the first move somebody may try a clock until its flag falls, and then set it. Such a fall is none of this game.
    /// A fall on which the game was decided stays.
    pub(super) fn forget_flags_before_first_move(&mut self, out: &mut Vec<Effect>) {
        let Seen { clock, play, phase, .. } = &mut self.seen;
        if !clock.chessclock.flags().any() || self.rulings.result.is_some() {
            return;
        }
        let from_start = play.completed_before == Pair { white: Some(0), black: Some(0) };
        let moved = !play.decoder.record.moves().is_empty() || !play.decoder.line().plies().is_empty();
        let unmoved = matches!(phase.stage, GamePhase::Armed | GamePhase::Playing) && from_start && !moved;
        if !unmoved || !clock.shows_start() {
            return;
        }
        for side in [Color::White, Color::Black] {
            self.rulings.forget_findings_of(side, &clock.chessclock);
            clock.chessclock.flags_mut().take_back(side);
            self.alarms.settle(self.now, AlarmKind::Flag, Some(side));
        }
        clock.set_anew = false;
        self.reports.ruling_dirty = true;
        self.reports.revised();
        out.push(Effect::Audit(AuditEntry::Clock { event: ClockEvent::SetToStart, side: None }));
    }
}
