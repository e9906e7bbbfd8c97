//! Dead positions, fivefold repetitions and 75 moves: the finding, the decisions on it, and the alarms that a decision closes.

use flagfall_game::alarm::AlarmKind;
use flagfall_game::game_phase::GamePhase;
use flagfall_game::input::Command;
use flagfall_game::laws::finding::FindingStatus;
use flagfall_game::laws::outcome::{GameResult, Kind, Outcome};
use flagfall_protocols::event::ClockSide;
use flagfall_protocols::square::{Color, Placement};
use flagfall_protocols::time::ClockTime;

use crate::desk::Desk;
use crate::desk::event::{AUTOMATIC, Event, OPEN, PLAIN};

/// White takes the last pawn, and neither side can mate.
const LAST_PAWN: &str = "4k3/8/8/8/8/8/3p4/4K3 w - - 0 1";
/// One move more makes 75 by each side.
const LONG_PLAY: &str = "4k3/4p3/8/8/8/8/4P3/R3K3 w - - 149 90";
const ENDINGS: [AlarmKind; 3] = [AlarmKind::DeadPosition, AlarmKind::FivefoldRepetition, AlarmKind::SeventyFiveMoves];

/// After these moves the same position stands for the fifth time.
const FOUR_TIMES: [&str; 16] = [
    "e1f1", "e8f8", "f1e1", "f8e8", "e1f1", "e8f8", "f1e1", "f8e8", "e1f1", "e8f8", "f1e1", "f8e8", "e1f1", "e8f8", "f1e1",
    "f8e8",
];

/// A game that has ended so on the board.
fn ended(event: &Event<'_>, ending: AlarmKind) -> Desk {
    let mut desk = match ending {
        AlarmKind::DeadPosition => event.desk(LAST_PAWN),
        AlarmKind::SeventyFiveMoves => event.desk(LONG_PLAY),
        _ => event.desk(OPEN),
    };
    let moves: &[&str] = match ending {
        AlarmKind::DeadPosition => &["e1d2"],
        AlarmKind::SeventyFiveMoves => &["a1a2"],
        _ => &FOUR_TIMES,
    };
    for uci in moves {
        desk.play(uci);
    }
    desk.wait(2.0);
    assert_eq!(open(&desk), [ending], "{:?}", desk.alarms());
    desk
}

/// The kinds of the open alarms.
fn open(desk: &Desk) -> Vec<AlarmKind> {
    desk.state().alarms.iter().map(|alarm| alarm.kind).collect()
}

fn number_of(desk: &Desk, kind: AlarmKind) -> u32 {
    desk.state().alarms.iter().find(|alarm| alarm.kind == kind).expect("an open alarm").id
}

fn closed_by_the_last_decision(desk: &Desk) -> Vec<u32> {
    desk.game.decisions().last().expect("a decision").closed_alarms.clone()
}

#[test]
fn each_has_a_finding_that_can_be_confirmed() {
    for (ending, row, article, position, next) in [
        (ENDINGS[0], "2", "5.2.2", "4k3/8/8/8/8/8/3K4/8 b", "e8e7"),
        (ENDINGS[1], "3", "9.6.1", "r3k3/4p3/8/8/8/8/4P3/R3K3 w", "e1f1"),
        (ENDINGS[2], "3", "9.6.2", "4k3/4p3/8/8/8/8/R3P3/4K3 b", "e8f8"),
    ] {
        let mut desk = ended(&PLAIN, ending);
        let found = desk.found();
        assert_eq!((found.kind, found.flag, found.row, found.outcome), (Kind::MoveOnBoard, None, row, Outcome::Draw));
        assert_eq!((found.articles.as_slice(), found.unknown.len()), (&[article][..], 0), "{ending:?}");
        assert!(found.position.starts_with(position), "{ending:?}: {}", found.position);
        // Players who have not noticed it play on, and the finding stays as it is.
        let finding = desk.key();
        desk.play(next).wait(2.0);
        assert_eq!((desk.key(), desk.state().stage), (finding, GamePhase::Playing), "{ending:?}");
        let alarm = number_of(&desk, ending);
        desk.sign("anna", Command::Confirm { finding });
        assert_eq!((desk.refused(), desk.game.result()), (0, Some(GameResult::Draw)), "{ending:?}");
        assert_eq!((open(&desk), closed_by_the_last_decision(&desk)), (vec![], vec![alarm]), "{ending:?}");
        assert_eq!(desk.found().status, FindingStatus::Confirmed, "{ending:?}");
    }
}

#[test]
fn a_rejected_ending_does_not_end_the_game() {
    for ending in ENDINGS {
        let mut desk = ended(&PLAIN, ending);
        let (alarm, finding) = (number_of(&desk, ending), desk.key());
        desk.sign("anna", Command::Reject { finding }).wait(1.0);
        assert_eq!((desk.refused(), desk.game.result(), desk.state().stage), (0, None, GamePhase::Playing), "{ending:?}");
        assert_eq!((open(&desk), closed_by_the_last_decision(&desk)), (vec![], vec![alarm]), "{ending:?}");
        assert!(desk.game.findings().is_empty() && desk.game.ending().is_none(), "{ending:?}");
        // The same ending is not proposed again with the next move.
        let next = match ending {
            AlarmKind::DeadPosition => "e8e7",
            AlarmKind::SeventyFiveMoves => "e8f8",
            _ => "e1f1",
        };
        desk.play(next).wait(2.0);
        assert_eq!((open(&desk), desk.game.findings().len()), (vec![], 0), "{ending:?}");
    }
    // Nor does it decide about a flag.
    let mut desk = ended(&PLAIN, AlarmKind::FivefoldRepetition);
    let finding = desk.key();
    desk.sign("anna", Command::Reject { finding }).flag(ClockSide::Left).call(Color::White);
    assert_eq!(desk.row(), ("14", Outcome::BlackWins));
}

/// After a capture or pawn move, repetitions are counted anew, and another one is another ending.
#[test]
fn another_repetition_after_a_rejected_one_is_proposed() {
    let mut desk = ended(&PLAIN, AlarmKind::FivefoldRepetition);
    let finding = desk.key();
    desk.sign("anna", Command::Reject { finding });
    for uci in ["e2e4", "e7e5"].iter().chain(&FOUR_TIMES) {
        desk.play(uci);
    }
    desk.wait(2.0);
    assert_eq!((open(&desk), desk.found().row), (vec![AlarmKind::FivefoldRepetition], "3"));
}

#[test]
fn a_taken_back_ending_leaves_neither_finding_nor_alarm() {
    let mut desk = ended(&PLAIN, AlarmKind::DeadPosition);
    desk.assume(LAST_PAWN);
    let restored = desk.standing();
    desk.frame(restored).sign("anna", Command::TakeBack { plies: 0 });
    assert_eq!((open(&desk), desk.game.findings().len()), (vec![], 0));
}

/// The alarm and the finding are there again when the result is taken back.
#[test]
fn a_result_taken_back_brings_the_ending_back() {
    for ending in ENDINGS {
        let mut desk = ended(&PLAIN, ending);
        let finding = desk.key();
        desk.sign("anna", Command::Confirm { finding }).wait(1.0);
        desk.sign("bob", Command::DeclareResult { result: GameResult::Open });
        assert_eq!((desk.refused(), desk.game.result(), open(&desk)), (0, None, vec![ending]));
        assert_eq!(
            (desk.found().row, desk.found().status),
            (if ending == ENDINGS[0] { "2" } else { "3" }, FindingStatus::Proposed)
        );
    }
}

/// The board alone does not decide a game that the players believe to be on.
#[test]
fn no_ending_on_the_board_is_decided_without_an_arbiter() {
    for ending in ENDINGS {
        let mut desk = ended(&AUTOMATIC, ending);
        desk.wait(30.0);
        assert_eq!((desk.game.result(), desk.audited().len(), desk.found().outcome), (None, 0, Outcome::Draw));
        assert!(open(&desk).contains(&ending), "{:?}", desk.alarms());
    }
}

/// As after a mate that nobody entered, the players may set up the next game.
#[test]
fn an_ending_without_a_ruling_does_not_delay_the_next_game() {
    let mut desk = ended(&PLAIN, AlarmKind::DeadPosition);
    let number = desk.game.number();
    desk.clock.running = false;
    desk.report().wait(0.5).frame(Placement::initial()).wait(20.0);
    assert_eq!((desk.game.number(), open(&desk)), (number + 1, vec![]));
    assert!(desk.alarms().contains(&"ResultMissing".to_owned()), "{:?}", desk.alarms());
}

/// A result closes the alarm of every flag and ending, however it was decided, and the decision says which.
#[test]
fn a_result_closes_the_alarms_that_it_settles() {
    let agreed = vec![Command::Offer { side: Color::White }, Command::Accept { side: Color::Black }];
    for commands in [agreed, vec![Command::DeclareResult { result: GameResult::Draw }]] {
        let mut flagged = PLAIN.desk(OPEN);
        flagged.play("e2e4").play("e7e5").flag(ClockSide::Left);
        let endings = ENDINGS.map(|ending| (ending, ended(&PLAIN, ending)));
        for (kind, mut desk) in [(AlarmKind::Flag, flagged)].into_iter().chain(endings) {
            // Both players must have made a move before they may agree to a draw.
            if desk.moves().len() == 1 {
                desk.play(if kind == AlarmKind::DeadPosition { "e8e7" } else { "e8f8" });
            }
            let alarm = number_of(&desk, kind);
            for command in &commands {
                desk.sign("anna", command.clone());
            }
            assert_eq!((desk.refused(), desk.game.result()), (0, Some(GameResult::Draw)), "{kind:?} {commands:?}");
            assert_eq!((open(&desk), closed_by_the_last_decision(&desk)), (vec![], vec![alarm]), "{kind:?} {commands:?}");
            // A flag that was decided by the result is open again when the result is taken back.
            desk.wait(1.0).sign("bob", Command::DeclareResult { result: GameResult::Open });
            assert_eq!((open(&desk), closed_by_the_last_decision(&desk)), (vec![kind], vec![]), "{kind:?} {commands:?}");
        }
    }
}

/// A flag that a decision let pass does not alarm anybody again when moves are taken back.
#[test]
fn a_rejected_flag_raises_no_alarm_after_a_correction() {
    let mut desk = PLAIN.desk(OPEN);
    desk.play("e2e4").play("e7e5").flag(ClockSide::Left);
    let finding = desk.key();
    desk.sign("anna", Command::Reject { finding }).wait(1.0);
    desk.clock.left.time = ClockTime(90_000);
    desk.clock.left.flag_shown = false;
    desk.report().play("e1f1").wait(2.0);
    desk.sign("anna", Command::TakeBack { plies: 2 });
    assert_eq!((desk.refused(), open(&desk).contains(&AlarmKind::Flag)), (0, false), "{:?}", desk.alarms());
}
