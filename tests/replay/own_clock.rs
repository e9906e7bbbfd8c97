//! A clock on a link of its own and a board without a clock: presses, times and flags come from that clock. Without it the game reports
//! that there is no clock, and has no findings on time.

use flagfall::publish::states;
use flagfall::session::replay;
use flagfall::session::setting::{Overrides, Setting};
use flagfall::session::station::CLOCK;
use flagfall::wire::clock::ClockStatus;
use flagfall_game::game::Game;
use flagfall_hardware::emulator::{EMULATORS, Kind};
use flagfall_protocols::drivers;
use flagfall_protocols::event::ClockSide;
use flagfall_protocols::square::Color;
use flagfall_protocols::trace::Trace;

use crate::scene::own_clock;
use crate::scene::own_clock::{CLOCK_DRIVER, TwoLinkRig};

const MOVES: [&str; 5] = ["e2e4", "e7e5", "f1c4", "b8c6", "d1h5"];

/// Every emulated board whose family has no clock.
fn boards() -> impl Iterator<Item = &'static Kind> {
    let clockless =
        |kind: &&Kind| drivers::find(kind.driver).is_some_and(|info| info.capabilities.board && !info.capabilities.clock);
    EMULATORS.iter().copied().flatten().filter(clockless)
}

fn chessnut() -> &'static Kind {
    boards().find(|kind| kind.driver == "chessnut").expect("emulated")
}

fn moves(game: &Game) -> Vec<String> {
    game.moves().chain(game.pending()).map(|played| played.uci.to_string()).collect()
}

#[test]
fn moves_at_every_board_are_completed_by_the_presses_of_a_clock_by_itself() {
    let mut tried = 0;
    for kind in boards() {
        let rig = own_clock::a_game(kind);
        let game = rig.station.game();
        let state = states::arbiter_state(game);
        assert_eq!(moves(game), MOVES, "{kind:?}");
        assert_eq!((state.clock_status, state.clock.source), (ClockStatus::Reporting, CLOCK_DRIVER), "{kind:?}");
        let pressed: Vec<bool> = state.moves.iter().map(|mv| mv.pressed_at.is_some()).collect();
        // The fourth move was pressed while the clock's link was lost.
        assert_eq!(pressed, [true, true, true, false, true], "{kind:?}: {:#?}", state.moves);
        assert_eq!(state.moves[0].white_ms.map(|ms| ms / 1000), Some(298), "{kind:?}: 297.3 s are left");
        assert!(game.findings().is_empty(), "{kind:?}: {:?}", game.findings());
        tried += 1;
    }
    assert!(tried >= 10, "only {tried} boards");
}

#[test]
fn a_clock_whose_link_is_gone_is_lost_until_it_reports_again() {
    let mut rig = TwoLinkRig::new(chessnut(), true);
    let status = |rig: &TwoLinkRig| ClockStatus::from(rig.station.game().clock());
    assert_eq!(status(&rig), ClockStatus::NotHeard);
    rig.wait(3.0);
    assert_eq!(status(&rig), ClockStatus::Reporting);
    rig.clock("0 run", 2.0);
    rig.hands("0 move e2 e4", 0.7);
    rig.clock("0 press left", 1.0);
    rig.link(CLOCK, false);
    rig.wait(1.0);
    let open = |rig: &TwoLinkRig| -> Vec<String> {
        let alarms = rig.station.game().alarms().iter().filter(|alarm| alarm.closed.is_none());
        alarms.map(|alarm| format!("{:?}", alarm.kind)).collect()
    };
    assert_eq!((status(&rig), open(&rig)), (ClockStatus::Lost, vec!["ClockLost".to_owned()]));
    assert_eq!(rig.station.game().clock().running, None, "the running side is unknown");
    rig.link(CLOCK, true);
    rig.wait(2.0);
    assert_eq!((status(&rig), open(&rig)), (ClockStatus::Reporting, Vec::new()));
}

/// Alarms of the game, open or closed.
fn alarms(rig: &TwoLinkRig) -> Vec<String> {
    rig.station.game().alarms().iter().map(|alarm| format!("{:?}", alarm.kind)).collect()
}

fn pressed(rig: &TwoLinkRig) -> Vec<bool> {
    rig.station.game().moves().map(|played| played.pressed.is_some()).collect()
}

/// The radio delays the second press by some seconds, once together with the reply and its press. A clock without messages for a longer
/// time is lost, which is an alarm.
#[test]
fn a_press_that_the_radio_holds_back_may_be_as_old_as_the_clock_stamped() {
    for (holds, replies) in [(1.2, true), (2.2, false), (2.8, false)] {
        let mut rig = TwoLinkRig::new(chessnut(), true);
        rig.wait(9.0);
        rig.clock("0 run", 2.0);
        let mut happened = Vec::new();
        let mut press = |rig: &mut TwoLinkRig, side: &str, seconds: f64| {
            happened.push(rig.now.micros());
            rig.clock(&format!("0 press {side}"), seconds);
        };
        rig.hands("0 move e2 e4", 0.7);
        press(&mut rig, "left", 2.0);
        rig.hands("0 move e7 e5", 0.4);
        rig.hold(CLOCK, holds);
        press(&mut rig, "right", if replies { 0.3 } else { holds + 2.0 });
        rig.hands("0 move g1 f3", 0.7);
        press(&mut rig, "left", 4.0);
        rig.hands("0 move b8 c6", 0.7);
        press(&mut rig, "right", 3.0);
        let pressed = rig.station.game().moves().filter_map(|played| played.pressed);
        let pressed: Vec<[u64; 2]> = pressed.map(|pressed| pressed.micros()).collect();
        assert_eq!(pressed.len(), happened.len(), "{holds}: {pressed:?}");
        let delay = drivers::find(CLOCK_DRIVER).expect("registered").timing.press_delay.as_micros() as u64;
        for ([earliest, latest], happened) in pressed.iter().zip(&happened) {
            assert!(earliest <= happened && happened <= latest, "{holds}: {happened}: {pressed:?}");
            // The fastest message takes 15 ms itself.
            let before = happened - earliest;
            assert!(before <= delay && before >= delay - 16_000, "{holds}: {happened}: {pressed:?}");
        }
        assert_eq!(pressed[1][1] == pressed[2][1], replies, "both come at once: {pressed:?}");
        assert_eq!(alarms(&rig), [""; 0], "{holds}");
    }
}

#[test]
fn a_clock_that_is_found_again_while_the_right_side_thinks_is_right_about_whose_press_it_is() {
    let mut rig = TwoLinkRig::new(chessnut(), true);
    rig.wait(9.0);
    rig.clock("0 run", 2.0);
    rig.hands("0 move e2 e4", 0.7);
    rig.clock("0 press left", 2.0);
    rig.link(CLOCK, false);
    rig.wait(1.0);
    rig.link(CLOCK, true);
    rig.wait(6.0);
    assert_eq!(rig.station.game().clock().running, Some(Color::Black));
    rig.hands("0 move e7 e5", 0.7);
    rig.clock("0 press right", 2.0);
    rig.hands("0 slide f1 c4 0.5", 1.0);
    rig.clock("0 press left", 3.0);
    assert_eq!(alarms(&rig), ["ClockLost"]);
    assert_eq!(moves(rig.station.game()), MOVES[..3]);
    assert_eq!(pressed(&rig), [true; 3]);
}

#[test]
fn a_game_whose_white_sits_at_the_right_begins_with_a_long_think() {
    let mut rig = TwoLinkRig::with_white(chessnut(), true, ClockSide::Right);
    rig.wait(9.0);
    rig.clock("0 run", 6.0);
    assert_eq!(rig.station.game().clock().running, Some(Color::White));
    rig.hands("0 move e2 e4", 0.7);
    rig.clock("0 press right", 2.0);
    rig.hands("0 move e7 e5", 0.7);
    rig.clock("0 press left", 3.0);
    assert_eq!(alarms(&rig), [""; 0]);
    assert_eq!(moves(rig.station.game()), MOVES[..2]);
    assert_eq!(pressed(&rig), [true; 2]);
}

#[test]
fn a_clock_that_was_never_heard_is_not_lost() {
    let mut rig = TwoLinkRig::new(chessnut(), true);
    rig.link(CLOCK, false);
    rig.wait(9.0);
    assert_eq!(ClockStatus::from(rig.station.game().clock()), ClockStatus::NotHeard);
    assert_eq!(alarms(&rig), [""; 0]);
}

#[test]
fn a_flag_that_an_arbiter_saw_names_the_bytes_of_the_clocks_own_link() {
    let mut rig = own_clock::a_game(chessnut());
    rig.command(r#"{"verb":"claim","flag":"black"}"#);
    rig.wait(1.0);
    let findings = rig.station.game().findings();
    assert_eq!(findings.len(), 1, "{findings:?}");
    let sources: Vec<&str> = findings[0].readings.iter().map(|reading| reading.source.as_str()).collect();
    assert!(!sources.is_empty() && sources.iter().all(|source| source.starts_with("clock-rx0:")), "{sources:?}");
}

#[test]
fn without_a_clock_the_game_reports_none_and_finds_nothing_on_time() {
    for kind in boards() {
        let mut rig = TwoLinkRig::new(kind, false);
        rig.wait(9.0);
        // The clock on the table runs to zero, but it has no link.
        rig.clock("0 set left 0:00:05 right 0:00:05\n1 run", 2.0);
        for hands in ["move e2 e4", "move e7 e5", "slide f1 c4 0.5", "move b8 c6"] {
            rig.hands(&format!("0 {hands}"), 5.0);
        }
        let game = rig.station.game();
        let state = states::arbiter_state(game);
        assert_eq!(moves(game), MOVES[..4], "{kind:?}");
        assert_eq!(state.moves.len(), 4, "{kind:?}: sure without a press");
        assert_eq!((state.clock_status, state.clock.source), (ClockStatus::NotAvailable, "none"), "{kind:?}");
        assert_eq!((state.clock.white_ms, state.clock.black_ms, state.clock.running), (None, None, None), "{kind:?}");
        assert!(state.moves.iter().all(|mv| mv.pressed_at.is_none()), "{kind:?}: no press is concluded from moves");
        assert!(
            state.flags.is_empty() && game.findings().is_empty() && game.alarms().is_empty(),
            "{kind:?}: {:?}",
            game.alarms()
        );
    }
}

#[test]
fn a_replay_of_both_links_gives_the_same() {
    let rig = own_clock::a_game(chessnut());
    let trace = Trace::new(rig.trace.as_bytes()).expect("a trace");
    let setting = Setting::from_trace(&trace, &Overrides::default()).expect("a setting");
    let mut again = setting.station().expect("a station");
    replay::run(&trace, &mut again, &mut |_| Ok(())).expect("replayed");
    assert_eq!(states::arbiter_state(again.game()), states::arbiter_state(rig.station.game()));
}

#[test]
fn bytes_of_a_link_that_the_station_has_not_change_nothing() {
    let mut rig = TwoLinkRig::new(chessnut(), false);
    rig.wait(3.0);
    let before = rig.station.digest();
    rig.link(CLOCK, true);
    rig.clock("0 run", 3.0);
    rig.link(CLOCK, false);
    assert_eq!(rig.station.digest(), before);
}
