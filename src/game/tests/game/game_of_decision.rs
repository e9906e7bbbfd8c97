//! A decision names the game in which it was made, even if the next game is armed already.

use flagfall_game::decision::{Decision, DecisionKind, Ruling};
use flagfall_game::game_phase::GamePhase;
use flagfall_game::input::Command;
use flagfall_game::laws::claim::{Ground, Standing};
use flagfall_game::laws::outcome::GameResult;
use flagfall_protocols::event::ClockSide;
use flagfall_protocols::square::Color;

use crate::desk::Desk;
use crate::desk::event::{AUTOMATIC, BLACK_BARE, OPEN, PLAIN};

fn last(desk: &Desk) -> Decision {
    desk.audited().pop().expect("a decision")
}

/// The ruling that is shown, its game, and the game that its decision names.
fn shown(desk: &Desk) -> (u32, Option<u32>) {
    let (game, ruling) = desk.game.ruling().expect("a ruling");
    let decision = match ruling {
        Ruling::Finding { decision, .. } => decision,
        Ruling::Decision { decision } => Some(decision),
    };
    (game, decision.map(|decision| decision.game_no))
}

/// Another game is begun during this one: one step decides about this game and arms the other.
#[test]
fn a_game_that_is_broken_off() {
    let mut desk = PLAIN.desk(OPEN);
    let first = desk.game.number();
    for game in first..first + 3 {
        desk.play("e2e4").play("e7e5").sign("anna", Command::StartGame { fen: Some(OPEN.to_owned()) });
        assert_eq!((desk.game.number(), desk.state().stage), (game + 1, GamePhase::Armed));
        let decision = last(&desk);
        assert_eq!((decision.kind, decision.game_no, decision.by.as_deref()), (DecisionKind::Restart, game, Some("anna")));
        assert_eq!(shown(&desk), (game, Some(game)), "it is shown until the next game has a ruling of its own");
        desk.assume(OPEN);
        let standing = desk.standing();
        desk.frame(standing).wait(1.0);
        if desk.clock.lever_up == ClockSide::Right {
            desk.press(0);
        }
    }
    let numbers: Vec<_> = desk.audited().iter().map(|it| (it.number, it.game_no)).collect();
    assert_eq!(numbers, [(1, first), (2, first + 1), (3, first + 2)], "decision numbers count for the board");
}

#[test]
fn every_kind_of_decision() {
    let claim = Command::ClaimOn { side: Color::White, ground: Ground::FiftyMoves, standing: Standing::Refused, uci: None };
    let penalty = Command::Penalty { side: Color::White, seconds: None, alarm: None, counts: Some(true) };
    for (kind, commands) in [
        (DecisionKind::ClaimRefused, vec![claim]),
        (DecisionKind::Penalty, vec![penalty]),
        (DecisionKind::Agreed, vec![Command::Offer { side: Color::White }, Command::Accept { side: Color::Black }]),
        (DecisionKind::Declared, vec![Command::DeclareResult { result: GameResult::Draw }]),
    ] {
        let mut desk = PLAIN.desk(OPEN);
        let game = desk.game.number();
        desk.play("e2e4").play("e7e5");
        for command in commands {
            desk.sign("anna", command);
        }
        let decided = last(&desk);
        assert_eq!((decided.kind, decided.game_no), (kind, game));
        let made = desk.audited().len();
        desk.sign("anna", Command::StartGame { fen: None });
        assert_eq!(desk.game.number(), game + 1, "{kind:?}");
        assert_eq!(desk.audited()[made - 1], decided, "{kind:?}: the decision is unchanged");
        assert_eq!(shown(&desk).0, game, "{kind:?}");
        assert_eq!(shown(&desk).1, Some(game), "{kind:?}");
    }
}

/// A flag and its decision are shown with their game, and the next game's decision with the next game.
#[test]
fn a_flag_of_the_game_before() {
    for event in [PLAIN, AUTOMATIC] {
        let mut desk = event.desk(BLACK_BARE);
        let game = desk.game.number();
        desk.flag(ClockSide::Left);
        if event.observer {
            assert_eq!(last(&desk).by.as_deref(), Some("automatic"));
        } else {
            let finding = desk.key();
            desk.sign("anna", Command::Confirm { finding });
        }
        assert_eq!((last(&desk).game_no, desk.game.result()), (game, Some(GameResult::Draw)));
        desk.wait(2.0).sign("anna", Command::StartGame { fen: None });
        assert_eq!((desk.game.number(), shown(&desk)), (game + 1, (game, Some(game))));
        desk.wait(1.0).sign("bob", Command::DeclareResult { result: GameResult::WhiteWins });
        assert_eq!((last(&desk).game_no, shown(&desk)), (game + 1, (game + 1, Some(game + 1))));
        assert_eq!((last(&desk).number, last(&desk).supersedes), (2, None), "it supersedes no decision of the other game");
    }
}
