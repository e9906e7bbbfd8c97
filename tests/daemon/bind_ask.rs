//! `flagfall event bind --ask`: somebody touches one board after the other, and each is bound to its number.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, Command, Stdio};

use flagfall::emulate::games::game;
use flagfall_hardware::emulator::script::Script;
use serde_json::{Value, json};

use crate::rig::{Rig, Seat, signal};
use crate::support::mqtt::{Mosquitto, lines, wait_for};
use crate::support::schemas::keeps_to;
use crate::watch::Watch;

const PAIRINGS: &str = "board,white,black\n1,Anna,Ben\n2,Clara,Dan\n3,Ida,Jan\n4,Eva,Tom\n";
/// A king is lifted and put on d4.
const KING_ON_D4: &str = "0.1 lift e1\n0.5 place d4\n";
const KING_BACK: &str = "0.1 lift d4\n0.5 place e1\n";
/// The same in two parts. A node reports changes at most once a second: the last of several may come later, a single one does not.
const KING_LIFTED: &str = "0.1 lift e1\n";
const KING_PUT_DOWN: &str = "0.1 place d4\n";

/// A program that stands still until this is dropped.
struct Stopped(u32);

impl Stopped {
    fn new(program: &Child) -> Stopped {
        signal(program.id(), "STOP");
        Stopped(program.id())
    }
}

impl Drop for Stopped {
    fn drop(&mut self) {
        signal(self.0, "CONT");
    }
}

fn event(folder: &std::path::Path, words: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_flagfall"));
    command.current_dir(folder).arg("event").args(words);
    command
}

#[test]
fn the_board_that_is_touched_is_the_one_that_was_asked_for() {
    let broker = Mosquitto::start();
    let seats = ["b1", "b2", "b3"].map(|id| Seat { id, time_control: "300" });
    let rig = Rig::new(broker.port(), "", &seats);
    let boards = [("b1", 101), ("b2", 102), ("b3", 103)].map(|(id, serial)| rig.board(id, game(1).settings(serial), 1.0));
    let watch = Watch::new(broker.port());
    let _daemon = rig.start();
    for serial in ["00101", "00102", "00103"] {
        let topic = format!("flagfall/1/device/dgt-{serial}/status");
        watch.on(&topic, "it is online", |json| json["body"]["state"] == "online");
    }
    for id in ["b1", "b2", "b3"] {
        let topic = format!("flagfall/1/arbiter/open26/5/{id}/state");
        watch.on(&topic, "the men are set up", |json| json["body"]["stage"] == "armed");
    }
    let folder = tempfile::tempdir().expect("a folder");
    let here = folder.path();
    std::fs::write(here.join("o.toml"), format!("[mqtt]\nport = {}\n", broker.port())).expect("a file");
    std::fs::write(here.join("round.csv"), PAIRINGS).expect("a file");
    for words in [&["new", "open26", "--name", "Open", "--rounds", "9"][..], &["import", "round.csv", "--round", "1"]] {
        let made = event(here, words).output().expect("it runs");
        assert!(made.status.success(), "{made:?}");
    }
    let mut asking = event(here, &["bind", "--ask", "--config", "o.toml"]);
    let mut asking = asking.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("it runs");
    let mut input = asking.stdin.take().expect("its input");
    let said = lines(asking.stdout.take().expect("its output"));
    let hear = |what: &str| wait_for(&said, what, |line| line.contains(what).then_some(line));
    let play = |board: usize, script: &str| boards[board].load(&Script::parse(script).expect("a script")).expect("it runs");

    hear("Board 1: set a king on d4");
    play(1, KING_ON_D4);
    hear("Board 1 is dgt-00102.");
    let count = |json: &Value| json["body"]["touched"].as_u64();
    let touched = watch.on("flagfall/1/device/dgt-00102/status", "it was touched", |json| count(json) >= Some(1));
    assert_eq!(keeps_to("device.status", &touched), Ok(()));
    // The king of the board before goes back, which is no answer.
    hear("Board 2: set a king on d4");
    play(1, KING_BACK);
    hear("The men on dgt-00102 have changed, which is board 1.");
    // Two at once: nobody knows which one is meant. One board may be reported much later than the other, so the program stands still
    // until the broker has sent both reports. Its wait for other devices begins when it has read the first one, and then the second one
    // is there already.
    let stopped = Stopped::new(&asking);
    let both = ["00101", "00103"].map(|serial| {
        let topic = format!("flagfall/1/device/dgt-{serial}/status");
        let before = watch.last(&topic).and_then(|status| count(&status.json));
        (topic, before)
    });
    play(0, KING_LIFTED);
    play(2, KING_LIFTED);
    for (topic, before) in &both {
        watch.on(topic, "its men have changed", |json| count(json) > *before);
    }
    drop(stopped);
    hear("Several devices have changed: dgt-00101, dgt-00103.");
    play(0, KING_PUT_DOWN);
    let answer = wait_for(&said, "an answer about board 2", |line| line.contains("Board 2 is").then_some(line));
    assert_eq!(answer, "Board 2 is dgt-00101.");
    hear("Board 3: set a king on d4");
    writeln!(input).expect("a line");
    hear("Board 4: set a king on d4");
    writeln!(input, "q").expect("a line");
    assert!(asking.wait().expect("it ends").success());
    let file: Value = serde_json::from_slice(&std::fs::read(here.join("open26.json")).expect("the event")).expect("JSON");
    let devices: Vec<Value> =
        file["rounds"]["1"]["boards"].as_array().expect("boards").iter().map(|board| board["device"].clone()).collect();
    assert_eq!(devices, [json!("dgt-00102"), json!("dgt-00101"), Value::Null, Value::Null]);
}

/// With nobody at the input it ends, and without a device it says so.
#[test]
fn it_never_waits_for_nobody() {
    let broker = Mosquitto::start();
    let folder = tempfile::tempdir().expect("a folder");
    let here = folder.path();
    std::fs::write(here.join("o.toml"), format!("[mqtt]\nport = {}\n", broker.port())).expect("a file");
    std::fs::write(here.join("round.csv"), PAIRINGS).expect("a file");
    for words in [&["new", "open26", "--name", "Open", "--rounds", "9"][..], &["import", "round.csv", "--round", "1"]] {
        assert!(event(here, words).output().expect("it runs").status.success());
    }
    let ask = ["bind", "--ask", "--config", "o.toml"];
    let ran = event(here, &ask).stdin(Stdio::null()).output().expect("it runs");
    let said = String::from_utf8_lossy(&ran.stderr);
    assert!(!ran.status.success() && said.contains("no device is heard"), "{said}");
    let status = json!({"body": {"kind": "board", "state": "online"}}).to_string();
    crate::support::mqtt::publish(broker.port(), "flagfall/1/device/dgt-1/status", &status, &["-r"]);
    let ran = event(here, &ask).stdin(Stdio::null()).output().expect("it runs");
    assert!(ran.status.success(), "{ran:?}");
    assert_eq!(
        BufReader::new(&ran.stdout[..])
            .lines()
            .filter(|line| line.as_ref().is_ok_and(|line| line.contains("set a king")))
            .count(),
        1
    );
}
