//! Reports of a board and its clock in an exact order, for tests of the order and times of reports and not of hand motions.

#![allow(dead_code, reason = "not every subject needs all of it")]

use std::time::Duration;

use flagfall::session::station::{Station, StationInput, StationOutput};
use flagfall::wire::topics::Board;
use flagfall_game::clock::control::TimeControl;
use flagfall_game::config::GameConfig;
use flagfall_game::effect::Effect;
use flagfall_game::game::Game;
use flagfall_game::input::{Command, Input};
use flagfall_protocols::driver::Timing;
use flagfall_protocols::drivers;
use flagfall_protocols::drivers::dgt::board::BoardMessage;
use flagfall_protocols::drivers::dgt::clock::{ClockMessage, ClockReport, RawFace, Status};
use flagfall_protocols::drivers::dgt::squares;
use flagfall_protocols::event::{ByteRange, ClockFace, ClockReading, ClockSide, DeviceEvent};
use flagfall_protocols::square::{Piece, Placement, Reading, Square};
use flagfall_protocols::time::{ClockTime, Instant};

use crate::scene::Outcome;

/// Five minutes and five seconds a move.
const CONTROL: &str = "300+5";
const ADDITIONAL: u64 = 5_000_000;
const SECOND: u64 = 1_000_000;
/// The times at which the pieces are reported, the game is begun, and the clock starts.
const SHOWN: Instant = Instant(1_000_000);
const BEGUN: Instant = Instant(1_500_000);
const STARTED: Instant = Instant(2_500_000);

/// Reports in order of time. The clock is asked so often that it reports every second as it begins.
pub(crate) struct Reports {
    events: Vec<(Instant, DeviceEvent)>,
    start: Option<String>,
    squares: Placement,
    now: Instant,
    /// The remaining microseconds of White and Black.
    left: [u64; 2],
    black_runs: bool,
    held_since: Option<usize>,
}

impl Reports {
    /// A game from the initial position; White's clock was started a second ago.
    pub(crate) fn new() -> Reports {
        Reports::beginning(Placement::initial(), None, false)
    }

    /// A game that an arbiter began from this position.
    pub(crate) fn from(fen: &str) -> Reports {
        let words: Vec<&str> = fen.split(' ').collect();
        Reports::beginning(Placement::parse(words[0]).expect("a placement"), Some(fen.to_owned()), words[1] == "b")
    }

    /// Like [`Reports::from`], on a board that only reports whether a square is occupied.
    pub(crate) fn occupancy(fen: &str) -> Reports {
        let mut reports = Reports::from(fen);
        let pieces = reports.squares;
        for square in Square::all().filter(|&square| pieces.get(square) != Reading::Empty) {
            reports.squares.set(square, Reading::Occupied);
        }
        reports.events[0].1 = DeviceEvent::Frame(reports.squares);
        reports
    }

    fn beginning(squares: Placement, start: Option<String>, black_runs: bool) -> Reports {
        let left = [305 * SECOND; 2];
        let mut reports = Reports { events: Vec::new(), start, squares, now: SHOWN, left, black_runs, held_since: None };
        reports.events.push((SHOWN, DeviceEvent::Frame(squares)));
        reports.events.push((SHOWN, DeviceEvent::Clock(ClockReading { running: false, baseline: true, ..reports.reading() })));
        reports.now = STARTED;
        reports.report_clock();
        reports.wait(1.0)
    }

    /// Lets time pass while the clock runs.
    pub(crate) fn wait(mut self, seconds: f64) -> Reports {
        let until = self.now.0 + (seconds * 1e6) as u64;
        while self.now.0 < until {
            let runs = &mut self.left[usize::from(self.black_runs)];
            let begun = (*runs - 1) % SECOND + 1;
            let step = begun.min(until - self.now.0);
            *runs -= step;
            self.now = Instant(self.now.0 + step);
            if step == begun {
                self.report_clock();
            }
        }
        self
    }

    /// Adds reports: `e2:-` is an empty square, `e4:P` a piece, `e4:1` an occupied square, `WP` and `BP` are presses; `~e4:P` is reported
    /// only by the next `dump`. A report after `|` comes a quarter of a second later, or after the number of seconds behind it; a report
    /// after `;` comes at the same moment.
    pub(crate) fn report(mut self, text: &str) -> Reports {
        for (index, together) in text.split('|').enumerate() {
            let together = together.trim();
            let (pause, together) = match together.split_once(' ') {
                Some((first, rest)) if first.parse::<f64>().is_ok() => (first.parse().expect("seconds"), rest),
                _ => (if index == 0 { 0.0 } else { 0.25 }, together),
            };
            self = self.wait(pause);
            for word in together.split(';') {
                self.add_word(word.trim());
            }
        }
        self
    }

    /// The following reports are held until they are released.
    pub(crate) fn hold(mut self) -> Reports {
        self.held_since = Some(self.events.len());
        self
    }

    /// All held reports come now, in their order.
    pub(crate) fn release(mut self) -> Reports {
        let held = self.held_since.take().expect("held before");
        self.events[held..].iter_mut().for_each(|event| event.0 = self.now);
        self
    }

    /// Like [`Reports::release`], but of the clock only its present reading comes, as the last report.
    pub(crate) fn release_with_the_last_of_the_clock(mut self) -> Reports {
        let mut held = self.events.split_off(self.held_since.take().expect("held before"));
        held.retain(|(_, event)| !matches!(event, DeviceEvent::Clock(_)));
        self.events.extend(held.into_iter().map(|(_, event)| (self.now, event)));
        self.report_clock();
        self
    }

    /// The same reports without those of the clock.
    pub(crate) fn without_clock(mut self) -> Reports {
        self.events.retain(|(_, event)| !matches!(event, DeviceEvent::Clock(_)));
        self
    }

    /// The present time.
    pub(crate) fn now(&self) -> Instant {
        self.now
    }

    fn add_word(&mut self, word: &str) {
        match word {
            "WP" | "BP" => {
                self.left[usize::from(word == "BP")] += ADDITIONAL;
                self.black_runs = word == "WP";
                self.report_clock();
            }
            "dump" => self.events.push((self.now, DeviceEvent::Frame(self.squares))),
            _ => {
                let (silent, word) = word.strip_prefix('~').map_or((false, word), |word| (true, word));
                let (square, reading) = word.split_once(':').expect("square and reading");
                let square = Square::parse(square).expect("a square");
                let reading = match reading.chars().next().expect("a reading") {
                    '-' | '0' => Reading::Empty,
                    '1' => Reading::Occupied,
                    letter => Reading::Piece(Piece::from_letter(letter).expect("a piece")),
                };
                self.squares.set(square, reading);
                if !silent {
                    self.events.push((self.now, DeviceEvent::Square { square, reading }));
                }
            }
        }
    }

    fn reading(&self) -> ClockReading {
        let face = |index: usize| {
            let time = ClockTime((self.left[index] / SECOND * 1000) as u32);
            ClockFace { time, adds_time: true, ..ClockFace::default() }
        };
        let runs = if self.black_runs { ClockSide::Right } else { ClockSide::Left };
        ClockReading {
            left: face(0),
            right: face(1),
            running: true,
            lever_up: runs,
            turn: Some(runs),
            battery_low: false,
            baseline: false,
            resolution_ms: 1000,
            late: Duration::ZERO,
        }
    }

    fn report_clock(&mut self) {
        self.events.push((self.now, DeviceEvent::Clock(self.reading())));
    }

    fn config() -> GameConfig {
        GameConfig { time_control: Some(TimeControl::parse(CONTROL).expect("a time control")), ..GameConfig::default() }
    }

    fn start(&self) -> Option<Command> {
        self.start.as_ref().map(|fen| Command::StartGame { fen: Some(fen.clone()) })
    }

    /// Sends the reports as bytes of a DGT board, and lets three seconds pass after the last one.
    pub(crate) fn run_at_dgt_board(self) -> Outcome {
        let reports = self.wait(3.0);
        let driver = drivers::find("dgt").expect("registered");
        let mut station = Station::new(driver, Reports::config(), Board::default(), "scene");
        let (mut out, mut begun) = (Vec::new(), reports.start());
        for (at, event) in &reports.events {
            if let Some(command) = begun.take_if(|_| *at > BEGUN) {
                station.feed(BEGUN, &StationInput::Command(command), &mut out);
            }
            station.feed(*at, &StationInput::bytes(0, &bytes(event)), &mut out);
        }
        station.advance(reports.now, &mut out);
        let message = |output| if let StationOutput::Message(message) = output { Some(message) } else { None };
        Outcome { station, messages: out.into_iter().filter_map(message).collect(), trace: String::new() }
    }

    /// Feeds the reports to a game, and lets three seconds pass after the last one.
    pub(crate) fn game(self, timing: Timing) -> Game {
        let reports = self.wait(3.0);
        let mut game = Game::new(Reports::config(), timing);
        let (mut out, mut begun) = (Vec::new(), reports.start());
        for (at, event) in &reports.events {
            if let Some(command) = begun.take_if(|_| *at > BEGUN) {
                step_game(&mut game, BEGUN, &Input::Command(command), &mut out);
            }
            step_game(&mut game, *at, &Input::Device { event: *event, source: ByteRange::default() }, &mut out);
        }
        advance_to(&mut game, reports.now, &mut out);
        game
    }
}

/// Feeds every deadline before `at`, and then `input`.
fn step_game(game: &mut Game, at: Instant, input: &Input, out: &mut Vec<Effect>) {
    advance_to(game, Instant(at.0 - 1), out);
    game.step(at, input, out);
}

fn advance_to(game: &mut Game, to: Instant, out: &mut Vec<Effect>) {
    while let Some(due) = game.deadline().filter(|&due| due <= to) {
        game.step(due, &Input::Deadline, out);
    }
}

fn bytes(event: &DeviceEvent) -> Vec<u8> {
    let code = |reading| squares::code(reading).expect("a DGT board identifies every piece");
    let mut bytes = Vec::new();
    match event {
        DeviceEvent::Square { square, reading } => {
            BoardMessage::Field { index: squares::index(*square), code: code(*reading) }.encode(&mut bytes);
        }
        DeviceEvent::Frame(placement) => {
            let mut codes = [0; 64];
            for square in Square::all() {
                codes[usize::from(squares::index(square))] = code(placement.get(square));
            }
            BoardMessage::Board(&codes).encode(&mut bytes);
        }
        DeviceEvent::Clock(reading) => {
            let turn =
                if reading.lever_up == ClockSide::Left { Status::LEFT_TURN } else { Status::RIGHT_TURN | Status::RIGHT_UP };
            let running = if reading.running { Status::RUNNING } else { 0 };
            let (right, left) = (RawFace::new(reading.right), RawFace::new(reading.left));
            let report = ClockReport { right, left, status: Status(turn | running) };
            BoardMessage::Clock(ClockMessage::Report(report).encode()).encode(&mut bytes);
        }
        other => panic!("these tests have no report {other:?}"),
    }
    bytes
}
