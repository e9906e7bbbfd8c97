//! What the live audience and the public see of a game: the times of the record, the result, the clock and the link.

use std::time::Duration;

use fastrand::Rng;
use flagfall::publish::delay::Delay;
use flagfall::publish::{Message, states};
use flagfall::session::station::StationOutput;
use flagfall_protocols::time::Instant;
use flagfall_protocols::trace::Audience;
use serde_json::{Value, json};

use crate::games::hands::Pace;
use crate::invariants::checked_game::CheckedGame;
use crate::invariants::played_game::{self, RAPID};
use crate::scene::{Outcome, Scene};
use crate::support::parts::Parts;
use crate::support::tapes::{Tape, own_tapes};

/// The time and the body of every message with this ending.
fn bodies(messages: &[Message], topic: &str) -> Vec<(Instant, Value)> {
    let mut parts = Parts::default();
    let joined = messages.iter().map(|message| (message, parts.joined(&message.topic, message.payload.as_bytes())));
    let of_topic = joined.filter(|(message, _)| message.topic.ends_with(topic));
    of_topic
        .map(|(message, payload)| (message.at, serde_json::from_slice::<Value>(&payload).expect("JSON")["body"].take()))
        .collect()
}

/// The times of each move.
fn times(state: &Value) -> Vec<[Option<u64>; 2]> {
    let moves = state["moves"].as_array().expect("moves");
    moves.iter().map(|mv| [mv["white_ms"].as_u64(), mv["black_ms"].as_u64()]).collect()
}

/// The messages of the same game with this delay, until everything is public.
fn delayed(trace: &str, delay: Delay, rest: Duration) -> Vec<Message> {
    let mut tape = Tape::parse("scene", trace);
    tape.setting.delay = Some(delay);
    let (mut station, mut outputs) = tape.play();
    station.advance(tape.end().after(delay.time + rest), &mut outputs);
    let message = |output| if let StationOutput::Message(message) = output { Some(message) } else { None };
    outputs.into_iter().filter_map(message).collect()
}

fn seconds(seconds: u64, moves: u32) -> Delay {
    Delay { time: Duration::from_secs(seconds), moves }
}

/// Every move lies for twelve seconds before its press; the live audience has it after two.
fn late_presses() -> Outcome {
    let mut scene = Scene::running();
    for (uci, white) in [("e2e4", true), ("e7e5", false), ("g1f3", true)] {
        scene.make(uci).wait(12.0).press(white);
    }
    scene.end()
}

#[test]
fn a_late_press_gives_a_move_the_times_of_the_record() {
    let outcome = late_presses();
    assert_eq!(outcome.sans(), "e4 e5 Nf3");
    let messages = delayed(&outcome.trace, seconds(20, 0), Duration::from_secs(5));
    let last = |topic: &str| bodies(&messages, topic).pop().expect("a state").1;
    let truth = times(&last("arbiter/replay/1/1/state"));
    assert_eq!(truth.len(), 3);
    assert_eq!(times(&last("live/replay/1/1/state")), truth);
    assert_eq!(times(&last("public/replay/1/1/state")), truth);
    for (number, (_, shown)) in bodies(&messages, "live/replay/1/1/move").iter().enumerate() {
        let mover = number % 2;
        let [event, record] =
            [&shown[["white_ms", "black_ms"][mover]], &json!(truth[number][mover])].map(|ms| ms.as_u64().expect("ms"));
        // The move was published ten seconds before its press, which added five.
        assert!((record + 4000..=record + 6000).contains(&event), "move {number}: {event} and {record}");
    }
    let events = |audience| messages.iter().filter(|message| message.audience == audience && message.number > 0).count();
    assert_eq!((events(Audience::Live), events(Audience::Public)), (3, 3), "a correction of times is no event");
    let revisions: Vec<u64> = messages
        .iter()
        .filter(|message| message.topic.ends_with("live/replay/1/1/state"))
        .map(|message| serde_json::from_str::<Value>(&message.payload).expect("JSON")["rev"].as_u64().expect("a revision"))
        .collect();
    assert!(revisions.windows(2).all(|pair| pair[0] < pair[1]), "{revisions:?}");
}

#[test]
fn the_public_sees_corrected_times_as_late_as_everything_else() {
    let outcome = late_presses();
    for delay in [seconds(0, 0), seconds(20, 0), seconds(3, 1)] {
        let messages = delayed(&outcome.trace, delay, Duration::from_secs(60));
        let [live, public] = ["live", "public"].map(|audience| bodies(&messages, &format!("{audience}/replay/1/1/state")));
        let mut seen = 0;
        for (at, state) in &public {
            let shown = times(state);
            let first = live.iter().find(|(_, live)| times(live) == shown);
            let (first, _) = first.unwrap_or_else(|| panic!("{delay}: nobody saw {shown:?}"));
            assert!(first.after(delay.time) <= *at, "{delay}: {shown:?} of {first:?} is public at {at:?}");
            seen += 1;
        }
        assert!(seen > 3, "{seen} states");
    }
}

#[test]
fn every_trace_has_the_same_times_for_all_audiences() {
    let mut moves = 0;
    for tape in own_tapes() {
        let (station, _) = tape.play();
        let truth = times(&serde_json::to_value(states::arbiter_state(station.game())).expect("JSON"));
        let live = times(&serde_json::to_value(states::live_state(station.game())).expect("JSON"));
        assert_eq!(live.get(..truth.len()), Some(&truth[..]), "{}", tape.name);
        moves += truth.len();
    }
    assert!(moves > 200, "{moves} moves");
}

/// `CheckedGame` compares the times at each step of every random game; here presses come up to four seconds late.
#[test]
fn random_games_with_late_presses_have_the_same_times_for_all_audiences() {
    let mut moves = 0;
    for seed in 71..74 {
        let late = Pace { press: [0.3, 4.0], ..RAPID };
        let played = played_game::game(&mut Rng::with_seed(seed), late, 40);
        let mut checked = CheckedGame::new(played_game::config());
        played.reports.iter().for_each(|(at, input)| checked.feed(*at, input));
        moves += checked.moves().len();
    }
    assert!(moves > 100, "{moves} moves");
}

/// Result, source of the result, and ending in a state.
fn result(state: &Value) -> [Value; 3] {
    ["result", "result_by", "ending"].map(|key| state[key].clone())
}

/// All results that an audience saw, each once, with the number of the moves.
fn results(messages: &[Message], audience: &str) -> Vec<[Value; 3]> {
    let mut seen: Vec<[Value; 3]> =
        bodies(messages, &format!("{audience}/replay/1/1/state")).iter().map(|(_, state)| result(state)).collect();
    seen.dedup();
    seen
}

const FOOLS_MATE: &str = "f2f3 e7e5 g2g4 d8h4";
const NONE: [Value; 3] = [Value::Null, Value::Null, Value::Null];

#[test]
fn mate_has_its_result_as_soon_as_it_is_made_and_a_decision_replaces_it() {
    let mut scene = Scene::running();
    scene.game(FOOLS_MATE).wait(3.0).command(r#"{"verb":"declare-result","result":"0-1"}"#).wait(3.0);
    scene.command(r#"{"verb":"declare-result","result":"1/2-1/2"}"#).wait(3.0);
    scene.command(r#"{"verb":"declare-result","result":"*"}"#);
    let outcome = scene.end();
    let messages = delayed(&outcome.trace, seconds(20, 0), Duration::from_secs(5));
    let expected = [
        NONE,
        [json!("0-1"), json!("board"), json!("checkmate")],
        [json!("0-1"), json!("arbiter"), json!("checkmate")],
        [json!("1/2-1/2"), json!("arbiter"), Value::Null],
        // The decision is taken back, and the mate stands.
        [json!("0-1"), json!("board"), json!("checkmate")],
    ];
    assert_eq!(results(&messages, "live"), expected);
    assert_eq!(results(&messages, "public"), expected);
    // The state in which the move is new has the result.
    let live = bodies(&messages, "live/replay/1/1/state");
    let mated = live.iter().find(|(_, state)| times(state).len() == 4).expect("four moves");
    assert_eq!(result(&mated.1), expected[1]);
    for (at, state) in bodies(&messages, "public/replay/1/1/state") {
        let first = live.iter().find(|(_, live)| result(live) == result(&state)).expect("known").0;
        assert!(first.after(Duration::from_secs(20)) <= at);
    }
}

#[test]
fn stalemate_without_a_press_is_a_draw_at_once() {
    let outcome = Scene::from("7k/5K2/8/6Q1/8/8/8/8 w - - 0 1").hands("lift g5 | 0.4 place g6").end();
    let messages = delayed(&outcome.trace, seconds(0, 0), Duration::from_secs(1));
    assert_eq!(results(&messages, "live").last(), Some(&[json!("1/2-1/2"), json!("board"), json!("stalemate")]));
}

#[test]
fn a_dead_position_has_a_result_only_by_a_decision() {
    let mut scene = Scene::from("4k3/8/8/8/8/8/3p4/4K3 w - - 0 1");
    scene.hands("lift d2 ; drop | lift e1 | place d2").wait(1.0).press(true).wait(5.0);
    let open = delayed(&scene.run().trace, seconds(0, 0), Duration::from_secs(1));
    assert!(results(&open, "arbiter").iter().any(|result| result[2] == "dead_position"), "arbiters know");
    assert_eq!(results(&open, "live"), [NONE]);
    scene.command(r#"{"verb":"declare-result","result":"1/2-1/2"}"#);
    let decided = delayed(&scene.end().trace, seconds(0, 0), Duration::from_secs(1));
    assert_eq!(results(&decided, "live"), [NONE, [json!("1/2-1/2"), json!("arbiter"), json!("dead_position")]]);
}

#[test]
fn a_lost_link_is_seen_by_live_at_once_and_by_the_public_later() {
    let mut scene = Scene::running();
    scene.game("e2e4").wait(1.0).link(false).wait(4.0).link(true).wait(4.0);
    let outcome = scene.end();
    let messages = delayed(&outcome.trace, seconds(20, 0), Duration::from_secs(40));
    let links = |audience: &str| {
        let states = bodies(&messages, &format!("{audience}/replay/1/1/state"));
        let mut links: Vec<(Instant, Value, Value)> =
            states.into_iter().map(|(at, state)| (at, state["link"].clone(), state["clock_status"].clone())).collect();
        links.dedup_by(|later, before| (&later.1, &later.2) == (&before.1, &before.2));
        links
    };
    let (live, public) = (links("live"), links("public"));
    let words = |links: &[(Instant, Value, Value)]| links.iter().map(|(_, link, _)| link.clone()).collect::<Vec<_>>();
    assert!(words(&live).windows(3).any(|three| three == ["up", "down", "up"]), "{live:?}");
    assert!(live.iter().any(|(_, _, clock)| clock == "reporting"), "{live:?}");
    assert_eq!(words(&live), words(&public));
    for (live, public) in live.iter().zip(&public) {
        assert!(live.0.after(Duration::from_secs(20)) <= public.0, "{live:?} {public:?}");
    }
}

#[test]
fn the_public_has_times_every_ten_seconds_and_every_thirty_while_the_clock_is_stopped() {
    let mut scene = Scene::running();
    scene.game("e2e4").wait(65.0).act("stop").wait(100.0);
    let outcome = scene.run();
    for delay in [0, 7, 900] {
        let rest = Duration::from_secs(100);
        let messages = delayed(&outcome.trace, seconds(delay, 0), rest);
        let clocks = bodies(&messages, "public/replay/1/1/clock");
        let running = |running: Value| clocks.iter().filter(|(_, clock)| clock["running"] == running).count();
        // Black's clock runs for 66 seconds, then none for about 190.
        assert!((6..=9).contains(&running(json!("black"))), "{delay} s: {clocks:?}");
        assert!((5..=9).contains(&running(Value::Null)), "{delay} s: {clocks:?}");
        let state = bodies(&messages, "live/replay/1/1/state").pop().expect("a state").1;
        let last = &clocks.last().expect("times").1;
        for key in ["white_ms", "black_ms", "running"] {
            assert_eq!(last[key], state["clock"][key], "{delay} s");
        }
        let passed: Vec<u64> = clocks.windows(2).map(|pair| pair[1].0.0 - pair[0].0.0).collect();
        assert!(passed.iter().all(|passed| *passed <= 30_000_000), "{delay} s: {passed:?}");
    }
}
