//! Defines the answers of the mate solver and their proofs.

use alloc::vec::Vec;

use shakmaty::{Bitboard, Board, Color, Move, Role, Square};

/// The answer to "can this side still checkmate?".
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// Yes, the side can.
    Winnable {
        /// The legal moves of both sides from the position to the mate; none if the mate is on the board.
        line: Vec<Move>,
        /// No shorter line exists.
        shortest: bool,
    },
    /// No, the side cannot.
    Unwinnable {
        /// The proof.
        reason: Reason,
    },
    /// The budget was spent without an answer, or the position has more than [`MOST_MEN`](super::MOST_MEN) men and was not
    /// searched.
    Undecided {
        /// The work that was spent.
        counters: Counters,
    },
}

/// The reason why a side cannot checkmate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reason {
    /// The side has been checkmated.
    Mated,
    /// The game has ended by stalemate.
    Stalemate,
    /// The side has the king alone.
    BareKing,
    /// No mate can be set up with the men of the side, whatever the opponent does: a knight against queens only, or bishops
    /// on one colour of squares without a man that could block the others.
    Material,
    /// Every move until the end is the only legal one.
    Forced {
        /// The only moves.
        line: Vec<Move>,
        /// The end of the line.
        end: ForcedEnd,
    },
    /// Locked walls: no mate can arise on the squares that each man can ever reach.
    Wall(Wall),
    /// All positions that can arise were generated, and none is a mate by the side.
    Exhausted(Closure),
}

/// The end of a forced line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ForcedEnd {
    /// The side is checkmated.
    Mated,
    /// A side is stalemated.
    Stalemate,
    /// The side's material no longer suffices.
    Material,
    /// A position comes back, so the moves repeat for ever.
    Circle,
}

/// All positions that can arise, counted by kind.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Closure {
    /// The number of different positions, including the first.
    pub positions: u32,
    /// The number of half-moves to the farthest position by the shortest way.
    pub depth: u32,
    /// The number of positions in which the side's material no longer suffices. They are not followed further.
    pub material: u32,
    /// Stalemates.
    pub stalemates: u32,
    /// Checkmates of the side itself.
    pub mated: u32,
    /// The number of positions behind one of `walls`. They are not followed further.
    pub walled: u32,
    /// The walls met on the way.
    pub walls: Vec<Wall>,
}

/// A set of positions that no legal move leaves, except steps of a king that stalemate the opponent and pushes of a pawn that mate
/// the side, and that holds no mate by the side. There is no castling and no en passant, the steady men stand on their squares, every other man stands on a square
/// of its [`Reach`], and the pawns that face a [`Guard`] are still in front of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wall {
    /// The men that can neither move nor be taken, except by a king's step that stalemates or a push that mates the side.
    pub steady: Board,
    /// All other men, and the pieces that pawns may become.
    pub reaches: Vec<Reach>,
    /// The pawns that stay on their file and cannot be taken.
    pub guards: Vec<Guard>,
}

/// A pawn among those of the [`Reach`]es that always stands on its file, on `home` or ahead of it, and is never taken. No
/// pawn of the opponent that faces it passes `home`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Guard {
    /// The side of the pawn.
    pub color: Color,
    /// The rearmost square on which it stands.
    pub home: Square,
}

/// The squares on which men of one kind can ever stand. Men of one kind that have no square in common have separate reaches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reach {
    /// The side of the men.
    pub color: Color,
    /// Their kind.
    pub role: Role,
    /// The most men of this kind at one time.
    pub count: u8,
    /// The squares.
    pub squares: Bitboard,
}

/// The cost of a question.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// The number of positions generated.
    pub nodes: u64,
    /// The number of walls tried.
    pub walls: u32,
}
