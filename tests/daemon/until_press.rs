//! `until_press`: a move that is made and not pressed is nowhere in `live/` and `public/`, over a killed daemon too, and then it is with
//! its press.
#![cfg(feature = "outputs")]

use flagfall::emulate::games::game;
use flagfall_hardware::emulator::script::Script;
use serde_json::Value;

use crate::end_to_end::games::{sans, topic};
use crate::end_to_end::keep_to_schemas;
use crate::livechess::client::json;
use crate::rig::{Rig, Seat};
use crate::support::mqtt::Mosquitto;
use crate::support::ports::free_address;
use crate::watch::Watch;

/// White's second move is pressed by the second script.
const MADE: &str = "0.2 run\n0.7 move e2 e4\n1.2 press left\n1.7 move e7 e5\n2.2 press right\n2.7 move g1 f3\n";
const PRESSED: &str = "0.1 press left\n";

#[test]
fn nobody_sees_that_a_clock_was_not_pressed() {
    let mosquitto = Mosquitto::start();
    let rig = Rig::new(mosquitto.port(), "delay = 1", &[Seat { id: "b1", time_control: game(1).time_control }]);
    let api = free_address();
    rig.add(&format!("[live]\nuntil_press = true\n[livechess]\nenabled = true\nlisten = [\"{api}\"]\n"));
    let watch = Watch::new(mosquitto.port());
    let board = rig.board("b1", game(1).settings(101), 1.0);
    let daemon = rig.start();
    let state = |audience| topic(audience, "b1", "state");
    watch.on(&state("arbiter"), "armed", |json| json["body"]["stage"] == "armed");
    board.load(&Script::parse(MADE).expect("a script")).expect("it runs");
    let made = |json: &Value| sans(&json["body"]["pending"]) == ["Nf3"] && sans(&json["body"]["moves"]) == ["e4", "e5"];
    // White's clock runs on. Without the key the move would be published after two seconds.
    let lies = |boot: u64| {
        let state_made = watch.on(&state("arbiter"), "the made move", |json| json["boot"] == boot && made(json));
        let before = state_made["body"]["clock"]["white_ms"].as_u64().expect("a time");
        watch.on(&topic("live", "b1", "clock"), "White's clock", |json| {
            let now = json["body"]["white_ms"].as_u64();
            json["boot"] == boot && json["body"]["running"] == "white" && now.is_some_and(|now| now + 4_000 < before)
        });
        for received in watch.all().iter().filter(|received| ["live", "public"].contains(&received.branch())) {
            assert!(!received.payload.contains("Nf3"), "{} {}", received.topic, received.payload);
        }
        let last = watch.last(&state("live")).expect("a state").json;
        assert_eq!(sans(&last["body"]["moves"]), ["e4", "e5"]);
        assert_eq!(last["body"]["clock"]["running"], "white");
        // Programs on this machine see the position of the game, not the board.
        assert_eq!(json(api, "/api/v1.0/eboards")[0]["board"], "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR");
    };
    lies(1);
    daemon.kill();
    let daemon = rig.start();
    lies(2);
    board.load(&Script::parse(PRESSED).expect("a script")).expect("it runs");
    for audience in ["live", "public"] {
        let json = watch.on(&state(audience), "the pressed move", |json| sans(&json["body"]["moves"]) == ["e4", "e5", "Nf3"]);
        assert_eq!(json["body"]["clock"]["running"], "black", "{audience}");
        watch.on(&topic(audience, "b1", "move"), "its event", |json| json["body"]["san"] == "Nf3");
    }
    let (status, _) = daemon.terminate();
    assert!(status.success(), "{status}");
    keep_to_schemas(&watch.all());
}
