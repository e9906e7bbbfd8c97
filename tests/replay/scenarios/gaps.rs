//! Scenarios 60-64, 80, 82: the link goes away and comes back, the clock is unplugged, the clock is set.

use flagfall::emulate::games::{DemoGame, GAMES, game};
use flagfall_game::alarm::{AlarmKind, AlarmStatus};
use flagfall_hardware::emulator::script::Script;

use crate::scene::{Outcome, STARTED, Scene};
use crate::support::seeds::campaign;

/// The alarms if moves are made while the link is lost.
const GAP: [&str; 2] = ["board_lost", "link_gap"];
/// A running clock is lost with the link.
const ALSO: [&str; 1] = ["clock_lost"];

/// The hands make these moves while the link is lost, for at least six seconds.
fn move_without_link(scene: &mut Scene, moves: &str) -> [u64; 2] {
    let began = scene.wait(1.0).link(false).now;
    for uci in moves.split(' ').filter(|uci| !uci.is_empty()) {
        scene.play(uci, 0.5);
    }
    let away = scene.now - began;
    scene.wait((6.0 - away).max(0.5)).link(true);
    let ended = scene.now;
    scene.wait(4.0);
    [began, ended].map(|seconds| (seconds * 1e6) as u64)
}

#[track_caller]
fn assert_repaired(outcome: &Outcome, from: usize, gap: [u64; 2]) {
    for (index, played) in outcome.state().moves.iter().enumerate().skip(from) {
        assert_eq!(outcome.how(index), "repair", "{}", played.san);
        let reason = "made somewhere in the gap";
        assert!(played.made_at[0] <= gap[0] + 250_000 && played.made_at[1] >= gap[1], "{}: {reason}", played.san);
    }
}

#[test]
fn s060_one_move_unseen() {
    let mut scene = Scene::running();
    scene.game("e2e4 e7e5");
    let gap = move_without_link(&mut scene, "g1f3");
    let outcome = scene.run();
    outcome.allow("e4 e5 Nf3", &GAP, &ALSO);
    assert_repaired(&outcome, 2, gap);
    assert!(outcome.state().alarms.is_empty(), "and cured");
    scene.game("b8c6").end().allow("e4 e5 Nf3 Nc6", &GAP, &ALSO);
}

#[test]
fn s060_nothing_happened_while_the_link_was_away() {
    let mut scene = Scene::running();
    scene.game("e2e4 e7e5");
    move_without_link(&mut scene, "");
    scene.game("g1f3").end().allow("e4 e5 Nf3", &GAP[..1], &ALSO);
}

#[test]
fn s061_two_moves_unseen() {
    for scene in [Scene::running(), Scene::running().without_log()] {
        let mut scene = scene;
        scene.game("e2e4 e7e5");
        let gap = move_without_link(&mut scene, "g1f3 b8c6");
        let outcome = scene.run();
        outcome.allow("e4 e5 Nf3 Nc6", &GAP, &ALSO);
        assert_repaired(&outcome, 2, gap);
        scene.game("f1c4").end().allow("e4 e5 Nf3 Nc6 Bc4", &GAP, &ALSO);
    }
}

#[test]
fn s062_three_moves_unseen_and_no_log() {
    let mut scene = Scene::running().without_log();
    scene.game("e2e4 e7e5");
    move_without_link(&mut scene, "g1f3 b8c6 f1c4");
    // The driver asks for the board's log, and gives up after a while.
    let outcome = scene.game("g8f6 d2d3").wait(25.0).run();
    let alarms: Vec<String> = outcome.alarms().into_iter().filter(|alarm| !ALSO.contains(&alarm.as_str())).collect();
    assert_eq!(alarms, ["board_lost", "link_gap", "ambiguous"]);
    let sans = outcome.sans();
    let whites = ["e4 e5 Nf3 Nc6 Bc4 Nf6 d3", "e4 e5 Bc4 Nc6 Nf3 Nf6 d3"];
    assert!(whites.contains(&sans.as_str()), "the position is followed, in one order or the other: {sans}");
    let ambiguous = outcome.station.game().alarms().iter().find(|alarm| alarm.kind == AlarmKind::Ambiguous);
    assert_eq!(ambiguous.expect("raised").status, AlarmStatus::Open, "only an arbiter knows the order");
}

#[test]
fn s063_no_legal_way() {
    let mut scene = Scene::running();
    scene.game("e2e4 e7e5").wait(1.0).link(false);
    // A pawn went backwards.
    scene.hands("1.0 lift e4 | 0.5 place e3").wait(4.0).link(true).wait(4.0);
    let outcome = scene.run();
    outcome.allow("e4 e5", &["board_lost", "link_gap", "unreachable"], &ALSO);
    assert_eq!(outcome.state().board, "rnbqkbnr/pppp1ppp/8/4p3/8/4P3/PPPP1PPP/RNBQKBNR", "the live position follows the board");
    let outcome = scene.hands("lift e3 | 0.5 place e4").game("g1f3").end();
    outcome.allow("e4 e5 Nf3", &["board_lost", "link_gap", "unreachable"], &["clock_lost", "position_differs"]);
    assert!(outcome.state().alarms.is_empty(), "the game follows the board again");
}

/// Too many moves are unseen for a search, and no log shows them. The next two presses show from where the game goes on.
#[test]
fn s063_so_many_moves_unseen_that_nothing_explains_them() {
    let mut scene = Scene::running().without_log();
    scene.game("e2e4 e7e5");
    move_without_link(&mut scene, "g1f3 b8c6 f1c4 f8c5 d2d3 g8f6 b1c3 d7d6 c1g5 h7h6");
    let outcome = scene.wait(25.0).game("g5h4 g7g5 h4g3 c8e6").end();
    outcome.allow(
        "Bh4 g5 Bg3 Be6",
        &["board_lost", "link_gap", "unreachable"],
        &["clock_lost", "pieces_displaced", "position_differs"],
    );
    let open = |kind| outcome.station.game().alarms().iter().any(|alarm| alarm.kind == kind && alarm.closed.is_none());
    assert!(open(AlarmKind::LinkGap) && open(AlarmKind::Unreachable), "nobody knows the moves");
    assert_eq!(outcome.state().alarms.len(), 2, "and nothing else is open");
}

#[test]
fn s064_the_boards_own_log() {
    for (moves, sans) in [("g1f3 b8c6 f1c4", "Nf3 Nc6 Bc4"), ("f1c4 b8c6 g1f3", "Bc4 Nc6 Nf3")] {
        let mut scene = Scene::running();
        scene.game("e2e4 e7e5");
        let gap = move_without_link(&mut scene, moves);
        let outcome = scene.wait(6.0).run();
        outcome.allow(&format!("e4 e5 {sans}"), &GAP, &ALSO);
        assert_repaired(&outcome, 2, gap);
        scene.game("g8f6").end().allow(&format!("e4 e5 {sans} Nf6"), &GAP, &ALSO);
    }
}

#[test]
fn s080_the_clock_is_unplugged() {
    let mut scene = Scene::running();
    scene.game("e2e4 e7e5").wait(1.0).act("disconnect").wait(2.0);
    scene.make("g1f3").wait(4.0).make("b8c6").wait(4.0);
    let outcome = scene.run();
    outcome.expect("e4 e5 Nf3 Nc6", &["clock_lost"]);
    assert_eq!((outcome.how(2).as_str(), outcome.how(3).as_str(), outcome.pressed()), ("settled", "settled", 2));
}

#[test]
fn s082_the_arbiter_adds_two_minutes() {
    let mut scene = Scene::running();
    scene.game("e2e4 e7e5").wait(1.0).act("stop").wait(3.0);
    scene.act("set left 0:07:00 right 0:05:03").wait(2.0).act("run").wait(2.0);
    let outcome = scene.run();
    outcome.expect("e4 e5", &[]);
    assert_eq!((outcome.pressed(), outcome.audit("press_out_of_turn"), outcome.audit("pressed_back")), (2, 0, 0));
    assert!(outcome.state().clock.white_ms > Some(415_000));
    scene.game("g1f3").end().expect("e4 e5 Nf3", &[]);
}

/// The log has a press before the last squares of its slide, because the board reports squares up to half a second late.
#[test]
fn s064_the_log_reports_a_press_before_its_slide_has_ended() {
    let mut scene = Scene::running();
    scene.game("e2e4 e7e5").wait(1.0).link(false);
    scene.play("g1f3", 0.5).wait(1.0);
    scene.hands("lift d7 | 0.2 place d6 | 0.2 press right | 0.25 lift d6 | 0.1 place d5").played("d7d5").wait(1.0);
    scene.game("e4d5 d8d5 b1c3 d5a5 d2d4 c7c6").link(true).wait(8.0);
    scene.run().allow("e4 e5 Nf3 d5 exd5 Qxd5 Nc3 Qa5 d4 c6", &GAP, &ALSO);
}

/// Two moves a second, and the link is lost for a moment at any time: a man may be on its way when the link is back, and again when the
/// log has been read. At the end there must be enough time for this before the kings go to the centre.
#[test]
fn s064_a_moment_without_link_in_a_blitz_game() {
    campaign("a moment without link", 0..1, |seed| {
        (0..GAMES).step_by(5).map(|number| without_link_in_a_blitz_game(number, seed)).sum()
    });
}

/// The bishop passes e5 on its way to d6, and the link is lost before a report that it has left e5. From e5 it could not have been
/// answered by the queen on d6.
#[test]
fn s064_a_man_is_on_its_way_when_the_link_is_lost() {
    let game = game(0);
    for tenths in [192, 193] {
        assert_moment_without_link(0, &game, &game.script(), tenths, 0.3);
    }
}

/// The log is read while White's pawn passes d3 on its way to d4.
#[test]
fn s064_a_man_is_on_its_way_when_the_log_is_read() {
    let game = game(0);
    assert_moment_without_link(0, &game, &game.script(), 31, 0.7);
}

/// The seed chooses the moments. Returns their number.
fn without_link_in_a_blitz_game(number: usize, seed: u64) -> u64 {
    let game = game(number);
    let script = game.script();
    let end = script.end().as_secs_f64() / 2.0;
    let mut moments = 0;
    for (seconds, steps) in [(0.3, 21), (0.7, 15), (3.0, 33)] {
        let first = (seed % steps as u64) as i32;
        let moment = |tenths: &i32| f64::from(*tenths) / 10.0 + seconds + 4.0 < end;
        for tenths in (first..).step_by(steps as usize).take_while(moment) {
            moments += 1;
            assert_moment_without_link(number, &game, &script, tenths, seconds);
        }
    }
    moments
}

/// What was lost has one explanation at every moment.
#[track_caller]
fn assert_moment_without_link(number: usize, game: &DemoGame, script: &Script, tenths: i32, seconds: f64) {
    let mut scene = Scene::performed(game.settings(1), game.time_control, script, 2.0);
    let outcome = scene.away(STARTED + f64::from(tenths) / 10.0, seconds).wait(4.0).run();
    let text = format!("game {number}, {seconds} s away after {tenths} tenths of a second");
    assert_eq!(outcome.sans(), game.expected().moves.join(" "), "{text}");
    let alarms = outcome.alarms();
    let other = alarms.iter().find(|alarm| !GAP.contains(&alarm.as_str()) && *alarm != "clock_not_started");
    assert_eq!((other, outcome.audit("press_out_of_turn")), (None, 0), "{text}");
}
