//! Scenarios 53-57: sensors that err.

use flagfall::wire::alarm::AlertBody;
use flagfall_game::alarm::{AlarmKind, AlarmStatus};

use crate::scenarios::reports::Reports;
use crate::scene::Scene;

const OPENING: &str = "e2e4 e7e5 g1f3 b8c6 f1c4 f8c5 c2c3 g8f6 b1a3 d7d6";
const OPENED: &str = "e4 e5 Nf3 Nc6 Bc4 Bc5 c3 Nf6 Na3 d6";

#[test]
fn s053_a_bystander_drops_out() {
    let mut scene = Scene::running();
    scene.hands("dropout a1 0.4").wait(2.0);
    scene.run().expect("", &[]);
    scene.hands("lift e2 | 0.3 place e4 ; dropout a1 0.4 | 0.4 press left").end().expect("e4", &[]);
    Reports::new().report("e2:- | a1:- | e4:P | WP | 0.1 a1:R").run_at_dgt_board().expect("e4", &[]);
}

#[test]
fn s054_the_target_drops_out() {
    Reports::new().report("g1:- | f3:N | f3:- | 0.1 WP | f3:N").run_at_dgt_board().expect("Nf3", &[]);
    for phase in [0.0, 0.05, 0.1, 0.15, 0.2] {
        let mut scene = Scene::running().scan_phase(phase);
        scene.hands("lift g1 | 0.3 place f3 | 0.3 dropout f3 0.6 | 0.1 press left").end().expect("Nf3", &[]);
    }
}

#[test]
fn s055_a_weak_chip() {
    let mut scene = Scene::running();
    let began = scene.now;
    scene.game(OPENING).wait(3.0);
    let ended = std::mem::replace(&mut scene.now, began);
    while scene.now < ended - 1.0 {
        scene.act("dropout d2 0.5").wait(1.0);
    }
    scene.now = ended;
    let outcome = scene.end();
    outcome.allow(OPENED, &[], &["weak_square"]);
    assert!(outcome.messages.iter().any(|message| message.payload.contains("\"weak_square\"")), "a note for maintenance");
    assert_eq!(outcome.pressed(), 10);
}

/// A bishop slides to a square with a dead sensor and is seen only on its way: the next moves show where it went, and it is not on the
/// square where it was seen last.
#[test]
fn s056_a_man_slides_on_to_a_dead_square() {
    let mut scene = Scene::running();
    scene.act("misread h3 empty 1000").game("e2e4 d7d6 d2d4 e7e5 b1c3");
    // The bishop is seen on f5, and the clock is pressed when it is on h3.
    scene.hands("1.0 lift c8 | 0.1 place f5 | 0.6 lift f5 | 0.1 place h3 | 0.2 press right").wait(6.0).played("c8h3");
    assert_eq!(scene.run().sans(), "e4 d6 d4 e5 Nc3", "the program does not guess");
    scene.game("g1f3 h3g2 f1g2").end().expect("e4 d6 d4 e5 Nc3 Bh3 Nf3 Bxg2 Bxg2", &["position_differs"]);
}

/// If several squares may be the dead one, all their moves are kept until no later move can distinguish them; then one is chosen, and
/// an alarm names the squares.
#[test]
fn s056_one_of_two_dead_squares() {
    let mut scene = Scene::running();
    scene.act("misread a6 empty 1000").game("e2e4 a7a6");
    scene.game("g1f3 g8f6 b1c3 b8c6 f1e2 e7e6 e1g1 f8e7");
    assert_eq!(scene.run().sans(), "e4", "the program does not guess");
    scene.game("d2d3 e8g8 c1e3 d7d6 d1d2 c8d7 a1e1 d8e8");
    let outcome = scene.end();
    let sans = outcome.sans();
    let rest = sans.strip_prefix("e4 a6 ").or(sans.strip_prefix("e4 a5 "));
    assert_eq!(rest, Some("Nf3 Nf6 Nc3 Nc6 Be2 e6 O-O Be7 d3 O-O Be3 d6 Qd2 Bd7 Rae1 Qe8"));
    // A man that is on no square after its press may be in a hand: this alarm comes before a square is suspected.
    assert_eq!(outcome.alarms(), ["illegal_move(black)", "position_differs", "ambiguous"]);
    let alarms = outcome.station.game().alarms();
    let ambiguous = alarms.iter().find(|alarm| alarm.kind == AlarmKind::Ambiguous).expect("an alarm names the squares");
    assert_eq!((AlertBody::from(ambiguous).squares.join(" ").as_str(), ambiguous.status), ("a5 a6 a7", AlarmStatus::Open));
}

#[test]
fn s056_a_dead_square() {
    let mut scene = Scene::five_and_five();
    let playing = std::mem::replace(&mut scene.now, 0.0);
    scene.act("misread h8 empty 3600");
    scene.now = playing;
    scene.act("run").wait(1.0).game("e2e4 g8f6").wait(7.0);
    let outcome = scene.run();
    assert_eq!((outcome.sans().as_str(), outcome.alarms()), ("e4 Nf6", vec!["wrong_set_up".into()]));
    assert!(outcome.state().alarms.iter().all(|alarm| alarm.squares == ["h8"]), "{:?}", outcome.state().alarms);
    scene.command(r#"{"verb":"acknowledge-alert","alarm":1}"#).game("e4e5 h8g8 d2d4");
    scene.end().expect("e4 Nf6 e5 Rg8 d4", &["wrong_set_up"]);
}

/// Men come to a square whose sensor is dead, and leave it again: every kind of alarm is raised once, and is open only while a man
/// stands there.
#[test]
fn s056_a_dead_square_has_one_alarm() {
    let mut scene = Scene::five_and_five();
    let playing = std::mem::replace(&mut scene.now, 0.0);
    scene.act("misread g1 empty 3600");
    scene.now = playing;
    let slowly = |scene: &mut Scene, moves: &str| moves.split(' ').for_each(|uci| _ = scene.play(uci, 5.0));
    scene.act("run").wait(1.0);
    slowly(&mut scene, "e2e4 e7e5");
    let outcome = scene.run();
    assert_eq!((outcome.alarms(), outcome.state().alarms.len()), (vec!["wrong_set_up".into()], 1));
    slowly(&mut scene, "g1f3 g8f6 f1e2 f8e7");
    assert_eq!(scene.run().state().alarms, [], "the knight has moved, so it stood there");
    slowly(&mut scene, "e1g1 e8g8");
    let alarms = ["wrong_set_up", "king_missing(white)"];
    let outcome = scene.run();
    assert_eq!(outcome.alarms(), alarms);
    let [alarm] = &outcome.state().alarms[..] else { panic!("one alarm is open") };
    assert_eq!(alarm.squares, ["g1"]);
    slowly(&mut scene, "g1h1 d7d6");
    assert_eq!(scene.run().state().alarms, []);
    slowly(&mut scene, "h1g1 d6d5");
    let outcome = scene.run();
    assert_eq!((outcome.alarms(), outcome.state().alarms.len()), (alarms.map(str::to_owned).to_vec(), 1), "the same alarm");
    slowly(&mut scene, "g1h1 d5e4 f1g1 e4f3 e2f3");
    let outcome = scene.wait(8.0).run();
    outcome.expect(
        "e4 e5 Nf3 Nf6 Be2 Be7 O-O O-O Kh1 d6 Kg1 d5 Kh1 dxe4 Rg1 exf3 Bxf3",
        &["wrong_set_up", "king_missing(white)", "position_differs"],
    );
    assert_eq!(outcome.state().alarms.len(), 1, "the rook");
}

/// A sensor dies under a king that has not moved. The king is missing once, and not the position besides.
#[test]
fn s056_a_sensor_dies_under_a_king() {
    let mut scene = Scene::running();
    scene.game("e2e4 e7e5 g1f3 g8f6 f1e2 f8e7").act("misread e8 empty 3600");
    scene.play("b1c3", 4.0).play("b8c6", 8.0).play("d2d3", 8.0);
    let outcome = scene.run();
    let alarms = ["king_missing(black)"];
    assert_eq!((outcome.alarms(), outcome.state().alarms.len()), (alarms.map(str::to_owned).to_vec(), 1));
    scene.play("e8g8", 4.0).play("e1g1", 4.0);
    let outcome = scene.end();
    outcome.expect("e4 e5 Nf3 Nf6 Be2 Be7 Nc3 Nc6 d3 O-O O-O", &alarms);
    assert_eq!(outcome.state().alarms, [], "the king is seen");
}

/// White holds a knight for six seconds and moves another man, because the knight was taken off by accident: once he has moved, the
/// knight is in no hand, and the position differs until it is back.
#[test]
fn s056_a_man_that_was_in_a_hand() {
    let mut scene = Scene::running();
    scene.game("e2e4 e7e5").hands("lift b1").wait(6.0);
    assert_eq!(scene.run().alarms(), ["piece_in_hand(white)"]);
    scene.hands("drop | lift g1 | 0.4 place f3 | 0.3 press left").wait(8.0);
    let outcome = scene.run();
    let alarms = ["piece_in_hand(white)", "position_differs"];
    assert_eq!((outcome.alarms(), outcome.state().alarms.len()), (alarms.map(str::to_owned).to_vec(), 1));
    let outcome = scene.hands("place b1 N").end();
    outcome.expect("e4 e5 Nf3", &alarms);
    assert_eq!(outcome.state().alarms, []);
}

#[test]
fn s057_a_misread_piece() {
    let fen = "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2";
    Reports::from(fen).report("f1:- | c4:P | 0.45 c4:B | WP").run_at_dgt_board().expect("Bc4", &[]);
    Reports::from(fen).report("f1:- | c4:B | 0.1 WP | c4:P | 0.45 c4:B").run_at_dgt_board().expect("Bc4", &[]);
    let mut scene = Scene::running();
    scene.game("e2e4 e7e5");
    scene.hands("lift f1 | 0.4 place c4 ; misread c4 P 0.45 | 0.7 press left | 1.0 misread c4 P 0.45");
    scene.end().expect("e4 e5 Bc4", &[]);
}
