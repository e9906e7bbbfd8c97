//! Computes a defence by the king: it walks about and takes undefended men, and its own men stay on squares that it does not
//! enter.
//!
//! For a king with one knight or bishop all positions of this play fit in a table with 64 squares of the attacking king in a
//! word: two times 32 KiB, and less than 32 KiB more while it is filled. The table errs only against the defender: the attacker
//! steps onto and slides through the defender's men as if they were not there, and they guard nothing. So a walk that never ends
//! in the table never ends on the board, even if some of those men have been taken in the meantime.

use alloc::vec;
use alloc::vec::Vec;

use shakmaty::{Bitboard, Board, Chess, Color, Position, Role, Square, attacks};

use super::homes::Homes;

/// The number of words of a table that are filled in the time of one generated position.
const WORDS: u32 = 4;

/// The number of words in a table: the squares of a king times the squares of a man.
const SIZE: usize = 64 * 64;

/// The squares on which the king of Black can walk for ever.
pub(super) struct Roam {
    homes: Homes,
    role: Role,
    /// The squares where the attacker's man can stand.
    squares: Bitboard,
    /// For each square of the defender's king and of the attacker's man: the squares of the attacker's king where the walk
    /// may end. The first half is with the attacker to move, the second with the defender.
    won: Vec<u64>,
    lost: Vec<u64>,
}

/// White's man and the squares that it can ever reach; `None` if there are no tables for White's men. Of two knights one may
/// be taken. While both are there, a table shows nothing: a king beside men of its own loses when it must move.
pub(super) fn walker(board: &Board) -> Option<(Role, Bitboard)> {
    let own = board.white() & !board.kings();
    let role = own.first().and_then(|square| board.role_at(square))?;
    let bishops = if (Bitboard::LIGHT_SQUARES & own).is_empty() { Bitboard::DARK_SQUARES } else { Bitboard::LIGHT_SQUARES };
    match (own.count(), role) {
        (1, Role::Knight) => Some((role, Bitboard::FULL)),
        (1, Role::Bishop) => Some((role, bishops)),
        (2, Role::Knight) if own.is_subset(board.knights()) && board.black().more_than_one() => Some((role, Bitboard::FULL)),
        _ => None,
    }
}

impl Roam {
    /// Removes lost positions for a [`walker`] until no more are lost. Returns `None` if this would cost more positions than
    /// `left`, from which the cost is taken. Nothing is allocated before the first round is paid for.
    pub(super) fn new((role, squares): (Role, Bitboard), homes: Homes, left: &mut u32) -> Option<Self> {
        let kings = !homes.all;
        // The cost of each round is taken before it runs.
        let mut words = kings.count() * squares.count() - (kings & squares).count();
        *left = left.checked_sub(cost(words))?;
        let mut open: Vec<(Square, Square)> = Vec::with_capacity(words);
        for king in kings {
            open.extend(squares.without(king).into_iter().map(|man| (king, man)));
        }
        let mut roam = Self { homes, role, squares, won: vec![0; SIZE], lost: vec![0; SIZE] };
        let mut waits = vec![true; SIZE];
        loop {
            let mut next = Vec::new();
            for (king, man) in open {
                let here = index(king, man);
                waits[here] = false;
                let lost = roam.now_lost(king, man);
                if lost == roam.lost[here] {
                    continue;
                }
                roam.lost[here] = lost;
                roam.win(king, man, spread(lost), &mut waits, &mut next);
                for from in roam.attacks_from(man).without(king) {
                    roam.win(king, from, lost, &mut waits, &mut next);
                }
            }
            words = next.len();
            if words == 0 {
                return Some(roam);
            }
            *left = left.checked_sub(cost(words))?;
            open = next;
        }
    }

    /// Adds wins with the attacker to move. Steps of the king that lead here must be checked again.
    fn win(&mut self, king: Square, man: Square, won: u64, waits: &mut [bool], next: &mut Vec<(Square, Square)>) {
        let here = index(king, man);
        let won = self.won[here] | (Bitboard(won) & !near_or_on(king)).without(man).0;
        if core::mem::replace(&mut self.won[here], won) == won {
            return;
        }
        // The king's own square is included, because it may have stayed.
        for before in (near_or_on(king) & !self.homes.all).without(man) {
            if !core::mem::replace(&mut waits[index(before, man)], true) {
                next.push((before, man));
            }
        }
    }

    fn attacks_from(&self, from: Square) -> Bitboard {
        match self.role {
            Role::Bishop => attacks::bishop_attacks(from, Bitboard::EMPTY),
            _ => attacks::knight_attacks(from),
        }
    }

    /// The squares of the attacker's king for which each step of the defender's king is answered, or for which it has no step
    /// and no other man can move instead.
    fn now_lost(&self, king: Square, man: Square) -> u64 {
        let attacked = self.attacks_from(man);
        let near = attacks::king_attacks(king);
        let mut safe = Bitboard::EMPTY;
        for to in (near & !self.homes.all & !attacked).without(man) {
            safe |= !near_or_on(to) & !Bitboard(self.won[index(to, man)]);
        }
        if near.contains(man) {
            safe |= !near_or_on(man);
        }
        if self.homes.stay && !attacked.contains(king) {
            let mut stays = near.into_iter().fold(Bitboard::FULL, |sum, to| sum & self.barred(to, king, man));
            // Without other men this is stalemate.
            if self.homes.all.any() {
                stays &= !Bitboard(self.won[index(king, man)]);
            }
            safe |= stays;
        }
        (!safe & !near_or_on(king)).without(man).0
    }

    /// The squares of the attacker's king from which the defender's king surely cannot step to a square, whatever else stands
    /// there or between.
    fn barred(&self, to: Square, king: Square, man: Square) -> Bitboard {
        let mut barred = near_or_on(to);
        if self.attacks_from(man).contains(to) {
            let way = if self.role == Role::Bishop { attacks::between(man, to).without(king) } else { Bitboard::EMPTY };
            if (way & self.homes.all).is_empty() {
                barred |= !way;
            }
        }
        barred
    }

    /// True if the walk is known to go on for ever from here.
    pub(super) fn safe(&self, position: &Chess) -> bool {
        let board = position.board();
        let (Some(own), Some(other)) = (board.king_of(Color::White), board.king_of(Color::Black)) else {
            return false;
        };
        let Some(man) = (board.white() & !board.kings()).single_square() else { return false };
        if !self.covers(board) || self.homes.all.contains(other) {
            return false;
        }
        let ends = if position.turn().is_white() { &self.won } else { &self.lost };
        !Bitboard(ends[index(other, man)]).contains(own)
    }

    /// True if the table is for these men, perhaps with more men of the defender.
    pub(super) fn covers(&self, board: &Board) -> bool {
        let own = board.white() & !board.kings();
        own.is_subset(board.by_role(self.role) & self.squares) && self.homes.hold(board)
    }

    /// True if the table lets the defender's other men move.
    pub(super) fn stays(&self) -> bool {
        self.homes.stay
    }
}

fn index(king: Square, man: Square) -> usize {
    usize::from(king) * 64 + usize::from(man)
}

/// The cost of a round.
fn cost(words: usize) -> u32 {
    // A round does not contain a word twice.
    (words.min(SIZE) as u32).div_ceil(WORDS)
}

fn near_or_on(square: Square) -> Bitboard {
    attacks::king_attacks(square).with(square)
}

/// The squares that a king reaches in one step from any of the squares.
fn spread(squares: u64) -> u64 {
    const NOT_A: u64 = 0xfefe_fefe_fefe_fefe;
    const NOT_H: u64 = 0x7f7f_7f7f_7f7f_7f7f;
    let wide = squares | (squares & NOT_A) >> 1 | (squares & NOT_H) << 1;
    wide | wide << 8 | wide >> 8
}
