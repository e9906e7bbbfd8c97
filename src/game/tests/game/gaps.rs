//! Moves that were made while the board was not heard.

use std::time::Duration;

use flagfall_game::alarm::AlarmKind;
use flagfall_game::audit::AuditEntry;
use flagfall_game::effect::Effect;
use flagfall_game::input::{Command, Input};
use flagfall_game::played::Cause;
use flagfall_protocols::event::{ClockSide, DeviceEvent, LogEntry};
use flagfall_protocols::square::Placement;

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

/// Ten plies with which no search finds its way.
const HIDDEN: [&str; 10] = ["g1f3", "b8c6", "f1c4", "f8c5", "d2d3", "g8f6", "b1c3", "d7d6", "c1g5", "h7h6"];

/// After 1. e4 e5 the hands make these moves while the board is not heard for forty seconds, and both clocks run. It has no log, and
/// then it shows this placement, or what was played.
fn after_moves_in_gap(control: &str, moves: &[&str], shown: Option<&str>, used: [i32; 2]) -> Desk {
    let mut desk = Desk::started(control);
    desk.play("e2e4").play("e7e5").wait(1.0).feed(Input::Link { up: false });
    desk.now = desk.now.after(Duration::from_secs(40));
    for uci in moves {
        let mv = uci.parse::<shakmaty::uci::UciMove>().expect("UCI").to_move(&desk.position).expect("legal");
        shakmaty::Position::play_unchecked(&mut desk.position, mv);
    }
    for (side, used) in [ClockSide::Left, ClockSide::Right].into_iter().zip(used) {
        let time = &mut desk.face(side).time.0;
        *time = time.saturating_add_signed(-used * 1000);
    }
    desk.clock.baseline = true;
    desk.feed(Input::Link { up: true }).device(DeviceEvent::Responding);
    let standing = shown.map_or(desk.standing(), |shown| Placement::parse(shown).expect("a placement"));
    desk.frame(standing).device(DeviceEvent::Log(LogEntry::End)).report();
    desk
}

fn is_open(desk: &Desk, kind: AlarmKind) -> bool {
    desk.game.alarms().iter().any(|alarm| alarm.kind == kind && alarm.closed.is_none())
}

fn sans(desk: &Desk) -> String {
    desk.state().moves.iter().map(|played| played.san.to_string()).collect::<Vec<_>>().join(" ")
}

/// So many moves were made that no search finds them. The next two presses show from where the game goes on; what was played in
/// between stays open.
#[test]
fn after_an_unexplained_gap_two_presses_show_from_where_the_game_goes_on() {
    // With an addition of two seconds a move, ten moves added twenty seconds.
    for (control, pause, used) in [("300", 0.0, [20, 20]), ("300", 5.0, [33, 7]), ("300+2", 5.0, [12, 8])] {
        let mut desk = after_moves_in_gap(control, &HIDDEN, None, used);
        desk.wait(pause).play("g5h4").play("g7g5").wait(1.0);
        // A man that is lifted at once hides what stood.
        assert_eq!(sans(&desk), if pause > 0.0 { "Bh4 g5" } else { "g5" }, "{control} {pause}: {:?}", desk.alarms());
        desk.play("h4g3").play("c8e6").wait(1.0);
        assert_eq!(sans(&desk), if pause > 0.0 { "Bh4 g5 Bg3 Be6" } else { "g5 Bg3 Be6" });
        assert!(is_open(&desk, AlarmKind::LinkGap) && is_open(&desk, AlarmKind::Unreachable), "nobody knows the moves");
        assert!(!is_open(&desk, AlarmKind::PositionDiffers) && !is_open(&desk, AlarmKind::IllegalMove), "{:?}", desk.alarms());
        let completed = desk.state().completed;
        assert_eq!((completed.white, completed.black), (None, None), "nobody knows how many");
        let segments: Vec<usize> = desk.game.segments().map(|(_, moves)| moves.len()).collect();
        assert_eq!(segments, [2], "the moves before the gap");
        let because = |effect: &&Effect| match effect {
            Effect::Audit(AuditEntry::Revision(revision)) => revision.cause == Cause::UnexplainedGap,
            _ => false,
        };
        assert_eq!(desk.out.iter().filter(because).count(), 1);
    }
}

/// Another gap is explained, and the alarms about the first one stay until an arbiter closes them.
#[test]
fn a_later_gap_does_not_close_the_alarms_of_an_unexplained_one() {
    let mut desk = after_moves_in_gap("300", &HIDDEN, None, [20, 20]);
    desk.wait(5.0).play("g5h4").play("g7g5").wait(1.0);
    move_in_gap(&mut desk, "h4g3");
    desk.device(DeviceEvent::Log(LogEntry::End)).wait(4.0).press(0).wait(1.0).play("c8e6").wait(1.0);
    assert_eq!(sans(&desk), "Bh4 g5 Bg3 Be6", "{:?}", desk.alarms());
    assert!(is_open(&desk, AlarmKind::LinkGap) && is_open(&desk, AlarmKind::Unreachable), "{:?}", desk.alarms());
    let opened: Vec<u32> = desk.state().alarms.iter().map(|alarm| alarm.id).collect();
    opened.into_iter().for_each(|alarm| _ = desk.command(Command::AcknowledgeAlert { alarm }));
    assert!(!is_open(&desk, AlarmKind::LinkGap) && !is_open(&desk, AlarmKind::Unreachable), "{:?}", desk.alarms());
}

/// A double step is the last move that nobody saw, and the pawn is captured in passing.
#[test]
fn a_pawn_may_be_captured_in_passing_after_an_unexplained_gap() {
    let hidden = ["g1f3", "b8c6", "f1c4", "f8c5", "d2d3", "g8f6", "b1c3", "a7a5", "c1g5", "a5a4", "b2b4"];
    let mut desk = after_moves_in_gap("300", &hidden, None, [20, 20]);
    desk.clock.lever_up = ClockSide::Right;
    desk.report().wait(5.0).play("a4b3").play("a2b3").wait(1.0);
    assert_eq!(sans(&desk), "axb3 axb3", "{:?}", desk.alarms());
}

/// The cables of two boards were exchanged: men, clock or time show that this is another game. Nothing of it is recorded.
#[test]
fn what_another_board_shows_after_a_gap_is_no_move_of_this_game() {
    let standing = "r1bqk2r/ppp2pp1/2np1n1p/2b1p1B1/2B1P3/2NP1N2/PPP2PPP/R2QK2R";
    // A pawn has gone back from e5, or there is one man more than before.
    let back = "r1bqk2r/ppp2pp1/2nppn1p/2b3B1/2B1P3/2NP1N2/PPP2PPP/R2QK2R";
    let more = "r1bqk2r/ppp2pp1/2np1n1p/2b1p1B1/2B1P3/1QNP1N2/PPP2PPP/R2QK2R";
    for (control, shown, used) in [
        ("300", back, [20, 20]),
        ("300", more, [20, 20]),
        // One player has more time than before, more time was used than has passed, or less.
        ("300", standing, [-30, 70]),
        ("300", standing, [30, 40]),
        ("300", standing, [10, 10]),
        // So many moves were not counted.
        ("300+2", standing, [20, 14]),
    ] {
        let mut desk = after_moves_in_gap(control, &HIDDEN, Some(shown), used);
        desk.wait(5.0).play("g5h4").play("g7g5").play("h4g3").play("c8e6").wait(1.0);
        assert_eq!(sans(&desk), "e4 e5", "{shown} {used:?}: {:?}", desk.alarms());
        assert_eq!(desk.game.segments().count(), 0);
        assert!(is_open(&desk, AlarmKind::Unreachable), "{shown} {used:?}: {:?}", desk.alarms());
    }
}
