//! Through the daemon, which is killed twice.

use std::collections::BTreeMap;
use std::time::Duration;

use flagfall::emulate::games::game;
use flagfall::wall::{Utc, mono, utc};
use serde_json::Value;

use crate::contract;
use crate::mqtt_support::Mosquitto;
use crate::rig::{ROUND, Rig, Seat, pause};
use crate::watch::{Heard, Watch};

const DELAY: i64 = 3_000_000;
const MOVES: u64 = 2;

/// The first arrival of each event of an audience.
fn firsts<'a>(all: &'a [Heard], audience: &str) -> BTreeMap<u64, &'a Heard> {
    let mut firsts = BTreeMap::new();
    for heard in all.iter().filter(|heard| heard.branch() == audience) {
        if let Some(no) = heard.no() {
            firsts.entry(no).or_insert(heard);
        }
    }
    firsts
}

/// When something happened, as its message says.
fn happened(heard: &Heard) -> i64 {
    heard.json["t"]["utc"].as_str().and_then(Utc::parse).expect("a time").0
}

#[test]
fn a_daemon_that_is_killed_twice_hurries_nothing() {
    let broker = Mosquitto::start();
    let game = game(1);
    let seats = [Seat { id: "b1", time_control: game.time_control }];
    let rig = Rig::new(broker.port(), &format!("delay = 3\ndelay_moves = {MOVES}"), &seats);
    let watch = Watch::new(broker.port());
    let board = rig.board("b1", game.settings(101), 4.0);
    let mut daemon = rig.start();
    let armed = |json: &Value| json["body"]["stage"] == "armed";
    watch.on(&format!("flagfall/1/arbiter/{ROUND}/b1/state"), "armed", armed);
    board.load(&game.script()).expect("it runs");
    for moves in [4, 9] {
        watch.wait("some moves", |all| (firsts(all, "live").len() >= moves).then_some(()));
        pause(Duration::from_millis(70));
        daemon.kill();
        daemon = rig.start();
    }
    assert!(board.wait_done(Duration::from_secs(60)), "{:?}", board.status());
    let all = watch.wait("what may be public", |all| {
        (firsts(all, "public").len() as u64 + MOVES >= firsts(all, "live").len() as u64).then(|| all.to_vec())
    });
    let (status, _) = daemon.terminate();
    assert!(status.success());
    check(&all);
}

fn check(all: &[Heard]) {
    contract::each(all);
    contract::events(all);
    let (now, wall) = (mono(), utc().0);
    let arrived = |heard: &Heard| wall - now.since(heard.at).as_micros() as i64;
    let (live, public) = (firsts(all, "live"), firsts(all, "public"));
    assert!(public.len() >= 8, "only {} events became public", public.len());
    let over = all.iter().find(|heard| heard.body()["event"] == "over").map(happened);
    for (number, heard) in &public {
        let late = arrived(heard) - happened(live[number]);
        assert!(late >= DELAY, "event {number} is public after {late} µs");
        assert_eq!(
            (heard.body(), &heard.json["t"]["us"]),
            (live[number].body(), &live[number].json["t"]["us"]),
            "event {number}"
        );
        let after = live.get(&(number + MOVES)).is_some_and(|later| happened(later) <= arrived(heard));
        assert!(after || over.is_some_and(|over| over <= arrived(heard)), "event {number} is public too few moves later");
    }
    // What a message says of its time is when it was sent, but for those that waited for the daemon to come back.
    let prompt = live.values().filter(|heard| arrived(heard) - happened(heard) < 250_000).count();
    assert!(prompt + 4 >= live.len(), "{prompt} of {} live events came at once", live.len());
    for heard in all.iter().filter(|heard| heard.branch() == "public" && heard.topic.ends_with("/state")) {
        let shown = heard.body()["moves"].as_array().expect("moves").len();
        let told = live.values().filter(|live| happened(live) + DELAY <= arrived(heard)).count();
        assert!(shown <= told, "{shown} moves are shown, {told} were to be");
    }
}
