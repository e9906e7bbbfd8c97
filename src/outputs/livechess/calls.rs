//! Answers the calls of one client (`livechess/README.md#1`). Nothing that a client sends changes the game of record.

use std::collections::BTreeSet;
use std::sync::Arc;

use flagfall_protocols::time::Instant;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;

use super::envelope::{self, BadCall, Call, NULL};
use super::feed::{Feed, Now};
use super::rest::{self, Shown};
use crate::outputs::tap::Picture;

/// The largest number of feeds of one connection.
pub(super) const MAX_FEEDS: usize = 8;
/// The id of a feed whose client names none.
const FIRST_FEED: &str = "0";

/// One client with its feeds.
#[derive(Debug, Default)]
pub(super) struct Session {
    feeds: Vec<Feed>,
}

/// Where boards may come from, as clients read it.
#[derive(Serialize)]
struct Source<'a> {
    #[serde(rename = "type")]
    kind: &'a str,
    device: &'a str,
    name: Option<&'a str>,
    present: bool,
    active: bool,
    status: Option<&'a str>,
}

#[derive(Deserialize)]
struct Subscribe<'a> {
    feed: Option<String>,
    #[serde(borrow)]
    id: Option<&'a RawValue>,
    param: Option<SubscribeParam>,
}

#[derive(Deserialize)]
struct SubscribeParam {
    serialnr: Option<String>,
}

#[derive(Deserialize)]
struct OnFeed<'a> {
    #[serde(borrow)]
    id: Option<&'a RawValue>,
    method: Option<String>,
    #[serde(borrow)]
    param: Option<&'a RawValue>,
}

/// The values of all methods.
#[derive(Deserialize)]
struct MethodParam {
    fen: Option<Value>,
    flip: Option<bool>,
}

/// The messages that answer a call, or what is wrong with it.
type Answers = Result<Vec<String>, String>;

impl Session {
    /// Answers one message of the client.
    pub(super) fn handle(&mut self, text: &str, boards: &[Shown], now: Now) -> Vec<String> {
        let (id, answers) = match envelope::read(text) {
            Ok(call) => (call.id, self.answer(&call, boards, now)),
            Err(BadCall(id, problem)) => (id, Err(problem)),
        };
        answers.unwrap_or_else(|problem| vec![envelope::error(id, &problem, now.utc_ms)])
    }

    /// The ids of the boards whose changes the client wants.
    pub(super) fn boards(&self) -> BTreeSet<String> {
        self.feeds.iter().map(|feed| feed.board().to_owned()).collect()
    }

    /// Shows a picture of this board to its feeds.
    pub(super) fn see(&mut self, board: &str, picture: &Arc<Picture>, now: Now) -> Vec<String> {
        let feeds = self.feeds.iter_mut().filter(|feed| feed.board() == board);
        feeds.flat_map(|feed| feed.see(picture, now)).collect()
    }

    /// When [`Session::wake`] should be called, unless something happens before.
    pub(super) fn deadline(&self) -> Option<Instant> {
        self.feeds.iter().filter_map(Feed::deadline).min()
    }

    /// Handles the deadlines up to now.
    pub(super) fn wake(&mut self, now: Now) -> Vec<String> {
        let due = self.feeds.iter_mut().filter(|feed| feed.deadline().is_some_and(|due| due <= now.at));
        due.flat_map(|feed| feed.wake(now)).collect()
    }

    fn answer(&mut self, call: &Call<'_>, boards: &[Shown], now: Now) -> Answers {
        match call.call.as_str() {
            "eboards" => Ok(vec![envelope::answer(call.id, &rest::eboards(boards), now.utc_ms)]),
            "sources" => {
                // The ports of other machines are no places here.
                let sources: Vec<Source<'_>> = boards.iter().filter(|shown| !shown.seat.is_elsewhere).map(source).collect();
                Ok(vec![envelope::answer(call.id, &sources, now.utc_ms)])
            }
            "subscribe" => self.subscribe(call, boards, now),
            "unsubscribe" => {
                let on: OnFeed<'_> = envelope::param(call.param)?;
                self.unsubscribe(&on, call.id, now)
            }
            "call" => self.call_method(call, now),
            other => Err(format!("unknown call: {}", other.chars().take(40).collect::<String>())),
        }
    }

    fn subscribe(&mut self, call: &Call<'_>, boards: &[Shown], now: Now) -> Answers {
        let wanted: Subscribe<'_> = envelope::param(call.param)?;
        if let Some(feed) = wanted.feed.filter(|feed| feed != "eboardevent") {
            return Err(format!("unknown feed: {}", feed.chars().take(40).collect::<String>()));
        }
        let id = if wanted.id.is_some() { envelope::id_of(wanted.id)? } else { FIRST_FEED };
        let board = match wanted.param.and_then(|param| param.serialnr) {
            Some(wanted) => find(boards, &wanted).ok_or_else(|| "no board has this serialnr".to_owned())?,
            // Some clients name no board: they mean the first one of `eboards`.
            None => *rest::in_order(boards).first().ok_or_else(|| "there is no board".to_owned())?,
        };
        self.feeds.retain(|feed| !same_id(&feed.id, id));
        if self.feeds.len() >= MAX_FEEDS {
            return Err(format!("a connection has at most {MAX_FEEDS} feeds"));
        }
        let mut feed = Feed::new(id, boards[board].clone());
        let mut messages = vec![envelope::answer(call.id, &(), now.utc_ms)];
        messages.extend(feed.wake(now));
        self.feeds.push(feed);
        Ok(messages)
    }

    fn unsubscribe(&mut self, on: &OnFeed<'_>, id: &str, now: Now) -> Answers {
        let feed = self.find_feed(on)?;
        self.feeds.remove(feed);
        Ok(vec![envelope::answer(id, &(), now.utc_ms)])
    }

    fn call_method(&mut self, call: &Call<'_>, now: Now) -> Answers {
        let on: OnFeed<'_> = envelope::param(call.param)?;
        let method = on.method.as_deref().unwrap_or_default();
        if method == "unsubscribe" {
            return self.unsubscribe(&on, call.id, now);
        }
        if !["setup", "flip"].contains(&method) {
            return Err(format!("unknown method: {}", method.chars().take(40).collect::<String>()));
        }
        let feed = self.find_feed(&on)?;
        let feed = &mut self.feeds[feed];
        if feed.is_elsewhere() {
            return Err(format!("`{method}`: only at the board's own machine"));
        }
        let param: MethodParam = envelope::param(on.param.map(RawValue::get))?;
        // Two published clients send a flip as `{"fen":true}`, or with the method `setup`.
        let flip = param.flip.or_else(|| param.fen.as_ref().filter(|_| method == "flip").and_then(Value::as_bool));
        let messages = match (method, param.fen, flip) {
            ("setup", Some(Value::String(fen)), _) => feed.set_up(&fen, now)?,
            (_, _, Some(flip)) => feed.turn(flip, now),
            ("setup", ..) => return Err("`setup` needs a `fen`".to_owned()),
            _ => return Err("`flip` needs `flip`, true or false".to_owned()),
        };
        Ok([vec![envelope::answer(call.id, &(), now.utc_ms)], messages].concat())
    }

    fn find_feed(&self, on: &OnFeed<'_>) -> Result<usize, String> {
        let id = if on.id.is_some() { envelope::id_of(on.id)? } else { NULL };
        self.feeds.iter().position(|feed| same_id(&feed.id, id)).ok_or_else(|| "there is no feed with this id".to_owned())
    }
}

/// Clients that keep ids as texts name a feed `"1"` that they have opened as `1`.
fn same_id(one: &str, other: &str) -> bool {
    one.trim_matches('"') == other.trim_matches('"')
}

/// The board with this serial number, or else with this id.
fn find(boards: &[Shown], wanted: &str) -> Option<usize> {
    let by_serial = boards.iter().position(|shown| shown.serial() == wanted);
    by_serial.or_else(|| boards.iter().position(|shown| shown.seat.id == wanted))
}

fn source(shown: &Shown) -> Source<'_> {
    let device = &shown.picture.device;
    Source {
        kind: &shown.seat.transport,
        device: device.port.as_deref().unwrap_or_default(),
        name: None,
        present: device.port.is_some(),
        active: device.online,
        status: None,
    }
}

#[cfg(test)]
mod tests;
