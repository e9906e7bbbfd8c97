//! Advice on recording (8.4) and on arrival in time (6.7, scenario 94).

use flagfall_game::clock::Recording;
use flagfall_game::game::Game;
use flagfall_game::laws::rulebook::Rulebook;
use flagfall_game::pair::Pair;
use flagfall_protocols::time::ClockTime;

use crate::desk::Desk;

fn with(control: &str, rules: &str, default_time_s: Option<u32>) -> Desk {
    let mut desk = Desk::new(control);
    let rulebook = Rulebook::parse(rules).expect(rules);
    desk.game = Game::new(desk_config(control, rulebook, default_time_s), crate::desk::TIMING);
    desk
}

fn desk_config(control: &str, rulebook: Rulebook, default_time_s: Option<u32>) -> flagfall_game::config::GameConfig {
    let time_control = flagfall_game::clock::control::TimeControl::parse(control).ok();
    flagfall_game::config::GameConfig { time_control, rulebook, default_time_s, ..Default::default() }
}

/// Sets the times that both displays show.
fn show(desk: &mut Desk, white_s: u32, black_s: u32) -> Pair<Recording> {
    desk.wait(0.3);
    desk.clock.left.time = ClockTime(white_s * 1000);
    desk.clock.right.time = ClockTime(black_s * 1000);
    desk.report().state().recording
}

#[test]
fn the_duty_to_record_ends_under_five_minutes_and_stays_so_in_the_period() {
    use Recording::{NotRequired, Required, Suspended, Unknown};
    let both = |white, black| Pair { white, black };
    let mut desk = with("40/600+5:600+5", "fide-2023-standard", None);
    desk.clock.left.time = ClockTime(600_000);
    desk.clock.right.time = ClockTime(600_000);
    desk.start();
    assert_eq!(desk.state().recording, both(Required, Required));
    assert_eq!(show(&mut desk, 300, 600), both(Required, Required), "five minutes are not less than five minutes");
    assert_eq!(show(&mut desk, 299, 600), both(Suspended, Required));
    assert_eq!(show(&mut desk, 304, 600), both(Suspended, Required), "recording stays suspended to the end of the period");

    let mut much = with("600+30", "fide-2023-standard", None);
    much.start();
    assert_eq!(show(&mut much, 20, 20), both(Required, Required), "half a minute is added");
    for rules in ["fide-2023-rapid", "fide-2023-blitz", "club-speed"] {
        let mut desk = with("300", rules, None);
        desk.start();
        assert_eq!(desk.state().recording, both(NotRequired, NotRequired), "{rules}");
    }
    let mut unknown = with("", "fide-2023-standard", None);
    unknown.start();
    assert_eq!(unknown.state().recording, both(Unknown, Unknown));
}

#[test]
fn arbiters_are_reminded_of_the_player_who_is_late() {
    let late = "DefaultTimeOver(white)".to_owned();
    let mut desk = with("300", "fide-2023-standard", Some(60));
    desk.start();
    desk.wait(58.0);
    assert!(!desk.alarms().contains(&late));
    desk.wait(4.0);
    assert!(desk.alarms().contains(&late));
    assert_eq!(desk.state().alarms.len(), 1, "open, once");
    desk.wait(0.6).make("e2e4").wait(0.3);
    assert!(desk.state().alarms.is_empty(), "the player came in time");
    desk.press(0).wait(2.0);
    assert!(desk.alarms().contains(&"DefaultTimeOver(black)".to_owned()), "the time counts from the start for both players");

    let mut none = with("300", "fide-2023-standard", None);
    none.start();
    none.wait(250.0);
    assert!(!none.alarms().contains(&late), "the event has set no default time");
    let mut old = with("7200", "fide-print-old", None);
    old.clock.left.time = ClockTime(7_200_000);
    old.start();
    old.wait(3590.0);
    assert!(!old.alarms().contains(&late));
    old.wait(20.0);
    assert!(old.alarms().contains(&late), "one hour has passed");
}
