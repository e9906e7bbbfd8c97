//! Prints the list of actions to play for a recording from which a new driver can be written (`tests/README.md`).

use anyhow::Result;

use super::file::note;

/// The actions of the list, in the words of `tests/README.md`.
const STEPS: [&str; 7] = [
    "switch on with all pieces on their squares, wait ten seconds;",
    "a quiet move, slowly; a capture with the captured piece first, and one with the capturing piece first;",
    "castling on both sides, an en passant capture, a promotion with the piece exchanged on the square;",
    "a piece slid over several squares, a piece adjusted and put back, two pieces lifted together;",
    "some pieces knocked over and put back in no order;",
    "with a clock: press on both sides, stop, set a time, let one side run through zero;",
    "pull the plug, change two pieces, plug in again; then switch off.",
];

/// Prints the list.
///
/// # Errors
/// The output is closed.
pub(super) fn print() -> Result<()> {
    note("play this, and write down what you did when:")?;
    (1..).zip(STEPS).try_for_each(|(number, step)| note(&format!("  {number}. {step}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_is_the_one_that_people_read() {
        let readme: String = include_str!("../../../tests/README.md").split_whitespace().collect::<Vec<_>>().join(" ");
        for (number, step) in (1..).zip(STEPS) {
            assert!(readme.contains(&format!("{number}. {step}")), "{step}");
        }
    }
}
