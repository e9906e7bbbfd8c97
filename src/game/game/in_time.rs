//! Guards the results that follow at once from what an arbiter enters: if the finding gives the game another result, the entry needs
//! a reason (`laws/README.md#9.3`).

use alloc::vec::Vec;

use super::Game;
use crate::arbiter_entries::Statement;
use crate::case::Case;
use crate::input::Author;
use crate::laws::finding::Finding;
use crate::laws::outcome::{GameResult, Kind};
use crate::rulings::RulingRecord;

const ANOTHER_RESULT: &str = "the finding gives the game another result: confirm it, or give a reason for this one";

/// True if the finding is about something that was seen. What an arbiter entered himself, such as a resignation, he may correct.
const fn was_seen(finding: &Finding) -> bool {
    matches!(finding.kind, Kind::FlagFall | Kind::MoveOnBoard | Kind::IllegalMove)
}

/// The finding that decides, if it is about something that was seen and has no ruling.
fn open_finding(rulings: &RulingRecord) -> Option<&Finding> {
    rulings.deciding_finding().filter(|finding| was_seen(finding) && !rulings.costs_nothing(finding))
}

impl Game {
    /// Checks a player's act that draws the game at once. It counts only before the end of the game (5.2.3, 6.8, 9.1, 9.5): with the
    /// act among the facts, the finding must be about it or be a draw.
    ///
    /// # Errors
    /// Fails if it came too late, or perhaps too late, and the author gives no reason.
    pub(super) fn check_in_time(&self, act: Statement, author: &Author) -> Result<(), &'static str> {
        let (mut entries, mut rulings) = (self.entries.clone(), self.rulings.clone());
        entries.enter(act)?;
        rulings.review(&Case { entries: &entries, ..self.case() }, &mut Vec::new());
        let decides = rulings.deciding_finding().filter(|finding| !rulings.costs_nothing(finding));
        let against = decides.is_some_and(|finding| finding.outcome.result() != Some(GameResult::Draw));
        if against && !author.gives_reason() { Err(ANOTHER_RESULT) } else { Ok(()) }
    }

    /// Checks a result that an arbiter declares.
    ///
    /// # Errors
    /// Fails if what was seen gives another result for certain, nobody has ruled on it, and the author gives no reason.
    pub(super) fn check_declared(&self, result: GameResult, author: &Author) -> Result<(), &'static str> {
        let against = open_finding(&self.rulings).is_some_and(|finding| {
            let possible = finding.alternatives.iter().any(|other| other.outcome.result() == Some(result));
            !finding.conditional && !possible && finding.outcome.result().is_some_and(|proposed| proposed != result)
        });
        let open = self.rulings.result.is_none() && result != GameResult::Open;
        if open && against && !author.gives_reason() { Err(ANOTHER_RESULT) } else { Ok(()) }
    }
}
