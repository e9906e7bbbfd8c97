//! Names arbiters' commands as in their topics, and lists the commands that need a game.

use crate::input::Command;

impl Command {
    /// The word that its topic has for it (`wire/README.md#5`).
    pub(crate) const fn verb(&self) -> &'static str {
        match self {
            Command::StartGame { .. } => "start-game",
            Command::SetPosition { .. } => "set-position",
            Command::TakeBack { .. } => "take-back",
            Command::CorrectMove { .. } => "correct-move",
            Command::SetMoveCount { .. } => "set-move-count",
            Command::SetClockRecord { .. } => "set-clock-record",
            Command::SetFlagOrder { .. } => "set-flag-order",
            Command::StopClocks => "stop-clocks",
            Command::RestartClocks => "restart-clocks",
            Command::SwapSides => "swap-sides",
            Command::Claim { .. } | Command::ClaimOn { .. } => "claim",
            Command::Offer { .. } => "offer",
            Command::Accept { .. } => "accept",
            Command::Resign { .. } => "resign",
            Command::Penalty { .. } => "penalty",
            Command::Confirm { .. } => "confirm",
            Command::Reject { .. } => "reject",
            Command::DeclareResult { .. } => "declare-result",
            Command::EnterResult { .. } => "enter-result",
            Command::AcknowledgeAlert { .. } => "acknowledge-alert",
        }
    }

    /// It says something of a game, which must have begun.
    pub(crate) const fn needs_game(&self) -> bool {
        use Command::*;
        !matches!(
            self,
            StartGame { .. }
                | SetPosition { .. }
                | SetClockRecord { .. }
                | StopClocks
                | RestartClocks
                | SwapSides
                | Claim { .. }
                | AcknowledgeAlert { .. }
        )
    }

    /// It changes moves, findings, decisions or entries. The other commands are for the record only, and a lock on the revision
    /// stays valid.
    pub(crate) const fn changes_game(&self) -> bool {
        !matches!(self, Command::StopClocks | Command::RestartClocks | Command::AcknowledgeAlert { .. })
    }
}
