//! Carries out commands about claims of players.

use alloc::string::String;
use alloc::vec::Vec;

use flagfall_protocols::square::Color;

use super::Game;
use crate::arbiter_entries::Entered;
use crate::audit::AuditEntry;
use crate::decision::{Claim, Decision, DecisionKind};
use crate::effect::Effect;
use crate::input::Author;
use crate::laws::claim::{Ground, Standing};
use crate::laws::outcome::GameResult;

impl Game {
    /// Lodges or decides a claim.
    pub(super) fn claim(
        &mut self,
        side: Color,
        (ground, standing): (Ground, Standing),
        uci: Option<&String>,
        author: &Author,
        out: &mut Vec<Effect>,
    ) -> Result<(), &'static str> {
        self.check_game_open()?;
        let lodged = self.entries.lodged.take_if(|lodged| lodged.side == side && lodged.ground == ground);
        let body = match lodged.filter(|_| standing != Standing::Lodged && uci.is_none()) {
            // The claim was about the position at the time when it was lodged.
            Some(lodged) => Claim { standing, ..lodged },
            None => {
                let (correct, note) = self.seen.check_claim_entry(side, (ground, standing), uci)?;
                Claim { side, ground, standing, uci: uci.cloned(), correct, note }
            }
        };
        self.add_entry(side, Entered::Claim { ground, standing }, author)?;
        out.push(Effect::Audit(AuditEntry::Claim(body.clone())));
        let draws = !matches!(ground, Ground::AdditionalTime);
        let (kind, result) = match standing {
            Standing::Lodged => {
                self.entries.lodged = Some(body);
                return Ok(());
            }
            Standing::Accepted if draws => (DecisionKind::ClaimAccepted, GameResult::Draw),
            Standing::Accepted => (DecisionKind::ClaimAccepted, GameResult::Open),
            Standing::Refused => (DecisionKind::ClaimRefused, GameResult::Open),
        };
        let draft = self.draft(kind, author);
        self.decide(Decision { result, side: Some(body.side), claim: Some(body), ..draft }, out);
        if result != GameResult::Open {
            self.give_result(result, out);
        }
        Ok(())
    }
}
