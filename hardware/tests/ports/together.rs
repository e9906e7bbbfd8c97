//! Several boards, known by their own numbers alone, whose cables are out at the same time.

use std::sync::Arc;
use std::time::Duration;

use fastrand::Rng;
use flagfall_hardware::port::Ports;

use crate::support::{Board, Folder, Heard, by_serial, now};

/// From the last cable's return to the port that is open, in microseconds: the session that follows takes the rest of two
/// seconds, 0.7 s and an answer. Being asked takes 0.9 s and an answer.
const OPEN_WITHIN: u64 = 1_200_000;

struct Room {
    folder: Folder,
    ports: Arc<Ports>,
    rng: Rng,
    boards: Vec<(String, Board)>,
    names: usize,
}

impl Room {
    fn new(seed: u64) -> Room {
        Room { folder: Folder::new(), ports: Ports::new(), rng: Rng::with_seed(seed), boards: Vec::new(), names: 0 }
    }

    /// Plugs the boards of these numbers in, in any order, under names that nobody had.
    fn plug(&mut self, serials: &[u16]) {
        let mut serials = serials.to_vec();
        self.rng.shuffle(&mut serials);
        let boards: Vec<Board> =
            serials.into_iter().map(|serial| Board::answering(serial, Duration::from_millis(self.rng.u64(5..100)))).collect();
        for board in boards {
            let name = format!("{:02}-{}", self.rng.u8(..), self.names);
            self.names += 1;
            self.folder.link(&name, &board.path);
            self.boards.push((name, board));
        }
    }

    /// Pulls every cable.
    fn pull(&mut self) {
        self.boards.iter().for_each(|(name, _)| self.folder.unlink(name));
        self.boards.clear();
    }

    fn links(&self, serials: &[u16]) -> Vec<Heard> {
        let link = |serial: &u16| Heard::start(by_serial(&self.folder, &serial.to_string()), &self.ports);
        serials.iter().map(link).collect()
    }
}

/// How long each link took, the slowest last.
fn back(links: &[Heard], since: u64) -> Vec<u64> {
    let mut took: Vec<u64> = links.iter().map(|link| link.up().0.saturating_sub(since)).collect();
    took.sort_unstable();
    took
}

fn all_at_once(count: u16, seed: u64) {
    let serials: Vec<u16> = (2101..2101 + count).collect();
    let mut room = Room::new(seed);
    room.plug(&serials);
    let links = room.links(&serials);
    back(&links, now());
    for round in 0..4 {
        room.pull();
        links.iter().for_each(|link| drop(link.down()));
        room.plug(&serials);
        let took = back(&links, now());
        assert!(took.iter().all(|took| *took < OPEN_WITHIN), "round {round}: {took:?}");
    }
}

#[test]
fn six_and_eight_boards_come_back_together() {
    all_at_once(6, 1);
    all_at_once(8, 2);
}
