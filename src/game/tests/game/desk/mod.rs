//! A desk with a board and a clock whose reports go straight into a game, without bytes and without a scan.

#![allow(dead_code, reason = "every test uses part of it")]

mod clock;
pub(crate) mod event;
pub(crate) mod state;

pub(crate) use clock::TIMING;
use clock::five_minutes;
use flagfall_game::audit::AuditEntry;
use flagfall_game::clock::control::TimeControl;
use flagfall_game::config::GameConfig;
use flagfall_game::effect::Effect;
use flagfall_game::game::Game;
use flagfall_game::input::{Command, Input};
use flagfall_game::laws::winnable::Answer;
use flagfall_protocols::event::{ByteRange, ClockFace, ClockReading, ClockSide, DeviceEvent};
use flagfall_protocols::square::{Placement, Reading, Square};
use flagfall_protocols::time::{ClockTime, Instant};
use shakmaty::uci::UciMove;
use shakmaty::{CastlingMode, Chess, Color, Position, PositionError};
use state::State;

/// A board, a clock, and the game that receives their reports.
pub(crate) struct Desk {
    pub(crate) game: Game,
    pub(crate) out: Vec<Effect>,
    pub(crate) now: Instant,
    /// The position from which the hands make their moves.
    pub(crate) position: Chess,
    pub(crate) clock: ClockReading,
}

impl Desk {
    /// A desk at which nothing is connected yet.
    pub(crate) fn new(control: &str) -> Desk {
        let time_control = (!control.is_empty()).then(|| TimeControl::parse(control).expect("a time control"));
        let config = GameConfig { time_control, ..GameConfig::default() };
        let (position, clock) = (Chess::default(), five_minutes());
        Desk { game: Game::new(config, TIMING), out: Vec::new(), now: Instant(1_000_000), position, clock }
    }

    /// The initial position stands and White's clock runs.
    pub(crate) fn started(control: &str) -> Desk {
        let mut desk = Desk::new(control);
        desk.start();
        desk
    }

    /// The same for a desk at which nothing is connected yet.
    pub(crate) fn start(&mut self) {
        self.frame(Placement::initial());
        self.report();
        self.clock.running = true;
        self.report();
    }

    pub(crate) fn feed(&mut self, input: Input) -> &mut Desk {
        while let Some(due) = self.game.deadline().filter(|&due| due < self.now) {
            self.game.step(due, &Input::Deadline, &mut self.out);
        }
        self.game.step(self.now, &input, &mut self.out);
        self
    }

    pub(crate) fn device(&mut self, event: DeviceEvent) -> &mut Desk {
        self.feed(Input::Device { event, source: ByteRange::default() })
    }

    pub(crate) fn frame(&mut self, placement: Placement) -> &mut Desk {
        self.device(DeviceEvent::Frame(placement))
    }

    pub(crate) fn square(&mut self, square: Square, reading: Reading) -> &mut Desk {
        self.device(DeviceEvent::Square { square, reading })
    }

    /// Time passes; a running clock reports every second.
    pub(crate) fn wait(&mut self, seconds: f64) -> &mut Desk {
        let end = Instant(self.now.0 + (seconds * 1e6) as u64);
        while self.clock.running && self.now.0 + 1_000_000 <= end.0 {
            self.now = Instant(self.now.0 + 1_000_000);
            let runs = self.clock.lever_up;
            let face = self.face(runs);
            face.time = ClockTime(face.time.0.saturating_sub(1000));
            self.report();
        }
        self.now = end;
        while let Some(due) = self.game.deadline().filter(|&due| due <= end) {
            self.game.step(due, &Input::Deadline, &mut self.out);
        }
        self
    }

    pub(crate) fn face(&mut self, side: ClockSide) -> &mut ClockFace {
        match side {
            ClockSide::Left => &mut self.clock.left,
            ClockSide::Right => &mut self.clock.right,
        }
    }

    /// The clock reports its display.
    pub(crate) fn report(&mut self) -> &mut Desk {
        let reading = self.clock;
        self.clock.baseline = false;
        self.device(DeviceEvent::Clock(reading))
    }

    /// The clock shows the flag of this side, with its display at zero.
    pub(crate) fn show_flag(&mut self, side: ClockSide) -> &mut Desk {
        let face = self.face(side);
        (face.time, face.flag_shown) = (ClockTime(0), true);
        self.report()
    }

    /// The last second of this side runs off, and its flag falls.
    pub(crate) fn fall(&mut self, side: ClockSide) -> &mut Desk {
        self.face(side).time = ClockTime(1000);
        self.report().wait(0.5).show_flag(side)
    }

    /// The first question is answered: Black can mate, as from the initial position.
    pub(crate) fn black_can_mate(&mut self) -> &mut Desk {
        let line = ["f2f3", "e7e5", "g2g4", "d8h4"].map(str::to_owned).to_vec();
        self.feed(Input::Answer(Answer { id: 1, line: Some(line), ..Answer::default() }))
    }

    /// The player whose clock runs presses and gains `seconds`.
    pub(crate) fn press(&mut self, seconds: u32) -> &mut Desk {
        let side = self.clock.lever_up;
        self.face(side).time.0 += seconds * 1000;
        self.clock.lever_up = side.other();
        self.clock.turn = Some(side.other());
        self.report()
    }

    /// The placement after the hands' last move.
    pub(crate) fn standing(&self) -> Placement {
        let text = self.position.board().board_fen().to_string();
        Placement::parse(&text).expect("a placement")
    }

    /// The hands make a legal move, square by square.
    pub(crate) fn make(&mut self, uci: &str) -> &mut Desk {
        let before = self.standing();
        let mv = uci.parse::<UciMove>().expect("UCI").to_move(&self.position).expect(uci);
        self.position.play_unchecked(mv);
        let after = self.standing();
        // Lifted men come first.
        let changed = Square::all().filter(|&square| before.get(square) != after.get(square));
        let mut changed: Vec<Square> = changed.collect();
        changed.sort_by_key(|&square| after.get(square) != Reading::Empty);
        for square in changed {
            self.wait(0.2).square(square, after.get(square));
        }
        self
    }

    /// Makes a move and presses.
    pub(crate) fn play(&mut self, uci: &str) -> &mut Desk {
        self.wait(0.6).make(uci).wait(0.3).press(0).wait(0.6)
    }

    /// The hands go on from another position.
    pub(crate) fn assume(&mut self, fen: &str) -> &mut Desk {
        let fen: shakmaty::fen::Fen = fen.parse().expect("a FEN");
        let position = fen.into_position(CastlingMode::Standard);
        // Men that were set up wrongly may stand as only promoted ones can.
        self.position = position.or_else(PositionError::ignore_too_much_material).expect("a position");
        self
    }

    pub(crate) fn command(&mut self, command: Command) -> &mut Desk {
        self.feed(Input::Command(command))
    }

    pub(crate) fn state(&self) -> State {
        State::of(&self.game)
    }

    pub(crate) fn moves(&self) -> Vec<String> {
        self.game.moves().map(|played| played.uci.to_string()).collect()
    }

    /// The alarms of the game, open or closed, as `kind` or `kind(side)`.
    pub(crate) fn alarms(&self) -> Vec<String> {
        let name = |kind: flagfall_game::alarm::AlarmKind, side: Option<&str>| match side {
            Some(side) => format!("{kind:?}({side})"),
            None => format!("{kind:?}"),
        };
        self.game.alarms().iter().map(|alarm| name(alarm.kind, alarm.side.map(flagfall_game::color_name))).collect()
    }

    pub(crate) fn refused(&self) -> usize {
        self.out.iter().filter(|effect| matches!(effect, Effect::Audit(AuditEntry::Refused { .. }))).count()
    }

    pub(crate) fn turn(&self) -> Color {
        self.position.turn()
    }
}

impl Desk {
    /// An arbiter starts a game from this position, and it stands on the board.
    pub(crate) fn with_position(mut self, fen: &str) -> Desk {
        self.assume(fen);
        let standing = self.standing();
        self.frame(standing).command(Command::StartGame { fen: Some(fen.to_owned()) });
        self
    }
}
