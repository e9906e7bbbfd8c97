//! Defines the words of a ruling in the order in which an arbiter reads them (`laws/README.md#8`).

use flagfall_game::laws::screen;
use serde::Serialize;

use super::outcome::GameResult;

/// What to do first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Act {
    /// Go and stop the clocks.
    StopTheClocks,
    /// Only a player may call this flag: signal nothing, and wait for a claim.
    WaitForAClaim,
    /// Ask the players how the game ended.
    AskForTheResult,
    /// Nothing.
    Nothing,
}

mirror!(screen::Act => Act { StopTheClocks, WaitForAClaim, AskForTheResult, Nothing });

/// The words of a ruling, as `flagfall adjudicate` prints them. How long ago it happened and the present times are not in it: a
/// screen knows them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct Screen {
    /// What happened. The board is in the topic.
    pub headline: String,
    /// What to do first.
    pub act: Act,
    /// The proposal, with what it depends on; after a decision also what was decided.
    pub proposal: String,
    /// What to do besides: restore a position, add time.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub besides: Vec<String>,
    /// The moves completed and required, and the move that is made and not pressed; empty without a flag.
    pub moves: String,
    /// Why, in one sentence.
    pub why: String,
    /// The line that ends in mate, as chess writes it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<String>,
    /// The position in which the line ends, FEN.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub final_position: Option<String>,
    /// What the arbiter should look at.
    pub check: Vec<&'static str>,
    /// What is not known.
    pub unknown: Vec<String>,
    /// Profile, row and Articles.
    pub rules: String,
    /// What can be chosen; the proposal first, if there is one to confirm.
    pub choices: Vec<Choice>,
}

impl From<screen::Screen> for Screen {
    fn from(screen: screen::Screen) -> Screen {
        Screen {
            headline: screen.headline,
            act: screen.act.into(),
            proposal: screen.proposal,
            besides: screen.besides,
            moves: screen.moves,
            why: screen.why,
            line: screen.line,
            final_position: screen.final_position,
            check: screen.check,
            unknown: screen.unknown,
            rules: screen.rules,
            choices: screen.choices.into_iter().map(Choice::from).collect(),
        }
    }
}

/// One choice: a button, and the command that it sends. Besides the body the command needs its lock (`wire/README.md#5`): the
/// finding of this ruling, or the revision of the state; and `reject` a reason.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct Choice {
    /// The words on the button.
    pub label: String,
    /// The command.
    #[schemars(extend("enum" = ["confirm", "reject", "declare-result"]))]
    pub verb: &'static str,
    /// The body of the command.
    pub body: ChoiceBody,
}

/// The body of the command of a choice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct ChoiceBody {
    /// The result that `declare-result` gives.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub result: Option<GameResult>,
}

impl From<screen::Choice> for Choice {
    fn from(choice: screen::Choice) -> Choice {
        let (verb, result) = match choice.answer {
            screen::Answer::Confirm => ("confirm", None),
            screen::Answer::Reject => ("reject", None),
            screen::Answer::Declare(result) => ("declare-result", Some(GameResult::from(result))),
        };
        Choice { label: choice.label, verb, body: ChoiceBody { result } }
    }
}
