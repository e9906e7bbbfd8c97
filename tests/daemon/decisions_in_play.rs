//! Decisions while play goes on, at a real broker: a result at the wrong board that is taken back after four plies, and two illegal moves of
//! one player. The daemon is started again in the middle of both.

use flagfall::emulate::PtyBoard;
use flagfall_hardware::emulator::Settings;
use flagfall_hardware::emulator::clock_model::{ClockSettings, Method, Model};
use flagfall_hardware::emulator::script::Script;
use flagfall_protocols::time::ClockTime;
use serde_json::{Value, json};

use crate::contract;
use crate::end_to_end::games::{sans, topic};
use crate::end_to_end::keep_to_schemas;
use crate::rig::{ROUND, Rig, Seat};
use crate::support::mqtt::{Mosquitto, publish};
use crate::support::waiting::PATIENCE;
use crate::watch::Watch;

const BEFORE: &str =
    "0.5 run\n1 move e2 e4\n+0.5 press left\n+0.5 move e7 e5\n+0.5 press right\n+0.5 move g1 f3\n+0.5 press left\n";
const MEANWHILE: &str = "0.5 move b8 c6\n+0.5 press right\n+0.5 move f1 b5\n+0.5 press left\n+0.5 move a7 a6\n+0.5 press right\n\
                         +0.5 move b5 a4\n+0.5 press left\n";
const MOVES: [&str; 7] = ["e4", "e5", "Nf3", "Nc6", "Bb5", "a6", "Ba4"];
/// White's bishop goes over a pawn and is pressed.
const ILLEGAL: &str = "1 move f1 b5\n+0.5 press left\n";
/// When the move has been found to be illegal, the clocks are stopped, it is put back, and White's clock runs again.
const PUT_BACK: &str = "0.1 stop\n+0.5 move b5 f1\n+0.5 press right\n+0.5 run\n";

fn hands(board: &PtyBoard, script: &str) {
    board.load(&Script::parse(script).expect("a script")).expect("hands");
    assert!(board.wait_done(PATIENCE));
}

/// Sends a command of the chief with this lock.
fn send(broker: u16, (board, verb, id): (&str, &str, &str), expect: &Value, body: &Value) {
    let topic = format!("flagfall/1/cmd/carl/{ROUND}/{board}/{verb}");
    let command = json!({"v": "1.0", "type": format!("cmd.{verb}"), "id": id, "expect": expect, "body": body});
    publish(broker, &topic, &command.to_string(), &[]);
}

#[test]
fn a_result_at_the_wrong_board_and_two_illegal_moves() {
    let broker = Mosquitto::start();
    let seats = [Seat { id: "b1", time_control: "900" }, Seat { id: "b2", time_control: "900" }];
    let rig = Rig::new(broker.port(), "delay = 1", &seats);
    let watch = Watch::new(broker.port());
    let clock = ClockSettings::new(Model::Dgt3000, Method::TimeOnly, ClockTime(900_000), ClockTime(0));
    let settings = |serial| Settings { clock: Some(clock.clone()), serial, ..Settings::default() };
    let boards = [("b1", 101), ("b2", 102)].map(|(id, serial)| rig.board(id, settings(serial), 2.0));
    let state = |audience, board| topic(audience, board, "state");
    let daemon = rig.start();
    for board in ["b1", "b2"] {
        watch.on(&state("arbiter", board), "armed", |json| json["body"]["stage"] == "armed");
    }
    let declare = |id: &str, result: &str| {
        let last = watch.last(&state("arbiter", "b1")).expect("a state").json;
        let expect = json!({"game": last["game"], "rev": last["rev"]});
        send(broker.port(), ("b1", "declare-result", id), &expect, &json!({"result": result}));
    };
    // The finding on an illegal move at the second board that is shown after this one.
    let finding_after = |id: u64| {
        watch.on(&topic("arbiter", "b2", "ruling"), "a finding on an illegal move", |json| {
            json["body"]["kind"] == "illegal_move" && json["body"]["id"].as_u64().is_some_and(|found| found > id)
        })
    };

    hands(&boards[0], BEFORE);
    watch.on(&state("arbiter", "b1"), "three moves", |json| sans(&json["body"]["moves"]) == MOVES[..3]);
    declare("wrong", "1-0");
    for audience in ["live", "public"] {
        watch.on(&state(audience, "b1"), "the result", |json| json["body"]["result"] == "1-0");
    }
    hands(&boards[1], &format!("0.5 run\n+{ILLEGAL}"));
    let first = finding_after(0);
    hands(&boards[1], PUT_BACK);
    let expect = json!({"game": first["game"], "finding": {"id": first["body"]["id"], "revision": first["body"]["revision"]}});
    send(broker.port(), ("b2", "confirm", "counts"), &expect, &json!({}));
    watch.on(&topic("arbiter", "b2", "ruling"), "the decision", |json| json["body"]["decision"]["kind"] == "confirmed");
    hands(&boards[0], MEANWHILE);
    let pressed = |moves: &Value| moves.as_array().is_some_and(|moves| moves.iter().all(|mv| mv["how"] == "press"));
    let followed = |json: &Value| {
        let later = &json["body"]["after_result"];
        sans(later) == MOVES[3..] && pressed(later) && sans(&json["body"]["moves"]) == MOVES[..3]
    };
    watch.on(&state("arbiter", "b1"), "the moves after the result", followed);

    let (status, _) = daemon.terminate();
    assert!(status.success(), "{status}");
    let told = watch.all().len();
    let daemon = rig.start();
    watch.wait("the state after the start", |all| {
        all[told..].iter().find(|received| received.topic == state("arbiter", "b1") && followed(&received.json)).map(|_| ())
    });
    for audience in ["live", "public"] {
        let body = watch.last(&state(audience, "b1")).expect("a state").json["body"].take();
        assert_eq!(
            (sans(&body["moves"]), &body["result"]),
            (MOVES[..3].iter().map(|san| (*san).to_owned()).collect(), &json!("1-0"))
        );
    }
    declare("back", "*");
    for audience in ["live", "public"] {
        let whole = |json: &Value| sans(&json["body"]["moves"]) == MOVES && json["body"]["result"].is_null();
        watch.on(&state(audience, "b1"), "all moves and no result", whole);
        watch.wait("the whole PGN", |all| {
            let whole = |text: &str| {
                text.contains("Bb5") && text.contains("a6") && text.contains("Ba4") && text.trim_end().ends_with('*')
            };
            let pgn = topic(audience, "b1", "pgn");
            all.iter().find(|received| received.topic == pgn && whole(&received.payload)).map(|_| ())
        });
    }
    let arbiters = watch.last(&state("arbiter", "b1")).expect("a state").json;
    assert!(pressed(&arbiters["body"]["moves"]) && arbiters["body"].get("after_result").is_none(), "{arbiters}");

    hands(&boards[1], ILLEGAL);
    let second = finding_after(first["body"]["id"].as_u64().expect("a number"));
    hands(&boards[1], PUT_BACK);
    let body = &second["body"];
    let why = body["screen"]["why"].as_str().expect("why");
    assert!(body["row"] == "7a" && body["offender"] == "white", "{body}");
    assert!(why.contains("White's first illegal move, 1. Bf1-b5: confirmed by carl, 2:00 more for Black not seen"), "{why}");
    let (status, _) = daemon.terminate();
    assert!(status.success(), "{status}");
    let all = watch.all();
    contract::each(&all);
    contract::events(&all);
    keep_to_schemas(&all);
}
