//! Says for people what is wrong with the boards of a round, and what to do.

use super::board::{Board, Wrong};
use super::{Model, OutputAudience};
use crate::wire::output::BoardMessage;
use crate::wire::round_games::Unpublished;

impl Model {
    /// What is wrong with the boards of a round.
    pub(crate) fn notes(&self, audience: OutputAudience, round: &str) -> Vec<BoardMessage> {
        let boards = self.rounds.get(&(audience, round.to_owned())).into_iter().flat_map(|round| &round.boards);
        let notes = boards.filter_map(|(id, board)| {
            let message = if self.is_unpaired(round, id) { without_pairing(board) } else { note(board) };
            Some(BoardMessage { board: id.clone(), message: message? })
        });
        notes.collect()
    }
}

fn without_pairing(board: &Board) -> Option<String> {
    let has_moves = board.games.iter().any(|game| !game.is_empty());
    has_moves.then(|| {
        "This board has no pairing in the round, and its games are not sent. Pair it if they are the round's.".to_owned()
    })
}

fn note(board: &Board) -> Option<String> {
    if let Some((rival, owner)) = board.rival.as_ref().zip(board.owner()) {
        return Some(format!(
            "Two nodes publish this board: {owner} and {}. Only {owner} is believed. Take the board out of the configuration of one of \
             them.",
            rival.node
        ));
    }
    if board.games.last().is_some_and(|last| last.released) {
        return Some("Its node is gone. Its last moves were sent when the delay had passed.".to_owned());
    }
    if board.deadline().is_some() {
        return Some("The node has started again and shows fewer moves. They are kept for a minute.".to_owned());
    }
    Some(
        match board.wrong.as_ref()? {
            Wrong::BadState => {
                "The board's node has published a move that cannot be played; the game ends before it. Correct the game."
            }
            Wrong::Shortened => "The broker does not take whole games of this board: raise its limit for the size of messages.",
            Wrong::Other(Unpublished::BeforeTheRound) => {
                "The game on the board began too long before the round, and is not sent. If it is the round's game, choose it."
            }
            Wrong::Other(Unpublished::AfterTheRound | Unpublished::NoPairing) => {
                "Another game is on the board, and is not sent. If it is the round's game, choose it."
            }
            Wrong::NotChosen => "Another game is on the board than the one that was chosen, and is not sent.",
        }
        .to_owned(),
    )
}
