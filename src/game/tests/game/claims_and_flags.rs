//! A claim of a draw by the position, and a flag (9.2, 9.3; rows 6 and 6a): a claim that was lodged before the fall was
//! observed decides.

use flagfall_game::decision::DecisionKind;
use flagfall_game::input::Command;
use flagfall_game::laws::claim::{Ground, Standing};
use flagfall_game::laws::outcome::GameResult;
use flagfall_game::laws::outcome::Outcome;
use flagfall_protocols::event::ClockSide;
use flagfall_protocols::square::Color;
use flagfall_protocols::time::Instant;

use crate::desk::Desk;
use crate::desk::event::{Event, OPEN, PLAIN};

const GROUNDS: [Ground; 2] = [Ground::Repetition, Ground::FiftyMoves];

fn claim(ground: Ground, standing: Standing) -> Command {
    Command::ClaimOn { side: Color::White, ground, standing, uci: None }
}

/// Both players have moved, and White has the move.
fn playing(event: &Event<'_>) -> Desk {
    let mut desk = event.desk(OPEN);
    desk.play("e2e4").play("e7e5").wait(1.0);
    desk
}

fn outcomes(desk: &Desk) -> Vec<(&'static str, Outcome)> {
    desk.found().alternatives.iter().map(|it| (it.row, it.outcome)).collect()
}

/// Checks that the finding has row 6, and that its claim came before the fall or, if contested, after the time expired.
#[track_caller]
fn drawn(desk: &Desk, contested: bool, name: &str) {
    let found = desk.found();
    let beside = if contested { vec![("14", Outcome::BlackWins)] } else { vec![] };
    assert_eq!((desk.row(), outcomes(desk)), (("6", Outcome::Draw), beside), "{name}: {found:?}");
    assert_eq!((found.articles.as_slice(), found.contested), (&["9.5.2"][..], contested), "{name}");
    assert_eq!(desk.game.result(), Some(GameResult::Draw), "{name}");
    let kinds: Vec<_> = desk.game.decisions().map(|it| (it.kind, it.result)).collect();
    assert_eq!(kinds, [(DecisionKind::ClaimAccepted, GameResult::Draw)], "{name}");
}

#[test]
fn lodged_before_the_expiry_and_accepted_after_the_observation() {
    for ground in GROUNDS {
        for side in [ClockSide::Left, ClockSide::Right] {
            let name = format!("{ground:?} {side:?}");
            let mut desk = playing(&PLAIN);
            desk.sign("anna", claim(ground, Standing::Lodged)).wait(2.0).flag(side).wait(1.0);
            let on_time = if side == ClockSide::Left { Outcome::BlackWins } else { Outcome::WhiteWins };
            assert_eq!(
                (desk.row(), outcomes(&desk)),
                (("6", Outcome::Undecided), vec![("6", Outcome::Draw), ("14", on_time)]),
                "{name}"
            );
            desk.call(if side == ClockSide::Left { Color::White } else { Color::Black }).wait(2.0);
            assert_eq!((desk.row(), desk.found().unknown), (("6", Outcome::Undecided), vec!["claim_ruling"]), "{name}");
            desk.sign("anna", claim(ground, Standing::Accepted)).wait(1.0);
            drawn(&desk, false, &name);
        }
    }
}

#[test]
fn lodged_between_the_expiry_and_the_observation() {
    for ground in GROUNDS {
        let name = format!("{ground:?}");
        let mut desk = playing(&PLAIN);
        desk.flag(ClockSide::Left).wait(1.0).sign("anna", claim(ground, Standing::Lodged)).wait(1.0);
        desk.call(Color::White).wait(1.0);
        assert_eq!((desk.row(), desk.found().unknown), (("6", Outcome::Undecided), vec!["claim_ruling"]), "{name}");
        desk.sign("anna", claim(ground, Standing::Accepted)).wait(1.0);
        drawn(&desk, true, &name);
    }
}

/// The arbiter enters the claim later and states its time.
#[test]
fn the_times_that_the_arbiter_states_count() {
    let found = |claimed: u64, observed: u64| {
        let mut desk = playing(&PLAIN);
        desk.flag(ClockSide::Left);
        let base = desk.now.0;
        desk.wait(10.0);
        let flag = Command::Claim { flag: Color::White, period: None, observed_at: Some(base + observed) };
        desk.sign("anna", flag).wait(1.0);
        desk.sign_at("anna", Some(Instant(base + claimed)), claim(Ground::Repetition, Standing::Lodged)).settle().wait(1.0);
        desk.row()
    };
    assert_eq!(found(2_000_000, 3_000_000), ("6", Outcome::Undecided));
    assert_eq!(found(3_000_000, 2_000_000), ("14", Outcome::BlackWins));
}

#[test]
fn lodged_after_the_observation_decides_nothing() {
    for ground in GROUNDS {
        for observer in [false, true] {
            let name = format!("{ground:?} {observer}");
            let mut desk = playing(&Event { observer, ..PLAIN });
            desk.flag(ClockSide::Left);
            if !observer {
                desk.call(Color::White);
            }
            let before = desk.found();
            assert_eq!((before.row, before.outcome), ("14", Outcome::BlackWins), "{name}");
            desk.wait(2.0).sign("anna", claim(ground, Standing::Lodged)).settle().wait(1.0);
            assert_eq!(desk.row(), ("14", Outcome::BlackWins), "{name}: lodged");
            assert_eq!((outcomes(&desk), desk.found().unknown), (vec![], Vec::<&str>::new()), "{name}: lodged");
            // The finding stays as it is, whatever the arbiter decides.
            desk.sign("anna", claim(ground, Standing::Accepted)).settle().wait(1.0);
            assert_eq!((desk.row(), desk.found().contested), (("14", Outcome::BlackWins), false), "{name}: accepted");
            let finding = desk.key();
            desk.sign("bob", Command::Confirm { finding });
            assert_eq!((desk.refused(), desk.game.result()), (0, Some(GameResult::BlackWins)), "{name}");
            let last = desk.game.decisions().last().cloned().expect("a decision");
            assert_eq!((last.kind, last.supersedes), (DecisionKind::Confirmed, Some(1)), "{name}");
        }
    }
}

/// The claim is incorrect: the game goes on to its flag, and the opponent has two minutes more (9.5.3).
#[test]
fn refused_it_leaves_the_flag() {
    for (flag, side, row) in [
        (ClockSide::Left, Color::White, ("14", Outcome::BlackWins)),
        (ClockSide::Right, Color::Black, ("6a", Outcome::Undecided)),
    ] {
        let mut desk = playing(&PLAIN);
        desk.sign("anna", claim(Ground::Repetition, Standing::Lodged)).wait(1.0);
        desk.flag(flag).call(side).wait(1.0);
        assert_eq!(desk.row(), ("6", Outcome::Undecided), "{side:?}");
        desk.sign("anna", claim(Ground::Repetition, Standing::Refused)).settle().wait(1.0);
        assert_eq!((desk.row(), desk.game.result()), (row, None), "{side:?}");
    }
}
