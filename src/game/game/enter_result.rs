//! Enters the results of the organiser's desk: for the game on the board, and for a game that was left without a result when the men were
//! set up again (`wire/README.md#6`).

use alloc::borrow::Cow;
use alloc::boxed::Box;
use alloc::vec::Vec;
use core::time::Duration;

use flagfall_protocols::time::Instant;

use super::Game;
use crate::alarm::AlarmKind;
use crate::audit::AuditEntry;
use crate::decision::{Decision, DecisionKind, Ruling};
use crate::effect::Effect;
use crate::game_phase::GamePhase;
use crate::input::Author;
use crate::laws::outcome::{GameResult, KnownResult};
use crate::open_matters::{LeftGame, OpenMatter, Standing, Unfinished};

/// Without a clock, a game counts as in play for this time after the last change of the board.
const STILL: Duration = Duration::from_secs(60);
/// The largest number of games whose results can be entered later; the oldest one gives way.
const MAX_LEFT: usize = 64;

impl Game {
    /// Carries out a command that enters a result. What stands already is not decided again.
    ///
    /// # Errors
    /// The game is in play or has no move, something in it waits for an arbiter, or somebody else decided otherwise: the text names it.
    pub(super) fn enter_result(&mut self, entered: Decision, out: &mut Vec<Effect>) -> Result<(), Cow<'static, str>> {
        let Decision { game_no: number, result, by_organiser, .. } = entered;
        let is_present = number == self.number();
        if is_present && !by_organiser {
            return Err("the game is on the board: use declare-result".into());
        }
        let left = self.rulings.left.iter().find(|left| left.number == number).map(|left| left.standing.clone());
        let standing = if is_present { self.standing() } else { left.ok_or("this game is not known any more")? };
        if by_organiser {
            standing.check(result)?;
        }
        let known = KnownResult::of(standing.result, standing.ending).map(|known| known.result);
        if known == Some(result) || standing.result.unwrap_or(GameResult::Open) == result {
            return Ok(());
        }
        if is_present {
            self.declare(entered, out);
            return Ok(());
        }
        let supersedes = standing.decision.as_ref().map(|decision| decision.number);
        let decision = Box::new(self.rulings.decisions.number(Decision { finding: None, supersedes, ..entered }));
        out.push(Effect::Audit(AuditEntry::Decision(decision.clone())));
        if let Some(left) = self.rulings.left.iter_mut().find(|left| left.number == number) {
            left.standing.result = Some(result).filter(|result| *result != GameResult::Open);
            left.standing.decision = Some(decision.clone());
        }
        self.alarms.settle(self.now, AlarmKind::ResultMissing, None);
        self.rulings.earlier_ruling = Some((number, Ruling::Decision { decision }));
        self.reports.ruling_dirty = true;
        self.reports.arbiter_dirty = true;
        Ok(())
    }

    /// The declaration of this result by this author.
    pub(super) fn declaration(&self, result: GameResult, author: &Author) -> Decision {
        Decision { result, ..self.draft(DecisionKind::Declared, author) }
    }

    /// Gives the game on the board the result of a declaration.
    pub(super) fn declare(&mut self, declared: Decision, out: &mut Vec<Effect>) {
        let result = declared.result;
        self.decide(declared, out);
        if result == GameResult::Open {
            self.entries.forget_endings();
        }
        self.give_result(result, out);
    }

    /// Keeps what is known of the game on the board, because another one begins.
    pub(super) fn leave_game(&mut self) {
        let standing = Standing { in_play: None, ..self.standing() };
        if standing.moves {
            if self.rulings.left.len() == MAX_LEFT {
                self.rulings.left.remove(0);
            }
            self.rulings.left.push(LeftGame { number: self.number(), standing });
        }
    }

    /// The result of a game before the one on the board, as every audience may know it; none if no such game is known.
    pub fn known_result_of_left(&self, number: u32) -> Option<Option<KnownResult>> {
        let Standing { result, ending, .. } = self.rulings.left.iter().find(|left| left.number == number)?.standing;
        Some(KnownResult::of(result, ending))
    }

    fn standing(&self) -> Standing {
        let (play, clock) = (&self.seen.play, &self.seen.clock.chessclock);
        let in_play = match self.seen.phase.stage {
            GamePhase::Playing if clock.runs().is_some() => Some("its clock runs"),
            // A result was entered at the wrong board, and the players go on.
            GamePhase::Over if self.rulings.result.is_some() && play.ending.is_none() && clock.runs().is_some() => {
                Some("its clock runs")
            }
            GamePhase::Playing if !clock.present() && self.now < self.seen.board.last_change().after(STILL) => {
                Some("no clock is heard, and a man was moved less than a minute ago")
            }
            _ => None,
        };
        let made = play.decoder.made().last().map(|last| last.made);
        let made =
            made.or_else(|| play.decoder.record.moves().last().map(|last| last.made)).map_or(Instant::ZERO, |made| made.latest);
        Standing {
            moves: !play.segments.is_empty() || !play.decoder.record.moves().is_empty() || !play.decoder.line().is_empty(),
            in_play,
            result: self.rulings.result,
            decision: self.rulings.decisions.result_decision().map(|decision| Box::new(decision.clone())),
            goes_on: self
                .rulings
                .decisions
                .goes_on()
                .filter(|decision| decision.at >= made)
                .map(|decision| Box::new(decision.clone())),
            ending: play.ending.map(|(ending, _, by)| (ending, ending.result(by))),
            open: self.open_without_result(),
        }
    }

    /// What waits for an arbiter in this game; nothing once it has a result. A flag that costs nothing does not wait.
    pub fn open_matters(&self) -> Vec<OpenMatter> {
        if self.rulings.result.is_some() { Vec::new() } else { self.open_without_result() }
    }

    fn open_without_result(&self) -> Vec<OpenMatter> {
        let mut open: Vec<OpenMatter> = Vec::new();
        let falls = self.rulings.flags_that_may_cost(&self.seen.clock.chessclock);
        open.extend(falls.map(|fall| OpenMatter::Flag(fall.side)));
        let illegal = [AlarmKind::IllegalMove, AlarmKind::PromotionNotReplaced, AlarmKind::PressedWithoutMove];
        let alarms = self.alarms.open().filter(|alarm| illegal.contains(&alarm.kind));
        open.extend(alarms.map(|alarm| OpenMatter::IllegalMove(alarm.side)));
        if self.entries.claim_open() {
            open.push(OpenMatter::Claim(self.entries.lodged.as_ref().map(|claim| claim.side)));
        }
        if self.alarms.is_open(AlarmKind::UnpublishedGame) {
            open.push(OpenMatter::RoundGame);
        }
        if open.is_empty() && self.rulings.entry_is_open() {
            open.push(OpenMatter::Finding);
        }
        open.dedup();
        open
    }

    /// How the game stands, if another round must wait for it: it is in play, or it is over and something that may change its result
    /// waits for an arbiter.
    pub fn unfinished(&self) -> Option<Unfinished> {
        let pending = || self.rulings.is_pending(&self.seen.clock.chessclock);
        let waits = match self.seen.phase.stage {
            GamePhase::Playing => true,
            GamePhase::Over => pending(),
            GamePhase::AwaitingSetUp | GamePhase::Armed => false,
        };
        waits.then(|| Unfinished {
            number: self.number(),
            ending: self.ending(),
            clock_runs: self.seen.clock.chessclock.runs().is_some(),
            open: self.open_matters(),
        })
    }
}
