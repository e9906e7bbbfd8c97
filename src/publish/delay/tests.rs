//! Tests the limits of the queue: moves of events that find no room are in the next state.

use std::time::Duration;

use flagfall_game::config::GameConfig;
use flagfall_game::effect::{Audience, Effect};
use flagfall_game::game::Game;
use flagfall_game::pair::Pair;
use flagfall_game::played::{LiveMove, Notation};
use flagfall_protocols::driver::Timing;
use flagfall_protocols::time::Instant;

use super::queue::DelayQueue;
use super::{Delay, DelayedContent, Lost, MAX_EVENTS, MAX_STATES};

fn game() -> Game {
    Game::new(
        GameConfig::default(),
        Timing { scan: Duration::from_millis(250), press_delay: Duration::from_millis(500), in_turn: true },
    )
}

fn a_move(ply: u32) -> Effect {
    let san = Notation::of(&"e4".parse().expect("a move"));
    Effect::LiveMove(LiveMove { ply, san, uci: "e2e4".parse().expect("a move"), clocks: Pair::default() })
}

const HOUR: Delay = Delay { time: Duration::from_secs(3600), moves: 0 };
const STATE: Effect = Effect::State(Audience::Live);

#[test]
fn the_oldest_states_are_merged_into_later_ones() {
    let (mut queue, game) = (DelayQueue::new(HOUR), game());
    for at in 0..MAX_STATES as u64 + 100 {
        queue.handle_effect(Instant(at), &STATE, &game);
    }
    assert_eq!(queue.lost, Lost { merged: 100, dropped: 0 });
    let first = queue.pop_due(Instant::ZERO.after(HOUR.time * 2)).expect("a state");
    assert_eq!(first.at, Instant(100), "and none comes earlier for it");
}

#[test]
fn an_event_without_room_is_in_the_next_state() {
    let (mut queue, game) = (DelayQueue::new(HOUR), game());
    for ply in 1..=MAX_EVENTS as u32 + 50 {
        queue.handle_effect(Instant(1), &a_move(ply), &game);
    }
    for at in 2..20 {
        queue.handle_effect(Instant(at), &STATE, &game);
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
    queue.handle_effect(Instant(20), &STATE, &game);
    let next = queue.pop_due(Instant(20).after(HOUR.time)).expect("a state");
    assert!(matches!(next.content, DelayedContent::State { whole: true, .. }), "the first with room still has it");
    queue.handle_effect(Instant(21), &STATE, &game);
    let next = queue.pop_due(Instant(21).after(HOUR.time)).expect("a state");
    assert!(matches!(next.content, DelayedContent::State { whole: false, .. }));
}

#[test]
fn after_a_restart_a_state_of_an_events_own_moment_waits_with_it() {
    let (mut queue, game) = (DelayQueue::new(Delay::default()), game());
    queue.hold();
    queue.handle_effect(Instant(4), &STATE, &game);
    queue.handle_effect(Instant(5), &STATE, &game);
    queue.handle_effect(Instant(5), &a_move(1), &game);
    queue.handle_effect(Instant(5), &STATE, &game);
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
    queue.handle_effect(Instant(5), &a_move(1), &game);
    let due = Instant(5).after(HOUR.time);
    assert_eq!(queue.deadline(), Some(due));
    assert!(queue.pop_due(Instant(due.0 - 1)).is_none());
    assert!(queue.pop_due(due).is_some());
}
