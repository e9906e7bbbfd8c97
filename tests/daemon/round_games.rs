//! A board with `games = 1` at a real mosquitto and at the embedded broker: after a fool's mate the men are set up again and another
//! game is played, which only arbiters see, also after a restart (`wire/README.md#7.1`).
#![cfg(feature = "broker")]

use std::net::SocketAddr;

use flagfall::config::Board;
use flagfall_hardware::emulator::script::Script;
use serde_json::{Value, json};

use crate::support::hall::subscriber::{Subscriber, uci_moves};
use crate::support::hall::table::{Table, play};
use crate::support::hall::{EmbeddedBroker, RunningDaemon, TestHall};
use crate::support::mqtt::Mosquitto;
use crate::support::schemas::validate;
use crate::support::waiting::PATIENCE;

const FIRST: [&str; 4] = ["f2f3", "e7e5", "g2g4", "d8h4"];
const SECOND: [&str; 3] = ["d2d4", "d7d5", "c2c4"];

/// After a game: the men are set up again.
const SET_UP: &str = "+0.7 stop\n+1.5 board rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR\n";

/// The hands of these moves, and what they do then.
fn hands(moves: &[&str], then: &str) -> Script {
    let mut text = "0.5 run\n".to_owned();
    for (ply, uci) in moves.iter().enumerate() {
        let side = if ply % 2 == 0 { "left" } else { "right" };
        text.push_str(&format!("+0.6 lift {}\n+0.3 place {}\n+0.3 press {side}\n", &uci[..2], &uci[2..]));
    }
    Script::parse(&(text + then)).expect("a script")
}

fn has_moves(state: &Value, game: u32, moves: &[&str]) -> bool {
    state["game_no"] == json!(game) && uci_moves(state) == moves
}

/// Waits until the last state of this audience has this game with these moves.
#[track_caller]
fn wait_for(subscriber: &Subscriber, from: usize, audience: &str, game: u32, moves: &[&str]) {
    let topic = format!("flagfall/1/{audience}/ev/1/b0/state");
    subscriber.wait(&format!("{audience}: game {game} with {moves:?}"), from, |received| {
        (received.topic == topic && has_moves(received.body(), game, moves)).then_some(())
    });
}

fn the_rounds_game_stays(broker: SocketAddr) {
    let hall = TestHall::new();
    let table = Table::new(&hall, 0, &play(0, 4, [300, 500]));
    let board = Board { games: Some(1), ..table.by_port(&hall) };
    let loaded = || {
        let mut loaded = hall.loaded(vec![board.clone()]);
        loaded.config.broker.enabled = false;
        loaded.config.mqtt.port = Some(broker.port());
        loaded
    };
    let subscriber = Subscriber::new(broker);
    let daemon = RunningDaemon::start(loaded());
    subscriber.wait_until_armed("b0");
    table.board.load(&hands(&FIRST, SET_UP)).expect("hands");
    // The men stand while the clocks stand, however long the program needs to see that.
    wait_for(&subscriber, 0, "arbiter", 2, &[]);
    table.board.load(&hands(&SECOND, "")).expect("hands");
    assert!(table.board.wait_done(PATIENCE));
    wait_for(&subscriber, 0, "arbiter", 2, &SECOND);
    daemon.stop();
    // A screen that connects now has the round's game, and after a restart it has it again.
    let retained = Subscriber::new(broker);
    for audience in ["live", "public"] {
        wait_for(&retained, 0, audience, 1, &FIRST);
    }
    let again = retained.count();
    let daemon = RunningDaemon::start(loaded());
    for (audience, game, moves) in [("live", 1, &FIRST[..]), ("public", 1, &FIRST), ("arbiter", 2, &SECOND)] {
        wait_for(&retained, again, audience, game, moves);
    }
    daemon.stop();
    for received in subscriber.all().into_iter().chain(retained.all()).filter(|received| !received.topic.contains("/cmd/")) {
        validate(&received.topic, &received.bytes).unwrap_or_else(|problem| panic!("{problem}"));
        let others = ["live", "public"].iter().any(|audience| received.topic.contains(&format!("/{audience}/")));
        assert!(!others || received.message["game"] != "ev-1-b0-g2", "{}: {}", received.topic, received.message);
    }
    let state = subscriber.latest("/arbiter/ev/1/b0/state").expect("a state");
    assert_eq!(state.body()["unpublished"], "after_the_round");
}

#[test]
fn the_rounds_game_stays_at_mosquitto() {
    the_rounds_game_stays(Mosquitto::start().tcp);
}

#[test]
fn the_rounds_game_stays_at_the_embedded_broker() {
    the_rounds_game_stays(EmbeddedBroker::start().tcp);
}
