//! The health of the devices: dropouts, weak squares and weak men, another device.

use flagfall_game::alarm::{Alarm, AlarmKind, AlarmStatus, Class};
use flagfall_game::effect::Effect;
use flagfall_game::health::sentence;
use flagfall_game::input::{Command, Input};
use flagfall_protocols::event::{DeviceEvent, Identity, Text};
use flagfall_protocols::square::{Piece, Placement, Reading, Square};

use crate::batteries::battery;
use crate::desk::Desk;

fn square(name: &str) -> Square {
    Square::parse(name).expect(name)
}

fn reading(man: &str) -> Reading {
    match man {
        "" => Reading::Empty,
        "?" => Reading::Unreadable,
        "o" => Reading::Occupied,
        letter => Reading::Piece(Piece::from_letter(letter.chars().next().expect("a letter")).expect(letter)),
    }
}

/// Changes squares: `0.1 d2 | 0.2 Pd2` is the seconds before each change, and what the square then shows; `?` cannot be read.
pub(crate) fn hands(desk: &mut Desk, what: &str) {
    for step in what.split(" | ") {
        let (pause, change) = step.split_once(' ').expect("seconds and a change");
        let (man, name) = change.split_at(change.len() - 2);
        desk.wait(pause.parse().expect("seconds")).square(square(name), reading(man));
    }
}

fn counted(desk: &Desk) -> Vec<(String, u32)> {
    desk.game.dropouts().into_iter().map(|(square, count)| (square.to_string(), count)).collect()
}

/// The alarms of this kind, opened or closed.
pub(crate) fn of_kind(desk: &Desk, kind: AlarmKind) -> Vec<Alarm> {
    desk.game.alarms().iter().filter(|alarm| alarm.kind == kind).cloned().collect()
}

/// The squares of an alarm.
fn names(alarm: &Alarm) -> String {
    let concerned = Square::all().filter(|square| alarm.squares & square.bit() != 0);
    concerned.map(|square| square.to_string()).collect::<Vec<_>>().join(" ")
}

/// White has the move, White's clock runs, and a scan takes 250 ms.
#[test]
fn dropouts_and_other_changes() {
    for (what, motions, dropouts) in [
        ("a man is gone for a scan", "1 a1 | 0.25 Ra1", &["a1"][..]),
        ("one of the other side for longer: his player does not have the move", "1 a8 | 0.6 ra8", &["a8"]),
        ("and for three scans", "1 a8 | 0.75 ra8", &[]),
        ("a man cannot be read for a moment", "1 ?b1 | 0.5 Nb1", &["b1"]),
        ("or for long", "1 ?b1 | 2 Nb1", &[]),
        ("a man is read as another one, and nothing else changes", "1 Bb1 | 0.25 Nb1", &["b1"]),
        ("the same while a hand is at another square", "1 c1 | 0.1 Bb1 | 0.2 Nb1 | 0.1 Bc1", &[]),
        ("White adjusts", "1 g1 | 0.5 Ng1", &[]),
        ("White adjusts slowly", "1 g1 | 3 Ng1", &[]),
        ("a move", "1 e2 | 0.2 Pe4", &[]),
        ("a slide", "1 e2 | 0.1 Pe3 | 0.1 e3 | 0.1 Pe4", &[]),
        ("a man is knocked over and put back", "1 h7 | 2 ph7", &[]),
        (
            "two men are knocked over and put back crosswise",
            "1 h7 | 0.1 h8 | 1 rh7 | 0.5 ph8 | 1 h7 | 0.1 h8 | 1 ph7 | 0.5 rh8",
            &[],
        ),
        ("a dead square shows nothing for the rest of the game", "1 h8", &[]),
        ("an empty square shows a man for a moment", "1 Pe5 | 0.2 e5", &[]),
    ] {
        let mut desk = Desk::started("300");
        hands(&mut desk, motions);
        let expected: Vec<(String, u32)> = dropouts.iter().map(|square| (square.to_string(), 1)).collect();
        assert_eq!(counted(&desk), expected, "{what}");
        assert_eq!(desk.game.health().dropouts, expected.len() as u32, "{what}");
    }
}

#[test]
fn a_capture_is_no_dropout() {
    for capture in ["1 e4 | 0.2 d5 | 0.2 Pd5", "1 d5 | 0.2 e4 | 0.2 Pd5", "1 e4 | 0.2 Pd5"] {
        let mut desk = Desk::started("300");
        desk.play("e2e4").play("d7d5");
        hands(&mut desk, capture);
        desk.press(0).wait(2.0);
        assert_eq!((desk.moves().len(), counted(&desk)), (3, vec![]), "{capture}");
    }
}

/// The placement as a board shows it that does not identify men.
fn occupied(placement: Placement) -> Placement {
    let mut seen = placement;
    for square in Square::all().filter(|&square| placement.get(square) != Reading::Empty) {
        seen.set(square, Reading::Occupied);
    }
    seen
}

/// The first move shows that White sits at the other side, so the named squares have other names.
#[test]
fn weak_squares_are_reported_again_when_the_board_is_turned() {
    let mut desk = Desk::new("300");
    desk.frame(occupied(Placement::initial())).report();
    (0..7).for_each(|_| hands(&mut desk, "3 g1 | 0.2 og1"));
    let named = |desk: &Desk| desk.game.health().weak_squares.into_iter().map(|weak| weak.square).collect::<Vec<_>>();
    assert_eq!(named(&desk), ["g1"]);
    desk.clock.running = true;
    desk.report();
    let rev = desk.game.health_rev();
    hands(&mut desk, "1 e7 | 0.5 oe5");
    desk.wait(0.5);
    assert_eq!(named(&desk), ["b8"]);
    assert!(desk.game.health_rev() > rev);
}

/// On a board that does not identify men a quick capture looks like a dropout, except on the square that its man left just
/// now or earlier.
#[test]
fn a_board_without_identities() {
    for (motions, dropouts) in [
        ("1 e4 | 0.1 d5 | 0.2 od5", 0),
        ("1 e4 | 0.6 d5 | 0.2 od5", 0),
        ("1 e4 | 4 d5 | 0.2 od5", 0),
        ("1 a8 | 0.2 oa8", 1),
        ("1 a8 | 0.5 oa8", 0),
    ] {
        let mut desk = Desk::new("300");
        desk.frame(occupied(Placement::initial())).report().clock.running = true;
        desk.report();
        for motion in ["1 e2 | 0.5 oe4", "1 d7 | 0.5 od5"] {
            hands(&mut desk, motion);
            desk.wait(0.3).press(0).wait(0.6);
        }
        hands(&mut desk, motions);
        assert_eq!(desk.game.health().dropouts, dropouts, "{motions}");
        assert!(desk.game.health().weak_men.is_empty());
    }
}

#[test]
fn hands_before_and_after_a_game_are_not_counted() {
    let mut desk = Desk::new("300");
    desk.frame(Placement::parse("rnbqkbnr/pppppppp/8/8/8/8/8/4K3").expect("a placement"));
    hands(&mut desk, "1 e1 | 0.2 Ke1 | 1 e1 | 0.2 Ke1");
    assert_eq!(counted(&desk), []);
    let mut desk = Desk::started("300");
    ["f2f3", "e7e5", "g2g4", "d8h4"].into_iter().for_each(|mv| _ = desk.play(mv));
    hands(&mut desk, "1 a1 | 0.2 Ra1");
    assert_eq!(counted(&desk), []);
}

/// A player without a clock may adjust men at any time.
#[test]
fn without_a_clock_only_dropouts_that_no_hand_can_make_count() {
    let mut desk = Desk::new("");
    desk.frame(Placement::initial()).wait(1.0);
    hands(&mut desk, "1 a1 | 0.5 Ra1 | 1 a8 | 0.5 ra8 | 1 h1 | 0.25 Rh1");
    assert_eq!(counted(&desk), [("h1".to_owned(), 1)]);
}

#[test]
fn a_weak_square_is_named_and_closed_when_it_is_good_again() {
    let mut desk = Desk::started("300");
    let rev = desk.game.health_rev();
    (0..7).for_each(|_| hands(&mut desk, "3 d7 | 0.25 pd7"));
    let health = desk.game.health();
    assert!(desk.game.health_rev() > rev);
    assert_eq!((health.dropouts, health.weak_squares.len(), health.weak_men.len()), (7, 1, 0));
    assert_eq!((health.weak_squares[0].square.as_str(), health.weak_squares[0].dropouts), ("d7", 7));
    let alarm = &of_kind(&desk, AlarmKind::WeakSquare)[0];
    assert_eq!((alarm.kind.class(), alarm.status, names(alarm)), (Class::Silent, AlarmStatus::Open, "d7".to_owned()));
    assert_eq!(
        sentence(alarm).as_deref(),
        Some("Square d7 lost its man 7 times in 10 minutes: look at the man and at the board after the round.")
    );
    desk.clock.running = false;
    desk.report().wait(599.0);
    assert_eq!(of_kind(&desk, AlarmKind::WeakSquare)[0].status, AlarmStatus::Open);
    let told = desk.out.len();
    desk.wait(2.0);
    assert_eq!(of_kind(&desk, AlarmKind::WeakSquare)[0].status, AlarmStatus::Cured, "the alarm closes by itself");
    assert!(desk.out[told..].iter().any(|effect| matches!(effect, Effect::Alert(alert) if alert.closed.is_some())));
    assert_eq!(desk.game.health().weak_squares, health.weak_squares, "the square stays on the list for the time after the round");
    desk.clock.running = true;
    desk.report();
    (0..7).for_each(|_| hands(&mut desk, "3 d7 | 0.25 pd7"));
    assert_eq!(of_kind(&desk, AlarmKind::WeakSquare).len(), 2, "the square may become weak again");
}

#[test]
fn an_acknowledged_weak_square_is_not_reported_again() {
    let mut desk = Desk::started("300");
    for round in 0..14 {
        hands(&mut desk, "3 d7 | 0.25 pd7");
        if round == 7 {
            let alarm = of_kind(&desk, AlarmKind::WeakSquare)[0].id;
            desk.command(Command::AcknowledgeAlert { alarm });
        }
    }
    let alarms = of_kind(&desk, AlarmKind::WeakSquare);
    assert_eq!((alarms.len(), alarms[0].status), (1, AlarmStatus::Acknowledged));
}

#[test]
fn a_weak_man_is_lost_wherever_it_stands() {
    let mut desk = Desk::started("300");
    (0..7).for_each(|_| hands(&mut desk, "3 b8 | 0.25 nb8"));
    assert_eq!(desk.game.health().weak_squares[0].square, "b8", "the cause is not known yet");
    desk.play("e2e4").play("b8c6").play("e4e5");
    hands(&mut desk, "3 c6 | 0.25 nc6 | 3 c6 | 0.25 nc6");
    assert_eq!(desk.game.health().weak_men, [], "two dropouts may be chance");
    desk.play("c6d4");
    hands(&mut desk, "3 d4 | 0.25 nd4 | 3 d4 | 0.25 nd4 | 3 d4 | 0.25 nd4");
    let health = desk.game.health();
    let men: Vec<_> =
        health.weak_men.iter().map(|man| (man.man.as_str(), man.began.as_str(), man.promoted, man.dropouts)).collect();
    assert_eq!((men, health.weak_squares.len(), health.dropouts), (vec![("n", "b8", false, 12)], 0, 12));
    let closed = &of_kind(&desk, AlarmKind::WeakSquare)[0];
    assert_eq!(closed.status, AlarmStatus::Cured, "the square was not the cause");
    let alarm = &of_kind(&desk, AlarmKind::WeakMan)[0];
    assert_eq!((alarm.kind.class(), names(alarm)), (Class::Silent, "d4 c6 b8".to_owned()));
    assert_eq!(
        sentence(alarm).as_deref(),
        Some("The black knight from b8 was lost 12 times in 10 minutes, on d4 c6 b8: exchange this man after the round.")
    );
    hands(&mut desk, "3 d4 | 0.25 nd4 | 3 d4 | 0.25 nd4 | 3 d4 | 0.25 nd4 | 3 d4 | 0.25 nd4 | 3 d4 | 0.25 nd4");
    assert_eq!(desk.game.health().weak_squares, [], "nor is the square where the man stands now");
    assert_eq!(of_kind(&desk, AlarmKind::WeakMan).len(), 1);
}

#[test]
fn a_weak_man_of_one_game_is_no_weak_square_of_the_next() {
    let mut desk = Desk::started("300");
    (0..7).for_each(|_| hands(&mut desk, "3 b8 | 0.25 nb8"));
    desk.play("e2e4").play("b8c6").play("e4e5");
    hands(&mut desk, "3 c6 | 0.25 nc6 | 3 c6 | 0.25 nc6 | 3 c6 | 0.25 nc6");
    assert_eq!(desk.game.health().weak_men.len(), 1);
    desk.frame(Placement::initial()).command(Command::StartGame { fen: None });
    hands(&mut desk, "3 b8 | 0.25 nb8 | 3 b8 | 0.25 nb8");
    let health = desk.game.health();
    assert_eq!((health.weak_squares, health.dropouts), (vec![], 12));
}

#[test]
fn a_man_that_is_lost_together_with_another_is_counted_once() {
    let mut desk = Desk::started("300");
    hands(&mut desk, "3 b8 | 0 g8 | 0.25 nb8 | 0 ng8");
    (0..6).for_each(|_| hands(&mut desk, "3 b8 | 0.25 nb8"));
    desk.play("e2e4").play("b8c6").play("e4e5");
    hands(&mut desk, "3 c6 | 0.25 nc6 | 3 c6 | 0.25 nc6 | 3 c6 | 0.25 nc6");
    let health = desk.game.health();
    let men: Vec<_> = health.weak_men.iter().map(|man| (man.began.as_str(), man.dropouts)).collect();
    assert_eq!((men, health.dropouts), (vec![("b8", 10)], 11));
}

#[test]
fn a_weak_square_loses_every_man() {
    let mut desk = Desk::started("300");
    desk.play("e2e4").play("b8c6");
    (0..4).for_each(|_| hands(&mut desk, "3 c6 | 0.25 nc6"));
    desk.play("b1a3").play("c6d4").play("a3b1").play("d7d6").play("b1a3").play("d8d7").play("a3b1").play("d7c6").play("b1a3");
    (0..4).for_each(|_| hands(&mut desk, "3 c6 | 0.25 qc6"));
    let health = desk.game.health();
    assert_eq!((health.weak_squares[0].square.as_str(), health.weak_squares[0].dropouts, health.weak_men), ("c6", 8, vec![]));
}

#[test]
fn men_are_followed_through_castling_and_promotion() {
    let mut desk = Desk::new("300").with_position("4k2r/8/8/8/8/8/7p/R3K3 b Qk - 0 1");
    desk.clock.lever_up = desk.clock.lever_up.other();
    desk.report().clock.running = true;
    desk.report();
    desk.play("e8g8").play("a1a2").play("h2h1q");
    assert_eq!(desk.moves(), ["e8g8", "a1a2", "h2h1q"]);
    // Black's rook began on h8 and stands on f8; White has the move.
    let lose =
        |desk: &mut Desk, man: &str, times: usize| (0..times).for_each(|_| hands(desk, &format!("3 {} | 0.25 {man}", &man[1..])));
    lose(&mut desk, "rf8", 4);
    desk.play("e1d2").play("f8f2").play("d2d3");
    lose(&mut desk, "rf2", 4);
    let who = |desk: &Desk| {
        let name = |man: &flagfall_game::health::WeakMan| format!("{}{} {}", man.man, man.began, man.promoted);
        desk.game.health().weak_men.iter().map(name).collect::<Vec<_>>()
    };
    assert_eq!(who(&desk), ["rh8 false"]);
    desk.play("f2f1");
    lose(&mut desk, "qh1", 20);
    desk.play("d3d2").play("h1h2").play("d2d3");
    lose(&mut desk, "qh2", 20);
    assert_eq!(who(&desk), ["rh8 false", "qh1 true"]);
}

#[test]
fn another_board_begins_anew() {
    let mut desk = Desk::started("300");
    let serial = |name: &[u8]| DeviceEvent::Identity(Identity::Serial(Text::new(name)));
    desk.device(serial(b"12345")).device(battery(15, None, false));
    (0..7).for_each(|_| hands(&mut desk, "3 d7 | 0.25 pd7"));
    desk.device(serial(b"12345"));
    assert_eq!((desk.game.health().dropouts, desk.state().alarms.len()), (7, 2), "it is the same board");
    desk.device(serial(b"54321"));
    assert_eq!((desk.game.health(), desk.state().alarms.len()), (Default::default(), 0));
}

#[test]
fn for_a_board_without_a_number_the_arbiters_binding_names_another_board() {
    let mut desk = Desk::started("300");
    desk.device(battery(15, None, false)).feed(Input::Bound);
    assert!(desk.state().alarms.is_empty());
    desk.device(DeviceEvent::Identity(Identity::Serial(Text::new(b"12345")))).device(battery(15, None, false));
    assert_eq!(desk.feed(Input::Bound).state().alarms.len(), 1, "the board will report its own identity");
}
