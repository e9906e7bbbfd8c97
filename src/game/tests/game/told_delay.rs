//! A device that reports the delay of its reports.

use core::time::Duration;

use flagfall_game::config::GameConfig;
use flagfall_game::game::Game;
use flagfall_protocols::event::DeviceEvent;

use crate::desk::{Desk, TIMING};

/// The interval in which a press of White's lies, in milliseconds before its report, if the device stated these delays.
fn pressed_before(own_clock: Option<Duration>, delays: &[Duration]) -> [u64; 2] {
    let mut desk = Desk::new("300");
    desk.game = Game::new(GameConfig { own_clock, ..GameConfig::default() }, TIMING);
    desk.start();
    desk.wait(5.0);
    for delay in delays {
        desk.device(DeviceEvent::Delay(*delay));
    }
    desk.make("e2e4").wait(10.0).press(0);
    let told = desk.now;
    desk.wait(1.0);
    let pressed = desk.state().moves.pop().and_then(|e4| e4.pressed).expect("pressed");
    pressed.micros().map(|at| (told.0 - at) / 1000)
}

/// On a line with many boards the clocks are queried as rarely as the squares.
#[test]
fn a_press_is_as_late_as_the_stated_delay() {
    let usual = TIMING.press_delay.as_millis() as u64;
    let [later, much_later] = [600, 2_000].map(|more| TIMING.scan + Duration::from_millis(more));
    assert_eq!(pressed_before(None, &[]), [usual, 0]);
    assert_eq!(pressed_before(None, &[later]), [usual + 600, 0]);
    assert_eq!(pressed_before(None, &[much_later, later]), [usual + 600, 0], "the last stated delay counts");
    assert_eq!(pressed_before(None, &[much_later, TIMING.scan]), [usual, 0]);
    assert_eq!(pressed_before(Some(Duration::from_millis(300)), &[later]), [300, 0], "the clock has its own link");
}
