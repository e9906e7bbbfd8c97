//! The page of lichess.org for electronic boards plays a game, if node and a bundle of the page are there (`tests/README.md#7`).

use std::path::Path;
use std::process::Command;

use flagfall::emulate::games::game;
use flagfall_hardware::emulator::script::Script;

use super::Offered;
use crate::program::RunningProgram;
use crate::support::mqtt::broker::print_skipped;
use crate::support::waiting::{PATIENCE, wait_until};

/// Both players castle; the first move stops on its way.
const HANDS: &str = "0.5 move e2 e4\n2.0 move e7 e5\n3.5 move g1 f3\n5.0 move b8 c6\n6.5 move f1 c4\n8.0 move f8 c5\n\
                     9.5 lift e1\n9.8 place g1\n10.0 lift h1\n10.3 place f1\n11.5 move g8 f6\n13.0 move f1 e1\n\
                     14.5 lift e8\n14.8 place g8\n15.0 lift h8\n15.3 place f8\n";
const REPLIES: [&str; 5] = ["e7e5", "b8c6", "f8c5", "g8f6", "e8g8"];

#[test]
fn the_page_of_lichess_plays_a_game() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let bundle = root.join("target/livechess-clients/play.mjs");
    if !bundle.exists() {
        return print_skipped("target/livechess-clients/play.mjs is not there");
    }
    if !Command::new("node").arg("--version").output().is_ok_and(|output| output.status.success()) {
        return print_skipped("node is not installed");
    }
    let offered = Offered::start();
    let board = offered.rig.board("b1", game(1).settings(101), 1.0);
    let mut client = offered.connect();
    wait_until("the board answers", PATIENCE, || client.call(r#"{"id":1,"call":"eboards"}"#)["param"][0]["state"] == "ACTIVE");
    let mut node = Command::new("node");
    let url = format!("ws://{}/api/v1.0", offered.api);
    node.arg(root.join("tests/daemon/livechess/lila.mjs")).arg(&bundle).arg(url).args(REPLIES);
    let mut page = RunningProgram::start(&mut node);
    page.wait_for_line("SETUP");
    board.load(&Script::parse(HANDS).expect("a script")).expect("it runs");
    for mv in ["e2e4", "g1f3", "f1c4", "e1h1", "f1e1"] {
        assert_eq!(page.wait_for_line("MOVE").trim(), format!("MOVE {mv}"));
    }
    assert_eq!(page.wait_for_line("REPLY e8g8").trim(), "REPLY e8g8");
    offered.stop();
}
