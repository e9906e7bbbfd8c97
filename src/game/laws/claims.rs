//! Are claims of a draw correct (Articles 9.2 and 9.3)? Checked when a player has made one, told to nobody before (11.12).

use flagfall_protocols::square::Color;
use shakmaty::{Chess, Move, Position};

use crate::laws::claim::Ground;
use crate::men;
use crate::reconstruct::line::Line;
use crate::reconstruct::record::{Record, same_position};

/// What the record says of a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Checked {
    /// It is correct (9.5.2).
    Correct,
    /// It is not (9.5.3).
    Incorrect,
    /// The record begins after the beginning of the game, and what was played before could make it correct.
    HistoryUnknown,
    /// The claimant does not have the move (9.2, 9.3).
    NotHisMove,
}

/// Has the same position appeared for at least the third time, or is `intended` about to make it appear (9.2)?
///
/// The positions are those of the record and of the moves that stand on the board beyond it.
pub(crate) fn repetition(record: &Record, line: &Line, whole: bool, claimant: Color, intended: Option<Move>) -> Checked {
    let Some(after) = reached(record, line, claimant, intended) else { return Checked::NotHisMove };
    // The positions of the line are not among those of the record, nor is the one that is about to appear.
    let same = |position: &&Chess| same_position(position, &after);
    let mut stood = record.times(&after);
    stood += line.plies().iter().map(|ply| &ply.node.position).filter(same).count();
    stood += usize::from(intended.is_some());
    judge(stood >= 3, whole, &after, record.moves().len() + line.plies().len())
}

/// Have fifty moves been made by each side without a pawn move or capture, or is `intended` about to complete them (9.3)?
pub(crate) fn fifty_moves(record: &Record, line: &Line, whole: bool, claimant: Color, intended: Option<Move>) -> Checked {
    let Some(after) = reached(record, line, claimant, intended) else { return Checked::NotHisMove };
    judge(after.halfmoves() >= 100, whole, &after, record.moves().len() + line.plies().len())
}

/// The position that the claim is about; none if it is not the claimant's move.
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

/// A pawn move or capture within the record makes all that was before it meaningless.
fn judge(shown: bool, whole: bool, after: &Chess, plies: usize) -> Checked {
    match () {
        () if shown => Checked::Correct,
        () if whole || (after.halfmoves() as usize) < plies => Checked::Incorrect,
        () => Checked::HistoryUnknown,
    }
}

/// What the record says of a claim of `claimant`, by the position on the board or by the move that he has written down. `whole`: the
/// record begins with the game.
///
/// # Errors
/// The move is not legal now, or the ground is nothing that a record can show.
pub(crate) fn check(
    (record, line): (&Record, &Line),
    whole: bool,
    claimant: Color,
    ground: Ground,
    intended: Option<&str>,
) -> Result<Checked, &'static str> {
    let position = &line.top(record.node()).position;
    let intended = intended
        .map(|text| {
            let uci = shakmaty::uci::UciMove::from_ascii(text.as_bytes()).map_err(|_| "the move cannot be read")?;
            uci.to_move(position).map_err(|_| "the move is not legal now")
        })
        .transpose()?;
    match ground {
        Ground::Repetition => Ok(repetition(record, line, whole, claimant, intended)),
        Ground::FiftyMoves => Ok(fifty_moves(record, line, whole, claimant, intended)),
        Ground::AdditionalTime | Ground::NormalMeans => Err("the arbiter judges such a claim"),
    }
}
