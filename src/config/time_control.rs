//! Says the time controls of a configuration in words, and doubts those that are probably not meant.

use std::collections::BTreeMap;

use flagfall_game::clock::control::TimeControl;
use serde::Serialize;

use super::types::{Config, Guidelines, STANDARD, rulebook};

/// A time control for people.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct InWords {
    /// The time control in PGN notation with its words: `5400+30 (90 minutes, and 30 seconds a move)`.
    pub text: String,
    /// Why it is probably not meant, a sentence without its full stop (Articles A.1 and B.1).
    pub doubt: Option<String>,
}

impl InWords {
    /// Reads a time control that is played under these rules; without rules those that hold if none are configured. None if it cannot be
    /// read.
    pub fn of(control: &str, profile: Option<&str>) -> Option<InWords> {
        let control = TimeControl::parse(control).ok()?;
        let rules = rulebook(profile.unwrap_or(STANDARD), Guidelines::None).ok();
        let doubt = rules.and_then(|rules| control.doubt(rules.profile));
        Some(InWords { text: format!("{control} ({})", control.words()), doubt })
    }
}

/// Returns the time controls that are played by a configuration, each with whose it is: `board 1, 2`, or the event if it has no board.
pub fn time_controls(config: &Config) -> Vec<(String, InWords)> {
    let event = &config.event;
    let mut boards: BTreeMap<(&str, &str), Vec<&str>> = BTreeMap::new();
    for board in &config.board {
        let Some(control) = board.time_control.as_ref().or(event.time_control.as_ref()) else { continue };
        boards.entry((control, board.profile.as_ref().unwrap_or(&event.profile))).or_default().push(&board.id);
    }
    if let (true, Some(control)) = (config.board.is_empty(), &event.time_control) {
        boards.insert((control, &event.profile), Vec::new());
    }
    let whose = |ids: &[&str]| if ids.is_empty() { "event".to_owned() } else { format!("board {}", ids.join(", ")) };
    boards.iter().filter_map(|((control, profile), ids)| Some((whose(ids), InWords::of(control, Some(profile))?))).collect()
}
