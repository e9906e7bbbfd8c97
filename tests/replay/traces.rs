//! Traces and their goldens: the bytes of our own emulator and the outputs of the daemon, byte for byte.
//!
//! `FLAGFALL_BLESS=1 cargo test` writes both again, for review.

use std::path::{Path, PathBuf};
use std::process::Command;

use flagfall_hardware::emulator::EMULATORS;
use flagfall_hardware::emulator::clock_model::{Change, ClockSettings, Method, Model, Period};
use flagfall_protocols::time::ClockTime;

use crate::scene::Scene;
use crate::scene::clockless;
use crate::scene::own_clock;

fn fischer(model: Model, seconds: u32, additional: u32) -> ClockSettings {
    ClockSettings::new(model, Method::Fischer, ClockTime(seconds * 1000), ClockTime(additional * 1000))
}

/// A slide, castling with the rook first, en passant, captures, a promotion.
fn a_game(mut scene: Scene) -> Scene {
    scene.act("run").play("e2e4", 1.0).play("c7c5", 1.0).play("e4e5", 1.0).play("d7d5", 1.0).play("e5d6", 1.0);
    scene.play("g8f6", 1.0).wait(1.0).act("slide f1 b5 0.9").wait(1.4).press(true);
    scene.assume("rnbqkb1r/pp2pppp/3P1n2/1Bp5/8/8/PPPP1PPP/RNBQK1NR b KQkq - 2 4").play("b8c6", 1.0).play("g1f3", 1.0);
    scene.play("d8b6", 1.0).wait(0.5);
    for motion in ["lift h1", "place f1", "lift e1", "place g1"] {
        scene.act(motion).wait(0.35);
    }
    scene.press(true).assume("r1b1kb1r/pp2pppp/1qnP1n2/1Bp5/8/5N2/PPPP1PPP/RNBQ1RK1 b kq - 5 6");
    scene.play("f6h5", 1.0).play("d6e7", 1.0).play("g7g6", 1.0).play("e7f8q", 1.0).play("h8f8", 1.0);
    scene.play("f1e1", 1.0).play("c8e6", 1.0).play("e1e6", 1.0).play("f7e6", 1.0).play("d2d3", 1.0).play("f8f3", 1.0);
    scene.play("d1f3", 1.0).play("e8c8", 1.0).play("f3f7", 1.0).play("b6b5", 1.0).play("c1g5", 1.0).play("d8d3", 1.0);
    scene.play("f7f8", 1.0).play("d3d8", 1.0).play("f8d8", 1.0).wait(6.0);
    scene
}

/// Two moves must be completed in twenty seconds; the second is made and not pressed, and the clock adds the next period.
fn one_move_short() -> Scene {
    let period = |seconds: u32, moves| Period { time: ClockTime(seconds * 1000), additional: ClockTime(0), moves };
    let clock = ClockSettings {
        periods: vec![period(20, Some(2)), period(60, None)],
        change: Change::AtZero,
        ..ClockSettings::new(Model::Dgt3000, Method::TimeOnly, ClockTime(0), ClockTime(0))
    };
    let mut scene = Scene::new(clock, "2/20:60");
    scene.act("run").play("d2d4", 2.0).play("d7d5", 2.0).wait(2.0).make("c2c4").wait(25.0);
    scene
}

/// A freeze at zero, then the kings on the centre squares.
fn freeze_and_kings() -> Scene {
    let mut scene = Scene::new(fischer(Model::Dgt3000, 15, 2), "15+2");
    scene.act("run").play("e2e4", 2.0).play("e7e5", 2.0).wait(20.0);
    for motion in ["lift e1", "lift e8", "lift e4", "drop", "place d5", "place e4"] {
        scene.act(motion).wait(0.5);
    }
    scene.wait(4.0);
    scene
}

/// An illegal move is pressed; the arbiter stops the clocks, restores the position and closes the alarm.
fn illegal_move() -> Scene {
    let mut scene = Scene::new(fischer(Model::Dgt3000, 300, 5), "300+5");
    scene.act("run").wait(1.0).act("move f1 b5").wait(1.0).press(true).wait(3.0);
    scene.act("stop").wait(1.0).act("move b5 f1").wait(1.0).act("press right").wait(1.0);
    scene.act("set left 0:05:00 right 0:07:00").wait(1.0).command(r#"{"verb":"acknowledge-alert","alarm":1}"#);
    scene.act("run").play("e2e4", 1.0).play("e7e5", 1.0).wait(3.0);
    scene
}

fn scenes() -> Vec<(&'static str, Scene)> {
    let clock = || fischer(Model::Dgt3000, 180, 2);
    vec![
        ("game", a_game(Scene::new(clock(), "180+2"))),
        ("game-rotated", a_game(Scene::new(clock(), "180+2").rotated())),
        ("one-move-short", one_move_short()),
        ("freeze-and-kings", freeze_and_kings()),
        ("illegal-move", illegal_move()),
    ]
}

fn tests() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests")
}

/// Compares a file with its expected text, or writes it.
fn agree(file: &Path, should: &str) {
    #[allow(clippy::disallowed_methods, reason = "the one switch of the golden tests")]
    let bless = std::env::var("FLAGFALL_BLESS").is_ok();
    if bless {
        std::fs::create_dir_all(file.parent().expect("a folder")).expect("a folder");
        std::fs::write(file, should).expect("written");
        return;
    }
    let is = std::fs::read_to_string(file).unwrap_or_else(|error| {
        panic!("{}: {error}; FLAGFALL_BLESS=1 cargo test --test replay traces:: writes it, for review", file.display())
    });
    if let Some((line, (is, should))) = is.lines().zip(should.lines()).enumerate().find(|(_, (is, should))| is != should) {
        panic!("{}:{}\n  is     {is}\n  should {should}", file.display(), line + 1);
    }
    assert_eq!(is.lines().count(), should.lines().count(), "{}: length", file.display());
}

#[test]
fn the_emulator_sends_the_same_again() {
    for (name, mut scene) in scenes() {
        agree(&tests().join(format!("traces/dgt/{name}.trace")), &scene.run().trace);
    }
}

#[test]
fn emulated_boards_without_a_clock_send_the_same_again() {
    for (driver, name, trace) in clockless::traces() {
        agree(&tests().join(format!("traces/{driver}/{name}.trace")), &trace);
    }
}

#[test]
fn a_board_and_a_clock_by_itself_send_the_same_again() {
    let kinds = EMULATORS.iter().copied().flatten();
    let chessnut = kinds.into_iter().find(|kind| kind.driver == "chessnut").expect("emulated");
    let file = tests().join(format!("traces/{}/chessnut-and-gateway.trace", own_clock::CLOCK_DRIVER));
    agree(&file, &own_clock::a_game(chessnut).trace);
}

#[test]
fn every_trace_gives_its_golden() {
    let folder = tests().join("traces");
    let mut seen = 0;
    for driver in std::fs::read_dir(folder).expect("tests/traces") {
        for file in std::fs::read_dir(driver.expect("readable").path()).expect("a driver's traces") {
            let file = file.expect("readable").path();
            let replay = |how: &[&str]| {
                let output =
                    Command::new(env!("CARGO_BIN_EXE_flagfall")).arg("replay").arg(&file).args(how).output().expect("runs");
                assert!(output.status.success(), "{}: {}", file.display(), String::from_utf8_lossy(&output.stderr));
                String::from_utf8(output.stdout).expect("text")
            };
            let name = file.file_stem().expect("a name").to_string_lossy().to_string();
            agree(&tests().join("golden").join(format!("{name}.events")), &replay(&[]));
            agree(&tests().join("golden").join(format!("{name}.summary")), &replay(&["--summary"]));
            seen += 1;
        }
    }
    assert!(seen >= scenes().len(), "traces are missing");
}
