//! Computes the squares of a Certabo or Tabutronic board from its last frames: two of the last three frames must agree on a
//! square (`certabo/README.md#3`).

use super::calibration::{Calibration, Shows};
use super::framing::TAG_NUMBERS;
use super::message::{NO_TAG, Tag, may_be_tag, occupied, placement, square};
use crate::square::{Placement, Reading, Square};

/// The number of frames that are needed to learn a set of pieces.
const LEARN: usize = 7;
/// The largest number of stored frames.
const KEPT: usize = 15;

/// The last frames of a board with tags.
#[derive(Clone, Debug)]
pub(super) struct TagFrames {
    ring: [[u8; TAG_NUMBERS]; KEPT],
    /// The index of the next frame, and the number of frames.
    next: usize,
    len: usize,
    believed: Placement,
    pub(super) table: Calibration,
}

impl TagFrames {
    pub(super) const fn new(table: Calibration) -> TagFrames {
        TagFrames { ring: [[0; TAG_NUMBERS]; KEPT], next: 0, len: 0, believed: Placement::EMPTY, table }
    }

    /// Forgets the frames, but not the table.
    pub(super) const fn forget(&mut self) {
        (self.len, self.believed) = (0, Placement::EMPTY);
    }

    /// Adds a frame. Returns the placement when there are three frames.
    pub(super) fn push(&mut self, numbers: &[u8]) -> Option<Placement> {
        self.ring[self.next] = numbers.try_into().ok()?;
        self.next = (self.next + 1) % KEPT;
        self.len = (self.len + 1).min(KEPT);
        if self.is_another_set()
            && let Some(table) = [LEARN, KEPT].into_iter().filter(|count| *count <= self.len).find_map(|count| self.learn(count))
            // A frame in which no known tag was read does not mean that another set is on the board.
            && !table.entries().iter().any(|(tag, _)| self.table.piece(tag).is_some())
        {
            self.table = table;
        }
        if self.len < 3 {
            return None;
        }
        for index in 0..64 {
            if let Some(square) = square(index) {
                let reading = self.reading(index, self.believed.get(square));
                self.believed.set(square, reading);
            }
        }
        Some(self.believed)
    }

    /// Returns the tag at `index` of the frame that came `back` frames before the last one; `None` if it is not a valid tag.
    fn tag(&self, back: usize, index: u8) -> Option<Tag> {
        let frame = &self.ring[(self.next + 2 * KEPT - 1 - back % KEPT) % KEPT];
        let tag = frame.as_chunks().0.get(usize::from(index)).copied().unwrap_or(NO_TAG);
        may_be_tag(&tag).then_some(tag)
    }

    /// Returns the reading of a square from the last three frames. `before` is its last reading.
    fn reading(&self, index: u8, before: Reading) -> Reading {
        let last = [2, 1, 0].map(|back| self.tag(back, index));
        let [a, b, c] = last;
        let known = |tag: &Tag| self.table.piece(tag);
        let twice = if a == b || b == c {
            b
        } else if a == c {
            a
        } else {
            None
        };
        match twice {
            Some(tag) => match known(&tag) {
                Some(piece) => Reading::Piece(piece),
                // A piece without calibration must be seen three times.
                None if (a == b && b == c) || before == Reading::Occupied => Reading::Occupied,
                None => Reading::Empty,
            },
            // One piece goes and another one comes. It is not clear yet which of them stands there.
            None if last.iter().flatten().filter(|tag| known(tag).is_some()).count() > 1 => before,
            None => Reading::Empty,
        }
    }

    /// Returns whether the last frame contains only unknown pieces.
    fn is_another_set(&self) -> bool {
        let known = |index| self.tag(0, index).is_some_and(|tag| self.table.piece(&tag).is_some());
        !(0..64).any(known)
    }

    /// Returns the table of the initial position, if the last `count` frames show it.
    fn learn(&self, count: usize) -> Option<Calibration> {
        Calibration::learn(|index| self.shows(index, count))
    }

    /// Returns what the square at `index` shows in the last `count` frames.
    fn shows(&self, index: u8, count: usize) -> Shows {
        let times = |tag: Tag| (0..count).filter(|back| self.tag(*back, index) == Some(tag)).count();
        let most = (0..count).filter_map(|back| self.tag(back, index)).map(|tag| (times(tag), tag)).max();
        match most {
            // Two thirds of the frames are enough, because tags can be lost. Noise does not come three times.
            Some((often, tag)) if 3 * often >= 2 * count => Shows::Tag(tag),
            Some((3.., _)) => Shows::Unclear,
            _ => Shows::Nothing,
        }
    }

    /// Returns whether there are enough frames to learn a set.
    pub(super) const fn are_enough(&self) -> bool {
        self.len >= LEARN
    }

    /// Returns what a square shows in the last [`LEARN`] frames; `None` until there are enough.
    pub(super) fn lately(&self, place: Square) -> Option<Shows> {
        // The mapping between squares and indices is its own inverse.
        let index = square(place.index() as u8)?.index() as u8;
        self.are_enough().then(|| self.shows(index, LEARN))
    }
}

/// The last frames of a board that senses occupied squares. The newest frame is last.
#[derive(Clone, Debug, Default)]
pub(super) struct RankFrames {
    last: [u64; 3],
    len: usize,
}

impl RankFrames {
    /// Forgets the frames.
    pub(super) const fn forget(&mut self) {
        self.len = 0;
    }

    /// Adds a frame. Returns the placement when there are three frames.
    pub(super) fn push(&mut self, numbers: &[u8]) -> Option<Placement> {
        let [_, b, c] = self.last;
        let new = occupied(numbers.try_into().ok()?);
        self.last = [b, c, new];
        self.len = (self.len + 1).min(3);
        (self.len == 3).then(|| placement((b & c) | (c & new) | (b & new)))
    }
}
