//! The delay in a whole daemon that is killed twice.

use std::collections::BTreeMap;
use std::time::Duration;

use flagfall::emulate::games::game;
use flagfall::emulate::hands::{End, Habits, Manner, Play, Turn};
use flagfall::emulate::score_sheet;
use flagfall::system_clock::{Utc, monotonic, utc};
use flagfall_hardware::emulator::script::Script;
use serde_json::Value;
use shakmaty::Chess;

use crate::contract;
use crate::rig::{ROUND, Rig, Seat};
use crate::support::mqtt::{Mosquitto, MosquittoMessage};
use crate::support::seconds::within;
use crate::watch::Watch;

const DELAY: i64 = 3_000_000;
const MOVES: u64 = 2;
const GAME: [&str; 9] = ["e4", "e5", "Nf3", "Nc6", "Bb5", "a6", "Ba4", "Nf6", "O-O"];

/// A script of hands that wait for two seconds between two moves.
fn slow_script() -> Script {
    let think = Duration::from_secs(4);
    let turns = GAME.map(|san| Turn { san: san.to_owned(), think, manner: Manner::Straight }).to_vec();
    let play = Play { start: Chess::default(), turns, end: End::default(), rotated: false };
    play.script(&Habits { adjusts: 0, ..Habits::default() }, 1).expect("legal moves")
}

/// The first publication of each event of an audience.
fn firsts<'a>(all: &'a [MosquittoMessage], audience: &str) -> BTreeMap<u64, &'a MosquittoMessage> {
    let mut firsts = BTreeMap::<u64, _>::new();
    // A start without a clean stop restates, which is no event of the game.
    let is_of_game = |received: &&MosquittoMessage| received.branch() == audience && received.json["type"] != "board.restated";
    for received in all.iter().filter(is_of_game) {
        if let Some(no) = received.no() {
            firsts.entry(no).or_insert(received);
        }
    }
    (1..).zip(firsts.into_values()).collect()
}

/// The time of an event in its message.
fn event_time(received: &MosquittoMessage) -> i64 {
    received.json["t"]["utc"].as_str().and_then(Utc::parse).expect("a time").0
}

#[test]
fn nothing_is_early_when_the_daemon_is_killed_twice() {
    let broker = Mosquitto::start();
    let rig = Rig::new(
        broker.port(),
        &format!("delay = 3\ndelay_moves = {MOVES}"),
        &[Seat { id: "b1", time_control: game(1).time_control }],
    );
    let watch = Watch::new(broker.port());
    let board = rig.board("b1", game(1).settings(101), 2.0);
    let mut daemon = rig.start();
    let armed = |json: &Value| json["body"]["stage"] == "armed";
    watch.on(&format!("flagfall/1/arbiter/{ROUND}/b1/state"), "armed", armed);
    board.load(&slow_script()).expect("it runs");
    for moves in [3, 6] {
        // No piece is touched in the next seconds, so the restart finds the same position.
        watch.wait("some moves", |all| (firsts(all, "live").len() >= moves).then_some(()));
        daemon.kill();
        daemon = rig.start();
    }
    assert!(board.wait_done(Duration::from_secs(60)), "{:?}", board.status());
    let all = watch.wait("all events that may be public", |all| {
        let all_live = firsts(all, "live").len() == GAME.len();
        let all_public = firsts(all, "public").len() as u64 + MOVES == GAME.len() as u64;
        (all_live && all_public && public_pgn(all).last().map(|(_, moves)| moves) == moves_in_state(all)).then(|| all.to_vec())
    });
    let (status, _) = daemon.terminate();
    assert!(status.success());
    check(&all);
}

/// Every PGN for the public, with the number of moves in it.
fn public_pgn(all: &[MosquittoMessage]) -> impl Iterator<Item = (&MosquittoMessage, u64)> {
    let public = all.iter().filter(|received| received.branch() == "public" && received.topic.ends_with("/pgn"));
    public.map(|received| {
        let sheets = score_sheet::read(received.payload.as_bytes()).expect("readable");
        (received, sheets.last().expect("a game").moves.len() as u64)
    })
}

/// The number of moves in the last state for the public.
fn moves_in_state(all: &[MosquittoMessage]) -> Option<u64> {
    let state = all.iter().rfind(|received| received.branch() == "public" && received.topic.ends_with("/state"))?;
    Some(state.body()["moves"].as_array()?.len() as u64)
}

fn check(all: &[MosquittoMessage]) {
    contract::each(all);
    contract::events(all);
    let (now, wall) = (monotonic(), utc().0);
    let arrived = |received: &MosquittoMessage| wall - now.since(received.at).as_micros() as i64;
    let (live, public) = (firsts(all, "live"), firsts(all, "public"));
    let over = all.iter().find(|received| received.body()["event"] == "over").map(event_time);
    // No move is taken back, so the event of each ply has its number.
    for (received, shown) in public_pgn(all) {
        let newest = live.get(&shown).map_or(i64::MIN, |newest| event_time(newest));
        assert!(
            shown == 0 || arrived(received) - newest >= DELAY,
            "ply {shown} is in the PGN after {}",
            arrived(received) - newest
        );
    }
    for (number, received) in &public {
        let late = arrived(received) - event_time(live[number]);
        assert!(late >= DELAY, "event {number} is public after {late} µs");
        assert_eq!(
            (received.body(), &received.json["t"]["us"]),
            (live[number].body(), &live[number].json["t"]["us"]),
            "event {number}"
        );
        let after = live.get(&(number + MOVES)).is_some_and(|later| event_time(later) <= arrived(received));
        assert!(after || over.is_some_and(|over| over <= arrived(received)), "event {number} is public too few moves later");
    }
    // The time in a message is the time of its publication, except for events that waited for the daemon's restart.
    let mut late: Vec<i64> = live.values().map(|received| arrived(received) - event_time(received)).collect();
    late.sort_unstable();
    // At most four have waited.
    late.iter().rev().skip(4).for_each(|late| within((*late).max(0) as u64, 250_000));
    for received in all.iter().filter(|received| received.branch() == "public" && received.topic.ends_with("/state")) {
        let shown = received.body()["moves"].as_array().expect("moves").len();
        let allowed = live.values().filter(|live| event_time(live) + DELAY <= arrived(received)).count();
        assert!(shown <= allowed, "{shown} moves are shown, only {allowed} are allowed");
    }
}
