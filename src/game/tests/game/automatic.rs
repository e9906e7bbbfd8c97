//! Findings that are decided without an arbiter if the event wants this, and findings that never are.

use flagfall_game::clock::control::TimeControl;
use flagfall_game::config::{GameConfig, Rulings};
use flagfall_game::decision::DecisionKind;
use flagfall_game::game::Game;
use flagfall_game::input::Command;
use flagfall_game::laws::claim::{Ground, Standing};
use flagfall_game::laws::finding::Finding;
use flagfall_game::laws::outcome::GameResult;
use flagfall_game::laws::outcome::Outcome;
use flagfall_protocols::event::ClockSide;
use flagfall_protocols::square::Color;

use crate::desk::event::{AUTOMATIC, BLACK_BARE, Event, FIDE, OPEN, PLAIN};
use crate::desk::{Desk, TIMING};

fn claim(side: Color, ground: Ground, standing: Standing) -> Command {
    Command::ClaimOn { side, ground, standing, uci: None }
}

fn two_hands(desk: &mut Desk, side: Color, times: usize) {
    for _ in 0..times {
        desk.wait(1.0).sign("anna", Command::Penalty { side, seconds: None, alarm: None, counts: Some(true) });
    }
    desk.wait(1.0).settle();
}

/// The decisions that no command made.
#[track_caller]
fn by_itself(desk: &Desk, name: &str) -> Vec<GameResult> {
    let all: Vec<_> = desk.game.decisions().filter(|it| it.by.as_deref() == Some("automatic")).cloned().collect();
    assert!(all.iter().all(|it| it.command.is_none() && it.finding.is_some()), "{name}: {all:?}");
    all.iter().map(|it| it.result).collect()
}

#[test]
fn a_certain_finding_is_decided_if_the_event_allows_it() {
    for rulebook in FIDE.into_iter().chain(["material-only"]) {
        let mut desk = Event { rulebook, ..AUTOMATIC }.desk(BLACK_BARE);
        desk.flag(ClockSide::Left);
        assert_eq!(by_itself(&desk, rulebook), [GameResult::Draw], "{rulebook}");
        assert_eq!(desk.game.result(), Some(GameResult::Draw), "{rulebook}");
    }
}

#[test]
fn without_an_observer_or_without_the_option_no_finding_is_decided() {
    for rulebook in FIDE.into_iter().chain(["us-chess"]) {
        for (rulings, observer) in [(Rulings::Automatic, false), (Rulings::Advise, true), (Rulings::Advise, false)] {
            let mut desk = Event { rulebook, rulings, observer, ..PLAIN }.desk(BLACK_BARE);
            desk.flag(ClockSide::Left).wait(30.0);
            let name = format!("{rulebook} {rulings:?} {observer}");
            assert_eq!((by_itself(&desk, &name), desk.game.result()), (vec![], None), "{name}");
            assert!(desk.game.awaits_ruling(), "{name}");
        }
    }
}

/// A mate between the expiry and the report that shows it: it came before the fall was observed, and perhaps after the fall.
fn contested() -> Desk {
    let mut desk = AUTOMATIC.desk("6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1");
    desk.wait(3.0);
    desk.clock.left.time.0 = 1000;
    desk.report().wait(0.1).make("a1a8").wait(0.4);
    desk.clock.left.time.0 = 0;
    desk.clock.left.flag_shown = true;
    desk.report().wait(0.5).settle().wait(20.0);
    desk
}

#[test]
fn a_contested_finding_is_never_decided() {
    let mut desk = contested();
    let found = desk.found();
    assert_eq!((found.row, found.outcome, found.conditional), ("1", Outcome::WhiteWins, false));
    assert!(found.contested && found.alternatives.len() == 1 && found.unknown.is_empty(), "{found:?}");
    assert_eq!((by_itself(&desk, "contested"), desk.game.result()), (vec![], None));
    let finding = desk.key();
    desk.sign("anna", Command::Confirm { finding });
    assert_eq!((desk.refused(), desk.game.result()), (0, Some(GameResult::WhiteWins)), "the arbiter may decide");
}

/// The illegal move that loses is left to an arbiter, whatever its number and Article in the rules.
#[test]
fn the_illegal_move_that_loses_never_is() {
    for (rulebook, times, article) in [
        ("fide-2023-standard", 2, "7.5.5"),
        ("fide-2023-rapid", 2, "7.5.5"),
        ("fide-2023-blitz-supervised", 2, "7.5.5"),
        ("material-only", 2, "7.5.5"),
        ("fide-print-old", 3, "10.3"),
        ("us-chess+illegal-moves-2", 2, "11D"),
        ("club-speed+stamps-count", 1, "3.4"),
    ] {
        let mut desk = Event { rulebook, ..AUTOMATIC }.desk(OPEN);
        two_hands(&mut desk, Color::White, times);
        for flag in ["before the flag", "with it"] {
            if flag == "with it" {
                desk.flag(ClockSide::Left).wait(2.0).call(Color::White).wait(5.0);
            }
            let found = desk.found();
            assert!(found.articles.contains(&article), "{rulebook} {flag}: {found:?}");
            assert_eq!(found.outcome, Outcome::BlackWins, "{rulebook} {flag}");
            assert_eq!((by_itself(&desk, rulebook), desk.game.result()), (vec![], None), "{rulebook} {flag}");
        }
    }
}

fn certain(found: &Finding) -> bool {
    !found.conditional && !found.contested && found.alternatives.is_empty() && found.unknown.is_empty()
}

/// This holds even if the claim could change nothing, because an arbiter is at the board.
#[test]
fn while_a_claim_is_open_no_finding_is_decided() {
    use Ground::{AdditionalTime, FiftyMoves, NormalMeans, Repetition};
    for fen in [BLACK_BARE, OPEN] {
        for ground in [Repetition, FiftyMoves, NormalMeans, AdditionalTime] {
            let name = format!("{fen} {ground:?}");
            let open = || {
                let mut desk = AUTOMATIC.desk(fen);
                desk.play("e2e4").wait(1.0).sign("anna", claim(Color::White, ground, Standing::Lodged)).wait(2.0);
                desk.play(if fen == BLACK_BARE { "e8e7" } else { "e7e5" }).flag(ClockSide::Left).wait(20.0);
                desk
            };
            let mut desk = open();
            assert_eq!((by_itself(&desk, &name), desk.game.result()), (vec![], None), "{name}: {:?}", desk.found());
            // One of two claims is decided, and the other is still open.
            desk.sign("anna", claim(Color::Black, ground, Standing::Lodged));
            desk.sign("anna", claim(Color::Black, ground, Standing::Refused)).wait(5.0);
            assert_eq!((by_itself(&desk, &name), desk.game.result()), (vec![], None), "{name}: White's");
            desk.sign("anna", claim(Color::White, ground, Standing::Refused)).wait(5.0);
            let expected = if fen == BLACK_BARE { GameResult::Draw } else { GameResult::BlackWins };
            assert!(certain(&desk.found()), "{name}: {:?}", desk.found());
            assert_eq!((by_itself(&desk, &name), desk.game.result()), (vec![expected], Some(expected)), "{name}: refused");
        }
    }
}

/// A finding that an arbiter has decided stays the arbiter's, rejected or confirmed.
#[test]
fn a_finding_with_an_arbiters_ruling_is_never_decided() {
    let mut desk = AUTOMATIC.desk(BLACK_BARE);
    desk.flag(ClockSide::Left);
    let finding = desk.key();
    desk.sign("anna", Command::Reject { finding }).wait(10.0);
    assert_eq!((desk.game.result(), desk.audited().len()), (None, 2));
    let control =
        Command::SetClockRecord { time_control: Some("40/300:300".to_owned()), additional_time: None, flag_taken_back: None };
    desk.sign("anna", control).settle().wait(10.0);
    assert!(desk.game.awaits_ruling() && certain(&desk.found()), "it must be proposed again: {:?}", desk.found());
    assert_eq!((desk.game.result(), desk.audited().len()), (None, 2), "it must be left to the arbiter");
}

/// A game from the initial position whose findings are decided at once if they are certain.
fn automatic(control: &str, observer: bool) -> Desk {
    let mut desk = Desk::new(control);
    let time_control = (!control.is_empty()).then(|| TimeControl::parse(control).expect("a time control"));
    let config = GameConfig { time_control, rulings: Rulings::Automatic, observer, ..GameConfig::default() };
    desk.game = Game::new(config, TIMING);
    desk.start();
    desk
}

#[test]
fn a_certain_finding_is_decided_at_once() {
    let mut desk = automatic("300", true);
    desk.fall(ClockSide::Left).wait(0.5);
    assert_eq!((desk.found().conditional, desk.game.result()), (false, None), "the question of 6.9 has no answer yet");
    desk.black_can_mate();
    let decision = desk.ruled().expect("a decision");
    assert_eq!((decision.by.as_deref(), decision.kind), (Some("automatic"), DecisionKind::Confirmed));
    assert_eq!((decision.command, desk.game.result()), (None, Some(GameResult::BlackWins)));
    assert_eq!(desk.audited().len(), 1);
    // An arbiter's other decision stays.
    let finding = desk.key();
    desk.sign("anna", Command::Reject { finding });
    desk.wait(10.0);
    assert_eq!((desk.game.result(), desk.audited().len()), (None, 2));
}

#[test]
fn a_flag_that_nobody_observed_decides_nothing() {
    let mut desk = automatic("300", false);
    desk.fall(ClockSide::Left).wait(0.5).black_can_mate();
    assert_eq!((desk.found().outcome, desk.found().conditional, desk.game.result()), (Outcome::BlackWins, true, None));
    desk.wait(2.0);
    desk.sign("anna", Command::Claim { flag: Color::White, period: None, observed_at: None });
    assert_eq!((desk.game.result(), desk.audited().len()), (Some(GameResult::BlackWins), 1));
}

#[test]
fn contested_or_unknown_findings_are_left_to_the_arbiter() {
    // Without a time control more periods may follow.
    let mut unknown = automatic("", true);
    unknown.fall(ClockSide::Left).wait(0.5);
    // An illegal move without a ruling.
    let mut illegal = automatic("300", true);
    illegal.play("e2e4").play("e7e5").wait(2.0).press(0).wait(3.0).press(0).wait(1.0);
    illegal.fall(ClockSide::Left).wait(0.5);
    for desk in [&mut unknown, &mut illegal] {
        desk.wait(5.0);
        assert_eq!((desk.game.findings().len(), desk.game.result(), desk.audited().len()), (1, None, 0));
    }
}
