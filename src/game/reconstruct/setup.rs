//! Recognises positions that do not come from a move: the set-up at the start, a game joined in progress, a pawn on its last
//! rank.

#[cfg(test)]
mod tests;

use alloc::vec::Vec;

use flagfall_protocols::square::{Color, Square};
use shakmaty::{Bitboard, Board, CastlingMode, Chess, EnPassantMode, FromSetup, Position, PositionErrorKinds, Setup};

use crate::men::{self, EMPTY, Men};
use crate::pair::Pair;
use crate::reconstruct::Decoder;
use crate::reconstruct::beam::Beam;
use crate::reconstruct::candidates::{Candidate, Node};

/// The numbers of White's men. Black's numbers are higher by `BLACK`.
const PAWN: u8 = 1;
const KNIGHT: u8 = 2;
const BISHOP: u8 = 3;
const ROOK: u8 = 4;
const QUEEN: u8 = 5;
const KING: u8 = 6;
const BLACK: u8 = 6;

/// The men of the initial position (Article 2.3).
pub(crate) fn initial_men() -> Men {
    men::of_board(&Board::new())
}

/// The orientation in which the board shows the initial position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shown {
    /// The board is not turned.
    Upright,
    /// The board is turned by 180 degrees.
    Rotated,
}

/// How `men` show the initial position, if they do.
pub(crate) fn shows_initial(men: &Men) -> Option<Shown> {
    let initial = initial_men();
    let mut turned = *men;
    turned.reverse();
    match () {
        // Where men are not identified both are true: the side that moves first then decides.
        () if men::same(men, &initial) => Some(Shown::Upright),
        () if men::same(&turned, &initial) => Some(Shown::Rotated),
        () => None,
    }
}

/// The position in which a game begins, if `men` are one, and how the board shows it. It is the initial position, or with
/// `chess960` any of the 960 positions (FIDE Guidelines II: the pawns as usual, the pieces behind them mirrored, the bishops on
/// squares of both colours, the king between the rooks).
pub(crate) fn shows_start(men: &Men, chess960: bool) -> Option<(Shown, Chess)> {
    if let Some(shown) = shows_initial(men) {
        return Some((shown, Chess::default()));
    }
    both_ways(men).into_iter().filter(|_| chess960).find_map(|(shown, men)| {
        let back = back_rank(&men, 0).filter(|_| start_men(&men[..8]) == men)?;
        let rook = |file: &usize| back[*file] == ROOK;
        let (first, last) = ((0..8).find(rook)?, (0..8).rfind(rook)?);
        let mut setup = Setup::initial();
        setup.board = board_of(&men)?;
        setup.castling_rights =
            [first, last, 56 + first, 56 + last].into_iter().map(|square| shakmaty::Square::new(square as u32)).collect();
        Some((shown, Chess::from_setup(setup, CastlingMode::Chess960).ok()?))
    })
}

/// A square with a wrong man, or without its man.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct WrongSquare {
    /// The square, as White sees it.
    pub(crate) square: Square,
    /// The man that stands there.
    pub(crate) stands: u8,
    /// The man that should stand there.
    pub(crate) expected: u8,
}

/// A set-up with wrong squares (7.2).
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct WrongSetUp {
    /// How the board is turned.
    pub(crate) shown: Shown,
    /// The sides whose king and queen are exchanged.
    pub(crate) exchanged: Pair<bool>,
    /// All wrong squares, those of kings and queens included, a1 first.
    pub(crate) squares: Vec<WrongSquare>,
}

impl WrongSetUp {
    /// The wrong squares as a mask.
    pub(crate) fn mask(&self) -> u64 {
        self.squares.iter().fold(0, |mask, wrong| mask | wrong.square.bit())
    }

    /// The men of `shown`, as White sees them.
    pub(crate) fn men(&self, shown: &Men) -> Men {
        let mut men = *shown;
        if self.shown == Shown::Rotated {
            men.reverse();
        }
        men
    }

    /// The position in which the game begins, if the only mistake is that men are missing.
    pub(crate) fn begun(&self, shown: &Men, chess960: bool) -> Option<Chess> {
        let missing = self.squares.iter().all(|wrong| wrong.stands == EMPTY);
        if !missing || self.exchanged.white || self.exchanged.black {
            return None;
        }
        let mut men = self.men(shown);
        self.squares.iter().for_each(|wrong| men[wrong.square.index()] = wrong.expected);
        shows_start(&men, chess960).map(|(_, start)| start)
    }

    /// The wrong squares as arbiters see them.
    pub(crate) fn named(&self) -> Vec<crate::alarm::WrongSquare> {
        let named = |wrong: &WrongSquare| crate::alarm::WrongSquare {
            square: wrong.square,
            stands: men::piece(wrong.stands),
            expected: men::piece(wrong.expected),
        };
        self.squares.iter().map(named).collect()
    }
}

impl Decoder {
    /// Marks squares as dead: they show nothing, whatever stands on them.
    pub(crate) fn take_for_dead(&mut self, squares: u64) {
        self.beam = Beam::new(squares);
    }
}

/// The mistakes of `men`, if they are a position in which a game begins except for at most two squares, or except for the order of
/// the pieces on the first ranks. With `chess960` such an exchange is no mistake, and Black's men are expected in the order of White's,
/// unless only Black's are in a possible order.
pub(crate) fn wrong_set_up(men: &Men, chess960: bool) -> Option<WrongSetUp> {
    if shows_start(men, chess960).is_some() {
        return None;
    }
    both_ways(men).into_iter().find_map(|(shown, men)| {
        let mut expected: Vec<Men> = [initial_men()].into();
        if chess960 {
            let possible = |rank: usize| Some(start_men(&back_rank(&men, rank)?));
            expected.splice(..0, [possible(0), possible(56)].into_iter().flatten());
        }
        expected.iter().find_map(|expected| {
            let exchanged = |rank: usize, of: u8| {
                !chess960 && men[rank + 3] == KING + of && men[rank + 4] == QUEEN + of && men[rank + 3] != expected[rank + 3]
            };
            let exchanged = Pair { white: exchanged(0, 0), black: exchanged(56, BLACK) };
            let wrong = men::difference(&men, expected);
            let others = wrong.count_ones() - 2 * (u32::from(exchanged.white) + u32::from(exchanged.black));
            let name = |square: Square| WrongSquare { square, stands: men[square.index()], expected: expected[square.index()] };
            let named = || WrongSetUp { shown, exchanged, squares: men::squares(wrong).map(name).collect() };
            (others <= 2 || (!chess960 && only_exchanged(&men, expected))).then(named)
        })
    })
}

/// True if all pawns stand as expected, and each side's pieces stand on its first rank in another order.
fn only_exchanged(men: &Men, expected: &Men) -> bool {
    let sorted = |men: &Men, rank: usize| {
        let mut pieces = [EMPTY; 8];
        pieces.copy_from_slice(&men[rank..rank + 8]);
        pieces.sort_unstable();
        pieces
    };
    men[8..56] == expected[8..56] && [0, 56].into_iter().all(|rank| sorted(men, rank) == sorted(expected, rank))
}

fn both_ways(men: &Men) -> [(Shown, Men); 2] {
    let mut turned = *men;
    turned.reverse();
    [(Shown::Upright, *men), (Shown::Rotated, turned)]
}

/// The pieces on the first rank of a side, in White's numbers, if a game may begin with their order.
fn back_rank(men: &Men, rank: usize) -> Option<[u8; 8]> {
    let from = if rank == 0 { 0 } else { BLACK };
    let mut back = [EMPTY; 8];
    for (file, piece) in back.iter_mut().enumerate() {
        *piece = men[rank + file].checked_sub(from).filter(|piece| (2..=KING).contains(piece))?;
    }
    let files = |wanted: u8| (0..8).filter(move |&file| back[file] == wanted);
    let pair = |wanted: u8| match (files(wanted).next(), files(wanted).nth(1)) {
        (Some(first), Some(second)) if files(wanted).count() == 2 => Some((first, second)),
        _ => None,
    };
    let ((left, right), (bishop, other)) = (pair(ROOK)?, pair(BISHOP)?);
    let king = files(KING).next()?;
    let counts = pair(KNIGHT).is_some() && files(QUEEN).count() == 1 && files(KING).count() == 1;
    (counts && left < king && king < right && (bishop + other) % 2 == 1).then_some(back)
}

/// The position in which a game begins with these pieces on White's first rank.
fn start_men(back: &[u8]) -> Men {
    let mut men = initial_men();
    for (file, &piece) in back.iter().enumerate().take(8) {
        men[file] = piece;
        men[56 + file] = piece + BLACK;
    }
    men
}

/// How far the first move of a game has gone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FirstMove {
    /// The position in which the game begins stands.
    None,
    /// The man is in the hand.
    InHand,
    /// The move is made.
    Made,
}

/// How `men` show the initial position after White's first move, or with the man of that move in the hand.
pub(crate) fn first_move(men: &Men) -> Option<(Shown, FirstMove)> {
    let moved = |(shown, men): (Shown, Men)| Some((shown, first_move_from(&Chess::default(), &men)?));
    both_ways(men).into_iter().filter_map(moved).find(|(_, first)| *first != FirstMove::None)
}

/// How far the first move from `start` has gone; none if `men` cannot come from it by one move.
pub(crate) fn first_move_from(start: &Chess, men: &Men) -> Option<FirstMove> {
    let first = Node::new(start.clone());
    let changed = men::difference(&first.men, men);
    let lifted = |candidate: &Candidate| changed & !candidate.mask == 0;
    match changed.count_ones() {
        0 => Some(FirstMove::None),
        1 => {
            let empty = men::squares(changed).all(|square| men[square.index()] == EMPTY);
            (empty && first.table().iter().any(lifted)).then_some(FirstMove::InHand)
        }
        _ => first.exact(men).is_some().then_some(FirstMove::Made),
    }
}

/// The position of a game that is joined in progress. A side may castle if king and rook stand on their first squares; en passant
/// is not possible. None if `turn` cannot have the move in this position.
pub(crate) fn joined(men: &Men, turn: Color, mode: CastlingMode) -> Option<Chess> {
    let mut setup = Setup::empty();
    setup.board = board_of(men)?;
    setup.turn = men::to_color(turn);
    setup.castling_rights = Bitboard::from_iter(
        [(Color::White, 0), (Color::Black, 56)].into_iter().flat_map(|(color, rank)| home_rooks(men, color, rank)),
    );
    position(setup, mode)
}

/// This position of men on the board, if there is one, and one more for each pawn that may have made a double step and could be captured
/// en passant.
pub(crate) fn with_double_steps(start: Option<Chess>, men: &Men, turn: Color, mode: CastlingMode) -> impl Iterator<Item = Chess> {
    let (stands, passed, left) = match turn {
        Color::White => (32, 40, 48),
        Color::Black => (24, 16, 8),
    };
    let pawn = if turn == Color::White { PAWN + BLACK } else { PAWN };
    let stepped = move |file: &usize| [men[stands + file], men[passed + file], men[left + file]] == [pawn, EMPTY, EMPTY];
    let captured = start.clone().into_iter().flat_map(move |start| {
        (0..8).filter(stepped).filter_map(move |file| {
            let mut setup = start.clone().to_setup(EnPassantMode::Legal);
            setup.ep_square = Some(shakmaty::Square::new((passed + file) as u32));
            position(setup, mode).filter(|position| position.legal_moves().iter().any(|mv| mv.is_en_passant()))
        })
    });
    start.into_iter().chain(captured)
}

/// The position with `turn` to move that an illegal move, or an illegal move and its reply, or unknown moves have left. `before` is the
/// position before that. None if no game can go on from there.
pub(crate) fn after_illegal_move(men: &Men, turn: Color, before: &Chess, mode: CastlingMode) -> Option<Chess> {
    let mut setup = before.to_setup(EnPassantMode::Legal);
    let men_before = men::of_board(&setup.board);
    let stays = |square: shakmaty::Square| men[square.to_usize()] == men_before[square.to_usize()];
    let kings = [Color::White, Color::Black].map(|color| (color, setup.board.king_of(men::to_color(color))));
    let rights = setup.castling_rights.into_iter().filter(|&rook| {
        let color = men::color(men_before[rook.to_usize()]);
        stays(rook) && kings.iter().any(|&(side, king)| Some(side) == color && king.is_some_and(stays))
    });
    setup.castling_rights = Bitboard::from_iter(rights);
    setup.ep_square = None;
    let pawn = |man: u8| man == PAWN || man == PAWN + BLACK;
    let men_on = |men: &Men| men.iter().filter(|&&man| man != EMPTY).count();
    let irreversible = (0..64).any(|square| pawn(men_before[square]) && men[square] != men_before[square]);
    let moves = if men::to_color(turn) == setup.turn { 2 } else { 1 };
    setup.halfmoves = if irreversible || men_on(men) < men_on(&men_before) { 0 } else { setup.halfmoves.saturating_add(moves) };
    if turn == Color::White || moves == 2 {
        setup.fullmoves = setup.fullmoves.saturating_add(1);
    }
    setup.board = board_of(men)?;
    setup.turn = men::to_color(turn);
    position(setup, mode)
}

fn position(setup: Setup, mode: CastlingMode) -> Option<Chess> {
    match Chess::from_setup(setup, mode) {
        Ok(position) => Some(position),
        Err(error) if error.kinds() == PositionErrorKinds::TOO_MUCH_MATERIAL => error.ignore_too_much_material().ok(),
        Err(_) => None,
    }
}

/// The men as a board of `shakmaty`; none if a square cannot be read.
pub(crate) fn board_of(men: &Men) -> Option<Board> {
    let mut board = Board::empty();
    for square in Square::all() {
        let Some(piece) = men::piece(men[square.index()]) else { continue };
        let role = shakmaty::Role::from_char(piece.letter().to_ascii_lowercase())?;
        board.set_piece_at(shakmaty::Square::new(square.index() as u32), role.of(men::to_color(piece.color)));
    }
    Some(board)
}

fn home_rooks(men: &Men, color: Color, rank: usize) -> impl Iterator<Item = shakmaty::Square> {
    let (king, rook) = match color {
        Color::White => (6, 4),
        Color::Black => (12, 10),
    };
    let at_home = men[rank + 4] == king;
    [rank, rank + 7]
        .into_iter()
        .filter(move |&square| at_home && men[square] == rook)
        .map(|square| shakmaty::Square::new(square as u32))
}

/// True if a pawn of `color` stands on its last rank (7.5.2).
pub(crate) fn pawn_on_last_rank(men: &Men, color: Color) -> bool {
    match color {
        Color::White => men[56..].contains(&1),
        Color::Black => men[..8].contains(&7),
    }
}
