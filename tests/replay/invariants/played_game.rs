//! Games of hands at an emulated board: the bytes of the board, and the reports of the driver.

use std::fmt::Write;

use fastrand::Rng;
use flagfall_game::clock::control::TimeControl;
use flagfall_game::config::GameConfig;
use flagfall_game::input::{Command, Input};
use flagfall_hardware::emulator::clock_model::{ClockSettings, Method, Model};
use flagfall_hardware::emulator::script::Script;
use flagfall_hardware::emulator::{Emulator, Sent, Settings};
use flagfall_protocols::driver::{Driver, Input as DriverInput, Output};
use flagfall_protocols::drivers;
use flagfall_protocols::event::{ByteRange, DeviceEvent};
use flagfall_protocols::square::{Placement, Square};
use flagfall_protocols::time::{ClockTime, Instant};
use shakmaty::fen::Fen;
use shakmaty::uci::UciMove;
use shakmaty::{CastlingMode, Chess, Move, Position};

use crate::games::hands::{Hands, Pace, between};
use crate::games::legal;

pub(crate) const BLITZ: Pace = Pace { name: "blitz", think: [0.5, 3.0], hand: [0.1, 0.4], press: [0.1, 0.5] };
pub(crate) const RAPID: Pace = Pace { name: "rapid", think: [1.0, 10.0], hand: [0.2, 0.8], press: [0.1, 1.2] };
/// At this time the link is up and the driver's first questions are answered.
pub(crate) const STARTED: f64 = 5.0;

/// Inputs of a game in order of time: device events, and commands of arbiters.
pub(crate) type Reports = Vec<(Instant, Input)>;

/// A game that was played.
pub(crate) struct Played {
    pub(crate) moves: Vec<String>,
    /// The device events and commands.
    pub(crate) reports: Reports,
    /// The bytes of the board.
    pub(crate) bytes: Vec<(Instant, Vec<u8>)>,
    /// The command with which an arbiter begins the game.
    pub(crate) start: Option<(Instant, Command)>,
}

/// A time control with which no player loses on time.
pub(crate) fn config() -> GameConfig {
    GameConfig { time_control: Some(TimeControl::parse("3600+2").expect("a time control")), ..GameConfig::default() }
}

/// A random legal game from the initial position.
pub(crate) fn game(rng: &mut Rng, pace: Pace, plies: usize) -> Played {
    let moves = legal::game(rng, plies);
    play(rng, pace, None, &moves)
}

/// What stands the other way round than it is assumed: White sits at the other side of it.
#[derive(Clone, Copy, Default)]
pub(crate) struct Turned {
    pub(crate) board: bool,
    pub(crate) clock: bool,
}

impl Turned {
    /// A line of a script that was written for a board and a clock that stand as assumed.
    fn line(self, line: &str) -> String {
        let word = |word: &str| match (Square::parse(word), word) {
            (Some(square), _) if self.board => square.rotated().to_string(),
            (_, "left") if self.clock => "right".to_owned(),
            (_, "right") if self.clock => "left".to_owned(),
            _ => word.to_owned(),
        };
        line.split(' ').map(word).collect::<Vec<_>>().join(" ")
    }
}

/// A game with these moves, each with its press, by hands in any permitted manner; an arbiter begins it at `fen`, if there is one.
pub(crate) fn play(rng: &mut Rng, pace: Pace, fen: Option<&str>, moves: &[Move]) -> Played {
    play_turned(rng, pace, fen, moves, Turned::default())
}

pub(crate) fn play_turned(rng: &mut Rng, pace: Pace, fen: Option<&str>, moves: &[Move], turned: Turned) -> Played {
    let mut position = fen.map_or_else(Chess::default, position);
    let mut now = STARTED + rng.f64();
    let mut lines: Vec<(f64, String)> = Vec::new();
    let command = Command::StartGame { fen: fen.map(str::to_owned) };
    let start = fen.is_some().then_some((Instant((now * 1e6) as u64), command));
    now += 0.5;
    if position.turn().is_black() {
        lines.push((now, "press left".to_owned()));
        now += 0.5;
    }
    lines.push((now, "run".to_owned()));
    now += 0.5;
    let placement = Placement::parse(&position.board().board_fen().to_string()).expect("a placement");
    for &mv in moves {
        let begin = now + between(rng, pace.think);
        let motions = Hands::make(rng, pace, &position, mv);
        let slid = motions
            .iter()
            .filter_map(|(at, action)| Some(at + action.strip_prefix("slide ")?.split(' ').nth(2)?.parse::<f64>().ok()?));
        let made = slid.fold(motions.last().map_or(0.0, |(at, _)| *at), f64::max);
        lines.extend(motions.into_iter().map(|(at, action)| (begin + at, action)));
        now = begin + made + between(rng, pace.press);
        lines.push((now, if position.turn().is_white() { "press left" } else { "press right" }.to_owned()));
        position.play_unchecked(mv);
    }
    lines.sort_by(|one, other| one.0.total_cmp(&other.0));
    let mut clock = ClockSettings::new(Model::Dgt3000, Method::Fischer, ClockTime(3_600_000), ClockTime(2_000));
    clock.left_is_white = !turned.clock;
    let placement = if turned.board { placement.rotated() } else { placement };
    let settings = Settings { clock: Some(clock), placement, ..Settings::default() };
    let mut text = String::new();
    lines.iter().for_each(|(at, action)| writeln!(text, "{at:.6} {}", turned.line(action)).expect("a string"));
    let (reports, bytes) = listen(settings, &text, Instant(((now + 3.0) * 1e6) as u64));
    let mut reports: Reports = reports.into_iter().map(|(at, event)| (at, device(event))).collect();
    if let Some((at, command)) = &start {
        let place = reports.partition_point(|(stamp, _)| stamp <= at);
        reports.insert(place, (*at, Input::Command(command.clone())));
    }
    let moves = moves.iter().map(|&mv| UciMove::from_standard(mv).to_string()).collect();
    Played { moves, reports, bytes, start }
}

pub(crate) type ReportsAndBytes = (Vec<(Instant, DeviceEvent)>, Vec<(Instant, Vec<u8>)>);

/// The events of a driver, and the bytes of its board, on which a script is played.
pub(crate) fn listen(settings: Settings, script: &str, end: Instant) -> ReportsAndBytes {
    let mut emulator = Emulator::new(settings);
    emulator.load(&Script::parse(script).expect("a script"));
    let mut driver = drivers::find("dgt").expect("registered").start();
    let (mut reports, mut bytes, mut sent) = (Vec::new(), Vec::new(), Vec::new());
    driver.handle(Instant::ZERO, DriverInput::LinkUp);
    drain(driver.as_mut(), Instant::ZERO, &mut emulator, &mut reports);
    while let Some(next) = [emulator.next(), driver.deadline()].into_iter().flatten().min().filter(|&next| next <= end) {
        emulator.advance(next, &mut sent);
        for Sent { at, bytes: piece, .. } in sent.drain(..) {
            driver.handle(at, DriverInput::Bytes { channel: 0, bytes: &piece });
            drain(driver.as_mut(), at, &mut emulator, &mut reports);
            bytes.push((at, piece));
        }
        if driver.deadline().is_some_and(|due| due <= next) {
            driver.handle(next, DriverInput::Deadline);
            drain(driver.as_mut(), next, &mut emulator, &mut reports);
        }
    }
    assert_eq!(emulator.impossible(), [], "the script asks for the impossible:\n{script}");
    (reports, bytes)
}

fn drain(driver: &mut dyn Driver, at: Instant, emulator: &mut Emulator, reports: &mut Vec<(Instant, DeviceEvent)>) {
    while let Some(output) = driver.poll() {
        match output {
            Output::Send { bytes, .. } => emulator.host(at, &bytes),
            Output::Event { event, .. } => reports.push((at, event)),
            Output::Anomaly { anomaly, .. } => panic!("{anomaly:?} on a clean line"),
        }
    }
}

pub(crate) fn device(event: DeviceEvent) -> Input {
    Input::Device { event, source: ByteRange::default() }
}

pub(crate) fn position(fen: &str) -> Chess {
    fen.parse::<Fen>().expect("a FEN").into_position(CastlingMode::Standard).expect("a legal position")
}
