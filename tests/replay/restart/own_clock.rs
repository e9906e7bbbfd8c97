//! A clock on a link of its own is removed from the configuration, or added to it, during a round.

use flagfall::session::station::{BOARD, CLOCK};
use flagfall::wire::clock::ClockStatus;

use crate::restart::RecorderRig;
use crate::support::tapes::memory::Memory;
use crate::support::tapes::{Tape, end, own_tapes};

/// A game with such a clock, and the same game with a configuration without a clock.
fn with_and_without() -> [Tape; 2] {
    let with = own_tapes().into_iter().find(|tape| tape.name.ends_with("chessnut-and-gateway.trace")).expect("a trace");
    let mut without = with.clone();
    let setting = &mut without.setting;
    setting.clock = None;
    *setting = setting.clone().with_clock();
    [with, without]
}

#[test]
fn a_round_keeps_the_presses_and_times_of_the_clock_that_it_was_begun_with() {
    let [with, without] = with_and_without();
    let mut whole = RecorderRig::open(&with, Memory::default());
    whole.feed_rest(&with);
    assert!(whole.recorder.station().game().moves().any(|played| played.pressed.is_some()));
    for restart in 1..=2 {
        let mut rig = RecorderRig::open(&without, whole.memory.clone());
        assert_eq!(rig.restored.verified.differences, [""; 0], "restart {restart}");
        assert!(rig.restored.other_rules, "the report names the other configuration");
        rig.feed_rest(&without);
        assert_eq!(end(rig.recorder.station()), end(whole.recorder.station()), "restart {restart}");
        // The link is gone with the configuration: the station gets the end of the link, as of every link.
        assert_eq!(rig.recorder.station().links().collect::<Vec<_>>(), [BOARD, CLOCK]);
    }
}

#[test]
fn a_round_that_was_begun_without_a_clock_takes_up_the_one_that_is_configured() {
    let [with, without] = with_and_without();
    let begun = RecorderRig::open(&without, Memory::default());
    let again = RecorderRig::open(&with, begun.memory.clone());
    assert!(!again.restored.other_rules);
    assert_eq!(again.recorder.station().links().collect::<Vec<_>>(), [BOARD, CLOCK]);
    assert_eq!(ClockStatus::from(again.recorder.station().game().clock()), ClockStatus::NotHeard);
}
