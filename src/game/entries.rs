//! What the record of the game says of the players' words: whether an offer still stands, whether a claim is borne out.

use alloc::string::String;

use flagfall_protocols::square::Color;

use crate::desk::{Desk, Entered};
use crate::interval::Interval;
use crate::laws::claim::{Ground, Standing};
use crate::laws::claims::{self, Checked};
use crate::seen::Seen;

impl Seen {
    /// What the record says of a claim, by the position on the board or by the move that the claimant has written down.
    ///
    /// # Errors
    /// The move is not legal now, or the ground is nothing that a record can show.
    pub(crate) fn check_claim(&self, claimant: Color, ground: Ground, intended: Option<&str>) -> Result<Checked, &'static str> {
        let whole = self.play.completed_before.white == Some(0) && self.play.completed_before.black == Some(0);
        claims::check((&self.play.decoder.record, self.play.decoder.line()), whole, claimant, ground, intended)
    }

    /// Whether the record of the game bears a claim out, and a note on it; none where no record can show it.
    ///
    /// # Errors
    /// As for [`Seen::check_claim`], while the claim is being lodged.
    pub(crate) fn borne_out(
        &self,
        side: Color,
        (ground, standing): (Ground, Standing),
        uci: Option<&String>,
    ) -> Result<(Option<bool>, String), &'static str> {
        if !matches!(ground, Ground::Repetition | Ground::FiftyMoves) {
            return Ok((None, String::new()));
        }
        let (correct, note) = match self.check_claim(side, ground, uci.map(String::as_str)) {
            Ok(Checked::Correct) => (Some(true), "correct by the record of the game (9.5.2)"),
            Ok(Checked::Incorrect) => (Some(false), "not correct by the record of the game (9.5.3)"),
            Ok(Checked::NotHisMove) => (Some(false), "the claimant does not have the move (9.2, 9.3)"),
            Ok(Checked::HistoryUnknown) => (None, "the record does not begin with the game, and does not show it"),
            // By now it may have been played.
            Err(_) if standing != Standing::Lodged => (None, ""),
            Err(problem) => return Err(problem),
        };
        Ok((correct, note.into()))
    }

    /// The last offer of the opponent may be accepted by `side` (5.2.3).
    ///
    /// # Errors
    /// There is none, a player has not moved yet, or it was refused by a move (9.1.2.1).
    pub(crate) fn may_accept(&self, side: Color, desk: &Desk, happened: Interval) -> Result<(), &'static str> {
        if !(self.play.has_ever_moved(Color::White) && self.play.has_ever_moved(Color::Black)) {
            return Err("both players must have made a move (5.2.3)");
        }
        let offered = desk.entries().iter().rfind(|entry| entry.side == side.other() && is_offer(entry.what));
        let offered = offered.ok_or("no draw was offered")?.happened.latest;
        let lapsed = |made: Interval| made.earliest > offered && made.before(&happened);
        let sure = self.play.decoder.record.moves().iter().any(|known| known.color == side && lapsed(known.made));
        if sure || self.play.decoder.line().plies().iter().any(|ply| ply.color == side && lapsed(ply.made)) {
            return Err("the offer was refused by a move (9.1.2.1): declare-result if it was not");
        }
        Ok(())
    }
}

/// A claim of a draw, and a request for additional time, is an offer too (9.1.2.3, III.4).
const fn is_offer(what: Entered) -> bool {
    match what {
        Entered::Offer => true,
        Entered::Claim { standing, .. } => matches!(standing, Standing::Lodged),
        Entered::Agreement | Entered::Resignation | Entered::IllegalMove { .. } => false,
    }
}
