//! Positions of two kings and two more men, against retrograde enumeration.

use flagfall_game::mate::check::check;
use flagfall_game::mate::{Answer, Budget, winnable};
use shakmaty::{Board, CastlingMode, Chess, Color, FromSetup, Piece, Position, PositionError, Role, Setup, Square};

use crate::mutants::Dice;
use crate::retrograde::{Men, Truth, sorted};
use crate::tally::print_line;

const ROLES: [Role; 5] = [Role::Pawn, Role::Knight, Role::Bishop, Role::Rook, Role::Queen];

/// The classes with two men for White, or one for each side: positions that only White could win.
fn classes() -> Vec<Men> {
    let mut all = Vec::new();
    for (number, first) in ROLES.into_iter().enumerate() {
        for second in ROLES.into_iter().skip(number) {
            all.push(sorted(vec![first.of(Color::White), second.of(Color::White)]));
        }
        all.extend(ROLES.map(|second| sorted(vec![first.of(Color::White), second.of(Color::Black)])));
    }
    all
}

/// The position with the men on these squares; `None` if it is illegal.
fn position(men: &[Piece], squares: &[Square], turn: Color) -> Option<Chess> {
    let mut board = Board::empty();
    for (piece, square) in [Color::White.king(), Color::Black.king()].iter().chain(men).zip(squares) {
        if board.piece_at(*square).is_some() {
            return None;
        }
        board.set_piece_at(*square, *piece);
    }
    let setup = Setup { board, turn, ..Setup::empty() };
    Chess::from_setup(setup, CastlingMode::Standard).or_else(PositionError::ignore_impossible_check).ok()
}

/// Asks for an answer, compares it, and counts it.
fn compare(at: &Chess, truth: &Truth, counts: &mut [u32; 2]) {
    let known = truth.winnable(at).unwrap_or_else(|| panic!("no truth: {:?}", at.board()));
    let answer = winnable(at, Color::White, Budget::FULL);
    let says = match &answer {
        Answer::Winnable { .. } => Some(true),
        Answer::Unwinnable { .. } => Some(false),
        Answer::Undecided { .. } => None,
    };
    assert_eq!(says, Some(known), "{:?} {}: {answer:?}", at.board(), at.turn());
    let plain = match answer {
        Answer::Winnable { line, .. } => Answer::Winnable { line, shortest: false },
        other => other,
    };
    assert_eq!(check(at, Color::White, &plain), Ok(()), "{:?}", at.board());
    counts[usize::from(known)] += 1;
}

#[test]
#[ignore = "40 classes of up to 33 million positions: a minute, in a release build"]
fn a_thousand_of_each_class() {
    let mut truth = Truth::default();
    let mut dice = Dice(0x00f1_a6fa_1140_0004);
    for men in classes() {
        truth.make(&men);
        let mut counts = [0; 2];
        while counts[0] + counts[1] < 1_000 {
            let squares = [(); 4].map(|()| Square::new(u32::try_from(dice.below(64)).expect("a square")));
            if let Some(at) = position(&men, &squares, Color::from_white(dice.below(2) == 0)) {
                compare(&at, &truth, &mut counts);
            }
        }
        print_line(&format!("{}: [unwinnable, winnable] {counts:?}", men.iter().map(|piece| piece.char()).collect::<String>()));
    }
}

#[test]
#[ignore = "every position of 40 classes: hundreds of millions of answers, days of a release build"]
fn all_four_men() {
    let mut truth = Truth::default();
    for men in classes() {
        truth.make(&men);
        let mut counts = [0; 2];
        for number in 0..1_u32 << 25 {
            let squares = [1, 7, 13, 19].map(|shift| Square::new(number >> shift & 63));
            // The files e to h are the mirror image.
            if u32::from(squares[0].file()) < 4
                && let Some(at) = position(&men, &squares, Color::from_white(number % 2 == 0))
            {
                compare(&at, &truth, &mut counts);
            }
        }
        print_line(&format!("{}: [unwinnable, winnable] {counts:?}", men.iter().map(|piece| piece.char()).collect::<String>()));
    }
}
