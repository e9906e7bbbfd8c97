//! Writes logs for tests as a board does: hands move men in every permitted order, scans see a man twice, players press.

use alloc::vec::Vec;

use flagfall_protocols::event::{ClockSide, LogEntry};
use flagfall_protocols::square::{Reading, Square};
use flagfall_protocols::time::ClockTime;
use shakmaty::{CastlingSide, Chess, Move, Piece, Position, Role};

use crate::men::{self, EMPTY, Men};
use crate::reconstruct::search::chance::Chance;

/// A square, and the man that it shows at that time.
pub(crate) type Change = (shakmaty::Square, u8);

/// A board that writes its log.
pub(crate) struct Writer {
    pub(crate) entries: Vec<LogEntry>,
    pub(crate) rotated: bool,
    /// The seconds on White's clock and on Black's clock.
    times: [u32; 2],
}

impl Writer {
    pub(crate) fn new(rotated: bool) -> Writer {
        Writer { entries: Vec::new(), rotated, times: [5400; 2] }
    }

    /// The side of the clock at which White sits.
    pub(crate) fn white(&self) -> ClockSide {
        if self.rotated { ClockSide::Right } else { ClockSide::Left }
    }

    /// Writes the power-up mark and all men in random order.
    pub(crate) fn power_up(&mut self, chance: &mut Chance, men: &Men) {
        self.entries.push(LogEntry::PowerUp);
        let mut standing: Vec<usize> = (0..64).filter(|&square| men[square] != EMPTY).collect();
        while !standing.is_empty() {
            let square = standing.swap_remove(chance.below(standing.len()));
            self.change((shakmaty::Square::new(square as u32), men[square]));
        }
    }

    pub(crate) fn change(&mut self, (square, man): Change) {
        let square = Square::wrapping(square.to_u32() as u8);
        let square = if self.rotated { square.rotated() } else { square };
        let reading = men::piece(man).map_or(Reading::Empty, Reading::Piece);
        self.entries.push(LogEntry::Square { square, reading, quick: false });
    }

    pub(crate) fn press(&mut self, white: bool) {
        let side = if white { self.white() } else { self.white().other() };
        let seconds = &mut self.times[usize::from(white)];
        *seconds -= 7;
        self.entries.push(LogEntry::Press { side, time: ClockTime::hms(0, 0, *seconds) });
    }

    /// The last press and the time that the clock showed then.
    pub(crate) fn last_press(&self) -> Option<(ClockSide, ClockTime)> {
        self.entries.iter().rev().find_map(|entry| match *entry {
            LogEntry::Press { side, time } => Some((side, time)),
            _ => None,
        })
    }
}

fn lift(square: shakmaty::Square) -> Change {
    (square, EMPTY)
}

/// The changes that a legal move makes, in a random manner.
pub(crate) fn make(chance: &mut Chance, position: &Chess, mv: Move) -> Vec<Change> {
    let us = position.turn();
    let man = |piece: Piece| men::of_shakmaty(piece);
    match mv {
        Move::Normal { from, to, capture, promotion: Some(promoted), .. } => {
            let (pawn, new) = (man(us.pawn()), man(promoted.of(us)));
            match chance.below(4) {
                0 if capture.is_some() => [lift(to), lift(from), (to, new)].into(),
                0 | 1 => [lift(from), (to, pawn), lift(to), (to, new)].into(),
                2 => [lift(from), (to, new)].into(),
                _ => [(to, new), lift(from)].into(),
            }
        }
        Move::Normal { role, from, to, capture, .. } => normal(chance, role.of(us), from, to, capture.is_some()),
        Move::EnPassant { from, to } => {
            let taken = shakmaty::Square::from_coords(to.file(), from.rank());
            let put = (to, man(us.pawn()));
            match chance.below(3) {
                0 => [lift(taken), lift(from), put].into(),
                1 => [lift(from), lift(taken), put].into(),
                _ => [lift(from), put, lift(taken)].into(),
            }
        }
        Move::Castle { king, rook } => {
            let side = CastlingSide::from_king_side(king < rook);
            let (put_king, put_rook) = ((side.king_to(us), man(us.king())), (side.rook_to(us), man(us.rook())));
            match chance.below(3) {
                0 => [lift(rook), put_rook, lift(king), put_king].into(),
                1 => [lift(king), lift(rook), put_king, put_rook].into(),
                _ => [lift(king), put_king, lift(rook), put_rook].into(),
            }
        }
        Move::Put { .. } => unreachable!("no drops in chess"),
    }
}

fn normal(chance: &mut Chance, piece: Piece, from: shakmaty::Square, to: shakmaty::Square, captures: bool) -> Vec<Change> {
    let man = men::of_shakmaty(piece);
    let slides = !matches!(piece.role, Role::Knight | Role::King) && from.distance(to) > 1;
    match (chance.below(6), captures) {
        (0 | 1, _) if slides => {
            // A man that slides is seen on some of the squares that it passes, sometimes on two at once.
            let mut way: Vec<shakmaty::Square> = shakmaty::attacks::between(from, to).into_iter().collect();
            way.sort_by_key(|square| square.distance(from));
            let way = way.into_iter().filter(|_| chance.below(3) > 0).collect::<Vec<_>>();
            let mut changes = Vec::new();
            let mut here = from;
            for next in way.into_iter().chain([to]) {
                let twice = chance.below(3) == 0;
                changes.extend(if twice { [(next, man), lift(here)] } else { [lift(here), (next, man)] });
                here = next;
            }
            changes
        }
        (0 | 2, true) => [lift(to), lift(from), (to, man)].into(),
        (1 | 3, true) => [lift(from), lift(to), (to, man)].into(),
        (5, _) => [(to, man), lift(from)].into(),
        _ => [lift(from), (to, man)].into(),
    }
}

/// The changes that the board keeps: repeated changes of one man overwrite each other.
pub(crate) fn overwritten(changes: &[Change]) -> Vec<Change> {
    let mut kept: Vec<Change> = Vec::new();
    for &change in changes {
        match kept.last() {
            Some(last) if last.0 == change.0 && last.1 != EMPTY && change.1 == EMPTY => _ = kept.pop(),
            _ => kept.push(change),
        }
    }
    kept
}
