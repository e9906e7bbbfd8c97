//! Explains an answer of the mate solver to an arbiter as text, and as fields for programs.

mod forced;
mod words;

#[cfg(test)]
mod tests;

use alloc::string::{String, ToString};
use alloc::vec::Vec;

use shakmaty::fen::Fen;
use shakmaty::san::SanPlus;
use shakmaty::{Chess, Color, EnPassantMode, Move, Position};

use super::reason::{self, Answer, Closure, Counters, ForcedEnd, Reason};

/// An [`Answer`] explained.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Explanation {
    /// The side can checkmate.
    Winnable(Helpmate),
    /// The side cannot checkmate.
    Unwinnable(NoMate),
    /// The budget did not settle it.
    Undecided(Cost),
}

/// A series of legal moves that ends in mate.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
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

/// Why there is no such series.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoMate {
    /// The kind of reason.
    pub reason: Word,
    /// One sentence.
    pub sentence: String,
    /// Where every move of both sides is the only one: the moves.
    pub forced: Option<Forced>,
    /// Behind locked walls: where each man can ever stand.
    pub wall: Option<Wall>,
    /// Where all positions were looked at: how many, and how the lines end.
    pub closure: Option<Counts>,
}

/// The kind of reason in one word group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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

impl Word {
    /// The word group as it is published.
    pub const fn name(self) -> &'static str {
        match self {
            Word::Mated => "mated",
            Word::Stalemate => "stalemate",
            Word::BareKing => "bare-king",
            Word::Material => "material",
            Word::ForcedCapture => "forced-capture",
            Word::ForcedStalemate => "forced-stalemate",
            Word::LoserMatesByForce => "loser-mates-by-force",
            Word::ForcedCircle => "forced-circle",
            Word::LockedWalls => "locked-walls",
            Word::ExhaustedClosure => "exhausted-closure",
        }
    }
}

/// The kind of the reason for which `side` cannot mate in this position.
pub fn word(position: &Chess, side: Color, reason: &Reason) -> Word {
    match reason {
        Reason::Mated => Word::Mated,
        Reason::Stalemate => Word::Stalemate,
        Reason::BareKing => Word::BareKing,
        Reason::Material => Word::Material,
        Reason::Forced { end, .. } => by_force(*end),
        Reason::Wall(_) => Word::LockedWalls,
        Reason::Exhausted(closure) => forced::end(position, side, closure).map_or(Word::ExhaustedClosure, by_force),
    }
}

const fn by_force(end: ForcedEnd) -> Word {
    match end {
        ForcedEnd::Material => Word::ForcedCapture,
        ForcedEnd::Stalemate => Word::ForcedStalemate,
        ForcedEnd::Mated => Word::LoserMatesByForce,
        ForcedEnd::Circle => Word::ForcedCircle,
    }
}

/// The only moves there are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Forced {
    /// UCI.
    pub line: Vec<String>,
    /// As chess writes it, numbered from 1.
    pub san: String,
}

/// Where each man can ever stand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wall {
    /// The men that can neither move nor be taken, first part of a FEN.
    pub steady: String,
    /// All others.
    pub men: Vec<Men>,
}

/// Men of one kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Men {
    /// Letter of a FEN: `K` White's king, `k` Black's.
    pub man: char,
    /// At most so many at a time.
    pub count: u8,
    /// The squares that they can ever reach, `a1 b1 …`.
    pub squares: String,
}

/// All positions that can arise, and how the lines end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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

/// What a question has cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cost {
    /// Positions generated.
    pub nodes: u64,
    /// Walls tried.
    pub walls: u32,
}

impl From<Counters> for Cost {
    fn from(counters: Counters) -> Cost {
        Cost { nodes: counters.nodes, walls: counters.walls }
    }
}

/// Explains an answer to "can `side` checkmate?". The answer must belong to this position (see
/// [`check`](super::check::check)): an illegal move ends the line.
pub fn explain(position: &Chess, side: Color, answer: &Answer) -> Explanation {
    match answer {
        Answer::Winnable { line, shortest } => Explanation::Winnable(helpmate(position, side, line, *shortest)),
        Answer::Unwinnable { reason } => Explanation::Unwinnable(no_mate(position, side, reason)),
        Answer::Undecided { counters } => Explanation::Undecided(Cost::from(*counters)),
    }
}

/// Explains a line that ends in mate by `side`.
pub fn helpmate(position: &Chess, side: Color, line: &[Move], shortest: bool) -> Helpmate {
    let told = write_line(position, line);
    Helpmate {
        sentence: words::winnable(side, line.len(), shortest),
        line: told.uci,
        san: told.san,
        final_fen: Fen::from_position(&told.last, EnPassantMode::Legal).to_string(),
        shortest,
    }
}

/// Explains why `side` cannot mate.
pub fn no_mate(position: &Chess, side: Color, reason: &Reason) -> NoMate {
    let forced = match reason {
        Reason::Forced { line, .. } => Some(write_line(position, line)),
        _ => None,
    };
    let last = forced.as_ref().map_or(position, |told| &told.last);
    let san = forced.as_ref().map_or("", |told| &told.san);
    NoMate {
        reason: word(position, side, reason),
        sentence: words::unwinnable(last, side, reason, san),
        wall: if let Reason::Wall(wall) = reason { Some(reaches(wall)) } else { None },
        closure: if let Reason::Exhausted(closure) = reason { Some(counts(closure)) } else { None },
        forced: forced.map(|told| Forced { line: told.uci, san: told.san }),
    }
}

/// A line in both notations, and its last position.
struct WrittenLine {
    uci: Vec<String>,
    san: String,
    last: Chess,
}

fn write_line(position: &Chess, line: &[Move]) -> WrittenLine {
    let mode = position.castles().mode();
    let mut told = WrittenLine { uci: Vec::with_capacity(line.len()), san: String::new(), last: position.clone() };
    let mut number = 1_u32;
    for (index, step) in line.iter().enumerate() {
        if !told.last.is_legal(*step) {
            break;
        }
        if index > 0 {
            told.san.push(' ');
        }
        if told.last.turn().is_white() {
            told.san.push_str(&alloc::format!("{number}. "));
        } else {
            if index == 0 {
                told.san.push_str("1... ");
            }
            number += 1;
        }
        told.uci.push(step.to_uci(mode).to_string());
        told.san.push_str(&SanPlus::from_move_and_play_unchecked(&mut told.last, *step).to_string());
    }
    told
}

fn reaches(wall: &reason::Wall) -> Wall {
    let men = wall.reaches.iter().map(|reach| Men {
        man: reach.role.of(reach.color).char(),
        count: reach.count,
        squares: words::squares(reach.squares),
    });
    Wall { steady: wall.steady.board_fen().to_string(), men: men.collect() }
}

fn counts(closure: &Closure) -> Counts {
    Counts {
        positions: closure.positions,
        depth: closure.depth,
        material: closure.material,
        stalemates: closure.stalemates,
        mated: closure.mated,
        walled: closure.walled,
        walls: closure.walls.len() as u32,
    }
}
