//! Can a player checkmate by any possible series of legal moves (Article 6.9)? Asked outside, answered as a checked input.

use alloc::collections::VecDeque;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use flagfall_protocols::square::Color;
use shakmaty::fen::Fen;
use shakmaty::uci::UciMove;
use shakmaty::{Chess, EnPassantMode, Position};

use crate::men;

/// Nodes a worker may spend on one question.
pub const NODE_BUDGET: u64 = 2_000_000;
/// Questions kept; older ones are of positions that a flagged game has long left.
const MAX_ANSWERS: usize = 64;

/// Where the question of 6.9 stands.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "verdict", rename_all = "snake_case")]
pub enum Verdict {
    /// The answer changes nothing.
    NotAsked,
    /// Asked; no answer yet.
    Pending,
    /// The opponent can mate: a line of legal moves that does, UCI.
    Winnable {
        /// The line.
        line: Vec<String>,
    },
    /// The opponent cannot mate.
    Unwinnable {
        /// Why.
        reason: &'static str,
    },
    /// The worker could not tell within its budget.
    Undecided,
}

/// A question for the worker.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Ask {
    /// Number of the question in its game, from 1.
    pub id: u32,
    /// The position.
    pub fen: String,
    /// The player who would have to mate.
    pub side: &'static str,
    /// Nodes that may be spent.
    pub nodes: u64,
}

/// A worker's answer, journalled as an input.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Answer {
    /// The question.
    pub id: u32,
    /// Moves that end in mate, UCI; none if the worker found no line.
    #[serde(default)]
    pub line: Option<Vec<String>>,
}

#[derive(Clone, Debug)]
struct Question {
    id: u32,
    position: Chess,
    side: Color,
    verdict: Verdict,
}

/// The questions of one game and their answers.
#[derive(Clone, Debug, Default)]
pub(crate) struct Questions {
    asked: VecDeque<Question>,
    numbered: u32,
}

impl Questions {
    /// What is known of `position`; asks if nothing is.
    pub(crate) fn verdict(&mut self, position: &Chess, side: Color, ask: &mut Option<Ask>) -> Verdict {
        if position.has_insufficient_material(men::to_color(side)) {
            return Verdict::Unwinnable { reason: "material" };
        }
        if let Some(known) = self.asked.iter().find(|q| q.side == side && q.position == *position) {
            return known.verdict.clone();
        }
        if self.asked.len() == MAX_ANSWERS {
            self.asked.pop_front();
        }
        self.numbered += 1;
        self.asked.push_back(Question { id: self.numbered, position: position.clone(), side, verdict: Verdict::Pending });
        let fen = Fen::from_position(position, EnPassantMode::Legal).to_string();
        *ask = Some(Ask { id: self.numbered, fen, side: men::color_name(side), nodes: NODE_BUDGET });
        Verdict::Pending
    }

    /// Takes an answer. A line counts only if every move is legal and the last one mates for the side asked about.
    ///
    /// # Errors
    /// What is wrong with the answer; the question then stands as undecided, or is unknown.
    pub(crate) fn answer(&mut self, answer: &Answer) -> Result<(), &'static str> {
        let question = self.asked.iter_mut().find(|question| question.id == answer.id).ok_or("no such open question")?;
        // What is proved stays proved.
        if matches!(question.verdict, Verdict::Winnable { .. }) {
            return Ok(());
        }
        let Some(line) = &answer.line else {
            question.verdict = Verdict::Undecided;
            return Ok(());
        };
        question.verdict = Verdict::Undecided;
        mates(&question.position, question.side, line)?;
        question.verdict = Verdict::Winnable { line: line.clone() };
        Ok(())
    }
}

fn mates(position: &Chess, side: Color, line: &[String]) -> Result<(), &'static str> {
    let mut position = position.clone();
    for text in line {
        let uci = UciMove::from_ascii(text.as_bytes()).map_err(|_| "a move of the line cannot be read")?;
        let mv = uci.to_move(&position).map_err(|_| "a move of the line is not legal")?;
        position.play_unchecked(mv);
    }
    let mated = position.is_checkmate() && men::turn(&position) == side.other();
    if mated { Ok(()) } else { Err("the line does not end in mate by the side asked about") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_believed_only_if_it_mates() {
        let mut questions = Questions::default();
        let mut ask = None;
        let start = Chess::default();
        assert_eq!(questions.verdict(&start, Color::Black, &mut ask), Verdict::Pending);
        assert_eq!(ask.as_ref().map(|ask| ask.id), Some(1));
        let line = |moves: &str| Answer { id: 1, line: Some(moves.split(' ').map(ToString::to_string).collect()) };
        for (moves, problem) in [
            ("f2f3 e7e5", "the line does not end in mate by the side asked about"),
            ("f2f5", "a move of the line is not legal"),
            ("zz", "a move of the line cannot be read"),
        ] {
            assert_eq!(questions.answer(&line(moves)), Err(problem));
            assert_eq!(questions.verdict(&start, Color::Black, &mut ask), Verdict::Undecided);
        }
        assert_eq!(questions.answer(&line("f2f3 e7e5 g2g4 d8h4")), Ok(()));
        assert!(matches!(questions.verdict(&start, Color::Black, &mut ask), Verdict::Winnable { .. }));
        assert!(questions.answer(&Answer { id: 9, line: None }).is_err());
    }
}
