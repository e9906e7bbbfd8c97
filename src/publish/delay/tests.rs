//! The bounds of the line: what finds no room is not lost to the picture.

use std::time::Duration;

use flagfall_game::config::GameConfig;
use flagfall_game::effect::{Audience, Effect};
use flagfall_game::game::Game;
use flagfall_game::pair::Pair;
use flagfall_game::played::{LiveMove, Notation};
use flagfall_protocols::driver::Timing;
use flagfall_protocols::time::Instant;

use super::line::Line;
use super::{Delay, Lost, MAX_EVENTS, MAX_STATES, What};

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
fn the_oldest_pictures_go_into_later_ones() {
    let (mut line, game) = (Line::new(HOUR), game());
    for at in 0..MAX_STATES as u64 + 100 {
        line.take(Instant(at), &STATE, &game);
    }
    assert_eq!(line.lost, Lost { merged: 100, dropped: 0 });
    let first = line.pop(Instant::ZERO.after(HOUR.time * 2)).expect("a picture");
    assert_eq!(first.at, Instant(100), "and none comes earlier for it");
}

#[test]
fn an_event_without_room_is_in_the_next_picture() {
    let (mut line, game) = (Line::new(HOUR), game());
    for ply in 1..=MAX_EVENTS as u32 + 50 {
        line.take(Instant(1), &a_move(ply), &game);
    }
    for at in 2..20 {
        line.take(Instant(at), &STATE, &game);
    }
    assert_eq!(line.lost, Lost { merged: 17, dropped: 50 }, "the last picture has everything");
    let (mut events, mut whole) = (0, Vec::new());
    while let Some(entry) = line.pop(Instant(19).after(HOUR.time)) {
        match entry.what {
            What::State { whole: complete, .. } => whole.push((entry.at, complete)),
            _ => events += 1,
        }
    }
    assert_eq!((events, whole), (MAX_EVENTS, vec![(Instant(19), true)]));
    // There is room again, and the pictures need no list of their own.
    line.take(Instant(20), &STATE, &game);
    let next = line.pop(Instant(20).after(HOUR.time)).expect("a picture");
    assert!(matches!(next.what, What::State { whole: true, .. }), "the first with room still has it");
    line.take(Instant(21), &STATE, &game);
    let next = line.pop(Instant(21).after(HOUR.time)).expect("a picture");
    assert!(matches!(next.what, What::State { whole: false, .. }));
}

#[test]
fn after_a_restart_a_picture_of_an_events_own_moment_waits_with_it() {
    let (mut line, game) = (Line::new(Delay::default()), game());
    line.hold();
    line.take(Instant(4), &STATE, &game);
    line.take(Instant(5), &STATE, &game);
    line.take(Instant(5), &a_move(1), &game);
    line.take(Instant(5), &STATE, &game);
    let mut shown = Vec::new();
    line.go_on(Instant(9), |entry| shown.push(entry.at));
    assert_eq!(shown, [Instant(4)]);
    let rest: Vec<bool> = std::iter::from_fn(|| line.pop(Instant(9))).map(|entry| matches!(entry.what, What::Move(_))).collect();
    assert_eq!(rest, [false, true, false]);
}

#[test]
fn nothing_comes_before_its_time() {
    let (mut line, game) = (Line::new(HOUR), game());
    line.take(Instant(5), &a_move(1), &game);
    let due = Instant(5).after(HOUR.time);
    assert_eq!(line.deadline(), Some(due));
    assert!(line.pop(Instant(due.0 - 1)).is_none());
    assert!(line.pop(due).is_some());
}
