//! Keeps the questions whether a player can checkmate by any possible series of legal moves (Article 6.9), and their answers. A
//! worker outside the game answers such a question, and its answer enters as a checked input. A second answer may bring a shorter
//! line, because the first one is not delayed for it.

use alloc::boxed::Box;
use alloc::collections::VecDeque;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use flagfall_protocols::square::Color;
use shakmaty::fen::Fen;
use shakmaty::{CastlingMode, Chess, EnPassantMode, Position};

use super::proof::{self, Proof};
use crate::mate::check::{MOST, Refused, check_within};
use crate::mate::explain::{Cost, Explanation, Helpmate, NoMate, explain};
use crate::mate::{self, Budget};
use crate::men;

/// The largest number of nodes (positions) that a worker may search for one question.
pub const NODE_BUDGET: u64 = Budget::FULL.nodes;
/// The largest number of positions that the check of a proof may visit when the answer enters: some 20 ms on a PC, seldom 40. The
/// worker has checked a larger proof, and `flagfall replay --verify` checks it again.
pub const CHECKED_ON_ENTRY: usize = 20_000;
/// The largest number of questions kept. Older ones are about positions that a flagged game has left long ago.
const MAX_ANSWERS: usize = 64;
/// The largest number of moves in a line. A longer line helps nobody, and a finding must stay a small message.
pub const LONGEST_LINE: usize = 500;

/// The answer to the question of 6.9 so far.
#[derive(Clone, Debug, PartialEq, Eq)]
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

impl Verdict {
    /// The verdict from the solver's answer on a position. The checker must have accepted the answer.
    pub fn of(position: &Chess, side: Color, answer: &mate::Answer) -> Verdict {
        match explain(position, men::to_color(side), answer) {
            Explanation::Winnable(mate) => Verdict::Winnable(Box::new(mate)),
            Explanation::Unwinnable(why) => Verdict::Unwinnable(Box::new(why)),
            Explanation::Undecided(cost) => Verdict::Undecided(cost),
        }
    }
}

/// A question for the worker.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ask {
    /// Number of the question on its board, from 1.
    pub id: u32,
    /// Its number in its game, from 1: older journals name it by that.
    pub in_game: u32,
    /// The position.
    pub fen: String,
    /// Its castling rights are those of Chess960.
    pub chess960: bool,
    /// The player who would have to mate.
    pub side: &'static str,
    /// Nodes that may be spent.
    pub nodes: u64,
}

/// A worker's answer, journalled as an input. Neither a line nor a proof = undecided.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Answer {
    /// The question.
    pub id: u32,
    /// The position asked about; none in older journals, whose questions were numbered in each game.
    pub fen: Option<String>,
    /// The side asked about; with the position.
    pub side: Option<String>,
    /// Moves that end in mate, UCI; none if the worker found no line.
    pub line: Option<Vec<String>>,
    /// No line is shorter.
    pub shortest: bool,
    /// Why there is no line.
    pub proof: Option<Proof>,
    /// Whether the side can force mate, where it has few men (US Chess 14E2, 14E3); none where it has not, or it was not settled.
    /// It carries no proof: `flagfall replay --verify` searches again.
    pub forced_win: Option<bool>,
    /// The worker has looked at the proof again, whole; said of nothing but the position in `fen`.
    pub checked: bool,
    /// Positions that the worker generated.
    pub nodes: u64,
    /// Walls that the worker tried.
    pub walls: u32,
}

impl Answer {
    /// An answer to this question that decides nothing.
    pub fn open(ask: &Ask) -> Answer {
        Answer { id: ask.id, fen: Some(ask.fen.clone()), side: Some(ask.side.to_string()), ..Answer::default() }
    }

    /// True if the answer names its position.
    fn is_bound(&self) -> bool {
        self.fen.is_some() || self.side.is_some()
    }

    /// True if this is an answer to this question.
    pub fn answers(&self, ask: &Ask) -> bool {
        match self.is_bound() {
            true => self.id == ask.id && self.fen.as_deref() == Some(ask.fen.as_str()) && self.side.as_deref() == Some(ask.side),
            false => self.id == ask.in_game,
        }
    }

    /// The claim that the answer makes about this position.
    ///
    /// # Errors
    /// Names the part that cannot be read or is not legal.
    pub fn claim(&self, position: &Chess) -> Result<mate::Answer, &'static str> {
        let counters = mate::Counters { nodes: self.nodes, walls: self.walls };
        match (&self.line, &self.proof) {
            (None, None) => Ok(mate::Answer::Undecided { counters }),
            (Some(_), Some(_)) => Err("both a line and a proof that there is none"),
            (Some(line), None) if line.len() > LONGEST_LINE => Err("the line is too long"),
            (Some(line), None) => Ok(mate::Answer::Winnable { line: proof::moves(position, line)?, shortest: self.shortest }),
            (None, Some(proof)) => Ok(mate::Answer::Unwinnable { reason: proof.read(position)? }),
        }
    }
}

#[derive(Clone, Debug)]
struct Question {
    ask: Ask,
    position: Chess,
    side: Color,
    verdict: Verdict,
    forced_win: Option<bool>,
}

/// The questions of one game and their answers. The numbers go on from game to game, so that each occurs once on a board.
#[derive(Clone, Debug, Default)]
pub(crate) struct Questions {
    asked: VecDeque<Question>,
    numbered: u32,
    /// The last number of the earlier games.
    before: u32,
    /// Counts the questions asked, answered and forgotten.
    revision: u32,
}

impl Questions {
    /// Begins another game, in which the old answers are of no use.
    pub(crate) fn next_game(&mut self) {
        self.asked.clear();
        self.before = self.numbered;
        self.revision = self.revision.wrapping_add(1);
    }

    /// A number that stays the same as long as all verdicts stay the same and no new question comes.
    pub(crate) fn revision(&self) -> u32 {
        self.revision
    }

    /// The verdict on `position`. If nothing is known, a question is returned in `ask`.
    pub(crate) fn verdict(&mut self, position: &Chess, side: Color, ask: &mut Option<Ask>) -> Verdict {
        if let Some(answer) = mate::at_once(position, men::to_color(side)) {
            return Verdict::of(position, side, &answer);
        }
        if let Some(known) = self.asked.iter().find(|q| q.side == side && q.position == *position) {
            return known.verdict.clone();
        }
        if self.asked.len() == MAX_ANSWERS {
            self.asked.pop_front();
        }
        self.revision = self.revision.wrapping_add(1);
        self.numbered += 1;
        let question = Ask {
            id: self.numbered,
            in_game: self.numbered - self.before,
            fen: Fen::from_position(position, EnPassantMode::Legal).to_string(),
            chess960: position.castles().mode() == CastlingMode::Chess960,
            side: men::color_name(side),
            nodes: NODE_BUDGET,
        };
        *ask = Some(question.clone());
        let (position, verdict) = (position.clone(), Verdict::Pending);
        self.asked.push_back(Question { ask: question, position, side, verdict, forced_win: None });
        Verdict::Pending
    }

    /// True if `side` can force mate from a position that was asked about; none if this is not known.
    pub(crate) fn forced_win(&self, position: &Chess, side: Color) -> Option<bool> {
        self.asked.iter().find(|q| q.side == side && q.position == *position)?.forced_win
    }

    /// Handles the answer to one of these questions. It counts only if the checker accepts it.
    ///
    /// # Errors
    /// Names the error in the answer. The question then counts as undecided, or it is not known.
    pub(crate) fn answer(&mut self, answer: &Answer) -> Result<(), &'static str> {
        self.revision = self.revision.wrapping_add(1);
        let question = self.asked.iter_mut().find(|question| answer.answers(&question.ask)).ok_or("no such open question")?;
        match &question.verdict {
            // A proof that was accepted is never replaced, but a line by a better one.
            Verdict::Unwinnable(_) => return Ok(()),
            Verdict::Winnable(known) => {
                if answer.line.as_ref().is_some_and(|line| better(line.len(), answer.shortest, known)) {
                    let claim = checked(&question.position, question.side, answer)?;
                    question.verdict = Verdict::of(&question.position, question.side, &claim);
                }
                return Ok(());
            }
            Verdict::NotAsked | Verdict::Pending | Verdict::Undecided(_) => {}
        }
        question.forced_win = answer.forced_win;
        question.verdict = Verdict::Undecided(Cost { nodes: answer.nodes, walls: answer.walls });
        let claim = checked(&question.position, question.side, answer)?;
        question.verdict = Verdict::of(&question.position, question.side, &claim);
        Ok(())
    }
}

/// True if a line of this length is shorter than the known one, or the same and known to be shortest.
fn better(plies: usize, shortest: bool, known: &Helpmate) -> bool {
    plies < known.line.len() || plies == known.line.len() && shortest && !known.shortest
}

/// The claim of an answer, if the checker accepts it.
fn checked(position: &Chess, side: Color, answer: &Answer) -> Result<mate::Answer, &'static str> {
    let mut claim = answer.claim(position)?;
    let side = men::to_color(side);
    // A proof for a position that the answer does not name is checked completely.
    let most = if answer.is_bound() { CHECKED_ON_ENTRY } else { MOST };
    let mut held = check_within(position, side, &claim, most);
    if held == Err(Refused::TooLarge) && answer.checked && answer.is_bound() {
        held = Ok(());
    }
    if let (Err(Refused::TooLarge), mate::Answer::Winnable { shortest, .. }) = (held, &mut claim) {
        // The line mates even if its length cannot be checked.
        *shortest = false;
        held = check_within(position, side, &claim, most);
    }
    held.map(|()| claim).map_err(why)
}

/// The checker's reason in words.
pub const fn why(refused: Refused) -> &'static str {
    match refused {
        Refused::IllegalMove(_) => "a move of the line is not legal",
        Refused::NoMate => "the line does not end in mate by the side asked about",
        Refused::Shorter => "a shorter line exists",
        Refused::NotSo => "the position is not what the reason says",
        Refused::NotForced(_) => "a move of the forced line is not the only one",
        Refused::MateFound => "a mate can arise after all",
        Refused::Counts => "the positions are not as many as counted",
        Refused::Passable => "a wall can be passed",
        Refused::MatePattern => "a mate behind a wall is not excluded",
        Refused::TooLarge => "the proof is too large to be looked at again",
    }
}

#[cfg(test)]
mod tests;
