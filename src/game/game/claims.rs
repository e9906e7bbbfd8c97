//! Carries out commands about claims of players.

use alloc::string::String;
use alloc::vec::Vec;

use flagfall_protocols::square::Color;

use super::Game;
use crate::arbiter_entries::{Entered, Statement};
use crate::audit::AuditEntry;
use crate::decision::{Claim, Decision, DecisionKind};
use crate::effect::Effect;
use crate::input::Author;
use crate::laws::claim::{Ground, Standing};
use crate::laws::finding::FindingKey;
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
        let lodged = self.entries.lodged.clone().filter(|lodged| lodged.side == side && lodged.ground == ground);
        let body = match lodged.filter(|_| standing != Standing::Lodged && uci.is_none()) {
            // The claim was about the position at the time when it was lodged.
            Some(lodged) => Claim { standing, ..lodged },
            None => self.seen.check_claim_entry(side, (ground, standing), uci)?,
        };
        let refuted = standing == Standing::Accepted && body.correct == Some(false);
        if refuted && !author.gives_reason() {
            return Err("the record of the game refutes this claim: to accept it, give a reason");
        }
        if standing == Standing::Accepted && ground != Ground::AdditionalTime {
            self.check_in_time(self.claimed(&body, author), author)?;
        }
        self.enter_claim(&body, author, out)?;
        let draws = !matches!(ground, Ground::AdditionalTime);
        let (kind, result) = match standing {
            Standing::Lodged => return Ok(()),
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

    /// Accepts or refuses the claim of a finding that is confirmed or rejected, and returns the claim; none if the finding is
    /// about no claim that awaits its ruling.
    ///
    /// # Errors
    /// Fails if there are too many entries.
    pub(super) fn rule_on_claim(
        &mut self,
        key: FindingKey,
        standing: Standing,
        author: &Author,
        out: &mut Vec<Effect>,
    ) -> Result<Option<Claim>, &'static str> {
        let finding = self.rulings.finding_of(key)?;
        let lodged = finding.claim.clone().filter(|claim| claim.standing == Standing::Lodged && finding.flag.is_none());
        let Some(lodged) = lodged else { return Ok(None) };
        let ruled = Claim { standing, ..lodged };
        self.enter_claim(&ruled, author, out)?;
        Ok(Some(ruled))
    }

    /// An entry about this claim.
    fn claimed(&self, claim: &Claim, author: &Author) -> Statement {
        let Claim { side, ground, standing, .. } = *claim;
        self.statement(side, Entered::Claim { ground, standing }, author, Some(claim.clone()))
    }

    /// Keeps and reports an entry about a claim.
    fn enter_claim(&mut self, claim: &Claim, author: &Author, out: &mut Vec<Effect>) -> Result<(), &'static str> {
        let Claim { side, ground, standing, .. } = *claim;
        self.entries.enter(self.claimed(claim, author))?;
        let same = |lodged: &Claim| lodged.side == side && lodged.ground == ground;
        if standing == Standing::Lodged {
            self.entries.lodged = Some(claim.clone());
        } else if self.entries.lodged.as_ref().is_some_and(same) {
            self.entries.lodged = None;
        }
        out.push(Effect::Audit(AuditEntry::Claim(claim.clone())));
        Ok(())
    }
}
