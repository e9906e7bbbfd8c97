//! A spare board takes the place of a board in the middle of a game: the game goes on, whatever the spare shows first.

use flagfall_game::alarm::AlarmKind;
use flagfall_game::input::{Command, Input};
use flagfall_game::laws::outcome::GameResult;
use flagfall_game::open_matters::OpenMatter;
use flagfall_protocols::event::{DeviceEvent, Identity, Text};
use flagfall_protocols::square::{Placement, Reading, Square};

use shakmaty::Position;
use shakmaty::uci::UciMove;

use crate::desk::Desk;

fn serial(number: &[u8]) -> DeviceEvent {
    DeviceEvent::Identity(Identity::Serial(Text::new(number)))
}

/// A game whose clocks the arbiter has stopped, because its board does not answer any more.
fn stopped(moves: &[&str], clock: bool) -> Desk {
    let mut desk = if clock { Desk::started("300") } else { Desk::new("") };
    if !clock {
        desk.frame(Placement::initial());
    }
    desk.device(serial(b"12345"));
    for uci in moves {
        if clock {
            desk.play(uci)
        } else {
            desk.wait(1.0).make(uci).wait(3.0)
        };
    }
    desk.clock.running = false;
    if clock {
        desk.report();
    }
    desk.wait(2.0).feed(Input::Link { up: false });
    desk
}

/// How the program learns that another board serves the game.
#[derive(Clone, Copy, Debug)]
enum Named {
    Command,
    Itself,
    ItselfLate,
}

/// The spare is plugged in with these men on it.
fn plug(desk: &mut Desk, named: Named, shows: Placement) {
    if matches!(named, Named::Command) {
        desk.feed(Input::Bound);
    }
    desk.wait(5.0).feed(Input::Link { up: true }).device(DeviceEvent::Responding);
    if matches!(named, Named::Itself) {
        desk.device(serial(b"54321"));
    }
    desk.frame(shows);
    if matches!(named, Named::ItselfLate) {
        desk.wait(0.1).device(serial(b"54321"));
    }
}

fn open(desk: &Desk, kind: AlarmKind) -> Option<usize> {
    let mut open = desk.game.alarms().iter().filter(|alarm| alarm.closed.is_none());
    open.find(|alarm| alarm.kind == kind).map(|alarm| alarm.set_up.len())
}

#[test]
fn a_spare_that_shows_its_initial_position_goes_on_with_the_game() {
    let games: [(&[&str], usize); 3] =
        [(&["e2e4", "e7e5"], 4), (&["g1f3", "g8f6"], 4), (&["e2e4", "d7d5", "e4d5", "d8d5", "b1c3"], 6)];
    for (moves, wrong) in games {
        for named in [Named::Command, Named::Itself, Named::ItselfLate] {
            for (rotated, clock) in [(false, true), (true, true), (false, false)] {
                let case = format!("{moves:?} {named:?} {rotated} {clock}");
                let mut desk = stopped(moves, clock);
                let initial = Placement::initial();
                plug(&mut desk, named, if rotated { initial.rotated() } else { initial });
                desk.wait(20.0);
                assert_eq!((desk.game.number(), desk.moves()), (1, moves.iter().map(ToString::to_string).collect()), "{case}");
                assert_eq!(open(&desk, AlarmKind::PositionToRestore), Some(wrong), "{case}");
                // The men are set up one by one, and the game goes on.
                let standing = desk.standing();
                for square in Square::all() {
                    let (own, from) = if rotated { (square.rotated(), initial.rotated()) } else { (square, initial) };
                    if from.get(own) != standing.get(square) {
                        desk.wait(0.5).square(own, standing.get(square));
                    }
                }
                desk.wait(3.0);
                assert_eq!(open(&desk, AlarmKind::PositionToRestore), None, "{case}");
                assert_eq!((desk.game.number(), desk.moves().len()), (1, moves.len()), "{case}");
            }
        }
    }
}

/// Men that are set up one by one look like moves.
#[test]
fn setting_up_the_position_makes_no_moves() {
    let moves = ["e2e4", "e7e5", "g1f3", "b8c6", "f1b5", "a7a6"];
    let orders = [[2, 3, 0, 5, 1, 4], [0, 1, 2, 3, 4, 5], [2, 3, 1, 0, 5, 4], [0, 4, 5, 2, 3, 1], [5, 0, 1, 3, 2, 4]];
    for (order, clock) in orders.iter().flat_map(|order| [(order, true), (order, false)]) {
        let mut desk = stopped(&moves, clock);
        plug(&mut desk, Named::Itself, Placement::initial());
        desk.wait(5.0);
        let standing = desk.standing();
        for uci in order.map(|index: usize| moves[index]) {
            let [from, to] = [&uci[..2], &uci[2..]].map(|square| Square::parse(square).expect("a square"));
            desk.wait(2.5).square(from, Reading::Empty).wait(0.4).square(to, standing.get(to));
        }
        desk.wait(5.0);
        assert_eq!((desk.game.number(), desk.moves()), (1, moves.map(String::from).to_vec()), "{order:?} {clock}");
        assert_eq!(open(&desk, AlarmKind::PositionToRestore), None, "{order:?} {clock}");
        if clock {
            desk.clock.running = true;
            desk.report().play("b5a4");
        } else {
            desk.make("b5a4").wait(3.0);
        }
        assert_eq!((desk.game.number(), desk.moves().len()), (1, 7), "{order:?} {clock}");
    }
}

#[test]
fn a_spare_may_show_moves_that_the_board_before_it_did_not() {
    let mut desk = stopped(&["e2e4", "e7e5"], true);
    desk.assume("rnbqkbnr/pppp1ppp/8/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R b KQkq - 1 2");
    let standing = desk.standing();
    plug(&mut desk, Named::Command, standing);
    desk.wait(5.0);
    assert_eq!(open(&desk, AlarmKind::PositionToRestore), None, "{:?}", desk.alarms());
    assert_eq!((desk.game.number(), desk.game.made_moves()), (1, 3));
}

#[test]
fn after_a_result_or_an_arbiters_word_a_spare_may_begin_the_next_game() {
    for decided in [true, false] {
        let mut desk = stopped(&["e2e4", "e7e5"], true);
        plug(&mut desk, Named::Itself, Placement::initial());
        desk.wait(10.0);
        assert!(open(&desk, AlarmKind::PositionToRestore).is_some());
        let alarm = desk.game.alarms().iter().find(|alarm| alarm.kind == AlarmKind::PositionToRestore).expect("an alarm").id;
        desk.command(Command::AcknowledgeAlert { alarm }).wait(10.0);
        assert_eq!((desk.refused(), desk.game.number()), (1, 1), "nobody has said that another game begins");
        desk.command(match decided {
            true => Command::DeclareResult { result: GameResult::Draw },
            false => Command::StartGame { fen: None },
        });
        desk.wait(10.0);
        assert_eq!((desk.game.number(), open(&desk, AlarmKind::PositionToRestore)), (2, None), "{decided}");
    }
    // Before the first move it is the same game, and the same board is no spare.
    let mut desk = stopped(&[], true);
    plug(&mut desk, Named::Itself, Placement::initial());
    desk.wait(10.0);
    assert_eq!((desk.game.number(), open(&desk, AlarmKind::PositionToRestore)), (1, None));
    let mut desk = stopped(&["e2e4", "e7e5"], true);
    desk.feed(Input::Link { up: true }).device(serial(b"12345")).frame(Placement::initial());
    desk.wait(10.0);
    assert_eq!((desk.game.number(), open(&desk, AlarmKind::PositionToRestore)), (2, None));
}

#[test]
fn an_arbiter_is_asked_once_for_each_game() {
    let mut desk = Desk::started("300");
    desk.feed(Input::AskAboutRound { open: true }).feed(Input::AskAboutRound { open: true });
    assert_eq!(desk.alarms(), ["UnpublishedGame"]);
    let alarm = desk.game.alarms().first().expect("an alarm").id;
    desk.command(Command::AcknowledgeAlert { alarm });
    assert_eq!(desk.refused(), 1, "it waits for its answer");
    assert!(open(&desk, AlarmKind::UnpublishedGame).is_some());
    desk.play("e2e4");
    assert_eq!(desk.game.unfinished().map(|game| game.open), Some(vec![OpenMatter::RoundGame]));
    desk.feed(Input::AskAboutRound { open: false });
    assert_eq!(open(&desk, AlarmKind::UnpublishedGame), None);
}

/// One square of the spare fails for good, or the players moved on before the spare was there: play that goes on there is read.
#[test]
fn play_goes_on_at_a_spare_that_differs_a_little() {
    let moves = ["e2e4", "e7e5", "g1f3", "b8c6"];
    for clock in [true, false] {
        for (case, before) in [("a dead square", &[][..]), ("two more moves", &["f1b5", "a7a6"][..])] {
            let name = format!("{case}, clock {clock}");
            let mut desk = stopped(&moves, clock);
            let from = desk.standing();
            for uci in before {
                let mv = uci.parse::<UciMove>().expect("UCI").to_move(&desk.position).expect("legal");
                desk.position.play_unchecked(mv);
            }
            plug(&mut desk, Named::Itself, Placement::initial());
            desk.wait(5.0);
            let standing = desk.standing();
            assert_ne!(from, Placement::initial());
            for square in Square::all().filter(|square| standing.get(*square) != Placement::initial().get(*square)) {
                desk.wait(0.5).square(square, standing.get(square));
            }
            if before.is_empty() {
                desk.wait(0.5).square(Square::parse("a1").expect("a square"), Reading::Empty);
            }
            desk.wait(12.0);
            if clock {
                desk.clock.running = true;
                desk.report().wait(1.0).play("d2d3").play("d7d6").play("b1c3");
            } else {
                desk.make("d2d3").wait(3.0).make("d7d6").wait(3.0).make("b1c3").wait(3.0);
            }
            // Where a square fails, the last move waits for the next one.
            let known = moves.len() + before.len() + if before.is_empty() { 2 } else { 3 };
            assert_eq!(desk.game.number(), 1, "{name}");
            assert!(desk.game.made_moves() as usize >= known, "{name}: {} {:?}", desk.game.made_moves(), desk.alarms());
            assert_eq!(open(&desk, AlarmKind::PositionToRestore), None, "{name}");
            assert!(open(&desk, AlarmKind::IllegalMove).is_none(), "{name}");
        }
    }
}

#[test]
fn a_position_that_an_arbiter_sets_ends_the_set_up() {
    let mut desk = stopped(&["e2e4", "e7e5"], true);
    plug(&mut desk, Named::Itself, Placement::initial());
    desk.wait(5.0);
    let fen = "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2";
    desk.command(Command::SetPosition { fen: fen.to_owned() }).wait(1.0);
    assert_eq!((desk.refused(), open(&desk, AlarmKind::PositionToRestore)), (0, None));
}
