//! Facts about the hands, wrong set-ups, weak sensors.

use flagfall_game::alarm::WrongSquare;
use flagfall_game::audit::AuditEntry;
use flagfall_game::config::GameConfig;
use flagfall_game::effect::Effect;
use flagfall_game::game::Game;
use flagfall_game::game_phase::GamePhase;
use flagfall_protocols::square::{Color, Piece, Placement, Reading, Square};

use crate::desk::Desk;

const CASTLING: &str = "4k3/8/8/8/8/8/7P/4K2R w K - 0 1";

/// Lifts men (`g1`) and puts them down (`Ng1`), each after a number of seconds.
fn hands(desk: &mut Desk, what: &str) {
    for step in what.split(" | ") {
        let (pause, change) = step.split_once(' ').expect("seconds and a change");
        let (man, square) = change.split_at(change.len() - 2);
        let reading = man.chars().next().map_or(Reading::Empty, |man| Reading::Piece(Piece::from_letter(man).expect(change)));
        desk.wait(pause.parse().expect("seconds")).square(Square::parse(square).expect(change), reading);
    }
}

/// The reports about the hands: `touched g1`.
fn reported(desk: &Desk) -> Vec<String> {
    let word = |effect: &Effect| match effect {
        Effect::Audit(AuditEntry::Touched { square, .. }) => Some(format!("touched {square}")),
        Effect::Audit(AuditEntry::Stood { square, ply, .. }) => Some(format!("stood {square} {ply}")),
        Effect::Audit(AuditEntry::RookFirst { squares: [rook, king], .. }) => Some(format!("rook_first {rook} {king}")),
        Effect::Audit(AuditEntry::TwoHands { squares: [rook, king], .. }) => Some(format!("two_hands {rook} {king}")),
        _ => None,
    };
    desk.out.iter().filter_map(word).collect()
}

#[test]
fn a_touched_man_is_reported_in_its_players_own_time_only() {
    let mut desk = Desk::started("300");
    hands(&mut desk, "2 g1 | 0.8 Ng1 | 1 g8 | 0.8 ng8");
    assert_eq!(reported(&desk), ["touched g1"], "Black's knight is adjusted in White's time");
    let Some(Effect::Audit(AuditEntry::Touched { side, lifted, put_back, .. })) =
        desk.out.iter().find(|effect| matches!(effect, Effect::Audit(AuditEntry::Touched { .. })))
    else {
        panic!("this was reported above")
    };
    assert_eq!((*side, put_back.latest.0 - lifted.latest.0), (Color::White, 800_000));
    desk.play("e2e4").wait(1.0);
    hands(&mut desk, "0.5 e4 | 0.8 Pe4 | 1 g8 | 0.8 ng8");
    assert_eq!(reported(&desk), ["touched g1", "touched g8"], "White's pawn is adjusted in Black's time");
}

#[test]
fn the_squares_on_which_a_man_stood_on_its_way() {
    let mut desk = Desk::started("300");
    desk.play("e2e4").play("e7e5");
    hands(&mut desk, "1 f1 | 0.4 Bd3 | 0.9 d3 | 0.4 Be2");
    desk.wait(0.3).press(0).wait(1.0);
    assert_eq!((desk.moves().len(), reported(&desk)), (3, vec!["stood d3 3".to_owned()]));
    // A sliding man shows on two squares at once, and stays nowhere for long.
    hands(&mut desk, "1 d7 | 0.1 pd6 | 0.1 d6 | 0.1 pd5");
    desk.wait(0.3).press(0).wait(1.0);
    assert_eq!((desk.moves().len(), reported(&desk).len()), (4, 1));
}

/// Scenario 5 with a long pause, without a clock that reports presses.
#[test]
fn a_man_that_goes_on_without_a_clock() {
    let mut desk = Desk::new("").with_position("4k3/8/8/8/8/8/3P4/4K2B w - - 0 1");
    hands(&mut desk, "1 d2 | 0.3 Pd3");
    assert_eq!(desk.wait(3.0).moves(), ["d2d3"]);
    hands(&mut desk, "0.1 d3 | 0.3 Pd4");
    assert_eq!((desk.wait(4.0).moves(), desk.alarms()), (vec!["d2d4".to_owned()], vec![]));
    // Another man of the same player does not count as the same man.
    hands(&mut desk, "1 h1 | 0.3 Be4");
    assert_eq!((desk.wait(1.5).moves(), desk.alarms()), (vec!["d2d4".to_owned()], vec!["MovedByWrongSide(white)".to_owned()]));
}

#[test]
fn the_order_of_a_castling() {
    for (motions, facts) in [
        ("1 e1 | 0.3 Kg1 | 0.5 h1 | 0.3 Rf1", &[][..]),
        ("1 h1 | 0.3 Rf1 | 0.5 e1 | 0.5 Kg1", &["rook_first h1 e1"]),
        ("1 e1 | 0.01 h1 | 0.5 Kg1 | 0.5 Rf1", &["two_hands h1 e1"]),
        ("1 e1 | 0.5 h1 | 0.5 Kg1 | 0.01 Rf1", &["two_hands f1 g1"]),
    ] {
        let mut desk = Desk::new("300").with_position(CASTLING);
        desk.report();
        desk.clock.running = true;
        desk.report();
        hands(&mut desk, motions);
        desk.wait(0.4).press(0).wait(1.0);
        assert_eq!(
            (desk.moves(), reported(&desk)),
            (vec!["e1g1".to_owned()], facts.iter().map(|fact| fact.to_string()).collect())
        );
    }
}

#[test]
fn a_weak_square_is_reported_once_a_game_and_counted() {
    let mut desk = Desk::started("300");
    for _ in 0..12 {
        hands(&mut desk, "3 d2 | 0.1 Pd2");
    }
    assert_eq!(desk.alarms(), ["WeakSquare"]);
    assert_eq!(desk.game.dropouts(), [(Square::parse("d2").expect("a square"), 12)]);
}

#[test]
fn a_player_who_straightens_a_man_has_no_weak_square() {
    let mut desk = Desk::started("300");
    for _ in 0..12 {
        hands(&mut desk, "3 d2 | 1.2 Pd2");
    }
    assert_eq!((desk.alarms(), desk.game.dropouts()), (vec![], vec![]));
}

#[test]
fn a_player_may_straighten_the_same_man_again_and_again_in_his_own_time() {
    let mut desk = Desk::started("300");
    for _ in 0..12 {
        hands(&mut desk, "3 d2 | 0.45 Pd2");
    }
    assert_eq!((desk.alarms(), desk.game.dropouts()), (vec![], vec![]));
    desk.play("e2e4").wait(1.0);
    for _ in 0..12 {
        hands(&mut desk, "3 d2 | 0.45 Pd2");
    }
    assert_eq!(desk.alarms(), ["WeakSquare"], "no player does this while the opponent thinks");
}

#[test]
fn men_that_are_straightened_here_and_there_leave_no_weak_square() {
    let mut desk = Desk::started("300");
    for _ in 0..8 {
        hands(
            &mut desk,
            "1 a2 | 0.1 Pa2 | 1 b2 | 0.1 Pb2 | 1 c2 | 0.1 Pc2 | 1 f7 | 0.1 pf7 | 1 g7 | 0.1 pg7 | 1 h8 | 0.1 rh8 | 1 e8 | 0.1 ke8 | 1 e2 | 0.1 Pe2",
        );
    }
    assert_eq!((desk.alarms(), desk.game.dropouts().len()), (vec![], 8));
}

fn set_up(placement: &str) -> Desk {
    let mut desk = Desk::new("300");
    desk.frame(Placement::parse(placement).expect("a placement")).report().wait(1.0);
    desk.clock.running = true;
    desk.report().wait(2.0);
    desk
}

/// The square, the letter of what stands there, and that of what should.
fn named(wrong: &WrongSquare) -> (String, Option<char>, Option<char>) {
    (wrong.square.to_string(), wrong.stands.map(Piece::letter), wrong.expected.map(Piece::letter))
}

#[test]
fn a_missing_man_is_named_and_the_game_begins_with_it() {
    let mut desk = set_up("rnbqkbn1/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR");
    let wrong = &desk.game.alarms()[0].set_up;
    assert_eq!(wrong.iter().map(named).collect::<Vec<_>>(), [("h8".to_owned(), None, Some('r'))]);
    assert_eq!(desk.state().initial_fen, "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1");
    desk.play("e2e4").wait(8.0);
    assert_eq!(desk.alarms(), ["WrongSetUp"], "the missing man is in no player's hand, and one alarm names its square");
    desk.square(Square::parse("h8").expect("a square"), Reading::Piece(Piece::from_letter('r').expect("a rook"))).wait(1.0);
    assert_eq!(desk.state().alarms, [], "the board agrees with the game");
}

#[test]
fn an_exchanged_king_and_queen_are_named_and_stay() {
    let desk = set_up("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBKQBNR");
    let alarms = desk.game.alarms();
    assert_eq!(
        alarms[0].set_up.iter().map(named).collect::<Vec<_>>(),
        [("d1".to_owned(), Some('K'), Some('Q')), ("e1".to_owned(), Some('Q'), Some('K'))]
    );
    assert!(desk.state().initial_fen.starts_with("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBKQBNR w kq"));
}

#[test]
fn a_chess960_start_either_way_round() {
    for rotated in [false, true] {
        let mut desk = Desk::new("300");
        desk.game = Game::new(GameConfig { chess960: true, ..GameConfig::default() }, crate::desk::TIMING);
        let placement = Placement::parse("bqnbrnkr/pppppppp/8/8/8/8/PPPPPPPP/BQNBRNKR").expect("a placement");
        desk.frame(if rotated { placement.rotated() } else { placement }).wait(1.0);
        assert_eq!((desk.state().stage, desk.game.number(), desk.state().rotated), (GamePhase::Armed, 1, rotated));
        assert!(desk.state().initial_fen.starts_with("bqnbrnkr/"), "{}", desk.state().initial_fen);
    }
}

#[test]
fn one_wait_for_a_press_is_reported_once() {
    let mut desk = Desk::started("300");
    desk.wait(1.0).make("e2e4").wait(60.0);
    assert_eq!(desk.alarms(), ["IncompleteMove(white)"]);
}

/// The arbiters' state keeps the touched men, with the half-move for which their player was to move (4.3).
#[test]
fn touched_men_stay_in_the_state() {
    let mut desk = Desk::started("300");
    hands(&mut desk, "2 g1 | 0.8 Ng1");
    desk.play("e2e4").wait(1.0);
    hands(&mut desk, "1 g8 | 0.8 ng8");
    let kept = |desk: &Desk| -> Vec<String> {
        let touched = desk.game.touched_men().iter();
        touched.map(|touched| format!("{} {} {}", touched.ply, touched.man.letter(), touched.square)).collect()
    };
    assert_eq!(kept(&desk), ["1 N g1", "2 n g8"]);
    for man in "ra8 nb8 bc8 qd8 bf8 rh8 pa7 pb7 pc7 pd7 pe7 pf7 pg7 ph7 ke8".split(' ') {
        hands(&mut desk, &format!("1 {} | 0.8 {man}", &man[1..]));
    }
    assert_eq!((kept(&desk).len(), kept(&desk)[0].as_str(), kept(&desk)[15].as_str()), (16, "2 n g8", "2 k e8"));
    desk.command(flagfall_game::input::Command::StartGame { fen: None });
    assert_eq!(kept(&desk), [""; 0], "another game");
}
