//! White with one knight or bishop against one pawn: every position backwards from the mates, with its own move generator.

use alloc::vec;
use alloc::vec::Vec;

use shakmaty::{Bitboard, Board, CastlingMode, Chess, Color, FromSetup, Piece, Position, Role, Setup, Square};

/// The squares of White's king, White's man, Black's king and Black's pawn.
pub(super) type At = [usize; 4];

pub(super) struct Truth {
    role: Role,
    /// True if White, to move, wins or Black, to move, loses; by the pawn's square.
    won: Vec<Vec<bool>>,
    lost: Vec<Vec<bool>>,
}

fn steps(from: usize, ways: &[(i32, i32)]) -> impl Iterator<Item = usize> + '_ {
    let (file, rank) = ((from % 8) as i32, (from / 8) as i32);
    ways.iter()
        .map(move |(right, up)| (file + right, rank + up))
        .filter_map(|(file, rank)| ((0..8).contains(&file) && (0..8).contains(&rank)).then_some((rank * 8 + file) as usize))
}

const KING: [(i32, i32); 8] = [(1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1), (0, -1), (1, -1)];
const KNIGHT: [(i32, i32); 8] = [(1, 2), (2, 1), (2, -1), (1, -2), (-1, -2), (-2, -1), (-2, 1), (-1, 2)];
const DIAGONALS: [(i32, i32); 4] = [(1, 1), (-1, 1), (-1, -1), (1, -1)];

fn near(one: usize, other: usize) -> bool {
    (one % 8).abs_diff(other % 8) <= 1 && (one / 8).abs_diff(other / 8) <= 1
}

fn strikes(pawn: usize, square: usize) -> bool {
    (pawn % 8).abs_diff(square % 8) == 1 && pawn / 8 == square / 8 + 1
}

fn number(at: At) -> usize {
    (at[0] * 64 + at[1]) * 64 + at[2]
}

impl Truth {
    /// Builds the class for pawns on one file, on ranks 2 to `top`.
    pub(super) fn new(role: Role, file: usize, top: usize) -> Self {
        let mut truth = Self { role, won: vec![Vec::new(); 64], lost: vec![Vec::new(); 64] };
        for pawn in (1..top).map(|rank| rank * 8 + file) {
            truth.won[pawn] = vec![false; 64 * 64 * 64];
            truth.lost[pawn] = vec![false; 64 * 64 * 64];
            while truth.sweep(pawn) {}
        }
        truth
    }

    pub(super) fn all(pawn: usize) -> impl Iterator<Item = At> {
        (0..64 * 64 * 64).map(move |number| [number / 4096, number / 64 % 64, number % 64, pawn])
    }

    /// Whether White wins, with White to move if `white` is set and otherwise with Black to move; `None` if the position is
    /// illegal.
    pub(super) fn wins(&self, at: At, white: bool) -> Option<bool> {
        let legal = possible(at) && if white { !self.checks(at, at[2]) } else { !strikes(at[3], at[0]) };
        legal.then(|| if white { self.won[at[3]][number(at)] } else { self.lost[at[3]][number(at)] })
    }

    fn sweep(&mut self, pawn: usize) -> bool {
        let mut grown = false;
        for at in Self::all(pawn) {
            if self.wins(at, false) != Some(false) || !self.loses(at) {
                continue;
            }
            self.lost[pawn][number(at)] = true;
            grown = true;
            for king in steps(at[0], &KING).filter(|king| !near(*king, at[2]) && *king != at[1] && *king != pawn) {
                self.win([king, at[1], at[2], pawn]);
            }
            for man in self.targets(at[1], [at[0], at[2], pawn]) {
                // A move of the man cannot answer a pawn's check.
                if !strikes(pawn, at[0]) && ![at[0], at[2], pawn].contains(&man) {
                    self.win([at[0], man, at[2], pawn]);
                }
            }
        }
        grown
    }

    fn win(&mut self, at: At) {
        if self.wins(at, true).is_some() {
            self.won[at[3]][number(at)] = true;
        }
    }

    fn targets(&self, from: usize, others: [usize; 3]) -> Vec<usize> {
        if self.role == Role::Knight {
            return steps(from, &KNIGHT).collect();
        }
        let mut targets = Vec::new();
        for way in DIAGONALS {
            let mut here = from;
            while let Some(next) = steps(here, &[way]).next() {
                targets.push(next);
                here = next;
                if others.contains(&next) {
                    break;
                }
            }
        }
        targets
    }

    /// True if White's man attacks a square to which Black's king goes.
    fn checks(&self, at: At, king: usize) -> bool {
        self.targets(at[1], [at[0], at[3], king]).contains(&king)
    }

    fn loses(&self, at: At) -> bool {
        let [white, man, black, pawn] = at;
        if strikes(pawn, man) {
            return false;
        }
        let mut moves = false;
        for to in steps(black, &KING).filter(|to| *to != pawn && !near(*to, white)) {
            let after = [white, man, to, pawn];
            if to == man || !self.checks(after, to) && !self.won[pawn][number(after)] {
                return false;
            }
            moves |= !self.checks(after, to);
        }
        let mut ahead = pawn;
        for _ in 0..if pawn / 8 == 6 { 2 } else { 1 } {
            ahead -= 8;
            if [white, man, black].contains(&ahead) {
                break;
            }
            let after = [white, man, black, ahead];
            if !self.checks(after, black) {
                moves = true;
                if ahead < 8 || !self.won[ahead][number(after)] {
                    return false;
                }
            }
        }
        moves || self.checks(at, black)
    }
}

fn possible([white, man, black, pawn]: At) -> bool {
    !near(white, black) && man != white && man != black && ![white, man, black].contains(&pawn)
}

/// The same position for the search.
pub(super) fn chess(role: Role, at: At, white: bool) -> Option<Chess> {
    let men = [Color::White.king(), Piece { color: Color::White, role }, Color::Black.king(), Color::Black.pawn()];
    let mut board = Board::empty();
    for (square, piece) in at.into_iter().zip(men) {
        board.set_piece_at(Square::new(square as u32), piece);
    }
    let setup = Setup { board, turn: Color::from_white(white), promoted: Bitboard::EMPTY, ..Setup::empty() };
    let at = Chess::from_setup(setup, CastlingMode::Standard).ok()?;
    (at.board().occupied().count() == 4).then_some(at)
}
