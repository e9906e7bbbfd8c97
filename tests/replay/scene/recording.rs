//! A scene as a trace.

use flagfall_game::config::GameConfig;
use flagfall_protocols::time::Instant;
use flagfall_protocols::trace::{self, Body, Record};

/// Writes a trace while a scene runs.
pub(super) struct Recording {
    pub(super) text: String,
    seq: u64,
    last: Instant,
}

impl Recording {
    pub(super) fn new(config: &GameConfig) -> Recording {
        let mut text = format!("{}\n", trace::FORMAT);
        let control = config.time_control.as_ref().map(ToString::to_string);
        let control = control.as_deref().map(|control| ("time-control", control));
        for (key, value) in [("driver", "dgt"), ("device", "flagfall emulator")].into_iter().chain(control) {
            trace::print_header(key, value, &mut text).expect("a header");
        }
        Recording { text, seq: 0, last: Instant::ZERO }
    }

    pub(super) fn note(&mut self, at: Instant, body: Body<'_>) {
        self.seq += 1;
        self.last = self.last.max(at);
        trace::print(&Record { seq: self.seq, at: self.last, body }, &mut self.text).expect("a record");
    }
}
