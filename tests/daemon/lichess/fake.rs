//! A lichess of our own: its broadcast API with the rules by which it takes games, as they stand in its source. It drops games of unknown
//! players without a word, keeps moves that a later push lacks, and takes a game for another one in the same position.

use std::collections::{BTreeMap, VecDeque};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use shakmaty::san::SanPlus;
use shakmaty::{Chess, Position};

use crate::support::waiting::thread;

/// The token that it knows.
pub(crate) const TOKEN: &str = "lip_secretsecretsecret";

/// What goes wrong with one request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Trouble {
    /// It answers with this status and does nothing.
    Status(u16),
    /// It closes the connection in the middle of the body.
    CutBody,
    /// It does everything and closes the connection without an answer.
    NoAnswer,
}

/// A game of the round at lichess.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Chapter {
    pub(crate) tags: BTreeMap<String, String>,
    pub(crate) moves: Vec<String>,
    /// How often other moves took the place of the main line.
    pub(crate) side_lines: usize,
}

#[derive(Default)]
pub(crate) struct Round {
    pub(crate) chapters: Vec<Chapter>,
    pub(crate) troubles: VecDeque<Trouble>,
    /// Every body that was taken, whole.
    pub(crate) pushes: Vec<String>,
    pub(crate) requests: usize,
    /// The largest body that is taken, in bytes.
    pub(crate) largest: Option<usize>,
    pub(crate) has_source: bool,
    /// The rights of the token.
    pub(crate) scopes: String,
    /// The board whose game is refused, with the words for it.
    pub(crate) refused: Option<(u32, &'static str)>,
}

/// The rounds by their ids.
type Rounds = Mutex<BTreeMap<&'static str, Round>>;

/// The server.
pub(crate) struct FakeLichess {
    rounds: Arc<Rounds>,
    port: u16,
}

/// The id of its first round.
pub(crate) const ROUND: &str = "abcd1234";
/// The id of its second round.
pub(crate) const ROUND_2: &str = "Efgh5678";

impl FakeLichess {
    pub(crate) fn start() -> FakeLichess {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let port = listener.local_addr().expect("an address").port();
        let rounds: Arc<Rounds> = Arc::new(Mutex::new(
            [ROUND, ROUND_2].map(|id| (id, Round { scopes: "study:write".to_owned(), ..Round::default() })).into(),
        ));
        let shared = Arc::clone(&rounds);
        thread("lichess", move || {
            for stream in listener.incoming() {
                // A client that leaves is no fault of the server.
                let _ = serve(stream.expect("a connection"), &shared);
            }
        });
        FakeLichess { rounds, port }
    }

    pub(crate) fn port(&self) -> u16 {
        self.port
    }

    pub(crate) fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// Looks at the first round.
    pub(crate) fn with<T>(&self, look: impl FnOnce(&mut Round) -> T) -> T {
        self.with_round(ROUND, look)
    }

    pub(crate) fn with_round<T>(&self, id: &str, look: impl FnOnce(&mut Round) -> T) -> T {
        look(self.rounds.lock().expect("no panic").get_mut(id).expect("a round"))
    }
}

/// The chapters of a round that was pushed once, with this text.
pub(crate) fn chapters_of(text: &str) -> Vec<Chapter> {
    let mut round = Round::default();
    round.push(text);
    round.chapters
}

fn serve(stream: TcpStream, rounds: &Rounds) -> std::io::Result<()> {
    let mut reader = BufReader::new(stream);
    let (mut first, mut token, mut length) = (String::new(), String::new(), 0);
    reader.read_line(&mut first)?;
    loop {
        let mut line = String::new();
        reader.read_line(&mut line)?;
        let Some((name, value)) = line.trim_end().split_once(": ") else { break };
        match name.to_ascii_lowercase().as_str() {
            "authorization" => value.clone_into(&mut token),
            "content-length" => length = value.parse().unwrap_or_default(),
            _ => {}
        }
    }
    // The rights of the token and the troubles of such a request are those of the first round.
    let tests_token = first.starts_with("POST /api/token/test ");
    let id = first.split(['/', ' ']).find_map(|part| [ROUND, ROUND_2].into_iter().find(|id| *id == part));
    let id = id.or(tests_token.then_some(ROUND));
    let trouble = id.and_then(|id| {
        let mut rounds = rounds.lock().expect("no panic");
        let round = rounds.get_mut(id)?;
        round.requests += 1;
        round.troubles.pop_front()
    });
    let mut body = vec![0; length];
    if trouble == Some(Trouble::CutBody) {
        return reader.read_exact(&mut body[..length / 2]);
    }
    reader.read_exact(&mut body)?;
    let (status, answer) = match trouble {
        Some(Trouble::Status(status)) => (status, json!({"error": "as the test wants"})),
        // Whoever asks about a token needs none.
        _ if tests_token => rounds.lock().expect("no panic")[ROUND].test(&String::from_utf8_lossy(&body)),
        _ if token != format!("Bearer {TOKEN}") => (401, json!({"error": "No such token"})),
        _ => {
            let mut rounds = rounds.lock().expect("no panic");
            let found = id.and_then(|id| Some(rounds.get_mut(id)?.handle(id, &first, &String::from_utf8_lossy(&body))));
            found.unwrap_or_else(|| (404, json!({"error": "Not found"})))
        }
    };
    if trouble == Some(Trouble::NoAnswer) {
        return Ok(());
    }
    let text = answer.to_string();
    let head = format!("HTTP/1.1 {status} X\r\nContent-Type: application/json\r\nContent-Length: {}\r\n", text.len());
    write!(reader.get_mut(), "{head}Connection: close\r\n\r\n{text}")
}

impl Round {
    fn handle(&mut self, id: &str, request: &str, body: &str) -> (u16, Value) {
        let push = format!("POST /api/broadcast/round/{id}/push ");
        let reset = format!("POST /api/broadcast/round/{id}/reset ");
        let look = format!("GET /api/broadcast/-/-/{id} ");
        if request.starts_with(&push) {
            if self.largest.is_some_and(|largest| body.len() > largest) {
                return (413, json!({"error": "too large"}));
            }
            self.pushes.push(body.to_owned());
            (200, self.push(body))
        } else if request.starts_with(&reset) {
            self.chapters.clear();
            (200, json!({"ok": true}))
        } else if request.starts_with(&look) {
            let name = |chapter: &Chapter, side: &str| json!({"name": chapter.tag(side)});
            let games = self.chapters.iter().map(
                |chapter| json!({"players": [name(chapter, "White"), name(chapter, "Black")], "status": chapter.tag("Result")}),
            );
            (200, json!({"round": {"id": id}, "games": games.collect::<Vec<_>>()}))
        } else {
            (404, json!({"error": "Not found"}))
        }
    }

    /// What is known of each token of a list.
    fn test(&self, tokens: &str) -> (u16, Value) {
        let mine = json!({"userId": "hall", "scopes": self.scopes, "expires": null});
        let known = |token: &str| if token == TOKEN { mine.clone() } else { Value::Null };
        (200, tokens.split(',').map(|token| (token.to_owned(), known(token))).collect())
    }

    fn push(&mut self, body: &str) -> Value {
        if self.has_source {
            return json!({"games": [{"tags": {}, "error": "The round has a source URL"}]});
        }
        let games: Vec<Result<Chapter, String>> = split(body).into_iter().map(read).collect();
        let mut answers = Vec::new();
        // A chapter belongs to the first game that finds it.
        let mut free: Vec<usize> = (0..self.chapters.len()).collect();
        for game in games {
            let game = match game {
                Ok(game) => game,
                Err(error) => {
                    answers.push(json!({"tags": {}, "error": error}));
                    continue;
                }
            };
            if let Some((_, words)) = self.refused.filter(|(board, _)| game.tag("Board") == board.to_string()) {
                answers.push(json!({"tags": game.tags, "error": words}));
                continue;
            }
            answers.push(json!({"tags": game.tags, "moves": game.moves.len()}));
            let unknown =
                |side: &str| matches!(game.tag(side), "" | "?" | "unknown" | "bye") || game.tag(side).chars().count() < 2;
            if unknown("White") || unknown("Black") {
                continue;
            }
            match free.iter().position(|&index| self.chapters[index].is_same(&game)) {
                Some(place) => self.chapters[free.remove(place)].update(game),
                None => self.chapters.push(game),
            }
        }
        json!({"games": answers})
    }
}

impl Chapter {
    pub(crate) fn tag(&self, name: &str) -> &str {
        self.tags.get(name).map(String::as_str).unwrap_or_default()
    }

    fn is_same(&self, game: &Chapter) -> bool {
        let both = |name: &str| !self.tag(name).is_empty() && !game.tag(name).is_empty();
        let same = |name: &str| self.tag(name) == game.tag(name);
        if both("GameId") {
            return same("GameId");
        }
        let player = |side: &str| {
            let id = format!("{side}FideId");
            if both(&id) { same(&id) } else { same(side) }
        };
        let common = self.moves.len().min(game.moves.len());
        let place = same("Event") && same("Site") && same("Round");
        place && (same("Board") && player("White") && player("Black") || self.moves[..common] == game.moves[..common])
    }

    fn update(&mut self, game: Chapter) {
        let common = self.moves.iter().zip(&game.moves).take_while(|(one, other)| one == other).count();
        if common < game.moves.len() {
            self.side_lines += usize::from(common < self.moves.len());
            self.moves = game.moves;
        }
        self.tags = game.tags;
    }
}

/// lichess divides a text into games at each line of tags after an empty line.
fn split(body: &str) -> Vec<&str> {
    let mut games = Vec::new();
    let mut rest = body;
    while let Some(end) = rest.find("\n\n[") {
        games.push(&rest[..end]);
        rest = &rest[end + 2..];
    }
    games.push(rest);
    games
}

fn read(text: &str) -> Result<Chapter, String> {
    let (head, moves) = text.split_once("\n\n").ok_or("no moves")?;
    let tag = |line: &str| {
        let (name, value) = line.strip_prefix('[')?.strip_suffix("\"]")?.split_once(" \"")?;
        Some((name.to_owned(), value.to_owned()))
    };
    let tags = head.lines().map(|line| tag(line).ok_or_else(|| format!("{line}: no tag"))).collect::<Result<_, _>>()?;
    let mut chapter = Chapter { tags, ..Chapter::default() };
    let (mut position, mut comment) = (Chess::default(), false);
    for word in moves.split_whitespace() {
        comment |= word.starts_with('{');
        let is_move = !comment && !word.ends_with('.') && !matches!(word, "*" | "1-0" | "0-1" | "1/2-1/2");
        comment &= !word.ends_with('}');
        if is_move {
            let san: SanPlus = word.parse().map_err(|_| format!("{word}: no move"))?;
            let mv = san.san.to_move(&position).map_err(|_| format!("{word} cannot be played"))?;
            position.play_unchecked(mv);
            chapter.moves.push(word.to_owned());
        }
    }
    Ok(chapter)
}
