//! Two whole games: the messages for arbiters, the live audience and the public, the retained messages for a late subscriber, and a
//! restart.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use flagfall::emulate::games::{DemoGame, game};
use serde_json::Value;

use crate::contract;
use crate::rig::{ROUND, Rig, Seat};
use crate::support::mqtt::{Mosquitto, MosquittoMessage};
use crate::watch::Watch;

/// The boards play this many times as fast as people.
const SPEED: f64 = 2.0;
/// The longest time for two games at that speed, on a slow machine.
const GAMES: Duration = Duration::from_secs(60);
/// The longest time for a stop.
const STOP: Duration = Duration::from_secs(5);

pub(crate) fn topic(audience: &str, board: &str, leaf: &str) -> String {
    format!("flagfall/1/{audience}/{ROUND}/{board}/{leaf}")
}

/// The SANs of a list of moves.
pub(crate) fn sans(moves: &Value) -> Vec<String> {
    let moves = moves.as_array().map(Vec::as_slice).unwrap_or_default();
    moves.iter().map(|mv| mv["san"].as_str().expect("a move").to_owned()).collect()
}

/// The SANs of the events of one kind.
fn published_sans(events: &[MosquittoMessage], kind: &str) -> Vec<String> {
    let moves = events.iter().filter(|received| received.topic.ends_with(kind));
    moves.map(|received| received.body()["san"].as_str().expect("a move").to_owned()).collect()
}

/// The states of the node, each with its boot number, in order.
fn statuses(all: &[MosquittoMessage]) -> Vec<(u64, String)> {
    let statuses = all.iter().filter(|received| received.topic == "flagfall/1/node/pi-1/status");
    statuses
        .map(|received| {
            let state = received.body()["state"].as_str().expect("a state").to_owned();
            (received.json["boot"].as_u64().expect("a number"), state)
        })
        .collect()
}

fn is_ready(boot: u64) -> impl Fn(&[MosquittoMessage]) -> Option<()> {
    move |all| statuses(all).contains(&(boot, "ready".to_owned())).then_some(())
}

#[test]
fn two_games_arrive_as_they_were_played() {
    let broker = Mosquitto::start();
    let games = [game(0), game(1)];
    let seats = [Seat { id: "b1", time_control: games[0].time_control }, Seat { id: "b2", time_control: games[1].time_control }];
    let rig = Rig::new(broker.port(), "delay = 2", &seats);
    let watch = Watch::new(broker.port());
    let boards: Vec<_> = (0..2).map(|seat| rig.board(seats[seat].id, games[seat].settings(101 + seat as u16), SPEED)).collect();
    let daemon = rig.start();
    for seat in &seats {
        watch.on(&topic("arbiter", seat.id, "state"), "a game that may begin", |json| json["body"]["stage"] == "armed");
    }
    boards.iter().zip(&games).for_each(|(board, game)| board.load(&game.script()).expect("it runs"));
    for (board, game) in boards.iter().zip(&games) {
        assert!(board.wait_done(GAMES), "{:?}", board.status());
        assert!(board.status().impossible.is_empty(), "{} cannot be played", game.white);
    }
    for (seat, game) in seats.iter().zip(&games) {
        check_game(&watch, seat.id, game);
    }
    the_flag(&watch);
    let late = Watch::new(broker.port());
    check_late_subscriber(&late, &watch);
    drop(late);
    let before = contract::events(&watch.all());
    let (status, took) = daemon.terminate();
    assert!(status.success() && took < STOP, "{status} after {took:?}");
    watch.on("flagfall/1/node/pi-1/status", "its end", |json| json["body"]["state"] == "stopped");

    let daemon = rig.start();
    watch.wait("ready again", is_ready(2));
    let online = |json: &Value| json["boot"] == 2 && json["body"]["state"] == "online";
    [101, 102]
        .iter()
        .for_each(|serial| _ = watch.on(&format!("flagfall/1/device/dgt-00{serial}/status"), "online again", online));
    for seat in &seats {
        let line = format!("arbiter/{ROUND}/{}", seat.id);
        watch.wait("the numbers go on", |all| (contract::events(all)[&line].len() > before[&line].len()).then_some(()));
        let rebuilt = |json: &Value| {
            json["boot"] == 2
                && json["body"]["alarms"]
                    .as_array()
                    .is_some_and(|alarms| alarms.iter().all(|alarm| alarm["kind"] != "board_lost"))
        };
        watch.on(&topic("arbiter", seat.id, "state"), "the board is back", rebuilt);
    }
    seats.iter().zip(&games).for_each(|(seat, game)| check_game(&watch, seat.id, game));
    let (status, took) = daemon.terminate();
    assert!(status.success() && took < STOP, "{status} after {took:?}");
    let last = watch.wait("its end", |all| statuses(all).contains(&(2, "stopped".to_owned())).then(|| all.to_vec()));
    let states: Vec<(u64, &str)> = vec![(1, "init"), (1, "ready"), (1, "stopped"), (2, "init"), (2, "ready"), (2, "stopped")];
    assert_eq!(statuses(&last), states.iter().map(|(boot, state)| (*boot, (*state).to_owned())).collect::<Vec<_>>());
    check_start(&last, 2, &seats);
    contract::each(&last);
    crate::end_to_end::keep_to_schemas(&last);
    contract::events(&last);
}

/// Checks that all retained messages are published again between `init` and `ready` of a start.
fn check_start(all: &[MosquittoMessage], boot: u64, seats: &[Seat<'_>]) {
    let place = |state: &str| {
        let status = |received: &MosquittoMessage| {
            received.json["type"] == "node.status" && received.json["boot"] == boot && received.body()["state"] == state
        };
        all.iter().position(status).expect("a status")
    };
    let born = &all[place("init")..place("ready")];
    for seat in seats {
        for (audience, leaf) in
            [("arbiter", "state"), ("live", "state"), ("live", "clock"), ("public", "state"), ("public", "clock")]
        {
            let topic = topic(audience, seat.id, leaf);
            assert!(
                born.iter().any(|received| received.topic == topic && received.json["boot"] == boot),
                "ready without {topic}"
            );
        }
        for audience in ["live", "public"] {
            let topic = topic(audience, seat.id, "pgn");
            assert!(born.iter().any(|received| received.topic == topic), "ready without {topic}");
        }
    }
}

/// Checks the messages of a game.
fn check_game(watch: &Watch, board: &str, game: &DemoGame) {
    let expected = game.expected();
    let mut made = expected.moves.clone();
    made.extend(expected.unpressed.clone());
    let whole = |all: &[MosquittoMessage]| {
        let events = contract::events(all);
        let line = |audience: &str| events.get(&format!("{audience}/{ROUND}/{board}")).cloned().unwrap_or_default();
        let [arbiter, live, public] = ["arbiter", "live", "public"].map(|audience| published_sans(&line(audience), "/move"));
        (arbiter == expected.moves && live == made && public == made).then_some(())
    };
    watch.wait(&format!("all of {board}"), whole);
    let state = |audience: &str, moves: &[String]| {
        watch.wait(&format!("the {audience} state of {board}"), |all| {
            let last = all.iter().rev().find(|received| received.topic == topic(audience, board, "state"))?;
            (sans(&last.body()["moves"]) == moves).then(|| last.body().clone())
        })
    };
    let arbiter = state("arbiter", &expected.moves);
    let pending: Vec<String> = expected.unpressed.into_iter().collect();
    assert_eq!(sans(&arbiter["pending"]), pending);
    let flags: Vec<&str> = arbiter["flags"].as_array().expect("flags").iter().filter_map(|flag| flag["side"].as_str()).collect();
    assert_eq!(flags, expected.flag.into_iter().collect::<Vec<_>>());
    assert_eq!(arbiter["ending"].as_str(), expected.ending);
    let [live, public] = ["live", "public"].map(|audience| state(audience, &made));
    assert_eq!((&live["fen"], &live["moves"]), (&public["fen"], &public["moves"]));
}

/// Checks the messages for arbiters alone: the flag, the alert of a move that was not completed, a finding that waits for a decision.
fn the_flag(watch: &Watch) {
    let alert = |kind: &str, class: &str| {
        watch.wait(&format!("the alert {kind}"), |all| {
            let alerts = all.iter().filter(|received| received.topic.contains("/b1/alert/"));
            alerts.into_iter().find(|received| received.body()["kind"] == kind && received.body()["class"] == class).cloned()
        })
    };
    for received in [alert("flag", "loud"), alert("incomplete_move", "silent")] {
        assert_eq!(received.body()["side"], "white");
        assert_eq!(received.topic, topic("arbiter", "b1", &format!("alert/{}", received.body()["id"])));
    }
    // The second revision of the finding has the worker's answer about Article 6.9.
    let ruling = watch.on(&topic("arbiter", "b1", "ruling"), "the answer", |json| json["body"]["revision"].as_u64() > Some(1));
    assert_eq!(ruling["body"]["flag"], "white");
    assert_eq!((&ruling["body"]["status"], &ruling["body"]["row"]), (&Value::from("proposed"), &Value::from("14")));
    let winnable = &ruling["body"]["winnable"];
    assert!(winnable["san"].as_str().is_some_and(|san| san.ends_with('#')), "the line ends with a mate: {winnable}");
    let line = format!("arbiter/{ROUND}/b1");
    let events = contract::events(&watch.all()).remove(&line).expect("events");
    let findings: Vec<_> = events.iter().filter(|received| received.body()["what"] == "finding").collect();
    assert!(findings.len() > 1 && findings.iter().all(|received| received.topic == topic("arbiter", "b1", "audit")));
    let b2 =
        watch.all().into_iter().filter(|received| received.topic.contains("/b2/alert/") || received.topic.contains("/b2/ruling"));
    assert_eq!(b2.count(), 0, "a mate needs no arbiter");
}

/// Checks that a late subscriber gets exactly the last retained messages of an early one.
fn check_late_subscriber(late: &Watch, early: &Watch) {
    let mut topics: Vec<String> =
        ["status", "info", "health"].iter().map(|leaf| format!("flagfall/1/node/pi-1/{leaf}")).collect();
    topics.extend([101, 102].iter().map(|serial| format!("flagfall/1/device/dgt-00{serial}/status")));
    for board in ["b1", "b2"] {
        for (audience, leaf) in
            [("arbiter", "state"), ("live", "state"), ("live", "clock"), ("public", "state"), ("public", "clock")]
        {
            topics.push(topic(audience, board, leaf));
        }
        topics.extend(["live", "public"].map(|audience| topic(audience, board, "pgn")));
    }
    topics.extend(["alert/1", "alert/2", "ruling"].iter().map(|leaf| topic("arbiter", "b1", leaf)));
    topics.sort();
    // The clocks do not run, but one may be published at this moment, and then again to both subscribers.
    let same = |all: &[MosquittoMessage]| {
        let kept: BTreeSet<&String> = all.iter().filter(|received| received.retain).map(|received| &received.topic).collect();
        let last: BTreeMap<_, _> = all.iter().map(|received| (&received.topic, received)).collect();
        let is_last = |topic: &String| early.last(topic).is_some_and(|known| known.payload == last[topic].payload);
        (kept.iter().copied().eq(&topics) && topics.iter().all(is_last)).then_some(())
    };
    late.wait("the retained messages", same);
    assert_eq!(late.last("flagfall/1/node/pi-1/status").expect("kept").body()["state"], "ready");
}
