//! The length of the shortest line to a mate for positions of few men: all positions, layer by layer, and none is left out.

use shakmaty::{Board, CastlingMode, Chess, Color, EnPassantMode, File, FromSetup, Piece, Position, PositionError};
use shakmaty::{Rank, Role, Setup, Square};

/// The largest number of men in a position whose number fits into 64 bits.
pub(crate) const MOST_MEN: usize = 6;

/// The result of the search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Plies {
    /// The shortest line has this number of half-moves.
    Shortest(usize),
    /// No line has this number of half-moves or fewer. There are too many positions to go on.
    MoreThan(usize),
    /// No line ends in mate.
    Never,
}

/// The number of half-moves to the first mate by `side`, if at most `most` different positions arise before it.
pub(crate) fn plies(root: &Chess, side: Color, most: usize) -> Plies {
    assert!(!root.castles().any() && root.board().occupied().count() <= MOST_MEN, "the number does not fit");
    let mate = |at: &Chess| at.turn() != side && at.is_checkmate();
    if mate(root) {
        return Plies::Shortest(0);
    }
    let mut met = Numbers::default();
    let mut layer = vec![number(root)];
    met.add(layer[0]);
    for plies in 0.. {
        let mut next = Vec::new();
        for at in &layer {
            let at = numbered(*at);
            for step in at.legal_moves() {
                let mut after = at.clone();
                after.play_unchecked(step);
                if mate(&after) {
                    return Plies::Shortest(plies + 1);
                }
                let bare = after.board().by_color(side).count() == 1;
                let after = number(&after);
                if !bare && met.add(after) {
                    next.push(after);
                }
            }
            if met.count > most {
                return Plies::MoreThan(plies);
            }
        }
        if next.is_empty() {
            return Plies::Never;
        }
        layer = next;
    }
    unreachable!("a layer is empty before")
}

/// The mark of no file.
const NO_FILE: u64 = 8;

/// The position as a number: one bit for the side to move, four for the file of a pawn that can be taken in passing, six for each king's
/// square, and ten for kind and square of every other man. It is never 0.
fn number(at: &Chess) -> u64 {
    let board = at.board();
    let mut sum = 0;
    for square in board.occupied() & !board.kings() {
        let piece = board.piece_at(square).expect("occupied");
        sum = (sum << 4 | u64::from(piece.role) << 1 | u64::from(piece.color.is_white())) << 6 | u64::from(square);
    }
    for color in Color::ALL {
        sum = sum << 6 | u64::from(board.king_of(color).expect("a king"));
    }
    let file = at.ep_square(EnPassantMode::Legal).map_or(NO_FILE, |square| u64::from(u32::from(square.file())));
    (sum << 4 | file) << 1 | u64::from(at.turn().is_white())
}

fn numbered(number: u64) -> Chess {
    let square = |bits: u64| Square::new(u32::try_from(bits & 63).expect("six bits"));
    let mut board = Board::empty();
    let turn = Color::from_white(number & 1 == 1);
    let file = u32::try_from(number >> 1 & 15).expect("four bits");
    let ep_square = File::ALL.get(file as usize).map(|file| Square::from_coords(*file, turn.fold_wb(Rank::Sixth, Rank::Third)));
    board.set_piece_at(square(number >> 5), Color::Black.king());
    board.set_piece_at(square(number >> 11), Color::White.king());
    let mut rest = number >> 17;
    while rest > 0 {
        let kind = u32::try_from(rest >> 6 & 15).expect("four bits");
        let piece = Piece { role: Role::try_from(kind >> 1).expect("a role"), color: Color::from_white(kind & 1 == 1) };
        board.set_piece_at(square(rest), piece);
        rest >>= 10;
    }
    let setup = Setup { board, turn, ep_square, ..Setup::empty() };
    Chess::from_setup(setup, CastlingMode::Standard)
        .or_else(PositionError::ignore_impossible_check)
        .or_else(PositionError::ignore_too_much_material)
        .expect("a position that arose")
}

/// A set of numbers.
#[derive(Default)]
struct Numbers {
    /// The numbers at places that depend on them; 0 is a free place.
    places: Vec<u64>,
    count: usize,
}

impl Numbers {
    /// Adds a number; returns true if it is new.
    fn add(&mut self, number: u64) -> bool {
        if self.count * 2 >= self.places.len() {
            let larger = vec![0; (self.places.len() * 2).max(1 << 16)];
            let before = std::mem::replace(&mut self.places, larger);
            for number in before.into_iter().filter(|number| *number > 0) {
                let place = self.place(number);
                self.places[place] = number;
            }
        }
        let place = self.place(number);
        let new = self.places[place] == 0;
        self.places[place] = number;
        self.count += usize::from(new);
        new
    }

    /// The place of the number, or the free place where it belongs.
    fn place(&self, number: u64) -> usize {
        let mask = self.places.len() - 1;
        let mut place = (number.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) as usize & mask;
        while self.places[place] != 0 && self.places[place] != number {
            place = (place + 1) & mask;
        }
        place
    }
}
