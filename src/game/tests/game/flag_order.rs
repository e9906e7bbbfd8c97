//! Two flags that are down: an arbiter records which one fell first.

use flagfall_game::input::Command;
use flagfall_game::laws::outcome::Outcome;
use flagfall_protocols::event::ClockSide;
use flagfall_protocols::square::Color;
use flagfall_protocols::time::ClockTime;

use crate::desk::Desk;
use crate::desk::event::{Event, OPEN, PLAIN};

/// Both flags were called at one moment, and the clock has shown neither.
fn both_down(event: &Event<'_>) -> Desk {
    let mut desk = event.desk(OPEN);
    desk.play("e2e4").play("e7e5").wait(1.0);
    desk.clock.running = false;
    desk.report().wait(1.0).call(Color::White).call(Color::Black);
    desk
}

fn first(desk: &mut Desk, first: Color) -> &mut Desk {
    desk.sign("anna", Command::SetFlagOrder { first }).settle()
}

#[test]
fn the_record_decides_and_names_its_command() {
    for (side, outcome) in [(Color::White, Outcome::BlackWins), (Color::Black, Outcome::WhiteWins)] {
        let mut desk = both_down(&PLAIN);
        assert_eq!((desk.row(), desk.found().unknown), (("11", Outcome::Undecided), vec!["order_of_flags", "moment_of_expiry"]));
        let command = format!("cmd:anna-{}", desk.wait(1.0).now.0);
        first(&mut desk, side);
        let found = desk.found();
        assert_eq!((desk.refused(), desk.row(), found.alternatives.len()), (0, ("14", outcome), 0), "{side:?}: {found:?}");
        assert!(found.evidence.contains(&command), "{:?}", found.evidence);
        // A later record of the order takes the place of the earlier one.
        desk.wait(1.0);
        first(&mut desk, side.other());
        assert_ne!(desk.row().1, outcome, "{side:?}");
    }
}

/// An arbiter's record stands above the moments at which the flags were called, and follows his next word.
#[test]
fn the_record_stands_above_every_time() {
    for called in [[Color::White, Color::Black], [Color::Black, Color::White]] {
        for earlier in [Color::White, Color::Black] {
            let mut desk = PLAIN.desk(OPEN);
            desk.play("e2e4").play("e7e5").wait(1.0).call(called[0]);
            first(&mut desk, earlier);
            assert_eq!(desk.refused(), 1, "one flag alone has no order");
            desk.wait(2.0).call(called[1]).wait(1.0);
            for side in [earlier, earlier.other(), earlier] {
                first(&mut desk, side).wait(1.0);
                let winner = if side == Color::White { Outcome::BlackWins } else { Outcome::WhiteWins };
                assert_eq!((desk.refused(), desk.row()), (1, ("14", winner)), "{called:?}, {side:?} first");
            }
        }
    }
}

/// It is about the two falls that were down, and not about a later one.
#[test]
fn a_later_fall_has_no_order() {
    let mut desk = both_down(&PLAIN);
    first(&mut desk, Color::White);
    let finding = desk.key();
    desk.sign("anna", Command::Reject { finding }).wait(1.0).settle();
    let finding = desk.key();
    desk.sign("anna", Command::Reject { finding }).wait(1.0);
    assert!(!desk.game.awaits_ruling());
    desk.face(ClockSide::Left).time = ClockTime(60_000);
    desk.face(ClockSide::Right).time = ClockTime(60_000);
    desk.clock.running = true;
    desk.report().play("a1b1").play("a8b8").wait(1.0).call(Color::White).call(Color::Black);
    assert_eq!((desk.row().0, desk.found().fall), ("11", Some(3)), "{:?}", desk.found());
}

/// The claimant's own flag was down when he called the other one, whatever the moments are (US Chess 14G; club points 8, 11).
#[test]
fn under_other_rules_it_says_whether_the_claimants_flag_was_down() {
    for (rulebook, open, row) in [
        ("us-chess", Outcome::Undecided, ("4", Outcome::Draw)),
        ("club-speed", Outcome::Undecided, ("2", Outcome::WhiteWins)),
        ("fide-print-old+rapid", Outcome::Undecided, ("11", Outcome::Draw)),
    ] {
        let mut desk = Event { rulebook, ..PLAIN }.desk(OPEN);
        desk.play("e2e4").play("e7e5").wait(1.0);
        desk.clock.running = false;
        desk.report().wait(1.0).call(Color::White).wait(2.0).call(Color::Black);
        assert_eq!(desk.row().1, open, "{rulebook}: {:?}", desk.found());
        first(&mut desk, Color::Black);
        assert_eq!((desk.refused(), desk.row()), (0, row), "{rulebook}: {:?}", desk.found());
    }
}

#[test]
fn in_the_club_it_records_what_both_players_agree() {
    let mut desk = both_down(&Event { rulebook: "club-speed", ..PLAIN });
    assert_eq!(desk.row(), ("2", Outcome::Draw));
    first(&mut desk, Color::Black);
    assert_eq!((desk.refused(), desk.row()), (0, ("2", Outcome::WhiteWins)));
}

#[test]
fn it_needs_two_flags() {
    let mut desk = PLAIN.desk(OPEN);
    desk.wait(1.0);
    first(&mut desk, Color::White);
    desk.flag(ClockSide::Left);
    first(&mut desk, Color::White);
    assert_eq!(desk.refused(), 2);
}

#[test]
fn a_flag_that_is_taken_back_takes_the_order_with_it() {
    let mut desk = both_down(&PLAIN);
    first(&mut desk, Color::White);
    let back = Command::SetClockRecord { time_control: None, additional_time: None, flag_taken_back: Some(Color::White) };
    desk.sign("anna", back).wait(1.0).settle();
    assert_eq!(desk.row(), ("14", Outcome::WhiteWins), "Black's flag is down alone");
    desk.call(Color::White);
    assert_eq!(
        (desk.row(), desk.found().unknown),
        (("11", Outcome::Undecided), vec!["order_of_flags", "moment_of_expiry"]),
        "a flag of its own"
    );
}
