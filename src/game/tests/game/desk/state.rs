//! All that may be read of a game, at one moment.

use flagfall_game::alarm::Alarm;
use flagfall_game::arbiter_entries::Statement;
use flagfall_game::clock::flag::{FlagFall, FlagPath};
use flagfall_game::clock::{ClockState, Recording};
use flagfall_game::decision::Decision;
use flagfall_game::game::Game;
use flagfall_game::game_phase::{GamePhase, Hint};
use flagfall_game::interval::Interval;
use flagfall_game::laws::finding::Finding;
use flagfall_game::laws::outcome::{Ending, GameResult, Phase};
use flagfall_game::pair::Pair;
use flagfall_game::played::GameMove;
use flagfall_protocols::square::{Color, Placement};
use flagfall_protocols::time::Instant;
use shakmaty::fen::Fen;
use shakmaty::{Chess, EnPassantMode};

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct State {
    pub(crate) game_no: u32,
    pub(crate) stage: GamePhase,
    pub(crate) initial_fen: String,
    pub(crate) fen: String,
    pub(crate) board: Placement,
    pub(crate) rotated: bool,
    pub(crate) moves: Vec<GameMove>,
    pub(crate) pending: Vec<GameMove>,
    pub(crate) phase: Phase,
    pub(crate) completed: Pair<Option<u32>>,
    pub(crate) period: Pair<u32>,
    pub(crate) recording: Pair<Recording>,
    pub(crate) clock: ClockState,
    pub(crate) lever_up: Option<Color>,
    pub(crate) flags: Vec<Flag>,
    /// The open ones.
    pub(crate) alarms: Vec<Alarm>,
    pub(crate) finding: Option<Finding>,
    pub(crate) decisions: Vec<Decision>,
    pub(crate) entries: Vec<Statement>,
    pub(crate) hints: Vec<Hint>,
    pub(crate) ending: Option<Ending>,
    pub(crate) result: Option<GameResult>,
}

/// What arbiters see of a flag.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Flag {
    pub(crate) side: Color,
    pub(crate) path: FlagPath,
    pub(crate) fell: Interval,
    pub(crate) observed_at: Option<Instant>,
    /// From 1.
    pub(crate) period: usize,
    pub(crate) after_end: bool,
    /// Number of the decision about it that stands.
    pub(crate) ruled: Option<u32>,
}

impl State {
    pub(crate) fn of(game: &Game) -> State {
        State {
            game_no: game.number(),
            stage: game.stage(),
            initial_fen: fen(game.start()),
            fen: fen(game.sure_position()),
            board: game.placement(),
            rotated: game.is_rotated(),
            moves: game.moves().collect(),
            pending: game.pending().collect(),
            phase: game.phase(),
            completed: game.completed(),
            period: game.period(),
            recording: game.recording(),
            clock: game.clock(),
            lever_up: game.lever_up(),
            flags: game.flags().map(flag).collect(),
            alarms: game.alarms().iter().filter(|alarm| alarm.closed.is_none()).cloned().collect(),
            finding: game.deciding_finding().cloned(),
            decisions: game.decisions().cloned().collect(),
            entries: game.entries().to_vec(),
            hints: game.hints().to_vec(),
            ending: game.ending(),
            result: game.result(),
        }
    }
}

fn flag((fall, ruled): (&FlagFall, Option<u32>)) -> Flag {
    let FlagFall { side, path, fell, observed_at, after_end, period, .. } = *fall;
    Flag { side, path, fell, observed_at, period: period + 1, after_end, ruled }
}

fn fen(position: &Chess) -> String {
    Fen::from_position(position, EnPassantMode::Legal).to_string()
}
