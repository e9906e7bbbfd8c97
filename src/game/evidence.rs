//! Lists the evidence for a finding: bytes, clock readings, alarms, commands. The list does not change if the same bytes arrive
//! in other pieces.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use flagfall_protocols::event::ByteRange;

use crate::alarm::Alarm;
use crate::case::Case;
use crate::clock::flag::{FlagFall, Reported};
use crate::laws::finding::ClockShown;
use crate::laws::outcome::Kind;
use crate::men::color_name;

impl Case<'_> {
    /// The readings of the clock before this fall and with it.
    pub(crate) fn readings(&self, fall: &FlagFall) -> Vec<ClockShown> {
        let shown = |reported: &Reported| {
            let (times, runs) = self.seen.clock.chessclock.times_and_runner(&reported.reading);
            ClockShown {
                source: self.clock_bytes(reported.source),
                white_ms: times.white.millis(),
                black_ms: times.black.millis(),
                running: runs.map(color_name),
            }
        };
        fall.before.iter().chain(&fall.shown).map(shown).collect()
    }

    /// The name of a range of the clock's bytes: on the board's link with their channel, or on the clock's own link.
    fn clock_bytes(&self, range: ByteRange) -> String {
        let link = if self.seen.config.own_clock.is_some() { "clock-rx" } else { "rx" };
        format!("{link}{}:{}-{}", range.channel, range.start, range.end)
    }

    /// The names of all evidence for a finding of this kind, and for this flag if the finding concerns one. Each name occurs
    /// once.
    pub(crate) fn evidence(&self, kind: Kind, fall: Option<&FlagFall>) -> Vec<String> {
        let mut named = Vec::new();
        let mut name = |text: String| {
            if !named.contains(&text) {
                named.push(text);
            }
        };
        if let Some(shown) = fall.and_then(|fall| fall.shown) {
            name(self.clock_bytes(shown.source));
        }
        let before = |alarm: &&Alarm| fall.is_none_or(|fall| alarm.happened <= fall.fell.latest);
        if kind == Kind::IllegalMove || fall.is_some() {
            let of_moves = self.alarms.iter().filter(|alarm| alarm.kind.illegal().is_some());
            of_moves.filter(before).for_each(|alarm| name(format!("alarm:{}", alarm.id)));
        }
        let set_by = &self.entries.set_by;
        set_by.position.iter().for_each(|id| name(command(id)));
        if let Some(fall) = fall {
            let counted = set_by.move_count.as_ref().filter(|_| self.completed_by_fall(fall).is_some());
            let set = [&set_by.sides, &set_by.time_control, &set_by.additional_time, &set_by.flag_order].map(Option::as_ref);
            let commands = [fall.observed_by.as_ref()].into_iter().chain(set).chain([counted]);
            commands.flatten().for_each(|id| name(command(id)));
        }
        for entry in self.entries.all() {
            name(entry.command.as_deref().map_or_else(|| format!("entered@{}", entry.entered.0), command));
        }
        named
    }
}

fn command(id: &str) -> String {
    format!("cmd:{id}")
}
