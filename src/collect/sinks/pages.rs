//! Gives rounds to the pages that are served over HTTP (`collect/README.md#7`). They have what the public has and nothing else.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::{Answer, Sink};
use crate::collect::body::RoundBody;
use crate::http::Pages;

/// lichess reads a text without a character set as Latin-1.
const PGN: &str = "application/x-chess-pgn; charset=utf-8";

/// The pages, and the rounds of which they are made.
pub(crate) struct RoundPages {
    pages: Arc<Pages>,
    /// The PGN of each round, by its number or else its id.
    rounds: BTreeMap<(u32, String), String>,
}

impl RoundPages {
    pub(crate) fn new(pages: &Arc<Pages>) -> RoundPages {
        RoundPages { pages: Arc::clone(pages), rounds: BTreeMap::new() }
    }
}

impl Sink for RoundPages {
    fn send(&mut self, body: &RoundBody) -> Answer {
        let text = body.pgn();
        let round = format!("/{}/round-{}/games.pgn", body.event, body.round);
        let number = body.round.parse().unwrap_or(u32::MAX);
        let mut there = self.pages.put(&round, text.clone().into_bytes(), PGN);
        self.rounds.insert((number, body.round.clone()), text);
        let all: Vec<&str> = self.rounds.values().map(String::as_str).filter(|text| !text.is_empty()).collect();
        there &= self.pages.put(&format!("/{}/games.pgn", body.event), all.join("\n").into_bytes(), PGN);
        if there { Answer::accepted() } else { Answer::failed("A page is too large to be served. Divide the event.") }
    }
}
