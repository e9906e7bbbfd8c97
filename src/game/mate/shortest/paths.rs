//! Counts the moves that a man needs from one square to another on an empty board. No game needs fewer, so these numbers are
//! lower bounds.

use alloc::vec;
use alloc::vec::Vec;

use shakmaty::{Bitboard, Color, Role, Square, attacks};

/// The cost of a target that the man never reaches.
pub(super) const NEVER: u8 = 200;
/// The number of targets of one man: a square with one of six roles, or a square with any role but king.
const TARGETS: usize = 7 * 64;
/// The number of kinds of men: pieces look alike for both sides, pawns do not.
const KINDS: usize = 7;

/// A square that a man must reach, and the role that it must have there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Target(pub(super) u16);

impl Target {
    /// The man stands on this square with this role.
    pub(super) fn role(role: Role, square: Square) -> Self {
        Self(u16::from(role) * 64 - 64 + u16::from(square))
    }

    /// The man stands on this square. It is no king.
    pub(super) fn any(square: Square) -> Self {
        Self(6 * 64 + u16::from(square))
    }
}

/// The numbers of moves from every square to every target.
pub(super) struct Paths {
    costs: Vec<u8>,
}

impl Paths {
    /// Fills the tables. `captures` is the largest number of captures that the pawns of White and of Black can make.
    pub(super) fn new(captures: [u32; 2]) -> Self {
        let mut paths = Self { costs: vec![NEVER; KINDS * 64 * TARGETS] };
        for role in [Role::Knight, Role::Bishop, Role::Rook, Role::Queen, Role::King] {
            for from in Square::ALL {
                paths.fill(role, from);
            }
        }
        for color in Color::ALL {
            for from in Square::ALL {
                if !Bitboard::BACKRANKS.contains(from) {
                    paths.fill_pawn(color, from, captures[usize::from(color.is_black())]);
                }
            }
        }
        paths
    }

    /// The number of moves that a man of this kind needs from its square to the target, at least.
    pub(super) fn cost(&self, color: Color, role: Role, from: Square, target: Target) -> u8 {
        self.costs[place(kind(color, role), from, target)]
    }

    fn fill(&mut self, role: Role, from: Square) {
        let mut met = Bitboard::from_square(from);
        let mut layer = met;
        let mut moves = 0;
        while layer.any() {
            let mut next = Bitboard::EMPTY;
            for to in layer {
                self.costs[place(kind(Color::White, role), from, Target::role(role, to))] = moves;
                if role != Role::King {
                    self.costs[place(kind(Color::White, role), from, Target::any(to))] = moves;
                }
                next |= attacks::attacks(to, role.of(Color::White), Bitboard::EMPTY);
            }
            layer = next & !met;
            met |= next;
            moves += 1;
        }
    }

    fn fill_pawn(&mut self, color: Color, from: Square, captures: u32) {
        let pawn = kind(color, Role::Pawn);
        for to in Square::ALL {
            let moves = pawn_moves(color, from, to, captures);
            if moves == NEVER {
                continue;
            }
            if !Bitboard::BACKRANKS.contains(to) {
                self.lower(place(pawn, from, Target::role(Role::Pawn, to)), moves);
                self.lower(place(pawn, from, Target::any(to)), moves);
                continue;
            }
            for role in [Role::Knight, Role::Bishop, Role::Rook, Role::Queen] {
                for end in Square::ALL {
                    let sum = moves.saturating_add(self.cost(color, role, to, Target::role(role, end)));
                    self.lower(place(pawn, from, Target::role(role, end)), sum);
                    self.lower(place(pawn, from, Target::any(end)), sum);
                }
            }
        }
    }

    fn lower(&mut self, place: usize, moves: u8) {
        self.costs[place] = self.costs[place].min(moves);
    }
}

fn kind(color: Color, role: Role) -> usize {
    if role == Role::Pawn && color.is_black() { 6 } else { usize::from(role) - 1 }
}

fn place(kind: usize, from: Square, target: Target) -> usize {
    (kind * 64 + usize::from(from)) * TARGETS + usize::from(target.0)
}

/// The number of moves of a pawn from square to square, with at most so many captures. The last rank counts as a square.
fn pawn_moves(color: Color, from: Square, to: Square, captures: u32) -> u8 {
    let rank = |square: Square| {
        let rank = u32::from(square.rank());
        color.fold_wb(rank, 7 - rank)
    };
    let files = u32::from(from.file()).abs_diff(u32::from(to.file()));
    let Some(ranks) = rank(to).checked_sub(rank(from)) else { return NEVER };
    if files > ranks || files > captures {
        return NEVER;
    }
    // The first move may be a double step, which is no capture.
    let double = rank(from) == 1 && ranks >= files + 2;
    (ranks - u32::from(double)) as u8
}
