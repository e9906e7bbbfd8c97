//! Scenarios 112-116: two flags, Guidelines III.4 and III.5, a club's point 13, and illegal moves where findings are decided.

use flagfall::wire::flag::FlagPath;
use flagfall_game::config::Rulings;
use flagfall_game::laws::outcome::{GameResult, Outcome as Ruled};
use flagfall_game::laws::rulebook::Rulebook;
use flagfall_hardware::emulator::clock_model::{ClockSettings, Method, Model};
use flagfall_protocols::time::ClockTime;

use crate::scene::{Outcome, Scene};

/// Twenty seconds for each player, on a clock that does not stop at zero.
fn scene(model: Model, rulebook: &str) -> Scene {
    let clock = ClockSettings { freeze: false, ..ClockSettings::new(model, Method::TimeOnly, ClockTime(20_000), ClockTime(0)) };
    let mut scene = Scene::new(clock, "20");
    scene.config.rulebook = Rulebook::parse(rulebook).expect("a rulebook");
    scene
}

/// An arbiter decides on the finding that the scene has shown so far.
fn decide(scene: &mut Scene, verb: &str) -> Outcome {
    let found = scene.run().station.game().deciding_finding().expect("a finding").clone();
    let (id, revision) = (found.id, found.revision);
    scene.command(&format!(r#"{{"verb":"{verb}","finding":{{"id":{id},"revision":{revision}}}}}"#));
    scene.wait(1.0).run()
}

fn rows(outcome: &Outcome) -> Vec<(&'static str, Ruled)> {
    outcome.finding().alternatives.iter().map(|other| (other.row, other.outcome)).collect()
}

/// White's flag falls, nobody sees it, and then Black's falls too. The first one decides until it is rejected.
#[test]
fn s112_both_flags_fall_at_a_real_clock() {
    for (model, second) in [(Model::Generic, FlagPath::RunningAtZero), (Model::Dgt3000, FlagPath::ZeroAfterOther)] {
        let mut scene = scene(model, "fide-2023-standard");
        scene.act("run").play("d2d4", 1.0).play("d7d5", 1.0).wait(22.0).play("e2e4", 0.5);
        let outcome = scene.wait(22.0).run();
        let flags: Vec<_> = outcome.state().flags.iter().map(|flag| (flag.number, flag.side, flag.path)).collect();
        assert_eq!(flags, [(Some(1), "white", FlagPath::RunningAtZero), (Some(2), "black", second)], "{model:?}");
        let found = outcome.finding();
        assert_eq!((found.flag, found.fall, found.row), (Some("white"), Some(1), "16"), "{model:?}");
        assert_eq!(rows(&outcome), [("14", Ruled::BlackWins), ("15", Ruled::Draw)], "{model:?}");
        let outcome = decide(&mut scene, "reject");
        let found = outcome.finding();
        assert_eq!((found.flag, found.fall, found.row), (Some("black"), Some(2), "16"), "{model:?}");
        assert_eq!(rows(&outcome), [("14", Ruled::WhiteWins), ("15", Ruled::Draw)], "{model:?}");
    }
}

#[test]
fn s113_additional_time_is_requested_before_the_flag() {
    let mut scene = scene(Model::Dgt3000, "fide-2023-standard+guidelines-III.4");
    scene.act("run").play("d2d4", 1.0).play("d7d5", 1.0);
    scene.command(r#"{"verb":"claim-on","side":"white","ground":"additional_time","standing":"lodged"}"#);
    let outcome = scene.wait(22.0).run();
    assert_eq!((outcome.row(), outcome.finding().outcome), ("6", Ruled::Undecided));
    assert!(outcome.finding().unknown.contains(&"claim_ruling"), "{:?}", outcome.finding());
    assert_eq!(rows(&outcome)[0], ("6", Ruled::GameGoesOn));
    scene.command(r#"{"verb":"claim-on","side":"white","ground":"additional_time","standing":"refused"}"#);
    assert_eq!(scene.wait(1.0).run().row(), "16", "only the flag is left");
}

#[test]
fn s114_a_draw_is_claimed_by_normal_means_before_the_flag() {
    let mut scene = scene(Model::Dgt3000, "fide-2023-standard+guidelines-III.5");
    scene.act("run").play("d2d4", 1.0).play("d7d5", 1.0);
    scene.command(r#"{"verb":"claim-on","side":"white","ground":"normal_means","standing":"lodged"}"#);
    let outcome = scene.wait(22.0).run();
    assert_eq!((outcome.row(), outcome.finding().outcome), ("6", Ruled::Undecided));
    assert_eq!(rows(&outcome)[0], ("6", Ruled::Draw));
    scene.command(r#"{"verb":"claim-on","side":"white","ground":"normal_means","standing":"accepted"}"#);
    let outcome = scene.wait(1.0).run();
    assert_eq!((outcome.row(), outcome.finding().outcome), ("6", Ruled::Draw));
    assert_eq!(outcome.station.game().result(), Some(GameResult::Draw));
}

/// White mates although his flag has fallen. Black declares the flag and stops the clocks.
#[test]
fn s115_a_mated_player_declares_the_flag() {
    let mut scene = scene(Model::Generic, "club-speed");
    scene.act("run");
    for uci in ["e2e4", "e7e5", "d1h5", "b8c6", "f1c4", "g8f6"] {
        scene.play(uci, 0.2);
    }
    scene.wait(22.0).play("h5f7", 0.2).act("stop").wait(0.5).command(r#"{"verb":"claim","flag":"white"}"#);
    let outcome = scene.wait(2.0).run();
    let found = outcome.finding();
    assert_eq!((found.flag, found.outcome), (Some("white"), Ruled::BlackWins), "{found:?}");
    assert!(found.articles.contains(&"13"), "{found:?}");
}

/// The second illegal move loses. No finding on it is decided without an arbiter, also where certain findings are.
#[test]
fn s116_illegal_moves_are_decided_by_arbiters_only() {
    let clock = ClockSettings::new(Model::Dgt3000, Method::Fischer, ClockTime(300_000), ClockTime(5_000));
    let mut scene = Scene::new(clock, "300+5");
    (scene.config.rulings, scene.config.observer) = (Rulings::Automatic, true);
    scene.act("run").wait(1.0);
    for alarm in 1..=2 {
        scene.act("move f1 b5").wait(1.0).press(true).wait(3.0);
        scene.act("stop").wait(1.0).act("move b5 f1").wait(1.0).act("press right").wait(0.5);
        scene.command(&format!(r#"{{"verb":"penalty","side":"white","alarm":{alarm},"counts":true}}"#)).act("run").wait(1.0);
    }
    let outcome = scene.wait(2.0).run();
    let found = outcome.finding();
    assert_eq!((found.flag, found.row, outcome.station.game().result()), (None, "7a", None), "{found:?}");
    assert!(found.unknown.contains(&"winnable"), "Article 6.9 is still being worked out: {found:?}");
    scene.command(r#"{"verb":"declare-result","result":"0-1"}"#);
    assert_eq!(scene.wait(1.0).run().station.game().result(), Some(GameResult::BlackWins));
}
