//! Follows which games of the board are the round's, and keeps the last state that the live audience may see while another game is
//! on the board (`wire/README.md#7.1`).

use flagfall_game::effect::{Audience, Effect};
use flagfall_game::game::Game;
use flagfall_game::game_phase::GamePhase;
use flagfall_game::laws::outcome::KnownResult;
use flagfall_protocols::time::Instant;

use super::{Station, StationOutput};
use crate::outputs::board_games::{BoardGames, BoardHead, SeenGame};
use crate::publish::delay::PublicAudience;
use crate::publish::states::{self, EarlierState};
use crate::system_clock::Utc;
use crate::wire::clock::ClockBody;
use crate::wire::outcome::Ending;
use crate::wire::round_games::{self, GameOnBoard, RoundBound, RoundGames, Unpublished};
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
    /// The time of the first move of the game.
    first_move: Option<Instant>,
    /// Why the game on the board is not published to the live audience.
    unpublished: Option<Unpublished>,
    /// The game on the board is published from the middle on.
    joins: bool,
    /// The last state for the live audience.
    kept: Option<EarlierState>,
    /// When the first move of the game was made, if a synchronised clock has told it. A later start does not change it.
    began: Option<Utc>,
    /// The games of the round before that of the last state.
    earlier: BoardGames,
    /// Whether the games have changed since this was last taken.
    games_changed: bool,
}

/// Whether the effect is for the live audience, and so for the public.
const fn is_live(effect: &Effect) -> bool {
    match effect {
        Effect::State(Audience::Live)
        | Effect::Clock
        | Effect::LiveMove(_)
        | Effect::LiveRevision { .. }
        | Effect::LiveTimes(_) => true,
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
            (self.first_move, self.began) = (None, None);
        }
        self.game.made_moves = game.made_moves();
        self.game.over = game.stage() == GamePhase::Over || game.result().is_some();
        match self.game.made_moves {
            0 => (self.first_move, self.began) = (None, None),
            _ => drop(self.first_move.get_or_insert(at)),
        }
        self.game.first_move = self.anchor.zip(self.first_move).map(|(anchor, first)| anchor.utc_at(first));
        self.began = self.began.or(self.game.first_move);
        let before = self.unpublished;
        self.unpublished = self.games.follow(self.bound.as_ref(), self.game);
        self.joins |= before.is_some() && self.unpublished.is_none() && self.game.made_moves > 0;
        self.unpublished
    }

    /// When the first move of the game on the board was made, if that is known.
    pub(super) fn began(&self) -> Option<Utc> {
        self.began
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
            (Effect::State(_) | Effect::Clock, _) => self.keep(at, game),
            _ => {}
        }
        true
    }

    /// Gives the game that the live audience keeps this result. Returns its state if that changes it; `rev` is the revision of the game on the
    /// board.
    fn give_result(&mut self, at: Instant, rev: u32, known: Option<KnownResult>) -> Option<LiveState> {
        let kept = self.kept.as_mut()?;
        let before = kept.state.clone();
        kept.state.result = known.map(|known| known.result.into());
        kept.state.result_by = known.map(|known| known.by.into());
        kept.state.ending = known.and_then(|known| known.ending).map(Ending::from);
        if kept.state == before {
            return None;
        }
        (kept.at, kept.rev) = (at, rev.max(kept.rev + 1));
        self.games_changed = true;
        Some(kept.state.clone())
    }

    fn keep(&mut self, at: Instant, game: &Game) {
        let (rev, state) = (game.rev(Audience::Live), LiveState { began: self.began, ..states::live_state(game) });
        let kept = EarlierState { at, rev, state };
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
        if self.round.kept.is_none() && self.round.unpublished.is_none() {
            self.round.keep(at, &self.game);
        }
        self.review_round(at, out);
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
        let live = unpublished.is_none().then_some([Effect::State(Audience::Live), Effect::Clock]);
        let effects = [Effect::State(Audience::Arbiter)].into_iter().chain(live.into_iter().flatten());
        self.handle_effects(at, effects.collect(), None, out);
    }

    /// Whether the game on the board is not the round's, so that only arbiters see it.
    pub fn is_unpublished(&self) -> bool {
        self.round.earlier_state().is_some()
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
        let Some(state) = self.round.give_result(at, self.game.rev(Audience::Live), known) else { return };
        if let Some(public) = &mut self.public {
            public.revise_earlier(at, state);
        }
        let effect = Effect::State(Audience::Live);
        match self.coalesced {
            true => self.mark_dirty(&effect),
            false => self.add_state(at, &effect),
        }
        out.extend(self.made.drain(..).map(StationOutput::Message));
    }

    /// Whether something waits for the public, so that the round is not over for them.
    pub fn has_public_waiting(&self) -> bool {
        self.public.as_ref().is_some_and(PublicAudience::has_waiting)
    }

    /// Sets who may see the game on the board after a step of it.
    pub(super) fn follow_round(&mut self, at: Instant) {
        let unpublished = self.round.follow(at, &self.game);
        self.messages.set_unpublished(unpublished);
        self.messages.set_began(self.round.began());
        if std::mem::take(&mut self.round.joins)
            && let Some(public) = &mut self.public
        {
            public.join(at, &self.game, self.round.began());
        }
    }
}
