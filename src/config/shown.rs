//! Defines the sections of the audiences, `[live]` and `[public]`.

use flagfall_game::config::UntilPress;
use serde::Deserialize;

use super::types::Config;

/// What an audience beside arbiters gets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Shown {
    /// Whether a made move waits for its press.
    pub until_press: bool,
}

impl Config {
    /// For which audiences made moves wait for their press.
    pub fn until_press(&self) -> UntilPress {
        UntilPress { live: self.live.until_press, public: self.public.until_press }
    }
}
