//! Defines the body of a message about an alarm, for arbiters.

mod kind;
mod program;

use flagfall_game::alarm;
use flagfall_game::color_name;
use flagfall_game::health::sentence;
use flagfall_protocols::square::{Piece, Square};
use serde::Serialize;

pub use kind::{AlarmKind, Class};
pub use program::ProgramAlarm;

use super::player::Side;

/// What has become of an alarm.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AlarmStatus {
    /// It holds.
    Open,
    /// The board was put right; the ruling is still open.
    CorrectedOnBoard,
    /// The cause is gone.
    Cured,
    /// An arbiter closed it.
    Acknowledged,
    /// Another game began on the board.
    GameOver,
}

mirror!(alarm::AlarmStatus => AlarmStatus { Open, CorrectedOnBoard, Cured, Acknowledged, GameOver });

/// An alarm.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct AlertBody {
    /// Number on this board. 0 and the numbers from 2000000001 on are alarms that the program raises about itself.
    pub id: u32,
    /// What is the matter.
    pub kind: AlarmKind,
    /// Who should do what.
    pub class: Class,
    /// What has become of it.
    pub status: AlarmStatus,
    /// Whose move, press or flag.
    #[schemars(with = "Option<Side>")]
    pub side: Option<&'static str>,
    /// The squares concerned, such as `e4`.
    #[schemars(inner(regex(pattern = r"^[a-h][1-8]$")))]
    pub squares: Vec<String>,
    /// What is wrong on them, where pieces were set up wrongly (7.2).
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub set_up: Vec<SetUpBody>,
    /// What is wrong and what to do, where a device or the program is not well; what the Laws leave, where an illegal move stands (A.5.2).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sentence: Option<String>,
    /// The answers to an alarm that asks something: a button each. Besides the body its command needs the lock `game`
    /// (`wire/README.md#5`).
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub choices: Vec<AlarmChoice>,
    /// When it was opened, microseconds since the journal began.
    pub opened_at: u64,
    /// When it was closed, microseconds since the journal began.
    pub closed_at: Option<u64>,
}

impl From<&alarm::Alarm> for AlertBody {
    fn from(alarm: &alarm::Alarm) -> AlertBody {
        let concerned = Square::all().filter(|square| alarm.squares & square.bit() != 0);
        AlertBody {
            id: alarm.id,
            kind: alarm.kind.into(),
            class: alarm.kind.class().into(),
            status: alarm.status.into(),
            side: alarm.side.map(color_name),
            squares: concerned.map(|square| square.to_string()).collect(),
            set_up: alarm.set_up.iter().map(SetUpBody::from).collect(),
            sentence: sentence(alarm),
            choices: choices(alarm),
            opened_at: alarm.opened.0,
            closed_at: alarm.closed.map(|at| at.0),
        }
    }
}

/// An answer to an alarm.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct AlarmChoice {
    /// The words on the button.
    pub label: &'static str,
    /// The command.
    #[schemars(extend("enum" = ["set-round-game"]))]
    pub verb: &'static str,
    /// The body of the command.
    pub body: SetRoundGameBody,
}

/// The body of `set-round-game`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct SetRoundGameBody {
    /// Whether the game on the board is the round's.
    pub of_the_round: bool,
}

fn choices(alarm: &alarm::Alarm) -> Vec<AlarmChoice> {
    let asks = alarm.kind == alarm::AlarmKind::UnpublishedGame && alarm.closed.is_none();
    let answers = [("This is the round's game", true), ("Private", false)].into_iter().filter(|_| asks);
    let choice = |(label, of_the_round)| AlarmChoice { label, verb: "set-round-game", body: SetRoundGameBody { of_the_round } };
    answers.map(choice).collect()
}

/// A square of a wrong set-up (7.2).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct SetUpBody {
    /// Which, such as `e1`.
    #[schemars(regex(pattern = r"^[a-h][1-8]$"))]
    pub square: String,
    /// The letter that a FEN has for what stands there; none if it is empty.
    #[schemars(length(min = 1, max = 1))]
    pub stands: Option<String>,
    /// The letter of what should stand there; none if it should be empty.
    #[schemars(length(min = 1, max = 1))]
    pub expected: Option<String>,
}

impl From<&alarm::WrongSquare> for SetUpBody {
    fn from(wrong: &alarm::WrongSquare) -> SetUpBody {
        let letter = |piece: Option<Piece>| piece.map(|piece| piece.letter().to_string());
        SetUpBody { square: wrong.square.to_string(), stands: letter(wrong.stands), expected: letter(wrong.expected) }
    }
}
