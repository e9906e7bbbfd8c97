//! Rulings on illegal moves: each is one of its own, numbered for its player (7.5.5).

use flagfall_game::alarm::AlarmKind;
use flagfall_game::input::{Author, Command, Input};
use flagfall_game::laws::finding::{Finding, FindingStatus};
use flagfall_game::laws::outcome::{GameResult, Kind, Outcome, Recommended};
use flagfall_game::laws::screen::{Around, Screen};
use flagfall_protocols::event::ClockSide;
use flagfall_protocols::square::{Color, Piece, Reading, Square};

use crate::desk::Desk;
use crate::desk::event::{BLACK_BARE, Event, OPEN, PLAIN};

/// What the arbiter sends about a finding on an illegal move.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Act {
    Confirm,
    Reject,
    Penalty,
    NoPenalty,
    Acknowledge,
    Nothing,
}

/// What a player does wrong.
#[derive(Clone, Copy, Debug)]
enum Wrong {
    /// He presses without a move (7.5.3), and the opponent presses back after a while.
    Press,
    /// He puts a rook on a square to which it cannot go (7.5.1), and puts it back.
    Rook,
}

fn put(desk: &mut Desk, from: &str, to: &str, man: char) {
    let square = |name| Square::parse(name).expect("a square");
    desk.wait(0.6).square(square(from), Reading::Empty).wait(0.3);
    desk.square(square(to), Reading::Piece(Piece::from_letter(man).expect("a man"))).wait(0.5);
}

/// The player who has the move makes an illegal one; then his clock runs again. Gives the number of the alarm.
fn wrong(desk: &mut Desk, wrong: Wrong) -> u32 {
    let side = flagfall_game::color_name(if desk.turn() == shakmaty::Color::White { Color::White } else { Color::Black });
    let (from, to, man) = if side == "white" { ("a1", "b3", 'R') } else { ("a8", "b6", 'r') };
    let before = desk.game.last_alarm();
    match wrong {
        Wrong::Press => {
            desk.wait(2.0).press(0).wait(3.0).press(0).wait(1.0);
        }
        Wrong::Rook => {
            put(desk, from, to, man);
            desk.press(0).wait(3.0);
            desk.clock.running = false;
            desk.report();
            put(desk, to, from, man);
            desk.clock.lever_up = desk.clock.lever_up.other();
            desk.clock.running = true;
            desk.report().wait(1.0);
        }
    }
    let new =
        desk.game.alarms().iter().rfind(|alarm| alarm.id > before && alarm.kind.class() == flagfall_game::alarm::Class::Loud);
    let alarm = new.unwrap_or_else(|| panic!("{wrong:?} of {side}: {:?}", desk.alarms()));
    assert_eq!(alarm.side.map(flagfall_game::color_name), Some(side), "{wrong:?}");
    alarm.id
}

fn act(desk: &mut Desk, act: Act, side: Color, alarm: u32) {
    let refused = desk.refused();
    let penalty = |counts| Command::Penalty { side, seconds: None, alarm: Some(alarm), counts: Some(counts) };
    let command = match act {
        Act::Confirm => Command::Confirm { finding: desk.key() },
        Act::Reject => Command::Reject { finding: desk.key() },
        Act::Penalty => penalty(true),
        Act::NoPenalty => penalty(false),
        Act::Acknowledge => Command::AcknowledgeAlert { alarm },
        Act::Nothing => return,
    };
    desk.wait(1.0).sign("anna", command).wait(1.0);
    assert_eq!(desk.refused(), refused, "{act:?}: {:?}", desk.out.last());
}

/// The finding that awaits a ruling, if there is one.
fn open(desk: &Desk) -> Option<Finding> {
    let found = desk.state().finding.filter(|finding| finding.status == FindingStatus::Proposed)?;
    assert_eq!(found.kind, Kind::IllegalMove, "{found:?}");
    Some(found)
}

/// The illegal moves of the finding that have a number, each with its player.
fn numbers(finding: &Finding) -> Vec<(Color, u32)> {
    let number = |words: &str| Some(["first", "second", "third"].iter().position(|ordinal| words.contains(ordinal))? as u32 + 1);
    finding.illegal_moves.iter().filter_map(|it| Some((it.side, number(&it.words)?))).collect()
}

fn why(finding: &Finding) -> String {
    Screen::of(finding, &Around::default()).why
}

const RULES: [&str; 4] = ["fide-2023-standard", "fide-2023-rapid-supervised", "fide-2023-blitz", "us-chess+illegal-moves-2"];

/// Whatever was sent about the first illegal move of a player, the second one has a finding of its own, and it is his second or his
/// first again.
#[test]
fn the_next_illegal_move_of_the_same_player() {
    let pairs = [(Wrong::Press, Wrong::Rook), (Wrong::Rook, Wrong::Press), (Wrong::Rook, Wrong::Rook)];
    for (index, rulebook) in RULES.into_iter().enumerate() {
        for (first, second) in pairs.into_iter().skip(index.min(2)) {
            for sent in [Act::Confirm, Act::Reject, Act::Penalty, Act::NoPenalty, Act::Acknowledge, Act::Nothing] {
                let name = format!("{rulebook}, {first:?}, {sent:?}, {second:?}");
                let mut desk = Event { rulebook, ..PLAIN }.desk(OPEN);
                let alarm = wrong(&mut desk, first);
                let before = open(&desk).unwrap_or_else(|| panic!("{name}: the first"));
                assert_eq!((before.outcome, numbers(&before)), (Outcome::GameGoesOn, vec![(Color::White, 1)]), "{name}");
                act(&mut desk, sent, Color::White, alarm);
                let ruled = matches!(sent, Act::Confirm | Act::Reject);
                assert_eq!(open(&desk).is_none(), sent != Act::Nothing, "{name}");
                assert_eq!(desk.state().finding.is_some(), ruled || sent == Act::Nothing, "{name}: what was ruled on stays");
                if sent != Act::Nothing {
                    assert!(!desk.state().alarms.iter().any(|known| known.id == alarm), "{name}: the alarm is closed");
                }
                wrong(&mut desk, second);
                let found = open(desk.settle()).unwrap_or_else(|| panic!("{name}: no finding on the second"));
                let again = matches!(sent, Act::Reject | Act::NoPenalty);
                let expected: &[_] = if again { &[(Color::White, 1)] } else { &[(Color::White, 1), (Color::White, 2)] };
                assert_eq!(numbers(&found), expected, "{name}");
                assert_eq!(found.id > before.id, sent != Act::Nothing, "{name}");
                match again {
                    true => {
                        assert_eq!(found.outcome, Outcome::GameGoesOn, "{name}");
                        let time = |it: &Recommended| matches!(it, Recommended::AddTime { side: "black", .. });
                        assert!(found.recommended.iter().any(time), "{name}: {:?}", found.recommended);
                    }
                    false => {
                        let lost = found.alternatives.iter().any(|it| it.outcome == Outcome::BlackWins);
                        assert!(found.outcome == Outcome::Undecided && lost, "{name}: {found:?}");
                    }
                }
                assert_eq!(
                    why(&found).contains("White's first illegal move, "),
                    !again && sent != Act::Nothing,
                    "{name}: {}",
                    why(&found)
                );
                // A second decision, whichever it is, leaves nothing open but the first one where nothing was sent about it.
                act(&mut desk, Act::Reject, Color::White, 0);
                assert_eq!(open(&desk).is_some(), sent == Act::Nothing, "{name}");
            }
        }
    }
}

#[test]
fn each_player_has_his_own_numbers() {
    for sent in [Act::Confirm, Act::Reject, Act::Penalty, Act::Acknowledge] {
        let mut desk = PLAIN.desk(OPEN);
        let alarm = wrong(&mut desk, Wrong::Rook);
        act(&mut desk, sent, Color::White, alarm);
        desk.play("e2e4");
        wrong(&mut desk, Wrong::Rook);
        let found = open(&desk).unwrap_or_else(|| panic!("{sent:?}"));
        assert_eq!((found.outcome, found.offender), (Outcome::GameGoesOn, Some("black")), "{sent:?}");
        assert!(numbers(&found).contains(&(Color::Black, 1)), "{sent:?}: {:?}", found.illegal_moves);
        assert!(found.recommended.contains(&Recommended::AddTime { side: "white", seconds: 120 }), "{sent:?}");
    }
}

/// The sheet says what was made of the earlier one, and whether the time was seen to be given.
#[test]
fn the_sheet_names_the_earlier_ones() {
    for (given, time) in [(true, "Black got 2:00"), (false, "2:00 more for Black not seen on the clock")] {
        let mut desk = PLAIN.desk(OPEN);
        let alarm = wrong(&mut desk, Wrong::Rook);
        act(&mut desk, Act::Confirm, Color::White, alarm);
        let ruled = desk.found();
        assert_eq!((ruled.status, why(&ruled).as_str()), (FindingStatus::Confirmed, "The illegal move counts."));
        if given {
            desk.clock.running = false;
            desk.report().wait(1.0).face(ClockSide::Right).time.0 += 120_000;
            desk.report().wait(1.0).clock.running = true;
            desk.report().wait(1.0);
        }
        wrong(&mut desk, Wrong::Press);
        let found = open(desk.settle()).expect("a finding");
        let sentence = format!("White's first illegal move, 1. Ra1-b3: confirmed by anna, {time}.");
        assert!(why(&found).ends_with(&sentence), "{}", why(&found));
        let second = &found.illegal_moves[1];
        assert!(second.open && second.words.starts_with("White's second illegal move, 1. pressed without a move"), "{second:?}");
    }
}

/// One that was rejected has no number, and is named with its decision.
#[test]
fn the_sheet_names_those_that_were_rejected() {
    let mut desk = PLAIN.desk(OPEN);
    for (act_on, kind) in [(Act::Reject, Wrong::Rook), (Act::NoPenalty, Wrong::Press)] {
        let alarm = wrong(&mut desk, kind);
        act(&mut desk, act_on, Color::White, alarm);
    }
    wrong(&mut desk, Wrong::Rook);
    let found = open(&desk).expect("a finding");
    let sentences = "White's illegal move, 1. Ra1-b3: rejected by anna. \
        White's illegal move, 1. pressed without a move: rejected by anna.";
    assert!(why(&found).ends_with(sentences), "{}", why(&found));
    assert_eq!((numbers(&found), found.outcome), (vec![(Color::White, 1)], Outcome::GameGoesOn));
}

/// An illegal move that only an arbiter saw is entered by `penalty` (7.5.4).
#[test]
fn one_that_no_sensor_saw_counts_with_the_others() {
    let two_hands = || Command::Penalty { side: Color::White, seconds: None, alarm: None, counts: Some(true) };
    for (fen, outcome, result) in
        [(OPEN, Outcome::BlackWins, GameResult::BlackWins), (BLACK_BARE, Outcome::Draw, GameResult::Draw)]
    {
        let mut desk = PLAIN.desk(fen);
        let alarm = wrong(&mut desk, Wrong::Press);
        act(&mut desk, Act::Confirm, Color::White, alarm);
        desk.sign("anna", two_hands()).settle().wait(1.0);
        let found = open(&desk).expect("he loses");
        assert_eq!((found.row, found.outcome, numbers(&found).len()), ("7a", outcome, 2), "{fen}");
        // He is forgiven the second, and it has no number any more.
        act(&mut desk, Act::Reject, Color::White, 0);
        assert_eq!((open(&desk), desk.game.result()), (None, None), "{fen}");
        desk.wait(5.0).sign("anna", two_hands()).settle().wait(1.0);
        let third = open(&desk).expect("he loses again");
        assert_eq!((third.outcome, third.id > found.id, numbers(&third).len()), (outcome, true, 2), "{fen}");
        act(&mut desk, Act::Confirm, Color::White, 0);
        assert_eq!(desk.game.result(), Some(result), "{fen}");
    }
    let mut desk = PLAIN.desk(OPEN);
    desk.wait(2.0).sign("anna", two_hands()).wait(1.0);
    wrong(&mut desk, Wrong::Press);
    let found = open(desk.settle()).expect("a finding");
    assert!(why(&found).contains("White's first illegal move, 1. seen by an arbiter: counted by anna"), "{}", why(&found));
}

/// A later decision about the first one changes the number of the second one.
#[test]
fn a_later_decision_changes_the_numbers() {
    for (first, later) in
        [(Act::Confirm, Act::Reject), (Act::Confirm, Act::NoPenalty), (Act::Reject, Act::Confirm), (Act::Reject, Act::Penalty)]
    {
        let name = format!("{first:?}, then {later:?}");
        let mut desk = PLAIN.desk(OPEN);
        let alarm = wrong(&mut desk, Wrong::Rook);
        let id = desk.found().id;
        act(&mut desk, first, Color::White, alarm);
        wrong(&mut desk, Wrong::Rook);
        desk.settle();
        let loses = |desk: &Desk| open(desk).is_some_and(|found| found.outcome == Outcome::Undecided);
        assert_eq!(loses(&desk), first == Act::Confirm, "{name}");
        let known = desk.game.findings().iter().find(|finding| finding.id == id).unwrap_or_else(|| panic!("{name}")).clone();
        let finding = flagfall_game::laws::finding::FindingKey { id, revision: known.revision };
        match later {
            Act::Confirm => desk.sign("bob", Command::Confirm { finding }),
            Act::Reject => desk.sign("bob", Command::Reject { finding }),
            _ => desk.sign(
                "bob",
                Command::Penalty { side: Color::White, seconds: None, alarm: Some(alarm), counts: Some(later == Act::Penalty) },
            ),
        };
        assert_eq!(desk.refused(), 0, "{name}");
        desk.settle().wait(1.0);
        assert_eq!(loses(&desk), first == Act::Reject, "{name}: {:?}", open(&desk));
        assert_eq!(desk.state().decisions.last().expect("a decision").supersedes, Some(1), "{name}");
    }
}

/// Both of two open ones are confirmed at once; a rejection of two concerns the one by which he would lose.
#[test]
fn a_ruling_on_several_open_ones() {
    let mut desk = PLAIN.desk(OPEN);
    wrong(&mut desk, Wrong::Press);
    desk.play("e2e4");
    wrong(&mut desk, Wrong::Press);
    act(&mut desk, Act::Confirm, Color::White, 0);
    assert_eq!(open(&desk), None);
    desk.play("e7e5");
    wrong(&mut desk, Wrong::Press);
    assert_eq!(numbers(&open(desk.settle()).expect("a finding")), [(Color::White, 1), (Color::White, 2), (Color::Black, 1)]);

    let mut desk = PLAIN.desk(OPEN);
    wrong(&mut desk, Wrong::Press);
    wrong(&mut desk, Wrong::Rook);
    desk.settle();
    act(&mut desk, Act::Reject, Color::White, 0);
    let found = open(&desk).expect("the first one still awaits a ruling");
    assert_eq!((found.outcome, numbers(&found)), (Outcome::GameGoesOn, vec![(Color::White, 1)]));
    act(&mut desk, Act::Confirm, Color::White, 0);
    assert_eq!(open(&desk), None);
    let supersedes: Vec<_> = desk.state().decisions.iter().map(|decision| decision.supersedes).collect();
    assert_eq!(supersedes, [None, None], "each was about another illegal move");
}

/// Without supervision an illegal move that the opponent has answered stands (A.5.2), and the next one is the first again. In the club the
/// first one loses.
#[test]
fn one_that_stands_has_no_number() {
    for kind in [Wrong::Press, Wrong::Rook] {
        let mut desk = Event { rulebook: "fide-2023-blitz", ..PLAIN }.desk(OPEN);
        wrong(&mut desk, kind);
        desk.play("e2e4").play("e7e5").wait(1.0);
        assert_eq!(open(&desk), None, "{kind:?}");
        // A position is set, and the moves before it are another part of the game.
        desk.command(Command::SetPosition { fen: "r3k3/8/8/4p3/4P3/8/8/R3K3 w q - 0 2".to_owned() }).wait(1.0);
        assert_eq!(open(&desk), None, "{kind:?}");
        wrong(&mut desk, Wrong::Rook);
        let found = open(&desk).expect("a finding");
        assert_eq!((found.outcome, numbers(&found)), (Outcome::GameGoesOn, vec![(Color::White, 1)]), "{kind:?}");
    }
    for sent in [Act::Reject, Act::NoPenalty] {
        let mut desk = Event { rulebook: "club-speed", ..PLAIN }.desk(OPEN);
        let alarm = wrong(&mut desk, Wrong::Rook);
        act(&mut desk, sent, Color::White, alarm);
        wrong(&mut desk, Wrong::Rook);
        let found = open(&desk).unwrap_or_else(|| panic!("{sent:?}"));
        assert_eq!((found.row, found.outcome, numbers(&found)), ("4", Outcome::Undecided, vec![(Color::White, 1)]), "{sent:?}");
    }
}

/// A flag that falls later rests on the rulings.
#[test]
fn a_flag_after_a_ruling_on_an_illegal_move() {
    for (sent, flag, row) in [
        (Act::Confirm, ClockSide::Left, ("14", Outcome::BlackWins)),
        (Act::Confirm, ClockSide::Right, ("7b", Outcome::Undecided)),
        (Act::Reject, ClockSide::Right, ("14", Outcome::WhiteWins)),
        (Act::Reject, ClockSide::Left, ("14", Outcome::BlackWins)),
    ] {
        let mut desk = PLAIN.desk(OPEN);
        let alarm = wrong(&mut desk, Wrong::Rook);
        act(&mut desk, sent, Color::White, alarm);
        desk.flag(flag).call(if flag == ClockSide::Left { Color::White } else { Color::Black });
        assert_eq!(desk.row(), row, "{sent:?} {flag:?}: {:?}", desk.found());
        let flagged = desk.state().flags.len();
        let finding = desk.key();
        desk.sign("anna", Command::Reject { finding }).settle().wait(1.0);
        assert_eq!((flagged, desk.refused(), desk.game.awaits_ruling()), (1, 0, false));
        desk.clock.left.flag_shown = false;
        desk.clock.right.flag_shown = false;
        (desk.clock.left.time.0, desk.clock.right.time.0) = (100_000, 100_000);
        desk.clock.running = false;
        desk.report().wait(1.0).clock.running = true;
        desk.report().wait(1.0);
        wrong(&mut desk, Wrong::Press);
        let found = open(desk.settle()).unwrap_or_else(|| panic!("{sent:?} {flag:?}: no finding after the flag"));
        assert_eq!(found.outcome == Outcome::Undecided, sent == Act::Confirm, "{sent:?} {flag:?}");
    }
}

/// The alarm of an illegal move that was ruled on is not in the way of the next alarm.
#[test]
fn the_alarms_of_two_illegal_moves() {
    let mut desk = PLAIN.desk(OPEN);
    for _ in 0..4 {
        let alarm = wrong(&mut desk, Wrong::Rook);
        act(&mut desk, Act::Reject, Color::White, alarm);
    }
    let illegal = desk.game.alarms().iter().filter(|alarm| alarm.kind == AlarmKind::IllegalMove);
    assert_eq!(illegal.filter(|alarm| alarm.closed.is_some()).count(), 4);
    assert_eq!(desk.state().decisions.len(), 4);
}

/// A draw is agreed while the second illegal move of a player, which may lose the game (7.5.5), waits for its ruling.
#[test]
fn an_acceptance_over_an_illegal_move_needs_a_reason() {
    let mut desk = PLAIN.desk(OPEN);
    desk.sign("anna", Command::Offer { side: Color::White });
    let first = wrong(&mut desk, Wrong::Press);
    act(&mut desk, Act::Confirm, Color::White, first);
    wrong(&mut desk, Wrong::Press);
    let found = open(&desk).expect("a finding");
    assert_ne!(found.outcome, Outcome::Draw);
    let accept = Command::Accept { side: Color::Black };
    let refused = desk.refused();
    desk.feed(Input::Signed { command: Box::new(accept), author: Box::new(Author::default()) });
    assert_eq!((desk.refused(), desk.game.result()), (refused + 1, None));
}
