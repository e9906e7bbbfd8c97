//! The positions that a table of the walking king calls safe are closed under the legal moves of the board: White has no move
//! that leads out of them, and Black has a move that stays in them, or it is a draw. So a defence in them never ends.

use shakmaty::{Bitboard, Board, CastlingMode, Chess, Color, FromSetup, Piece, Position, Role, Setup, Square};

use super::{next, print_figures};
use crate::mate::homes::Homes;
use crate::mate::roam::{Roam, walker};

const MEN: [Role; 6] = [Role::Pawn, Role::Pawn, Role::Knight, Role::Bishop, Role::Rook, Role::Queen];

/// A square not far from a corner, or from another square.
fn about(near: Square, corner: bool, size: u32, state: &mut u64) -> Square {
    let mut along = |from: u32| {
        let by = next(state) % size;
        match (corner, from < 4) {
            (true, true) => by,
            (true, false) => 7 - by,
            (false, true) => from + by,
            (false, false) => from - by,
        }
    };
    let (file, rank) = (along(near.file().into()), along(near.rank().into()));
    Square::new(rank * 8 + file)
}

/// A set of men for a table: White's king and one man, Black's king and one to four men, every second time near one corner.
fn placed(state: &mut u64) -> Option<Board> {
    let one = [Role::Knight, Role::Bishop][next(state) as usize % 2];
    let mut board = Board::empty();
    let (near, size) = (Square::new(next(state) % 64), if next(state).is_multiple_of(2) { 8 } else { 4 });
    let mut put = |piece, state: &mut u64| board.set_piece_at(about(near, true, size, state), piece);
    for piece in [Color::White.king(), Piece { color: Color::White, role: one }, Color::Black.king()] {
        put(piece, state);
    }
    let count = 1 + next(state) % 4;
    for _ in 0..count {
        let role = MEN[next(state) as usize % MEN.len()];
        put(Piece { color: Color::Black, role }, state);
    }
    let whole = board.occupied().count() == 3 + count as usize && (board.pawns() & Bitboard::BACKRANKS).is_empty();
    whole.then_some(board)
}

/// White's men and Black's king on other squares, and each of Black's men within its home, or taken, or promoted to a queen.
fn elsewhere(of: &Board, homes: &Homes, state: &mut u64) -> Option<Chess> {
    let mut board = Board::empty();
    // The kings stand near each other, often in a corner, where Black's king can be without a step.
    let corner = !next(state).is_multiple_of(4);
    let near = if next(state).is_multiple_of(4) { Square::new(next(state) % 64) } else { of.king_of(Color::Black)? };
    board.set_piece_at(about(near, corner, if corner { 1 } else { 3 }, state), Color::Black.king());
    board.set_piece_at(about(near, corner, 3, state), Color::White.king());
    for man in of.white() & !of.kings() {
        board.set_piece_at(about(near, corner, 5, state), of.piece_at(man)?);
    }
    let men = of.black() & !of.kings();
    for man in men {
        let piece = of.piece_at(man)?;
        let home = homes.of(man)?;
        if next(state).is_multiple_of(8) {
            continue;
        }
        let square = home.into_iter().nth(next(state) as usize % home.count())?;
        if board.occupied().contains(square) {
            return None;
        }
        let queen = piece.role == Role::Pawn && (u32::from(square) < 8 || home.count() > 1 && next(state).is_multiple_of(4));
        let piece = if queen { Color::Black.queen() } else { piece };
        board.set_piece_at(square, piece);
    }
    let setup = Setup { board, turn: Color::from_white(next(state).is_multiple_of(2)), ..Setup::empty() };
    Chess::from_setup(setup, CastlingMode::Standard).ok()
}

/// Checks that one step of the defence stays within the safe positions.
fn stays_safe(table: &Roam, at: &Chess) -> bool {
    let mut after = at.legal_moves().into_iter().map(|step| {
        let mut after = at.clone();
        after.play_unchecked(step);
        after.has_insufficient_material(Color::White) || table.safe(&after)
    });
    match at.turn() {
        Color::White => after.all(|safe| safe),
        Color::Black => at.is_stalemate() || after.any(|safe| safe),
    }
}

/// The number of tables built, of safe positions checked, and of positions among them in which Black's king has no step.
fn check_tables(seed: u64, tables: u32, positions: u32) -> (u32, u32, u32) {
    let mut state = seed;
    let (mut built, mut safe, mut stuck) = (0, 0, 0);
    while built < tables {
        let Some(board) = placed(&mut state) else { continue };
        let moving = Homes::moving(&board).filter(|_| !next(&mut state).is_multiple_of(5));
        let homes = moving.unwrap_or_else(|| Homes::still(&board));
        let Some(table) = walker(&board).and_then(|walker| Roam::new(walker, homes.clone(), &mut u32::MAX.clone())) else {
            continue;
        };
        built += 1;
        for _ in 0..positions {
            let Some(at) = elsewhere(&board, &homes, &mut state).filter(|at| table.safe(at)) else { continue };
            safe += 1;
            let walks = at.legal_moves().iter().any(|step| step.role() == Role::King);
            stuck += u32::from(at.turn().is_black() && !walks && !at.is_stalemate());
            assert!(stays_safe(&table, &at), "{:?} {:?}, homes {:?}", at.board(), at.turn(), homes.all);
        }
    }
    (built, safe, stuck)
}

#[test]
fn no_step_leaves_what_is_safe() {
    let (built, safe, stuck) = check_tables(7, 150, 1_500);
    print_figures(format_args!("closed: {built} tables, {safe} safe positions, {stuck} where another man must move"));
    assert!(safe > 10_000 && stuck > 100, "{safe} safe, {stuck} where another man must move");
}

#[test]
#[ignore = "a minute: for a release build"]
fn no_step_leaves_what_is_safe_in_many_tables() {
    let (built, safe, stuck) = check_tables(8, 5_000, 10_000);
    print_figures(format_args!("closed: {built} tables, {safe} safe positions, {stuck} where another man must move"));
    assert!(stuck > 10_000, "{stuck}");
}

#[test]
fn a_table_that_is_too_dear_takes_nothing() {
    let mut state = 9;
    let board = core::iter::repeat_with(|| placed(&mut state)).flatten().next().expect("some board");
    let mut left = 10;
    assert!(walker(&board).and_then(|walker| Roam::new(walker, Homes::still(&board), &mut left)).is_none());
    assert_eq!(left, 10);
}

/// With one man of Black, all positions of a table are checked instead of some.
#[test]
#[ignore = "a minute: for a release build"]
fn no_step_leaves_what_is_safe_against_one_man() {
    let mut state = 10;
    let (mut built, mut safe) = (0, 0);
    while built < 80 {
        let Some(board) = placed(&mut state).filter(|board| board.black().count() == 2) else { continue };
        let Some(homes) = Homes::moving(&board) else { continue };
        let Some(walker) = walker(&board) else { continue };
        let table = Roam::new(walker, homes.clone(), &mut u32::MAX.clone()).expect("not too dear");
        built += 1;
        let piece = board.piece_at((board.black() & !board.kings()).first().expect("one man")).expect("one man");
        for square in homes.all {
            let becomes = if piece.role == Role::Pawn { Color::Black.queen() } else { piece };
            for piece in [piece, becomes].into_iter().take(if piece == becomes { 1 } else { 2 }) {
                safe += check_all_positions(&table, walker.0, square, piece);
            }
        }
    }
    print_figures(format_args!("closed: {built} tables against one man, {safe} safe positions, all there are"));
}

/// Checks all positions with Black's man on this square that the table calls safe.
fn check_all_positions(table: &Roam, role: Role, square: Square, piece: Piece) -> u32 {
    let mut safe = 0;
    for number in 0..1_u32 << 19 {
        let places = [number % 64, number / 64 % 64, number / 4096 % 64].map(Square::new);
        let mut board = Board::empty();
        for (square, piece) in
            places.into_iter().zip([Color::Black.king(), Color::White.king(), Piece { color: Color::White, role }])
        {
            board.set_piece_at(square, piece);
        }
        board.set_piece_at(square, piece);
        if board.occupied().count() < 4 {
            continue;
        }
        let setup = Setup { board, turn: Color::from_white(number >> 18 == 0), ..Setup::empty() };
        let Some(at) = Chess::from_setup(setup, CastlingMode::Standard).ok().filter(|at| table.safe(at)) else { continue };
        safe += 1;
        assert!(stays_safe(table, &at), "{:?} {:?}, {square}", at.board(), at.turn());
    }
    safe
}
