//! A long game as the bytes of a board with a clock: random legal moves as square updates, presses, a clock report every second.

use std::time::Duration;

use flagfall_protocols::drivers::dgt::board::BoardMessage;
use flagfall_protocols::drivers::dgt::clock::{ClockMessage, ClockReport, RawFace, Status};
use flagfall_protocols::drivers::dgt::squares;
use flagfall_protocols::event::ClockFace;
use flagfall_protocols::square::{self, Placement, Reading};
use flagfall_protocols::time::{ClockTime, Instant};
use shakmaty::{Chess, Move, Position, Square};

/// Additional time with each move, seconds.
const ADDITIONAL: u32 = 30;
/// The time control of the game, PGN notation.
pub(crate) const CONTROL: &str = "7200+30";
const MAIN: u32 = 7200;
/// The range of seconds that a player thinks.
const THINKS: std::ops::Range<u64> = 20..100;

/// The kind of a piece of the stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Answers at the start, and keep-alives.
    Session,
    /// An update of one square.
    Field,
    /// A clock report after a second without a press.
    Tick,
    /// A clock report of a press or of the start.
    Press,
}

/// One message of the board.
#[derive(Clone, Debug)]
pub(crate) struct Piece {
    pub(crate) at: Instant,
    pub(crate) kind: Kind,
    pub(crate) bytes: Vec<u8>,
}

/// A game of about `length`, which is the same for the same seed: the link comes up at 0, and White is on the left.
pub(crate) fn game(length: Duration, seed: u64) -> Vec<Piece> {
    // Few random games end within two hours: the first one that does not is taken.
    let mut rng = fastrand::Rng::with_seed(seed);
    loop {
        let mut stream = Stream::new();
        if stream.play(length, &mut rng) {
            return stream.pieces;
        }
    }
}

struct Stream {
    pieces: Vec<Piece>,
    now: Instant,
    /// The seconds on White's and Black's displays.
    left: [u32; 2],
    position: Chess,
    counts: Vec<(Chess, u8)>,
}

impl Stream {
    fn new() -> Stream {
        let start = MAIN + ADDITIONAL;
        Stream { pieces: Vec::new(), now: Instant(1_000_000), left: [start; 2], position: Chess::default(), counts: Vec::new() }
    }

    /// Plays the game; returns false if it ended before `length`.
    fn play(&mut self, length: Duration, rng: &mut fastrand::Rng) -> bool {
        self.start();
        while self.now.since(Instant::ZERO) < length {
            let moves = self.position.legal_moves();
            if moves.is_empty() || self.position.is_insufficient_material() || self.repeats() {
                return false;
            }
            let mv = moves[rng.usize(0..moves.len())];
            self.think(rng.u64(THINKS));
            self.make(mv);
            self.press();
        }
        true
    }

    /// Whether the game is near an end by repetition or by the count of moves (9.6).
    fn repeats(&mut self) -> bool {
        match self.counts.iter_mut().find(|(known, _)| *known == self.position) {
            Some((_, count)) => *count += 1,
            None => self.counts.push((self.position.clone(), 1)),
        }
        self.position.halfmoves() >= 140 || self.counts.iter().any(|(_, count)| *count >= 4)
    }

    /// Adds the answers to the first questions, and the start of the clock.
    fn start(&mut self) {
        let placement = Placement::initial();
        let mut codes = [0; 64];
        for square in square::Square::all() {
            codes[usize::from(squares::index(square))] = squares::code(placement.get(square)).unwrap_or(0);
        }
        for message in [
            BoardMessage::Version { major: 1, minor: 80 },
            BoardMessage::LongSerial(b"0000001025"),
            BoardMessage::Serial(b"01025"),
            BoardMessage::Board(&codes),
        ] {
            self.push(Kind::Session, &message);
            self.wait(Duration::from_millis(100));
        }
        self.clock(Kind::Press, false);
        self.wait(Duration::from_millis(500));
        self.clock(Kind::Press, true);
    }

    fn think(&mut self, seconds: u64) {
        let mover = usize::from(self.position.turn().is_black());
        for _ in 0..seconds {
            self.wait(Duration::from_millis(600));
            self.push(Kind::Session, &BoardMessage::Serial(b"01025"));
            self.wait(Duration::from_millis(400));
            self.left[mover] -= 1;
            self.clock(Kind::Tick, true);
        }
    }

    /// The hand lifts and places, the captured piece first; the board reports each in its scans.
    fn make(&mut self, mv: Move) {
        let before = self.position.board().clone();
        self.position.play_unchecked(mv);
        let after = self.position.board().clone();
        let changed: Vec<Square> =
            Square::ALL.into_iter().filter(|&square| before.piece_at(square) != after.piece_at(square)).collect();
        for &square in changed.iter().filter(|&&square| before.piece_at(square).is_some()) {
            self.field(square, None);
        }
        for &square in &changed {
            if let Some(piece) = after.piece_at(square) {
                self.field(square, Some(piece));
            }
        }
    }

    fn field(&mut self, square: Square, piece: Option<shakmaty::Piece>) {
        self.wait(Duration::from_millis(150));
        let reading = match piece.and_then(|piece| square::Piece::from_letter(piece.char())) {
            Some(piece) => Reading::Piece(piece),
            None => Reading::Empty,
        };
        let index = squares::index(square::Square::wrapping(square.to_u32() as u8));
        self.push(Kind::Field, &BoardMessage::Field { index, code: squares::code(reading).unwrap_or(0) });
    }

    /// The player who has moved presses the clock.
    fn press(&mut self) {
        self.wait(Duration::from_millis(400));
        let mover = usize::from(self.position.turn().is_white());
        self.left[mover] += ADDITIONAL;
        self.clock(Kind::Press, true);
    }

    fn clock(&mut self, kind: Kind, running: bool) {
        let face =
            |seconds: u32| RawFace::new(ClockFace { time: ClockTime(seconds * 1000), adds_time: true, ..ClockFace::default() });
        let turn = if self.position.turn().is_white() { Status::LEFT_TURN } else { Status::RIGHT_TURN | Status::RIGHT_UP };
        let status = Status(turn | if running { Status::RUNNING } else { 0 });
        let report = ClockReport { left: face(self.left[0]), right: face(self.left[1]), status };
        self.push(kind, &BoardMessage::Clock(ClockMessage::Report(report).encode()));
    }

    fn push(&mut self, kind: Kind, message: &BoardMessage<'_>) {
        let mut bytes = Vec::new();
        message.encode(&mut bytes);
        self.pieces.push(Piece { at: self.now, kind, bytes });
    }

    fn wait(&mut self, span: Duration) {
        self.now = self.now.after(span);
    }
}
