//! Compares the recorded outputs of a journal with the outputs that its inputs give now.

use anyhow::Result;
use flagfall_game::laws::answering;
use flagfall_protocols::trace::Trace;

use super::restore::{Restoration, Verified};
use super::setting::Setting;

/// Feeds the inputs of a journal again and compares the outputs with the recorded ones. Every recorded answer to a question of
/// Article 6.9 is checked completely, and the question is asked again: a verdict other than the recorded one is a difference, but
/// a question that was left open and can be answered now is not. Nothing is changed.
///
/// # Errors
/// A damaged line, with its number.
pub fn verify(trace: &Trace<'_>, setting: &Setting) -> Result<Verified> {
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
