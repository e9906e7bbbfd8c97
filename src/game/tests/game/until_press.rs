//! Made moves that wait for their press, so that moves and clock agree (`wire/README.md#7.2`).

use flagfall_game::clock::control::TimeControl;
use flagfall_game::config::{GameConfig, UntilPress};
use flagfall_game::effect::{Audience, Effect};
use flagfall_game::game::Game;
use flagfall_game::input::{Command, Input};
use flagfall_game::laws::outcome::GameResult;
use flagfall_protocols::event::{ClockSide, DeviceEvent};
use flagfall_protocols::square::{Piece, Placement, Reading, Square};

use crate::desk::{Desk, TIMING};

const BOTH: UntilPress = UntilPress { live: true, public: false };
const PUBLIC: UntilPress = UntilPress { live: false, public: true };

fn desk(until_press: UntilPress) -> Desk {
    configured(until_press, None)
}

/// The side of White's clock is configured, or nobody has said which it is.
fn configured(until_press: UntilPress, white_clock: Option<ClockSide>) -> Desk {
    let mut desk = Desk::new("300");
    let time_control = Some(TimeControl::parse("300").expect("a time control"));
    desk.game = Game::new(GameConfig { time_control, white_clock, ..GameConfig::default() }, TIMING);
    desk.start();
    desk.game.set_until_press(until_press);
    desk
}

/// The moves that were reported to the live audience and the public.
fn reported(desk: &Desk) -> [String; 2] {
    [Audience::Live, Audience::Public].map(|audience| {
        let moves: Vec<String> = desk.game.reported_moves(audience).map(|played| played.uci.to_string()).collect();
        moves.join(" ")
    })
}

fn put(desk: &mut Desk, square: &str, letter: char) {
    let reading = Piece::from_letter(letter).map_or(Reading::Empty, Reading::Piece);
    desk.square(Square::parse(square).expect("a square"), reading).wait(0.3);
}

/// The clock stands, or runs again.
fn run(desk: &mut Desk, running: bool) {
    desk.clock.running = running;
    desk.report();
}

#[test]
fn a_made_move_goes_out_when_the_clock_agrees() {
    type Act = fn(&mut Desk);
    let rows: [(&str, Act, &str); 12] = [
        ("nothing happens", |desk| _ = desk.wait(60.0), ""),
        ("pressed", |desk| _ = desk.press(0), "e2e4"),
        // White's clock runs, and it is White's turn again.
        ("answered", |desk| _ = desk.make("e7e5").wait(2.0), "e2e4 e7e5"),
        ("answered and pressed", |desk| _ = desk.make("e7e5").wait(2.0).press(0), "e2e4 e7e5"),
        ("stopped", |desk| run(desk, false), "e2e4"),
        ("unplugged", |desk| _ = desk.device(DeviceEvent::ClockAbsent), "e2e4"),
        ("decided", |desk| _ = desk.command(Command::DeclareResult { result: GameResult::Draw }), "e2e4"),
        ("a flag falls", |desk| _ = desk.fall(ClockSide::Left), ""),
        ("the board is lost", |desk| _ = desk.feed(Input::Link { up: false }), ""),
        (
            "taken back",
            |desk| {
                put(desk, "e4", '-');
                put(desk, "e2", 'P');
            },
            "",
        ),
        (
            "another move",
            |desk| {
                put(desk, "e4", '-');
                put(desk, "e3", 'P');
                desk.wait(5.0);
            },
            "",
        ),
        (
            "another move that is pressed",
            |desk| {
                put(desk, "e4", '-');
                put(desk, "e3", 'P');
                desk.wait(5.0).press(0);
            },
            "e2e3",
        ),
    ];
    for (name, act, expected) in rows {
        for (until_press, side) in [(BOTH, None), (BOTH, Some(ClockSide::Left)), (PUBLIC, Some(ClockSide::Left))] {
            // Before anybody has pressed, any clock may be that of the player who answered.
            let expected = if side.is_none() && name.starts_with("answered") { "e2e4" } else { expected };
            let mut desk = configured(until_press, side);
            desk.wait(1.0).make("e2e4").wait(5.0);
            let early = if until_press == BOTH { "" } else { "e2e4" };
            assert_eq!(reported(&desk), [early, ""], "{name}: before");
            act(&mut desk);
            desk.wait(1.0);
            let [live, public] = reported(&desk);
            assert_eq!(public, expected, "{name}");
            assert!(until_press == PUBLIC || live == public, "{name}: {live}");
        }
    }
}

#[test]
fn an_end_on_the_board_needs_no_press() {
    let mut desk = desk(BOTH);
    desk.play("f2f3").play("e7e5").play("g2g4").wait(1.0).make("d8h4").wait(1.5);
    assert_eq!(reported(&desk), ["f2f3 e7e5 g2g4 d8h4"; 2]);
    assert!(desk.game.known_result().is_some());
}

#[test]
fn a_sign_of_the_kings_lets_the_last_move_go() {
    let mut desk = desk(BOTH);
    desk.play("e2e3").play("e7e6").wait(1.0).make("g1f3").wait(5.0);
    assert_eq!(reported(&desk), ["e2e3 e7e6"; 2]);
    for (from, to, king) in [("e1", "e4", 'K'), ("e8", "d5", 'k')] {
        put(&mut desk, from, '-');
        put(&mut desk, to, king);
    }
    desk.wait(30.0);
    assert_eq!(reported(&desk), ["e2e3 e7e6 g1f3"; 2]);
}

#[test]
fn without_a_clock_nothing_waits() {
    let mut desk = Desk::new("");
    desk.game.set_until_press(BOTH);
    desk.frame(Placement::initial()).wait(5.0).make("e2e4").wait(2.1);
    assert_eq!(reported(&desk), ["e2e4"; 2]);
    // A clock that is there and was never started says nothing either.
    let mut desk = Desk::new("300");
    desk.game.set_until_press(BOTH);
    desk.frame(Placement::initial()).report().wait(5.0).make("e2e4").wait(2.1);
    assert_eq!(reported(&desk), ["e2e4"; 2]);
}

#[test]
fn what_was_told_stays() {
    let mut desk = desk(UntilPress::default());
    desk.wait(1.0).make("e2e4").wait(5.0);
    desk.game.set_until_press(BOTH);
    desk.out.clear();
    desk.wait(5.0);
    assert_eq!(reported(&desk), ["e2e4"; 2], "the key was set later");
    run(&mut desk, false);
    run(desk.wait(5.0), true);
    desk.wait(5.0).press(0).wait(1.0).make("e7e5").wait(5.0);
    assert_eq!(reported(&desk), ["e2e4"; 2]);
    run(&mut desk, false);
    run(desk.wait(5.0), true);
    desk.wait(5.0);
    assert_eq!(reported(&desk), ["e2e4 e7e5"; 2], "the clock was stopped meanwhile");
    assert!(!desk.out.iter().any(|effect| matches!(effect, Effect::LiveRevision { .. })), "nothing is taken back");
}

#[test]
fn an_illegal_move_is_none() {
    let mut desk = desk(BOTH);
    desk.wait(1.0);
    put(&mut desk, "e2", '-');
    put(&mut desk, "e5", 'P');
    desk.wait(5.0).press(0).wait(5.0);
    assert_eq!(reported(&desk), [""; 2]);
    assert!(desk.alarms().iter().any(|alarm| alarm.starts_with("Illegal")), "{:?}", desk.alarms());
}

#[test]
fn the_next_game_waits_for_its_own_presses() {
    let mut desk = desk(BOTH);
    desk.play("e2e4").play("e7e5").wait(1.0).make("g1f3").wait(5.0);
    desk.frame(Placement::initial()).wait(5.0);
    run(&mut desk, false);
    desk.wait(10.0);
    assert_eq!((desk.game.number(), reported(&desk)), (2, ["".to_owned(), "".to_owned()]));
    run(&mut desk, true);
    desk.wait(1.0).assume("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1").make("d2d4").wait(5.0);
    assert_eq!(reported(&desk), [""; 2]);
    desk.press(0).wait(1.0);
    assert_eq!(reported(&desk), ["d2d4"; 2]);
}

/// White sits at the other side of the clock, and nobody has said so: no move goes out before its press, also before the presses have shown
/// whose clock is whose.
#[test]
fn nothing_goes_out_early_at_a_clock_that_is_turned_round() {
    let mut desk = Desk::new("300");
    desk.game.set_until_press(BOTH);
    desk.clock.lever_up = ClockSide::Right;
    desk.start();
    let mut sent = String::new();
    for uci in ["e2e4", "e7e5", "g1f3", "b8c6", "f1c4", "f8c5"] {
        desk.wait(1.0).make(uci).wait(9.0);
        assert_eq!(reported(&desk), [sent.trim(), sent.trim()], "{uci}: made");
        desk.press(0).wait(2.0);
        sent.push_str(uci);
        sent.push(' ');
        assert_eq!(reported(&desk), [sent.trim(), sent.trim()], "{uci}: pressed");
    }
    assert!(desk.alarms().contains(&"ClockSidesExchanged".to_owned()), "{:?}", desk.alarms());
}
