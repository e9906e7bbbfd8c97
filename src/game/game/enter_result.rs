//! Enters the results of the organiser's desk: for the game on the board, and for a game that was left without a result when the men were
//! set up again (`wire/README.md#6`).

use alloc::borrow::Cow;
use alloc::boxed::Box;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::time::Duration;

use super::{Game, OpenMatter};
use crate::alarm::AlarmKind;
use crate::audit::AuditEntry;
use crate::decision::{Decision, DecisionKind, Ruling};
use crate::effect::Effect;
use crate::game_phase::GamePhase;
use crate::input::Author;
use crate::laws::outcome::{Ending, GameResult, KnownResult};

/// Without a clock, a game counts as in play for this time after the last change of the board.
const STILL: Duration = Duration::from_secs(60);
/// The largest number of games whose results can be entered later; the oldest one gives way.
const MAX_LEFT: usize = 64;

/// What an entered result must fit in with.
#[derive(Clone, Debug)]
struct Standing {
    moves: bool,
    /// Why the game is in play; none if it is not.
    in_play: Option<&'static str>,
    result: Option<GameResult>,
    /// The decision that gave the result.
    decision: Option<Box<Decision>>,
    /// The ending on the board, and its result.
    ending: Option<(Ending, GameResult)>,
    open: Vec<OpenMatter>,
}

/// A game with moves that is not on the board any more.
#[derive(Clone, Debug)]
pub(super) struct LeftGame {
    number: u32,
    standing: Standing,
}

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
        let left = self.left.iter().find(|left| left.number == number).map(|left| left.standing.clone());
        let standing = if is_present { self.standing() } else { left.ok_or("this game is not known any more")? };
        if by_organiser {
            standing.check(result)?;
        }
        if standing.result.unwrap_or(GameResult::Open) == result {
            return Ok(());
        }
        if is_present {
            self.declare(entered, out);
            return Ok(());
        }
        let supersedes = standing.decision.as_ref().map(|decision| decision.number);
        let decision = Box::new(self.rulings.decisions.number(Decision { finding: None, supersedes, ..entered }));
        out.push(Effect::Audit(AuditEntry::Decision(decision.clone())));
        if let Some(left) = self.left.iter_mut().find(|left| left.number == number) {
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
            if self.left.len() == MAX_LEFT {
                self.left.remove(0);
            }
            self.left.push(LeftGame { number: self.number(), standing });
        }
    }

    /// The result of a game before the one on the board, as every audience may know it; none if no such game is known.
    pub fn known_result_of_left(&self, number: u32) -> Option<Option<KnownResult>> {
        let Standing { result, ending, .. } = self.left.iter().find(|left| left.number == number)?.standing;
        Some(KnownResult::of(result, ending))
    }

    fn standing(&self) -> Standing {
        let (play, clock) = (&self.seen.play, &self.seen.clock.chessclock);
        let in_play = match self.seen.phase.stage {
            GamePhase::Playing if clock.runs().is_some() => Some("its clock runs"),
            GamePhase::Playing if !clock.present() && self.now < self.seen.board.last_change().after(STILL) => {
                Some("no clock is heard, and a man was moved less than a minute ago")
            }
            _ => None,
        };
        Standing {
            moves: !play.segments.is_empty() || !play.decoder.record.moves().is_empty() || !play.decoder.line().is_empty(),
            in_play,
            result: self.rulings.result,
            decision: self.rulings.decisions.result_decision().map(|decision| Box::new(decision.clone())),
            ending: play.ending.map(|(ending, _, by)| (ending, ending.result(by))),
            open: self.open_matters(),
        }
    }
}

impl Standing {
    /// Whether the organiser's desk may enter this result.
    ///
    /// # Errors
    /// The text names what stands against it.
    fn check(&self, result: GameResult) -> Result<(), Cow<'static, str>> {
        if !self.moves {
            return Err("no move was made in this game".into());
        }
        match (self.result, &self.decision) {
            (Some(known), _) if known == result => return Ok(()),
            (Some(_), Some(decision)) if decision.by_organiser => return Ok(()),
            (Some(_), Some(decision)) => return Err(format!("{}: only an arbiter can change it", decision.words()).into()),
            (Some(known), None) => return Err(format!("the game has the result {}", known.words()).into()),
            (None, _) => {}
        }
        if !self.open.is_empty() {
            let open: Vec<String> = self.open.iter().map(|open| open.words()).collect();
            return Err(open.join(", and ").into());
        }
        if let Some(why) = self.in_play.filter(|_| result != GameResult::Open) {
            return Err(format!("the game is in play: {why}").into());
        }
        match self.ending {
            Some((ending, by_board)) if result != GameResult::Open && result != by_board => Err(format!(
                "{}: the result is {}, and only an arbiter can declare another one",
                ending.words(),
                by_board.words()
            )
            .into()),
            _ => Ok(()),
        }
    }
}
