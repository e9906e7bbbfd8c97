//! Reads pairings from PGN: one game for each pairing, as pairing programs write it. Only tags are read; a reader of its own, because
//! readers of games do not say on which line a tag stands.

use super::{Imported, Problems, Row, fields};
use crate::wire::player::Player;

/// The largest number of tags of one game.
const MAX_TAGS: usize = 100;

/// A tag with its line.
struct Tag<'a> {
    line: usize,
    name: &'a str,
    value: String,
}

/// The tags of one game.
#[derive(Default)]
struct Game<'a> {
    tags: Vec<Tag<'a>>,
    /// Something other than a tag has followed.
    over: bool,
}

pub(super) fn read(text: &str) -> Result<Imported, Problems> {
    let mut problems = Problems::default();
    let games = split(text, &mut problems);
    let mut imported = Imported::default();
    let mut unused = 0;
    for game in &games {
        unused += game.tags.iter().filter(|tag| known(tag.name).is_none()).count();
        let row = row(game, &mut imported.date, &mut problems);
        imported.rows.extend(row);
    }
    if games.is_empty() {
        problems.add(0, "there is no game with tags, [White \"...\"] and [Black \"...\"]");
    }
    if unused > 0 {
        imported.notes.push(format!("{unused} tags are not used"));
    }
    problems.ok(imported)
}

/// Splits the text into games: a tag begins another game if moves, a result or an empty line came after the last tag.
fn split<'a>(text: &'a str, problems: &mut Problems) -> Vec<Game<'a>> {
    let mut games: Vec<Game<'a>> = Vec::new();
    let mut comment: Option<usize> = None;
    for (line, whole) in (1..).zip(text.lines()) {
        let mut rest = whole.trim();
        if comment.is_none() && rest.starts_with('[') {
            match tag(rest) {
                Ok((name, value)) => {
                    if games.last().is_none_or(|game| game.over) {
                        games.push(Game::default());
                    }
                    games.last_mut().into_iter().for_each(|game| game.tags.push(Tag { line, name, value: value.clone() }));
                }
                Err(why) => problems.add(line, why),
            }
            continue;
        }
        games.last_mut().into_iter().for_each(|game| game.over = true);
        if games.is_empty() && comment.is_none() && !rest.is_empty() && !rest.starts_with(['%', ';', '{']) {
            problems.add(line, format!("{:?} stands before the first tag", shorten(rest)));
        }
        // Comments may have brackets.
        while !rest.is_empty() {
            rest = match comment {
                Some(_) => match rest.split_once('}') {
                    Some((_, after)) => {
                        comment = None;
                        after
                    }
                    None => "",
                },
                None => match rest.find(['{', ';']) {
                    Some(at) if rest[at..].starts_with('{') => {
                        comment = Some(line);
                        &rest[at + 1..]
                    }
                    _ => "",
                },
            };
        }
    }
    if let Some(line) = comment {
        problems.add(line, "the comment that begins here has no end");
    }
    games
}

/// Reads `[Name "value"]`.
fn tag(line: &str) -> Result<(&str, String), String> {
    let wrong = || format!("{:?} is no tag like [White \"Muster, Ben\"]", shorten(line));
    let inner = line.strip_prefix('[').and_then(|rest| rest.trim_end().strip_suffix(']')).ok_or_else(wrong)?;
    let (name, value) = inner.trim().split_once(char::is_whitespace).ok_or_else(wrong)?;
    let value = value.trim().strip_prefix('"').and_then(|rest| rest.strip_suffix('"')).ok_or_else(wrong)?;
    if !name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_') {
        return Err(wrong());
    }
    let mut plain = String::new();
    let mut escaped = false;
    for char in value.chars() {
        match (escaped, char) {
            (false, '\\') => escaped = true,
            (false, '"') => return Err(wrong()),
            _ => {
                escaped = false;
                plain.push(char);
            }
        }
    }
    if escaped { Err(wrong()) } else { Ok((name, plain)) }
}

/// The beginning of a text, for messages.
fn shorten(text: &str) -> String {
    text.chars().take(60).collect()
}

/// The tags that are read, by the name that they have here.
fn known(name: &str) -> Option<&'static str> {
    const NAMES: [(&str, &str); 23] = [
        ("Event", "Event"),
        ("Site", "Site"),
        ("Date", "Date"),
        ("Round", "Round"),
        ("Board", "Board"),
        ("Table", "Board"),
        ("White", "White"),
        ("Black", "Black"),
        ("Result", "Result"),
        ("WhiteElo", "WhiteElo"),
        ("BlackElo", "BlackElo"),
        ("WhiteTitle", "WhiteTitle"),
        ("BlackTitle", "BlackTitle"),
        ("WhiteFideId", "WhiteFideId"),
        ("BlackFideId", "BlackFideId"),
        ("WhiteFideID", "WhiteFideId"),
        ("BlackFideID", "BlackFideId"),
        ("WhiteFed", "WhiteFed"),
        ("BlackFed", "BlackFed"),
        ("WhiteCountry", "WhiteFed"),
        ("BlackCountry", "BlackFed"),
        ("WhiteFederation", "WhiteFed"),
        ("BlackFederation", "BlackFed"),
    ];
    NAMES.iter().find(|(tag, _)| *tag == name).map(|(_, known)| *known)
}

fn row(game: &Game<'_>, date: &mut Option<String>, problems: &mut Problems) -> Option<Row> {
    let first = game.tags.first()?.line;
    if game.tags.len() > MAX_TAGS {
        problems.add(first, format!("the game has {} tags, the limit is {MAX_TAGS}", game.tags.len()));
        return None;
    }
    for (index, tag) in game.tags.iter().enumerate() {
        if let Some(before) = game.tags[..index].iter().find(|before| before.name == tag.name) {
            problems.add(tag.line, format!("the tag {} stands already on line {}", tag.name, before.line));
        }
    }
    let find = |name: &str| game.tags.iter().find(|tag| known(tag.name) == Some(name));
    let mut row = Row { line: first, ..Row::default() };
    if let Some(tag) = find("Round") {
        let mut parts = tag.value.split('.');
        row.round = problems.take(tag.line, "tag Round", fields::round(parts.next().unwrap_or_default()));
        row.number = problems.take(tag.line, "tag Round", fields::board(parts.next().unwrap_or_default()));
    }
    if let Some(tag) = find("Board") {
        let board = problems.take(tag.line, &format!("tag {}", tag.name), fields::board(&tag.value));
        if let (Some(board), Some(of_round)) = (board, row.number)
            && board != of_round
        {
            problems.add(tag.line, format!("tag {}: it is {board}, but the tag Round names board {of_round}", tag.name));
        }
        row.number = board.or(row.number);
    }
    if let Some(tag) = find("Date") {
        let of_game = problems.take(tag.line, "tag Date", fields::date(&tag.value));
        *date = date.take().or(of_game);
    }
    if let Some(tag) = find("Result") {
        row.result = problems.take(tag.line, "tag Result", fields::result(&tag.value));
    }
    let mut player = |side: &str| {
        let mut player = Player::default();
        let Some(tag) = find(side) else {
            problems.add(first, format!("the game has no tag {side}"));
            return player;
        };
        player.name = problems.take(tag.line, &format!("tag {side}"), fields::name(&tag.value));
        if player.name.is_none() {
            problems.add(tag.line, format!("tag {side}: {:?} is no name", tag.value));
        }
        if let Some(tag) = find(&format!("{side}Title")) {
            player.title = problems.take(tag.line, &format!("tag {}", tag.name), fields::title(&tag.value));
        }
        if let Some(tag) = find(&format!("{side}Elo")) {
            player.rating = problems.take(tag.line, &format!("tag {}", tag.name), fields::rating(&tag.value));
        }
        if let Some(tag) = find(&format!("{side}Fed")) {
            player.federation = problems.take(tag.line, &format!("tag {}", tag.name), fields::federation(&tag.value));
        }
        if let Some(tag) = find(&format!("{side}FideId")) {
            player.fide_id = problems.take(tag.line, &format!("tag {}", tag.name), fields::fide_id(&tag.value));
        }
        player
    };
    (row.white, row.black) = (player("White"), player("Black"));
    Some(row)
}
