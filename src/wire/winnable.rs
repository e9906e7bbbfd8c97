//! Defines the body of the answer to the question of Article 6.9 (can a player checkmate by any possible series of legal moves?),
//! with its proof.

use flagfall_game::laws::winnable;
use flagfall_game::mate::explain;
use serde::Serialize;

/// Where the question of 6.9 stands.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
#[serde(tag = "verdict", rename_all = "snake_case")]
pub enum Verdict {
    /// The answer changes nothing.
    NotAsked,
    /// Asked; no answer yet.
    Pending,
    /// The opponent can mate: by this series of legal moves.
    Winnable(Box<Helpmate>),
    /// The opponent cannot mate: for this reason.
    Unwinnable(Box<NoMate>),
    /// The worker could not tell within its budget.
    Undecided(Cost),
}

impl From<&winnable::Verdict> for Verdict {
    fn from(verdict: &winnable::Verdict) -> Verdict {
        match verdict {
            winnable::Verdict::NotAsked => Verdict::NotAsked,
            winnable::Verdict::Pending => Verdict::Pending,
            winnable::Verdict::Winnable(mate) => Verdict::Winnable(Box::new(Helpmate::from(&**mate))),
            winnable::Verdict::Unwinnable(why) => Verdict::Unwinnable(Box::new(NoMate::from(&**why))),
            winnable::Verdict::Undecided(cost) => Verdict::Undecided(Cost::from(*cost)),
        }
    }
}

impl From<&explain::Explanation> for Verdict {
    fn from(explanation: &explain::Explanation) -> Verdict {
        match explanation {
            explain::Explanation::Winnable(mate) => Verdict::Winnable(Box::new(Helpmate::from(mate))),
            explain::Explanation::Unwinnable(why) => Verdict::Unwinnable(Box::new(NoMate::from(why))),
            explain::Explanation::Undecided(cost) => Verdict::Undecided(Cost::from(*cost)),
        }
    }
}

/// A series of legal moves that ends in mate.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct Helpmate {
    /// One sentence.
    pub sentence: String,
    /// The moves of both sides, UCI; none if the mate is on the board. Castling as the game writes it.
    pub line: Vec<String>,
    /// The same as chess writes it, numbered from 1; `1... ` if Black begins.
    pub san: String,
    /// The position with the mate, FEN.
    pub final_fen: String,
    /// It is known that no shorter series exists.
    pub shortest: bool,
}

impl From<&explain::Helpmate> for Helpmate {
    fn from(mate: &explain::Helpmate) -> Helpmate {
        let explain::Helpmate { sentence, line, san, final_fen, shortest } = mate.clone();
        Helpmate { sentence, line, san, final_fen, shortest }
    }
}

/// Why there is no such series.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct NoMate {
    /// The kind of reason.
    pub reason: Word,
    /// One sentence.
    pub sentence: String,
    /// Where every move of both sides is the only one: the moves.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub forced: Option<Forced>,
    /// Behind locked walls: where each man can ever stand.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wall: Option<Wall>,
    /// Where all positions were looked at: how many, and how the lines end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub closure: Option<Counts>,
}

impl From<&explain::NoMate> for NoMate {
    fn from(why: &explain::NoMate) -> NoMate {
        NoMate {
            reason: why.reason.into(),
            sentence: why.sentence.clone(),
            forced: why.forced.as_ref().map(Forced::from),
            wall: why.wall.as_ref().map(Wall::from),
            closure: why.closure.map(Counts::from),
        }
    }
}

/// The kind of reason in one word group.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Word {
    /// The side has been checkmated.
    Mated,
    /// Stalemate is on the board.
    Stalemate,
    /// The side has the king alone.
    BareKing,
    /// The side's men cannot mate those of the opponent.
    Material,
    /// Whatever is played, the side is left without the material.
    ForcedCapture,
    /// Whatever is played ends in stalemate.
    ForcedStalemate,
    /// Whatever is played, the side is checkmated.
    LoserMatesByForce,
    /// Forced moves come back to where they were.
    ForcedCircle,
    /// Men that nothing can move keep the others apart.
    LockedWalls,
    /// All positions that can arise were looked at.
    ExhaustedClosure,
}

mirror!(explain::Word => Word {
    Mated, Stalemate, BareKing, Material, ForcedCapture, ForcedStalemate, LoserMatesByForce, ForcedCircle, LockedWalls,
    ExhaustedClosure,
});

/// The only moves there are.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct Forced {
    /// UCI.
    pub line: Vec<String>,
    /// As chess writes it, numbered from 1.
    pub san: String,
}

impl From<&explain::Forced> for Forced {
    fn from(forced: &explain::Forced) -> Forced {
        Forced { line: forced.line.clone(), san: forced.san.clone() }
    }
}

/// Where each man can ever stand.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct Wall {
    /// The men that can neither move nor be taken, first part of a FEN.
    pub steady: String,
    /// All others.
    pub men: Vec<Men>,
}

impl From<&explain::Wall> for Wall {
    fn from(wall: &explain::Wall) -> Wall {
        let men = wall.men.iter().map(|men| Men { man: men.man, count: men.count, squares: men.squares.clone() });
        Wall { steady: wall.steady.clone(), men: men.collect() }
    }
}

/// Men of one kind.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct Men {
    /// Letter of a FEN: `K` White's king, `k` Black's.
    pub man: char,
    /// At most so many at a time.
    pub count: u8,
    /// The squares that they can ever reach, `a1 b1 …`.
    pub squares: String,
}

/// All positions that can arise, and how the lines end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct Counts {
    /// Different positions.
    pub positions: u32,
    /// Half-moves to the farthest.
    pub depth: u32,
    /// Too little material from there on.
    pub material: u32,
    /// Stalemates.
    pub stalemates: u32,
    /// Mates of the side itself.
    pub mated: u32,
    /// Behind locked walls.
    pub walled: u32,
    /// Different walls.
    pub walls: u32,
}

impl From<explain::Counts> for Counts {
    fn from(counts: explain::Counts) -> Counts {
        let explain::Counts { positions, depth, material, stalemates, mated, walled, walls } = counts;
        Counts { positions, depth, material, stalemates, mated, walled, walls }
    }
}

/// What a question has cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct Cost {
    /// Positions generated.
    pub nodes: u64,
    /// Walls tried.
    pub walls: u32,
}

impl From<explain::Cost> for Cost {
    fn from(cost: explain::Cost) -> Cost {
        Cost { nodes: cost.nodes, walls: cost.walls }
    }
}
