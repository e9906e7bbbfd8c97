//! Turns the moves of a game into the actions of people at a board: hand motions, presses, and the end of the game.
//!
//! ```
//! use flagfall::emulate::hands::{End, Habits, Manner, Play, Turn};
//! use shakmaty::Chess;
//! use std::time::Duration;
//!
//! let second = Duration::from_secs(1);
//! let turns = ["e4", "e5", "Bc4"].map(|san| Turn { san: san.to_owned(), think: second, manner: Manner::Slide });
//! let play = Play { start: Chess::default(), turns: turns.to_vec(), end: End::default(), rotated: false };
//! let script = play.script(&Habits::default(), 7).expect("legal moves");
//! assert!(script.to_string().contains("slide f1 c4"));
//! ```

use std::fmt;
use std::time::Duration;

use fastrand::Rng;
use flagfall_hardware::emulator::script::{Action, Script};
use flagfall_protocols::event::ClockSide;
use flagfall_protocols::square::{Color, Piece, Role, Square};
use shakmaty::san::SanPlus;
use shakmaty::{Chess, Move, Position};

mod adjust;
mod motions;

/// The way in which a move is made. A way that does not suit a move becomes [`Manner::Straight`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Manner {
    /// Any way that suits the move, chosen by the seed.
    #[default]
    ByChance,
    /// Lift and put down. A captured man is pushed off, the king moves before the rook, the pawn is exchanged on its last rank,
    /// and a pawn that is captured en passant is removed last.
    Straight,
    /// The piece slides along the board, over every square on the way.
    Slide,
    /// A captured man, or the pawn that promotes, is removed first.
    VictimFirst,
    /// A captured man is removed just before the other comes down; the promoted piece stands before the pawn is removed.
    VictimLast,
    /// With two hands both men of a castling, or the capturing and the captured man, are lifted at the same time.
    BothHands,
    /// The rook moves before the king.
    RookFirst,
    /// The piece pauses on the last square before its own, or between squares where no sensor sees it.
    Pause,
    /// The new square is seen before the old one is empty, as a scan may see a fast hand.
    SeenTwice,
}

impl Manner {
    const CHOICE: [Manner; 8] = [
        Manner::Straight,
        Manner::Slide,
        Manner::VictimFirst,
        Manner::VictimLast,
        Manner::BothHands,
        Manner::RookFirst,
        Manner::Pause,
        Manner::SeenTwice,
    ];
}

/// How fast and how careful the players are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Habits {
    /// The time between two touches of one move, from and to.
    pub hand: [Duration; 2],
    /// The time from the release of the piece to the press, from and to.
    pub press: [Duration; 2],
    /// In this many of a hundred turns a piece that is not to move is adjusted and put back (4.2.1).
    pub adjusts: u8,
}

impl Default for Habits {
    /// Blitz: a piece is in the hand for a quarter of a second, and the hand goes on to the clock at once.
    fn default() -> Habits {
        let millis = |from, to| [Duration::from_millis(from), Duration::from_millis(to)];
        Habits { hand: millis(120, 350), press: millis(200, 600), adjusts: 8 }
    }
}

/// One move at a board.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Turn {
    /// Standard algebraic notation.
    pub san: String,
    /// The time from the opponent's press to the first touch.
    pub think: Duration,
    /// The way in which it is made.
    pub manner: Manner,
}

/// A result shown with the kings on the four squares of the centre.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shown {
    /// Both kings on white squares.
    WhiteWon,
    /// Both kings on black squares.
    BlackWon,
    /// One on each.
    Draw,
}

/// What is done after the last move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct End {
    /// The clock is pressed after the last move; if not, that player's time goes on.
    pub pressed: bool,
    /// The time after the last move at which an arbiter stops the clock.
    pub stop_after: Option<Duration>,
    /// The result that the kings show after that.
    pub kings: Option<Shown>,
}

impl Default for End {
    /// The last move is pressed, and nothing more happens.
    fn default() -> End {
        End { pressed: true, stop_after: None, kings: None }
    }
}

/// A game as it is played at a board.
#[derive(Clone, Debug)]
pub struct Play {
    /// The position on the board at the beginning.
    pub start: Chess,
    /// The moves.
    pub turns: Vec<Turn>,
    /// What is done after them.
    pub end: End,
    /// White sits at the other side of the board, and at the right of the clock.
    pub rotated: bool,
}

/// A move that cannot be played.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Illegal {
    /// The ply, from 1.
    pub ply: usize,
    /// The move as it was written.
    pub san: String,
}

impl fmt::Display for Illegal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ply {}: `{}` is no legal move", self.ply, self.san)
    }
}

impl std::error::Error for Illegal {}

/// The time that an arbiter needs to reach the clock's button, or a player to reach the kings.
const REACH: Duration = Duration::from_millis(800);

impl Play {
    /// The moves.
    ///
    /// # Errors
    /// The first move that is not legal or cannot be read.
    pub fn moves(&self) -> Result<Vec<Move>, Illegal> {
        let mut position = self.start.clone();
        let legal = |(index, turn): (usize, &Turn)| {
            let read = turn.san.parse::<SanPlus>().ok().and_then(|san| san.san.to_move(&position).ok());
            let mv = read.ok_or_else(|| Illegal { ply: index + 1, san: turn.san.clone() })?;
            position.play_unchecked(mv);
            Ok(mv)
        };
        self.turns.iter().enumerate().map(legal).collect()
    }

    /// Returns the hand motions. The clock is started half a second after the script begins. The same seed gives the same script.
    ///
    /// # Errors
    /// As [`Play::moves`].
    pub fn script(&self, habits: &Habits, seed: u64) -> Result<Script, Illegal> {
        let moves = self.moves()?;
        let mut rng = Rng::with_seed(seed);
        let mut script = Script::new();
        let mut position = self.start.clone();
        let mut now = Duration::from_millis(500);
        self.add(&mut script, now, Action::Run);
        for (index, (turn, mv)) in self.turns.iter().zip(moves).enumerate() {
            let begin = now + turn.think;
            let (motions, lasts) = motions::motions_of(&mut rng, habits, &position, mv, turn.manner);
            for (at, action) in motions {
                self.add(&mut script, begin + at, action);
            }
            if rng.u8(0..100) < habits.adjusts {
                for (at, action) in adjust::straighten(&mut rng, &position, mv, turn.think) {
                    self.add(&mut script, now + at, action);
                }
            }
            now = begin + lasts;
            if self.end.pressed || index + 1 < self.turns.len() {
                now += between(&mut rng, habits.press);
                let side = if position.turn().is_white() { ClockSide::Left } else { ClockSide::Right };
                self.add(&mut script, now, Action::Press(side));
            }
            position.play_unchecked(mv);
        }
        self.finish(&mut script, &position, now);
        Ok(script)
    }

    fn finish(&self, script: &mut Script, position: &Chess, mut now: Duration) {
        if let Some(after) = self.end.stop_after {
            now += after;
            self.add(script, now, Action::Stop);
        }
        let Some(shown) = self.end.kings else { return };
        let kings = [shakmaty::Color::White, shakmaty::Color::Black].map(|color| position.board().king_of(color));
        let to = match shown {
            Shown::WhiteWon => [shakmaty::Square::E4, shakmaty::Square::D5],
            Shown::BlackWon => [shakmaty::Square::D4, shakmaty::Square::E5],
            Shown::Draw => [shakmaty::Square::E4, shakmaty::Square::E5],
        };
        for from in kings.into_iter().flatten() {
            now += REACH;
            self.add(script, now, Action::Lift(square(from)));
            self.add(script, now, Action::Drop);
        }
        for (to, color) in to.into_iter().zip([Color::White, Color::Black]) {
            now += REACH / 2;
            self.add(script, now, Action::Place(square(to), Some(Piece::new(color, Role::King))));
        }
    }

    /// Adds an action that is given as seen from White's side.
    fn add(&self, script: &mut Script, at: Duration, action: Action) {
        let turned = |square: Square| if self.rotated { square.rotated() } else { square };
        let action = match action {
            Action::Lift(square) => Action::Lift(turned(square)),
            Action::Place(square, piece) => Action::Place(turned(square), piece),
            Action::Slide { from, to, lasts } => Action::Slide { from: turned(from), to: turned(to), lasts },
            Action::Dropout { square, lasts } => Action::Dropout { square: turned(square), lasts },
            Action::Press(side) if self.rotated => Action::Press(side.other()),
            other => other,
        };
        script.push(at, action);
    }
}

/// Shakmaty and the protocols number squares alike.
pub(super) fn square(square: shakmaty::Square) -> Square {
    Square::wrapping(u8::from(square))
}

/// Draws whole microseconds between two times, both included; the first one if they are in the wrong order.
fn between(rng: &mut Rng, [from, to]: [Duration; 2]) -> Duration {
    let (from, to) = (from.as_micros() as u64, to.as_micros() as u64);
    Duration::from_micros(rng.u64(from..=to.max(from)))
}
