//! Answers a question for the daemon's worker thread: runs the solver, has the proof checked, and writes the answer for the
//! journal. The same question has the same answer on every machine.

use alloc::string::ToString;

use flagfall_protocols::square;
use shakmaty::fen::Fen;
use shakmaty::{CastlingMode, Chess, Color, Position, PositionError};

use super::forced_wins::forced_win;
use super::proof::Proof;
use super::winnable::{Answer, Ask, LONGEST_LINE};
use crate::mate::check::{Refused, check};
use crate::mate::{self, Budget, counted, shorten};

/// The largest amount of memory, in bytes, that the search may use while it runs.
const MEMORY: usize = Budget::FULL.memory;

/// An answer, and the reason why a proof was rejected, if one was. A rejected proof is an error of this program and must be
/// logged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answered {
    /// The answer.
    pub answer: Answer,
    /// The reason for which the checker, or the limits of the journal, rejected the proof.
    pub refused: Option<Refused>,
}

/// The position and the side of a question; none if its FEN is not valid.
pub fn asked(ask: &Ask) -> Option<(Chess, Color)> {
    let mode = if ask.chess960 { CastlingMode::Chess960 } else { CastlingMode::Standard };
    let position = read(&ask.fen, mode)?;
    Some((position, if ask.side == "white" { Color::White } else { Color::Black }))
}

/// The position of a FEN, which no game needs to reach. None if it is no FEN, if a king is missing, or if the side that is
/// not to move is in check.
pub fn read(fen: &str, mode: CastlingMode) -> Option<Chess> {
    fen.parse::<Fen>()
        .ok()?
        .into_position::<Chess>(mode)
        .or_else(PositionError::ignore_impossible_check)
        .or_else(PositionError::ignore_too_much_material)
        .ok()
}

/// Answers a question. Only one runs at a time: the search uses up to 64 MiB, and the checker after it no more.
pub fn answer(ask: &Ask) -> Answered {
    let open = Answer::open(ask);
    let Some((position, side)) = asked(ask) else { return Answered { answer: open, refused: None } };
    let budget = Budget { nodes: ask.nodes, memory: MEMORY };
    let (found, counters) = counted(&position, side, budget);
    // The line is shortened, because an arbiter reads it.
    let found = shorten(&position, side, found, budget);
    let claimant = if side.is_white() { square::Color::White } else { square::Color::Black };
    let forced_win = forced_win(&position, claimant);
    let open = Answer { forced_win, nodes: counters.nodes, walls: counters.walls, ..open };
    match check(&position, side, &found).and_then(|()| write(&open, &position, found)) {
        Ok(answer) => Answered { answer, refused: None },
        Err(refused) => Answered { answer: open, refused: Some(refused) },
    }
}

fn write(open: &Answer, position: &Chess, found: mate::Answer) -> Result<Answer, Refused> {
    let mode = position.castles().mode();
    Ok(match found {
        mate::Answer::Winnable { line, .. } if line.len() > LONGEST_LINE => return Err(Refused::TooLarge),
        mate::Answer::Winnable { line, shortest } => Answer {
            line: Some(line.iter().map(|step| step.to_uci(mode).to_string()).collect()),
            shortest,
            checked: true,
            ..open.clone()
        },
        mate::Answer::Unwinnable { reason } => {
            let proof = Proof::of(&reason, position).ok_or(Refused::TooLarge)?;
            Answer { proof: Some(proof), checked: true, ..open.clone() }
        }
        mate::Answer::Undecided { .. } => open.clone(),
    })
}

/// Checks a recorded answer again completely, and searches again. Returns none if everything is as recorded, or if a question
/// that was open then has an answer now.
pub fn again(ask: &Ask, recorded: &Answer) -> Option<alloc::string::String> {
    let (position, side) = asked(ask)?;
    let claim = match recorded.claim(&position) {
        Ok(claim) => claim,
        Err(problem) => return Some(problem.to_string()),
    };
    if let Err(refused) = check(&position, side, &claim) {
        return Some(super::winnable::why(refused).to_string());
    }
    let now = answer(ask).answer;
    if recorded.forced_win.is_some() && recorded.forced_win != now.forced_win {
        return Some("whether mate can be forced is answered otherwise now".to_string());
    }
    let said = |answer: &Answer| (answer.line.is_some(), answer.proof.is_some());
    let open = (false, false);
    if said(recorded) == open || said(recorded) == said(&now) {
        return None;
    }
    Some(match said(&now) {
        (true, _) => "a line that mates is found now".to_string(),
        (_, true) => "a proof that there is no line is found now".to_string(),
        _ => "the budget does not settle it now".to_string(),
    })
}
