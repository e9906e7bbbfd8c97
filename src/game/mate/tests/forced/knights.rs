//! Tests of two knights against a king alone.

use shakmaty::{Board, CastlingMode, Chess, Color, FromSetup, Position, PositionError, Setup, Square};

use super::{next, position, print_figures};
use crate::mate::forced::search;
use crate::mate::{Forced, forced};

fn placed(white: Square, knights: [Square; 2], black: Square, turn: Color) -> Option<Chess> {
    let mut board = Board::empty();
    board.set_piece_at(white, Color::White.king());
    board.set_piece_at(black, Color::Black.king());
    for knight in knights {
        board.set_piece_at(knight, Color::White.knight());
    }
    let whole = board.occupied().count() == 4;
    let setup = Setup { board, turn, ..Setup::empty() };
    let at = Chess::from_setup(setup, CastlingMode::Standard).or_else(PositionError::ignore_impossible_check).ok()?;
    whole.then_some(at)
}

fn after(at: &Chess) -> impl Iterator<Item = Chess> {
    at.legal_moves().into_iter().map(|step| {
        let mut after = at.clone();
        after.play_unchecked(step);
        after
    })
}

/// True if White, to move, mates at once, or if Black, to move, is mated or lets White mate at once with every reply.
fn at_once(at: &Chess) -> bool {
    match at.turn() {
        Color::White => after(at).any(|at| at.is_checkmate()),
        Color::Black => at.is_checkmate() || !at.is_stalemate() && after(at).all(|at| at_once(&at)),
    }
}

#[test]
fn each_of_a_sample_has_its_answer_and_is_cheap() {
    let mut state = 3;
    let mut square = |most: u32| {
        let number = next(&mut state) % (most * most);
        Square::new(number / most * 8 + number % most)
    };
    let (mut asked, mut wins, mut dearest) = (0, 0, 0);
    while asked < 1_200 {
        // In every second position Black's king stands in the corner and White's men stand near it.
        let (most, black) = if asked % 2 == 0 { (8, square(8)) } else { (4, Square::A1) };
        let turn = Color::from_white(asked % 4 < 2);
        let Some(at) = placed(square(most), [square(most), square(most)], black, turn) else { continue };
        asked += 1;
        let (answer, cost) = search(&at, Color::White, 100_000);
        dearest = dearest.max(cost);
        let won = at_once(&at);
        wins += u32::from(won);
        assert_eq!(matches!(answer, Forced::Win { plies: ..=1 }), won, "{answer:?}: {:?} {turn:?}", at.board());
        assert!(won || answer == Forced::None, "{answer:?}: {:?} {turn:?}", at.board());
    }
    print_figures(format_args!("two knights: {asked} asked, {wins} won, at most {dearest} nodes"));
    assert!(wins >= 5 && dearest <= 500, "{wins} won, at most {dearest} nodes");
}

#[test]
fn plain_positions_are_settled_by_few_nodes() {
    for fen in ["8/8/3k4/8/8/8/8/1NKN4 w - - 0 1", "8/8/3k4/8/8/8/8/1NKN4 b - - 0 1", "8/8/4k3/8/8/2NNK3/8/8 w - - 0 1"] {
        assert_eq!(forced(&position(fen), Color::White, 500), Forced::None, "{fen}");
    }
    let fen = "7k/8/6KN/4N3/8/8/8/8 w - - 0 1";
    assert_eq!(forced(&position(fen), Color::White, 500), Forced::Win { plies: 1 }, "Nf7");
}

/// A fact on which the search rests: Black, to move, is mated or has a reply after which White does not mate at once. So no
/// mate takes White more than one move. By turning and mirroring, Black's king stands in one eighth of the board.
#[test]
#[ignore = "a million positions: for a release build"]
fn white_mates_at_once_or_never() {
    let eighth = Square::ALL.into_iter().filter(|square| {
        let (file, rank) = (u32::from(square.file()), u32::from(square.rank()));
        file <= 3 && rank <= file
    });
    let (mut all, mut mated) = (0, 0);
    for black in eighth {
        for one in Square::ALL {
            for other in Square::ALL.into_iter().filter(|other| one < *other) {
                for white in Square::ALL {
                    let Some(at) = placed(white, [one, other], black, Color::Black) else { continue };
                    all += 1;
                    mated += u32::from(at.is_checkmate());
                    assert!(at.is_checkmate() || !at_once(&at), "{:?}", at.board());
                }
            }
        }
    }
    print_figures(format_args!("two knights: {all} positions with Black to move, {mated} of them mates"));
    assert!(all > 1_000_000 && mated > 0, "{all}, {mated}");
}
