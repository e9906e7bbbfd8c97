//! The dead-position watch through moves of a game.

use alloc::vec::Vec;

use shakmaty::uci::UciMove;
use shakmaty::{Chess, Color, Position};

use super::position;
use crate::mate::check::check;
use crate::mate::{Answer, Budget, Life, Reason, Watch, dead, watched};

fn play(at: &mut Chess, uci: &str) {
    let step = uci.parse::<UciMove>().expect(uci).to_move(at).expect(uci);
    at.play_unchecked(step);
}

/// Checks that the line that is kept ends in mate.
fn holds(at: &Chess, side: Color, watch: &Watch) {
    let answer = Answer::Winnable { line: watch.line(side).to_vec(), shortest: false };
    assert_eq!(check(at, side, &answer), Ok(()), "{:?}", at.board());
}

#[test]
fn a_move_of_the_kept_line_needs_no_search() {
    let mut at = position("7k/8/8/3K4/8/8/8/R7 w - - 0 1");
    let mut watch = Watch::default();
    let (life, cost) = watched(&at, &mut watch);
    assert_eq!(life, Life::Alive(Color::White));
    assert!(cost.nodes > 0);
    let mut line: Vec<_> = watch.line(Color::White).to_vec();
    while !line.is_empty() {
        at.play_unchecked(line.remove(0));
        let (life, cost) = watched(&at, &mut watch);
        assert_eq!(life, Life::Alive(Color::White));
        assert_eq!(watch.line(Color::White), line.as_slice());
        assert!(cost.nodes == 0 || line.is_empty(), "{cost:?}");
        holds(&at, Color::White, &watch);
    }
    assert!(at.is_checkmate());
}

#[test]
fn a_line_that_no_longer_holds_is_replaced() {
    let mut at = Chess::default();
    let mut watch = Watch::default();
    for uci in ["e2e4", "e7e5", "e1e2", "e8e7", "e2e3", "e7e6", "d1h5", "d8h4", "h5f7"] {
        play(&mut at, uci);
        let Life::Alive(side) = dead(&at, &mut watch) else {
            panic!("{uci}: not alive");
        };
        holds(&at, side, &watch);
    }
}

/// Men that move without a capture can go back, so the line of the position before is still a line. A pawn cannot.
#[test]
fn a_line_goes_on_after_a_way_back() {
    let mut at = Chess::default();
    let mut watch = Watch::default();
    for (uci, searched) in [
        ("e2e4", true),
        ("b8c6", false),
        ("g1f3", false),
        ("g8f6", false),
        ("f1c4", false),
        ("d7d5", true),
        ("e1e2", false),
        ("d5c4", true),
    ] {
        play(&mut at, uci);
        let (life, cost) = watched(&at, &mut watch);
        let Life::Alive(side) = life else { panic!("{uci}: {life:?}") };
        assert_eq!(cost.nodes > 0, searched, "{uci}: {cost:?}");
        holds(&at, side, &watch);
    }
}

#[test]
fn the_last_capture_makes_it_dead() {
    let mut at = position("8/8/3k4/8/8/3Kr3/8/3B4 w - - 0 1");
    let mut watch = Watch::default();
    assert!(matches!(dead(&at, &mut watch), Life::Alive(_)));
    play(&mut at, "d3e3");
    let life = dead(&at, &mut watch);
    assert_eq!(life, Life::Dead { white: Reason::Material, black: Reason::BareKing });
    assert!(watch.line(Color::White).is_empty() && watch.line(Color::Black).is_empty());
    // The question comes again, also for the next position: it stays dead.
    play(&mut at, "d6e5");
    assert!(matches!(dead(&at, &mut watch), Life::Dead { .. }));
}

#[test]
fn a_wall_that_closes_makes_it_dead() {
    let mut at = position("4k3/8/8/p1p1p1p1/P1P1P1P1/8/8/4K3 w - - 0 1");
    let mut watch = Watch::default();
    let life = dead(&at, &mut watch);
    assert!(matches!(life, Life::Dead { white: Reason::Wall(_), black: Reason::Wall(_) }), "{life:?}");
    play(&mut at, "e1e2");
    assert!(matches!(dead(&at, &mut watch), Life::Dead { .. }));
}

#[test]
fn the_board_comes_first() {
    let mut watch = Watch::default();
    let mate = position("8/8/8/8/8/1k6/b1b5/RKR5 w - - 0 1");
    assert_eq!(dead(&mate, &mut watch), Life::Alive(Color::Black));
    let stalemate = position("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1");
    assert_eq!(dead(&stalemate, &mut watch), Life::Dead { white: Reason::Stalemate, black: Reason::Stalemate });
}

#[test]
fn an_open_question_costs_less_each_time() {
    // Both sides can mate, but by a way longer than the cap.
    let mut at = position("1Bb5/1p6/pPp3k1/2Pp3p/P2PpBpP/4P1P1/5K2/8 w - - 0 1");
    let mut watch = Watch::default();
    let mut costs = Vec::new();
    for uci in ["f2e2", "g6f6", "e2f2", "f6g6", "f2e2", "g6f6", "e2f2", "f6g6"] {
        let (life, cost) = watched(&at, &mut watch);
        assert_eq!(life, Life::Unknown);
        costs.push(cost.nodes);
        play(&mut at, uci);
    }
    assert!(costs[0] <= Budget::SMALL.nodes + 200, "{costs:?}");
    assert!(costs[1..].iter().zip(&costs).all(|(next, last)| next <= last), "{costs:?}");
    assert!(*costs.last().expect("some") < 2_000, "{costs:?}");
}
