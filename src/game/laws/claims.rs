//! Checks claims of a draw (Articles 9.2 and 9.3). A claim is checked when a player has made it, and the result is published to
//! nobody before (Article 11.12).

use alloc::vec::Vec;

use flagfall_protocols::square::Color;
use shakmaty::{Chess, Move, Position};

use crate::laws::claim::Ground;
use crate::men;
use crate::reconstruct::line::Line;
use crate::reconstruct::record::{Record, same_position};

/// The result of a claim by the record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Checked {
    /// The claim is correct (9.5.2).
    Correct,
    /// The claim is not correct (9.5.3).
    Incorrect,
    /// The record does not begin with the game, and earlier moves could make the claim correct.
    HistoryUnknown,
    /// The claimant does not have the move (9.2, 9.3).
    NotHisMove,
}

/// Checks whether the same position has appeared for at least the third time, or is about to appear by `intended` (9.2).
///
/// The positions are those of the record and those of the later moves on the board.
pub(crate) fn repetition(record: &Record, line: &Line, whole: bool, claimant: Color, intended: Option<Move>) -> Checked {
    let Some(after) = reached(record, line, claimant, intended) else { return Checked::NotHisMove };
    // The record contains neither the positions of the line nor the position that is about to appear.
    let same = |position: &&Chess| same_position(position, &after);
    let mut stood = record.times(&after);
    stood += line.plies().iter().map(|ply| &ply.node.position).filter(same).count();
    stood += usize::from(intended.is_some());
    judge(stood >= 3, whole, &after, record.moves().len() + line.plies().len())
}

/// Checks whether each side has made fifty moves without a pawn move or capture, or completes them with `intended` (9.3).
pub(crate) fn fifty_moves(record: &Record, line: &Line, whole: bool, claimant: Color, intended: Option<Move>) -> Checked {
    let Some(after) = reached(record, line, claimant, intended) else { return Checked::NotHisMove };
    judge(after.halfmoves() >= 100, whole, &after, record.moves().len() + line.plies().len())
}

/// The position to which the claim refers; none if the claimant does not have the move.
fn reached(record: &Record, line: &Line, claimant: Color, intended: Option<Move>) -> Option<Chess> {
    let mut position = line.top(record.node()).position.clone();
    if men::turn(&position) != claimant {
        return None;
    }
    if let Some(mv) = intended {
        position.play_unchecked(mv);
    }
    Some(position)
}

/// After a pawn move or capture within the record, everything before it is without effect.
fn judge(shown: bool, whole: bool, after: &Chess, plies: usize) -> Checked {
    match () {
        () if shown => Checked::Correct,
        () if whole || (after.halfmoves() as usize) < plies => Checked::Incorrect,
        () => Checked::HistoryUnknown,
    }
}

/// The result by the record of a claim of `claimant`, for the position on the board or for the move that he has written down.
/// `whole` is true if the record begins with the game.
///
/// # Errors
/// Fails if the move is not legal now, or if a record cannot show this ground.
pub(crate) fn check(
    (record, line): (&Record, &Line),
    whole: bool,
    claimant: Color,
    ground: Ground,
    intended: Option<&str>,
) -> Result<Checked, &'static str> {
    let intended = intended.map(|text| intended_move(record, line, text)).transpose()?;
    match ground {
        Ground::Repetition => Ok(repetition(record, line, whole, claimant, intended)),
        Ground::FiftyMoves => Ok(fifty_moves(record, line, whole, claimant, intended)),
        Ground::AdditionalTime | Ground::NormalMeans => Err("the arbiter judges such a claim"),
    }
}

/// The moves that show what the record says of such a claim, as numbers of plies. For a repetition: after which plies the
/// position stood, with the intended move; for fifty moves: the first and the last ply without a capture or pawn move.
pub(crate) fn plies(
    (record, line): (&Record, &Line),
    claimant: Color,
    ground: Ground,
    intended: Option<&str>,
) -> Result<Vec<u32>, &'static str> {
    let intended = intended.map(|text| intended_move(record, line, text)).transpose()?;
    let made = record.moves().len() as u32;
    let last = made + line.plies().len() as u32 + u32::from(intended.is_some());
    let Some(after) = reached(record, line, claimant, intended) else { return Ok(Vec::new()) };
    Ok(match ground {
        Ground::Repetition => {
            let mut stood = record.plies_of(&after);
            let pending = (made + 1..).zip(line.plies()).filter(|(_, ply)| same_position(&ply.node.position, &after));
            stood.extend(pending.map(|(ply, _)| ply));
            stood.extend(intended.map(|_| last));
            stood
        }
        Ground::FiftyMoves => match after.halfmoves().min(last) {
            0 => Vec::new(),
            quiet => alloc::vec![last + 1 - quiet, last],
        },
        Ground::AdditionalTime | Ground::NormalMeans => Vec::new(),
    })
}

/// The move that a player has written down and intends to make.
fn intended_move(record: &Record, line: &Line, text: &str) -> Result<Move, &'static str> {
    let uci = shakmaty::uci::UciMove::from_ascii(text.as_bytes()).map_err(|_| "the move cannot be read")?;
    uci.to_move(&line.top(record.node()).position).map_err(|_| "the move is not legal now")
}
