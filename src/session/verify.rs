//! Compares the recorded outputs of a journal with the outputs that its inputs give now.

use anyhow::Result;
use flagfall_game::laws::answering;
use flagfall_protocols::trace::{Body, Trace};

use super::restore::{Restoration, Verified};
use super::setting::Setting;
use crate::wire::topics::Board;

/// Feeds the inputs of a journal again and compares the outputs with the recorded ones. Every recorded answer to a question of
/// Article 6.9 is checked completely, and the question is asked again: a verdict other than the recorded one is a difference, but
/// a question that was left open and can be answered now is not. The head of a journal does not name event, round and board, so they are
/// those of the first recorded topic. Nothing is changed.
///
/// # Errors
/// A damaged line, with its number.
pub fn verify(trace: &Trace<'_>, setting: &Setting) -> Result<Verified> {
    let mut setting = setting.clone();
    setting.board = first_board(trace)?.unwrap_or(setting.board);
    let mut restoration = Restoration::new(setting.station()?);
    for record in trace.records() {
        let (_, record) = record?;
        restoration.feed(&record);
        if let Some((ask, answer)) = restoration.take_answered() {
            restoration.count_checked_answer(record.seq, answering::again(&ask, &answer).as_deref());
        }
    }
    Ok(restoration.verified())
}

/// The board of the first recorded output that names one.
fn first_board(trace: &Trace<'_>) -> Result<Option<Board>> {
    for record in trace.records() {
        if let Body::Out { topic, audience, .. } = record?.1.body
            && let Some(board) = Board::of_event(topic, audience.name())
        {
            return Ok(Some(board));
        }
    }
    Ok(None)
}
