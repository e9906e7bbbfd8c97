//! The real drivers of boards without a clock against the emulated boards, in simulated time.

use std::time::Duration;

use flagfall_hardware::emulator::rig::{Rig, RigEvent};
use flagfall_hardware::emulator::script::Script;
use flagfall_hardware::emulator::{
    Chesslink, ChesslinkSettings, Counters, Device, Emulator, Pegasus, PegasusSettings, Reports, Settings,
};
use flagfall_hardware::faulty::{Faults, Rates};
use flagfall_protocols::driver::{DeviceCommand, Output};
use flagfall_protocols::drivers;
use flagfall_protocols::event::{DeviceEvent, Identity};
use flagfall_protocols::square::{Placement, Reading};
use flagfall_protocols::time::Instant;

fn seconds(count: u64) -> Instant {
    Instant(count * 1_000_000)
}

/// Every way in which a board reports, with the driver for it.
fn all() -> Vec<(&'static str, Rig<Box<dyn Device>>)> {
    let link = |reports, paced, parity| -> Box<dyn Device> {
        Box::new(Chesslink::new(ChesslinkSettings { reports, paced, parity, ..ChesslinkSettings::default() }))
    };
    let boards: [(&str, &str, Box<dyn Device>); 7] = [
        ("changes", "chesslink", link(Reports::Changes { equal: 1 }, true, false)),
        ("changes after three scans, parity", "chesslink", link(Reports::Changes { equal: 3 }, true, true)),
        ("every scan", "chesslink", link(Reports::EveryScan, true, true)),
        ("when asked", "chesslink", link(Reports::Never, true, false)),
        ("changes, not paced", "chesslink", link(Reports::Changes { equal: 1 }, false, false)),
        ("pegasus", "dgt_pegasus", Box::new(Pegasus::new(PegasusSettings::default()))),
        (
            "pegasus, slow",
            "dgt_pegasus",
            Box::new(Pegasus::new(PegasusSettings { poll: Duration::from_millis(100), ..PegasusSettings::default() })),
        ),
    ];
    boards
        .into_iter()
        .map(|(name, driver, board)| (name, Rig::new(drivers::find(driver).expect("registered").start(), board)))
        .collect()
}

fn told(rig: &mut Rig<Box<dyn Device>>, to: Instant) -> Vec<(Instant, Output)> {
    let mut told = Vec::new();
    rig.run_until(to, &mut |event| {
        if let RigEvent::Output { at, output } = event {
            told.push((at, output.clone()));
        }
    });
    told
}

fn events(told: &[(Instant, Output)]) -> Vec<DeviceEvent> {
    told.iter().filter_map(|(_, output)| if let Output::Event { event, .. } = output { Some(*event) } else { None }).collect()
}

/// What the board looks like to somebody who follows the events.
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

/// What a board shows of this placement: a Pegasus tells no pieces.
fn shown(name: &str, fen: &str) -> Option<Placement> {
    let mut placement = Placement::parse(fen)?;
    if name.starts_with("pegasus") {
        placement.0.iter_mut().filter(|reading| **reading != Reading::Empty).for_each(|reading| *reading = Reading::Occupied);
    }
    Some(placement)
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
    for (name, mut rig) in all() {
        rig.emulator.load(&Script::parse(GAME).expect("a script"));
        let told = told(&mut rig, seconds(60));
        let events = events(&told);
        assert_eq!(events.iter().filter(|event| **event == DeviceEvent::Responding).count(), 1, "{name}");
        let firmware = if name.starts_with("pegasus") { Identity::Firmware(1, 0) } else { Identity::Firmware(1, 3) };
        assert!(events.contains(&DeviceEvent::Identity(firmware)), "{name}");
        assert!(
            events
                .contains(&DeviceEvent::Frame(shown(name, "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR").expect("a placement")))
        );
        assert_eq!(followed(&events), shown(name, END), "{name}");
        assert!(!told.iter().any(|(_, output)| matches!(output, Output::Anomaly { .. })), "{name}: {told:?}");
        // The driver asks; it writes nothing and lights nothing.
        assert_eq!((rig.emulator.counters(), rig.emulator.impossible().len()), (Counters::default(), 0), "{name}");
        // Every event is news: no picture is told twice.
        let pictures: Vec<_> = (1..=events.len()).map(|count| followed(&events[..count])).collect();
        let squares = |event: &DeviceEvent| matches!(event, DeviceEvent::Frame(_) | DeviceEvent::Square { .. });
        for count in 1..events.len() {
            assert!(!squares(&events[count]) || pictures[count] != pictures[count - 1], "{name}: {:?}", events[count]);
        }
    }
}

#[test]
fn a_change_comes_within_the_time_of_the_family() {
    for (name, mut rig) in all() {
        rig.emulator.load(&Script::parse("10.013 lift e2\n20.3 place e4").expect("a script"));
        let told = told(&mut rig, seconds(30));
        let seen = |from: u64| {
            let squares =
                |event: &Output| matches!(event, Output::Event { event: DeviceEvent::Frame(_) | DeviceEvent::Square { .. }, .. });
            told.iter().find(|(at, output)| *at >= Instant(from) && squares(output)).map(|(at, _)| at.since(Instant(from)))
        };
        let most = match name {
            "changes after three scans, parity" => 3 * 41 + 25 + 41,
            // It is asked every 100 ms, and the answer takes 23.
            "when asked" => 41 + 100 + 50,
            "pegasus" => 50,
            "pegasus, slow" => 100,
            _ => 2 * 41 + 25,
        };
        for from in [10_013_000, 20_300_000] {
            let late = seen(from).expect("it was seen");
            assert!(late <= Duration::from_millis(most), "{name}: {late:?}");
        }
    }
}

#[test]
fn a_board_without_power_falls_silent_and_comes_back() {
    for (name, mut rig) in all() {
        rig.emulator.load(&Script::parse("10 power off\n12 lift e2\n13 place e4\n40 power on").expect("a script"));
        let events = events(&told(&mut rig, seconds(60)));
        let talk: Vec<_> =
            events.iter().filter(|event| matches!(event, DeviceEvent::Responding | DeviceEvent::Silent)).copied().collect();
        assert_eq!(talk, [DeviceEvent::Responding, DeviceEvent::Silent, DeviceEvent::Responding], "{name}");
        assert_eq!(followed(&events), shown(name, "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR"), "{name}");
    }
}

#[test]
fn a_damaged_line_heals() {
    for seed in 0..16 {
        for (name, mut rig) in all() {
            rig.damage(Some(Faults::new(seed, Rates::ROUGH)), None);
            rig.emulator.load(&Script::parse(GAME).expect("a script"));
            let mut told_all = told(&mut rig, seconds(60));
            rig.damage(None, None);
            // The oldest picture a driver keeps is five seconds old, and a second more if the damage cost the last question.
            told_all.extend(told(&mut rig, seconds(75)));
            assert_eq!(followed(&events(&told_all)), shown(name, END), "{name} seed {seed}: {:?}", rig.made());
            assert_eq!(rig.emulator.counters(), Counters::default(), "{name} seed {seed}");
        }
    }
}

#[test]
fn damaged_commands_do_no_harm() {
    for seed in 0..16 {
        for (name, mut rig) in all() {
            let rates = Rates { start_mid_message: false, drop: 0.02, flip: 0.02, ..Rates::ROUGH };
            rig.damage(None, Some(Faults::new(seed, rates)));
            rig.emulator.load(&Script::parse(GAME).expect("a script"));
            let mut told_all = told(&mut rig, seconds(60));
            rig.damage(None, None);
            rig.command(seconds(61), DeviceCommand::ReadBoard);
            told_all.extend(told(&mut rig, seconds(80)));
            assert_eq!(followed(&events(&told_all)), shown(name, END), "{name} seed {seed}");
            if !name.starts_with("pegasus") {
                assert_eq!(rig.emulator.counters().dangerous, 0, "{name} seed {seed}: a check digit stands before each command");
            }
        }
    }
}

#[test]
fn the_same_twice_and_in_pieces() {
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
    let mut boards: Vec<Box<dyn Device>> = vec![
        Box::new(Emulator::new(Settings::default())),
        Box::new(Chesslink::new(ChesslinkSettings::default())),
        Box::new(Pegasus::new(PegasusSettings::default())),
    ];
    for board in &mut boards {
        board.load(&Script::parse("1 move e2 e4\n2 lift e5").expect("a script"));
        assert!(!board.done());
        board.advance(seconds(5), &mut Vec::new());
        assert_eq!((board.done(), board.counters().impossible, board.impossible().len()), (true, 1, 1), "{board:?}");
    }
}
