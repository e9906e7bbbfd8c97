//! A scene as a trace.

use flagfall_game::config::GameConfig;
use flagfall_protocols::time::Instant;
use flagfall_protocols::trace::{self, Body, Record};

/// Writes a trace while a scene runs.
pub(crate) struct Recording {
    pub(crate) text: String,
    seq: u64,
    last: Instant,
}

impl Recording {
    pub(crate) fn new(driver: &str, config: &GameConfig) -> Recording {
        let mut text = format!("{}\n", trace::FORMAT);
        let control = config.time_control.as_ref().map(ToString::to_string);
        let control = control.as_deref().map(|control| ("time-control", control));
        let casual = config.casual.then_some(("casual", "true"));
        for (key, value) in [("driver", driver), ("device", "flagfall emulator")].into_iter().chain(control).chain(casual) {
            trace::print_header(key, value, &mut text).expect("a header");
        }
        Recording { text, seq: 0, last: Instant::ZERO }
    }

    pub(crate) fn note(&mut self, at: Instant, body: Body<'_>) {
        self.seq += 1;
        self.last = self.last.max(at);
        trace::print(&Record { seq: self.seq, at: self.last, body }, &mut self.text).expect("a record");
    }
}
