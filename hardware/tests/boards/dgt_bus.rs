//! A chain of emulated boards, the master of its line, and a driver for each board, in simulated time.

mod game;
mod simulated_line;

use std::time::Duration;

use flagfall_hardware::emulator::Settings;
use flagfall_hardware::emulator::clock_model::{ClockSettings, Method, Model};
use flagfall_hardware::emulator::dgt_bus::{BusFaults, BusSettings};
use flagfall_hardware::emulator::script::Script;
use flagfall_protocols::driver::{DeviceCommand, Input};
use flagfall_protocols::drivers::dgt_bus::frame::Command;
use flagfall_protocols::event::{Anomaly, DeviceEvent, LogEntry};
use flagfall_protocols::square::Placement;
use flagfall_protocols::time::{ClockTime, Instant};

use game::{Game, game};
use simulated_line::SimulatedLine;

use crate::seeds::{campaign, ordinary};

const BOARDS: u16 = 12;

fn seconds(count: u64) -> Instant {
    Instant(count * 1_000_000)
}

fn addresses() -> Vec<u16> {
    (0..BOARDS).map(|board| 1025 + 401 * board).collect()
}

/// Returns the settings of boards with clocks for rapid games; two of them have little time.
fn boards(faults: BusFaults) -> Vec<BusSettings> {
    let board = |(index, serial): (usize, u16)| {
        let time = if index % 6 == 5 { ClockTime::hms(0, 1, 10) } else { ClockTime::hms(0, 15, 0) };
        let clock = ClockSettings::new(Model::Dgt3000, Method::Fischer, time, ClockTime::hms(0, 0, 5));
        let settings = Settings { serial, clock: Some(clock), ..Settings::default() };
        BusSettings { faults, ..BusSettings::new(settings) }
    };
    addresses().into_iter().enumerate().map(board).collect()
}

fn start(sim: &mut SimulatedLine, seed: u64, first: f64, moves: usize) -> Vec<Game> {
    let games: Vec<_> = (0..BOARDS).map(|board| game(seed * 100 + u64::from(board), first, moves)).collect();
    for (index, game) in games.iter().enumerate() {
        sim.chain.load(index, &game.script);
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
    let mut sim = SimulatedLine::new(boards(BusFaults::default()), &addresses(), 1);
    let games = start(&mut sim, 1, 12.0, 20);
    sim.run(seconds(130));
    for (index, (address, game)) in addresses().into_iter().zip(&games).enumerate() {
        assert_eq!(sim.chain.impossible(index), []);
        assert_eq!(sim.squares(address), game.changes, "{address}");
        assert_eq!(sim.frames(address), [Placement::initial()], "{address}");
        assert_eq!(sim.followed(address), Some(game.end), "{address}");
        assert_eq!(sim.presses(address), game.presses, "{address}");
    }
    assert_eq!(sim.silent, []);
    sim.sent_only_questions();
    let cycles = sim.cycle_times(seconds(10));
    report("twelve boards answer", &cycles);
    assert!(percentile(&cycles, 99) <= 700, "{}", percentile(&cycles, 99));
}

#[test]
fn a_silent_board_delays_the_others_by_its_timeouts_only() {
    let mut settings = boards(BusFaults::default());
    settings[7].dead = true;
    let mut sim = SimulatedLine::new(settings, &addresses(), 2);
    let games = start(&mut sim, 2, 12.0, 15);
    sim.run(seconds(100));
    for (index, (address, game)) in addresses().into_iter().zip(&games).enumerate() {
        if index != 7 {
            assert_eq!(sim.squares(address), game.changes, "{address}");
            assert_eq!(sim.presses(address), game.presses, "{address}");
        }
    }
    let silent: Vec<_> = sim.silent.iter().map(|(_, address)| *address).collect();
    assert_eq!(silent, [addresses()[7]]);
    // These are the same games without that board.
    let (mut settings, mut known, mut games) = (boards(BusFaults::default()), addresses(), games);
    settings.remove(7);
    known.remove(7);
    games.remove(7);
    let mut eleven = SimulatedLine::new(settings, &known, 2);
    games.iter().enumerate().for_each(|(place, game)| eleven.chain.load(place, &game.script));
    eleven.run(seconds(100));
    let [eleven, cycles] = [&eleven, &sim].map(|sim| sim.cycle_times(seconds(10)));
    report("eleven boards answer", &eleven);
    report("one of twelve is dead", &cycles);
    // A silent board costs one command of four bytes and the wait for an answer of six bytes.
    let [without, with] = [&eleven, &cycles].map(|cycles| percentile(cycles, 99));
    assert!(with <= without + 95, "{without} ms, with a dead one {with} ms");
}

#[test]
fn a_board_that_sends_only_garbage_is_silent_and_costs_one_try_a_cycle() {
    let mut sim = SimulatedLine::new(boards(BusFaults::default()), &addresses(), 9);
    let games = start(&mut sim, 9, 12.0, 15);
    sim.run(seconds(10));
    sim.chain.damage(7, BusFaults { wrong_sum: 1.0, ..BusFaults::default() }, false);
    sim.run(seconds(100));
    for (index, (address, game)) in addresses().into_iter().zip(&games).enumerate() {
        if index != 7 {
            assert_eq!(sim.squares(address), game.changes, "{address}");
            assert_eq!(sim.presses(address), game.presses, "{address}");
        }
    }
    let [(at, address)] = sim.silent[..] else { panic!("{:?}", sim.silent) };
    assert!(address == addresses()[7] && at < seconds(12), "{at:?}: {address}");
    let cycles = sim.cycle_times(seconds(12));
    report("one board of twelve sends only garbage", &cycles);
    assert!(percentile(&cycles, 99) <= 700, "{}", percentile(&cycles, 99));
    // The board answers again once its bytes can be read.
    sim.chain.damage(7, BusFaults::default(), false);
    sim.run(seconds(110));
    assert_eq!(sim.followed(addresses()[7]), Some(games[7].end));
}

#[test]
fn a_board_that_sends_only_garbage_delays_no_start_up() {
    let mut sim = SimulatedLine::new(boards(BusFaults::default()), &addresses(), 10);
    sim.chain.damage(7, BusFaults { wrong_sum: 1.0, ..BusFaults::default() }, false);
    sim.run(seconds(12));
    assert!(sim.line.polling());
    for (index, address) in addresses().into_iter().enumerate() {
        assert_eq!(sim.frames(address).len(), usize::from(index != 7), "{address}");
    }
    sim.chain.damage(7, BusFaults::default(), false);
    sim.run(seconds(20));
    assert_eq!(sim.frames(addresses()[7]), [Placement::initial()]);
}

#[test]
fn faulty_boards_lose_and_double_nothing() {
    let faults = BusFaults { wrong_sum: 0.01, cut: 0.01, late: 0.005, deaf: 0.01, doubled: 0.01 };
    campaign("faulty boards on a line", 0..4, |seed| {
        let mut sim = SimulatedLine::new(boards(BusFaults::default()), &addresses(), seed);
        let games = start(&mut sim, 10 + seed, 12.0, 12);
        sim.run(seconds(10));
        (0..usize::from(BOARDS)).for_each(|board| sim.chain.damage(board, faults, false));
        sim.run(seconds(80));
        for (address, game) in addresses().into_iter().zip(&games) {
            assert_eq!(sim.squares(address), game.changes, "seed {seed}: {address}: {:?} {:?}", sim.anomalies, sim.silent);
            assert_eq!(sim.followed(address), Some(game.end), "seed {seed}: {address}");
        }
        assert!(sim.anomalies[&Anomaly::BadField] > 5 && sim.anomalies[&Anomaly::Retried] > 20, "{:?}", sim.anomalies);
        sim.sent_only_questions();
        u64::from(BOARDS)
    });
}

/// The second of two answers overlaps the next board's answer. The line asks again for the damaged answers.
#[test]
fn boards_that_send_everything_twice_lose_and_double_nothing() {
    campaign("doubled answers on a line", 0..3, |seed| {
        let doubled = if seed == 0 { 1.0 } else { 0.3 };
        let mut sim = SimulatedLine::new(boards(BusFaults::default()), &addresses(), seed);
        let games = start(&mut sim, 30 + seed, 12.0, 12);
        sim.run(seconds(10));
        let faults = BusFaults { doubled, ..BusFaults::default() };
        (0..usize::from(BOARDS)).for_each(|board| sim.chain.damage(board, faults, false));
        sim.run(seconds(80));
        for (address, game) in addresses().into_iter().zip(&games) {
            assert_eq!(sim.squares(address), game.changes, "seed {seed}: {address}: {:?}", sim.anomalies);
            assert_eq!(sim.followed(address), Some(game.end), "seed {seed}: {address}");
        }
        assert!(sim.chain.mixed() > 100 && sim.anomalies[&Anomaly::Unasked] > 20, "{:?}", sim.anomalies);
        assert_eq!(sim.silent, []);
        sim.sent_only_questions();
        u64::from(BOARDS)
    });
}

#[test]
fn very_faulty_boards_end_in_the_right_position() {
    let faults = BusFaults { wrong_sum: 0.1, cut: 0.1, late: 0.05, deaf: 0.1, doubled: 0.1 };
    campaign("very faulty boards on a line", 0..3, |seed| {
        let mut sim = SimulatedLine::new(boards(BusFaults::default()), &addresses(), seed);
        let games = start(&mut sim, 20 + seed, 12.0, 10);
        sim.run(seconds(10));
        (0..usize::from(BOARDS)).for_each(|board| sim.chain.damage(board, faults, false));
        sim.run(seconds(70));
        (0..usize::from(BOARDS)).for_each(|board| sim.chain.damage(board, BusFaults::default(), false));
        sim.run(seconds(80));
        for (address, game) in addresses().into_iter().zip(&games) {
            assert_eq!(sim.followed(address), Some(game.end), "seed {seed}: {address}");
        }
        u64::from(BOARDS)
    });
}

#[test]
fn all_boards_are_found_though_their_pings_overlap() {
    let mut mixed = 0;
    campaign("boards that are looked for on a line", 0..12, |seed| {
        let mut settings = boards(BusFaults::default());
        // Two boards are expected and silent; the others are not expected.
        settings[3].dead = true;
        settings[9].dead = true;
        let silent = [addresses()[3], addresses()[9]];
        let mut sim = SimulatedLine::new(settings, &silent, seed);
        sim.run(seconds(20));
        let mut found = sim.found.clone();
        found.sort_unstable();
        let there: Vec<_> = addresses().into_iter().filter(|address| !silent.contains(address)).collect();
        assert_eq!(found, there, "seed {seed}");
        assert!(sim.line.polling());
        for address in there {
            assert_eq!(sim.frames(address), [Placement::initial()], "seed {seed}");
        }
        mixed += sim.chain.mixed();
        // Later the silent boards are switched on.
        sim.chain.damage(3, BusFaults::default(), false);
        sim.run(seconds(25));
        assert_eq!(sim.frames(silent[0]), [Placement::initial()], "seed {seed}");
        u64::from(BOARDS)
    });
    assert!(!ordinary() || mixed > 20, "pings overlapped: {mixed}");
}

#[test]
fn a_line_in_single_board_mode_comes_back_to_bus_mode() {
    let mut sim = SimulatedLine::new(boards(BusFaults::default()), &addresses(), 3);
    let games = start(&mut sim, 3, 12.0, 14);
    sim.run(seconds(20));
    // One stray byte comes between two commands or within one.
    sim.chain.host(sim.now, &[0x44]);
    sim.run(seconds(30));
    assert_eq!(sim.silent, [], "the next command is swallowed and brings all back");
    // Stray bytes keep coming: no board answers, and the line calls all boards back to bus mode.
    for step in 0..400 {
        sim.run(Instant(30_000_000 + step * 25_000));
        sim.chain.host(sim.now, &[0x44]);
    }
    sim.run(seconds(90));
    for (address, game) in addresses().into_iter().zip(&games) {
        assert_eq!(sim.followed(address), Some(game.end), "{address}: {:?}", sim.silent);
        assert!(sim.events(address).any(|(at, _)| at > seconds(88)));
    }
    let mut silent: Vec<_> = sim.silent.iter().map(|(_, address)| *address).collect();
    silent.sort_unstable();
    silent.dedup();
    assert_eq!(silent, addresses());
    // The line does not call them back before all boards are silent.
    let calls: Vec<_> = sim.sent.iter().filter(|(_, bytes)| *bytes == [0x4a]).map(|(at, _)| *at).collect();
    assert!(!calls.is_empty() && calls.iter().all(|at| *at > seconds(30) && *at < seconds(45)), "{calls:?}");
    sim.sent_only_questions();
}

#[test]
fn after_a_host_restart_the_log_gives_the_game() {
    let mut sim = SimulatedLine::new(boards(BusFaults::default()), &addresses(), 4);
    let games = start(&mut sim, 4, 12.0, 12);
    sim.run(seconds(25));
    sim.down();
    sim.run(seconds(70));
    sim.reported.clear();
    sim.up();
    sim.run(seconds(80));
    sim.each(Input::Command(DeviceCommand::ReadLog));
    sim.run(seconds(95));
    for (address, game) in addresses().into_iter().zip(&games) {
        assert_eq!(sim.frames(address), [game.end], "{address}");
        // The log is replayed from its start.
        let (mut replayed, mut presses, mut ended) = (Placement::EMPTY, 0, 0);
        for (_, event) in sim.events(address) {
            match event {
                DeviceEvent::Log(LogEntry::Square { square, reading, .. }) => replayed.set(square, reading),
                DeviceEvent::Log(LogEntry::Press { .. }) => presses += 1,
                DeviceEvent::Log(LogEntry::End) => ended += 1,
                _ => {}
            }
        }
        assert_eq!((replayed, presses, ended), (game.end, game.presses, 1), "{address}");
    }
    sim.sent_only_questions();
}

/// Two boards have logs of more than 6 kB, which take 6.5 s each on the line. Then one log arrives damaged and is sent again.
#[test]
fn long_logs_cause_no_silence_and_lose_no_press() {
    const LONG: [usize; 2] = [3, 8];
    let mut sim = SimulatedLine::new(boards(BusFaults::default()), &addresses(), 6);
    sim.down();
    let moves = ["lift g1\n+0.3 place f3", "lift g8\n+0.3 place f6", "lift f3\n+0.3 place g1", "lift f6\n+0.3 place g8"];
    let levers = ["left", "right"];
    let text: String = (0..900).map(|ply| format!("+0.3 {}\n+0.3 press {}\n", moves[ply % 4], levers[ply % 2])).collect();
    let script = Script::parse(&format!("0.1 run\n{text}")).expect("a script");
    for board in LONG {
        sim.chain.load(board, &script);
    }
    sim.run(seconds(900));
    sim.up();
    sim.run(seconds(958));
    sim.reported.clear();
    sim.cycles.clear();
    sim.run(seconds(960));
    let log = |sim: &mut SimulatedLine, board: usize| {
        sim.driver(sim.now, addresses()[board], Input::Command(DeviceCommand::ReadLog));
    };
    let others = || (0..usize::from(BOARDS)).filter(|board| !LONG.contains(board));
    // A press happens during each of the four answers.
    let pressed = Script::parse("1 run\n3 press left\n10 press right\n23 press left\n30 press right").expect("a script");
    others().for_each(|board| sim.chain.load(board, &pressed));
    LONG.iter().for_each(|&board| log(&mut sim, board));
    sim.run(seconds(980));
    log(&mut sim, LONG[0]);
    let asked = Command::SendFromStart.to(addresses()[LONG[0]]);
    while sim.sent.last().is_none_or(|(_, bytes)| *bytes != asked) {
        sim.run(sim.now.after(Duration::from_millis(1)));
    }
    sim.chain.damage(LONG[0], BusFaults { wrong_sum: 1.0, ..BusFaults::default() }, false);
    sim.run(sim.now.after(Duration::from_millis(100)));
    sim.chain.damage(LONG[0], BusFaults::default(), false);
    sim.run(seconds(1000));
    for address in addresses() {
        assert!(!sim.events(address).any(|(_, event)| event == DeviceEvent::Silent), "{address}");
    }
    for (board, ends) in LONG.into_iter().zip([2, 1]) {
        let end = DeviceEvent::Log(LogEntry::End);
        let entries: Vec<_> = sim.events(addresses()[board]).filter(|(_, event)| matches!(event, DeviceEvent::Log(_))).collect();
        assert_eq!(entries.iter().filter(|(_, event)| *event == end).count(), ends, "{board}");
        assert!(entries.len() > 2700 * ends, "{board}: {}", entries.len());
    }
    others().for_each(|board| assert_eq!(sim.presses(addresses()[board]), 4, "{board}"));
    assert_eq!(sim.silent, []);
    // The longest cycle holds a log and the turns of all boards after it.
    let longest = percentile(&sim.cycle_times(Instant::ZERO), 100);
    assert!((6500..9000).contains(&longest), "{longest}");
    sim.sent_only_questions();
}

#[test]
fn a_board_that_restarts_in_mid_game_is_followed_again() {
    restarts_in_mid_game(false);
}

#[test]
fn a_board_that_has_no_packet_to_repeat_is_followed_again() {
    restarts_in_mid_game(true);
}

fn restarts_in_mid_game(mute_without_packet: bool) {
    let mut settings = boards(BusFaults::default());
    settings[2].mute_without_packet = mute_without_packet;
    let mut sim = SimulatedLine::new(settings, &addresses(), 5);
    let text = "15 lift e2\n+0.4 place e4\n20 power off\n21 lift d7\n21.5 place d5\n24 power on\n35 lift g1\n+0.4 place f3";
    sim.chain.load(2, &Script::parse(text).expect("a script"));
    sim.run(seconds(45));
    let end = Placement::parse("rnbqkbnr/ppp1pppp/8/3p4/4P3/5N2/PPPP1PPP/RNBQKB1R");
    assert_eq!(sim.followed(addresses()[2]), end);
    assert_eq!(sim.followed(addresses()[1]), Some(Placement::initial()));
    let silent: Vec<_> = sim.silent.iter().map(|(_, address)| *address).collect();
    assert_eq!(silent, [addresses()[2]]);
}
