//! The memory of the decoder of moves: it allocates nothing while men are touched and put back, and little for a move, and its memory
//! grows only by the record of the moves.

use std::time::Duration;

use flagfall_game::config::GameConfig;
use flagfall_game::effect::Effect;
use flagfall_game::game::Game;
use flagfall_game::input::Input;
use flagfall_game::laws::rulebook::Rulebook;
use flagfall_protocols::drivers;
use flagfall_protocols::event::{ByteRange, ClockFace, ClockReading, ClockSide, DeviceEvent};
use flagfall_protocols::square::{Piece, Placement, Reading, Square};
use flagfall_protocols::time::{ClockTime, Instant};
use shakmaty::{Chess, Color, Move, Position, Role};

use crate::counting;

/// After this number of moves every buffer has its final size.
const WARM: usize = 20;

/// A game and the hands at its board.
struct Table {
    game: Game,
    effects: Vec<Effect>,
    now: Instant,
    position: Chess,
    shown: Placement,
    rng: fastrand::Rng,
}

impl Table {
    /// Rules under which a game may go on for ever: no fivefold repetition, no count of 75 moves.
    fn new(seed: u64) -> Table {
        let rulebook = Rulebook::parse("us-chess").expect("a profile");
        let config = GameConfig { rulebook, ..GameConfig::default() };
        let timing = drivers::find("dgt").expect("registered").timing;
        let mut table = Table {
            game: Game::new(config, timing),
            effects: Vec::with_capacity(64),
            now: Instant(1_000_000),
            position: Chess::default(),
            shown: Placement::initial(),
            rng: fastrand::Rng::with_seed(seed),
        };
        table.step(&Input::Link { up: true });
        table.device(DeviceEvent::Frame(table.shown));
        table.clock(false);
        table.wait(1000);
        table.clock(true);
        table
    }

    /// Lets this number of milliseconds pass and feeds the deadlines in it; returns the number of allocations.
    fn wait(&mut self, millis: u64) -> u64 {
        let before = counting::calls();
        let until = self.now.after(Duration::from_millis(millis));
        while let Some(due) = self.game.deadline().filter(|&due| due < until) {
            self.now = due;
            self.step(&Input::Deadline);
        }
        self.now = until;
        counting::calls() - before
    }

    fn step(&mut self, input: &Input) -> u64 {
        let before = counting::calls();
        self.game.step(self.now, input, &mut self.effects);
        let calls = counting::calls() - before;
        self.effects.clear();
        calls
    }

    fn device(&mut self, event: DeviceEvent) -> u64 {
        self.step(&Input::Device { event, source: ByteRange::default() })
    }

    fn show(&mut self, square: Square, reading: Reading) -> u64 {
        self.shown.set(square, reading);
        self.device(DeviceEvent::Square { square, reading })
    }

    /// Sends a clock report; White is on the left.
    fn clock(&mut self, running: bool) -> u64 {
        let side = if self.position.turn() == Color::White { ClockSide::Left } else { ClockSide::Right };
        let face = ClockFace { time: ClockTime(3_600_000), ..ClockFace::default() };
        self.device(DeviceEvent::Clock(ClockReading {
            left: face,
            right: face,
            running,
            lever_up: side,
            turn: Some(side),
            battery_low: false,
            baseline: !running,
            resolution_ms: 1000,
            late: Duration::ZERO,
        }))
    }

    /// A move of a knight or rook that captures nothing and does not end the game: such moves can go on without end.
    fn shuffle(&mut self) -> Move {
        let quiet = |mv: &Move| matches!(mv.role(), Role::Knight | Role::Rook) && !mv.is_capture();
        let mut moves: Vec<Move> = self.position.legal_moves().into_iter().filter(quiet).collect();
        loop {
            let mv = moves.swap_remove(self.rng.usize(0..moves.len()));
            let mut after = self.position.clone();
            after.play_unchecked(mv);
            // There must be no mate, and no check that only a king or a capture could answer.
            if after.legal_moves().iter().any(quiet) {
                return mv;
            }
        }
    }

    /// Lifts the man, puts it down and presses; returns the allocations of each, with those of the deadlines behind it.
    fn make(&mut self, mv: Move) -> [u64; 3] {
        let from = square(mv.from().expect("no drops in chess"));
        let man = self.shown.get(from);
        let mut lifted = self.show(from, Reading::Empty);
        lifted += self.wait(300);
        let mut put = self.show(square(mv.to()), man);
        put += self.wait(400);
        self.position.play_unchecked(mv);
        let mut pressed = self.clock(true);
        pressed += self.wait(1500);
        [lifted, put, pressed]
    }

    /// Lifts a man for a moment and puts it back; returns the higher number of allocations of the two reports.
    fn touch(&mut self, millis: u64) -> u64 {
        let square = self.any();
        let man = self.shown.get(square);
        let off = self.show(square, Reading::Empty) + self.wait(millis);
        let back = self.show(square, man) + self.wait(600);
        off.max(back)
    }

    /// Makes a move, and now and then noise.
    fn make_one(&mut self) {
        let mv = self.shuffle();
        self.make(mv);
        if self.rng.u8(0..4) == 0 {
            self.noise();
        }
    }

    /// The clocks are stopped and the next game is set up.
    fn set_up_again(&mut self) {
        self.clock(false);
        self.wait(1000);
        (self.position, self.shown) = (Chess::default(), Placement::initial());
        self.device(DeviceEvent::Frame(self.shown));
        self.wait(10_000);
        self.clock(false);
        self.wait(1000);
        self.clock(true);
        self.wait(1000);
    }

    fn any(&mut self) -> Square {
        let men = Square::all().filter(|&square| self.shown.get(square).piece().is_some());
        let men: Vec<Square> = men.collect();
        men[self.rng.usize(0..men.len())]
    }

    /// Events that are no move: sensors that fail, a man that is replaced by another, presses that are taken back.
    fn noise(&mut self) {
        let square = self.any();
        let man = self.shown.get(square);
        match self.rng.u8(0..6) {
            0 => _ = self.touch(200),
            1 => _ = self.touch(6000),
            2 => {
                for _ in 0..30 {
                    self.show(square, Reading::Unreadable);
                    self.wait(20);
                    self.show(square, man);
                }
            }
            3 => {
                self.show(square, Reading::Piece(Piece::from_letter('q').expect("a letter")));
                self.wait(300);
                self.show(square, man);
            }
            4 => _ = self.device(DeviceEvent::Frame(self.shown)),
            _ => _ = self.clock(true),
        }
        self.wait(700);
    }
}

fn square(square: shakmaty::Square) -> Square {
    Square::wrapping(square.to_u32() as u8)
}

/// The allocations for a new reading: a table of legal moves, a place for the position, its line of moves, and a list of the readings
/// from one report.
const FOR_A_READING: u64 = 4;
/// A reading of two moves has a longer line.
const LONGER: u64 = 1;
/// The record of a move is text, and so are the messages for each audience.
const FOR_A_PRESS: u64 = 64;

/// Lifts and clock reports need no memory, and nearly all men that are put back need none; the report that shows a move needs the memory
/// of the new reading. The deadlines until the next report are counted with each report.
#[test]
fn only_new_readings_allocate() {
    let mut table = Table::new(7);
    let (mut readings, mut again) = (0, 0);
    for ply in 0..100 {
        let mv = table.shuffle();
        let [lifted, put, pressed] = table.make(mv);
        let allocated = table.touch(300);
        let tick = table.clock(true);
        if ply < WARM {
            continue;
        }
        assert_eq!([lifted, tick], [0; 2], "ply {ply}: the lift and the clock report");
        assert!(put <= FOR_A_READING, "ply {ply}: {put} for the man that is put down");
        assert!(pressed <= FOR_A_PRESS, "ply {ply}: {pressed} for the press");
        readings += u64::from(put > 0);
        // If a touch removes a reading, the man that is put back makes it again.
        assert!(allocated <= FOR_A_READING + LONGER, "ply {ply}, {mv:?}: {allocated} for touching a man");
        again += u64::from(allocated > 0);
    }
    assert!(readings > 50 && again <= 12, "the counters work: {readings} moves, {again} read again");
}

/// The number of moves; ten thousand take minutes without optimisation.
const MOVES: usize = if cfg!(debug_assertions) { 2_000 } else { 10_000 };
/// The most bytes that a board may hold.
const MOST: i64 = 1 << 20;
/// The bytes of a move in the record: how it was made and completed, its key, and what was reported to the live audience and the public.
const OF_A_MOVE: i64 = 56 + 4 + 2 * 20;
/// The record grows by this number of moves at a time.
const ROOM: i64 = 64;
/// The most bytes that a board holds beside the record of its moves: past boards, readings, alarms.
const BESIDE: i64 = 64 << 10;

/// However long pieces go to and fro and sensors fail, only the record of the moves grows.
#[test]
fn nothing_grows_but_the_record() {
    let before = counting::live();
    let mut table = Table::new(8);
    for ply in 1..=MOVES {
        table.make_one();
        if ply.is_multiple_of(250) {
            let held = counting::live() - before;
            let record = (ply as i64 + ROOM) * OF_A_MOVE;
            assert!(held <= record + BESIDE, "{held} bytes after {ply} moves, of which the record takes {record}");
            assert!(held <= MOST, "{held} bytes after {ply} moves");
        }
    }
    assert_eq!(table.game.moves().len(), MOVES, "every move was read");
}

/// A board with one game after the other does not need more memory.
#[test]
fn games_leave_nothing_behind() {
    const GAME: usize = 100;
    let before = counting::live();
    let mut table = Table::new(9);
    let mut most = 0;
    for game in 1..=MOVES / GAME {
        for _ in 0..GAME {
            table.make_one();
        }
        assert_eq!((table.game.number() as usize, table.game.moves().len()), (game, GAME), "every move was read");
        let held = counting::live() - before;
        // Every buffer has its size after a few games.
        match game {
            ..=5 => most = most.max(held),
            _ => assert!(held <= most + GAME as i64 * OF_A_MOVE, "{held} bytes after {game} games, {most} after five"),
        }
        table.set_up_again();
    }
    assert!(most <= MOST / 4, "{most} bytes");
}
