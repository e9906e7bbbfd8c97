//! Scenarios 49, 50, 52, 102: the actions of a player when a flag falls.

use flagfall_game::laws::outcome::{Outcome as Ruled, Phase};
use flagfall_hardware::emulator::clock_model::{ClockSettings, Method, Model};
use flagfall_protocols::time::ClockTime;

use crate::scene::{Outcome, Scene};

/// White's flag falls at this moment, on a clock that stops at zero: 20 seconds, and 10 for the first move.
const FALL: f64 = 35.0;

fn short() -> Scene {
    let mut scene = clock();
    scene.now = FALL - 30.0;
    scene.act("run");
    scene
}

fn short_from(fen: &str) -> Scene {
    let mut scene = clock().standing(fen);
    scene.now = FALL - 31.0;
    scene.command(&format!(r#"{{"verb":"start-game","fen":"{fen}"}}"#)).wait(1.0).act("run");
    scene
}

fn clock() -> Scene {
    let clock = ClockSettings {
        freeze: true,
        ..ClockSettings::new(Model::Generic, Method::Fischer, ClockTime(20_000), ClockTime(10_000))
    };
    Scene::new(clock, "20+10")
}

/// The alarms in sorted order, because the order of alarms at one moment has no meaning.
fn alarms(outcome: &Outcome) -> Vec<String> {
    let mut alarms = outcome.alarms();
    alarms.sort();
    alarms
}

#[test]
fn s049_made_and_not_pressed() {
    let mut scene = short();
    scene.now = FALL - 2.0;
    scene.hands("lift e2 | 1.7 place e4 | 0.9 press left");
    let outcome = scene.end();
    assert_eq!((outcome.sans().as_str(), alarms(&outcome)), ("", vec!["flag(white)".into(), "incomplete_move(white)".into()]));
    let (state, made) = (outcome.state(), ((FALL - 0.3) * 1e6) as u64);
    assert_eq!(state.pending.iter().map(|ply| ply.san.to_string()).collect::<Vec<_>>(), ["e4"]);
    let [earliest, latest] = state.pending[0].made_at;
    assert!(earliest <= made && made <= latest && latest <= made + 300_000, "{earliest} to {latest}, made at {made}");
    assert_eq!((state.completed.white, state.flags.len()), (Some(0), 1), "6.2.1");
    assert!(!state.pending[0].after_flag);
}

#[test]
fn s052_a_piece_in_the_hand() {
    let mut scene = short();
    scene.now = FALL - 1.0;
    let outcome = scene.act("lift g1").wait(1.0).end();
    assert_eq!((outcome.sans().as_str(), alarms(&outcome)), ("", vec!["flag(white)".into(), "incomplete_move(white)".into()]));
    assert_eq!((outcome.state().pending, outcome.finding().phase), (vec![], Phase::Touched));
}

#[test]
fn s102_an_offer_is_accepted_between_the_fall_and_its_observation() {
    let mut scene = short();
    scene.wait(1.0).game("e2e4 e7e5").wait(5.0).command(r#"{"verb":"offer","side":"white"}"#).wait(60.0);
    scene.command(r#"{"verb":"accept","side":"black"}"#).wait(1.0).command(r#"{"verb":"claim","flag":"white"}"#);
    let outcome = scene.end();
    outcome.expect("e4 e5", &["flag(white)"]);
    assert_eq!((outcome.finding().outcome, outcome.finding().contested), (Ruled::Draw, true));
}

#[test]
fn s050_a_mate_before_the_fall_or_about_with_it() {
    let mated = |before_the_fall: f64| {
        let mut scene = short_from("6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1");
        scene.now = FALL - before_the_fall - 1.0;
        scene.hands("lift a1 | 1.0 place a8").end()
    };
    let clear = mated(2.0);
    clear.expect("Ra8#", &["flag_after_end(white)"]);
    assert_eq!(clear.row(), "-", "there is no finding on time");
    for before_the_fall in [0.15, 0.1, 0.0, -0.1] {
        let outcome = mated(before_the_fall);
        outcome.expect("Ra8#", &["flag(white)"]);
        assert_eq!(
            (outcome.row(), outcome.finding().contested),
            ("1", true),
            "the order of mate and fall is not known: {before_the_fall}"
        );
    }
}

/// White has taken Black's last pawn and not pressed. His king is lifted before or after the fall, and the board is cleared.
#[test]
fn what_was_made_stays_made_when_the_board_is_cleared() {
    for lifted in [-0.5, 0.5, 25.0] {
        let mut scene = short_from("k7/8/8/8/8/3p4/3K3P/8 w - - 0 40");
        scene.now = FALL - 6.0;
        scene.hands("lift d3 ; drop | lift d2 | place d3").now = FALL + lifted;
        scene.act("lift d3").now = FALL + 70.0;
        let outcome = scene.act("board 8/8/8/8/8/8/8/8").wait(30.0).end();
        let found = outcome.finding();
        assert_eq!(
            (found.phase, found.made.as_deref(), found.revision),
            (Phase::Made, Some("1. Kxd3"), 1),
            "{lifted}: {found:?}"
        );
        assert!(found.position.starts_with("k7/8/8/8/8/3K4/7P/8 b"), "{lifted}: {found:?}");
    }
}
