//! Chooses the words for the result of a game without moves, such as a forfeit.

use super::Profile;
use crate::outputs::round::RoundGame;
use crate::wire::meta::PairingResult;

/// How the result is written.
pub(super) struct WithoutMoves {
    /// The last word of the game, and the value of the tag `Result`.
    pub(super) token: &'static str,
    /// What a comment before it says.
    pub(super) comment: Option<&'static str>,
}

impl WithoutMoves {
    /// The words for the result of a pairing, if it has one. The standard of PGN knows no forfeits and no results such as `0-0`; lichess
    /// reads the latter.
    pub(super) fn of(game: &RoundGame, profile: Profile) -> Option<WithoutMoves> {
        const FORFEIT: Option<&str> = Some("forfeit");
        let result = game.pairing_result?;
        let (token, comment) = match result {
            PairingResult::WhiteWins | PairingResult::BlackWins | PairingResult::Draw => (result.notation(), None),
            PairingResult::BlackForfeits => ("1-0", FORFEIT),
            PairingResult::WhiteForfeits => ("0-1", FORFEIT),
            PairingResult::BothForfeit if profile == Profile::Relay => ("0-0", FORFEIT),
            PairingResult::BothForfeit => ("*", FORFEIT),
            PairingResult::BothLose | PairingResult::HalfToWhite | PairingResult::HalfToBlack => match profile {
                Profile::Relay => (result.notation(), None),
                Profile::Full | Profile::Archive => ("*", Some(result.notation())),
            },
        };
        Some(WithoutMoves { token, comment })
    }
}
