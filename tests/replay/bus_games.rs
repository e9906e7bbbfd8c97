//! Twelve rapid games at once on one line of 9600 baud, in simulated time: every move of every game is known with its press, and no
//! board waits long for its turn. This holds for twelve boards, for eleven boards and a dead one, and for an adapter that delays bytes.

use std::collections::BTreeMap;
use std::time::Duration;

use flagfall::emulate::hands::{End, Habits, Manner, Play, Turn};
use flagfall::session::station::{Station, StationInput, StationOutput};
use flagfall::wire::topics::Board;
use flagfall_game::clock::control::TimeControl;
use flagfall_game::config::GameConfig;
use flagfall_hardware::emulator::Settings;
use flagfall_hardware::emulator::clock_model::{ClockSettings, Method, Model};
use flagfall_hardware::emulator::dgt_bus::{BusSettings, Chain};
use flagfall_hardware::emulator::script::Script;
use flagfall_protocols::drivers::dgt_bus::INFO;
use flagfall_protocols::drivers::dgt_bus::line::{Line, LineInput, LineOutput};
use flagfall_protocols::time::{ClockTime, Instant};
use shakmaty::san::San;
use shakmaty::{CastlingMode, Chess, Position};

use crate::games::legal;
use crate::support::seeds::{campaign, mixed};

const BOARDS: u16 = 12;
/// The plies of each game in the campaign, and with a dead board or an adapter of its own.
const PLIES: [usize; 2] = [60, 24];
/// At this time the boards are found and all men stand on their squares.
const BEGIN: Instant = Instant(30_000_000);

/// A game whose players think for some seconds, and its moves in UCI notation.
fn game(seed: u64, plies: usize) -> (Play, Vec<String>) {
    let mut rng = fastrand::Rng::with_seed(seed);
    let moves = legal::game(&mut rng, plies);
    let (mut position, mut turns, mut uci) = (Chess::default(), Vec::new(), Vec::new());
    for mv in moves {
        turns.push(Turn {
            san: San::from_move(&position, mv).to_string(),
            think: Duration::from_millis(rng.u64(2_500..9_000)),
            manner: Manner::Straight,
        });
        uci.push(mv.to_uci(CastlingMode::Standard).to_string());
        position.play_unchecked(mv);
    }
    (Play { start: Chess::default(), turns, end: End::default(), rotated: false }, uci)
}

/// An FTDI adapter: it delivers bytes when its latency timer ticks, or when a USB packet is full.
struct Adapter {
    /// The latency timer in microseconds; with none every byte comes at its time on the wire.
    timer: Option<u64>,
    held: Vec<u8>,
    due: Option<Instant>,
}

impl Adapter {
    /// A packet has 64 bytes, two of which are the adapter's own.
    const PACKET: usize = 62;

    /// An adapter with a timer of this number of milliseconds.
    const fn new(timer_ms: Option<u64>) -> Adapter {
        let timer = if let Some(timer_ms) = timer_ms { Some(timer_ms * 1000) } else { None };
        Adapter { timer, held: Vec::new(), due: None }
    }

    fn receive(&mut self, at: Instant, bytes: &[u8]) {
        self.held.extend_from_slice(bytes);
        let full = self.held.len() >= Adapter::PACKET;
        let tick = self.timer.filter(|_| !full).map_or(at, |timer| Instant(at.0.div_ceil(timer) * timer));
        self.due = Some(self.due.map_or(tick, |due| due.min(tick)));
    }

    fn hand_over(&mut self, at: Instant) -> Option<Vec<u8>> {
        self.due.take_if(|due| *due <= at).map(|_| std::mem::take(&mut self.held))
    }
}

/// A board's station.
struct Seat {
    station: Station,
    /// Whether the board answers on the line.
    up: bool,
    /// The station's next deadline.
    due: Option<Instant>,
}

struct BusSimulation {
    chain: Chain,
    adapter: Adapter,
    line: Line,
    stations: BTreeMap<u16, Seat>,
    /// The times of each board's changes; a cycle lies between two of them.
    cycles: BTreeMap<u16, Vec<Instant>>,
    /// The answers with all squares of a board, and the bytes of all answers.
    pictures: u64,
    bytes: u64,
    out: Vec<StationOutput>,
}

impl BusSimulation {
    fn feed(&mut self, at: Instant, input: LineInput<'_>) {
        self.line.handle(at, input);
        while let Some(output) = self.line.poll() {
            match output {
                LineOutput::Send(bytes) => self.chain.host(at, &bytes),
                LineOutput::Frame { address, bytes, .. } => {
                    self.bytes += bytes.len() as u64;
                    self.pictures += u64::from(bytes[0] == 0x83);
                    if bytes[0] == 0x85 {
                        self.cycles.entry(address).or_default().push(at);
                    }
                    let Some(Seat { station, up, due }) = self.stations.get_mut(&address) else { continue };
                    if !std::mem::replace(up, true) {
                        station.feed(at, &StationInput::link(true), &mut self.out);
                    }
                    station.feed(at, &StationInput::bytes(0, &bytes), &mut self.out);
                    *due = station.deadline();
                }
                LineOutput::Silent(address) => {
                    let Some(Seat { station, up, due }) = self.stations.get_mut(&address) else { continue };
                    if std::mem::replace(up, false) {
                        station.feed(at, &StationInput::link(false), &mut self.out);
                    }
                    *due = station.deadline();
                }
                LineOutput::Answering(_) | LineOutput::Found(_) | LineOutput::Anomaly { .. } => {}
            }
        }
    }

    fn ask(&mut self, at: Instant) {
        let addresses: Vec<u16> = self.stations.keys().copied().collect();
        for address in addresses {
            let Some(Seat { station, due, .. }) = self.stations.get_mut(&address) else { continue };
            if self.out.is_empty() && due.is_none_or(|due| due > at) {
                continue;
            }
            station.advance(at, &mut self.out);
            *due = station.deadline();
            for output in std::mem::take(&mut self.out) {
                if let StationOutput::Send { bytes, .. } = output
                    && let Ok(command) = bytes.try_into()
                {
                    self.feed(at, LineInput::Request { address, command });
                }
            }
        }
    }

    fn run(&mut self, done: impl Fn(Instant) -> bool) {
        let mut sent = Vec::new();
        loop {
            let stations = self.stations.values().filter_map(|seat| seat.due);
            let next = [self.chain.next(), self.adapter.due, self.line.deadline()].into_iter().flatten().chain(stations).min();
            let Some(at) = next else { break };
            if done(at) {
                break;
            }
            self.chain.advance(at, &mut sent);
            for piece in std::mem::take(&mut sent) {
                self.adapter.receive(piece.at.max(at), &piece.bytes);
            }
            if let Some(bytes) = self.adapter.hand_over(at) {
                self.feed(at, LineInput::Bytes(&bytes));
            }
            if self.line.deadline().is_some_and(|due| due <= at) {
                self.feed(at, LineInput::Deadline);
            }
            self.ask(at);
        }
    }

    /// The cycle times of all boards in milliseconds from this moment on, sorted.
    fn cycle_times(&self, from: Instant) -> Vec<u64> {
        let gaps = |times: &Vec<Instant>| -> Vec<u64> {
            times.windows(2).filter(|pair| pair[0] >= from).map(|pair| pair[1].since(pair[0]).as_millis() as u64).collect()
        };
        let mut all: Vec<u64> = self.cycles.values().flat_map(gaps).collect();
        all.sort_unstable();
        all
    }
}

/// A line of boards that are found and ready, whose players have this number of seconds; the board with number `dead` is dead.
fn start_simulation(seconds: u32, dead: Option<u16>, adapter: Adapter) -> BusSimulation {
    let clock = ClockSettings::new(Model::Dgt3000, Method::TimeOnly, ClockTime(seconds * 1000), ClockTime(0));
    let board = |number: u16| {
        let board = Settings { clock: Some(clock.clone()), serial: 1000 + number, ..Settings::default() };
        BusSettings { dead: dead == Some(number), ..BusSettings::new(board) }
    };
    let addresses: Vec<u16> = (0..BOARDS).map(|number| 1000 + number).collect();
    let station = |address: u16| {
        let time_control = Some(TimeControl::parse(&seconds.to_string()).expect("a time control"));
        let config = GameConfig { time_control, clock_source: INFO.clock_source(), ..GameConfig::default() };
        let mut station = Station::new(&INFO, config, Board::default(), &format!("bus-{address}"));
        station.set_coalesced(true);
        let due = station.deadline();
        Seat { station, up: false, due }
    };
    let mut simulation = BusSimulation {
        chain: Chain::new((0..BOARDS).map(board).collect(), 3),
        adapter,
        line: Line::new(&addresses),
        stations: addresses.iter().map(|address| (*address, station(*address))).collect(),
        cycles: BTreeMap::new(),
        pictures: 0,
        bytes: 0,
        out: Vec::new(),
    };
    simulation.feed(Instant::ZERO, LineInput::Up);
    simulation.run(|at| at >= BEGIN);
    simulation
}

/// Plays a game of this seed at each board. The board with number `dead` is dead, and the adapter's timer ticks every `timer_ms`
/// milliseconds. Returns the 99th percentile of the cycle times in milliseconds.
#[allow(clippy::print_stderr, reason = "the figures are for people")]
fn play_all_boards(seed: u64, plies: usize, dead: Option<u16>, timer_ms: Option<u64>) -> u64 {
    let mut simulation = start_simulation(900, dead, Adapter::new(timer_ms));
    let games: Vec<_> = (0..BOARDS).map(|number| game(mixed(u64::from(number) + 1, seed), plies)).collect();
    // The last moves are reported some seconds later.
    let mut end = BEGIN;
    for (number, (play, _)) in games.iter().enumerate() {
        let script = play.script(&Habits::default(), mixed(number as u64, seed)).expect("legal");
        end = end.max(BEGIN.after(script.steps().last().expect("a move").at + Duration::from_secs(20)));
        simulation.chain.load(number, &script);
    }
    simulation.run(|at| at >= end);
    for (number, (_, uci)) in (0..BOARDS).zip(&games) {
        let known = simulation.stations[&(1000 + number)].station.game();
        let moves: Vec<String> = known.moves().map(|played| played.uci.to_string()).collect();
        if dead == Some(number) {
            assert!(moves.is_empty(), "board {number} is dead");
            continue;
        }
        assert_eq!(moves, *uci, "board {number}, pending {:?}", known.pending().collect::<Vec<_>>());
        let completed = [known.completed().white, known.completed().black].map(|count| count.expect("known from the start"));
        // The last move may end the game without a press.
        assert!(completed.iter().sum::<u32>() as usize + 1 >= uci.len(), "board {number}: {completed:?} of {} moves", uci.len());
    }
    let cycles = simulation.cycle_times(BEGIN);
    let [half, most, all] = [50, 99, 100].map(|percent| cycles[(cycles.len() - 1) * percent / 100]);
    let what = format!("board {dead:?} is dead, adapter {timer_ms:?} ms");
    eprintln!("{what}: {} cycles, median {half} ms, p99 {most} ms, longest {all} ms", cycles.len());
    most
}

#[test]
fn every_move_of_twelve_games_is_read() {
    let boards = |cycle: u64| {
        assert!(cycle <= 700, "{cycle} ms");
        u64::from(BOARDS)
    };
    campaign("twelve games on a line", 0..1, |seed| boards(play_all_boards(seed, PLIES[0], None, None)));
}

#[test]
fn a_dead_board_costs_the_others_no_move() {
    let cycle = play_all_boards(0, PLIES[1], Some(5), None);
    assert!(cycle <= 700, "{cycle} ms");
}

/// The udev rules set this timer.
#[test]
fn an_adapter_with_a_short_timer_costs_no_move_and_little_time() {
    let cycle = play_all_boards(0, PLIES[1], None, Some(1));
    assert!(cycle <= 700, "{cycle} ms");
}

/// An adapter has this timer when it is plugged in. A cycle takes longer than it should, but no question waits longer than the delay of
/// its answer.
#[test]
fn an_adapter_with_a_long_timer_costs_no_move() {
    let cycle = play_all_boards(0, PLIES[1], None, Some(16));
    assert!(cycle <= 900, "{cycle} ms");
}

/// On every board a man stands where nobody has played it, so every game asks for all its squares, in the end every four seconds. The
/// line has time for that.
#[test]
#[allow(clippy::print_stderr, reason = "the figures are for people")]
fn twelve_boards_in_doubt_leave_time_on_the_line() {
    const SECONDS: u64 = 60;
    let figures = |disturbed: bool| {
        let mut simulation = start_simulation(900, None, Adapter::new(None));
        for number in 0..BOARDS {
            // Accidents happen at different moments.
            let at = 3.0 + f64::from(number) * 0.37;
            let man = if disturbed { format!("{at:.2} place f3 N") } else { String::new() };
            simulation.chain.load(usize::from(number), &Script::parse(&format!("0 run\n{man}")).expect("a script"));
        }
        let begin = BEGIN.after(Duration::from_secs(20));
        simulation.run(|at| at >= begin);
        let before = (simulation.pictures, simulation.bytes);
        simulation.run(|at| at >= begin.after(Duration::from_secs(SECONDS)));
        let cycles = simulation.cycle_times(begin);
        let [half, most] = [50, 99].map(|percent| cycles[(cycles.len() - 1) * percent / 100]);
        let [pictures, bytes] = [simulation.pictures - before.0, simulation.bytes - before.1];
        eprintln!(
            "disturbed {disturbed}: {pictures} pictures, {} bytes a second, median {half} ms, p99 {most} ms",
            bytes / SECONDS
        );
        (pictures, most)
    };
    let (checks, undisturbed) = figures(false);
    let (pictures, cycle) = figures(true);
    assert!(pictures <= checks + u64::from(BOARDS) * (SECONDS / 4 + 1), "{pictures} pictures");
    assert!(pictures >= u64::from(BOARDS) * (SECONDS / 4 - 2), "{pictures} pictures");
    assert!(undisturbed <= 700 && cycle <= 900, "{cycle} ms, and {undisturbed} ms undisturbed");
}

/// Black's time runs out at every board, each a little later than at the one before: the interval of each finding contains the true
/// moment, and is as wide as the delay of clock reports on a line.
#[test]
fn a_flag_on_a_line_fell_within_the_wider_window() {
    [None, Some(1), Some(16)].into_iter().for_each(flag_within);
}

fn flag_within(timer_ms: Option<u64>) {
    const SECONDS: u32 = 20;
    let mut simulation = start_simulation(SECONDS, None, Adapter::new(timer_ms));
    let moment = |number: u16, after_ms: u64| Duration::from_millis(u64::from(number) * 737 + after_ms);
    for number in 0..BOARDS {
        let at = |after| format!("{:.3}", moment(number, after).as_secs_f64());
        let script = format!("{} run\n{} move e2 e4\n{} press left", at(0), at(3000), at(4000));
        simulation.chain.load(usize::from(number), &Script::parse(&script).expect("a script"));
    }
    simulation.run(|at| at >= BEGIN.after(Duration::from_secs(60)));
    let mut widest = Duration::ZERO;
    for number in 0..BOARDS {
        let fell = BEGIN.after(moment(number, 4000 + u64::from(SECONDS) * 1000));
        let findings = simulation.stations[&(1000 + number)].station.game().findings();
        let [finding] = findings else { panic!("board {number}: {findings:?}") };
        assert_eq!(finding.flag, Some("black"), "board {number}");
        let [earliest, latest] = finding.expired_at.expect("a flag fell").map(Instant);
        assert!(earliest <= fell && fell <= latest, "board {number}: {fell:?} is not from {earliest:?} to {latest:?}");
        assert!(latest.since(earliest) >= INFO.timing.press_delay, "board {number}: {:?}", latest.since(earliest));
        widest = widest.max(latest.since(earliest));
    }
    assert!(widest < Duration::from_secs(6), "an interval of {widest:?} is too wide");
}
