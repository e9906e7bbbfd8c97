//! Two whole games: the messages for arbiters, the live audience and the public, the retained messages for a late subscriber, and a
//! restart.

use std::collections::BTreeMap;
use std::time::Duration;

use flagfall::emulate::games::{DemoGame, game};
use serde_json::Value;

use crate::contract;
use crate::rig::{ROUND, Rig, Seat};
use crate::support::mqtt::{Mosquitto, MosquittoMessage};
use crate::support::seconds::assert_within;
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

/// The SANs of the moves after the events of a line. On a slow machine a man may stand on his way so long that a move is published
/// and then revised.
fn published_sans(events: &[MosquittoMessage]) -> Vec<String> {
    let is_move = |received: &&MosquittoMessage| ["/move", "/revision"].iter().any(|leaf| received.topic.ends_with(leaf));
    let mut played = Vec::new();
    for body in events.iter().filter(is_move).map(MosquittoMessage::body) {
        let from = body["from_ply"].as_u64().or(body["ply"].as_u64()).expect("a ply") as usize;
        played.truncate(from - 1);
        played.extend(body["san"].as_str().map(str::to_owned));
        played.extend(sans(&body["moves"]));
    }
    played
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
    let alerts = the_flag(&watch);
    let late = Watch::new(broker.port());
    check_late_subscriber(&late, &watch, alerts);
    drop(late);
    let before = contract::events(&watch.all());
    let (status, took) = daemon.terminate();
    assert!(status.success(), "{status} after {took:?}");
    assert_within(took, STOP, "the first stop");
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
    assert!(status.success(), "{status} after {took:?}");
    assert_within(took, STOP, "the second stop");
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
        let [arbiter, live, public] = ["arbiter", "live", "public"].map(|audience| published_sans(&line(audience)));
        (arbiter == expected.moves && live == made && public == made).then_some(())
    };
    watch.wait(&format!("all of {board}"), whole);
    // The last states: each may come in several steps.
    let body = |all: &[MosquittoMessage], audience: &str| {
        let last = all.iter().rev().find(|received| received.topic == topic(audience, board, "state"))?;
        Some(last.body().clone())
    };
    let pending: Vec<String> = expected.unpressed.into_iter().collect();
    watch.wait(&format!("the arbiters' state of {board}: {:?} and {pending:?}", expected.moves), |all| {
        let state = body(all, "arbiter")?;
        let flags = state["flags"].as_array()?.iter().filter_map(|flag| flag["side"].as_str());
        let ends = flags.eq(expected.flag) && state["ending"].as_str() == expected.ending;
        (ends && sans(&state["moves"]) == expected.moves && sans(&state["pending"]) == pending).then_some(())
    });
    watch.wait(&format!("the same state of {board} for the live audience and the public: {made:?}"), |all| {
        let (live, public) = (body(all, "live")?, body(all, "public")?);
        let same = (&live["fen"], &live["moves"]) == (&public["fen"], &public["moves"]);
        (same && sans(&live["moves"]) == made).then_some(())
    });
}

/// Checks the messages for arbiters alone: the flag, the alert of a move that was not completed, a finding that waits for a decision.
/// Returns the topics of the two alerts.
fn the_flag(watch: &Watch) -> [String; 2] {
    let alert = |kind: &str, class: &str| {
        watch.wait(&format!("the alert {kind}"), |all| {
            let alerts = all.iter().filter(|received| received.topic.contains("/b1/alert/"));
            alerts.into_iter().find(|received| received.body()["kind"] == kind && received.body()["class"] == class).cloned()
        })
    };
    let alerts = [alert("flag", "loud"), alert("incomplete_move", "silent")];
    for received in &alerts {
        assert_eq!(received.body()["side"], "white");
        assert_eq!(received.topic, topic("arbiter", "b1", &format!("alert/{}", received.body()["id"])));
    }
    // A later revision of the finding has the worker's answer about Article 6.9.
    let has_answer = |json: &Value| json["body"]["revision"].as_u64() > Some(1) && json["body"]["winnable"]["san"].is_string();
    let ruling = watch.on(&topic("arbiter", "b1", "ruling"), "the answer", has_answer);
    assert_eq!(ruling["body"]["flag"], "white");
    assert_eq!((&ruling["body"]["status"], &ruling["body"]["row"]), (&Value::from("proposed"), &Value::from("14")));
    let winnable = &ruling["body"]["winnable"];
    assert!(winnable["san"].as_str().is_some_and(|san| san.ends_with('#')), "the line ends with a mate: {winnable}");
    let line = format!("arbiter/{ROUND}/b1");
    let findings = watch.wait("both findings in the audit", |all| {
        let mut findings = contract::events(all).remove(&line)?;
        findings.retain(|received| received.body()["what"] == "finding");
        (findings.len() > 1).then_some(findings)
    });
    assert!(findings.iter().all(|received| received.topic == topic("arbiter", "b1", "audit")));
    let needs_an_arbiter = |received: &MosquittoMessage| {
        let is_ruling = received.topic.contains("/b2/ruling") && !received.payload.is_empty();
        let kind = received.body()["kind"].as_str().filter(|_| received.topic.contains("/b2/alert/"));
        is_ruling || kind.is_some_and(|kind| kind != "ambiguous")
    };
    let b2: Vec<MosquittoMessage> = watch.all().into_iter().filter(needs_an_arbiter).collect();
    assert!(b2.is_empty(), "a mate needs no arbiter: {b2:?}");
    alerts.map(|received| received.topic)
}

/// The payloads that are retained after these messages, by topic.
fn kept(all: &[MosquittoMessage]) -> BTreeMap<&str, &str> {
    let retained = all.iter().filter(|received| received.retain);
    let mut last: BTreeMap<&str, &str> = retained.map(|received| (received.topic.as_str(), received.payload.as_str())).collect();
    last.retain(|_, payload| !payload.is_empty());
    last
}

/// Checks that a late subscriber gets exactly the last retained messages of an early one, with these alerts among them. There may be
/// others: of a reading that was doubtful for a moment because the port was read late.
fn check_late_subscriber(late: &Watch, early: &Watch, alerts: [String; 2]) {
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
    topics.push(topic("arbiter", "b1", "ruling"));
    topics.extend(alerts);
    // The clocks do not run, but one may be published at this moment, and then again to both subscribers.
    let same = |all: &[MosquittoMessage]| {
        let known = early.all();
        let (late, early) = (kept(all), kept(&known));
        (late == early && topics.iter().all(|topic| late.contains_key(topic.as_str()))).then_some(())
    };
    late.wait("the retained messages", same);
    assert_eq!(late.last("flagfall/1/node/pi-1/status").expect("kept").body()["state"], "ready");
}
