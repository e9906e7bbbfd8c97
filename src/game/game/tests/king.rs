//! Kings left in check and captured, and other illegal moves by the club's points 3.3, 16, 18 and 19.

use alloc::string::ToString;
use alloc::vec;
use alloc::vec::Vec;
use core::time::Duration;

use flagfall_protocols::event::{ByteRange, DeviceEvent};
use flagfall_protocols::square::Color::{Black, White};
use flagfall_protocols::square::{Piece, Reading, Square};

use crate::alarm::AlarmKind;
use crate::arbiter_entries::Entered;
use crate::input::{Command, Input};
use crate::interval::Interval;
use crate::irregular::king::KingCapture;
use crate::laws::facts::End;
use crate::laws::outcome::{Kind, Outcome};
use crate::men;

use super::table::{KINGS_AND_PAWNS, Table};

/// White is in check from the rook.
const IN_CHECK: &str = "4r1k1/7p/8/8/8/8/P7/4K3 w - - 0 1";

/// Hands lift men (`a2`) and put them down (`Pa3`), one step each 0.1 s.
pub(super) fn hands(table: &mut Table, what: &str) {
    for change in what.split(' ') {
        let (man, square) = change.split_at(change.len() - 2);
        let reading = man.chars().next().map_or(Reading::Empty, |man| Reading::Piece(Piece::from_letter(man).expect(change)));
        table.now = table.now.after(Duration::from_millis(100));
        table.device(DeviceEvent::Square { square: Square::parse(square).expect(change), reading });
    }
}

/// White's pawn moves, his king stays in check, and he presses.
fn left_in_check(rulebook: &str) -> Table {
    let mut table = Table::new(rulebook, "300", IN_CHECK);
    table.wait(2);
    hands(&mut table, "a2 Pa3");
    table.wait(1).press().wait(3);
    let alarms: Vec<_> = table.game.alarms().iter().map(|alarm| (alarm.kind, alarm.side)).collect();
    assert_eq!(alarms, [(AlarmKind::IllegalMove, Some(White))]);
    table
}

fn captured(table: &Table) -> usize {
    table.game.case().facts(&[]).endings.iter().filter(|ended| ended.end == End::KingCaptured { by: Black }).count()
}

/// Checks that only the illegal move awaits a ruling.
fn open(table: &Table) {
    assert_eq!(table.findings(), [("4", Outcome::Undecided, vec!["illegal_move_ruling"])]);
    assert_eq!(captured(table), 0);
}

fn won(table: &Table) {
    assert_eq!(table.findings(), [("5", Outcome::BlackWins, vec![])]);
    let finding = &table.game.findings()[0];
    assert_eq!((finding.kind, &finding.articles[..]), (Kind::MoveOnBoard, &["3.3", "18"][..]));
    assert_eq!(captured(table), 1);
}

#[test]
fn a_king_left_in_check_is_captured_and_pressed_for() {
    let mut table = left_in_check("club-speed");
    hands(&mut table, "e1 e8 re1");
    let made = table.now;
    table.wait(2);
    open(&table);
    let at = Interval { earliest: table.now, latest: table.now };
    table.game.irregular.king.pressed(White, at);
    table.wait(1);
    assert_eq!(captured(&table), 0, "the offender's press does not finish the capture");
    let before_press = table.now;
    table.press().wait(1);
    won(&table);
    let ended = table.game.irregular.king.captured().expect("captured");
    assert!(ended.at.latest == made && ended.at.earliest < made, "{ended:?}");
    assert!(ended.pressed.is_some_and(|pressed| pressed.latest == before_press), "{ended:?}");
    hands(&mut table, "a3 h7 e1 Ke1 g8");
    table.wait(3).press().wait(3);
    won(&table);
}

#[test]
fn a_quick_capture_is_shown_before_the_illegal_move_is_known() {
    let mut table = Table::new("club-speed", "300", IN_CHECK);
    table.wait(2);
    hands(&mut table, "a2 Pa3");
    table.press();
    hands(&mut table, "e8 e1 re1");
    table.now = table.now.after(Duration::from_millis(50));
    table.press();
    assert_eq!(captured(&table), 0, "the capture must stand first");
    let stood = table.now.after(Duration::from_millis(200));
    assert_eq!(table.game.deadline(), Some(stood));
    // The capture stands, and the next report is that a second ran off.
    table.now = stood;
    table.clock.left.time.0 -= 1000;
    let second = Input::Device { event: DeviceEvent::Clock(table.clock), source: ByteRange::default() };
    table.game.step(stood, &second, &mut table.out);
    won(&table);
}

#[test]
fn both_clocks_stopped_finish_the_capture_as_well() {
    let mut table = left_in_check("club-speed");
    hands(&mut table, "e8 e1 re1");
    table.wait(1).clock.running = false;
    table.report().wait(1);
    won(&table);
    table.clock.running = true;
    table.report().wait(1);
    won(&table);
}

#[test]
fn clocks_that_stood_before_the_capture_finish_nothing() {
    let mut table = left_in_check("club-speed");
    table.clock.running = false;
    table.report().wait(1);
    hands(&mut table, "e8 e1 re1");
    table.wait(2);
    open(&table);
}

#[test]
fn a_capture_taken_back_before_the_press_is_none() {
    let mut table = left_in_check("club-speed");
    hands(&mut table, "e1 e8 re1");
    table.wait(1);
    hands(&mut table, "e1 re8 Ke1");
    table.wait(1).press().wait(1);
    open(&table);
}

#[test]
fn a_king_lifted_and_put_back_is_not_captured() {
    let mut table = left_in_check("club-speed");
    hands(&mut table, "e1");
    table.wait(1);
    hands(&mut table, "Ke1");
    table.wait(1).press().wait(1);
    open(&table);
    let mut lifted = left_in_check("club-speed");
    hands(&mut lifted, "e1");
    lifted.wait(1).press().wait(1);
    open(&lifted);
}

#[test]
fn a_capture_that_no_man_can_make() {
    // The rook is blocked, and the knight gives the check.
    let mut table = Table::new("club-speed", "300", "4r1k1/4p3/8/8/8/3n4/P7/4K3 w - - 0 1");
    table.wait(2);
    hands(&mut table, "a2 Pa3");
    table.wait(1).press().wait(3);
    hands(&mut table, "e8 e1 re1");
    table.wait(1).press().wait(1);
    open(&table);
    let mut exchanged = left_in_check("club-speed");
    hands(&mut exchanged, "e1 re1 e8 qe8");
    exchanged.wait(1).press().wait(1);
    open(&exchanged);
}

#[test]
fn a_king_in_check_may_be_captured_after_a_press_without_a_move() {
    let mut table = Table::new("club-speed", "300", IN_CHECK);
    table.wait(2).press().wait(3);
    open(&table);
    hands(&mut table, "e1 e8 re1");
    table.wait(1).press().wait(1);
    won(&table);
}

#[test]
fn after_a_sure_legal_move_the_king_cannot_be_captured() {
    let mut table = left_in_check("club-speed");
    assert!(matches!(table.game.irregular.king, KingCapture::Left(_)));
    table.clock.running = false;
    hands(table.report(), "a3 Pa2");
    table.clock.lever_up = table.clock.lever_up.other();
    table.clock.turn = Some(table.clock.lever_up);
    table.report().clock.running = true;
    hands(table.report().wait(1), "e1 Kd2");
    table.press().wait(2);
    assert_eq!(table.game.seen.play.decoder.record.moves().len(), 1);
    assert!(matches!(table.game.irregular.king, KingCapture::None));
}

#[test]
fn an_alarm_that_was_acknowledged_does_not_save_the_king() {
    let mut table = left_in_check("club-speed");
    let alarm = table.game.last_alarm();
    table.command(Command::AcknowledgeAlert { alarm }).wait(1);
    assert!(table.game.findings().is_empty());
    hands(&mut table, "e1 e8 re1");
    table.wait(1).press().wait(1);
    won(&table);
}

#[test]
fn a_king_that_was_not_in_check_cannot_be_captured() {
    let mut table = Table::new("club-speed", "300", "3r2k1/8/8/8/8/8/P7/4K3 w - - 0 1");
    table.wait(2);
    hands(&mut table, "a2 Pa5");
    table.wait(1).press().wait(3);
    // The rook goes to e8 and then to e1, which is two moves.
    hands(&mut table, "d8 re8");
    table.wait(1);
    hands(&mut table, "e8 e1 re1");
    table.wait(1).press().wait(1);
    open(&table);
    let mut quick = Table::new("club-speed", "300", "3r2k1/8/8/8/8/8/P7/4K3 w - - 0 1");
    quick.wait(2);
    hands(&mut quick, "a2 Pa5");
    quick.wait(1).press();
    hands(&mut quick, "d8 re8 e8 e1 re1");
    quick.wait(1).press().wait(2);
    open(&quick);
    // After the press the king is put on a square that the rook attacks.
    let mut late = Table::new("club-speed", "300", "3r2k1/8/8/8/8/8/P7/4K3 w - - 0 1");
    late.wait(2);
    hands(&mut late, "a2 Pa5");
    late.wait(1).press();
    late.now = late.now.after(Duration::from_millis(300));
    hands(&mut late, "e1 Kd1 d8 d1 rd1");
    late.press().wait(2);
    open(&late);
}

#[test]
fn once_the_opponent_has_made_another_move_it_is_too_late() {
    let mut table = left_in_check("club-speed");
    hands(&mut table, "h7 ph6");
    table.wait(1).press().wait(1);
    hands(&mut table, "h6 ph7 e8 e1 re1");
    table.wait(1).clock.running = false;
    table.report().wait(1);
    assert_eq!(captured(&table), 0, "point 15");
}

#[test]
fn a_board_that_was_not_seen_proves_nothing() {
    let mut table = Table::new("club-speed", "300", IN_CHECK);
    table.wait(2);
    hands(&mut table, "a2 Pa3");
    table.device(DeviceEvent::Silent).wait(1).press().wait(3);
    let standing = men::placement(table.game.seen.board.men());
    table.device(DeviceEvent::Responding).device(DeviceEvent::Frame(standing)).wait(1);
    hands(&mut table, "e1 e8 re1");
    table.wait(1).press().wait(1);
    assert_eq!(captured(&table), 0);
    let mut lost = left_in_check("club-speed");
    lost.device(DeviceEvent::Silent).wait(1);
    hands(&mut lost, "e1 e8 re1");
    lost.wait(1).press().wait(1);
    assert_eq!(captured(&lost), 0);
}

#[test]
fn only_the_club_knows_the_capture_of_a_king() {
    for rulebook in ["fide-2023-standard", "fide-2023-blitz", "fide-print-old", "us-chess"] {
        let mut table = left_in_check(rulebook);
        let before = table.findings();
        hands(&mut table, "e1 e8 re1");
        table.wait(1).press().wait(2);
        assert_eq!((captured(&table), table.findings()), (0, before), "{rulebook}");
        assert!(table.game.irregular.king.due(table.now, &table.game.seen.board).is_none());
    }
}

#[test]
fn an_arbiters_record_removes_it() {
    let taken_away = |command: Command| {
        let mut table = left_in_check("club-speed");
        hands(&mut table, "e1 e8 re1");
        table.wait(1).press().wait(1);
        won(&table);
        table.command(command).wait(2);
        assert_eq!(captured(&table), 0);
    };
    taken_away(Command::TakeBack { plies: 0 });
    taken_away(Command::SetPosition { fen: IN_CHECK.to_string() });
    taken_away(Command::SetPosition { fen: KINGS_AND_PAWNS.to_string() });
    taken_away(Command::StartGame { fen: None });
    taken_away(Command::CorrectMove { plies: 0, uci: "e1d2".to_string() });
}

#[test]
fn a_press_without_a_move_loses_in_the_club() {
    let mut table = Table::new("club-speed", "300", KINGS_AND_PAWNS);
    table.wait(2).press().wait(4);
    open(&table);
    let alarm = table.game.last_alarm();
    table.enter(White, Entered::IllegalMove { alarm, counts: true });
    assert_eq!(table.findings(), [("4", Outcome::BlackWins, vec![])], "point 16");
}

#[test]
fn any_illegal_move_loses_in_the_club() {
    let mut table = Table::new("club-speed", "300", KINGS_AND_PAWNS);
    table.wait(2);
    hands(&mut table, "e2 Pe5");
    table.wait(1).press().wait(3);
    open(&table);
    table.clock.running = false;
    table.report().wait(1);
    open(&table);
    let alarm = table.game.last_alarm();
    table.enter(White, Entered::IllegalMove { alarm, counts: true });
    assert_eq!(table.findings(), [("4", Outcome::BlackWins, vec![])], "point 19");
}
