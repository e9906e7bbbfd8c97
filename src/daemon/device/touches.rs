//! Counts how often the men on a board change while no game is on, so that a person can find out which device stands where.

use std::time::Duration;

use flagfall_game::game::Game;
use flagfall_game::game_phase::GamePhase;
use flagfall_protocols::square::Placement;

use crate::system_clock::MonotonicTime;

/// The shortest time between two counts that are published. The first change after a rest is published at once.
const TOLD_EVERY: Duration = Duration::from_secs(1);

/// The changes of the men on one board.
#[derive(Clone, Debug, Default)]
pub(super) struct Touches {
    men: Option<Placement>,
    count: u32,
    /// The count that was published last, and when.
    told: (u32, MonotonicTime),
}

impl Touches {
    /// Looks at the men. Returns true if a new count should be told.
    pub(super) fn see(&mut self, now: MonotonicTime, game: &Game) -> bool {
        self.see_men(now, game.placement(), game.stage() == GamePhase::Playing)
    }

    fn see_men(&mut self, now: MonotonicTime, men: Placement, is_game_on: bool) -> bool {
        let before = self.men.replace(men);
        if before.is_some_and(|before| before != men) && !is_game_on {
            self.count = self.count.saturating_add(1);
        }
        let (told, at) = self.told;
        if told == self.count || (told > 0 && now.since(at) < TOLD_EVERY) {
            return false;
        }
        self.told = (self.count, now);
        true
    }

    /// The link was lost: what stands there when it comes back is no change.
    pub(super) fn forget_men(&mut self) {
        self.men = None;
    }

    /// The number of changes that was published last.
    pub(super) fn count(&self) -> u32 {
        self.told.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_changes_while_no_game_is_on_count() {
        let (full, empty) = (Placement::initial(), Placement::EMPTY);
        let mut touches = Touches::default();
        let mut told = Vec::new();
        for (ms, men, is_game_on) in [
            (0, Some(full), false),
            (10, Some(full), false),
            (20, Some(empty), false),
            (30, Some(full), false),
            (900, Some(full), false),
            (1020, Some(full), false),
            (2000, Some(empty), true),
            (3000, Some(empty), false),
            (4000, None, false),
            (5000, Some(full), false),
            (6000, Some(empty), false),
        ] {
            let Some(men) = men else {
                touches.forget_men();
                continue;
            };
            if touches.see_men(MonotonicTime(ms * 1000), men, is_game_on) {
                told.push((ms, touches.count()));
            }
        }
        assert_eq!(told, [(20, 1), (1020, 2), (6000, 3)]);
    }
}
