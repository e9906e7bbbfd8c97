//! Takes the reports of the clock.

use alloc::vec::Vec;

use flagfall_protocols::event::{ByteRange, ClockReading};
use flagfall_protocols::time::Instant;

use super::{Game, News};
use crate::alarm::AlarmKind;
use crate::clock::fact::Facts;
use crate::effect::Effect;
use crate::reconstruct::ClockView;
use crate::seen::Seen;

impl Game {
    /// Handles a report. It may have to wait for the next one.
    pub(super) fn handle_clock(&mut self, reading: &ClockReading, source: ByteRange, out: &mut Vec<Effect>) -> News {
        let clock = &mut self.seen.clock;
        clock.asked = None;
        let before = clock.view();
        let facts = clock.chessclock.read(self.now, reading, source, clock.control.as_ref());
        let news = self.apply_clock_facts(&before, &facts, out);
        self.alarms.cure(self.now, AlarmKind::ClockLost);
        self.health.clock_battery(self.now, reading.battery_low, &mut self.alarms);
        news
    }

    /// Takes a doubted report of the clock that waited for the next one in vain.
    pub(super) fn take_unanswered_report(&mut self, out: &mut Vec<Effect>) {
        let clock = &mut self.seen.clock;
        let before = clock.view();
        if let Some(facts) = clock.chessclock.take_unanswered(self.now, clock.control.as_ref()) {
            self.apply_clock_facts(&before, &facts, out);
        }
    }

    fn apply_clock_facts(&mut self, before: &ClockView, facts: &Facts, out: &mut Vec<Effect>) -> News {
        let Seen { config, clock, play, .. } = &mut self.seen;
        clock.note_setting(self.now, before, facts, self.rulings.entry_is_open());
        clock.note_stop(self.now, before, play.decoder.line().made_at().unwrap_or(Instant::ZERO));
        self.reports.arbiter_dirty |= clock.note_recording(&config.rulebook);
        let decided = self.rulings.result.is_some();
        for fact in facts.iter() {
            let changed = self.seen.apply_clock_fact(self.now, fact, decided, &mut self.alarms, out);
            self.reports.note(changed);
        }
        self.forget_flags_before_first_move(out);
        out.push(Effect::Clock);
        self.notice_hidden_moves(out);
        if facts.iter().next().is_none() { News::SecondsOnly } else { News::Any }
    }
}
