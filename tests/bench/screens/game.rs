//! A blitz game of random legal moves, and the messages about it.

use fastrand::Rng;
use flagfall::system_clock::{MonotonicTime, monotonic};
use serde_json::{Value, json};
use shakmaty::fen::Fen;
use shakmaty::san::SanPlus;
use shakmaty::{CastlingMode, Chess, EnPassantMode, Position};

use crate::stage::made_up::{self, START, event, live_body, now_us, state};

/// The time of each side at the beginning, milliseconds.
const TIME_MS: i64 = 300_000;
/// A game that has so many half-moves ends.
const LONGEST: usize = 100;

pub(crate) struct Game {
    pub(crate) board: String,
    number: u32,
    random: Rng,
    position: Chess,
    moves: Vec<Value>,
    /// The times of White and Black at the last press.
    left_ms: [i64; 2],
    pressed: MonotonicTime,
    /// The number of the last event.
    events: u64,
}

impl Game {
    /// A game of the board of this number, in which some half-moves have been played.
    pub(crate) fn new(board: usize) -> Game {
        let mut game = Game {
            board: board.to_string(),
            number: 1,
            random: Rng::with_seed(board as u64),
            position: Chess::default(),
            moves: Vec::new(),
            left_ms: [TIME_MS; 2],
            pressed: monotonic(),
            events: 0,
        };
        // Halls do not begin all their games with the same move.
        (0..board % 60).for_each(|_| game.play());
        game
    }

    /// Plays one half-move, or begins the next game where this one has ended.
    pub(crate) fn play(&mut self) {
        let legal = self.position.legal_moves();
        if legal.is_empty() || self.moves.len() >= LONGEST {
            let (number, random) = (self.number + 1, self.random.fork());
            *self = Game {
                number,
                random,
                position: Chess::default(),
                moves: Vec::new(),
                left_ms: [TIME_MS; 2],
                pressed: monotonic(),
                board: std::mem::take(&mut self.board),
                ..*self
            };
            return;
        }
        let choice = legal[self.random.usize(..legal.len())];
        let side = self.moves.len() % 2;
        self.left_ms[side] = self.times()[side];
        self.pressed = monotonic();
        let uci = choice.to_uci(CastlingMode::Standard).to_string();
        let san = SanPlus::from_move_and_play_unchecked(&mut self.position, choice).to_string();
        let [white, black] = self.left_ms;
        self.moves.push(json!({"ply": self.moves.len() + 1, "san": san, "uci": uci, "white_ms": white, "black_ms": black}));
    }

    /// What the clock shows now, in whole seconds.
    fn times(&self) -> [i64; 2] {
        let mut times = self.left_ms;
        let side = self.moves.len() % 2;
        let passed = monotonic().since(self.pressed).as_millis() as i64;
        times[side] = (times[side] - passed).max(1000) / 1000 * 1000;
        times
    }

    fn clock_body(&self) -> Value {
        let [white, black] = self.times();
        let running = if self.moves.len().is_multiple_of(2) { "white" } else { "black" };
        json!({"white_ms": white, "black_ms": black, "running": running, "read_us": now_us(), "resolution_ms": 1000, "source": "dgt"})
    }

    /// The state for commentators, or the same for the public.
    pub(crate) fn state(&self) -> Value {
        let mut body = live_body();
        body["game_no"] = self.number.into();
        body["initial_fen"] = START.into();
        body["fen"] = Fen::from_position(&self.position, EnPassantMode::Legal).to_string().into();
        body["moves"] = self.moves.clone().into();
        body["clock"] = self.clock_body();
        body["players"] = json!({"white": {"name": format!("Beispiel, Anna {}", self.board)}, "black": {"name": format!("Muster, Ben {}", self.board)}});
        self.named(state("board.state", &self.board, body))
    }

    pub(crate) fn clock(&self) -> Value {
        self.named(state("board.clock", &self.board, self.clock_body()))
    }

    /// The last move; none at the beginning.
    pub(crate) fn last_move(&mut self) -> Option<Value> {
        let body = self.moves.last()?.clone();
        self.events += 1;
        Some(self.named(event("board.move", &self.board, self.events, body)))
    }

    fn named(&self, mut message: Value) -> Value {
        message["game"] = self.name().into();
        message
    }

    /// The name of the game in the messages.
    pub(crate) fn name(&self) -> String {
        let first = made_up::game(&self.board);
        first.strip_suffix('1').map_or(first.clone(), |stem| format!("{stem}{}", self.number))
    }
}
