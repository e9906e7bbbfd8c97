//! Scenarios 109-111: delays that the clock has, or has not (6.3.2).

use flagfall_hardware::emulator::clock_model::{ClockSettings, Method, Model};
use flagfall_protocols::time::ClockTime;

use crate::scene::Scene;

const DIFFERS: [&str; 1] = ["clock_setting_differs"];

/// Five minutes on a clock with this method, read as `control`.
fn scene(method: Method, additional: u32, control: &str) -> Scene {
    Scene::new(ClockSettings::new(Model::Dgt3000, method, ClockTime(300_000), ClockTime(additional * 1000)), control)
}

#[test]
fn s109_a_configured_delay_that_the_clock_has_not() {
    for control in ["300d3", "300d5", "300b3", "300b10"] {
        let mut scene = scene(Method::TimeOnly, 0, control);
        scene.act("run").play("e2e4", 6.0).play("e7e5", 6.0);
        assert_eq!(scene.wait(1.0).run().alarms(), DIFFERS, "{control}: two presses are enough");
        scene.shuffle(4, 2.0);
        let outcome = scene.wait(400.0).run();
        assert_eq!((outcome.row(), outcome.moves().len()), ("10", 6), "{control}: findings on time are undecided");
    }
}

#[test]
fn s110_a_delay_that_nobody_configured() {
    for (method, control) in [
        (Method::UsDelay, "300"),
        (Method::Bronstein, "300"),
        (Method::UsDelay, "300+5"),
        (Method::Bronstein, "300+30"),
        (Method::UsDelay, "300b1"),
    ] {
        let mut scene = scene(method, 5, control);
        scene.act("run").play("e2e4", 6.0).play("e7e5", 6.0);
        let alarms = scene.wait(1.0).run().alarms();
        assert_eq!(alarms, DIFFERS, "{method:?} 5 s on the clock, {control} configured");
    }
}

/// The arbiter grants a delay in the middle of the game, and records it or not.
#[test]
fn s111_a_delay_is_set_during_the_game() {
    for (action, control) in [("delay 0:00:05", "294d5"), ("bronstein 0:00:05", "294b5")] {
        let play = |recorded: bool| {
            let mut scene = scene(Method::TimeOnly, 0, "300");
            scene.act("run").shuffle(4, 2.0).act("stop").wait(2.0).act(action).wait(1.0);
            if recorded {
                scene.command(&format!(r#"{{"verb":"set-clock-record","time_control":"{control}"}}"#));
            }
            scene.act("run").shuffle(4, 6.0);
            scene.wait(2.0).run()
        };
        assert_eq!(play(true).alarms(), [""; 0], "{action}");
        assert_eq!(play(false).alarms(), DIFFERS, "{action}, without the arbiter's record");
    }
}

/// Moves within the delay, long thoughts, and turns that end in the delay: a clock that is set rightly.
#[test]
fn a_clock_that_is_set_rightly_never_differs() {
    for (method, control) in [(Method::Bronstein, "300b5"), (Method::UsDelay, "300d5"), (Method::Fischer, "300+5")] {
        let mut scene = scene(method, 5, control);
        scene.act("run");
        for think in [0.5, 0.1, 3.7, 4.1, 12.3, 8.9, 0.2, 2.2, 5.5, 6.1, 1.9, 20.4] {
            let next = scene.next_quiet();
            scene.play(&next, think);
        }
        assert_eq!(scene.wait(2.0).run().alarms(), [""; 0], "{control}");
    }
}
