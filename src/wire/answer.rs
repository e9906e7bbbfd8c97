//! Defines the form in which the journal records an answer to the question of Article 6.9: can this side still checkmate
//! (`ARCHITECTURE.md#5`)?

use flagfall_game::laws::{proof, winnable};
use serde::{Deserialize, Serialize};

/// The worker's answer, which the journal records as an input. An answer without a line and without a proof means undecided.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Answer {
    /// The number of the question.
    pub id: u32,
    /// The position of the question, FEN. Older journals do not have it; they numbered the questions of each game.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fen: Option<String>,
    /// The side of the question; it is there if the position is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub side: Option<String>,
    /// The moves that end in mate, UCI; none if the worker found no line.
    #[serde(default)]
    pub line: Option<Vec<String>>,
    /// Whether it is known that no line is shorter.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub shortest: bool,
    /// The reason why there is no line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub proof: Option<Proof>,
    /// Whether the side can force mate, if it has few men (US Chess 14E2, 14E3). It is none if the side has more men or if the
    /// search did not decide it. There is no proof for it: `flagfall replay --verify` searches again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub forced_win: Option<bool>,
    /// Whether the worker checked the whole proof again. This is about the position in `fen` only.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub checked: bool,
    /// The number of positions that the worker generated.
    #[serde(default)]
    pub nodes: u64,
    /// The number of walls that the worker tried.
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

/// The reason why a side cannot mate, in a form that can be recorded.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "reason", rename_all = "kebab-case")]
pub enum Proof {
    /// The side has been checkmated.
    Mated,
    /// The position is stalemate.
    Stalemate,
    /// The side has only the king.
    BareKing,
    /// The side's men cannot mate against the opponent's men.
    Material,
    /// Every move of both sides is the only legal move.
    Forced {
        /// The moves, UCI.
        line: Vec<String>,
        /// How the line ends.
        end: End,
    },
    /// Men that can never move keep the other men apart.
    LockedWalls {
        /// The wall.
        wall: Wall,
    },
    /// The worker searched all positions that can arise.
    ExhaustedClosure {
        /// The number of positions.
        positions: u32,
        /// The number of half-moves to the farthest position.
        depth: u32,
        /// The number of positions in which the material no longer suffices.
        #[serde(default)]
        material: u32,
        /// The number of stalemates.
        #[serde(default)]
        stalemates: u32,
        /// The number of positions in which the side itself is checkmated.
        #[serde(default)]
        mated: u32,
        /// The number of positions behind a wall.
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
    /// The line ends in stalemate.
    Stalemate,
    /// The side's material no longer suffices.
    Material,
    /// A position occurs again.
    Circle,
}

mirror!(proof::End => End { Mated, Stalemate, Material, Circle });

mirror!(End => proof::End { Mated, Stalemate, Material, Circle });

/// A wall: men that can never move, and the squares on which they keep the other men.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Wall {
    /// The men that can neither move nor be captured.
    pub steady: String,
    /// All other men: the letter of a FEN, the most at a time, and the squares, such as `K1:0000000000000707`.
    pub men: Vec<String>,
    /// The pawns that stay on their file from these squares on, such as `Pa2`.
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
