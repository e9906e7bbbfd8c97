//! A search that both players help with. Every position met waits in several queues, each with its own idea of what is near
//! to a mate; the queues take turns, so that one bad idea cannot hold up the rest.
//!
//! Within a queue, positions come first that show something new: a man, or a pair of men, on squares where they have not yet
//! stood with these pawns and this material. That finds long manoeuvres that no distance to a mate could guide.

use alloc::collections::VecDeque;
use alloc::vec;
use alloc::vec::Vec;

use shakmaty::{Bitboard, Chess, Color, Move, Position, Role, Square, attacks};

use super::arena::Arena;
use super::key::pack;
use super::meter::Meter;

/// What the search has found.
pub(super) enum Guided {
    /// A line to a mate by the side.
    Mate(Vec<Move>),
    /// All positions were met, so many, and none is a mate by the side.
    Complete(u32),
    /// The cap came first.
    Cut,
}

const QUEUES: usize = 6;
const BUCKETS: usize = 192;
const CORNERS: [Square; 4] = [Square::A1, Square::H1, Square::A8, Square::H8];

/// Positions waiting, the most promising first, the oldest of equals first.
struct Queue {
    buckets: Vec<VecDeque<u32>>,
    lowest: usize,
}

impl Queue {
    fn new() -> Self {
        Self { buckets: (0..BUCKETS).map(|_| VecDeque::new()).collect(), lowest: 0 }
    }

    fn push(&mut self, rank: usize, index: u32) {
        let rank = rank.min(BUCKETS - 1);
        self.lowest = self.lowest.min(rank);
        self.buckets[rank].push_back(index);
    }

    fn pop(&mut self) -> Option<u32> {
        while self.lowest < BUCKETS {
            if let Some(index) = self.buckets[self.lowest].pop_front() {
                return Some(index);
            }
            self.lowest += 1;
        }
        None
    }
}

/// Meets up to `cap` positions.
pub(super) fn guided(root: &Chess, side: Color, cap: u32, meter: &mut Meter) -> Guided {
    let mut arena = Arena::new(root);
    let mut news = News::new(cap);
    let mut queues: [Queue; QUEUES] = core::array::from_fn(|_| Queue::new());
    let mut done: Vec<bool> = vec![false];
    queues[0].push(0, 0);
    let mut turn = 0;
    let mut empty = 0;
    loop {
        turn = (turn + 1) % QUEUES;
        let Some(index) = queues[turn].pop() else {
            empty += 1;
            if empty == QUEUES {
                return Guided::Complete(arena.len());
            }
            continue;
        };
        empty = 0;
        if core::mem::replace(&mut done[index as usize], true) {
            continue;
        }
        let Some(position) = arena.position(index) else {
            return Guided::Cut;
        };
        for step in position.legal_moves() {
            let mut after = position.clone();
            after.play_unchecked(step);
            if !meter.step() {
                return Guided::Cut;
            }
            let ends = position.turn() == side && after.checkers().any() && after.legal_moves().is_empty();
            if ends {
                return match arena.line(index) {
                    Some(mut line) => {
                        line.push(step);
                        Guided::Mate(line)
                    }
                    None => Guided::Cut,
                };
            }
            let Some(new) = arena.insert(&pack(&after), index) else {
                continue;
            };
            let hopeless = after.has_insufficient_material(side);
            done.push(hopeless);
            if hopeless {
                continue;
            }
            let old = news.look(&after, &step);
            for (queue, rank) in ranks(&after, side, old).into_iter().enumerate() {
                queues[queue].push(rank, new);
            }
        }
        if arena.len() > cap {
            return Guided::Cut;
        }
    }
}

/// What has been seen, in a table of bits; two things on one bit only make something new look old.
struct News {
    bits: Vec<u64>,
}

impl News {
    fn new(cap: u32) -> Self {
        let words = (cap as usize).next_power_of_two().clamp(1 << 10, 1 << 16);
        Self { bits: vec![0; words] }
    }

    fn first(&mut self, thing: u64) -> bool {
        let sum = thing.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let sum = (sum ^ (sum >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let bit = (sum >> 20) as usize & (self.bits.len() * 64 - 1);
        let new = self.bits[bit / 64] & (1 << (bit % 64)) == 0;
        self.bits[bit / 64] |= 1 << (bit % 64);
        new
    }

    /// 0: the man that moved stands where none of its kind stood; 1: new together with another man; 2: nothing new.
    fn look(&mut self, after: &Chess, step: &Move) -> usize {
        let board = after.board();
        let pawns = board.pawns();
        let mut base = (pawns & board.white()).0.wrapping_mul(0xff51_afd7_ed55_8ccd)
            ^ (pawns & board.black()).0.wrapping_mul(0xc4ce_b9fe_1a85_ec53).rotate_left(17);
        for (index, role) in [Role::Knight, Role::Bishop, Role::Rook, Role::Queen].into_iter().enumerate() {
            let men = board.by_role(role);
            base ^= (((men & board.white()).count() * 16 + (men & board.black()).count()) as u64) << (index * 16);
        }
        let role = step.promotion().unwrap_or(step.role());
        let mover = u64::from(role) * 128 + u64::from(step.to()) * 2 + u64::from(after.turn().is_white());
        base = base.wrapping_mul(0x2545_f491_4f6c_dd1d) ^ mover;
        let mut old = if self.first(base) { 0 } else { 2 };
        for role in [Role::Knight, Role::Bishop, Role::Rook, Role::Queen, Role::King] {
            for square in board.by_role(role) {
                let other = (u64::from(role) * 64 + u64::from(square) + 1) << 20;
                if self.first(base.wrapping_add(other.wrapping_mul(0x9e37_79b9_7f4a_7c15))) {
                    old = old.min(1);
                }
            }
        }
        old
    }
}

/// The place in each queue.
fn ranks(after: &Chess, side: Color, old: usize) -> [usize; QUEUES] {
    let board = after.board();
    let (Some(winner), Some(loser)) = (board.king_of(side), board.king_of(!side)) else {
        return [BUCKETS - 1; QUEUES];
    };
    let men = board.by_color(side);
    let others = board.by_color(!side);
    let minor = (men & (board.rooks_and_queens() | board.pawns())).is_empty();
    let heavy = (men & board.rooks_and_queens()).any();
    let mut lack = 0;
    if heavy {
        lack += others.count() / 2;
    } else if let Some(ranks) = to_promote(men & board.pawns(), side) {
        lack += 4 + 2 * ranks;
    }
    let open = open_flights(after, side, loser);
    let corner = |corner: Square| {
        let king = corner.distance(loser) as usize;
        let near = (corner.distance(winner) as usize).saturating_sub(2);
        // With minor men alone the loser's own men must stand in his king's way.
        let blocked = if minor { 2 * open_flights(after, side, corner) } else { open / 2 };
        2 * king + near + lack + blocked + 3 * old
    };
    let promote = to_promote(others & board.pawns(), !side).unwrap_or(0);
    [
        corner(CORNERS[0]),
        corner(CORNERS[1]),
        corner(CORNERS[2]),
        corner(CORNERS[3]),
        2 * open + lack + 6 * old + if minor { 2 * promote } else { 0 },
        old * 60 + lack,
    ]
}

fn to_promote(pawns: Bitboard, color: Color) -> Option<usize> {
    pawns
        .into_iter()
        .map(|pawn| {
            let rank = usize::from(u8::from(pawn) / 8);
            if color.is_white() { 7 - rank } else { rank }
        })
        .min()
}

/// Squares next to the loser's king to which he could go.
fn open_flights(after: &Chess, side: Color, loser: Square) -> usize {
    let board = after.board();
    let rest = board.occupied().without(loser);
    (attacks::king_attacks(loser) & !board.by_color(!side))
        .into_iter()
        .filter(|square| board.attacks_to(*square, side, rest).is_empty())
        .count()
}
