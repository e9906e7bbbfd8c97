//! The real `dgt` driver with the emulated board, in simulated time.

use std::time::Duration;

use flagfall_hardware::emulator::clock_model::{ClockSettings, Method, Model};
use flagfall_hardware::emulator::rig::{Rig, RigEvent};
use flagfall_hardware::emulator::script::Script;
use flagfall_hardware::emulator::{Counters, Emulator, Quirks, Settings};
use flagfall_hardware::faulty::{Faults, Rates};
use flagfall_protocols::driver::{DeviceCommand, Output};
use flagfall_protocols::drivers;
use flagfall_protocols::event::{ClockReading, ClockSide, DeviceEvent, Identity, LogEntry};
use flagfall_protocols::square::{Placement, Reading};
use flagfall_protocols::time::{ClockTime, Instant};

use crate::seeds::{campaign, ordinary};

fn seconds(count: u64) -> Instant {
    Instant(count * 1_000_000)
}

fn settings() -> Settings {
    let five = ClockTime::hms(0, 5, 0);
    Settings {
        clock: Some(ClockSettings::new(Model::Dgt3000, Method::Fischer, five, ClockTime::hms(0, 0, 5))),
        ..Settings::default()
    }
}

fn rig(settings: Settings) -> Rig {
    let driver = drivers::find("dgt").expect("registered").start();
    Rig::new(driver, Emulator::new(settings))
}

/// Runs up to `to` and returns the driver's outputs with their times.
fn outputs_until(rig: &mut Rig, to: Instant) -> Vec<(Instant, Output)> {
    let mut reported = Vec::new();
    rig.run_until(to, &mut |event| {
        if let RigEvent::Output { at, output } = event {
            reported.push((at, output.clone()));
        }
    });
    reported
}

fn events(reported: &[(Instant, Output)]) -> Vec<DeviceEvent> {
    reported.iter().filter_map(|(_, output)| if let Output::Event { event, .. } = output { Some(*event) } else { None }).collect()
}

/// Returns the position that follows from the events.
fn followed(events: &[DeviceEvent]) -> Option<Placement> {
    events.iter().fold(None, |placement, event| match (placement, event) {
        (_, DeviceEvent::Frame(frame)) => Some(*frame),
        (Some(mut placement), DeviceEvent::Square { square, reading }) => {
            placement.set(*square, *reading);
            Some(placement)
        }
        (placement, _) => placement,
    })
}

fn readings(events: &[DeviceEvent]) -> Vec<ClockReading> {
    events.iter().filter_map(|event| if let DeviceEvent::Clock(reading) = event { Some(*reading) } else { None }).collect()
}

const GAME: &str = "\
5 run
+3 lift e2
+0.5 place e4
+0.3 press left
+2.1 lift e7
+0.4 place e5
+0.3 press right
+4 slide d1 h5 0.7
+0.4 press left
+2 lift b8
+0.5 place c6
+0.2 press right
+1 lift f1
+0.5 place c4
+0.3 press left
+1 lift g8
+0.5 place f6
+0.3 press right
+2 lift h5
+0.4 place f7
+0.2 stop
";
const END: &str = "r1bqkb1r/pppp1Qpp/2n2n2/4p3/2B1P3/8/PPPP1PPP/RNB1K1NR";

#[test]
fn start_up_completes() {
    // In the mode of an earlier host the board sends a clock message before the first question.
    for (name, settings, clocks) in [
        ("by cable", settings(), 1),
        ("unpaced", Settings { paced: false, ..settings() }, 1),
        (
            "an earlier host left it in a reporting mode",
            Settings { quirks: Quirks { starts_mid_message: true, ..Quirks::default() }, ..settings() },
            2,
        ),
    ] {
        let mut rig = rig(settings);
        let reported = outputs_until(&mut rig, seconds(6));
        let events = events(&reported);
        assert!(events.contains(&DeviceEvent::Responding), "{name}");
        assert!(events.contains(&DeviceEvent::Identity(Identity::Firmware(1, 80))), "{name}");
        assert!(events.contains(&DeviceEvent::Identity(Identity::ClockFirmware(2, 2))), "{name}");
        assert_eq!(followed(&events), Some(Placement::initial()), "{name}");
        let clock = readings(&events);
        assert_eq!(clock.len(), clocks, "{name}: it stands");
        assert!(clock[0].baseline && !clock[0].running && clock[0].lever_up == ClockSide::Left, "{name}");
        assert_eq!(rig.emulator.counters(), Counters::default(), "{name}");
    }
}

#[test]
fn moves_and_presses_arrive() {
    let mut rig = rig(settings());
    rig.emulator.load(&Script::parse(GAME).unwrap());
    let reported = outputs_until(&mut rig, seconds(60));
    let events = events(&reported);
    assert_eq!(followed(&events), Placement::parse(END));
    let levers: Vec<_> = readings(&events).iter().map(|reading| reading.lever_up).collect();
    let presses = levers.windows(2).filter(|pair| pair[0] != pair[1]).count();
    assert_eq!(presses, 6);
    assert!(!readings(&events).last().unwrap().running);
    assert!(!reported.iter().any(|(_, output)| matches!(output, Output::Anomaly { .. })), "{reported:?}");
    assert!(rig.emulator.done());
    // The driver asks and sets modes; it never changes anything that players see.
    assert_eq!(rig.emulator.counters(), Counters::default());
}

#[test]
fn every_press_comes_within_a_poll_and_the_wire() {
    let mut rig = rig(settings());
    rig.emulator.load(&Script::parse("5.37 run\n+3.11 press left\n+2.77 press right\n+9.01 press left").unwrap());
    let reported = outputs_until(&mut rig, seconds(40));
    let mut last = None;
    let mut seen = Vec::new();
    for (at, output) in &reported {
        let Output::Event { event: DeviceEvent::Clock(reading), .. } = output else { continue };
        if last.is_some_and(|lever| lever != reading.lever_up) {
            seen.push(*at);
        }
        last = Some(reading.lever_up);
    }
    let pressed = [8_480_000, 11_250_000, 20_260_000].map(Instant);
    assert_eq!(seen.len(), pressed.len());
    for (seen, pressed) in seen.iter().zip(pressed) {
        assert!(*seen >= pressed && seen.since(pressed) <= Duration::from_millis(500), "{seen:?} {pressed:?}");
    }
}

#[test]
fn the_log_is_read_on_command() {
    let mut rig = rig(settings());
    rig.emulator.load(&Script::parse(GAME).unwrap());
    rig.command(seconds(45), DeviceCommand::ReadLog);
    let events = events(&outputs_until(&mut rig, seconds(70)));
    let entries: Vec<_> =
        events.iter().filter_map(|event| if let DeviceEvent::Log(entry) = event { Some(*entry) } else { None }).collect();
    assert_eq!(entries.first(), Some(&LogEntry::PowerUp));
    assert_eq!(entries.last(), Some(&LogEntry::End));
    assert_eq!(entries.iter().filter(|entry| matches!(entry, LogEntry::Press { .. })).count(), 6);
    // From the log alone the position can be rebuilt.
    let mut rebuilt = Placement::EMPTY;
    for entry in &entries {
        if let LogEntry::Square { square, reading, .. } = entry {
            rebuilt.set(*square, *reading);
        }
    }
    assert_eq!(Some(rebuilt), Placement::parse(END));
}

#[test]
fn the_driver_handles_the_quirks_of_real_boards() {
    let none = Quirks::default();
    for quirks in [
        Quirks { null_clock_message: true, ..none },
        Quirks { ack_fails_once: true, ..none },
        Quirks { unasked_log: Some(Duration::from_secs(10)), ..none },
        Quirks { illegal_time: true, ..none },
        Quirks { clock_jump: Some(Duration::from_secs(12)), ..none },
        Quirks { starts_mid_message: true, ..none },
        Quirks { clock_silent_until_replug: true, ..none },
    ] {
        let mut rig = rig(Settings { quirks, ..settings() });
        rig.emulator.load(&Script::parse(GAME).unwrap());
        rig.emulator.load(&Script::parse("50 disconnect\n52 connect").unwrap());
        let events = events(&outputs_until(&mut rig, seconds(90)));
        assert_eq!(followed(&events), Placement::parse(END), "{quirks:?}");
        let shown = readings(&events).last().copied().expect("the clock was read");
        let real = rig.emulator.clock().unwrap().reading();
        assert_eq!((shown.left, shown.right, shown.lever_up), (real.left, real.right, real.lever_up), "{quirks:?}");
        assert!(events.contains(&DeviceEvent::Identity(Identity::ClockFirmware(2, 2))), "{quirks:?}");
        assert_eq!(rig.emulator.counters(), Counters::default(), "{quirks:?}");
    }
}

#[test]
fn power_off_is_reported_as_silence_and_the_board_comes_back() {
    let mut rig = rig(settings());
    rig.emulator.load(&Script::parse("10 power off\n12 lift e2\n13 place e4\n30 power on").unwrap());
    let events = events(&outputs_until(&mut rig, seconds(60)));
    let liveness: Vec<_> =
        events.iter().filter(|event| matches!(event, DeviceEvent::Responding | DeviceEvent::Silent)).copied().collect();
    assert_eq!(liveness, [DeviceEvent::Responding, DeviceEvent::Silent, DeviceEvent::Responding]);
    assert_eq!(followed(&events), Placement::parse("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR"));
}

#[test]
fn a_damaged_line_heals() {
    let mut kinds = [0; 7];
    campaign("damage of a DGT board", 0..32, |seed| {
        let mut rig = rig(settings());
        rig.damage(Some(Faults::new(seed, Rates::ROUGH)), None);
        rig.emulator.load(&Script::parse(GAME).unwrap());
        let mut reported_all = outputs_until(&mut rig, seconds(60));
        let made = rig.made();
        let each = [made.dropped, made.flipped, made.duplicated, made.delayed, made.cut, made.silences, made.garbage];
        kinds.iter_mut().zip(each).for_each(|(sum, count)| *sum += count);
        rig.damage(None, None);
        let now = rig.now();
        rig.command(now.after(Duration::from_secs(5)), DeviceCommand::ReadBoard);
        reported_all.extend(outputs_until(&mut rig, seconds(90)));
        assert_eq!(followed(&events(&reported_all)), Placement::parse(END), "seed {seed}: {made:?}");
        assert_eq!(rig.emulator.counters(), Counters::default(), "seed {seed}");
        reported_all.len() as u64
    });
    assert!(!ordinary() || kinds.iter().all(|&sum| sum > 0), "every kind of damage was there: {kinds:?}");
}

#[test]
fn damaged_commands_do_no_harm() {
    campaign("damaged commands to a DGT board", 0..32, |seed| {
        let mut rig = rig(settings());
        let rates = Rates { start_mid_message: false, drop: 0.02, flip: 0.02, ..Rates::ROUGH };
        rig.damage(None, Some(Faults::new(seed, rates)));
        rig.emulator.load(&Script::parse(GAME).unwrap());
        let mut reported_all = outputs_until(&mut rig, seconds(60));
        rig.damage(None, None);
        reported_all.extend(outputs_until(&mut rig, seconds(62)));
        rig.emulator.host(seconds(62), &[0x4b]);
        rig.command(seconds(65), DeviceCommand::ReadBoard);
        reported_all.extend(outputs_until(&mut rig, seconds(90)));
        // A damaged command may start a long one, whose 127 bytes swallow as many question bytes, one every two seconds.
        if followed(&events(&reported_all)) != Placement::parse(END) {
            reported_all.extend(outputs_until(&mut rig, seconds(360)));
        }
        assert_eq!(followed(&events(&reported_all)), Placement::parse(END), "seed {seed}");
        assert_eq!(rig.emulator.counters().set_and_run, 0, "seed {seed}");
        reported_all.len() as u64
    });
}

#[test]
fn the_same_run_gives_the_same_events_twice_and_in_pieces() {
    let all = |stops: &[u64]| {
        let mut rig = rig(settings());
        rig.damage(Some(Faults::new(9, Rates::ROUGH)), Some(Faults::new(10, Rates::ROUGH)));
        rig.emulator.load(&Script::parse(GAME).unwrap());
        rig.command(seconds(20), DeviceCommand::ReadClock);
        rig.command(seconds(21), DeviceCommand::ReadBattery);
        let mut seen = Vec::new();
        for &stop in stops {
            rig.run_until(Instant(stop), &mut |event| seen.push(format!("{event:?}")));
        }
        seen
    };
    let once = all(&[60_000_000]);
    assert_eq!(once, all(&[60_000_000]));
    let stops: Vec<_> = (1..=600).map(|step| step * 100_000).collect();
    assert_eq!(once, all(&stops));
    assert!(once.len() > 200);
}

#[test]
fn a_misread_piece_is_reported_and_then_corrected() {
    let mut rig = rig(settings());
    rig.emulator.load(&Script::parse("10 misread c2 B 2").unwrap());
    let events = events(&outputs_until(&mut rig, seconds(20)));
    let squares: Vec<_> = events
        .iter()
        .filter_map(|event| match event {
            DeviceEvent::Square { square, reading: Reading::Piece(piece) } => Some(format!("{square}{}", piece.letter())),
            _ => None,
        })
        .collect();
    assert_eq!(squares, ["c2B", "c2P"]);
}
