//! Noise: random readings, presses and gaps, and a sensible move now and then.

use std::time::Duration;

use fastrand::Rng;
use flagfall::publish::states;
use flagfall_game::game::Game;
use flagfall_game::input::{Command, Input};
use flagfall_protocols::event::{ClockFace, ClockReading, ClockSide, DeviceEvent, LogEntry};
use flagfall_protocols::square::{Piece, Placement, Reading, Square};
use flagfall_protocols::time::{ClockTime, Instant};
use shakmaty::fen::Fen;
use shakmaty::{CastlingMode, Chess, Position};

use crate::invariants::played_game::{Reports, device};

const LETTERS: [char; 12] = ['P', 'N', 'B', 'R', 'Q', 'K', 'p', 'n', 'b', 'r', 'q', 'k'];

/// A board and a clock with random events.
pub(crate) struct Chaos {
    pub(crate) rng: Rng,
    pub(crate) now: Instant,
    /// The last reading of each square.
    pub(crate) board: Placement,
    pub(crate) clock: ClockReading,
    /// Whether there are arbiters' commands, too.
    pub(crate) commands: bool,
    /// Whether the link is lost now and then.
    pub(crate) links: bool,
}

impl Chaos {
    /// Begins with the initial position and White's clock running.
    pub(crate) fn new(seed: u64) -> (Chaos, Reports) {
        let face = ClockFace { time: ClockTime(3_600_000), ..ClockFace::default() };
        let clock = ClockReading {
            left: face,
            right: face,
            running: false,
            lever_up: ClockSide::Left,
            turn: Some(ClockSide::Left),
            battery_low: false,
            baseline: true,
            resolution_ms: 1000,
            late: Duration::ZERO,
        };
        let running = ClockReading { running: true, baseline: false, ..clock };
        let reports = [
            (1_000_000, DeviceEvent::Frame(Placement::initial())),
            (1_100_000, DeviceEvent::Clock(clock)),
            (1_500_000, DeviceEvent::Clock(running)),
        ];
        let reports: Reports = reports.into_iter().map(|(at, event)| (Instant(at), device(event))).collect();
        (Chaos::after(seed, &reports), reports)
    }

    /// Begins five seconds after the last of these reports.
    pub(crate) fn after(seed: u64, reports: &Reports) -> Chaos {
        let rng = Rng::with_seed(seed);
        let (mut board, mut clock) = (Placement::EMPTY, None);
        for (_, input) in reports {
            match input {
                Input::Device { event: DeviceEvent::Frame(frame), .. } => board = *frame,
                Input::Device { event: DeviceEvent::Square { square, reading }, .. } => board.set(*square, *reading),
                Input::Device { event: DeviceEvent::Clock(reading), .. } => clock = Some(*reading),
                _ => {}
            }
        }
        let now = Instant(reports.last().expect("reports").0.0 + 5_000_000);
        Chaos { rng, now, board, clock: clock.expect("a clock"), commands: false, links: false }
    }

    fn reading(&mut self) -> Reading {
        match self.rng.u8(0..20) {
            0..=7 => Reading::Empty,
            8 => Reading::Unreadable,
            _ => {
                let letter = self.rng.choice(LETTERS).expect("letters");
                Reading::Piece(Piece::from_letter(letter).expect("a piece"))
            }
        }
    }

    fn square(&mut self) -> Square {
        Square::wrapping(self.rng.u8(..))
    }

    /// A reading of one square.
    pub(crate) fn put(&mut self, square: Square, reading: Reading) -> (Instant, Input) {
        self.board.set(square, reading);
        (self.now, device(DeviceEvent::Square { square, reading }))
    }

    /// A frame of all squares.
    pub(crate) fn frame(&mut self, board: Placement) -> (Instant, Input) {
        self.board = board;
        (self.now, device(DeviceEvent::Frame(board)))
    }

    /// Moves the lever to the other side.
    pub(crate) fn press(&mut self) -> (Instant, Input) {
        self.clock.lever_up = self.clock.lever_up.other();
        self.report_clock()
    }

    pub(crate) fn report_clock(&mut self) -> (Instant, Input) {
        (self.clock.turn, self.clock.baseline) = (Some(self.clock.lever_up), false);
        (self.now, device(DeviceEvent::Clock(self.clock)))
    }

    pub(crate) fn wait(&mut self, micros: u64) {
        self.now = Instant(self.now.0 + micros);
    }

    /// Takes a second from the running side.
    fn tick(&mut self) -> (Instant, Input) {
        let runs = self.clock.lever_up;
        let face = if runs == ClockSide::Left { &mut self.clock.left } else { &mut self.clock.right };
        // No player loses on time here.
        face.time = ClockTime(if face.time.0 > 600_000 { face.time.0 - 1000 } else { 3_600_000 });
        self.report_clock()
    }

    /// The squares of a legal move in the sure position, in any order, and perhaps its press.
    fn sensible(&mut self, game: &Game) -> Reports {
        let state = states::arbiter_state(game);
        let Ok(fen) = state.fen.parse::<Fen>() else { return Reports::new() };
        let Ok(mut position) = fen.into_position::<Chess>(CastlingMode::Standard) else { return Reports::new() };
        let Some(mv) = self.rng.choice(position.legal_moves()) else { return Reports::new() };
        position.play_unchecked(mv);
        let after = Placement::parse(&position.board().board_fen().to_string()).expect("a placement");
        let after = if state.rotated { after.rotated() } else { after };
        let mut squares: Vec<Square> = Square::all().filter(|&square| self.board.get(square) != after.get(square)).collect();
        self.rng.shuffle(&mut squares);
        let mut reports = Reports::new();
        for square in squares {
            let pause = self.rng.u64(0..300_000);
            self.wait(pause);
            reports.push(self.put(square, after.get(square)));
        }
        if self.rng.u8(0..4) > 0 {
            let pause = self.rng.u64(0..900_000);
            self.wait(pause);
            reports.push(self.press());
        }
        reports
    }

    /// The next reports, after a moment or some seconds.
    pub(crate) fn next(&mut self, game: &Game) -> Reports {
        let pause = self.rng.choice([0, 1, 20_000, 50_000, 250_000, 400_000, 1_000_000, 3_000_000]).expect("pauses");
        self.wait(pause);
        match self.rng.u8(0..100) {
            0..=29 => {
                let (square, reading) = (self.square(), self.reading());
                vec![self.put(square, reading)]
            }
            // A man is lifted and put back.
            30..=44 => {
                let square = self.square();
                let was = self.board.get(square);
                let lifted = self.put(square, Reading::Empty);
                let pause = self.rng.u64(0..2_000_000);
                self.wait(pause);
                vec![lifted, self.put(square, was)]
            }
            45..=54 => vec![self.press()],
            55..=64 if self.clock.running => vec![self.tick()],
            65..=66 => {
                let mut board = self.board;
                for _ in 0..self.rng.choice([0, 1, 3, 30]).expect("counts") {
                    let square = self.square();
                    board.set(square, self.reading());
                }
                vec![self.frame(board)]
            }
            67 if self.links => {
                let gone = (self.now, Input::Link { up: false });
                let pause = self.rng.u64(0..9_000_000);
                self.wait(pause);
                let there = (self.now, Input::Link { up: true });
                self.wait(200_000);
                vec![gone, there, self.frame(self.board)]
            }
            68 if self.links => {
                let (square, reading) = (self.square(), self.reading());
                let of_square = LogEntry::Square { square, reading, quick: self.rng.bool() };
                let entries = [of_square, LogEntry::PowerUp, LogEntry::FourRows, LogEntry::End];
                vec![(self.now, device(DeviceEvent::Log(self.rng.choice(entries).expect("entries"))))]
            }
            69 if self.commands => vec![(self.now, Input::Command(self.command(game)))],
            _ => self.sensible(game),
        }
    }

    fn command(&mut self, game: &Game) -> Command {
        let state = states::arbiter_state(game);
        let plies = self.rng.u32(0..=state.moves.len() as u32);
        match self.rng.u8(0..10) {
            0 => Command::StartGame { fen: None },
            1 => Command::SetPosition { fen: state.initial_fen },
            2 => Command::SetPosition { fen: "4k3/P6p/8/8/8/8/8/4K2R w K - 0 1".to_owned() },
            3..=6 => Command::TakeBack { plies },
            _ => {
                Command::CorrectMove { plies, uci: self.rng.choice(["e2e4", "e7e5", "g1f3", "b8c6"]).expect("moves").to_owned() }
            }
        }
    }
}
