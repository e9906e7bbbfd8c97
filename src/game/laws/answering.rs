//! Answers a question for the daemon's worker thread: runs the solver, has the proof checked, and writes the answer for the
//! journal. The same question has the same answer on every machine.

use alloc::string::ToString;

use flagfall_protocols::square;
use shakmaty::fen::Fen;
use shakmaty::{CastlingMode, Chess, Color, Position, PositionError};

use super::forced_wins::forced_win;
use super::proof::Proof;
use super::winnable::{Answer, Ask, LONGEST_LINE};
use crate::mate::check::{Refused, check, check_within};
use crate::mate::{self, Budget, counted, shorten, shortest};

/// The largest amount of memory, in bytes, that the search may use while it runs.
const MEMORY: usize = Budget::FULL.memory;

/// The largest number of nodes (positions) that the search for a shorter line may generate: some seconds.
pub const SHORTER_NODES: u64 = 80_000_000;
/// The largest number of positions that the checker generates to confirm that no line is shorter: a second or less.
const CONFIRMED: usize = 100_000;

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

/// Looks for a shorter line than the one in this answer, or for the proof that there is none. It can take seconds; `go_on` is asked
/// now and then, and ends the search by returning false. Returns the better answer, if there is one.
pub fn shorter(ask: &Ask, known: &Answer, go_on: &dyn Fn() -> bool) -> Option<Answer> {
    let (position, side) = asked(ask)?;
    let claim = known.claim(&position).ok()?;
    let better = improved(&position, side, &claim, SHORTER_NODES, go_on)?;
    write(known, &position, better).ok()
}

/// The same for a line that is no answer to the daemon, with a limit of `nodes` generated positions. The checker has accepted what is
/// returned.
pub fn improved(
    position: &Chess,
    side: Color,
    known: &mate::Answer,
    nodes: u64,
    go_on: &dyn Fn() -> bool,
) -> Option<mate::Answer> {
    let mate::Answer::Winnable { line, shortest: false } = known else { return None };
    let found = shortest(position, side, line, Budget { nodes, memory: MEMORY }, go_on);
    let mut better = mate::Answer::Winnable { line: found.line, shortest: found.shortest };
    let mut held = check_within(position, side, &better, CONFIRMED);
    if held.is_err()
        && let mate::Answer::Winnable { shortest, .. } = &mut better
    {
        // What the checker cannot confirm is not claimed.
        *shortest = false;
        held = check_within(position, side, &better, CONFIRMED);
    }
    (better != *known && held.is_ok()).then_some(better)
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
    // No line and no proof of the same question can both have been accepted.
    let settled = |answer: &Answer| answer.line.is_some() || answer.proof.is_some();
    (settled(recorded) && !settled(&now)).then(|| "this answer is not found again within the budget".to_string())
}
