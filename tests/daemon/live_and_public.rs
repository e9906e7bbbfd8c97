//! What the live audience and the public see of one game, at mosquitto and at the embedded broker: players, the times of a late press,
//! mate with its result, the clock, and a link that is lost. Nothing of it reaches the public early.

use std::time::Duration;

use flagfall::emulate::PtyBoard;
use flagfall::emulate::games::game;
use flagfall::system_clock::{Utc, monotonic, utc};
use flagfall_hardware::emulator::script::Script;
use serde_json::{Value, json};

use crate::contract;
use crate::end_to_end::games::topic;
use crate::end_to_end::keep_to_schemas;
use crate::rig::{Rig, Seat};
use crate::support::hall::EmbeddedBroker;
use crate::support::mqtt::{Mosquitto, MosquittoMessage};
use crate::watch::Watch;

const DELAY: Duration = Duration::from_secs(2);
/// A fool's mate from the first press on, and the side whose clock runs after each part.
const PRESSED: [(&str, &str); 3] = [
    ("0.1 press left\n", "black"),
    ("0.5 move e7 e5\n1.2 press right\n", "white"),
    ("0.7 move g2 g4\n1.4 press left\n", "black"),
];

#[test]
fn at_mosquitto() {
    check(Mosquitto::start().port());
}

#[test]
fn at_the_embedded_broker() {
    check(EmbeddedBroker::start().tcp.port());
}

fn check(broker: u16) {
    let seat = Seat { id: "b1", time_control: game(1).time_control };
    let rig = Rig::new(broker, &format!("delay = {}", DELAY.as_secs()), &[seat]);
    let watch = Watch::new(broker);
    let board = rig.board("b1", game(1).settings(101), 1.0);
    let daemon = rig.start();
    let state = |audience| topic(audience, "b1", "state");
    watch.on(&state("arbiter"), "armed", |json| json["body"]["stage"] == "armed");
    // White's first move lies there until everybody has it, and only then is pressed.
    play_in_step(&board, &watch, &[("0.5 run\n1.5 move f2 f3\n", "white")]);
    for audience in ["live", "public"] {
        watch.on(&topic(audience, "b1", "move"), "the first move", |json| json["body"]["ply"] == 1);
    }
    play_in_step(&board, &watch, &PRESSED);
    board.load(&Script::parse("0.7 move d8 h4\n").expect("a script")).expect("it runs");
    let mated = |json: &Value| json["body"]["ending"] == "checkmate";
    watch.on(&state("public"), "mate", mated);
    for audience in ["live", "public"] {
        let body = watch.last(&state(audience)).expect("a state").json["body"].take();
        assert_eq!((&body["result"], &body["result_by"]), (&json!("0-1"), &json!("board")), "{audience}");
        assert_eq!((&body["link"], &body["clock_status"]), (&json!("up"), &json!("reporting")), "{audience}");
    }
    same_times(&watch, &state);
    board.unplug().expect("unplugged");
    watch.on(&state("public"), "the lost link", |json| mated(json) && json["body"]["link"] == "down");
    let all = watch.all();
    let (status, _) = daemon.terminate();
    assert!(status.success(), "{status}");
    contract::each(&all);
    keep_to_schemas(&all);
    nothing_is_early(&all);
    let white = json!({"name": "Wilhelmina", "title": "WGM", "rating": 2143, "federation": "NED", "fide_id": 99_000_001});
    let players = json!({"white": white, "black": {"name": "Bartholomew"}});
    // A screen that comes after the node has stopped finds everything.
    let late = Watch::new(broker);
    let pgn = |audience| {
        late.wait("the PGN", |all| {
            let topic = topic(audience, "b1", "pgn");
            all.iter().find(|received| received.topic == topic).map(|received| received.payload.clone())
        })
    };
    let [live, public] = ["live", "public"].map(pgn);
    assert_eq!(live, public);
    for text in ["[White \"Wilhelmina\"]", "[WhiteTitle \"WGM\"]", "[Black \"Bartholomew\"]", "-b1-g1\"]", "Qh4#", " 0-1\n"] {
        assert!(public.contains(text), "{text}: {public}");
    }
    for audience in ["arbiter", "live", "public"] {
        let kept = late.on(&state(audience), "the retained state", |_| true);
        assert_eq!(kept["body"]["players"], players, "{audience}");
    }
    let [clock, state] = [topic("public", "b1", "clock"), state("public")].map(|topic| late.on(&topic, "retained", |_| true));
    assert_eq!(clock["body"]["white_ms"], state["body"]["clock"]["white_ms"]);
}

/// The hands do each part when the public has seen the clock run that the part before it has started. Of times that are due
/// together the public gets only the last: hands that do not wait would show it too few on a machine that stands still.
pub(crate) fn play_in_step(board: &PtyBoard, watch: &Watch, parts: &[(&str, &str)]) {
    let topic = topic("public", "b1", "clock");
    for (hands, side) in parts {
        board.load(&Script::parse(hands).expect("a script")).expect("it runs");
        watch.wait(&format!("the clock of {side} runs for the public"), |all| {
            let last = all.iter().rfind(|received| received.topic == topic)?;
            (last.body()["running"] == *side).then_some(())
        });
    }
}

/// The state of every audience has the times of the record, and the event of the first move had others.
fn same_times(watch: &Watch, state: &impl Fn(&'static str) -> String) {
    let times = |body: &Value| -> Vec<[Value; 2]> {
        let moves = body["moves"].as_array().cloned().unwrap_or_default();
        moves.iter().map(|mv| ["white_ms", "black_ms"].map(|key| mv[key].clone())).collect()
    };
    let [arbiter, live, public] =
        ["arbiter", "live", "public"].map(|audience| times(watch.last(&state(audience)).expect("a state").body()));
    assert_eq!((arbiter.len(), &live, &public), (4, &arbiter, &arbiter));
    for audience in ["live", "public"] {
        let event = watch.on(&topic(audience, "b1", "move"), "the first move", |json| json["body"]["ply"] == 1);
        assert_ne!(event["body"]["white_ms"], arbiter[0][0], "{audience}: it was published before its press");
    }
}

/// Every message for the public arrived later than what it shows by the delay, and the clock came with QoS 0 whenever another side ran.
pub(crate) fn nothing_is_early(all: &[MosquittoMessage]) {
    let mut running = Vec::new();
    for received in all.iter().filter(|received| received.branch() == "public" && !received.topic.ends_with("/pgn")) {
        let after = arrived_after(received);
        assert!(after >= DELAY.as_micros() as i64, "{} after {after} µs", received.topic);
        if received.topic.ends_with("/clock") {
            running.push(received.body()["running"].clone());
        }
    }
    running.dedup();
    let sides = ["white", "black", "white", "black"].map(Value::from);
    assert!(running.windows(4).any(|four| four == sides), "{running:?}");
}

/// How many microseconds a message arrived after what it shows.
pub(crate) fn arrived_after(received: &MosquittoMessage) -> i64 {
    let (now, wall) = (monotonic(), utc().0);
    let happened = received.json["t"]["utc"].as_str().and_then(Utc::parse).expect("a time").0;
    wall - now.since(received.at).as_micros() as i64 - happened
}
