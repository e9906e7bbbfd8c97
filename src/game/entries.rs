//! Compares the players' offers and claims with the record: whether an offer is still open, whether a claim is correct.

use alloc::string::String;
use alloc::vec::Vec;

use flagfall_protocols::square::Color;

use crate::arbiter_entries::{ArbiterEntries, Entered};
use crate::decision::Claim;
use crate::interval::Interval;
use crate::laws::claim::{Ground, Standing};
use crate::laws::claims::{self, Checked};
use crate::seen::Seen;

impl Seen {
    /// The result of a claim by the record, for the position on the board or for the move that the claimant has written down.
    ///
    /// # Errors
    /// Fails if the move is not legal now, or if a record cannot show this ground.
    pub(crate) fn check_claim(&self, claimant: Color, ground: Ground, intended: Option<&str>) -> Result<Checked, &'static str> {
        let whole = self.play.completed_before.white == Some(0) && self.play.completed_before.black == Some(0);
        claims::check((&self.play.decoder.record, self.play.decoder.line()), whole, claimant, ground, intended)
    }

    /// A claim with what the record of the game says of it, if a record can show it.
    ///
    /// # Errors
    /// Fails as [`Seen::check_claim`] does, while the claim is being lodged.
    pub(crate) fn check_claim_entry(
        &self,
        side: Color,
        (ground, standing): (Ground, Standing),
        uci: Option<&String>,
    ) -> Result<Claim, &'static str> {
        let claim =
            |correct, note: &str, plies| Claim { side, ground, standing, uci: uci.cloned(), correct, note: note.into(), plies };
        if !matches!(ground, Ground::Repetition | Ground::FiftyMoves) {
            return Ok(claim(None, "", Vec::new()));
        }
        let (correct, note) = match self.check_claim(side, ground, uci.map(String::as_str)) {
            Ok(Checked::Correct) => (Some(true), "correct by the record of the game (9.5.2)"),
            Ok(Checked::Incorrect) => (Some(false), "not correct by the record of the game (9.5.3)"),
            Ok(Checked::NotHisMove) => (Some(false), "the claimant does not have the move (9.2, 9.3)"),
            Ok(Checked::HistoryUnknown) => (None, "the record does not begin with the game, and does not show it"),
            // The move may have been played in the meantime.
            Err(_) if standing != Standing::Lodged => (None, ""),
            Err(problem) => return Err(problem),
        };
        let record = (&self.play.decoder.record, self.play.decoder.line());
        let plies = claims::plies(record, side, ground, uci.map(String::as_str)).unwrap_or_default();
        Ok(claim(correct, note, plies))
    }

    /// Checks that `side` may accept the last offer of the opponent (5.2.3).
    ///
    /// # Errors
    /// Fails if there is no offer, if a player has not moved yet, or if a move refused the offer (9.1.2.1).
    pub(crate) fn may_accept(&self, side: Color, entries: &ArbiterEntries, happened: Interval) -> Result<(), &'static str> {
        if !(self.play.has_ever_moved(Color::White) && self.play.has_ever_moved(Color::Black)) {
            return Err("both players must have made a move (5.2.3)");
        }
        let offered = entries.all().iter().rfind(|entry| entry.side == side.other() && is_offer(entry.what));
        let offered = offered.ok_or("no draw was offered")?.happened.latest;
        let lapsed = |made: Interval| made.earliest > offered && made.before(&happened);
        let sure = self.play.decoder.record.moves().iter().any(|known| known.color == side && lapsed(known.made));
        if sure || self.play.decoder.made().iter().any(|ply| ply.color == side && lapsed(ply.made)) {
            return Err("the offer was refused by a move (9.1.2.1): declare-result if it was not");
        }
        Ok(())
    }
}

/// True for an offer. A claim of a draw or a request for additional time is an offer too (9.1.2.3, III.4).
const fn is_offer(what: Entered) -> bool {
    match what {
        Entered::Offer => true,
        Entered::Claim { standing, .. } => matches!(standing, Standing::Lodged),
        Entered::Agreement | Entered::Resignation | Entered::IllegalMove { .. } => false,
    }
}
