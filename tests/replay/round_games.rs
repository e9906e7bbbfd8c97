//! A bound on the games of a round keeps the round's game in `live` and `public` (`wire/README.md#7.1`).

use std::time::Duration;

use flagfall::publish::Message;
use flagfall::publish::delay::Delay;
use flagfall::session::anchor::AnchorRecord;
use flagfall::session::boot::Start;
use flagfall::session::record_input::read_input;
use flagfall::session::station::{Station, StationOutput};
use flagfall::system_clock::Utc;
use flagfall::wire::round_games::RoundBound;
use flagfall::wire::time::TimeSource;
use flagfall_protocols::time::Instant;
use flagfall_protocols::trace::{Audience, Body};
use serde_json::{Value, json};

use crate::scene::Scene;
use crate::support::parts::Parts;
use crate::support::tapes::Tape;

const INITIAL: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR";
pub(crate) const DELAY: Duration = Duration::from_secs(5);
/// The time at which the journal begins.
const BEGAN: &str = "2026-11-24T10:00:00Z";
const FIRST: [&str; 4] = ["f2f3", "e7e5", "g2g4", "d8h4"];
const SECOND: [&str; 3] = ["d2d4", "d7d5", "c2c4"];

/// The men are set up again after a fool's mate, and three moves are played.
pub(crate) fn evening() -> Scene {
    let mut scene = Scene::running();
    scene.game(&FIRST.join(" ")).wait(1.0).act("stop").wait(4.0);
    next_game(&mut scene);
    scene
}

fn next_game(scene: &mut Scene) {
    scene.act(&format!("board {INITIAL}")).wait(8.0);
    scene.act("set left 0:05:00 right 0:05:00").wait(2.0).act("run").wait(1.0);
    scene.assume(&format!("{INITIAL} w KQkq - 0 1")).game(&SECOND.join(" ")).wait(4.0);
}

pub(crate) fn tape(scene: &mut Scene) -> Tape {
    let mut tape = Tape::parse("an evening", &scene.run().trace);
    tape.setting.delay = Some(Delay { time: DELAY, moves: 0 });
    tape
}

pub(crate) fn bound(games: u32, start: Option<&str>) -> RoundBound {
    RoundBound { games, start: start.map(|text| Utc::parse(text).expect("a time")) }
}

/// The tape with starts of the node, each with its bound, and with a wall clock from this source.
pub(crate) fn started(mut tape: Tape, starts: &[(f64, Option<RoundBound>)], sync: TimeSource) -> Tape {
    for (seconds, bound) in starts {
        let at = Instant((seconds * 1e6) as u64);
        let utc_us = Utc::parse(BEGAN).expect("a time").0 + at.0 as i64;
        let boot = Start { boot: 1, bound: *bound, ..Start::default() }.record(None);
        let wall = AnchorRecord { utc_us, sync, err_ms: None, up_us: None };
        let place = tape.inputs.partition_point(|(other, _)| *other < at);
        let records = [Body::Boot(boot.json().leak()), Body::Anchor(wall.json().leak())];
        tape.inputs.splice(place..place, records.map(|body| (at, body)));
    }
    tape
}

fn messages(outputs: Vec<StationOutput>) -> Vec<Message> {
    let message = |output| if let StationOutput::Message(message) = output { Some(message) } else { None };
    outputs.into_iter().filter_map(message).collect()
}

fn play(tape: &Tape) -> (Station, Vec<Message>) {
    let (mut station, mut outputs) = tape.play();
    station.advance(tape.end().after(DELAY * 2), &mut outputs);
    (station, messages(outputs))
}

/// The body of the last message with this end of its topic.
fn last(messages: &[Message], ending: &str) -> Value {
    let mut parts = Parts::default();
    let joined = messages.iter().map(|message| (&message.topic, parts.joined(&message.topic, message.payload.as_bytes())));
    let (_, last) = joined.filter(|(topic, _)| topic.ends_with(ending)).last().unwrap_or_else(|| panic!("no {ending}"));
    serde_json::from_slice::<Value>(&last).expect("JSON")["body"].clone()
}

fn moves(state: &Value) -> Vec<&str> {
    state["moves"].as_array().expect("moves").iter().map(|played| played["uci"].as_str().expect("a move")).collect()
}

/// Checks the last states: the game number and the moves that `live` and `public` have, and what arbiters read about the game.
#[track_caller]
fn expect(messages: &[Message], shown: (u32, &[&str]), arbiters: (u32, Option<&str>)) {
    for audience in ["live", "public"] {
        let state = last(messages, &format!("/{audience}/replay/1/1/state"));
        assert_eq!((&state["game_no"], moves(&state)), (&json!(shown.0), shown.1.to_vec()), "{audience}");
    }
    let state = last(messages, "/arbiter/replay/1/1/state");
    assert_eq!((&state["game_no"], state.get("unpublished").and_then(Value::as_str)), (&json!(arbiters.0), arbiters.1));
}

/// Whether a message of the live audience or the public is about this game.
fn mentions(messages: &[Message], game: u32) -> bool {
    let id = format!("\"game\":\"replay-1-1-g{game}\"");
    messages.iter().any(|message| message.audience != Audience::Arbiter && message.payload.contains(&id))
}

#[test]
fn the_rounds_game_stays_when_the_men_are_set_up_again() {
    let tape = tape(&mut evening());
    let one = started(tape.clone(), &[(0.0, Some(bound(1, None)))], TimeSource::Ntp);
    let (mut station, all) = play(&one);
    expect(&all, (1, &FIRST), (2, Some("after_the_round")));
    assert!(!mentions(&all, 2) && mentions(&all, 1));
    assert_eq!(moves(&last(&all, "/arbiter/replay/1/1/state")), SECOND);
    // What a broker without retained messages receives at the next connection.
    let mut out = Vec::new();
    station.all_current_states(one.end().after(DELAY * 3), &mut out);
    let present = messages(out);
    expect(&present, (1, &FIRST), (2, Some("after_the_round")));
    assert!(!mentions(&present, 2));
    assert_eq!(last(&present, "/live/replay/1/1/clock")["running"], Value::Null, "the clock of the game that is over");
}

#[test]
fn without_a_bound_and_with_room_games_follow_each_other() {
    let tape = tape(&mut evening());
    for starts in [&[][..], &[(0.0, None)], &[(0.0, Some(bound(2, None)))]] {
        let (_, all) = play(&started(tape.clone(), starts, TimeSource::Ntp));
        expect(&all, (2, &SECOND), (2, None));
    }
}

#[test]
fn what_is_played_before_the_round_is_for_arbiters_only() {
    let tape = tape(&mut evening());
    // The first game begins in the first ten seconds, the second one after 20 s; five minutes lie between opening and start.
    let starts = [(0.0, Some(bound(1, Some("2026-11-24T10:05:15Z"))))];
    let (_, all) = play(&started(tape.clone(), &starts, TimeSource::Ntp));
    expect(&all, (2, &SECOND), (2, None));
    let first = |message: &&Message| message.audience != Audience::Arbiter && message.payload.contains("e7e5");
    assert!(!all.iter().any(|message| first(&message)), "a move of the game before the round");
    // The round begins later than the second game.
    let starts = [(0.0, Some(bound(1, Some("2026-11-24T12:00:00Z"))))];
    let (_, all) = play(&started(tape, &starts, TimeSource::Ntp));
    expect(&all, (2, &[]), (2, Some("before_the_round")));
}

/// Nobody knows which game begins before the round, so nothing is hidden.
#[test]
fn without_a_synchronised_clock_a_start_hides_nothing() {
    let tape = tape(&mut evening());
    let starts = [(0.0, Some(bound(1, Some("2026-11-24T12:00:00Z"))))];
    for sync in [TimeSource::None, TimeSource::Rtc] {
        let (_, all) = play(&started(tape.clone(), &starts, sync));
        expect(&all, (2, &SECOND), (2, None));
    }
}

#[test]
fn an_arbiter_may_begin_another_game_of_the_round() {
    let mut scene = evening();
    scene.act("stop").wait(1.0).act(&format!("board {INITIAL}")).wait(0.5).command(r#"{"verb":"start-game"}"#).wait(2.0);
    scene.act("set left 0:05:00 right 0:05:00").wait(2.0).act("run").wait(1.0);
    scene.assume(&format!("{INITIAL} w KQkq - 0 1")).game("e2e4 e7e6 d2d4").wait(4.0);
    let (_, all) = play(&started(tape(&mut scene), &[(0.0, Some(bound(1, None)))], TimeSource::Ntp));
    let number = last(&all, "/arbiter/replay/1/1/state")["game_no"].as_u64().expect("a number") as u32;
    expect(&all, (number, &["e2e4", "e7e6", "d2d4"]), (number, None));
    assert!(number > 2 && !mentions(&all, 2));
}

#[test]
fn a_higher_bound_after_a_restart_publishes_the_game_on_the_board() {
    let tape = tape(&mut evening());
    let end = tape.inputs.last().expect("inputs").0.0 as f64 / 1e6;
    let starts = [(0.0, Some(bound(1, None))), (end, Some(bound(2, None)))];
    let (_, all) = play(&started(tape.clone(), &starts, TimeSource::Ntp));
    expect(&all, (2, &SECOND), (2, None));
    let early = Instant((end * 1e6) as u64);
    let public = all.iter().filter(|message| message.audience == Audience::Public && message.payload.contains("-g2\""));
    assert!(public.clone().all(|message| message.at >= early.after(DELAY)), "the public is never early");
    assert!(public.count() > 0);
    // A bound that is set later hides the next game and keeps the one on the board.
    let starts = [(0.0, None), (end, Some(bound(1, None)))];
    let (_, all) = play(&started(tape, &starts, TimeSource::Ntp));
    expect(&all, (2, &SECOND), (2, None));
}

/// The daemon makes states at its own rate: a state that is made late must not show another game.
#[test]
fn a_state_that_is_made_late_shows_the_rounds_game() {
    let tape = started(tape(&mut evening()), &[(0.0, Some(bound(1, None)))], TimeSource::Ntp);
    let mut station = tape.setting.station().expect("a station");
    station.set_coalesced(true);
    let mut out = Vec::new();
    for (at, body) in &tape.inputs {
        if let Some(input) = read_input(body).expect("readable") {
            station.feed(*at, &input, &mut out);
        }
    }
    let end = tape.end().after(DELAY * 2);
    station.advance(end, &mut out);
    let dirty = station.dirty_states();
    assert!(dirty.live && dirty.clock);
    station.render_states(end, dirty, &mut out);
    let all = messages(out);
    expect(&all, (1, &FIRST), (2, Some("after_the_round")));
    assert!(!mentions(&all, 2));
}
