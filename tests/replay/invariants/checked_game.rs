//! A game that is checked after every step: its committed moves are legal, in order, and published.

use flagfall::publish::states;
use flagfall::wire::moves::{Cause, How, MoveBody, RevisionBody};
use flagfall::wire::state::ArbiterState;
use flagfall_game::audit::{AuditEntry, GameEvent};
use flagfall_game::config::GameConfig;
use flagfall_game::effect::Effect;
use flagfall_game::game::Game;
use flagfall_game::game_phase::GamePhase;
use flagfall_game::input::Input;
use flagfall_protocols::driver::Timing;
use flagfall_protocols::drivers;
use flagfall_protocols::time::Instant;
use shakmaty::fen::Fen;
use shakmaty::{CastlingMode, Chess, Position, PositionError};

use crate::invariants::played_game::{Reports, config};

/// The list is compared after this number of steps even if no message was about it.
const COMPARE_EVERY: u32 = 16;

/// A game, and the list of its sure moves according to its messages.
pub(crate) struct CheckedGame {
    pub(crate) game: Game,
    pub(crate) list: Vec<MoveBody>,
    /// The positions of the list, from the start on.
    positions: Vec<Chess>,
    pub(crate) revisions: usize,
    /// The effects of the last input and of the deadlines before it.
    pub(crate) out: Vec<Effect>,
    step: Vec<Effect>,
    steps: u32,
}

impl CheckedGame {
    pub(crate) fn new(config: GameConfig) -> CheckedGame {
        CheckedGame::with_timing(config, drivers::find("dgt").expect("registered").timing)
    }

    /// A game at a board with this timing.
    pub(crate) fn with_timing(config: GameConfig, timing: Timing) -> CheckedGame {
        let game = Game::new(config, timing);
        let positions = vec![Chess::default()];
        CheckedGame { game, list: Vec::new(), positions, revisions: 0, out: Vec::new(), step: Vec::new(), steps: 0 }
    }

    /// A game that was fed with these reports and then five seconds of silence.
    pub(crate) fn after_inputs(reports: &Reports) -> CheckedGame {
        let mut checked = CheckedGame::new(config());
        reports.iter().for_each(|(at, input)| checked.feed(*at, input));
        checked.advance_to(Instant(reports.last().map_or(0, |(at, _)| at.0) + 5_000_000));
        checked
    }

    pub(crate) fn state(&self) -> ArbiterState {
        states::arbiter_state(&self.game)
    }

    /// The sure moves in UCI notation.
    pub(crate) fn moves(&self) -> Vec<String> {
        self.list.iter().map(|mv| mv.uci.to_string()).collect()
    }

    /// The whole state of the game as text, without the time of the last clock reading and the deadline of the clock.
    pub(crate) fn digest(&self) -> String {
        let mut state = self.state();
        state.clock.read_us = 0;
        let state = serde_json::to_string(&state).expect("JSON");
        let live = serde_json::to_string(&states::live_state(&self.game).moves).expect("JSON");
        format!("{state} {live} {:?} {:?}", self.game.findings(), self.game.alarms())
    }

    /// Feeds every deadline before `at`, and then `input`.
    #[track_caller]
    pub(crate) fn feed(&mut self, at: Instant, input: &Input) {
        self.out.clear();
        self.run_deadlines(Instant(at.0.saturating_sub(1)));
        self.feed_one(at, input);
    }

    /// Feeds every deadline up to `to`.
    #[track_caller]
    pub(crate) fn advance_to(&mut self, to: Instant) {
        self.out.clear();
        self.run_deadlines(to);
    }

    fn run_deadlines(&mut self, to: Instant) {
        let mut woken = 0;
        while let Some(due) = self.game.deadline().filter(|&due| due <= to) {
            self.feed_one(due, &Input::Deadline);
            woken += 1;
            assert!(woken < 500, "the deadlines do not end at {due:?}");
        }
    }

    fn feed_one(&mut self, at: Instant, input: &Input) {
        let (stage, number) = (self.game.stage(), self.game.number());
        self.step.clear();
        self.game.step(at, input, &mut self.step);
        let commanded = matches!(input, Input::Command(_));
        let step = std::mem::take(&mut self.step);
        let mut touched = false;
        for effect in &step {
            match effect {
                Effect::Move(played) => {
                    let body = MoveBody::from(*played);
                    let off = matches!(stage, GamePhase::Over | GamePhase::AwaitingSetUp) && number == self.game.number();
                    assert!(commanded || !off, "{stage:?}, and {} became sure", body.uci);
                    self.commit(&body);
                    touched = true;
                }
                Effect::Audit(AuditEntry::Revision(revision)) => {
                    let body = RevisionBody::from(revision);
                    let known = matches!(body.cause, Cause::IllegalMoveStands | Cause::UnexplainedGap | Cause::Reopened);
                    let kept = body.from_ply as usize - 1;
                    // Without a clock, the man of the last move may have only rested on its square (reconstruct/README.md#3.7).
                    let rested = matches!(self.list.get(kept..), Some([last]) if last.how == Some(How::Settled));
                    let may_revise = commanded || known || (body.cause == Cause::TakeBack && rested);
                    assert!(may_revise, "a revision without a command: {body:?}");
                    assert!(kept <= self.list.len(), "a revision beyond the end of the list: {body:?}");
                    self.revisions += 1;
                    self.list.truncate(kept);
                    self.positions.truncate(kept + 1);
                    if kept == 0 {
                        self.start();
                    }
                    body.moves.iter().for_each(|mv| self.commit(mv));
                    touched = true;
                }
                Effect::Audit(AuditEntry::Game { event: GameEvent::Armed | GameEvent::Joined, .. }) => {
                    self.list.clear();
                    self.start();
                    touched = true;
                }
                _ => {}
            }
        }
        self.steps += 1;
        let mut live = self.game.live_moves().map(|told| (told.uci, told.clocks));
        let sure = self.game.moves().map(|known| (known.uci, known.clocks));
        for known in sure {
            assert_eq!(live.next(), Some(known), "the live audience has other moves or times");
        }
        if touched || self.steps.is_multiple_of(COMPARE_EVERY) {
            self.compare();
        }
        self.out.extend(step.iter().cloned());
        self.step = step;
    }

    fn start(&mut self) {
        self.positions = vec![position(&self.state().initial_fen)];
    }

    fn commit(&mut self, body: &MoveBody) {
        assert_eq!(body.ply as usize, self.list.len() + 1, "a move is added at the end: {body:?}");
        let mut position = self.positions.last().expect("the start").clone();
        let uci = body.uci;
        let mv =
            uci.to_move(&position).unwrap_or_else(|error| panic!("{} is not legal after {:?}: {error}", body.uci, self.moves()));
        assert_eq!(body.color == "white", position.turn().is_white(), "{body:?}");
        position.play_unchecked(mv);
        self.positions.push(position);
        self.list.push(*body);
    }

    fn compare(&self) {
        let state = self.state();
        let moves: Vec<String> = state.moves.iter().map(|mv| mv.uci.to_string()).collect();
        assert_eq!(moves, self.moves(), "the list is as in the messages");
        assert_eq!(Some(&position(&state.fen)), self.positions.last(), "the position is the last one of the list");
    }
}

/// The position of a FEN. An illegal move of a bishop can leave two on squares of one colour, although no pawn was promoted.
fn position(fen: &str) -> Chess {
    let fen: Fen = fen.parse().expect("its own FEN");
    let position = fen.into_position(CastlingMode::Standard);
    position.or_else(PositionError::ignore_too_much_material).expect("a legal position")
}
