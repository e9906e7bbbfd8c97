//! The answers and their proofs.

use alloc::vec::Vec;

use shakmaty::{Bitboard, Board, Color, Move, Role, Square};

/// The answer to "can this side still checkmate?".
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// Yes.
    Winnable {
        /// Legal moves of both sides from the position to the mate; none if the mate is on the board.
        line: Vec<Move>,
        /// No shorter line exists.
        shortest: bool,
    },
    /// No.
    Unwinnable {
        /// The proof.
        reason: Reason,
    },
    /// The budget did not settle it.
    Undecided {
        /// What was spent.
        counters: Counters,
    },
}

/// Why a side cannot checkmate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reason {
    /// The side has been checkmated.
    Mated,
    /// The game has ended by stalemate.
    Stalemate,
    /// The side has the king alone.
    BareKing,
    /// No mate can be set up with the men of the side, whatever the opponent does: a knight against queens only, or bishops
    /// of one colour of squares without a man that could block the others.
    Material,
    /// Every move is the only one until the end.
    Forced {
        /// The only moves.
        line: Vec<Move>,
        /// How they end.
        end: ForcedEnd,
    },
    /// Locked walls: the squares that each man can ever reach hold no mate.
    Wall(Wall),
    /// All positions that can arise were generated, and none is a mate by the side.
    Exhausted(Closure),
}

/// How a forced line ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ForcedEnd {
    /// The side is checkmated.
    Mated,
    /// Stalemate.
    Stalemate,
    /// The side's material no longer suffices.
    Material,
    /// A position comes back, and so for ever.
    Circle,
}

/// All positions that can arise, counted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Closure {
    /// Different positions, the asked one among them.
    pub positions: u32,
    /// Half-moves to the farthest position by the shortest way.
    pub depth: u32,
    /// Positions in which the side's material no longer suffices; not followed further.
    pub material: u32,
    /// Stalemates.
    pub stalemates: u32,
    /// Checkmates of the side itself.
    pub mated: u32,
    /// Positions behind one of `walls`; not followed further.
    pub walled: u32,
    /// Walls met on the way.
    pub walls: Vec<Wall>,
}

/// A set of positions that no legal move leaves and that holds no mate by the side: no castling, no en passant, the steady men
/// on their squares, every other man on a square of its [`Reach`],
/// the pawns that face a [`Guard`] still in front of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wall {
    /// Men that can neither move nor be taken.
    pub steady: Board,
    /// All other men, and what pawns may become.
    pub reaches: Vec<Reach>,
    /// Pawns that stay on their file and cannot be taken.
    pub guards: Vec<Guard>,
}

/// A pawn among those of the [`Reach`]es that always stands on its file, on `home` or ahead of it, and is never taken: no pawn
/// of the opponent that faces it passes `home`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Guard {
    /// Whose.
    pub color: Color,
    /// The rearmost square where it stands.
    pub home: Square,
}

/// Where men of one kind can ever stand. Men of one kind whose squares have none in common have a reach each.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reach {
    /// Whose.
    pub color: Color,
    /// Kind.
    pub role: Role,
    /// At most so many at one time.
    pub count: u8,
    /// The squares.
    pub squares: Bitboard,
}

/// What a question has cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Positions generated.
    pub nodes: u64,
    /// Walls tried.
    pub walls: u32,
}
