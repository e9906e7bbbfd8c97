//! Tests of each kind of answer, and of proofs that were changed.

use alloc::vec;
use alloc::vec::Vec;

use shakmaty::fen::Fen;
use shakmaty::uci::UciMove;
use shakmaty::{Bitboard, CastlingMode, Chess, Color, Position, Role, Square};

mod forced;
mod pictures;
mod properties;
mod walls;
mod watch;

use super::check::{Refused, check};
use super::*;

/// The position of a FEN, which no game needs to reach.
pub(super) fn position(fen: &str) -> Chess {
    fen.parse::<Fen>()
        .expect(fen)
        .into_position::<Chess>(CastlingMode::Standard)
        .or_else(shakmaty::PositionError::ignore_impossible_check)
        .or_else(shakmaty::PositionError::ignore_too_much_material)
        .expect(fen)
}

fn answer(fen: &str, side: Color) -> Answer {
    let position = position(fen);
    let answer = winnable(&position, side, Budget::FULL);
    assert_eq!(check(&position, side, &answer), Ok(()), "{fen}");
    answer
}

fn reason(fen: &str, side: Color) -> Reason {
    match answer(fen, side) {
        Answer::Unwinnable { reason } => reason,
        other => panic!("{fen}: {other:?}"),
    }
}

fn line(fen: &str, side: Color) -> (Vec<alloc::string::String>, bool) {
    match answer(fen, side) {
        Answer::Winnable { line, shortest } => {
            let uci = |step| alloc::string::ToString::to_string(&UciMove::from_standard(step));
            (line.into_iter().map(uci).collect(), shortest)
        }
        other => panic!("{fen}: {other:?}"),
    }
}

const MATE_IN_TWO: &str = "7k/8/5K2/8/8/8/8/R7 b - - 0 1";
const WALL: &str = "4k3/8/8/p1p1p1p1/P1P1P1P1/8/8/4K3 w - - 0 1";
const SMALL: &str = "1k6/pPp4p/P1P5/8/8/8/7P/5K2 b - - 0 1";

#[test]
fn a_mate_on_the_board_is_answered_first_even_where_no_game_leads() {
    let fen = "8/8/8/8/8/1k6/b1b5/RKR5 w - - 0 1";
    assert_eq!(line(fen, Color::Black), (vec![], true));
    assert_eq!(reason(fen, Color::White), Reason::Mated);
}

#[test]
fn stalemate_bare_king_and_material() {
    assert_eq!(reason("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", Color::White), Reason::Stalemate);
    assert_eq!(reason(MATE_IN_TWO, Color::Black), Reason::BareKing);
    assert_eq!(reason("7k/8/8/8/8/2n5/8/1QK5 b - - 0 1", Color::Black), Reason::Material);
    assert_eq!(reason("7k/5r2/8/8/8/2B5/8/2K5 b - - 0 1", Color::White), Reason::Material);
    assert!(!line("7k/5n2/8/8/8/2B5/8/2K5 b - - 0 1", Color::White).0.is_empty());
}

#[test]
fn a_forced_capture_of_the_last_man() {
    let Reason::Forced { line, end } = reason("k7/1Q6/8/8/8/8/8/K7 b - - 0 1", Color::White) else {
        panic!("not forced");
    };
    assert_eq!((line.len(), end), (1, ForcedEnd::Material));
}

#[test]
fn the_first_mate_of_a_small_closure_is_a_shortest() {
    let (line, shortest) = line("7k/8/5K2/6Q1/8/8/8/8 w - - 0 1", Color::White);
    assert_eq!((line.as_slice(), shortest), (["g5g7".into()].as_slice(), true));
}

#[test]
fn en_passant_opens_a_wall() {
    let shut = "4k3/8/8/p1p1p1p1/PpPpPpPp/1P1P1P1P/8/4K3 b - - 0 1";
    assert!(matches!(reason(shut, Color::White), Reason::Wall(_)));
    let open = "4k3/8/8/p1p1p1p1/PpPpPpPp/1P1P1P1P/8/4K3 b - g3 0 1";
    assert!(!line(open, Color::Black).0.is_empty());
}

#[test]
fn a_wall_names_the_squares_of_each_man() {
    for side in Color::ALL {
        let Reason::Wall(wall) = reason(WALL, side) else {
            panic!("no wall");
        };
        assert_eq!(wall.steady.occupied().count(), 8);
        let king = wall.reaches.iter().find(|reach| reach.color.is_white()).expect("a king");
        assert!(king.squares.is_subset(Bitboard(0x00ff_ffff)), "{:?}", king.squares);
    }
}

#[test]
fn all_positions_counted() {
    let Reason::Exhausted(closure) = reason(SMALL, Color::White) else {
        panic!("not exhausted");
    };
    assert!(closure.positions > 100 && closure.depth > 3, "{closure:?}");
}

/// The bishops of one colour have one free square, so only the kings move far.
#[test]
fn a_search_that_meets_nothing_new_is_followed_by_a_closure() {
    let fen = "1B1B1B2/BpBpBpBp/1P1P1P1P/3k4/8/8/3K4/8 w - - 0 1";
    for side in Color::ALL {
        let Reason::Exhausted(closure) = reason(fen, side) else { panic!("not exhausted") };
        let nodes = counted(&position(fen), side, Budget::FULL).1.nodes;
        assert!(closure.positions > 20_000 && nodes < 250_000, "{side}: {nodes}");
    }
}

#[test]
fn where_both_public_solvers_err() {
    for fen in
        ["1b2kb2/8/2pp4/3p2p1/1p1K1pP1/1P1P1P2/8/1B3B2 b - - 0 1", "8/1p1p2p1/1P1P2P1/1pBp2pB/1P1P2P1/k7/3P2P1/K7 b - - 0 1"]
    {
        assert!(!line(fen, Color::White).0.is_empty(), "{fen}");
    }
}

#[test]
fn the_same_question_has_the_same_answer() {
    let position = position(SMALL);
    let first = winnable(&position, Color::Black, Budget::FULL);
    assert_eq!(winnable(&position, Color::Black, Budget::FULL), first);
}

#[test]
fn a_spent_budget_is_undecided() {
    let fen = "1b2kb2/8/2pp4/3p2p1/1p1K1pP1/1P1P1P2/8/1B3B2 b - - 0 1";
    let budget = Budget { nodes: 1, ..Budget::SMALL };
    let answer = winnable(&position(fen), Color::White, budget);
    assert!(matches!(answer, Answer::Undecided { counters } if counters.nodes > 0), "{answer:?}");
}

#[test]
fn a_tampered_line_is_refused() {
    let at = position(MATE_IN_TWO);
    let Answer::Winnable { line, .. } = winnable(&at, Color::White, Budget::FULL) else {
        panic!("no line");
    };
    let say = |line: Vec<_>, shortest| check(&at, Color::White, &Answer::Winnable { line, shortest });
    let mut illegal = line.clone();
    illegal[0] = line[1];
    assert_eq!(say(illegal, false), Err(Refused::IllegalMove(0)));
    let mut early = line.clone();
    early.pop();
    assert_eq!(say(early, false), Err(Refused::NoMate));
    let mut shuffle = Vec::new();
    let mut end = at.clone();
    for uci in ["h8h7", "a1a2", "h7h8", "a2a1"] {
        let step = uci.parse::<UciMove>().expect(uci).to_move(&end).expect(uci);
        end.play_unchecked(step);
        shuffle.push(step);
    }
    shuffle.extend(line);
    assert_eq!(say(shuffle.clone(), false), Ok(()));
    assert_eq!(say(shuffle, true), Err(Refused::Shorter));
}

#[test]
fn a_wrong_reason_is_refused() {
    let at = position(MATE_IN_TWO);
    for reason in [Reason::Mated, Reason::Stalemate, Reason::BareKing, Reason::Material] {
        let answer = Answer::Unwinnable { reason };
        assert_eq!(check(&at, Color::White, &answer), Err(Refused::NotSo));
    }
    let end = ForcedEnd::Material;
    let reason = Reason::Forced { line: at.legal_moves().into_iter().take(1).collect(), end };
    let refused = check(&at, Color::White, &Answer::Unwinnable { reason });
    assert_eq!(refused, Err(Refused::NotForced(0)));
    let mate = position("7k/5KQ1/8/8/8/8/8/8 b - - 0 1");
    let answer = Answer::Unwinnable { reason: Reason::Stalemate };
    assert_eq!(check(&mate, Color::White, &answer), Err(Refused::MateFound));
}

#[test]
fn a_closure_with_wrong_counts_is_refused() {
    let at = position(SMALL);
    let Reason::Exhausted(closure) = reason(SMALL, Color::White) else {
        panic!("not exhausted");
    };
    let say = |closure| {
        let reason = Reason::Exhausted(closure);
        check(&at, Color::White, &Answer::Unwinnable { reason })
    };
    let tamper = |change: fn(&mut Closure)| {
        let mut other = closure.clone();
        change(&mut other);
        other
    };
    assert_eq!(say(tamper(|other| other.positions -= 1)), Err(Refused::Counts));
    assert_eq!(say(tamper(|other| other.depth += 1)), Err(Refused::Counts));
    assert_eq!(say(tamper(|other| other.stalemates += 1)), Err(Refused::Counts));
    let other = |closure| {
        let answer = Answer::Unwinnable { reason: Reason::Exhausted(closure) };
        check(&position(MATE_IN_TWO), Color::White, &answer)
    };
    assert_eq!(other(tamper(|other| other.positions = 1_000_000)), Err(Refused::MateFound));
    assert_eq!(other(closure.clone()), Err(Refused::Counts), "the check stops when there are more positions than claimed");
}

#[test]
fn a_wall_with_a_hole_is_refused() {
    let at = position(WALL);
    let Reason::Wall(wall) = reason(WALL, Color::White) else {
        panic!("no wall");
    };
    let say = |change: &dyn Fn(&mut Wall)| {
        let mut wall = wall.clone();
        change(&mut wall);
        let reason = Reason::Wall(wall);
        check(&at, Color::White, &Answer::Unwinnable { reason })
    };
    let fewer = |wall: &mut Wall| wall.reaches[0].squares.discard(Square::A1);
    assert_eq!(say(&fewer), Err(Refused::Passable));
    let open = |wall: &mut Wall| wall.steady.discard_piece_at(Square::A5);
    assert_eq!(say(&open), Err(Refused::Passable));
    let more = |wall: &mut Wall| {
        wall.reaches.push(Reach { color: Color::White, role: Role::Queen, count: 1, squares: Bitboard::from_square(Square::A1) });
    };
    assert_eq!(say(&more), Err(Refused::Passable));
    let elsewhere = |wall: &mut Wall| wall.reaches.retain(|reach| reach.color.is_white());
    assert_eq!(say(&elsewhere), Err(Refused::NotSo));
}

#[test]
fn a_wall_met_late_may_hold_the_first_position() {
    let fen = "3k4/p2p2p1/P2P2P1/8/P7/3P4/P2P2P1/3K4 w - - 0 1";
    assert!(matches!(reason(fen, Color::White), Reason::Wall(_)));
}
