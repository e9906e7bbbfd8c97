//! What an arbiter enters of the players' words: offers, agreements, resignations, claims; and penalties.

use alloc::string::String;
use alloc::vec::Vec;

use flagfall_protocols::square::Color;

use crate::alarm::AlarmKind;
use crate::audit::AuditEntry;
use crate::decision::{Claim, Decision, DecisionKind, Penalty};
use crate::desk::{Entered, Entry};
use crate::effect::Effect;
use crate::game::Game;
use crate::input::Author;
use crate::interval::Interval;
use crate::laws::claim::{Ground, Standing};
use crate::laws::claims::{self, Checked};
use crate::laws::outcome::GameResult;
use crate::pair::Pair;

/// No clock shows as much as a day.
const MOST_SECONDS: u32 = 86_400;

impl Game {
    /// What the record says of a claim of `claimant`, by the position on the board or by the move that he has written down.
    ///
    /// # Errors
    /// The move is not legal now, or the ground is nothing that a record can show.
    pub fn check_claim(&self, claimant: Color, ground: Ground, intended: Option<&str>) -> Result<Checked, &'static str> {
        let whole = self.seen.play.completed_before.white == Some(0) && self.seen.play.completed_before.black == Some(0);
        claims::check((&self.seen.play.decoder.record, self.seen.play.decoder.line()), whole, claimant, ground, intended)
    }

    /// A draw is offered (9.1).
    pub(crate) fn offer(&mut self, side: Color, author: &Author) -> Result<(), &'static str> {
        self.still_open()?;
        self.enter(side, Entered::Offer, author)
    }

    /// An open offer is accepted (5.2.3).
    pub(crate) fn accept(&mut self, side: Color, author: &Author, out: &mut Vec<Effect>) -> Result<(), &'static str> {
        self.still_open()?;
        if !self.both_have_moved() {
            return Err("both players must have made a move (5.2.3)");
        }
        let offered = self.desk.entries().iter().rfind(|entry| entry.side == side.other() && is_offer(entry.what));
        let refused = offered.ok_or("no draw was offered")?.happened.latest;
        let happened = self.happened(author);
        let lapsed = |made: Interval| made.earliest > refused && made.before(&happened);
        let sure = self.seen.play.decoder.record.moves().iter().any(|known| known.color == side && lapsed(known.made));
        if sure || self.seen.play.decoder.line().plies().iter().any(|ply| ply.color == side && lapsed(ply.made)) {
            return Err("the offer was refused by a move (9.1.2.1): declare-result if it was not");
        }
        self.enter(side, Entered::Agreement, author)?;
        let draft = Decision { result: GameResult::Draw, side: Some(side), ..self.draft(DecisionKind::Agreed, author) };
        self.decide(draft, out);
        self.give_result(GameResult::Draw, out);
        Ok(())
    }

    /// A player resigns (5.1.2): whether the opponent wins is for the arbiter to decide.
    pub(crate) fn resign(&mut self, side: Color, author: &Author) -> Result<(), &'static str> {
        self.still_open()?;
        self.enter(side, Entered::Resignation, author)
    }

    /// A claim is lodged or decided.
    pub(crate) fn claim_on(
        &mut self,
        side: Color,
        (ground, standing): (Ground, Standing),
        uci: Option<&String>,
        author: &Author,
        out: &mut Vec<Effect>,
    ) -> Result<(), &'static str> {
        self.still_open()?;
        let lodged = self.desk.lodged.take_if(|lodged| lodged.side == side && lodged.ground == ground);
        let body = match lodged.filter(|_| standing != Standing::Lodged && uci.is_none()) {
            // It was about the position of that moment.
            Some(lodged) => Claim { standing, ..lodged },
            None => {
                let (correct, note) = self.borne_out(side, ground, uci, standing)?;
                Claim { side, ground, standing, uci: uci.cloned(), correct, note }
            }
        };
        self.enter(side, Entered::Claim { ground, standing }, author)?;
        out.push(Effect::Audit(AuditEntry::Claim(body.clone())));
        let draws = !matches!(ground, Ground::AdditionalTime);
        let (kind, result) = match standing {
            Standing::Lodged => {
                self.desk.lodged = Some(body);
                return Ok(());
            }
            Standing::Accepted if draws => (DecisionKind::ClaimAccepted, GameResult::Draw),
            Standing::Accepted => (DecisionKind::ClaimAccepted, GameResult::Open),
            Standing::Refused => (DecisionKind::ClaimRefused, GameResult::Open),
        };
        let draft = Decision { result, side: Some(body.side), claim: Some(body), ..self.draft(kind, author) };
        self.decide(draft, out);
        if result != GameResult::Open {
            self.give_result(result, out);
        }
        Ok(())
    }

    /// Whether the record of the game bears a claim out, and how; none where that is nothing a record tells.
    fn borne_out(
        &self,
        side: Color,
        ground: Ground,
        uci: Option<&String>,
        standing: Standing,
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

    /// A penalty, an adjustment of times, a ruling on an illegal move.
    pub(crate) fn penalise(
        &mut self,
        side: Color,
        penalty: Penalty,
        author: &Author,
        out: &mut Vec<Effect>,
    ) -> Result<(), &'static str> {
        let Penalty { seconds, alarm, counts } = penalty;
        if let Some(Pair { white, black }) = seconds
            && white.unsigned_abs().max(black.unsigned_abs()) > MOST_SECONDS
        {
            return Err("no clock shows so much time");
        }
        match (alarm, counts) {
            (None, None) => {}
            (Some(alarm), Some(counts)) => self.rule_on_move(side, alarm, counts, author)?,
            // An arbiter saw it and no sensor did (7.5.4).
            (None, Some(counts)) => self.enter(side, Entered::IllegalMove { alarm: 0, counts }, author)?,
            (Some(_), None) => return Err("whether the move counts must be said"),
        }
        let draft = Decision { side: Some(side), penalty: Some(penalty), ..self.draft(DecisionKind::Penalty, author) };
        self.decide(draft, out);
        Ok(())
    }

    fn rule_on_move(&mut self, side: Color, id: u32, counts: bool, author: &Author) -> Result<(), &'static str> {
        use AlarmKind::{IllegalMove, PressedWithoutMove, PromotionNotReplaced};
        let alarm = self.alarms.iter().find(|alarm| alarm.id == id).ok_or("no such alarm")?;
        if !matches!(alarm.kind, IllegalMove | PromotionNotReplaced | PressedWithoutMove) {
            return Err("this alarm is not about an illegal move");
        }
        if alarm.side != Some(side) {
            return Err("it was the other player's move");
        }
        self.enter(side, Entered::IllegalMove { alarm: id, counts }, author)?;
        // It may have been closed before.
        self.alarms.acknowledge(self.now, id);
        Ok(())
    }

    fn still_open(&self) -> Result<(), &'static str> {
        if self.rulings.result.is_none() { Ok(()) } else { Err("the game has a result") }
    }

    fn both_have_moved(&self) -> bool {
        let moved = |color| {
            let earlier = self.seen.play.completed_before.get(color).is_none_or(|before| before > 0);
            let sure = self.seen.play.decoder.record.moves().iter().any(|known| known.color == color);
            earlier || sure || self.seen.play.decoder.line().plies().iter().any(|ply| ply.color == color)
        };
        moved(Color::White) && moved(Color::Black)
    }

    /// When it happened: as the arbiter says, else now.
    fn happened(&self, author: &Author) -> Interval {
        let at = author.observed_at.unwrap_or(self.now).min(self.now);
        Interval { earliest: at, latest: at }
    }

    fn enter(&mut self, side: Color, what: Entered, author: &Author) -> Result<(), &'static str> {
        let happened = self.happened(author);
        self.desk.enter(Entry { side, what, happened, entered: self.now, command: author.command.clone() })
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
