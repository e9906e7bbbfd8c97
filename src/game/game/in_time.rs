//! Guards the results that follow at once from what an arbiter enters: if the finding gives the game another result, the entry needs
//! a reason (`laws/README.md#9.3`).

use super::Game;
use crate::arbiter_entries::Statement;
use crate::case::Case;
use crate::input::Author;
use crate::laws::finding::Finding;
use crate::laws::outcome::{GameResult, Kind};

const ANOTHER_RESULT: &str = "the finding gives the game another result: confirm it, or give a reason for this one";

impl Game {
    /// Checks a player's act that draws the game at once. It counts only before the end of the game (5.2.3, 6.8, 9.1, 9.5): with the
    /// act among the facts, the finding must be about it or be a draw.
    ///
    /// # Errors
    /// Fails if it came too late, or perhaps too late, and the author gives no reason.
    pub(super) fn check_in_time(&self, act: Statement, kind: Kind, author: &Author) -> Result<(), &'static str> {
        let (mut entries, mut rulings) = (self.entries.clone(), self.rulings.clone());
        entries.enter(act)?;
        rulings.review(&Case { entries: &entries, ..self.case() }, &mut alloc::vec::Vec::new());
        let against = |finding: &&Finding| finding.kind != kind && finding.outcome.result() != Some(GameResult::Draw);
        let against = rulings.deciding_finding().filter(|finding| !rulings.costs_nothing(finding)).filter(against);
        if against.is_some() && !author.gives_reason() { Err(ANOTHER_RESULT) } else { Ok(()) }
    }

    /// Checks a result that an arbiter declares.
    ///
    /// # Errors
    /// Fails if a flag was observed, or the game ended otherwise, with another result for certain, nobody has ruled on that, and the
    /// author gives no reason.
    pub(super) fn check_declared(&self, result: GameResult, author: &Author) -> Result<(), &'static str> {
        let certain = |finding: &&Finding| {
            let possible = finding.alternatives.iter().any(|other| other.outcome.result() == Some(result));
            !finding.conditional && !possible && finding.outcome.result().is_some_and(|proposed| proposed != result)
        };
        let open = self.rulings.result.is_none() && result != GameResult::Open;
        let against = self.rulings.deciding_finding().filter(|finding| !self.rulings.costs_nothing(finding)).filter(certain);
        if open && against.is_some() && !author.gives_reason() { Err(ANOTHER_RESULT) } else { Ok(()) }
    }
}
