//! The bytes of a blitz game in which Black's flag falls, made by hand.

use flagfall_protocols::drivers::dgt::board::BoardMessage;
use flagfall_protocols::drivers::dgt::clock::{ClockMessage, ClockReport, RawFace, Status};
use flagfall_protocols::drivers::dgt::squares;
use flagfall_protocols::event::ClockFace;
use flagfall_protocols::square::{Piece, Placement, Reading, Square};
use flagfall_protocols::time::{ClockTime, Instant};
use flagfall_protocols::trace::{self, Body, Record};

/// A trace in the making.
struct Tape {
    text: String,
    seq: u64,
    now: u64,
    /// The remaining seconds of White and Black.
    left: [u32; 2],
    black_runs: bool,
}

impl Tape {
    fn new() -> Tape {
        let mut text = format!("{}\n", trace::FORMAT);
        for (key, value) in [("driver", "dgt"), ("name", "kill9"), ("time-control", "30+2")] {
            trace::print_header(key, value, &mut text).expect("a header");
        }
        Tape { text, seq: 0, now: 0, left: [30, 30], black_runs: false }
    }

    fn message(&mut self, message: &BoardMessage<'_>) {
        let mut bytes = Vec::new();
        message.encode(&mut bytes);
        self.seq += 1;
        let body = Body::Rx { link: 0, channel: 0, bytes: bytes.into() };
        trace::print(&Record { seq: self.seq, at: Instant(self.now), body }, &mut self.text).expect("a record");
    }

    fn dump(&mut self) {
        let mut codes = [0; 64];
        for square in Square::all() {
            codes[usize::from(squares::index(square))] =
                squares::code(Placement::initial().get(square)).expect("a piece or none");
        }
        self.message(&BoardMessage::Board(&codes));
    }

    fn square(&mut self, square: &str, reading: Option<char>) {
        let reading = reading.map_or(Reading::Empty, |piece| Reading::Piece(Piece::from_letter(piece).expect("a piece")));
        let index = squares::index(Square::parse(square).expect("a square"));
        self.message(&BoardMessage::Field { index, code: squares::code(reading).expect("a code") });
    }

    fn clock(&mut self, runs: bool) {
        let face = |seconds: u32| ClockFace {
            time: ClockTime(seconds * 1000),
            flag_blocked: seconds == 0,
            flag_shown: seconds == 0,
            adds_time: true,
        };
        // White is on the left; the lever of the player whose clock runs is up.
        let (turn, up) = if self.black_runs { (Status::RIGHT_TURN, Status::RIGHT_UP) } else { (Status::LEFT_TURN, 0) };
        let status = Status(if runs { Status::RUNNING } else { 0 } | turn | up);
        let [left, right] = self.left.map(|seconds| RawFace::new(face(seconds)));
        self.message(&BoardMessage::Clock(ClockMessage::Report(ClockReport { right, left, status }).encode()));
    }

    /// Takes a second from the clock that runs.
    fn second(&mut self) {
        self.now += 1_000_000;
        let left = &mut self.left[usize::from(self.black_runs)];
        *left -= 1;
        let runs = *left > 0;
        self.clock(runs);
    }

    fn play(&mut self, piece: char, from: &str, to: &str) {
        self.second();
        self.now += 300_000;
        self.square(from, None);
        self.now += 400_000;
        self.square(to, Some(piece));
        self.now += 200_000;
        self.left[usize::from(self.black_runs)] += 2;
        self.black_runs = !self.black_runs;
        self.clock(true);
    }
}

/// Knights go out and back and pawns advance; then Black thinks until the flag falls.
pub(crate) fn game() -> String {
    let mut tape = Tape::new();
    tape.dump();
    tape.clock(false);
    tape.now += 1_000_000;
    tape.clock(true);
    for (white, black) in [("a", "h"), ("c", "d"), ("e", "b"), ("g", "g")] {
        for (piece, from, to) in [('N', "g1", "f3"), ('n', "g8", "f6"), ('N', "f3", "g1"), ('n', "f6", "g8")] {
            tape.play(piece, from, to);
        }
        tape.play('P', &format!("{white}2"), &format!("{white}3"));
        tape.play('p', &format!("{black}7"), &format!("{black}6"));
    }
    tape.play('N', "g1", "f3");
    while tape.left[1] > 0 {
        tape.second();
    }
    tape.text
}
