//! Moves that were made while the board was not heard.

use std::time::Duration;

use flagfall_game::alarm::AlarmKind;
use flagfall_game::input::Input;
use flagfall_protocols::event::{ClockSide, DeviceEvent};

use crate::desk::Desk;

/// The board is lost for twenty seconds, in which the player makes this move and does not press.
fn move_in_gap(desk: &mut Desk, uci: &str) {
    desk.wait(1.0).feed(Input::Link { up: false });
    desk.now = desk.now.after(Duration::from_secs(20));
    let side = desk.clock.lever_up;
    desk.face(side).time.0 -= 21_000;
    let mv = uci.parse::<shakmaty::uci::UciMove>().expect("UCI").to_move(&desk.position).expect("legal");
    shakmaty::Position::play_unchecked(&mut desk.position, mv);
    desk.feed(Input::Link { up: true }).device(DeviceEvent::Responding);
    let standing = desk.standing();
    desk.clock.baseline = true;
    desk.frame(standing).report();
}

/// No press is needed (6.2.1.1), and nobody may ever press.
#[test]
fn a_move_of_a_gap_that_ends_the_game_is_told_after_a_scan() {
    let shuffle = ["g1f3", "g8f6", "f3g1", "f6g8"];
    let mut fivefold = Desk::started("300");
    for uci in shuffle.into_iter().cycle().take(15) {
        fivefold.play(uci);
    }
    move_in_gap(&mut fivefold, "f6g8");
    let mut mate = Desk::started("300");
    for uci in ["f2f3", "e7e5", "g2g4"] {
        mate.play(uci);
    }
    move_in_gap(&mut mate, "d8h4");
    for (mut desk, uci, alarm) in [(fivefold, "f6g8", Some("FivefoldRepetition")), (mate, "d8h4", None)] {
        desk.wait(0.3);
        assert_eq!(desk.moves().last().map(String::as_str), Some(uci), "{:?}", desk.alarms());
        let found = desk.alarms().into_iter().find(|found| Some(found.as_str()) == alarm);
        assert_eq!(found.as_deref(), alarm);
        desk.wait(4.0);
        let gap = desk.game.alarms().iter().find(|alarm| alarm.kind == AlarmKind::LinkGap).expect("an alarm");
        assert!(gap.closed.is_some(), "{gap:?}");
    }
}

/// Four plies that end where they began, in which both clocks ran: nobody but the players knows them. The game is followed from the
/// position on the board, and the alarms stay.
#[test]
fn a_shuffle_in_a_gap_is_not_forgotten() {
    // The seconds that ran off, White's and Black's, and whether Black has the move afterwards.
    for (white, black, over, hidden) in [(12, 8, false, true), (20, 0, false, false), (20, 0, true, true), (0, 20, true, true)] {
        for clock_first in [true, false] {
            let mut desk = Desk::started("300");
            desk.play("e2e4").play("e7e5").wait(2.0).feed(Input::Link { up: false });
            desk.now = desk.now.after(Duration::from_secs(20));
            desk.clock.left.time.0 -= white * 1000;
            desk.clock.right.time.0 -= black * 1000;
            desk.clock.lever_up = if over { ClockSide::Right } else { ClockSide::Left };
            desk.clock.baseline = true;
            desk.feed(Input::Link { up: true }).device(DeviceEvent::Responding);
            let standing = desk.standing();
            if clock_first {
                desk.report().frame(standing);
            } else {
                desk.frame(standing).report();
            }
            desk.wait(4.0);
            if !over {
                desk.play("g1f3").wait(1.0);
                assert_eq!(desk.moves(), ["e2e4", "e7e5", "g1f3"]);
            }
            let open = |kind| desk.game.alarms().iter().any(|alarm| alarm.kind == kind && alarm.closed.is_none());
            let context = (white, black, over, clock_first);
            assert_eq!([open(AlarmKind::LinkGap), open(AlarmKind::Ambiguous)], [hidden; 2], "{context:?} {:?}", desk.alarms());
        }
    }
}

/// The move on the board was pressed while the board was not heard.
#[test]
fn a_press_in_a_gap_hides_no_move() {
    let mut desk = Desk::started("300");
    desk.play("e2e4").play("e7e5").wait(1.0).make("g1f3").wait(0.5).feed(Input::Link { up: false });
    desk.now = desk.now.after(Duration::from_secs(20));
    desk.clock.left.time.0 -= 3000;
    desk.clock.right.time.0 -= 17_000;
    desk.clock.lever_up = ClockSide::Right;
    desk.clock.baseline = true;
    desk.feed(Input::Link { up: true }).device(DeviceEvent::Responding);
    let standing = desk.standing();
    desk.frame(standing).report().wait(4.0).play("b8c6").wait(1.0);
    assert_eq!(desk.moves(), ["e2e4", "e7e5", "g1f3", "b8c6"]);
    assert!(!desk.alarms().contains(&"Ambiguous".to_owned()), "{:?}", desk.alarms());
}

/// A move that ends nothing waits for its press.
#[test]
fn another_move_of_a_gap_waits_for_its_press() {
    let mut desk = Desk::started("300");
    for uci in ["f2f3", "e7e5", "g2g4"] {
        desk.play(uci);
    }
    move_in_gap(&mut desk, "d8g5");
    desk.wait(4.0);
    assert_eq!(desk.moves().len(), 3);
    desk.press(0).wait(3.0);
    assert_eq!(desk.moves().len(), 4, "{:?}", desk.alarms());
}
