//! Every driver of a stand-alone clock runs with every emulated clock that it can read, in simulated time. A row in the
//! registries is enough to take part. Boards, with or without a clock, are in `every_board.rs`.

use crate::seeds::campaign;
use crate::unreliable::{MANNERS, Manner, Target, UnreliableDevice};
use flagfall_hardware::emulator::rig::{Rig, RigEvent};
use flagfall_hardware::emulator::script::Script;
use flagfall_hardware::emulator::{Counters, Device, EMULATORS, Kind, Start};
use flagfall_hardware::faulty::{Faults, Rates};
use flagfall_protocols::driver::{DeviceCommand, DriverInfo, Output};
use flagfall_protocols::drivers;
use flagfall_protocols::event::{ClockReading, ClockSide, DeviceEvent};
use flagfall_protocols::time::Instant;

use ClockSide::{Left, Right};

fn seconds(count: u64) -> Instant {
    Instant(count * 1_000_000)
}

fn clocks() -> impl Iterator<Item = &'static Kind> {
    EMULATORS.iter().copied().flatten().filter(|kind| !driver(kind).capabilities.board)
}

/// Returns every kind of clock, switched on, with its driver.
fn all() -> Vec<(&'static Kind, Rig<Box<dyn Device>>)> {
    clocks().map(|kind| (kind, rig(kind, (kind.start)(&Start::default())))).collect()
}

fn driver(kind: &Kind) -> &'static DriverInfo {
    drivers::find(kind.driver).expect("registered")
}

fn rig<D: Device>(kind: &Kind, clock: D) -> Rig<D> {
    Rig::new(driver(kind).start(), clock)
}

fn outputs_until<D: Device>(rig: &mut Rig<D>, to: Instant) -> Vec<(Instant, Output)> {
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

fn readings(reported: &[(Instant, Output)]) -> Vec<(Instant, ClockReading)> {
    let reading = |(at, output): &(Instant, Output)| match output {
        Output::Event { event: DeviceEvent::Clock(reading), .. } => Some((*at, *reading)),
        _ => None,
    };
    reported.iter().filter_map(reading).collect()
}

/// Returns the presses that follow from the readings, with their times and the side that went down. A stopped clock that runs
/// again was started, for either side.
fn presses(reported: &[(Instant, Output)]) -> Vec<(Instant, ClockSide)> {
    let readings = readings(reported);
    let started = |pair: &[(Instant, ClockReading)]| pair[1].1.running && !pair[0].1.running;
    let moved =
        readings.windows(2).filter(|pair| !pair[1].1.baseline && pair[0].1.lever_up != pair[1].1.lever_up && !started(pair));
    moved.map(|pair| (pair[1].0, pair[0].1.lever_up)).collect()
}

/// Returns the times of the last reading, in seconds.
fn shown(reported: &[(Instant, Output)]) -> Option<[u32; 2]> {
    readings(reported).last().map(|(_, reading)| [reading.left, reading.right].map(|face| face.time.millis() / 1000))
}

fn count(reported: &[(Instant, Output)], wanted: DeviceEvent) -> usize {
    events(reported).iter().filter(|event| **event == wanted).count()
}

/// There are six presses, and the right side begins. 5.0 + 3.5 + 0.4 s pass on the left, 4.3 + 2.3 + 7.1 s on the right, and
/// the clock is stopped.
const GAME: &str = "\
1 set left 0:05:00 right 0:05:00
2 press left
5 run
9.3 press right
14.3 press left
16.6 press right
20.1 press left
27.2 press right
27.6 press left
27.6 stop
";
const PRESSED: [(u64, ClockSide); 7] =
    [(2000, Left), (9300, Right), (14_300, Left), (16_600, Right), (20_100, Left), (27_200, Right), (27_600, Left)];
/// The times that the clock shows at the end: a started second is shown.
const END: [u32; 2] = [300 - 8, 300 - 13];

#[test]
fn the_registry_has_clocks() {
    assert!(clocks().count() > 0);
    assert!(clocks().all(|kind| driver(kind).capabilities.clock), "a device that is no board must be a clock");
}

#[test]
fn start_up_completes_and_presses_arrive_in_order_and_in_time() {
    for (kind, mut rig) in all() {
        rig.emulator.load(&Script::parse(GAME).expect("a script"));
        let reported = outputs_until(&mut rig, seconds(40));
        assert_eq!(count(&reported, DeviceEvent::Responding), 1, "{kind:?}");
        let readings = readings(&reported);
        assert!(readings[0].1.baseline && readings[0].0 < seconds(1), "{kind:?}: {:?}", readings[0]);
        assert_eq!(readings.iter().filter(|(_, reading)| reading.baseline).count(), 1, "{kind:?}");
        let presses = presses(&reported);
        assert_eq!(presses.iter().map(|(_, side)| *side).collect::<Vec<_>>(), PRESSED.map(|(_, side)| side), "{kind:?}");
        for ((at, _), (pressed, _)) in presses.iter().zip(PRESSED) {
            let late = at.since(Instant(pressed * 1000));
            assert!(*at >= Instant(pressed * 1000) && late <= kind.late, "{kind:?}: {late:?}");
            assert!(late <= driver(kind).timing.press_delay, "{kind:?}: {late:?}");
        }
        assert_eq!(shown(&reported), Some(END), "{kind:?}");
        // The readings say that the clock runs while it runs, as far as full seconds show it.
        for (at, reading) in &readings {
            let (since, until) = (Instant(7_000_000), Instant(27_600_000));
            assert!(reading.running || *at < since || *at > until, "{kind:?}: {at:?} {reading:?}");
            assert!(!reading.running || (*at > seconds(5) && *at < seconds(31)), "{kind:?}: {at:?} {reading:?}");
        }
        assert!(!readings.last().expect("readings").1.running, "{kind:?}");
        assert!(!reported.iter().any(|(_, output)| matches!(output, Output::Anomaly { .. })), "{kind:?}: {reported:?}");
        // The driver only asks; it sets nothing and shows nothing.
        assert_eq!((rig.emulator.counters(), rig.emulator.impossible().len()), (Counters::default(), 0), "{kind:?}");
        assert!(
            !events(&reported).iter().any(|event| matches!(event, DeviceEvent::Frame(_) | DeviceEvent::Square { .. })),
            "{kind:?}"
        );
    }
}

#[test]
fn power_off_is_reported_as_silence_and_the_clock_comes_back() {
    for (kind, mut rig) in all() {
        rig.emulator.load(&Script::parse("10 power off\n40 power on\n50 press left").expect("a script"));
        let reported = outputs_until(&mut rig, seconds(60));
        let liveness: Vec<_> = events(&reported)
            .into_iter()
            .filter(|event| matches!(event, DeviceEvent::Responding | DeviceEvent::Silent))
            .collect();
        assert_eq!(liveness, [DeviceEvent::Responding, DeviceEvent::Silent, DeviceEvent::Responding], "{kind:?}");
        assert_eq!(readings(&reported).iter().filter(|(_, reading)| reading.baseline).count(), 2, "{kind:?}");
        assert_eq!(presses(&reported).len(), 1, "{kind:?}");
    }
}

#[test]
fn an_unplugged_clock_is_absent_until_it_is_back() {
    for (kind, mut rig) in all() {
        rig.emulator.load(&Script::parse("10 disconnect\n15 connect\n20 press left").expect("a script"));
        let reported = outputs_until(&mut rig, seconds(30));
        assert_eq!(count(&reported, DeviceEvent::ClockAbsent), 1, "{kind:?}");
        let baselines: Vec<_> =
            readings(&reported).into_iter().filter(|(_, reading)| reading.baseline).map(|(at, _)| at).collect();
        assert!(baselines.len() == 2 && baselines[1] >= seconds(15) && baselines[1] <= seconds(18), "{kind:?}: {baselines:?}");
        assert_eq!(presses(&reported).iter().map(|(_, side)| *side).collect::<Vec<_>>(), [Left], "{kind:?}");
    }
}

#[test]
fn a_damaged_line_heals() {
    campaign("damage of every clock", 0..16, |seed| {
        let all = all();
        let count = all.len() as u64;
        for (kind, mut rig) in all {
            rig.damage(Some(Faults::new(seed, Rates::ROUGH)), None);
            rig.emulator.load(&Script::parse(GAME).expect("a script"));
            rig.emulator.load(&Script::parse("60 press right\n62 press left\n64 press right").expect("a script"));
            outputs_until(&mut rig, seconds(50));
            rig.damage(None, None);
            let healed = outputs_until(&mut rig, seconds(56));
            rig.command(seconds(57), DeviceCommand::ReadClock);
            let after = outputs_until(&mut rig, seconds(70));
            let what = format!("{kind:?} seed {seed}: {:?} {healed:?} {after:?}", rig.made());
            assert_eq!(shown(&after), Some(END), "{what}");
            // Presses are reported when they arrive. The first one may correct a lost message.
            let sides: Vec<_> = presses(&after).iter().map(|(_, side)| *side).collect();
            assert_eq!(sides, [Right, Left, Right], "{what}");
            assert_eq!(rig.emulator.counters(), Counters::default(), "{what}");
        }
        count
    });
}

#[test]
fn damaged_commands_cost_no_press() {
    campaign("damaged commands to every clock", 0..16, |seed| {
        let all = all();
        let count = all.len() as u64;
        for (kind, mut rig) in all {
            let rates = Rates { start_mid_message: false, drop: 0.02, flip: 0.02, ..Rates::ROUGH };
            rig.damage(None, Some(Faults::new(seed, rates)));
            rig.emulator.load(&Script::parse(GAME).expect("a script"));
            let reported = outputs_until(&mut rig, seconds(60));
            let sides: Vec<_> = presses(&reported).iter().map(|(_, side)| *side).collect();
            // The first press may come before the times are known.
            assert!(PRESSED.map(|(_, side)| side).ends_with(&sides) && sides.len() >= 5, "{kind:?} seed {seed}: {sides:?}");
            assert_eq!(shown(&reported), Some(END), "{kind:?} seed {seed}");
            let counters = rig.emulator.counters();
            assert_eq!((counters.set_and_run, counters.display), (0, 0), "{kind:?} seed {seed}");
        }
        count
    });
}

#[test]
fn start_up_completes_with_any_answer_late_lost_or_doubled() {
    for kind in clocks() {
        let mut gone = 0;
        for number in 0.. {
            let runs = MANNERS.map(|manner| starts_up(kind, Target::Answers(number), manner));
            gone += runs.iter().map(|(gone, _)| gone).sum::<usize>();
            if number >= 10 && !runs.iter().any(|(_, reached)| *reached) {
                break;
            }
        }
        assert!(gone > 0, "{kind:?}: nothing went astray");
        for manner in MANNERS.into_iter().filter(|manner| !matches!(manner, Manner::Lost)) {
            assert!(starts_up(kind, Target::All, manner).0 > 0, "{kind:?}");
        }
    }
}

/// Switches a clock on and presses it later. Returns how many pieces were affected, and whether the expected events came in
/// time before the first press.
fn starts_up(kind: &Kind, what: Target, manner: Manner) -> (usize, bool) {
    let mut rig = rig(kind, UnreliableDevice::new((kind.start)(&Start::default()), what, manner));
    rig.emulator.load(&Script::parse("20 press left\n+5 press right").expect("a script"));
    let mut reported_all = outputs_until(&mut rig, seconds(15));
    let reached = rig.emulator.reached();
    reported_all.extend(outputs_until(&mut rig, seconds(35)));
    let what = format!("{kind:?}: {what:?} {manner:?}: {reported_all:?}");
    assert_eq!((count(&reported_all, DeviceEvent::Responding), count(&reported_all, DeviceEvent::Silent)), (1, 0), "{what}");
    assert_eq!(presses(&reported_all).iter().map(|(_, side)| *side).collect::<Vec<_>>(), [Left, Right], "{what}");
    assert_eq!(shown(&reported_all), Some([300, 300]), "{what}");
    (rig.emulator.gone, reached)
}

#[test]
fn the_same_run_gives_the_same_events_twice_and_in_pieces() {
    for which in 0..all().len() {
        let run = |stops: &[u64]| {
            let (_, mut rig) = all().swap_remove(which);
            rig.damage(Some(Faults::new(9, Rates::ROUGH)), Some(Faults::new(10, Rates::ROUGH)));
            rig.emulator.load(&Script::parse(GAME).expect("a script"));
            rig.command(seconds(20), DeviceCommand::ReadClock);
            let mut seen = Vec::new();
            for &stop in stops {
                rig.run_until(Instant(stop), &mut |event| seen.push(format!("{event:?}")));
            }
            seen
        };
        let once = run(&[40_000_000]);
        let stops: Vec<_> = (1..=400).map(|step| step * 100_000).collect();
        assert!(once == run(&stops), "{which}");
        assert!(once.len() > 50, "{which}: {}", once.len());
    }
}

#[test]
fn every_emulated_clock_is_a_device() {
    for kind in clocks() {
        let mut clock = (kind.start)(&Start::default());
        clock.load(&Script::parse("1 press left\n2 lift e2").expect("a script"));
        assert!(!clock.done());
        clock.advance(seconds(5), &mut Vec::new());
        assert_eq!((clock.counters().impossible, clock.impossible().len()), (1, 1), "{clock:?}");
    }
}
