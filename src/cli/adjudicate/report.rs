//! Defines the JSON object that `flagfall adjudicate --json` prints: each ruling as a finding, and in the form of the arbiter's
//! screen.

use flagfall_game::laws::screen::Screen;
use serde::Serialize;

use crate::config::InWords;
use crate::wire::finding::Finding;
use crate::wire::player::Pair;
use crate::wire::screen::Act;

#[derive(Serialize)]
pub(super) struct Report<'a> {
    pub(super) rulings: Vec<RulingReport<'a>>,
    pub(super) time_control: Option<InWords>,
}

#[derive(Serialize)]
pub(super) struct RulingReport<'a> {
    pub(super) finding: Finding,
    pub(super) screen: Shown<'a>,
}

/// The screen's fields, in the order in which they are read.
#[derive(Serialize)]
pub(super) struct Shown<'a> {
    headline: &'a str,
    act: Act,
    proposal: &'a str,
    besides: &'a [String],
    position: &'a str,
    to_move: &'static str,
    times: Pair<Option<&'a str>>,
    moves: &'a str,
    why: &'a str,
    line: Option<&'a str>,
    final_position: Option<&'a str>,
    check: &'a [&'static str],
    unknown: &'a [String],
    rules: &'a str,
    choices: Vec<&'a str>,
}

impl<'a> From<&'a Screen> for Shown<'a> {
    fn from(screen: &'a Screen) -> Shown<'a> {
        Shown {
            headline: &screen.headline,
            act: screen.act.into(),
            proposal: &screen.proposal,
            besides: &screen.besides,
            position: &screen.position,
            to_move: screen.to_move,
            times: Pair { white: screen.times.white.as_deref(), black: screen.times.black.as_deref() },
            moves: &screen.moves,
            why: &screen.why,
            line: screen.line.as_deref(),
            final_position: screen.final_position.as_deref(),
            check: &screen.check,
            unknown: &screen.unknown,
            rules: &screen.rules,
            choices: screen.choices.iter().map(|choice| choice.label.as_str()).collect(),
        }
    }
}
