//! Certabo and Tabutronic: every shared vector, the text cut into frames, the calibration, and the session in simulated time.

mod framing;
mod learner;
mod session;
mod table;
mod vectors;

use flagfall_protocols::driver::{Driver, Input, Output};
use flagfall_protocols::drivers::certabo::message::{Tag, encode, square};
use flagfall_protocols::drivers::certabo::{Calibration, Session};
use flagfall_protocols::event::{Anomaly, DeviceEvent};
use flagfall_protocols::square::{Placement, Reading, Square};
use flagfall_protocols::time::Instant;

const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR";

fn fen(text: &str) -> Placement {
    Placement::parse(text).expect("a placement")
}

fn at(name: &str) -> Square {
    Square::parse(name).expect("a square")
}

/// A session, whose tables the tests read, and all its outputs.
struct SessionRig {
    session: Session,
    now: u64,
    reported: Vec<DeviceEvent>,
    anomalies: Vec<Anomaly>,
    sent: usize,
}

impl SessionRig {
    fn up(session: Session) -> SessionRig {
        let mut rig = SessionRig { session, now: 0, reported: Vec::new(), anomalies: Vec::new(), sent: 0 };
        rig.give(Input::LinkUp);
        rig
    }

    fn give(&mut self, input: Input<'_>) {
        self.session.handle(Instant(self.now * 1000), input);
        while let Some(output) = self.session.poll() {
            match output {
                Output::Event { event, .. } => self.reported.push(event),
                Output::Anomaly { anomaly, .. } => self.anomalies.push(anomaly),
                Output::Send { .. } => self.sent += 1,
            }
        }
    }

    /// Lets time pass.
    fn advance(&mut self, millis: u64) {
        let end = self.now + millis;
        while let Some(deadline) = self.session.deadline().filter(|deadline| *deadline <= Instant(end * 1000)) {
            self.now = deadline.micros() / 1000;
            self.give(Input::Deadline);
        }
        self.now = end;
    }

    fn bytes(&mut self, bytes: &[u8]) {
        self.give(Input::Bytes { channel: 0, bytes });
    }

    /// Feeds a frame and lets a quarter of a second pass.
    fn frame(&mut self, numbers: &[u8]) {
        let mut text = Vec::new();
        encode(&mut text, numbers, false, None);
        self.bytes(&text);
        self.advance(250);
    }

    /// Takes the events that were reported since the last call.
    fn take_events(&mut self) -> Vec<DeviceEvent> {
        std::mem::take(&mut self.reported)
    }
}

/// Numbers of a frame in which each piece of the initial position stands on its square, with the tag `3 0 84 1 index`.
fn initial() -> Numbers {
    let mut numbers = Numbers([0; 320]);
    for square in Square::all().filter(|square| Placement::initial().get(*square) != Reading::Empty) {
        numbers.put(square, own(square));
    }
    numbers
}

/// The tag of the piece that stands on this square in the initial position.
fn own(square: Square) -> Tag {
    [3, 0, 84, 1, square.index() as u8 + 1]
}

#[derive(Clone, Copy)]
struct Numbers([u8; 320]);

impl Numbers {
    fn put(&mut self, square: Square, tag: Tag) {
        let index = (0..64).find(|index| self::square(*index) == Some(square)).expect("all squares are there");
        self.0[usize::from(index) * 5..][..5].copy_from_slice(&tag);
    }

    fn with(mut self, square: &str, tag: Tag) -> Numbers {
        self.put(at(square), tag);
        self
    }

    fn without(self, square: &str) -> Numbers {
        self.with(square, [0; 5])
    }

    fn moved(self, from: &str, to: &str) -> Numbers {
        self.without(from).with(to, own(at(from)))
    }

    /// Ten empty squares carry random bytes, as noise.
    fn noisy(mut self, rng: &mut fastrand::Rng) -> Numbers {
        for _ in 0..10 {
            let place = rng.usize(16..48) * 5;
            if self.0[place..place + 5] == [0; 5] {
                self.0[place..place + 5].copy_from_slice(&[rng.u8(1..), rng.u8(1..), rng.u8(..), rng.u8(1..), rng.u8(..)]);
            }
        }
        self
    }
}

/// The table of [`initial`].
fn usual_table() -> Calibration {
    let mut table = Calibration::default();
    for square in Square::all() {
        if let Some(piece) = Placement::initial().get(square).piece() {
            table.add(own(square), piece).expect("tags are unique");
        }
    }
    table
}
