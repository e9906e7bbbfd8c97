//! What is done at a board without a clock after the last move: the kings show a result, and men are put back. None of it is a move.

use flagfall_hardware::emulator::Settings;
use flagfall_hardware::emulator::script::Script;
use flagfall_protocols::square::Placement;
use serde_json::{Value, json};

use crate::end_to_end::games::{sans, topic};
use crate::end_to_end::keep_to_schemas;
use crate::rig::{Rig, Seat};
use crate::support::mqtt::{Mosquitto, MosquittoMessage, publish};
use crate::watch::Watch;

const ENDGAME: &str = "8/8/5k2/8/8/4K3/P6p/8";

/// The moves of a game at the board b2 as its events tell them. Every event arrives, but a station that has stood still shows only
/// the last of several states.
fn moves_by_events(all: &[MosquittoMessage], audience: &str, game: &Value) -> Vec<String> {
    let mut moves = Vec::new();
    for received in all.iter().filter(|received| received.json["game"] == *game) {
        let (is, body) = (|leaf: &str| received.topic == topic(audience, "b2", leaf), received.body());
        if is("move") {
            moves.truncate(body["ply"].as_u64().expect("a ply") as usize - 1);
            moves.push(body["san"].as_str().expect("a move").to_owned());
        } else if (is("revision") || is("audit"))
            && let Some(from) = body["from_ply"].as_u64()
        {
            moves.truncate(from as usize - 1);
            moves.extend(sans(&body["moves"]));
        }
    }
    moves
}

#[test]
fn signs_and_men_that_are_put_back_are_no_moves() {
    let mosquitto = Mosquitto::start();
    let seats = [Seat { id: "b1", time_control: "300" }, Seat { id: "b2", time_control: "300" }];
    let rig = Rig::new(mosquitto.port(), "", &seats);
    let watch = Watch::new(mosquitto.port());
    let standing = Placement::parse(ENDGAME).expect("a placement");
    let kings = rig.board("b1", Settings { clock: None, placement: standing, ..Settings::default() }, 1.0);
    let put_back = rig.board("b2", Settings { clock: None, ..Settings::default() }, 1.0);
    let daemon = rig.start();
    let state = |audience: &str, board: &str| topic(audience, board, "state");

    // The other king comes when the king's first half has settled. The players then correct the sign from 1-0 to 1/2-1/2.
    let before = watch.on(&state("arbiter", "b1"), "the men", |json| json["body"]["board"] == ENDGAME);
    let command = json!({
        "v": "1.2", "type": "cmd.start-game", "id": "s-1", "expect": {"game": before["game"], "rev": before["rev"]},
        "body": {"fen": format!("{ENDGAME} w - - 0 1")}
    });
    publish(mosquitto.port(), &topic("cmd/anna", "b1", "start-game"), &command.to_string(), &[]);
    watch.on(&state("arbiter", "b1"), "the game", |json| json["body"]["game_no"] == 1);
    kings.load(&Script::parse("0.1 move e3 e4\n").expect("a script")).expect("hands");
    watch.on(&state("live", "b1"), "half of the sign", |json| sans(&json["body"]["moves"]) == ["Ke4"]);
    kings.load(&Script::parse("0.1 move f6 d5\n6 move d5 e5\n").expect("a script")).expect("hands");
    // Meanwhile the men of another game are put back, the first one by a legal move.
    let armed = watch.on(&state("arbiter", "b2"), "armed", |json| json["body"]["stage"] == "armed");
    let hands = "0.1 move g1 f3\n1.1 move b8 c6\n2.1 move e2 e4\n6 move c6 b8\n8.5 move e4 e2\n11 move f3 g1\n";
    put_back.load(&Script::parse(hands).expect("a script")).expect("hands");

    watch.on(&topic("live", "b1", "revision"), "half of the sign is no move", |json| json["body"]["from_ply"] == 1);
    watch.wait("no move", |all| {
        let last = all.iter().rev().find(|received| received.topic == state("live", "b1"))?;
        sans(&last.json["body"]["moves"]).is_empty().then_some(())
    });
    let shown = |result: &str| {
        let hints = |json: &Value| {
            let hints = json["body"]["hints"].as_array().cloned().unwrap_or_default();
            (hints.len() == 1 && hints[0]["result"] == result).then(|| json["body"].clone())
        };
        let name = format!("the sign {result}");
        watch.on(&state("arbiter", "b1"), &name, |json| hints(json).is_some())["body"].clone()
    };
    for result in ["1-0", "1/2-1/2"] {
        let body = shown(result);
        assert_eq!((sans(&body["moves"]).len(), sans(&body["pending"]).len()), (0, 0), "{result}");
    }

    watch.on(&topic("live", "b2", "move"), "a man that is put back", |json| json["body"]["ply"] == 4);
    let is_taken_off = |json: &Value| json["body"]["from_ply"] == 4 && json["body"]["moves"] == json!([]);
    watch.on(&topic("live", "b2", "revision"), "a man that is put back is no move", is_taken_off);
    watch.on(&state("arbiter", "b2"), "the next game", |json| json["body"]["game_no"] == 2);
    // Its first entry in the audit comes after all events of the game before.
    watch.on(&topic("arbiter", "b2", "audit"), "its beginning", |json| json["body"]["game_no"] == 2);
    for audience in ["arbiter", "live"] {
        assert_eq!(moves_by_events(&watch.all(), audience, &armed["game"]), ["Nf3", "Nc6", "e4"], "{audience}");
    }
    let (status, _) = daemon.terminate();
    assert!(status.success(), "{status}");
    keep_to_schemas(&watch.all());
}
