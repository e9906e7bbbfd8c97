//! Compares what lichess shows of a round with what it was sent: it drops a game of an unknown player and still says that all went well.

use serde::Deserialize;

use super::answer::tag;
use super::client::Reply;
use crate::collect::body::RoundBody;
use crate::wire::output::BoardMessage;

/// One game as it was sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct SentGame {
    board: String,
    /// The name and the FIDE id of each player.
    players: [(String, Option<u32>); 2],
    result: String,
}

#[derive(Deserialize)]
struct Shown {
    games: Vec<ShownGame>,
}

#[derive(Deserialize)]
struct ShownGame {
    #[serde(default)]
    players: Vec<ShownPlayer>,
    #[serde(default)]
    status: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ShownPlayer {
    #[serde(default)]
    name: String,
    fide_id: Option<u32>,
}

/// The games of a push with moves or a result. What has neither may not be shown.
pub(super) fn sent(body: &RoundBody) -> Vec<SentGame> {
    let of = |pgn: &str, name: &str| tag(pgn, name).unwrap_or_default().to_owned();
    let begun = body.games.iter().filter(|game| game.plies > 0);
    let game = begun.map(|game| SentGame {
        board: game.board.clone(),
        players: ["White", "Black"].map(|side| (of(&game.pgn, side), of(&game.pgn, &format!("{side}FideId")).parse().ok())),
        result: of(&game.pgn, "Result"),
    });
    game.collect()
}

/// What lichess does not show as it was sent; none if its answer says nothing.
pub(super) fn compare(reply: &Reply, sent: &[SentGame]) -> Option<Vec<BoardMessage>> {
    if reply.status != 200 {
        return None;
    }
    let Shown { games: shown } = serde_json::from_str(&reply.text).ok()?;
    let mut found = Vec::new();
    for game in sent {
        let message = match shown.iter().find(|shown| is_same(shown, game)) {
            // lichess may write other names, but not fewer games.
            None if shown.len() >= sent.len() => continue,
            None => "lichess does not show this game. Look whether it knows both players.".to_owned(),
            Some(shown) if game.result != "*" && result(&shown.status) != game.result => {
                format!("lichess shows the result {}, and it was sent {}.", result(&shown.status), game.result)
            }
            Some(_) => continue,
        };
        found.push(BoardMessage { board: game.board.clone(), message });
    }
    Some(found)
}

fn is_same(shown: &ShownGame, game: &SentGame) -> bool {
    let same = |shown: &ShownPlayer, (name, id): &(String, Option<u32>)| {
        (id.is_some() && shown.fide_id == *id) || shown.name.eq_ignore_ascii_case(name)
    };
    shown.players.len() == 2 && shown.players.iter().zip(&game.players).all(|(shown, sent)| same(shown, sent))
}

/// lichess writes a draw with the sign for a half.
fn result(status: &str) -> String {
    if status == "½-½" { "1/2-1/2".to_owned() } else { status.to_owned() }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::collect::body::GameBody;

    #[test]
    fn a_game_that_is_not_shown_and_another_result_are_found() {
        let game = |board: &str, white: &str, id: &str, result: &str| {
            let pgn = format!("[White \"{white}\"]\n[Black \"Muster, Ben\"]\n{id}[Result \"{result}\"]\n\n1. e4 {result}\n");
            Arc::new(GameBody { board: board.to_owned(), pgn, plies: 1, ..GameBody::default() })
        };
        let games = vec![
            game("1", "Beispiel, Anna", "", "1/2-1/2"),
            game("2", "Other", "[WhiteFideId \"7\"]\n", "*"),
            game("3", "Third", "", "1-0"),
            game("4", "Nobody", "", "*"),
        ];
        let sent = sent(&RoundBody { games, ..RoundBody::default() });
        let ben = r#"{"name":"Muster, Ben"}"#;
        let text = format!(
            r#"{{"round":{{}},"games":[{{"players":[{{"name":"beispiel, anna"}},{ben}],"status":"½-½"}},
            {{"players":[{{"name":"As FIDE writes it","fideId":7}},{ben}],"status":"*"}},{{"players":[{{"name":"Third"}},{ben}],"status":"*"}}]}}"#
        );
        let found = compare(&Reply { status: 200, text }, &sent).expect("an answer");
        let boards: Vec<&str> = found.iter().map(|note| note.board.as_str()).collect();
        assert_eq!(boards, ["3", "4"], "{found:?}");
        assert_eq!(compare(&Reply { status: 502, text: String::new() }, &sent), None);
        assert_eq!(compare(&Reply { status: 200, text: "<html>".to_owned() }, &sent), None);
    }
}
