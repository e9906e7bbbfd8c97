//! Reads what lichess answers, and says it in words that end with what to do.

use std::collections::BTreeMap;
use std::time::Duration;

use serde::Deserialize;

use super::client::Reply;
use super::refused;
use crate::collect::body::{GameBody, RoundBody};
use crate::collect::sinks::{Answer, Verdict};
use crate::wire::output::BoardMessage;

/// What to do about one game that was not taken.
const AGAIN: &str = "Compare its moves and its pairing with the score sheets; the next push has the game again.";
/// The largest length of words of lichess that are shown, in characters.
const LONGEST: usize = 200;

#[derive(Deserialize)]
struct Pushed {
    games: Vec<PushedGame>,
}

/// What became of one game.
#[derive(Deserialize)]
struct PushedGame {
    #[serde(default)]
    tags: BTreeMap<String, String>,
    #[serde(default)]
    moves: u32,
    error: Option<String>,
}

/// What a push became. A success has one entry for each game, also for games that were not taken.
pub(super) fn of_push(reply: &Reply, id: &str, body: &RoundBody) -> Answer {
    let answer = of_status(reply, id);
    if answer.verdict != Verdict::Accepted {
        return answer;
    }
    let Ok(Pushed { games }) = serde_json::from_str::<Pushed>(&reply.text) else {
        let why = format!("lichess answered something that is not known: {}. It is tried again.", clean(&reply.text));
        return Answer { http: Some(reply.status), ..Answer::failed(why) };
    };
    if let [only] = games.as_slice()
        && only.tags.is_empty()
        && let Some(error) = &only.error
    {
        let why = format!(
            "lichess took nothing of round {id}: {}. If the round has a source, remove it in the round's form.",
            clean(error)
        );
        return refused(Some(reply.status), why);
    }
    let mut boards = Vec::new();
    for (index, game) in body.games.iter().enumerate() {
        let message = match entry_of(&games, index, game, body.games.len()) {
            None => format!("lichess did not answer about this game. {AGAIN}"),
            Some(PushedGame { error: Some(error), .. }) => format!("lichess refused this game: {}. {AGAIN}", clean(error)),
            Some(taken) if taken.moves < game.plies => {
                format!("lichess took {} of {} half-moves of this game. {AGAIN}", taken.moves, game.plies)
            }
            Some(_) => continue,
        };
        boards.push(BoardMessage { board: game.board.clone(), message });
    }
    Answer { boards, ..answer }
}

/// The entry about a game: by its id, else by its place if there is an entry for each game.
fn entry_of<'a>(entries: &'a [PushedGame], index: usize, game: &GameBody, sent: usize) -> Option<&'a PushedGame> {
    let id = tag(&game.pgn, "GameId");
    let by_id = entries.iter().find(|entry| id.is_some() && entry.tags.get("GameId").map(String::as_str) == id);
    by_id.or_else(|| entries.get(index).filter(|entry| entries.len() == sent && !entry.tags.contains_key("GameId")))
}

/// The value of a tag of one game; none if it has no such tag.
pub(super) fn tag<'a>(pgn: &'a str, name: &str) -> Option<&'a str> {
    let line = |line: &'a str| line.strip_prefix('[')?.strip_prefix(name)?.strip_prefix(" \"")?.strip_suffix("\"]");
    pgn.lines().take_while(|line| !line.is_empty()).find_map(line)
}

/// What a status code means.
pub(super) fn of_status(reply: &Reply, id: &str) -> Answer {
    let http = Some(reply.status);
    let retry = |message: String| Answer { http, ..Answer::failed(message) };
    match reply.status {
        200..=299 => Answer { http, ..Answer::accepted() },
        401 => refused(
            http,
            "The token is not valid. Make one with the right study:write at lichess, and write it into the file.".to_owned(),
        ),
        403 => refused(http, format!("The account may not write round {id}. Make it a contributor of the broadcast at lichess.")),
        404 => refused(http, format!("lichess has no round {id}. Compare it with the end of the round's address.")),
        413 => Answer {
            verdict: Verdict::Retry(Some(Duration::ZERO)),
            ..retry("lichess said that the round is too large. It is sent again with fewer times.".to_owned())
        },
        429 => retry("lichess said that there were too many requests. The next one follows later.".to_owned()),
        300..=399 => refused(http, "The address of lichess leads elsewhere. Correct the key url.".to_owned()),
        status => retry(format!("lichess answered with status {status}: {}. It is tried again.", clean(&reply.text))),
    }
}

/// Words of the receiver as one short line.
pub(super) fn clean(text: &str) -> String {
    let text = text.trim().trim_end_matches('.');
    text.chars().take(LONGEST).map(|char| if char.is_control() { ' ' } else { char }).collect()
}
