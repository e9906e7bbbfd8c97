//! Says for people what is wrong with the boards of a round, and what to do.

use super::board::{Board, Wrong};
use super::{Model, OutputAudience};
use crate::wire::output::BoardMessage;
use crate::wire::round_games::Unpublished;

impl Model {
    /// What is wrong with the boards of a round.
    pub(crate) fn notes(&self, audience: OutputAudience, round: &str) -> Vec<BoardMessage> {
        let boards = self.rounds.get(&(audience, round.to_owned())).into_iter().flat_map(|round| &round.boards);
        let of_game = |id: &String, board: &Board| note(board).or_else(|| self.unused_result(round, id, board));
        let parts = self.parts.get(&(audience, round.to_owned()));
        let incomplete = parts.into_iter().flatten().filter(|(_, parts)| parts.is_incomplete()).map(|(id, _)| BoardMessage {
            board: id.clone(),
            message: "Earlier moves of this board's game were not received: give the collector's user the right to read `moves/+` beside \
                      `state`."
                .to_owned(),
        });
        let notes = boards.filter_map(|(id, board)| {
            let message = if self.is_unpaired(round, id) { without_pairing(board) } else { of_game(id, board) };
            Some(BoardMessage { board: id.clone(), message: message? })
        });
        incomplete.chain(notes).collect()
    }

    /// The result in the pairing is that of a game without moves.
    fn unused_result(&self, round: &str, id: &str, board: &Board) -> Option<String> {
        let result = self.pairing(round, id)?.result?.notation();
        let first = board.games.first().map(|game| game.whole(self.chess960())).filter(|game| game.plies() > 0)?;
        let is_same = first.result.is_some_and(|known| serde_json::to_value(known).is_ok_and(|known| known == result));
        (!is_same).then(|| {
            format!("The result {result} of its pairing is not used, because its game has moves: enter it again with `flagfall event result`.")
        })
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
