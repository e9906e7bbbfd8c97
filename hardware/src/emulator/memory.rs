//! Emulates the log that a DGT board writes by itself (`dgt/README.md#7`): a ring of limited size that keeps its content
//! without power.

use std::collections::VecDeque;
use std::time::Duration;

use flagfall_protocols::drivers::dgt::ee::EeTag;
use flagfall_protocols::drivers::dgt::squares;
use flagfall_protocols::square::{Placement, Reading, Square};
use flagfall_protocols::time::Instant;

/// The size of the ring, in bytes. When the board sends the log, an end tag follows it.
const SIZE: usize = 0x1f00 - 1;
/// If the change of a square follows the one before within this time, its entry is marked as quick.
const QUICK: Duration = Duration::from_millis(250);

#[derive(Clone, Debug, Default)]
pub(super) struct Memory {
    ring: VecDeque<u8>,
    /// Bytes written since time zero, without those that were overwritten in place. This is the end of the ring.
    end: u64,
    /// The square of the last entry, if it is a field tag.
    last_field: Option<Square>,
    last_field_at: Option<Instant>,
    last_mark: Option<EeTag>,
    /// The largest number of squares that differed from the initial position since its tag was written.
    away: u32,
}

impl Memory {
    pub(super) fn power_up(&mut self, pieces: &Placement) {
        for tag in [EeTag::Nothing, EeTag::Nothing, EeTag::Nothing, EeTag::PowerUp] {
            self.write(tag);
        }
        for square in Square::all().filter(|&square| pieces.get(square) != Reading::Empty) {
            self.write(field(square, pieces.get(square), false));
        }
        self.last_field_at = None;
        self.last_mark = None;
        self.mark(pieces);
    }

    /// Writes a change of `square`. `pieces` is the whole board afterwards.
    pub(super) fn field(&mut self, at: Instant, square: Square, pieces: &Placement) {
        let quick = self.last_field_at.is_some_and(|last| at.since(last) < QUICK);
        // Repeated changes of one square are stored once.
        if self.last_field == Some(square) {
            self.ring.truncate(self.ring.len().saturating_sub(2));
            self.end = self.end.saturating_sub(2);
        }
        self.write(field(square, pieces.get(square), quick));
        self.last_field = Some(square);
        self.last_field_at = Some(at);
        self.mark(pieces);
    }

    pub(super) fn write(&mut self, tag: EeTag) {
        let mut bytes = Vec::with_capacity(3);
        tag.encode(&mut bytes);
        self.end += bytes.len() as u64;
        self.ring.extend(bytes);
        let over = self.ring.len().saturating_sub(SIZE);
        self.ring.drain(..over);
        self.last_field = None;
    }

    /// Returns the whole log, oldest entry first, with its end tag, and writes that it was read.
    pub(super) fn read_out(&mut self) -> Vec<u8> {
        let mut data: Vec<u8> = self.ring.iter().copied().collect();
        EeTag::End.encode(&mut data);
        self.write(EeTag::Downloaded);
        data
    }

    /// Returns the end of the log, in bytes since time zero.
    pub(super) const fn end(&self) -> u64 {
        self.end
    }

    /// Returns the bytes that were written between two positions, as far as the ring still holds them.
    pub(super) fn between(&self, from: u64, to: u64) -> Vec<u8> {
        let begin = self.end - self.ring.len() as u64;
        let index = |place: u64| place.clamp(begin, self.end).saturating_sub(begin) as usize;
        self.ring.iter().skip(index(from)).take(index(to).saturating_sub(index(from))).copied().collect()
    }

    /// Marks the log as sent: its last entry is not overwritten any more.
    pub(super) const fn seal(&mut self) {
        self.last_field = None;
    }

    fn mark(&mut self, pieces: &Placement) {
        let initial = Placement::initial();
        let differs = |other: &Placement| Square::all().filter(|&square| other.get(square) != pieces.get(square)).count() as u32;
        let (normal, rotated) = (differs(&initial), differs(&initial.rotated()));
        self.away = self.away.max(normal.min(rotated));
        let standing = |square: Square| pieces.get(square) != Reading::Empty;
        let mark = if normal == 0 {
            Some(EeTag::Initial)
        } else if rotated == 0 {
            Some(EeTag::InitialRotated)
        } else if !Square::all().any(standing) {
            Some(EeTag::EmptyBoard)
        } else if Square::all().all(|square| standing(square) == matches!(square.rank(), 0 | 1 | 6 | 7)) {
            Some(EeTag::FourRows)
        } else {
            None
        };
        let Some(mark) = mark else { return };
        // The adjustment of one or two pieces in the initial position does not count as a new set-up. A piece that has left its
        // square makes one square different while it is in the hand, and two squares when it stands elsewhere.
        if self.last_mark != Some(mark) || self.away > 4 {
            self.write(mark);
        }
        self.last_mark = Some(mark);
        if matches!(mark, EeTag::Initial | EeTag::InitialRotated) {
            self.away = 0;
        }
    }
}

fn field(square: Square, reading: Reading, quick: bool) -> EeTag {
    EeTag::Field { index: squares::index(square), code: squares::code(reading).unwrap_or(0), quick }
}
