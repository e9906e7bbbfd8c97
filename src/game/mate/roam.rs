//! A defence that the king makes: he walks about and takes what stands loose, and his own men keep to squares of their own
//! that he does not enter.
//!
//! For a king with one knight or bishop, or two knights, all positions of that play fit in a table, 64 squares of the
//! attacking king to a word. It errs only against the defender: the attacker steps onto and slides through the defender's
//! men as if they were not there, and they guard nothing. So a walk that never ends in the table never ends on the board,
//! also when some of those men have been taken meanwhile.

use alloc::boxed::Box;
use alloc::vec;
use alloc::vec::Vec;

use shakmaty::{Bitboard, Board, Chess, Color, Position, Role, Square, attacks};

use super::homes::Homes;

/// Words of a table that are filled in the time of one generated position.
const WORDS: u32 = 4;

/// Where the king of Black can walk for ever.
pub(super) struct Roam {
    homes: Homes,
    role: Role,
    /// Squares where the attacker's men can stand.
    squares: Bitboard,
    /// For each square of the defender's king and each placing of the attacker's men: the squares of the attacker's king
    /// where the walk may end. First with the attacker to move, then with the defender.
    won: Vec<u64>,
    lost: Vec<u64>,
    /// The same with one knight less.
    fewer: Option<Box<Roam>>,
}

impl Roam {
    /// The table for White's men of a position; `None` if they are not such that tables are for, or it would cost more
    /// positions than `left`, from which the cost is taken.
    pub(super) fn new(board: &Board, homes: Homes, left: &mut u32) -> Option<Self> {
        let own = board.white() & !board.kings();
        let role = own.first().and_then(|square| board.role_at(square))?;
        let bishops = if (Bitboard::LIGHT_SQUARES & own).is_empty() { Bitboard::DARK_SQUARES } else { Bitboard::LIGHT_SQUARES };
        match (own.count(), role) {
            (1, Role::Knight) => Self::fill(homes, role, Bitboard::FULL, None, left),
            (1, Role::Bishop) => Self::fill(homes, role, bishops, None, left),
            // Against two knights a walk beside other men would not do: they lose by having to move. One may be taken.
            (2, Role::Knight) if own.is_subset(board.knights()) && homes.all.any() => {
                Self::fill(homes, role, Bitboard::FULL, None, left)
            }
            (2, Role::Knight) if own.is_subset(board.knights()) => {
                let fewer = Self::fill(homes.clone(), role, Bitboard::FULL, None, left)?;
                Self::fill(homes, role, Bitboard::FULL, Some(Box::new(fewer)), left)
            }
            _ => None,
        }
    }

    /// Shrinks what is safe until nothing more is lost.
    fn fill(homes: Homes, role: Role, squares: Bitboard, fewer: Option<Box<Self>>, left: &mut u32) -> Option<Self> {
        let two = fewer.is_some();
        let size = if two { 64 * 64 * 64 } else { 64 * 64 };
        let mut open: Vec<(Square, Bitboard)> = Vec::new();
        for king in !homes.all {
            for one in squares.without(king) {
                let placing = Bitboard::from_square(one);
                match two {
                    false => open.push((king, placing)),
                    true => open.extend(
                        squares.without(king).into_iter().filter(|other| one < *other).map(|other| (king, placing.with(other))),
                    ),
                }
            }
        }
        let mut roam = Self { homes, role, squares, won: vec![0; size], lost: vec![0; size], fewer };
        let mut waits = vec![true; size];
        // Each round fills the words that the round before may have changed.
        while !open.is_empty() {
            let words = u32::try_from(open.len()).ok()?;
            *left = left.checked_sub(words.div_ceil(WORDS))?;
            let mut next = Vec::new();
            for (king, placing) in open {
                let here = index(king, placing);
                waits[here] = false;
                let lost = roam.now_lost(king, placing);
                if lost == roam.lost[here] {
                    continue;
                }
                roam.lost[here] = lost;
                roam.win(king, placing, spread(lost), &mut waits, &mut next);
                for to in placing {
                    for from in (roam.attacks_from(to) & !placing).without(king) {
                        roam.win(king, placing.without(to).with(from), lost, &mut waits, &mut next);
                    }
                }
            }
            open = next;
        }
        Some(roam)
    }

    /// More is won with the attacker to move: what steps of the king lead here must be looked at again.
    fn win(&mut self, king: Square, placing: Bitboard, won: u64, waits: &mut [bool], next: &mut Vec<(Square, Bitboard)>) {
        let here = index(king, placing);
        let won = self.won[here] | (Bitboard(won) & !near_or_on(king) & !placing).0;
        if core::mem::replace(&mut self.won[here], won) == won {
            return;
        }
        // The king himself too, for he may have stayed.
        for before in near_or_on(king) & !self.homes.all & !placing {
            if !core::mem::replace(&mut waits[index(before, placing)], true) {
                next.push((before, placing));
            }
        }
    }

    fn attacks_from(&self, from: Square) -> Bitboard {
        match self.role {
            Role::Bishop => attacks::bishop_attacks(from, Bitboard::EMPTY),
            _ => attacks::knight_attacks(from),
        }
    }

    /// The attacker's king where each step of the defender's king is met, or he has none and nobody can move instead.
    fn now_lost(&self, king: Square, placing: Bitboard) -> u64 {
        let attacked = placing.into_iter().fold(Bitboard::EMPTY, |sum, from| sum | self.attacks_from(from));
        let near = attacks::king_attacks(king);
        let mut safe = Bitboard::EMPTY;
        for to in near & !self.homes.all & !attacked & !placing {
            safe |= !near_or_on(to) & !Bitboard(self.won[index(to, placing)]);
        }
        for to in near & placing & !attacked {
            let won = self.fewer.as_ref().map_or(0, |fewer| fewer.won[index(to, placing.without(to))]);
            safe |= !near_or_on(to) & !Bitboard(won);
        }
        if self.homes.stay && !attacked.contains(king) {
            let mut stays = near.into_iter().fold(Bitboard::FULL, |sum, to| sum & self.barred(to, king, placing));
            // Without other men it is stalemate.
            if self.homes.all.any() {
                stays &= !Bitboard(self.won[index(king, placing)]);
            }
            safe |= stays;
        }
        (!safe & !near_or_on(king) & !placing).0
    }

    /// The attacker's king where the defender's surely cannot step to a square, whoever else stands there or between.
    fn barred(&self, to: Square, king: Square, placing: Bitboard) -> Bitboard {
        let mut barred = near_or_on(to);
        for from in placing.into_iter().filter(|from| self.attacks_from(*from).contains(to)) {
            let way = if self.role == Role::Bishop { attacks::between(from, to).without(king) } else { Bitboard::EMPTY };
            if (way & self.homes.all).is_empty() {
                barred |= !way;
            }
        }
        barred
    }

    /// The walk is known to go on for ever from here.
    pub(super) fn safe(&self, position: &Chess) -> bool {
        let board = position.board();
        let (Some(own), Some(other)) = (board.king_of(Color::White), board.king_of(Color::Black)) else {
            return false;
        };
        let placing = board.white() & !board.kings();
        if !self.covers(board) || self.homes.all.contains(other) {
            return false;
        }
        let table = match (&self.fewer, placing.count()) {
            (None, 1) | (Some(_), 2) => self,
            (Some(fewer), 1) => fewer,
            _ => return false,
        };
        let ends = if position.turn().is_white() { &table.won } else { &table.lost };
        !Bitboard(ends[index(other, placing)]).contains(own)
    }

    /// The table is for these men, and perhaps more of the defender's.
    pub(super) fn covers(&self, board: &Board) -> bool {
        let own = board.white() & !board.kings();
        let enough = self.fewer.is_some() || own.count() == 1 || board.black().more_than_one();
        enough && own.is_subset(board.by_role(self.role) & self.squares) && self.homes.hold(board)
    }

    /// The table lets the defender's other men move.
    pub(super) fn stays(&self) -> bool {
        self.homes.stay
    }
}

fn index(king: Square, placing: Bitboard) -> usize {
    let number = placing.into_iter().fold(0, |sum, square| sum * 64 + usize::from(square));
    let size = if placing.count() == 2 { 64 * 64 } else { 64 };
    usize::from(king) * size + number
}

fn near_or_on(square: Square) -> Bitboard {
    attacks::king_attacks(square).with(square)
}

/// A king's step from any of the squares.
fn spread(squares: u64) -> u64 {
    const NOT_A: u64 = 0xfefe_fefe_fefe_fefe;
    const NOT_H: u64 = 0x7f7f_7f7f_7f7f_7f7f;
    let wide = squares | (squares & NOT_A) >> 1 | (squares & NOT_H) << 1;
    wide | wide << 8 | wide >> 8
}
