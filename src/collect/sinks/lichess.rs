//! Pushes rounds to a lichess broadcast (`collect/README.md#6`). Every push has all games of the round: a single game in its opening
//! would be taken for another board's.

mod answer;
mod client;
mod line;
mod look;
mod shorten;
mod token;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use flagfall_protocols::bytes::crc32;

use self::client::{Client, Fault, Method};
pub use self::line::Lines;
use self::line::{Line, Turn};
use self::look::SentGame;
pub use self::token::test_token;
use super::{Answer, Sink, Verdict};
use crate::collect::body::RoundBody;
use crate::config::Output;
use crate::system_clock::{MonotonicTime, monotonic};
use crate::wire::output::BoardMessage;

/// The largest push, in bytes; lichess takes 512 KiB.
const LARGEST: usize = 480 << 10;
/// What lichess shows is compared with what it was sent at most once in this time.
const LOOK_EVERY: Duration = Duration::from_secs(300);

/// Pushes rounds to one account.
pub(crate) struct Lichess {
    client: Client,
    line: Arc<Line>,
    /// The largest push. It becomes smaller when lichess says that a push was too large.
    largest: usize,
    /// What lichess took last, for each of its rounds.
    taken: BTreeMap<String, Taken>,
}

/// What lichess took of a round.
#[derive(Default)]
struct Taken {
    /// The checksums of the games.
    games: Vec<u32>,
    /// When lichess was last looked at, and what it had been sent by then.
    looked: Option<(MonotonicTime, Vec<SentGame>)>,
    /// What was found then.
    found: Vec<BoardMessage>,
}

impl Lichess {
    pub(crate) fn new(output: &Output, lines: &mut Lines) -> Lichess {
        let url = output.url.trim_end_matches('/').to_owned();
        Lichess {
            line: lines.line_of(&url, &output.token_file),
            client: Client::new(url, output.token_file.clone()),
            largest: LARGEST,
            taken: BTreeMap::new(),
        }
    }

    fn push(&mut self, body: &RoundBody, id: &str, turn: &mut Turn<'_>) -> Answer {
        let taken = self.taken.get(id).map(|taken| taken.games.as_slice()).unwrap_or_default();
        let Some((text, shortened)) = shorten::fit(body, self.largest, |game| taken.contains(&crc32(game.pgn.as_bytes()))) else {
            let why =
                "The round is too large for lichess. Divide it: give two outputs different boards and a round at lichess each.";
            return refused(None, why.to_owned());
        };
        let reply = match self.client.request(Method::Post, &format!("/api/broadcast/round/{id}/push"), &text) {
            Ok(reply) => reply,
            Err(Fault::Token(why)) => return refused(None, why),
            Err(Fault::Network(why)) => return Answer::failed(why),
        };
        if reply.status == 413 {
            self.largest = text.len() * 3 / 4;
        }
        let mut answer = answer::of_push(&reply, id, body);
        if reply.status == 429 {
            answer.verdict = Verdict::Retry(Some(turn.block()));
        } else {
            turn.unblock();
        }
        if answer.verdict == Verdict::Accepted {
            let taken = self.taken.entry(id.to_owned()).or_default();
            taken.games = body.games.iter().map(|game| crc32(game.pgn.as_bytes())).collect();
            if shortened {
                answer.message = "The times of moves of finished games were left out, because the round is large.".to_owned();
            }
            self.look(body, id);
            answer.boards.extend(self.taken.get(id).map(|taken| taken.found.clone()).unwrap_or_default());
        }
        answer
    }

    /// Compares what lichess shows with what it took before the last look: it says of a push that it went well, and drops games later.
    fn look(&mut self, body: &RoundBody, id: &str) {
        let (Some(taken), now) = (self.taken.get_mut(id), monotonic()) else { return };
        let Some((at, sent)) = &taken.looked else {
            taken.looked = Some((now, look::sent(body)));
            return;
        };
        if now.since(*at) < LOOK_EVERY {
            return;
        }
        if let Ok(reply) = self.client.request(Method::Get, &format!("/api/broadcast/-/-/{id}"), "")
            && let Some(found) = look::compare(&reply, sent)
        {
            taken.found = found;
        }
        taken.looked = Some((now, look::sent(body)));
    }
}

impl Sink for Lichess {
    fn send(&mut self, body: &RoundBody) -> Answer {
        let Some(id) = &body.lichess_round else {
            return refused(None, "lichess: the round has no id.".to_owned());
        };
        let line = Arc::clone(&self.line);
        match line.enter() {
            Ok(mut turn) => self.push(body, id, &mut turn),
            Err(wait) => too_many(wait),
        }
    }

    fn reset(&mut self, body: &RoundBody) -> Answer {
        let Some(id) = &body.lichess_round else { return Answer::accepted() };
        let line = Arc::clone(&self.line);
        let mut turn = match line.enter() {
            Ok(turn) => turn,
            Err(wait) => return too_many(wait),
        };
        let reply = match self.client.request(Method::Post, &format!("/api/broadcast/round/{id}/reset"), "") {
            Ok(reply) => reply,
            Err(Fault::Token(why)) => return refused(None, why),
            Err(Fault::Network(why)) => return Answer::failed(why),
        };
        self.taken.remove(id);
        let mut answer = answer::of_status(&reply, id);
        if reply.status == 429 {
            answer.verdict = Verdict::Retry(Some(turn.block()));
        }
        answer
    }
}

fn refused(http: Option<u16>, message: String) -> Answer {
    Answer { verdict: Verdict::Refused, http, message, boards: Vec::new() }
}

fn too_many(wait: Duration) -> Answer {
    let message = "lichess said that there were too many requests. The next one follows later.".to_owned();
    Answer { verdict: Verdict::Retry(Some(wait)), http: Some(429), message, boards: Vec::new() }
}
