//! Properties of every position: mirrored questions have mirrored answers, and a helpful move removes no possibility of mate.

use alloc::vec::Vec;

use proptest::prelude::*;
use shakmaty::{Bitboard, Board, CastlingMode, Chess, Color, FromSetup, Piece, Position, Role, Setup, Square};

use crate::mate::check::check;
use crate::mate::{Answer, Budget, Reason, shorten, shortest, winnable};

/// This is enough for most positions, and the same for a position and its mirror image.
const BUDGET: Budget = Budget { nodes: 10_000, memory: 8 << 20 };

fn men() -> impl Strategy<Value = Vec<(Piece, Square)>> {
    let role = prop_oneof![4 => Just(Role::Pawn), 1 => Just(Role::Knight), 2 => Just(Role::Bishop), 1 => Just(Role::Rook), 1 => Just(Role::Queen)];
    let man = (role, any::<bool>(), 0_u32..64)
        .prop_map(|(role, white, square)| (Piece { role, color: Color::from_white(white) }, Square::new(square)));
    prop::collection::vec(man, 1..9)
}

/// A position with two kings and the men, without those that may not stand on their squares.
fn positions() -> impl Strategy<Value = Chess> {
    (men(), 0_u32..64, 0_u32..64, any::<bool>()).prop_filter_map("no position", |(men, white, black, turn)| {
        let mut board = Board::empty();
        for (piece, square) in men {
            if piece.role != Role::Pawn || !Bitboard::BACKRANKS.contains(square) {
                board.set_piece_at(square, piece);
            }
        }
        board.set_piece_at(Square::new(white), Color::White.king());
        board.set_piece_at(Square::new(black), Color::Black.king());
        let setup = Setup { board, turn: Color::from_white(turn), ..Setup::empty() };
        Chess::from_setup(setup, CastlingMode::Standard).ok()
    })
}

/// The position with left and right exchanged, or with the sides exchanged.
fn mirrored(at: &Chess, sides: bool) -> Chess {
    let mut board = Board::empty();
    for square in at.board().occupied() {
        let piece = at.board().piece_at(square).expect("occupied");
        if sides {
            board.set_piece_at(square.flip_vertical(), Piece { color: !piece.color, ..piece });
        } else {
            board.set_piece_at(square.flip_horizontal(), piece);
        }
    }
    let turn = if sides { !at.turn() } else { at.turn() };
    Chess::from_setup(Setup { board, turn, ..Setup::empty() }, CastlingMode::Standard).expect("as the other")
}

fn says(at: &Chess, side: Color) -> Option<bool> {
    let answer = winnable(at, side, BUDGET);
    assert_eq!(check(at, side, &answer), Ok(()), "{:?} {side}: {answer:?}", at.board());
    match answer {
        Answer::Winnable { .. } => Some(true),
        Answer::Unwinnable { .. } => Some(false),
        Answer::Undecided { .. } => None,
    }
}

/// True if both answers are known and differ.
fn contradict(one: Option<bool>, other: Option<bool>) -> bool {
    one.is_some() && other.is_some() && one != other
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn mirrored_questions_have_mirrored_answers(at in positions()) {
        for side in Color::ALL {
            let first = says(&at, side);
            prop_assert!(!contradict(first, says(&mirrored(&at, false), side)), "left and right: {:?}", at.board());
            prop_assert!(!contradict(first, says(&mirrored(&at, true), !side)), "sides: {:?}", at.board());
        }
    }

    #[test]
    fn the_moves_of_a_line_keep_its_mate_and_a_move_back_does_too(at in positions(), number in 0_usize..40) {
        for side in Color::ALL {
            let now = says(&at, side);
            let moves = at.legal_moves();
            if let Some(step) = moves.get(number % moves.len().max(1)) {
                let mut after = at.clone();
                after.play_unchecked(*step);
                // A win that exists after a legal move exists before it.
                prop_assert!(now != Some(false) || says(&after, side) != Some(true), "{:?}", at.board());
            }
            if let Answer::Winnable { line, .. } = winnable(&at, side, BUDGET) {
                let mut after = at.clone();
                for step in line {
                    after.play_unchecked(step);
                    prop_assert!(says(&after, side) != Some(false), "{:?}", after.board());
                }
            }
        }
    }

    #[test]
    fn a_shortened_line_is_no_longer_and_holds(at in positions()) {
        for side in Color::ALL {
            let answer = winnable(&at, side, BUDGET);
            let shorter = shorten(&at, side, answer.clone(), BUDGET);
            prop_assert_eq!(check(&at, side, &shorter), Ok(()));
            match (answer, shorter) {
                (Answer::Winnable { line, .. }, Answer::Winnable { line: shorter, .. }) => prop_assert!(shorter.len() <= line.len()),
                (answer, shorter) => prop_assert_eq!(answer, shorter),
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 20, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_shortest_line_is_no_longer_and_holds(at in positions()) {
        for side in Color::ALL {
            let Answer::Winnable { line, .. } = winnable(&at, side, BUDGET) else { continue };
            let found = shortest(&at, side, &line, Budget { nodes: 100_000, ..BUDGET }, &|| true);
            prop_assert!(found.line.len() <= line.len());
            let claim = Answer::Winnable { line: found.line.clone(), shortest: false };
            prop_assert_eq!(check(&at, side, &claim), Ok(()));
            if let Answer::Winnable { line: short, shortest: true } = shorten(&at, side, claim, BUDGET) {
                prop_assert!(!found.shortest || short.len() == found.line.len(), "{:?}", at.board());
            }
        }
    }
}

#[test]
fn kings_alone_are_unwinnable_for_both() {
    let at = super::position("4k3/8/8/8/8/8/8/4K3 w - - 0 1");
    for side in Color::ALL {
        assert_eq!(winnable(&at, side, BUDGET), Answer::Unwinnable { reason: Reason::BareKing });
    }
}
