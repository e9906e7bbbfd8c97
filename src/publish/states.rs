//! Makes the whole state of a game for the live audience and for arbiters. Players and the date are no part of the game: `Messages`
//! adds them.

use flagfall_game::color_name;
use flagfall_game::effect::Audience;
use flagfall_game::game::Game;
use flagfall_game::played::GameMove;
use flagfall_protocols::time::Instant;
use shakmaty::fen::Fen;
use shakmaty::{Chess, EnPassantMode};

use crate::wire::alarm::AlertBody;
use crate::wire::claim::EntryBody;
use crate::wire::clock::{ClockBody, ClockStatus};
use crate::wire::decision::Decision;
use crate::wire::finding::Finding;
use crate::wire::flag::FlagBody;
use crate::wire::moves::{LiveMove, MoveBody};
use crate::wire::outcome::{Ending, GameResult};
use crate::wire::state::{AfterIllegalMove, ArbiterState, Hint, Link, LiveState, Segment, TouchedMan};

/// A state that the live audience has, of a time before now.
#[derive(Clone, Debug)]
pub struct EarlierState {
    /// When it was last changed.
    pub(crate) at: Instant,
    /// Its revision.
    pub(crate) rev: u32,
    pub(crate) state: LiveState,
}

/// Makes the state for the live audience.
pub fn live_state(game: &Game) -> LiveState {
    let moves = game.live_moves().map(LiveMove::from).collect();
    LiveState { moves, ..state_without_moves(game, Audience::Live) }
}

/// Makes the state for the live audience or the public without the list of moves, so that its cost does not grow with the length of the
/// game.
pub(super) fn state_without_moves(game: &Game, audience: Audience) -> LiveState {
    let known = game.known_result();
    LiveState {
        game_no: game.number(),
        initial_fen: fen(game.start()),
        fen: fen(game.reported_position(audience)),
        moves: Vec::new(),
        moves_from: None,
        parts: None,
        segments: segments(game),
        clock: ClockBody::from(game.clock()),
        clock_status: ClockStatus::from(game.clock()),
        link: if game.board_answers() { Link::Up } else { Link::Down },
        result: known.map(|known| known.result.into()),
        result_by: known.map(|known| known.by.into()),
        ending: known.and_then(|known| known.ending).map(Ending::from),
        began: None,
        round_game: None,
        players: None,
        withdrawn: false,
    }
}

/// Makes the state for arbiters.
pub fn arbiter_state(game: &Game) -> ArbiterState {
    let open = game.alarms().iter().filter(|alarm| alarm.closed.is_none());
    ArbiterState {
        game_no: game.number(),
        stage: game.stage().into(),
        initial_fen: fen(game.start()),
        fen: fen(game.sure_position()),
        board: game.placement().to_string(),
        rotated: game.is_rotated(),
        moves: game.moves().map(MoveBody::from).collect(),
        moves_from: None,
        parts: None,
        pending: game.pending().map(MoveBody::from).collect(),
        segments: segments(game),
        after_illegal_move: game.after_illegal_move().map(|(by, start, moves)| AfterIllegalMove {
            by: color_name(by),
            initial_fen: fen(start),
            moves: moves.into_iter().map(MoveBody::from).collect(),
        }),
        after_result: game.moves_after_result().into_iter().map(MoveBody::from).collect(),
        phase: game.phase().into(),
        completed: game.completed().into(),
        period: game.period().into(),
        recording: game.recording().into(),
        clock: ClockBody::from(game.clock()),
        clock_status: ClockStatus::from(game.clock()),
        lever_up: game.lever_up().map(color_name),
        flags: game.flags().map(|(fall, ruled)| FlagBody { ruled, ..FlagBody::from(fall) }).collect(),
        alarms: open.map(AlertBody::from).collect(),
        finding: game.deciding_finding().map(Finding::from),
        decisions: game.decisions().map(Decision::from).collect(),
        entries: game.entries().iter().map(EntryBody::from).collect(),
        touched_men: game.touched_men().iter().map(TouchedMan::from).collect(),
        hints: game.hints().iter().copied().map(Hint::from).collect(),
        ending: game.ending().map(Ending::from),
        result: game.result().map(GameResult::from),
        players: None,
        withdrawn: false,
        unpublished: None,
    }
}

fn segments<Move: From<GameMove>>(game: &Game) -> Vec<Segment<Move>> {
    let segment = |(start, moves): (&Chess, Vec<GameMove>)| Segment {
        initial_fen: fen(start),
        moves: moves.into_iter().map(Move::from).collect(),
    };
    game.segments().map(segment).collect()
}

/// The position as FEN.
pub(crate) fn fen(position: &Chess) -> String {
    Fen::from_position(position, EnPassantMode::Legal).to_string()
}
