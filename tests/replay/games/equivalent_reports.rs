//! Other reports of the same game: squares of one scan in another order, frames instead of squares, repeated reports, one square that
//! is never reported (`reconstruct/README.md#7`, invariants 2, 4, 6, 10, 12).

use fastrand::Rng;
use flagfall::publish::states;
use flagfall::wire::state::ArbiterState;
use flagfall_game::effect::Effect;
use flagfall_game::game::Game;
use flagfall_game::input::Input;
use flagfall_protocols::driver::{Input as DriverInput, Output};
use flagfall_protocols::drivers;
use flagfall_protocols::event::{ByteRange, DeviceEvent};
use flagfall_protocols::square::Placement;
use flagfall_protocols::time::Instant;
use flagfall_protocols::trace::{Body, Trace};

use crate::games::exact::{BLITZ, RAPID, move_names, play};
use crate::games::hands::Pace;
use crate::scene::Outcome;
use crate::support::seeds::campaign;

type DeviceEvents = Vec<(Instant, DeviceEvent)>;

/// The events from the driver in a scene.
fn driver_events(outcome: &Outcome) -> DeviceEvents {
    let mut driver = drivers::find("dgt").expect("registered").start();
    let mut events = Vec::new();
    for record in Trace::new(outcome.trace.as_bytes()).expect("a trace").records() {
        let (_, record) = record.expect("a record");
        let Body::Rx { channel, bytes, .. } = &record.body else { continue };
        driver.handle(record.at, DriverInput::Bytes { channel: *channel, bytes });
        while let Some(output) = driver.poll() {
            if let Output::Event { event, .. } = output {
                events.push((record.at, event));
            }
        }
    }
    events
}

/// The state of a game that is fed with these events.
fn arbiter_state_of(events: &DeviceEvents) -> ArbiterState {
    let mut game = Game::new(Default::default(), drivers::find("dgt").expect("registered").timing);
    let mut out: Vec<Effect> = Vec::new();
    let end = events.last().map_or(Instant::ZERO, |(at, _)| Instant(at.0 + 5_000_000));
    for (at, event) in events {
        while let Some(due) = game.deadline().filter(|due| due < at) {
            game.step(due, &Input::Deadline, &mut out);
        }
        game.step(*at, &Input::Device { event: *event, source: ByteRange::default() }, &mut out);
        out.clear();
    }
    while let Some(due) = game.deadline().filter(|&due| due <= end) {
        game.step(due, &Input::Deadline, &mut out);
    }
    states::arbiter_state(&game)
}

fn moves(events: &DeviceEvents) -> Vec<String> {
    arbiter_state_of(events).moves.into_iter().map(|mv| mv.uci.to_string()).collect()
}

fn is_square(event: &DeviceEvent) -> bool {
    matches!(event, DeviceEvent::Square { .. })
}

/// Reports of squares within one scan change places; the reports of one square keep their order, and the stamps stay in place.
fn shuffled(events: &DeviceEvents, rng: &mut Rng) -> DeviceEvents {
    let mut events = events.clone();
    let mut begin = 0;
    while begin < events.len() {
        let first = events[begin].0;
        let within = |(at, event): &&(Instant, DeviceEvent)| is_square(event) && at.0 < first.0 + 225_000;
        let count = events[begin..].iter().take_while(within).count();
        let mut scan: Vec<DeviceEvent> = events[begin..begin + count].iter().map(|(_, event)| *event).collect();
        let of = |event: &DeviceEvent| match event {
            DeviceEvent::Square { square, .. } => square.index(),
            _ => 64,
        };
        let mut once: Vec<usize> = scan.iter().map(of).collect();
        once.sort_unstable();
        once.dedup();
        if once.len() == scan.len() {
            rng.shuffle(&mut scan);
        }
        for (to, event) in events[begin..].iter_mut().zip(scan) {
            to.1 = event;
        }
        begin += count.max(1);
    }
    events
}

/// Every report of a square becomes a frame of the whole board.
fn framed(events: &DeviceEvents) -> DeviceEvents {
    let mut board = Placement::EMPTY;
    let frames = events.iter().map(|(at, event)| match event {
        DeviceEvent::Frame(frame) => {
            board = *frame;
            (*at, *event)
        }
        DeviceEvent::Square { square, reading } => {
            board.set(*square, *reading);
            (*at, DeviceEvent::Frame(board))
        }
        _ => (*at, *event),
    });
    frames.collect()
}

/// Every report of a square comes twice.
fn repeated(events: &DeviceEvents) -> DeviceEvents {
    events.iter().flat_map(|&entry| std::iter::repeat_n(entry, if is_square(&entry.1) { 2 } else { 1 })).collect()
}

/// One report of a square is missing; a second later a frame has all squares.
fn dropped(events: &DeviceEvents, index: usize) -> DeviceEvents {
    let mut board = Placement::EMPTY;
    let mut changed = DeviceEvents::new();
    let again = Instant(events[index].0.0 + 1_000_000);
    let mut repaired = false;
    for (here, (at, event)) in events.iter().enumerate() {
        if *at > again && !std::mem::replace(&mut repaired, true) {
            changed.push((again, DeviceEvent::Frame(board)));
        }
        match event {
            DeviceEvent::Frame(frame) => board = *frame,
            DeviceEvent::Square { square, reading } => board.set(*square, *reading),
            _ => {}
        }
        if here != index {
            changed.push((*at, *event));
        }
    }
    if !repaired {
        changed.push((again, DeviceEvent::Frame(board)));
    }
    changed
}

/// Plays the game of this seed and checks it; returns the number of its events.
fn check_seed(pace: Pace, seed: u64, plies: usize, check: impl Fn(&mut Rng, &DeviceEvents, &[String])) -> u64 {
    let mut rng = Rng::with_seed(seed);
    let mut played = play(&mut rng, pace, plies, false);
    let outcome = played.scene.wait(3.0).run();
    let events = driver_events(&outcome);
    let expected = move_names(&played.moves);
    assert_eq!(moves(&events), expected, "with the original reports");
    check(&mut rng, &events, &expected);
    events.len() as u64
}

#[test]
fn squares_of_one_scan_may_come_in_any_order() {
    let check = |rng: &mut Rng, events: &DeviceEvents, expected: &[String]| {
        for _ in 0..5 {
            assert_eq!(moves(&shuffled(events, rng)), expected);
        }
    };
    campaign("squares of a scan in any order", 300..303, |seed| check_seed(BLITZ, seed, 90, check));
}

#[test]
fn frames_and_repetitions_give_the_same_game() {
    let check = |_: &mut Rng, events: &DeviceEvents, expected: &[String]| {
        let plain = arbiter_state_of(events);
        // A frame has no times of its squares, so the times of moves are less exact.
        assert_eq!(moves(&framed(events)), expected, "frames");
        assert_eq!(arbiter_state_of(&repeated(events)), plain, "twice");
    };
    campaign("frames and repetitions", 310..313, |seed| check_seed(BLITZ, seed, 90, check));
}

#[test]
fn a_square_never_reported_is_repaired_by_the_next_frame() {
    let check = |rng: &mut Rng, events: &DeviceEvents, expected: &[String]| {
        let squares: Vec<usize> = (0..events.len()).filter(|&index| is_square(&events[index].1)).collect();
        for _ in 0..25 {
            let index = rng.choice(&squares).copied().expect("a square");
            assert_eq!(moves(&dropped(events, index)), expected, "event {index}: {:?}", events[index]);
        }
    };
    campaign("a square never reported", 320..322, |seed| check_seed(RAPID, seed, 50, check));
}
