//! Lists what an arbiter can choose below a ruling: each choice with its words and the command that carries it out.

use alloc::format;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;

use super::words;
use crate::laws::finding::Finding;
use crate::laws::outcome::{GameResult, Kind, Outcome};

/// One choice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    /// The words on the button.
    pub label: String,
    /// What the command must do.
    pub answer: Answer,
}

/// The command of a choice. `Confirm` and `Reject` are about the finding that is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// It is as the finding proposes.
    Confirm,
    /// It is not: the game goes on. The arbiter must give a reason.
    Reject,
    /// The game has this result, or none.
    Declare(GameResult),
}

const RESULTS: [GameResult; 3] = [GameResult::WhiteWins, GameResult::BlackWins, GameResult::Draw];

/// The choices about a finding, on which there may be a decision; the proposal first, if there is one to confirm.
pub(super) fn choices(finding: &Finding, decided: Option<GameResult>) -> Vec<Choice> {
    let choice = |label: String, answer| Choice { label, answer };
    if decided.is_some_and(|result| result != GameResult::Open) {
        return vec![choice("Take the decision back".into(), Answer::Declare(GameResult::Open))];
    }
    let proposed = finding.outcome.result().filter(|result| *result != GameResult::Open);
    let mut choices: Vec<Choice> =
        proposed.iter().map(|result| choice(format!("Confirm {}", result.words()), Answer::Confirm)).collect();
    // After the decision that the game goes on, there is nothing to say to that effect.
    if decided.is_none() {
        let answer = goes_on(finding);
        choices.push(choice("The game goes on".into(), answer));
        // To confirm it means that the illegal move counts (7.5.5).
        if finding.kind == Kind::IllegalMove && answer == Answer::Confirm {
            choices.push(choice("It was no illegal move".into(), Answer::Reject));
        }
    }
    for result in RESULTS.into_iter().filter(|result| Some(*result) != proposed) {
        let mut alternatives = finding.alternatives.iter();
        let depends = alternatives.find(|other| proposed.is_none() && other.outcome.result() == Some(result));
        let label = match depends {
            Some(other) => format!("{}: {}", words(other.outcome), other.depends_on),
            None => format!("Other result: {}", result.words()),
        };
        choices.push(choice(label, Answer::Declare(result)));
    }
    choices
}

/// The command after which the game goes on. To confirm a finding without an observed flag means that the flag is observed,
/// which may change the finding.
fn goes_on(finding: &Finding) -> Answer {
    let refused_claim = finding.kind == Kind::Claim && finding.flag.is_none();
    let confirmed = finding.outcome == Outcome::GameGoesOn && (!finding.conditional || refused_claim);
    if confirmed { Answer::Confirm } else { Answer::Reject }
}
