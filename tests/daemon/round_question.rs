//! A board with `games = 1` whose game begins anew, and a spare board that is bound in the middle of it, at a real mosquitto: an arbiter
//! says which game is the round's, and nothing that was published is taken back by itself (`wire/README.md#7.1`).

use flagfall::emulate::PtyBoard;
use flagfall::emulate::games::game;
use flagfall_hardware::emulator::script::Script;
use serde_json::{Value, json};

use crate::rig::{ROUND, Rig, Seat};
use crate::support::mqtt::{Mosquitto, MosquittoMessage, publish};
use crate::support::schemas::validate;
use crate::watch::Watch;

const SET_UP_AGAIN: &str = "+0.7 stop\n+1.5 board rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR\n";
const AFTER_C4: &str = "rnbqkbnr/ppp1pppp/8/3p4/2PP4/8/PP2PPPP/RNBQKBNR";

/// The hands make moves and press, the first of them on this side of the clock.
fn moves(first: usize, moves: &[&str]) -> String {
    let side = |ply: usize| ["left", "right"][(first + ply) % 2];
    let one = |(ply, uci): (usize, &&str)| format!("+0.6 move {} {}\n+0.6 press {}\n", &uci[..2], &uci[2..], side(ply));
    moves.iter().enumerate().map(one).collect()
}

fn load(board: &PtyBoard, script: &str) {
    board.load(&Script::parse(script).expect("a script")).expect("it runs");
}

fn topic(audience: &str, rest: &str) -> String {
    format!("flagfall/1/{audience}/{ROUND}/b1/{rest}")
}

fn ucis(body: &Value) -> Vec<&str> {
    body["moves"].as_array().into_iter().flatten().filter_map(|mv| mv["uci"].as_str()).collect()
}

/// Waits until the last state of an audience is this game with these moves.
#[track_caller]
fn shows(watch: &Watch, audience: &str, number: u32, moves: &[&str]) -> Value {
    let topic = topic(audience, "state");
    watch.wait(&format!("game {number} with {moves:?} on {topic}"), |all| {
        let last = all.iter().rfind(|received| received.topic == topic)?;
        (last.body()["game_no"] == number && ucis(last.body()) == moves).then(|| last.body().clone())
    })
}

/// Waits for an open alert of this kind in this game.
fn alert(watch: &Watch, kind: &str, number: u32) -> MosquittoMessage {
    let game = format!("open26-5-b1-g{number}");
    watch.wait(&format!("{kind} in game {number}"), |all| {
        let of_kind = |received: &&MosquittoMessage| received.body()["kind"] == kind && received.json["game"] == game.as_str();
        all.iter().filter(|received| received.topic.contains("/alert/")).find(of_kind).cloned()
    })
}

/// Sends a command about this game, and waits for its last answer.
fn send(watch: &Watch, port: u16, user: &str, verb: &str, number: u32, body: &Value) -> Value {
    let id = format!("{verb}-{number}-{user}");
    let lock = json!({"game": format!("open26-5-b1-g{number}")});
    let command = json!({"v": "1.1", "type": format!("cmd.{verb}"), "id": id, "expect": lock, "body": body});
    let about = ["-D", "publish", "response-topic", &format!("flagfall/1/reply/{user}/desk")];
    publish(port, &format!("flagfall/1/cmd/{user}/{ROUND}/b1/{verb}"), &command.to_string(), &about);
    watch.wait(&format!("the answer to {id}"), |all| {
        let answers = all.iter().filter(|received| received.branch() == "reply" && received.json["id"] == id.as_str());
        answers.map(|received| received.body().clone()).find(|body| body["stage"] != "accepted")
    })
}

/// Waits until the alert is deleted.
fn closed(watch: &Watch, alert: &MosquittoMessage) {
    watch.wait("the end of the alarm", |all| {
        let mut after = all.iter().skip_while(|received| received.payload != alert.payload);
        after.any(|received| received.topic == alert.topic && received.payload.is_empty()).then_some(())
    });
}

#[test]
fn an_arbiter_says_which_game_is_the_rounds_and_a_spare_goes_on_with_it() {
    let broker = Mosquitto::start();
    let port = broker.port();
    let rig = Rig::new(port, "delay = 1", &[Seat { id: "b1", time_control: game(1).time_control }]);
    rig.add("games = 1\n");
    let watch = Watch::new(port);
    let board = rig.board("b1", game(1).settings(101), 1.0);
    let spare = rig.board("spare", game(1).settings(102), 1.0);
    let daemon = rig.start();
    watch.on(&topic("arbiter", "state"), "armed", |json| json["body"]["stage"] == "armed");

    // The colours were wrong (7.3): the men are set up again after two moves.
    load(&board, &format!("0.5 run\n{}{SET_UP_AGAIN}", moves(0, &["e2e4", "e7e5"])));
    shows(&watch, "live", 1, &["e2e4", "e7e5"]);
    let asked = alert(&watch, "unpublished_game", 2);
    assert_eq!(asked.body()["class"], "loud");
    assert_eq!(shows(&watch, "live", 1, &["e2e4", "e7e5"])["round_game"], 1);
    let answer = &asked.body()["choices"][0];
    assert_eq!((&answer["label"], &answer["verb"]), (&json!("This is the round's game"), &json!("set-round-game")));
    assert_eq!(send(&watch, port, "otto", "set-round-game", 2, &answer["body"])["code"], "denied");
    assert_eq!(send(&watch, port, "anna", "set-round-game", 2, &answer["body"])["stage"], "done");
    closed(&watch, &asked);
    assert_eq!(shows(&watch, "live", 2, &[])["round_game"], 1);
    load(&board, &format!("0.5 run\n{}", moves(0, &["d2d4", "d7d5", "c2c4"])));
    shows(&watch, "public", 2, &["d2d4", "d7d5", "c2c4"]);
    watch.wait("the game that was begun anew in the place of the first one", |all| {
        let pgn = all.iter().rfind(|received| received.topic == topic("live", "pgn"))?;
        (pgn.payload.matches("[Event ").count() == 1 && pgn.payload.contains("2. c4")).then_some(())
    });

    // The board fails. The spare shows its initial position for longer than a next game needs.
    load(&board, "0.1 stop\n");
    watch.on(&topic("arbiter", "state"), "the clock stands", |json| {
        ucis(&json["body"]).len() == 3 && json["body"]["clock"]["running"].is_null()
    });
    let before = watch.all().len();
    let bind = json!({"port": rig.port("spare")});
    assert_eq!(send(&watch, port, "otto", "bind-device", 2, &bind)["stage"], "done");
    let restore = alert(&watch, "position_to_restore", 2);
    let squares: Vec<&Value> = restore.body()["set_up"].as_array().expect("squares").iter().collect();
    assert_eq!(squares.len(), 6);
    assert!(squares.contains(&&json!({"square": "c4", "stands": null, "expected": "P"})), "{squares:?}");
    load(&spare, &format!("7.0 board {AFTER_C4}\n+1.5 press left\n+0.5 run\n{}", moves(1, &["e7e6"])));
    shows(&watch, "public", 2, &["d2d4", "d7d5", "c2c4", "e7e6"]);
    closed(&watch, &restore);
    for received in &watch.all()[before..] {
        let is_shown = ["live", "public"].into_iter().any(|audience| received.topic == topic(audience, "state"));
        let plies = ucis(received.body()).len();
        assert!(!is_shown || (received.body()["game_no"] == 2 && plies >= 3), "taken back: {received:?}");
    }

    // After the game, whose result nobody has entered, the men are set up again and a private game is played.
    load(&spare, &format!("0.1 stop\n{SET_UP_AGAIN}"));
    let asked = alert(&watch, "unpublished_game", 3);
    let answer = &asked.body()["choices"][1];
    assert_eq!(answer["label"], "Private");
    assert_eq!(send(&watch, port, "anna", "set-round-game", 3, &answer["body"])["stage"], "done");
    closed(&watch, &asked);
    load(&spare, &format!("0.5 run\n{}", moves(0, &["b2b3", "b7b6"])));
    let state = shows(&watch, "arbiter", 3, &["b2b3", "b7b6"]);
    assert_eq!(state["unpublished"], "after_the_round");
    assert_eq!(send(&watch, port, "carl", "set-round-game", 3, &json!({"of_the_round": "no"}))["code"], "invalid");
    for audience in ["live", "public"] {
        shows(&watch, audience, 2, &["d2d4", "d7d5", "c2c4", "e7e6"]);
    }
    let (status, _) = daemon.terminate();
    assert!(status.success(), "{status}");
    for received in watch.all().iter().filter(|received| received.branch() != "cmd" && !received.topic.ends_with("/pgn")) {
        validate(&received.topic, &received.payload).unwrap_or_else(|problem| panic!("{problem}"));
    }
}
