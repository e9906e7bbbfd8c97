//! Makes a push fit, by leaving out the times of moves of finished games that lichess has already: it keeps the times that it has.

use crate::collect::body::{GameBody, RoundBody};

/// The text of the round in at most `largest` bytes, and whether times were left out. `is_taken` says whether lichess has a game as it
/// is. None if the round is too large even so.
pub(super) fn fit(body: &RoundBody, largest: usize, is_taken: impl Fn(&GameBody) -> bool) -> Option<(String, bool)> {
    let whole = body.pgn();
    let mut left = whole.len();
    if left <= largest {
        return Some((whole, false));
    }
    let mut texts = Vec::new();
    for game in &body.games {
        let short = (left > largest && !game.is_on && is_taken(game)).then(|| without_times(&game.pgn));
        left -= short.as_ref().map_or(0, |short| game.pgn.len() - short.len());
        texts.push(short.unwrap_or_else(|| game.pgn.clone()));
    }
    (left <= largest).then(|| (texts.join("\n"), true))
}

/// The game without its `%clk` comments.
fn without_times(pgn: &str) -> String {
    let mut parts = pgn.split(" {[%clk ");
    let mut short = parts.next().unwrap_or_default().to_owned();
    parts.for_each(|part| short.push_str(part.split_once("]}").map_or("", |(_, after)| after)));
    short
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    fn game(board: &str, is_on: bool) -> Arc<GameBody> {
        let pgn = "[White \"A\"]\n\n1. e4 {[%clk 1:30:00]} 1... e5 {[%clk 1:29:58]} *\n".to_owned();
        Arc::new(GameBody { board: board.to_owned(), pgn, is_on, plies: 2, ..GameBody::default() })
    }

    #[test]
    fn the_oldest_finished_games_lose_their_times_until_it_fits() {
        let body = RoundBody { games: vec![game("1", true), game("2", false), game("3", false)], ..RoundBody::default() };
        let whole = body.pgn();
        assert_eq!(fit(&body, whole.len(), |_| true), Some((whole.clone(), false)));
        let (text, shortened) = fit(&body, whole.len() - 1, |_| true).expect("it fits");
        assert!(shortened && text.matches("%clk").count() == 4 && text.matches("1. e4 1... e5 *").count() == 1, "{text}");
        assert_eq!(fit(&body, whole.len() - 1, |_| false), None, "what lichess does not have keeps its times");
        assert_eq!(fit(&body, 50, |_| true), None);
    }
}
