//! An act that draws the game at once counts only before the end of the game (5.2.3, 6.8, 9.1): afterwards it needs a reason.

use flagfall_game::input::{Author, Command, Input};
use flagfall_game::laws::claim::{Ground, Standing};
use flagfall_game::laws::outcome::{GameResult, Outcome};
use flagfall_protocols::event::ClockSide;
use flagfall_protocols::square::Color;
use flagfall_protocols::time::Instant;

use crate::desk::Desk;
use crate::desk::event::{OPEN, PLAIN};

const ACCEPT: Command = Command::Accept { side: Color::Black };
const CLAIM: Command =
    Command::ClaimOn { side: Color::Black, ground: Ground::NormalMeans, standing: Standing::Accepted, uci: None };
const DRAW: Command = Command::DeclareResult { result: GameResult::Draw };

/// Both players have moved, and White has offered a draw.
fn offered() -> Desk {
    let mut desk = PLAIN.desk(OPEN);
    desk.play("e2e4").play("e7e5").wait(1.0).sign("anna", Command::Offer { side: Color::White }).wait(1.0);
    desk
}

/// White's flag was observed after the offer.
fn observed() -> Desk {
    at_the_flag(offered())
}

fn at_the_flag(mut desk: Desk) -> Desk {
    desk.flag(ClockSide::Left).wait(1.0).call(Color::White);
    assert_eq!(desk.row(), ("14", Outcome::BlackWins));
    desk.wait(1.0);
    desk
}

/// Sends a command without a reason, for something seen at this time.
fn without_reason(desk: &mut Desk, observed_at: Option<Instant>, command: Command) {
    let author = Author { observed_at, ..Author::default() };
    desk.feed(Input::Signed { command: Box::new(command), author: Box::new(author) });
}

#[test]
fn after_the_observation_an_act_needs_a_reason() {
    let mut unoffered = PLAIN.desk(OPEN);
    unoffered.play("e2e4").play("e7e5").wait(1.0);
    for (mut desk, command) in [(observed(), ACCEPT), (observed(), CLAIM), (at_the_flag(unoffered), DRAW)] {
        let (finding, entries) = (desk.found(), desk.state().entries.len());
        without_reason(&mut desk, None, command.clone());
        assert_eq!((desk.refused(), desk.game.result(), desk.state().decisions.len()), (1, None, 0), "{command:?}");
        assert_eq!((desk.found(), desk.state().entries.len()), (finding, entries), "{command:?}: nothing was entered");
        desk.sign("anna", command.clone());
        assert_eq!((desk.refused(), desk.game.result()), (1, Some(GameResult::Draw)), "{command:?}");
        assert_eq!(desk.ruled().and_then(|decision| decision.reason).as_deref(), Some("anna says so"), "{command:?}");
    }
}

#[test]
fn entries_without_a_result_are_kept_and_give_none() {
    for command in [Command::Offer { side: Color::Black }, Command::Resign { side: Color::Black }] {
        let mut desk = observed();
        without_reason(&mut desk, None, command.clone());
        assert_eq!((desk.refused(), desk.game.result(), desk.row()), (0, None, ("14", Outcome::BlackWins)), "{command:?}");
    }
}

#[test]
fn what_came_in_time_needs_none() {
    let mut before = offered();
    let agreed = before.now;
    before.wait(1.0).flag(ClockSide::Left).wait(1.0).call(Color::White).wait(1.0);
    without_reason(&mut before, Some(agreed), ACCEPT);
    assert_eq!((before.refused(), before.game.result()), (0, Some(GameResult::Draw)), "accepted before the flag");
    let mut unseen = offered();
    unseen.flag(ClockSide::Left).wait(1.0);
    without_reason(&mut unseen, None, ACCEPT);
    assert_eq!((unseen.refused(), unseen.game.result()), (0, Some(GameResult::Draw)), "nobody has observed the flag");
    let mut rejected = observed();
    let finding = rejected.key();
    rejected.sign("anna", Command::Reject { finding }).wait(1.0);
    without_reason(&mut rejected, None, ACCEPT);
    assert_eq!((rejected.refused(), rejected.game.result()), (0, Some(GameResult::Draw)), "the game goes on after the flag");
    let mut confirmed = observed();
    without_reason(&mut confirmed, None, Command::DeclareResult { result: GameResult::BlackWins });
    assert_eq!((confirmed.refused(), confirmed.game.result()), (0, Some(GameResult::BlackWins)), "as the finding says");
}

/// A resignation ends the game too, whoever entered it.
#[test]
fn no_offer_is_accepted_after_a_resignation() {
    let mut desk = offered();
    desk.sign("anna", Command::Resign { side: Color::Black }).wait(1.0);
    without_reason(&mut desk, None, ACCEPT);
    assert_eq!((desk.refused(), desk.game.result()), (1, None));
}

/// A mate ends the game too, and everybody has its result at once.
#[test]
fn no_offer_is_accepted_after_mate() {
    let mut desk = Desk::started("300");
    desk.play("f2f3").play("e7e5").play("g2g4").wait(0.5);
    desk.sign("anna", Command::Offer { side: Color::Black }).make("d8h4").wait(3.0);
    without_reason(&mut desk, None, Command::Accept { side: Color::White });
    assert_eq!((desk.refused(), desk.game.result()), (1, None), "{:?}", desk.moves());
}
