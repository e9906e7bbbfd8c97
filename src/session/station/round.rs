//! Follows which games of the board are the round's, and keeps the last state that the live audience may see while another game is
//! on the board (`wire/README.md#7.1`).

use flagfall_game::effect::{Audience, Effect};
use flagfall_game::game::Game;
use flagfall_game::game_phase::GamePhase;
use flagfall_game::input::Input as GameInput;
use flagfall_game::laws::outcome::KnownResult;
use flagfall_protocols::time::Instant;

use super::{Station, StationOutput};
use crate::outputs::board_games::{BoardGames, BoardHead, SeenGame};
use crate::publish::delay::{Lost, PublicAudience};
use crate::publish::states::{self, EarlierState};
use crate::wire::clock::ClockBody;
use crate::wire::outcome::Ending;
use crate::wire::round_games::{self, GameOnBoard, InRound, RoundBound, RoundGames, Unpublished};
use crate::wire::state::LiveState;
use crate::wire::time::Anchor;

/// The games of the round on this board.
#[derive(Debug, Default)]
pub(super) struct Round {
    bound: Option<RoundBound>,
    chess960: bool,
    games: RoundGames,
    /// The last anchor of a synchronised clock since the last start. The time between two starts may be unknown.
    anchor: Option<Anchor>,
    game: GameOnBoard,
    /// The times of the first and of the newest move of the game.
    first_move: Option<Instant>,
    latest_move: Option<Instant>,
    /// Why the game on the board is not published to the live audience.
    unpublished: Option<Unpublished>,
    /// The number of the game about which an arbiter is asked whether it is the round's.
    asked: Option<u32>,
    /// The game on the board is published from the middle on.
    joins: bool,
    /// The last state for the live audience.
    kept: Option<EarlierState>,
    /// The revision of that state. It counts what this audience was shown, so it does not tell how much was played in a game that it
    /// did not see.
    rev: u32,
    /// When the first move of the game was made, which a later start does not change, and which game of the round it is.
    in_round: InRound,
    /// The same as the public may know it: with the moves that were reported to it.
    in_round_for_public: InRound,
    /// The games of the round before that of the last state.
    earlier: BoardGames,
    /// Whether the games have changed since this was last taken.
    games_changed: bool,
}

/// Whether the effect is for the live audience or for the public.
const fn is_live(effect: &Effect) -> bool {
    match effect {
        Effect::State(Audience::Live | Audience::Public)
        | Effect::Clock
        | Effect::LiveMove { .. }
        | Effect::LiveRevision { .. }
        | Effect::LiveTimes { .. } => true,
        Effect::State(Audience::Arbiter)
        | Effect::Move(_)
        | Effect::Alert(_)
        | Effect::Finding(_)
        | Effect::Ruling
        | Effect::Audit(_)
        | Effect::Ask(_)
        | Effect::Device(_) => false,
    }
}

impl Round {
    pub(super) fn new(chess960: bool) -> Round {
        Round { chess960, ..Round::default() }
    }

    /// The state that the live audience keeps; none if the game on the board is published.
    pub(super) fn earlier_state(&self) -> Option<Option<&EarlierState>> {
        self.unpublished.map(|_| self.kept.as_ref())
    }

    /// Notes what a step of the game has changed. Returns why the game is not published.
    pub(super) fn follow(&mut self, at: Instant, game: &Game) -> Option<Unpublished> {
        if game.number() != self.game.number {
            self.game.number = game.number();
            self.game.initial_position = round_games::is_initial(&states::fen(game.start()));
            self.game.by_command = game.is_begun_by_command();
            (self.first_move, self.latest_move, self.in_round) = (None, None, InRound::default());
        }
        let more = game.made_moves() > self.game.made_moves;
        self.game.made_moves = game.made_moves();
        self.game.over = game.stage() == GamePhase::Over || game.result().is_some();
        self.game.settled = game.known_result().is_some() || game.shows_result();
        match self.game.made_moves {
            0 => (self.first_move, self.in_round.began) = (None, None),
            _ => drop(self.first_move.get_or_insert(at)),
        }
        self.latest_move = if more { Some(at) } else { self.latest_move };
        let utc = |move_at: Option<Instant>| self.anchor.zip(move_at).map(|(anchor, at)| anchor.utc_at(at));
        (self.game.first_move, self.game.latest_move) = (utc(self.first_move), utc(self.latest_move));
        self.in_round.began = self.in_round.began.or(self.game.first_move);
        let before = self.unpublished;
        self.unpublished = self.games.follow(self.bound.as_ref(), self.game);
        self.in_round.round_game = self.games.round_game().filter(|_| self.bound.is_some());
        if game.reported_plies(Audience::Public) == game.live_plies() {
            self.in_round_for_public = self.in_round;
        }
        self.joins |= before.is_some() && self.unpublished.is_none() && self.game.made_moves > 0;
        self.unpublished
    }

    /// What the public may know of the game on the board in the round.
    pub(super) fn in_round_for_public(&self) -> InRound {
        self.in_round_for_public
    }

    /// Whether the round has pairings and this board has none.
    fn is_unpaired(&self) -> bool {
        self.unpublished == Some(Unpublished::NoPairing)
    }

    /// Whether the games have changed that [`Round::pgn`] writes.
    pub(super) fn has_new_games(&self) -> bool {
        self.games_changed
    }

    /// Returns the games of the board as the live audience has them, in PGN; none before the first state, and if they are too long.
    pub(super) fn pgn(&mut self, head: &BoardHead) -> Option<String> {
        self.games_changed = false;
        self.kept.as_ref().and_then(|kept| self.earlier.pgn(&SeenGame::from(&kept.state), head))
    }

    /// Whether the effect is published, if it is for the live audience. If it is, its state is kept.
    pub(super) fn admits(&mut self, at: Instant, effect: &Effect, game: &Game) -> bool {
        if !is_live(effect) {
            return true;
        }
        if self.unpublished.is_some() {
            return false;
        }
        match (effect, &mut self.kept) {
            (Effect::Clock, Some(kept)) => {
                kept.at = at;
                kept.state.clock = ClockBody::from(game.clock());
            }
            (Effect::State(Audience::Live), _) => {
                self.rev += 1;
                self.keep(at, game);
            }
            (Effect::Clock, None) => self.keep(at, game),
            _ => {}
        }
        true
    }

    /// Gives the game that the live audience keeps this result. Returns its state if that changes it.
    fn give_result(&mut self, at: Instant, known: Option<KnownResult>) -> Option<LiveState> {
        let kept = self.kept.as_mut()?;
        let before = kept.state.clone();
        kept.state.result = known.map(|known| known.result.into());
        kept.state.result_by = known.map(|known| known.by.into());
        kept.state.ending = known.and_then(|known| known.ending).map(Ending::from);
        if kept.state == before {
            return None;
        }
        self.rev += 1;
        (kept.at, kept.rev) = (at, self.rev);
        self.games_changed = true;
        Some(kept.state.clone())
    }

    fn keep(&mut self, at: Instant, game: &Game) {
        let state = states::live_state(game).in_round(self.in_round);
        let kept = EarlierState { at, rev: self.rev, state };
        let last = self.kept.replace(kept).filter(|last| last.state.game_no != game.number());
        if let Some(last) = last {
            self.earlier.end_game(SeenGame::from(&last.state), self.chess960);
        }
        self.games_changed = true;
    }
}

impl Station {
    /// The node was started with this bound on the games of the round.
    pub(super) fn bound_round(&mut self, at: Instant, bound: Option<RoundBound>, out: &mut Vec<StationOutput>) {
        self.round.anchor = None;
        self.round.bound = bound;
        if bound.is_some_and(|bound| bound.is_unpaired()) {
            self.withdraw(at, out);
        } else if self.round.kept.is_none() && self.round.unpublished.is_none() {
            self.round.keep(at, &self.game);
        }
        self.review_round(at, out);
    }

    /// Deletes what the broker may retain of this board for the live audience and the public: the round has pairings and the board has
    /// none.
    fn withdraw(&mut self, at: Instant, out: &mut Vec<StationOutput>) {
        (self.round.kept, self.round.earlier, self.round.games_changed) = (None, BoardGames::default(), false);
        self.public.iter_mut().for_each(PublicAudience::withdraw);
        self.messages.add_withdrawal(at, &mut self.made);
        out.extend(self.made.drain(..).map(StationOutput::Message));
    }

    /// An arbiter has said whether the game on the board, which is not published, is the round's or private.
    ///
    /// # Errors
    /// The game is published and cannot be private, or the board has no pairing. Nothing is changed then.
    pub(super) fn set_round_game(
        &mut self,
        at: Instant,
        of_the_round: bool,
        out: &mut Vec<StationOutput>,
    ) -> Result<(), &'static str> {
        let unpublished = match self.round.unpublished {
            None if of_the_round => return Ok(()),
            None => return Err("the game on the board is published already"),
            Some(Unpublished::NoPairing) => {
                return Err("the round has no pairing of this board: the organiser must pair it first");
            }
            Some(_) if self.game.number() == 0 => return Err("no game has begun on this board"),
            Some(unpublished) => unpublished,
        };
        self.round.games.decide(of_the_round, unpublished);
        self.review_round(at, out);
        self.ask_about_round(at, out);
        Ok(())
    }

    /// Opens or closes the alarm that asks an arbiter whether the game on the board is the round's.
    pub(super) fn ask_about_round(&mut self, at: Instant, out: &mut Vec<StationOutput>) {
        let asks = self.round.games.asks().then_some(self.game.number());
        if std::mem::replace(&mut self.round.asked, asks) != asks {
            self.step_game(at, &GameInput::AskAboutRound { open: asks.is_some() }, out);
        }
    }

    /// A wall clock was read.
    pub(super) fn handle_anchor(&mut self, at: Instant, anchor: Anchor, out: &mut Vec<StationOutput>) {
        if anchor.sync.is_synchronised() {
            self.round.anchor = Some(anchor);
            self.review_round(at, out);
        }
    }

    /// Publishes what changes for the audiences without a step of the game.
    fn review_round(&mut self, at: Instant, out: &mut Vec<StationOutput>) {
        let before = self.round.unpublished;
        let unpublished = self.round.follow(at, &self.game);
        if unpublished == before {
            return;
        }
        let live =
            unpublished.is_none().then_some([Effect::State(Audience::Live), Effect::State(Audience::Public), Effect::Clock]);
        let effects = [Effect::State(Audience::Arbiter)].into_iter().chain(live.into_iter().flatten());
        self.handle_effects(at, effects.collect(), None, out);
    }

    /// Whether the game on the board is not the round's, so that only arbiters see it.
    pub fn is_unpublished(&self) -> bool {
        self.round.earlier_state().is_some()
    }

    /// Whether the round has pairings and this board has none, so that only arbiters see it.
    pub fn is_unpaired(&self) -> bool {
        self.round.is_unpaired()
    }

    /// Adds a state as it is now. The live audience keeps an earlier one while the game on the board is not published.
    pub(super) fn add_state(&mut self, at: Instant, effect: &Effect) {
        match self.round.earlier_state() {
            Some(earlier) if is_live(effect) => self.messages.add_earlier(at, effect, earlier, &mut self.made),
            _ => self.messages.add_effect(at, effect, &self.game, &mut self.made),
        }
    }

    /// The number of the game that the live audience still sees while another one is on the board.
    pub(super) fn earlier_game(&self) -> Option<u32> {
        self.round.earlier_state().flatten().map(|kept| kept.state.game_no)
    }

    /// Publishes another result of that game, which a command has entered.
    pub(super) fn review_earlier_game(&mut self, at: Instant, out: &mut Vec<StationOutput>) {
        let Some(known) = self.earlier_game().and_then(|number| self.game.known_result_of_left(number)) else { return };
        let Some(state) = self.round.give_result(at, known) else { return };
        if let Some(public) = &mut self.public {
            public.revise_earlier(at, state);
        }
        self.round.games.note_result(known.is_some());
        self.review_round(at, out);
        self.ask_about_round(at, out);
        let effect = Effect::State(Audience::Live);
        match self.coalesced {
            true => self.mark_dirty(&effect),
            false => self.add_state(at, &effect),
        }
        out.extend(self.made.drain(..).map(StationOutput::Message));
    }

    /// The revision of the states for the live audience.
    pub fn live_rev(&self) -> u32 {
        self.round.rev
    }

    /// What the bounds of the delay have cost the public audience.
    pub fn lost(&self) -> Lost {
        self.public.as_ref().map(PublicAudience::lost).unwrap_or_default()
    }

    /// Whether something waits for the public, so that the round is not over for them.
    pub fn has_public_waiting(&self) -> bool {
        self.public.as_ref().is_some_and(PublicAudience::has_waiting)
    }

    /// Sets who may see the game on the board after a step of it.
    pub(super) fn follow_round(&mut self, at: Instant) {
        let unpublished = self.round.follow(at, &self.game);
        self.messages.unpublished = unpublished;
        self.messages.in_round = self.round.in_round;
        if std::mem::take(&mut self.round.joins)
            && let Some(public) = &mut self.public
        {
            public.join(at, &self.game, self.round.in_round_for_public());
        }
    }
}
