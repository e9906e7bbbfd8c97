//! Tests the limits of the queue: moves of events that find no room are in the next state, and the line of the clock's times stays
//! short.

use std::time::Duration;

use flagfall_game::config::GameConfig;
use flagfall_game::effect::{Audience, Effect};
use flagfall_game::game::Game;
use flagfall_game::input::Input;
use flagfall_game::pair::Pair;
use flagfall_game::played::{LiveMove, Notation};
use flagfall_protocols::driver::Timing;
use flagfall_protocols::event::{ByteRange, ClockFace, ClockReading, ClockSide, DeviceEvent};
use flagfall_protocols::time::{ClockTime, Instant};

use super::clocks::DelayedClocks;
use super::queue::DelayQueue;
use super::{Delay, DelayedContent, Lost, MAX_CLOCKS, MAX_EVENTS, MAX_STATES};
use crate::wire::round_games::InRound;

fn game() -> Game {
    Game::new(
        GameConfig::default(),
        Timing { scan: Duration::from_millis(250), press_delay: Duration::from_millis(500), in_turn: true },
    )
}

fn a_move(ply: u32) -> Effect {
    let san = Notation::of(&"e4".parse().expect("a move"));
    let played = LiveMove { ply, san, uci: "e2e4".parse().expect("a move"), clocks: Pair::default() };
    Effect::LiveMove { audience: Audience::Public, played }
}

const HOUR: Delay = Delay { time: Duration::from_secs(3600), moves: 0 };
const STATE: Effect = Effect::State(Audience::Public);

#[test]
fn the_oldest_states_are_merged_into_later_ones() {
    let (mut queue, game) = (DelayQueue::new(HOUR), game());
    for at in 0..MAX_STATES as u64 + 100 {
        queue.handle_effect(Instant(at), &STATE, &game, InRound::default());
    }
    assert_eq!(queue.lost, Lost { merged: 100, dropped: 0 });
    let first = queue.pop_due(Instant::ZERO.after(HOUR.time * 2)).expect("a state");
    assert_eq!(first.at, Instant(100), "and none comes earlier for it");
}

#[test]
fn an_event_without_room_is_in_the_next_state() {
    let (mut queue, game) = (DelayQueue::new(HOUR), game());
    for ply in 1..=MAX_EVENTS as u32 + 50 {
        queue.handle_effect(Instant(1), &a_move(ply), &game, InRound::default());
    }
    for at in 2..20 {
        queue.handle_effect(Instant(at), &STATE, &game, InRound::default());
    }
    assert_eq!(queue.lost, Lost { merged: 17, dropped: 50 }, "the last state has everything");
    let (mut events, mut whole) = (0, Vec::new());
    while let Some(item) = queue.pop_due(Instant(19).after(HOUR.time)) {
        match item.content {
            DelayedContent::State { whole: complete, .. } => whole.push((item.at, complete)),
            _ => events += 1,
        }
    }
    assert_eq!((events, whole), (MAX_EVENTS, vec![(Instant(19), true)]));
    // There is room again, and the states need no list of their own.
    queue.handle_effect(Instant(20), &STATE, &game, InRound::default());
    let next = queue.pop_due(Instant(20).after(HOUR.time)).expect("a state");
    assert!(matches!(next.content, DelayedContent::State { whole: true, .. }), "the first with room still has it");
    queue.handle_effect(Instant(21), &STATE, &game, InRound::default());
    let next = queue.pop_due(Instant(21).after(HOUR.time)).expect("a state");
    assert!(matches!(next.content, DelayedContent::State { whole: false, .. }));
}

#[test]
fn after_a_restart_a_state_of_an_events_own_moment_waits_with_it() {
    let (mut queue, game) = (DelayQueue::new(Delay::default()), game());
    queue.hold();
    queue.handle_effect(Instant(4), &STATE, &game, InRound::default());
    queue.handle_effect(Instant(5), &STATE, &game, InRound::default());
    queue.handle_effect(Instant(5), &a_move(1), &game, InRound::default());
    queue.handle_effect(Instant(5), &STATE, &game, InRound::default());
    let mut shown = Vec::new();
    queue.resume(Instant(9), |item| shown.push(item.at));
    assert_eq!(shown, [Instant(4)]);
    let rest: Vec<bool> =
        std::iter::from_fn(|| queue.pop_due(Instant(9))).map(|item| matches!(item.content, DelayedContent::Move(_))).collect();
    assert_eq!(rest, [false, true, false]);
}

#[test]
fn nothing_comes_before_its_time() {
    let (mut queue, game) = (DelayQueue::new(HOUR), game());
    queue.handle_effect(Instant(5), &a_move(1), &game, InRound::default());
    let due = Instant(5).after(HOUR.time);
    assert_eq!(queue.deadline(), Some(due));
    assert!(queue.pop_due(Instant(due.0 - 1)).is_none());
    assert!(queue.pop_due(due).is_some());
}

#[test]
fn corrected_times_count_as_events_but_release_no_number() {
    let (mut queue, game) = (DelayQueue::new(HOUR), game());
    let Effect::LiveMove { played, .. } = a_move(1) else { unreachable!("it is a move") };
    let times = Effect::LiveTimes { audience: Audience::Public, moves: vec![played] };
    queue.hold();
    queue.handle_effect(Instant(1), &a_move(1), &game, InRound::default());
    queue.handle_effect(Instant(2), &times, &game, InRound::default());
    queue.handle_effect(Instant(2), &STATE, &game, InRound::default());
    queue.handle_effect(Instant(3), &a_move(2), &game, InRound::default());
    let mut released = Vec::new();
    queue.pop_recorded(|item| released.push(item.at));
    assert_eq!(released, [Instant(1)]);
    queue.pop_recorded(|item| released.push(item.at));
    assert_eq!(released, [1, 2, 2, 3].map(Instant), "times and state come before the next recorded event");
    for _ in 0..=MAX_EVENTS {
        queue.handle_effect(Instant(4), &times, &game, InRound::default());
    }
    assert_eq!(queue.lost, Lost { merged: 0, dropped: 1 });
}

/// A game whose clock is read at `at`, with the right lever up or the left one.
fn read_clock(game: &mut Game, at: Instant, seconds: u64, side: ClockSide) {
    let face = |seconds: u64| ClockFace { time: ClockTime(seconds as u32 * 1000), ..ClockFace::default() };
    let reading = ClockReading {
        left: face(seconds),
        right: face(50_000),
        running: true,
        lever_up: side,
        turn: Some(side),
        battery_low: false,
        baseline: false,
        resolution_ms: 1000,
        late: Duration::ZERO,
    };
    game.step(at, &Input::Device { event: DeviceEvent::Clock(reading), source: ByteRange::default() }, &mut Vec::new());
}

#[test]
fn of_the_times_of_a_clock_only_the_last_before_each_due_moment_is_kept() {
    let (queue, mut game, mut clocks) = (DelayQueue::new(HOUR), game(), DelayedClocks::default());
    let second = Duration::from_secs(1);
    for passed in 0..4 * 3600_u64 {
        let at = Instant::ZERO.after(second * passed as u32);
        read_clock(&mut game, at, 40_000 - passed, ClockSide::Left);
        clocks.add(at, &game, &queue);
    }
    assert_eq!(clocks.len(), 4 * 360 + 1, "the first report and one in ten seconds");
    let (mut now, mut seen) = (Instant::ZERO, Vec::new());
    while let Some(due) = clocks.deadline(&queue).filter(|due| *due <= Instant::ZERO.after(HOUR.time + second * 60)) {
        now = due;
        assert!(clocks.release_due(now, &queue));
        let shown = clocks.publish(now).expect("times");
        assert!(shown.at.after(HOUR.time) <= now, "{:?} at {now:?}", shown.at);
        seen.push(shown.at.0 / 1_000_000);
    }
    assert_eq!(seen, [0, 10, 20, 30, 40, 50, 60]);
    assert_eq!(now, Instant::ZERO.after(HOUR.time + second * 60));
}

#[test]
fn the_line_of_a_clocks_times_is_bounded_and_keeps_the_newest() {
    let (queue, mut game, mut clocks) = (DelayQueue::new(HOUR), game(), DelayedClocks::default());
    let mut replaced = 0;
    for press in 0..MAX_CLOCKS as u64 + 100 {
        let at = Instant(press * 1000);
        read_clock(&mut game, at, 40_000, if press % 2 == 0 { ClockSide::Left } else { ClockSide::Right });
        replaced += u32::from(clocks.add(at, &game, &queue));
    }
    assert_eq!((clocks.len(), replaced), (MAX_CLOCKS, 100));
    let last = Instant((MAX_CLOCKS as u64 + 99) * 1000);
    assert!(clocks.release_due(last.after(HOUR.time + Duration::from_secs(10)), &queue));
    assert_eq!(clocks.publish(last).map(|shown| shown.at), Some(last));
}

#[test]
fn the_times_of_a_clock_wait_for_moves_too() {
    let (delay, mut game) = (Delay { time: Duration::ZERO, moves: 2 }, game());
    let (queue, mut clocks) = (DelayQueue::new(delay), DelayedClocks::default());
    read_clock(&mut game, Instant(5), 100, ClockSide::Left);
    clocks.add(Instant(5), &game, &queue);
    assert_eq!(clocks.deadline(&queue), None);
}

/// A report that counts fewer plies, because moves were taken back, waits for fewer moves than the one before it.
#[test]
fn no_times_come_before_earlier_ones_that_wait_for_more_moves() {
    let (delay, mut game) = (Delay { time: Duration::ZERO, moves: 2 }, game());
    let (mut queue, mut clocks) = (DelayQueue::new(delay), DelayedClocks::default());
    for (at, plies, side) in [(5, 4, ClockSide::Left), (6, 1, ClockSide::Right)] {
        read_clock(&mut game, Instant(at), 40_000, side);
        clocks.add_report(Instant(at), game.clock(), game.number(), plies, &queue);
    }
    queue.note_game(Instant(7), (game.number(), 3, false));
    assert_eq!(clocks.deadline(&queue), None, "the second report is due, and the first one is not");
    queue.note_game(Instant(8), (game.number(), 6, false));
    let due = clocks.deadline(&queue).expect("both are due");
    assert!(clocks.release_due(due, &queue));
    assert_eq!((clocks.len(), clocks.publish(due).map(|shown| shown.at)), (0, Some(Instant(6))));
    assert!(clocks.deadline(&queue).is_none_or(|again| again > due), "nothing is released twice at one moment");
}
