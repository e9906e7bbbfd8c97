//! A worker's answer to the question of Article 6.9, as the journal keeps it (`ARCHITECTURE.md#5`).

use flagfall_game::laws::{proof, winnable};
use serde::{Deserialize, Serialize};

/// A worker's answer, journalled as an input. Neither a line nor a proof = undecided.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Answer {
    /// The question.
    pub id: u32,
    /// The position asked about; none in older journals, whose questions were numbered in each game.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fen: Option<String>,
    /// The side asked about; with the position.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub side: Option<String>,
    /// Moves that end in mate, UCI; none if the worker found no line.
    #[serde(default)]
    pub line: Option<Vec<String>>,
    /// No line is shorter.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub shortest: bool,
    /// Why there is no line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub proof: Option<Proof>,
    /// Whether the side can force mate, where it has few men (US Chess 14E2, 14E3); none where it has not, or it was not settled.
    /// It carries no proof: `flagfall replay --verify` searches again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub forced_win: Option<bool>,
    /// The worker has looked at the proof again, whole; said of nothing but the position in `fen`.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub checked: bool,
    /// Positions that the worker generated.
    #[serde(default)]
    pub nodes: u64,
    /// Walls that the worker tried.
    #[serde(default)]
    pub walls: u32,
}

impl From<winnable::Answer> for Answer {
    fn from(answer: winnable::Answer) -> Answer {
        let winnable::Answer { id, fen, side, line, shortest, proof, forced_win, checked, nodes, walls } = answer;
        Answer { id, fen, side, line, shortest, proof: proof.map(Proof::from), forced_win, checked, nodes, walls }
    }
}

impl From<Answer> for winnable::Answer {
    fn from(answer: Answer) -> winnable::Answer {
        let Answer { id, fen, side, line, shortest, proof, forced_win, checked, nodes, walls } = answer;
        let proof = proof.map(proof::Proof::from);
        winnable::Answer { id, fen, side, line, shortest, proof, forced_win, checked, nodes, walls }
    }
}

/// Why a side cannot mate, in words that can be written down.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "reason", rename_all = "kebab-case")]
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
        #[serde(default)]
        material: u32,
        /// Stalemates.
        #[serde(default)]
        stalemates: u32,
        /// Mates of the side itself.
        #[serde(default)]
        mated: u32,
        /// Behind a wall.
        #[serde(default)]
        walled: u32,
        /// The walls.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        walls: Vec<Wall>,
    },
}

impl From<proof::Proof> for Proof {
    fn from(proof: proof::Proof) -> Proof {
        match proof {
            proof::Proof::Mated => Proof::Mated,
            proof::Proof::Stalemate => Proof::Stalemate,
            proof::Proof::BareKing => Proof::BareKing,
            proof::Proof::Material => Proof::Material,
            proof::Proof::Forced { line, end } => Proof::Forced { line, end: end.into() },
            proof::Proof::LockedWalls { wall } => Proof::LockedWalls { wall: wall.into() },
            proof::Proof::ExhaustedClosure { positions, depth, material, stalemates, mated, walled, walls } => {
                let walls = walls.into_iter().map(Into::into).collect();
                Proof::ExhaustedClosure { positions, depth, material, stalemates, mated, walled, walls }
            }
        }
    }
}

impl From<Proof> for proof::Proof {
    fn from(proof: Proof) -> proof::Proof {
        match proof {
            Proof::Mated => proof::Proof::Mated,
            Proof::Stalemate => proof::Proof::Stalemate,
            Proof::BareKing => proof::Proof::BareKing,
            Proof::Material => proof::Proof::Material,
            Proof::Forced { line, end } => proof::Proof::Forced { line, end: end.into() },
            Proof::LockedWalls { wall } => proof::Proof::LockedWalls { wall: wall.into() },
            Proof::ExhaustedClosure { positions, depth, material, stalemates, mated, walled, walls } => {
                let walls = walls.into_iter().map(Into::into).collect();
                proof::Proof::ExhaustedClosure { positions, depth, material, stalemates, mated, walled, walls }
            }
        }
    }
}

/// How a forced line ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
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

impl From<proof::End> for End {
    fn from(end: proof::End) -> End {
        match end {
            proof::End::Mated => End::Mated,
            proof::End::Stalemate => End::Stalemate,
            proof::End::Material => End::Material,
            proof::End::Circle => End::Circle,
        }
    }
}

impl From<End> for proof::End {
    fn from(end: End) -> proof::End {
        match end {
            End::Mated => proof::End::Mated,
            End::Stalemate => proof::End::Stalemate,
            End::Material => proof::End::Material,
            End::Circle => proof::End::Circle,
        }
    }
}

/// A wall.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Wall {
    /// Men that can neither move nor be taken.
    pub steady: String,
    /// All others: letter of a FEN, most at a time, squares: `K1:0000000000000707`.
    pub men: Vec<String>,
    /// Pawns that stay on their file, from these squares on: `Pa2`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub guards: Vec<String>,
}

impl From<proof::Wall> for Wall {
    fn from(wall: proof::Wall) -> Wall {
        Wall { steady: wall.steady, men: wall.men, guards: wall.guards }
    }
}

impl From<Wall> for proof::Wall {
    fn from(wall: Wall) -> proof::Wall {
        proof::Wall { steady: wall.steady, men: wall.men, guards: wall.guards }
    }
}
