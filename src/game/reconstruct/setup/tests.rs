//! Tests of all 960 start positions, both ways round, and of wrong set-ups.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use flagfall_protocols::square::Placement;
use shakmaty::{Board, CastlingSide, Color, Position};

use super::*;

fn men_of(placement: &str) -> Men {
    let placement = Placement::parse(placement).expect(placement);
    let mut men = [EMPTY; 64];
    Square::all().for_each(|square| men[square.index()] = men::of_reading(placement.get(square)));
    men
}

#[test]
fn every_beginning_is_recognised_either_way_round() {
    for number in 0..960 {
        let board = Board::chess960(number);
        let men = men::of_board(&board);
        for (shown, seen) in both_ways(&men) {
            let (as_shown, start) = shows_start(&seen, true).unwrap_or_else(|| panic!("{number} {shown:?}"));
            assert_eq!(as_shown, shown, "{number}");
            assert_eq!(*start.board(), board, "{number}");
            let king = board.king_of(Color::White).expect("a king");
            for color in Color::ALL {
                let rook = |side| start.castles().rook(color, side).expect("a right").file();
                assert!(rook(CastlingSide::QueenSide) < king.file() && king.file() < rook(CastlingSide::KingSide), "{number}");
            }
            assert_eq!(shows_start(&seen, false).is_some(), number == 518, "{number}");
            assert_eq!(wrong_set_up(&seen, true), None, "{number}");
        }
    }
}

#[test]
fn other_orders_are_not_recognised() {
    for rank in [
        // Bishops on squares of one colour, the king beside its rooks, two queens, a rank that is not full.
        "rbnbknqr", "krbqnbnr", "rrkqbbnn", "rnbqqbnr", "rnb1kbnr",
    ] {
        let men = men_of(&format!("{rank}/pppppppp/8/8/8/8/PPPPPPPP/{}", rank.to_uppercase()));
        assert_eq!(shows_start(&men, true), None, "{rank}");
    }
    // The pieces are not mirrored.
    assert_eq!(shows_start(&men_of("rnbkqbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR"), true), None);
    // A first move is made.
    assert_eq!(shows_start(&men_of("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR"), true), None);
}

/// The mistakes in words, such as `e1 Q for K`, and the sides whose king and queen are exchanged.
fn describe(men: &Men, chess960: bool) -> Option<(Shown, String)> {
    let wrong = wrong_set_up(men, chess960)?;
    let letter = |man: u8| men::piece(man).map_or('-', |piece| piece.letter());
    let squares = wrong.squares.iter().map(|at| format!("{} {} for {}", at.square, letter(at.stands), letter(at.expected)));
    let mut words: Vec<String> = squares.collect();
    words.extend(wrong.exchanged.white.then(|| "white exchanged".into()));
    words.extend(wrong.exchanged.black.then(|| "black exchanged".into()));
    Some((wrong.shown, words.join(", ")))
}

#[test]
fn wrong_set_ups_are_named() {
    let table = [
        ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBKQBNR", false, "d1 K for Q, e1 Q for K, white exchanged"),
        ("rnbkqbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR", false, "d8 k for q, e8 q for k, black exchanged"),
        (
            "rnbkqbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBKQBNR",
            false,
            "d1 K for Q, e1 Q for K, d8 k for q, e8 q for k, white exchanged, black exchanged",
        ),
        ("rnbqkbnr/pppppp1p/8/8/8/8/PPPPPPPP/RNBKQBNR", false, "d1 K for Q, e1 Q for K, g7 - for p, white exchanged"),
        ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RBNQKBNR", false, "b1 B for N, c1 N for B"),
        ("rnbqkbnr/pppppppp/8/8/8/8/PPPP1PPP/RNBQKBNR", false, "e2 - for P"),
        ("rnbqkbnr/pppppppp/8/8/8/4P3/PPPP1PPP/RNBQKBNR", false, "e2 - for P, e3 P for -"),
        ("rnbqkbnr/pppppppp/8/8/4Q3/8/PPPPPPPP/RNBQKBNR", false, "e4 Q for -"),
        ("qnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR", false, "a8 q for r"),
        // With Chess960, White's order determines Black's, or the other way round.
        ("bqnbrnkr/pppppppp/8/8/8/8/PPPPPPPP/BQNBNRKR", true, "e8 r for n, f8 n for r"),
        ("bqnbnrkr/pppppppp/8/8/8/8/PPPPPPPP/BQNBNRK1", true, "h1 - for R"),
        ("rnbqkb1r/pppppppp/8/8/8/8/PPPPPPPP/RNBQK1NR", true, "f1 - for B, g8 - for n"),
    ];
    for (placement, chess960, expected) in table {
        for (shown, seen) in both_ways(&men_of(placement)) {
            assert_eq!(describe(&seen, chess960), Some((shown, expected.into())), "{placement}");
        }
    }
}

#[test]
fn three_wrong_squares_are_not_yet_a_set_up() {
    for placement in ["rnbqkbnr/pppppppp/8/8/8/8/P1P1P1PP/RNBQKBNR", "8/8/8/8/8/8/8/8", "rnbqkbnr/8/8/8/8/8/8/RNBQKBNR"] {
        assert_eq!((describe(&men_of(placement), false), describe(&men_of(placement), true)), (None, None), "{placement}");
    }
    assert_eq!(describe(&initial_men(), false), None);
}
