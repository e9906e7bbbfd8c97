//! Defines the alarms that the program raises about itself. They belong to no game and are in no journal.

use flagfall_protocols::time::Instant;

use super::{AlarmKind, AlarmStatus, AlertBody, Class};

/// An alarm that the program raises about itself. All of them are loud, and each is open at most once on a board.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ProgramAlarm {
    /// The board is given up.
    BoardFailed,
    /// The journal cannot be written.
    NotRecorded,
    /// The broker does not take a message.
    PublishRefused,
    /// A second daemon uses the name of this node.
    NameTaken,
}

impl ProgramAlarm {
    /// Every alarm.
    pub const ALL: [ProgramAlarm; 4] =
        [ProgramAlarm::BoardFailed, ProgramAlarm::NotRecorded, ProgramAlarm::PublishRefused, ProgramAlarm::NameTaken];

    /// Its number, which no alarm of a game has: a game counts its alarms from 1.
    pub const fn id(self) -> u32 {
        match self {
            ProgramAlarm::BoardFailed => 0,
            ProgramAlarm::NotRecorded => 2_000_000_001,
            ProgramAlarm::PublishRefused => 2_000_000_002,
            ProgramAlarm::NameTaken => 2_000_000_003,
        }
    }

    /// The body of the alert while the alarm is open. `sentence` says what is wrong and what to do.
    pub fn body(self, opened: Instant, sentence: String) -> AlertBody {
        let kind = match self {
            ProgramAlarm::BoardFailed => AlarmKind::BoardFailed,
            ProgramAlarm::NotRecorded => AlarmKind::NotRecorded,
            ProgramAlarm::PublishRefused => AlarmKind::PublishRefused,
            ProgramAlarm::NameTaken => AlarmKind::NameTaken,
        };
        AlertBody {
            id: self.id(),
            kind,
            class: Class::Loud,
            status: AlarmStatus::Open,
            side: None,
            squares: Vec::new(),
            set_up: Vec::new(),
            sentence: Some(sentence),
            choices: Vec::new(),
            opened_at: opened.0,
            closed_at: None,
        }
    }
}
