//! Every driver runs with every emulated device that it can read, in simulated time. A row in the registries is enough to take
//! part.

use std::time::Duration;

use crate::seeds::campaign;
use crate::unreliable::{MANNERS, Manner, Target, UnreliableDevice};
use flagfall_hardware::emulator::rig::{Rig, RigEvent};
use flagfall_hardware::emulator::script::Script;
use flagfall_hardware::emulator::{Counters, Device, EMULATORS, Kind, Start, find};
use flagfall_hardware::faulty::{Faults, Rates};
use flagfall_protocols::driver::{DeviceCommand, DriverInfo, Output};
use flagfall_protocols::drivers::{self, DRIVERS};
use flagfall_protocols::event::DeviceEvent;
use flagfall_protocols::square::{Placement, Reading};
use flagfall_protocols::time::Instant;

fn seconds(count: u64) -> Instant {
    Instant(count * 1_000_000)
}

const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR";

/// Returns every kind of board, switched on, with its driver.
fn all() -> Vec<(&'static Kind, Rig<Box<dyn Device>>)> {
    boards().map(|kind| (kind, rig(kind, (kind.start)(&Start::default())))).collect()
}

fn boards() -> impl Iterator<Item = &'static Kind> {
    EMULATORS.iter().copied().flatten().filter(|kind| driver(kind).capabilities.board)
}

fn driver(kind: &Kind) -> &'static DriverInfo {
    drivers::find(kind.driver).expect("registered")
}

fn rig<D: Device>(kind: &Kind, board: D) -> Rig<D> {
    Rig::new(driver(kind).start(), board)
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

/// Returns how a board shows this placement. Some boards do not distinguish pieces.
fn shown(kind: &Kind, fen: &str) -> Option<Placement> {
    let mut placement = Placement::parse(fen)?;
    if !driver(kind).capabilities.identifies_pieces {
        placement.0.iter_mut().filter(|reading| **reading != Reading::Empty).for_each(|reading| *reading = Reading::Occupied);
    }
    Some(placement)
}

#[test]
fn every_driver_has_an_emulated_device() {
    for info in DRIVERS {
        let module = info.name;
        assert!(
            find(module).is_some_and(|kind| kind.variant.is_empty()),
            "hardware/src/emulator/mod.rs: no emulated device: `mod {module};`, and in EMULATORS `{module}::KINDS,`"
        );
    }
}

const GAME: &str = "\
5 lift e2
+0.5 place e4
+2.1 lift e7
+0.4 place e5
+4 slide d1 h5 0.7
+2 lift b8
+0.5 place c6
+1 lift f1
+0.5 place c4
+1 lift g8
+0.5 place f6
+2 lift f7
+0.3 drop
+0.2 lift h5
+0.4 place f7
";
const END: &str = "r1bqkb1r/pppp1Qpp/2n2n2/4p3/2B1P3/8/PPPP1PPP/RNB1K1NR";

#[test]
fn start_up_completes_and_moves_arrive() {
    for (kind, mut rig) in all() {
        rig.emulator.load(&Script::parse(GAME).expect("a script"));
        let reported = outputs_until(&mut rig, seconds(60));
        let events = events(&reported);
        assert_eq!(events.iter().filter(|event| **event == DeviceEvent::Responding).count(), 1, "{kind:?}");
        assert!(events.contains(&DeviceEvent::Frame(shown(kind, START).expect("a placement"))), "{kind:?}");
        assert_eq!(followed(&events), shown(kind, END), "{kind:?}");
        assert!(!reported.iter().any(|(_, output)| matches!(output, Output::Anomaly { .. })), "{kind:?}: {reported:?}");
        // The driver only asks; it writes no settings and lights no squares.
        assert_eq!((rig.emulator.counters(), rig.emulator.impossible().len()), (Counters::default(), 0), "{kind:?}");
        // Every event is a change: no picture is reported twice.
        let pictures: Vec<_> = (1..=events.len()).map(|count| followed(&events[..count])).collect();
        let squares = |event: &DeviceEvent| matches!(event, DeviceEvent::Frame(_) | DeviceEvent::Square { .. });
        for count in 1..events.len() {
            assert!(!squares(&events[count]) || pictures[count] != pictures[count - 1], "{kind:?}: {:?}", events[count]);
        }
    }
}

#[test]
fn a_change_comes_within_the_time_of_its_kind() {
    for (kind, mut rig) in all() {
        rig.emulator.load(&Script::parse("10.013 lift e2\n20.3 place e4").expect("a script"));
        let reported = outputs_until(&mut rig, seconds(30));
        let seen = |from: u64| {
            let squares =
                |event: &Output| matches!(event, Output::Event { event: DeviceEvent::Frame(_) | DeviceEvent::Square { .. }, .. });
            reported.iter().find(|(at, output)| *at >= Instant(from) && squares(output)).map(|(at, _)| at.since(Instant(from)))
        };
        for from in [10_013_000, 20_300_000] {
            let late = seen(from).expect("it was seen");
            assert!(late <= kind.late, "{kind:?}: {late:?}");
        }
    }
}

#[test]
fn power_off_is_reported_as_silence_and_the_board_comes_back() {
    for (kind, mut rig) in all() {
        rig.emulator.load(&Script::parse("10 power off\n12 lift e2\n13 place e4\n40 power on").expect("a script"));
        let events = events(&outputs_until(&mut rig, seconds(60)));
        let liveness: Vec<_> =
            events.iter().filter(|event| matches!(event, DeviceEvent::Responding | DeviceEvent::Silent)).copied().collect();
        assert_eq!(liveness, [DeviceEvent::Responding, DeviceEvent::Silent, DeviceEvent::Responding], "{kind:?}");
        assert_eq!(followed(&events), shown(kind, "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR"), "{kind:?}");
    }
}

#[test]
fn a_damaged_line_heals() {
    campaign("damage of every board", 0..16, |seed| {
        let all = all();
        let count = all.len() as u64;
        for (kind, mut rig) in all {
            rig.emulator.load(&Script::parse(GAME).expect("a script"));
            let mut reported_all = Vec::new();
            if !kind.learns.is_zero() {
                // The pieces can be learned only from the initial position, not from the game that follows.
                reported_all = outputs_until(&mut rig, Instant::ZERO.after(kind.learns));
            }
            rig.damage(Some(Faults::new(seed, Rates::ROUGH)), None);
            reported_all.extend(outputs_until(&mut rig, seconds(60)));
            rig.damage(None, None);
            // The oldest picture that a driver keeps is five seconds old, or six if the damage hit the last question.
            reported_all.extend(outputs_until(&mut rig, seconds(75)));
            // In messages without check digits a flipped bit can turn one piece into another. Only the next picture of the
            // board corrects it.
            let seen =
                followed(&events(&reported_all)).filter(|seen| seen.0.iter().all(|reading| *reading != Reading::Unreadable));
            if seen.is_some() && seen != shown(kind, END) {
                rig.command(seconds(76), DeviceCommand::ReadBoard);
                reported_all.extend(outputs_until(&mut rig, seconds(90)));
            }
            assert_eq!(followed(&events(&reported_all)), shown(kind, END), "{kind:?} seed {seed}: {:?}", rig.made());
            assert_eq!(rig.emulator.counters(), Counters::default(), "{kind:?} seed {seed}");
        }
        count
    });
}

#[test]
fn damaged_commands_cost_no_move() {
    campaign("damaged commands to every board", 0..16, |seed| {
        let all = all();
        let count = all.len() as u64;
        for (kind, mut rig) in all {
            let rates = Rates { start_mid_message: false, drop: 0.02, flip: 0.02, ..Rates::ROUGH };
            rig.damage(None, Some(Faults::new(seed, rates)));
            rig.emulator.load(&Script::parse(GAME).expect("a script"));
            let mut reported_all = outputs_until(&mut rig, seconds(60));
            rig.damage(None, None);
            rig.command(seconds(61), DeviceCommand::ReadBoard);
            reported_all.extend(outputs_until(&mut rig, seconds(80)));
            // A flipped bit may have started a command of 127 bytes. It swallows as many question bytes, one every two seconds, and
            // the driver reports meanwhile that the board is silent.
            let liveness = |event: &&DeviceEvent| matches!(event, DeviceEvent::Responding | DeviceEvent::Silent);
            if events(&reported_all).iter().rfind(liveness) != Some(&DeviceEvent::Responding) {
                reported_all.extend(outputs_until(&mut rig, seconds(360)));
            }
            assert_eq!(followed(&events(&reported_all)), shown(kind, END), "{kind:?} seed {seed}");
        }
        count
    });
}

/// Returns whether the driver of this kind asks questions.
fn asks(kind: &Kind) -> bool {
    let mut asked = false;
    let mut rig = rig(kind, (kind.start)(&Start::default()));
    rig.run_until(seconds(10), &mut |event| asked |= matches!(event, RigEvent::Tx { .. }));
    asked
}

#[test]
fn start_up_completes_with_any_answer_late_lost_or_doubled() {
    for kind in boards() {
        let asks = asks(kind);
        let which = if asks { Target::Answers } else { Target::Piece };
        // The move waits until a board without questions has sent its squares. It must not come with the answer to the last
        // question.
        let start_up = if asks { 15 } else { 3 };
        // After the first four, every third piece is tested. A board whose pieces are learned sends hundreds of short messages.
        let thin = if kind.learns.is_zero() { 3 } else { 41 };
        let (mut gone, mut number) = (0, 0);
        loop {
            let runs = MANNERS.map(|manner| starts_up(kind, which(number), manner, start_up, 20));
            gone += runs.iter().map(|(gone, _)| gone).sum::<usize>();
            if number >= 4 && !runs.iter().any(|(_, reached)| *reached) {
                break;
            }
            number += if number < 4 { 1 } else { thin };
        }
        assert!(gone > 0, "{kind:?}: nothing went astray");
    }
}

#[test]
fn start_up_completes_with_all_answers_late_or_doubled() {
    for kind in boards() {
        for manner in MANNERS.into_iter().filter(|manner| !matches!(manner, Manner::Lost)) {
            // A board that is asked for its squares one by one needs a minute if each answer is late, and longer if each answer
            // is very late.
            let begin = if matches!(manner, Manner::Late(by) if by > Duration::from_secs(1)) { 120 } else { 60 };
            let (gone, _) = starts_up(kind, Target::All, manner, begin, begin);
            assert!(gone > 0, "{kind:?}");
        }
    }
}

/// Switches a board on and makes a move after `begin` seconds. Returns how many pieces were affected, and whether the expected
/// events came within `start_up` seconds.
fn starts_up(kind: &Kind, what: Target, manner: Manner, start_up: u64, begin: u64) -> (usize, bool) {
    let mut rig = rig(kind, UnreliableDevice::new((kind.start)(&Start::default()), what, manner));
    rig.emulator.load(&Script::parse(&format!("{begin} lift e2\n+0.4 place e4")).expect("a script"));
    let mut reported_all = outputs_until(&mut rig, seconds(start_up));
    let reached = rig.emulator.reached();
    reported_all.extend(outputs_until(&mut rig, seconds(begin + 15)));
    let events = events(&reported_all);
    let what = format!("{kind:?}: {what:?} {manner:?}: {events:?}");
    assert_eq!(events.iter().filter(|event| **event == DeviceEvent::Responding).count(), 1, "{what}");
    assert!(!events.contains(&DeviceEvent::Silent), "{what}");
    assert_eq!(followed(&events), shown(kind, "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR"), "{what}");
    (rig.emulator.gone, reached)
}

#[test]
fn the_same_run_gives_the_same_events_twice_and_in_pieces() {
    for which in 0..all().len() {
        let run = |stops: &[u64]| {
            let (_, mut rig) = all().swap_remove(which);
            rig.damage(Some(Faults::new(9, Rates::ROUGH)), Some(Faults::new(10, Rates::ROUGH)));
            rig.emulator.load(&Script::parse(GAME).expect("a script"));
            rig.command(seconds(20), DeviceCommand::ReadBoard);
            rig.command(seconds(21), DeviceCommand::ReadBattery);
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
fn every_emulated_board_is_a_device() {
    for kind in boards() {
        let mut board = (kind.start)(&Start::default());
        board.load(&Script::parse("1 move e2 e4\n2 lift e5").expect("a script"));
        assert!(!board.done());
        board.advance(seconds(5), &mut Vec::new());
        assert_eq!((board.counters().impossible, board.impossible().len()), (1, 1), "{board:?}");
    }
}
