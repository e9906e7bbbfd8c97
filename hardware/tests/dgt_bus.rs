//! A chain of emulated boards, the master of its line, and a driver for each board, in simulated time.

use std::collections::BTreeMap;
use std::fmt::Write;

use fastrand::Rng;
use flagfall_hardware::emulator::clock_model::{ClockSettings, Method, Model};
use flagfall_hardware::emulator::script::Script;
use flagfall_hardware::emulator::{BusFaults, BusSettings, Chain, Settings};
use flagfall_protocols::driver::{DeviceCommand, Driver, Input, Output};
use flagfall_protocols::drivers;
use flagfall_protocols::drivers::dgt_bus::frame::command;
use flagfall_protocols::drivers::dgt_bus::line::{Line, LineInput, LineOutput};
use flagfall_protocols::event::{Anomaly, DeviceEvent, LogEntry};
use flagfall_protocols::square::{Color, Piece, Placement, Reading, Role, Square};
use flagfall_protocols::time::{ClockTime, Instant};

const BOARDS: u16 = 12;

fn seconds(count: u64) -> Instant {
    Instant(count * 1_000_000)
}

/// Everything on one line, and what was seen of it.
struct Room {
    chain: Chain,
    line: Line,
    drivers: BTreeMap<u16, Box<dyn Driver>>,
    now: Instant,
    told: Vec<(Instant, u16, DeviceEvent)>,
    /// When each board's changes came: a cycle lies between two.
    cycles: BTreeMap<u16, Vec<Instant>>,
    sent: Vec<(Instant, Vec<u8>)>,
    found: Vec<u16>,
    silent: Vec<(Instant, u16)>,
    anomalies: BTreeMap<Anomaly, u64>,
}

impl Room {
    fn new(boards: Vec<BusSettings>, expected: &[u16], seed: u64) -> Room {
        let addresses: Vec<_> = boards.iter().map(|board| board.board.serial).collect();
        let info = drivers::find("dgt_bus").expect("registered");
        let mut room = Room {
            chain: Chain::new(boards, seed),
            line: Line::new(expected),
            drivers: addresses.into_iter().map(|address| (address, info.start())).collect(),
            now: Instant::ZERO,
            told: Vec::new(),
            cycles: BTreeMap::new(),
            sent: Vec::new(),
            found: Vec::new(),
            silent: Vec::new(),
            anomalies: BTreeMap::new(),
        };
        room.up();
        room
    }

    fn up(&mut self) {
        self.each(Input::LinkUp);
        self.line(self.now, LineInput::Up);
    }

    fn down(&mut self) {
        self.line(self.now, LineInput::Down);
        self.each(Input::LinkDown);
    }

    fn each(&mut self, input: Input<'_>) {
        for address in self.drivers.keys().copied().collect::<Vec<_>>() {
            self.driver(self.now, address, input);
        }
    }

    fn line(&mut self, at: Instant, input: LineInput<'_>) {
        self.line.handle(at, input);
        while let Some(output) = self.line.poll() {
            match output {
                LineOutput::Send(bytes) => {
                    self.chain.host(at, &bytes);
                    self.sent.push((at, bytes));
                }
                LineOutput::Frame { address, bytes } => {
                    if bytes[0] == 0x85 {
                        self.cycles.entry(address).or_default().push(at);
                    }
                    self.driver(at, address, Input::Bytes { channel: 0, bytes: &bytes });
                }
                LineOutput::Found(address) => self.found.push(address),
                LineOutput::Silent(address) => self.silent.push((at, address)),
                LineOutput::Answering(_) => {}
                LineOutput::Anomaly { anomaly, .. } => *self.anomalies.entry(anomaly).or_default() += 1,
            }
        }
    }

    fn driver(&mut self, at: Instant, address: u16, input: Input<'_>) {
        let Some(driver) = self.drivers.get_mut(&address) else { return };
        driver.handle(at, input);
        let outputs: Vec<_> = std::iter::from_fn(|| driver.poll()).collect();
        for output in outputs {
            match output {
                Output::Send { bytes, .. } => {
                    let command = bytes.try_into().expect("a command frame");
                    self.line(at, LineInput::Request { address, command });
                }
                Output::Event { event, .. } => self.told.push((at, address, event)),
                Output::Anomaly { .. } => {}
            }
        }
    }

    fn run(&mut self, to: Instant) {
        loop {
            let deadlines = self.drivers.values().filter_map(|driver| driver.deadline()).min();
            let next = [self.chain.next(), self.line.deadline(), deadlines].into_iter().flatten().min();
            let Some(at) = next.filter(|at| *at <= to) else { break };
            let at = at.max(self.now);
            self.now = at;
            let mut said = Vec::new();
            self.chain.advance(at, &mut said);
            if !said.is_empty() {
                for sent in &said {
                    self.line(sent.at, LineInput::Bytes(&sent.bytes));
                }
                continue;
            }
            if self.line.deadline().is_some_and(|deadline| deadline <= at) {
                self.line(at, LineInput::Deadline);
            }
            for address in self.drivers.keys().copied().collect::<Vec<_>>() {
                if self.drivers[&address].deadline().is_some_and(|deadline| deadline <= at) {
                    self.driver(at, address, Input::Deadline);
                }
            }
        }
        self.chain.advance(to, &mut Vec::new());
        self.now = to;
    }

    fn events(&self, address: u16) -> impl Iterator<Item = (Instant, DeviceEvent)> + '_ {
        self.told.iter().filter(move |(_, own, _)| *own == address).map(|(at, _, event)| (*at, *event))
    }

    fn squares(&self, address: u16) -> Vec<(Square, Reading)> {
        let square =
            |(_, event)| if let DeviceEvent::Square { square, reading } = event { Some((square, reading)) } else { None };
        self.events(address).filter_map(square).collect()
    }

    fn frames(&self, address: u16) -> Vec<Placement> {
        self.events(address)
            .filter_map(|(_, event)| if let DeviceEvent::Frame(frame) = event { Some(frame) } else { None })
            .collect()
    }

    /// What the board looks like to somebody who follows the events.
    fn followed(&self, address: u16) -> Option<Placement> {
        self.events(address).fold(None, |placement, (_, event)| match (placement, event) {
            (_, DeviceEvent::Frame(frame)) => Some(frame),
            (Some(mut placement), DeviceEvent::Square { square, reading }) => {
                placement.set(square, reading);
                Some(placement)
            }
            (placement, _) => placement,
        })
    }

    /// How often the lever of a board's clock moved.
    fn presses(&self, address: u16) -> usize {
        let lever = |(_, event)| if let DeviceEvent::Clock(reading) = event { Some(reading.lever_up) } else { None };
        let levers: Vec<_> = self.events(address).filter_map(lever).collect();
        levers.windows(2).filter(|pair| pair[0] != pair[1]).count()
    }

    /// Cycle times of all boards in milliseconds from that moment on, sorted.
    fn cycle_times(&self, from: Instant) -> Vec<u64> {
        let gaps = |times: &Vec<Instant>| -> Vec<u64> {
            times.windows(2).filter(|pair| pair[0] >= from).map(|pair| pair[1].since(pair[0]).as_millis() as u64).collect()
        };
        let mut all: Vec<u64> = self.cycles.values().flat_map(gaps).collect();
        all.sort_unstable();
        all
    }

    /// Only questions, and the way back to bus mode.
    fn sent_only_questions(&self) {
        for (_, bytes) in &self.sent {
            assert!(bytes == &[0x4a] || command(bytes).is_some_and(|(command, _)| command.harmless()), "{bytes:x?}");
        }
        assert_eq!(self.chain.counters().dangerous, 0);
    }
}

/// A game that was made up: its script, each square change in order, and the position at its end.
struct Game {
    script: Script,
    changes: Vec<(Square, Reading)>,
    end: Placement,
    presses: usize,
}

/// Moves of pawns and knights, in turn, each followed by a press; captures are lifted first.
fn game(seed: u64, first: f64, moves: usize) -> Game {
    let mut rng = Rng::with_seed(seed);
    let (mut placement, mut changes, mut text) = (Placement::initial(), Vec::new(), format!("{} run\n", first - 0.5));
    let (mut side, mut presses, mut wait) = (Color::White, 0, 0.5);
    for _ in 0..moves {
        let choices = choices(&placement, side);
        let Some(&(from, to)) = rng.choice(&choices) else { break };
        let piece = placement.get(from);
        if placement.get(to) != Reading::Empty {
            write!(text, "+{wait:.3} lift {to}\n+0.3 drop\n").expect("a string");
            changes.push((to, Reading::Empty));
            wait = 0.2;
        }
        let press = if side == Color::White { "left" } else { "right" };
        write!(text, "+{wait:.3} lift {from}\n+0.4 place {to}\n+0.35 press {press}\n").expect("a string");
        changes.extend([(from, Reading::Empty), (to, piece)]);
        placement.set(from, Reading::Empty);
        placement.set(to, piece);
        presses += 1;
        side = if side == Color::White { Color::Black } else { Color::White };
        wait = 1.2 + rng.f64() * 3.0;
    }
    Game { script: Script::parse(&text).expect("a script"), changes, end: placement, presses }
}

fn choices(placement: &Placement, side: Color) -> Vec<(Square, Square)> {
    let at = |square: Square, file: i8, rank: i8| {
        let (file, rank) = (square.file() as i8 + file, square.rank() as i8 + rank);
        let inside = (0..8).contains(&file) && (0..8).contains(&rank);
        inside.then(|| Square::new((rank * 8 + file) as u8)).flatten()
    };
    let color = |square: Square| if let Reading::Piece(piece) = placement.get(square) { Some(piece) } else { None };
    let enemy = |square: Square| color(square).is_some_and(|piece: Piece| piece.color != side && piece.role != Role::King);
    let mut found = Vec::new();
    for from in Square::all() {
        let Some(piece) = color(from).filter(|piece| piece.color == side) else { continue };
        match piece.role {
            Role::Knight => {
                for (file, rank) in [(1, 2), (2, 1), (2, -1), (1, -2), (-1, -2), (-2, -1), (-2, 1), (-1, 2)] {
                    let free = |to: &Square| color(*to).is_none() || enemy(*to);
                    found.extend(at(from, file, rank).filter(free).map(|to| (from, to)));
                }
            }
            Role::Pawn => {
                let ahead = if side == Color::White { 1 } else { -1 };
                // Promotions are left out: the piece would change.
                let inside = |to: &Square| !matches!(to.rank(), 0 | 7);
                found.extend(at(from, 0, ahead).filter(inside).filter(|to| color(*to).is_none()).map(|to| (from, to)));
                for file in [-1, 1] {
                    found.extend(at(from, file, ahead).filter(inside).filter(|to| enemy(*to)).map(|to| (from, to)));
                }
            }
            _ => {}
        }
    }
    found
}

fn addresses() -> Vec<u16> {
    (0..BOARDS).map(|board| 1025 + 401 * board).collect()
}

/// Boards with rapid clocks, two of them short of time.
fn boards(faults: BusFaults) -> Vec<BusSettings> {
    let board = |(index, serial): (usize, u16)| {
        let time = if index % 6 == 5 { ClockTime::hms(0, 1, 10) } else { ClockTime::hms(0, 15, 0) };
        let clock = ClockSettings::new(Model::Dgt3000, Method::Fischer, time, ClockTime::hms(0, 0, 5));
        let settings = Settings { serial, clock: Some(clock), ..Settings::default() };
        BusSettings { faults, ..BusSettings::new(settings) }
    };
    addresses().into_iter().enumerate().map(board).collect()
}

fn start(room: &mut Room, seed: u64, first: f64, moves: usize) -> Vec<Game> {
    let games: Vec<_> = (0..BOARDS).map(|board| game(seed * 100 + u64::from(board), first, moves)).collect();
    for (index, game) in games.iter().enumerate() {
        room.chain.load(index, &game.script);
    }
    games
}

fn percentile(sorted: &[u64], percent: usize) -> u64 {
    sorted[(sorted.len() - 1) * percent / 100]
}

#[allow(clippy::print_stderr, reason = "the figures are for people")]
fn report(what: &str, sorted: &[u64]) {
    let [half, most, all] = [50, 99, 100].map(|percent| percentile(sorted, percent));
    eprintln!("{what}: {} cycles, median {half} ms, p99 {most} ms, longest {all} ms", sorted.len());
}

#[test]
fn twelve_games_arrive_whole_and_in_order() {
    let mut room = Room::new(boards(BusFaults::default()), &addresses(), 1);
    let games = start(&mut room, 1, 12.0, 20);
    room.run(seconds(130));
    for (index, (address, game)) in addresses().into_iter().zip(&games).enumerate() {
        assert_eq!(room.chain.impossible(index), []);
        assert_eq!(room.squares(address), game.changes, "{address}");
        assert_eq!(room.frames(address), [Placement::initial()], "{address}");
        assert_eq!(room.followed(address), Some(game.end), "{address}");
        assert_eq!(room.presses(address), game.presses, "{address}");
    }
    assert_eq!(room.silent, []);
    room.sent_only_questions();
    let cycles = room.cycle_times(seconds(10));
    report("twelve boards answer", &cycles);
    assert!(percentile(&cycles, 99) <= 700, "{}", percentile(&cycles, 99));
}

#[test]
fn a_dead_board_costs_the_others_its_time_outs_only() {
    let mut settings = boards(BusFaults::default());
    settings[7].dead = true;
    let mut room = Room::new(settings, &addresses(), 2);
    let games = start(&mut room, 2, 12.0, 15);
    room.run(seconds(100));
    for (index, (address, game)) in addresses().into_iter().zip(&games).enumerate() {
        if index != 7 {
            assert_eq!(room.squares(address), game.changes, "{address}");
            assert_eq!(room.presses(address), game.presses, "{address}");
        }
    }
    let silent: Vec<_> = room.silent.iter().map(|(_, address)| *address).collect();
    assert_eq!(silent, [addresses()[7]]);
    let cycles = room.cycle_times(seconds(10));
    report("one of twelve is dead", &cycles);
    // One try of a command of four bytes and an answer of six that does not come.
    assert!(percentile(&cycles, 99) <= 700 + 95, "{}", percentile(&cycles, 99));
}

#[test]
fn faulty_boards_lose_and_double_nothing() {
    let faults = BusFaults { wrong_sum: 0.01, cut: 0.01, late: 0.005, deaf: 0.01 };
    for seed in 0..4 {
        let mut room = Room::new(boards(BusFaults::default()), &addresses(), seed);
        let games = start(&mut room, 10 + seed, 12.0, 12);
        room.run(seconds(10));
        (0..usize::from(BOARDS)).for_each(|board| room.chain.damage(board, faults, false));
        room.run(seconds(80));
        for (address, game) in addresses().into_iter().zip(&games) {
            assert_eq!(room.squares(address), game.changes, "seed {seed}: {address}: {:?} {:?}", room.anomalies, room.silent);
            assert_eq!(room.followed(address), Some(game.end), "seed {seed}: {address}");
        }
        assert!(room.anomalies[&Anomaly::BadField] > 5 && room.anomalies[&Anomaly::Retried] > 20, "{:?}", room.anomalies);
        room.sent_only_questions();
    }
}

#[test]
fn very_faulty_boards_end_in_the_right_position() {
    let faults = BusFaults { wrong_sum: 0.1, cut: 0.1, late: 0.05, deaf: 0.1 };
    for seed in 0..3 {
        let mut room = Room::new(boards(BusFaults::default()), &addresses(), seed);
        let games = start(&mut room, 20 + seed, 12.0, 10);
        room.run(seconds(10));
        (0..usize::from(BOARDS)).for_each(|board| room.chain.damage(board, faults, false));
        room.run(seconds(70));
        (0..usize::from(BOARDS)).for_each(|board| room.chain.damage(board, BusFaults::default(), false));
        room.run(seconds(80));
        for (address, game) in addresses().into_iter().zip(&games) {
            assert_eq!(room.followed(address), Some(game.end), "seed {seed}: {address}");
        }
    }
}

#[test]
fn all_boards_are_found_though_their_pings_overlap() {
    let mut mixed = 0;
    for seed in 0..12 {
        let mut settings = boards(BusFaults::default());
        // Two are expected and silent; all others are not expected.
        settings[3].dead = true;
        settings[9].dead = true;
        let silent = [addresses()[3], addresses()[9]];
        let mut room = Room::new(settings, &silent, seed);
        room.run(seconds(20));
        let mut found = room.found.clone();
        found.sort_unstable();
        let there: Vec<_> = addresses().into_iter().filter(|address| !silent.contains(address)).collect();
        assert_eq!(found, there, "seed {seed}");
        assert!(room.line.polling());
        for address in there {
            assert_eq!(room.frames(address), [Placement::initial()], "seed {seed}");
        }
        mixed += room.chain.mixed();
        // Later they are switched on after all.
        room.chain.damage(3, BusFaults::default(), false);
        room.run(seconds(25));
        assert_eq!(room.frames(silent[0]), [Placement::initial()], "seed {seed}");
    }
    assert!(mixed > 20, "pings overlapped: {mixed}");
}

#[test]
fn a_line_thrown_into_single_board_mode_comes_back() {
    let mut room = Room::new(boards(BusFaults::default()), &addresses(), 3);
    let games = start(&mut room, 3, 12.0, 14);
    room.run(seconds(20));
    // One stray byte, between two commands or in one.
    room.chain.host(room.now, &[0x44]);
    room.run(seconds(30));
    assert_eq!(room.silent, [], "the next command is swallowed and brings all back");
    // Somebody keeps speaking: nobody answers, and all are called back.
    for step in 0..400 {
        room.run(Instant(30_000_000 + step * 25_000));
        room.chain.host(room.now, &[0x44]);
    }
    room.run(seconds(90));
    for (address, game) in addresses().into_iter().zip(&games) {
        assert_eq!(room.followed(address), Some(game.end), "{address}: {:?}", room.silent);
        assert!(room.events(address).any(|(at, _)| at > seconds(88)));
    }
    let mut silent: Vec<_> = room.silent.iter().map(|(_, address)| *address).collect();
    silent.sort_unstable();
    silent.dedup();
    assert_eq!(silent, addresses());
    // Not once before nobody answered any more.
    let calls: Vec<_> = room.sent.iter().filter(|(_, bytes)| *bytes == [0x4a]).map(|(at, _)| *at).collect();
    assert!(!calls.is_empty() && calls.iter().all(|at| *at > seconds(30) && *at < seconds(45)), "{calls:?}");
    room.sent_only_questions();
}

#[test]
fn after_the_host_was_away_the_log_tells_the_game() {
    let mut room = Room::new(boards(BusFaults::default()), &addresses(), 4);
    let games = start(&mut room, 4, 12.0, 12);
    room.run(seconds(25));
    room.down();
    room.run(seconds(70));
    room.told.clear();
    room.up();
    room.run(seconds(80));
    room.each(Input::Command(DeviceCommand::ReadLog));
    room.run(seconds(95));
    for (address, game) in addresses().into_iter().zip(&games) {
        assert_eq!(room.frames(address), [game.end], "{address}");
        // The log from the start, replayed.
        let (mut replayed, mut presses, mut ended) = (Placement::EMPTY, 0, 0);
        for (_, event) in room.events(address) {
            match event {
                DeviceEvent::Log(LogEntry::Square { square, reading, .. }) => replayed.set(square, reading),
                DeviceEvent::Log(LogEntry::Press { .. }) => presses += 1,
                DeviceEvent::Log(LogEntry::End) => ended += 1,
                _ => {}
            }
        }
        assert_eq!((replayed, presses, ended), (game.end, game.presses, 1), "{address}");
    }
    room.sent_only_questions();
}

#[test]
fn a_board_that_restarts_in_mid_game_is_followed_again() {
    let mut room = Room::new(boards(BusFaults::default()), &addresses(), 5);
    let text = "15 lift e2\n+0.4 place e4\n20 power off\n21 lift d7\n21.5 place d5\n24 power on\n35 lift g1\n+0.4 place f3";
    room.chain.load(2, &Script::parse(text).expect("a script"));
    room.run(seconds(45));
    let end = Placement::parse("rnbqkbnr/ppp1pppp/8/3p4/4P3/5N2/PPPP1PPP/RNBQKB1R");
    assert_eq!(room.followed(addresses()[2]), end);
    assert_eq!(room.followed(addresses()[1]), Some(Placement::initial()));
    let silent: Vec<_> = room.silent.iter().map(|(_, address)| *address).collect();
    assert_eq!(silent, [addresses()[2]]);
}
