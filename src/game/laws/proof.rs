//! Converts a proof that a side cannot mate into the form that the journal keeps, and back (`ARCHITECTURE.md#5`). Moves are in
//! UCI notation (`e7e8q`), boards are the first part of a FEN (the men on each rank), and sets of squares are 16 hexadecimal
//! digits with a1 as the lowest bit.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use shakmaty::uci::UciMove;
use shakmaty::{Bitboard, Board, Chess, Color, Move, Piece, Position};

use crate::mate::{self, ForcedEnd, Reason};

/// The largest number of walls in one proof. More do not fit into a record.
pub const MOST_WALLS: usize = 512;
/// The largest number of men in one wall. A board has no more men, and no more kinds and squares of them.
const MOST_MEN: usize = 64;
/// The largest number of moves in a forced line.
const MOST_FORCED: usize = 64;

/// A [`Reason`] in the form that the journal keeps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Proof {
    /// The side has been checkmated.
    Mated,
    /// Stalemate is on the board.
    Stalemate,
    /// The side has the king alone.
    BareKing,
    /// The side's men cannot mate those of the opponent.
    Material,
    /// Every move is the only one.
    Forced {
        /// UCI.
        line: Vec<String>,
        /// How they end.
        end: End,
    },
    /// Men that nothing can move keep the others apart.
    LockedWalls {
        /// The wall.
        wall: Wall,
    },
    /// All positions that can arise were looked at.
    ExhaustedClosure {
        /// How many there are.
        positions: u32,
        /// Half-moves to the farthest.
        depth: u32,
        /// Too little material.
        material: u32,
        /// Stalemates.
        stalemates: u32,
        /// Mates of the side itself.
        mated: u32,
        /// Behind a wall.
        walled: u32,
        /// The walls.
        walls: Vec<Wall>,
    },
}

/// How a forced line ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// The side is checkmated.
    Mated,
    /// Stalemate.
    Stalemate,
    /// The side's material no longer suffices.
    Material,
    /// A position comes back.
    Circle,
}

/// A wall.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wall {
    /// Men that can neither move nor be taken.
    pub steady: String,
    /// All others: letter of a FEN, most at a time, squares: `K1:0000000000000707`.
    pub men: Vec<String>,
    /// Pawns that stay on their file, from these squares on: `Pa2`.
    pub guards: Vec<String>,
}

impl Proof {
    /// The proof for a reason, in its written form; none if it is too large for a record.
    pub fn of(reason: &Reason, position: &Chess) -> Option<Proof> {
        Some(match reason {
            Reason::Mated => Proof::Mated,
            Reason::Stalemate => Proof::Stalemate,
            Reason::BareKing => Proof::BareKing,
            Reason::Material => Proof::Material,
            Reason::Forced { line, end } => Proof::Forced {
                line: line.iter().map(|step| step.to_uci(position.castles().mode()).to_string()).collect(),
                end: match end {
                    ForcedEnd::Mated => End::Mated,
                    ForcedEnd::Stalemate => End::Stalemate,
                    ForcedEnd::Material => End::Material,
                    ForcedEnd::Circle => End::Circle,
                },
            },
            Reason::Wall(wall) => Proof::LockedWalls { wall: write(wall) },
            Reason::Exhausted(closure) if closure.walls.len() > MOST_WALLS => return None,
            Reason::Exhausted(closure) => Proof::ExhaustedClosure {
                positions: closure.positions,
                depth: closure.depth,
                material: closure.material,
                stalemates: closure.stalemates,
                mated: closure.mated,
                walled: closure.walled,
                walls: closure.walls.iter().map(write).collect(),
            },
        })
    }

    /// The reason of a written proof, for this position.
    ///
    /// # Errors
    /// Names the part that cannot be read.
    pub fn read(&self, position: &Chess) -> Result<Reason, &'static str> {
        Ok(match self {
            Proof::Mated => Reason::Mated,
            Proof::Stalemate => Reason::Stalemate,
            Proof::BareKing => Reason::BareKing,
            Proof::Material => Reason::Material,
            Proof::Forced { line, .. } if line.len() > MOST_FORCED => return Err("the forced line is too long"),
            Proof::Forced { line, end } => Reason::Forced {
                line: moves(position, line)?,
                end: match end {
                    End::Mated => ForcedEnd::Mated,
                    End::Stalemate => ForcedEnd::Stalemate,
                    End::Material => ForcedEnd::Material,
                    End::Circle => ForcedEnd::Circle,
                },
            },
            Proof::LockedWalls { wall } => Reason::Wall(wall.read().ok_or(BAD_WALL)?),
            Proof::ExhaustedClosure { walls, .. } if walls.len() > MOST_WALLS => return Err("too many walls"),
            Proof::ExhaustedClosure { positions, depth, material, stalemates, mated, walled, walls } => {
                Reason::Exhausted(mate::Closure {
                    positions: *positions,
                    depth: *depth,
                    material: *material,
                    stalemates: *stalemates,
                    mated: *mated,
                    walled: *walled,
                    walls: walls.iter().map(|wall| wall.read().ok_or(BAD_WALL)).collect::<Result<_, _>>()?,
                })
            }
        })
    }
}

const BAD_WALL: &str = "a wall cannot be read";

/// The legal moves of a line in UCI notation.
///
/// # Errors
/// Tells whether a move of the line cannot be read or is not legal.
pub(crate) fn moves(position: &Chess, line: &[String]) -> Result<Vec<Move>, &'static str> {
    let mut at = position.clone();
    line.iter()
        .map(|text| {
            let uci = UciMove::from_ascii(text.as_bytes()).map_err(|_| "a move of the line cannot be read")?;
            let step = uci.to_move(&at).map_err(|_| "a move of the line is not legal")?;
            at.play_unchecked(step);
            Ok(step)
        })
        .collect()
}

fn write(wall: &mate::Wall) -> Wall {
    let men = wall.reaches.iter().map(|reach| {
        let man = reach.role.of(reach.color).char();
        format!("{man}{}:{:016x}", reach.count, reach.squares.0)
    });
    let guards = wall.guards.iter().map(|guard| format!("{}{}", guard.color.fold_wb('P', 'p'), guard.home));
    Wall { steady: wall.steady.board_fen().to_string(), men: men.collect(), guards: guards.collect() }
}

impl Wall {
    fn read(&self) -> Option<mate::Wall> {
        if self.men.len() > MOST_MEN || self.guards.len() > MOST_MEN {
            return None;
        }
        let reach = |text: &String| {
            let (man, squares) = text.split_once(':')?;
            let mut rest = man.chars();
            let piece = Piece::from_char(rest.next()?)?;
            let squares = Bitboard(u64::from_str_radix(squares, 16).ok()?);
            Some(mate::Reach { color: piece.color, role: piece.role, count: rest.as_str().parse().ok()?, squares })
        };
        let guard = |text: &String| {
            let color = match text.as_bytes().first()? {
                b'P' => Color::White,
                b'p' => Color::Black,
                _ => return None,
            };
            Some(mate::Guard { color, home: text.get(1..)?.parse().ok()? })
        };
        Some(mate::Wall {
            steady: Board::from_ascii_board_fen(self.steady.as_bytes()).ok()?,
            reaches: self.men.iter().map(reach).collect::<Option<_>>()?,
            guards: self.guards.iter().map(guard).collect::<Option<_>>()?,
        })
    }
}
