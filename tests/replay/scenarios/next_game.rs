//! Scenario 104 from the other side: the pieces are set up again while a flag awaits its ruling.

use flagfall::publish::Message;
use flagfall::session::station::StationOutput;
use flagfall::wire::state::Stage;
use flagfall_hardware::emulator::clock_model::{ClockSettings, Method, Model};
use flagfall_protocols::time::{ClockTime, Instant};
use serde_json::Value;

use crate::scene::{Outcome, Scene};

const INITIAL: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR";

/// White's flag fell in a game with two moves, the clock was stopped at zero, and the pieces were set up at once.
fn set_up_at_once() -> Scene {
    let clock = ClockSettings {
        freeze: true,
        ..ClockSettings::new(Model::Generic, Method::Fischer, ClockTime(20_000), ClockTime(10_000))
    };
    let mut scene = Scene::new(clock, "20+10");
    scene.act("run").play("e2e4", 1.0).play("e7e5", 1.0).wait(60.0).act("stop").wait(1.0);
    scene.act(&format!("board {INITIAL}")).wait(60.0);
    scene
}

fn rulings(messages: &[Message]) -> Vec<Value> {
    let rulings = messages.iter().filter(|message| message.topic.ends_with("/ruling"));
    rulings.map(|message| serde_json::from_str(&message.payload).unwrap_or(Value::Null)).collect()
}

fn last_ruling(outcome: &Outcome) -> Value {
    rulings(&outcome.messages).last().expect("a ruling").clone()
}

fn present(outcome: &mut Outcome) -> Vec<Message> {
    let mut out = Vec::new();
    outcome.station.all_current_states(Instant(1_000_000_000), &mut out);
    let message = |output| if let StationOutput::Message(message) = output { Some(message) } else { None };
    out.into_iter().filter_map(message).collect()
}

#[test]
fn the_game_stays_and_its_commands_work() {
    let outcome = set_up_at_once().run();
    assert_eq!((outcome.state().game_no, outcome.state().flags.len(), outcome.row()), (1, 1, "16"));
    assert!(last_ruling(&outcome)["body"].get("decision").is_none());
    let mut ruled = set_up_at_once();
    ruled.command(r#"{"verb":"claim","flag":"white"}"#).wait(5.0);
    ruled.command(r#"{"verb":"declare-result","result":"0-1"}"#).wait(5.0);
    let outcome = ruled.run();
    assert_eq!(outcome.audit("refused"), 0);
    let ruling = last_ruling(&outcome);
    assert_eq!((&ruling["game"], &ruling["body"]["decision"]["result"]), (&"replay-1-1-g1".into(), &"0-1".into()));
    assert_eq!((&ruling["body"]["flag"], &ruling["body"]["conditional"]), (&"white".into(), &false.into()));
    let is_result = |message: &&Message| message.topic.contains("/live/") && message.payload.contains(r#""result":"0-1""#);
    assert!(outcome.messages.iter().any(|message| is_result(&message)), "the result is published");
    assert_eq!((outcome.state().game_no, outcome.state().stage), (2, Stage::Armed), "the next game is armed");
}

#[test]
fn the_next_game_begins_with_its_clock() {
    let mut scene = set_up_at_once();
    scene.act("set left 0:00:30 right 0:00:30").act("flagsign off left").wait(1.0).act("run");
    scene.assume(&format!("{INITIAL} w KQkq - 0 1")).play("d2d4", 0.1).play("d7d5", 1.0);
    let mut outcome = scene.wait(2.0).run();
    assert_eq!((outcome.state().game_no, outcome.moves().join(" ")), (2, "d2d4 d7d5".to_owned()));
    assert_eq!(outcome.alarms(), ["result_missing"]);
    assert_eq!(last_ruling(&outcome), Value::Null, "deleted with the first move");
    assert_eq!(rulings(&present(&mut outcome)), [Value::Null]);
}

#[test]
fn a_ruling_of_the_game_before_is_shown_until_the_first_move() {
    let mut scene = set_up_at_once();
    scene.act("set left 0:00:30 right 0:00:30").act("flagsign off left").wait(5.0);
    let mut outcome = scene.run();
    assert_eq!(outcome.state().game_no, 2);
    for ruling in [last_ruling(&outcome), rulings(&present(&mut outcome))[0].clone()] {
        assert_eq!((&ruling["game"], &ruling["body"]["flag"]), (&"replay-1-1-g1".into(), &"white".into()));
    }
}

#[test]
fn a_flag_taken_back_takes_its_ruling_along() {
    let mut scene = set_up_at_once();
    scene.command(r#"{"verb":"set-clock-record","flag_taken_back":"white"}"#).wait(1.0);
    assert_eq!(last_ruling(&scene.run()), Value::Null);
}

/// Of other alerts the broker may retain something: what no journal holds open is found there and deleted.
#[test]
fn a_restart_publishes_the_open_alerts_and_no_others() {
    let mut outcome = set_up_at_once().run();
    let mut open: Vec<u32> = outcome.state().alarms.iter().map(|alarm| alarm.id).collect();
    assert!(!open.is_empty());
    let messages = present(&mut outcome);
    let alerts = messages.iter().filter(|message| message.topic.contains("/alert/"));
    let mut published: Vec<u32> = alerts
        .map(|message| {
            assert!(message.retain && !message.payload.is_empty(), "{}", message.topic);
            message.topic.rsplit('/').next().and_then(|id| id.parse().ok()).expect("a number")
        })
        .collect();
    open.sort_unstable();
    published.sort_unstable();
    assert_eq!(published, open);
}
