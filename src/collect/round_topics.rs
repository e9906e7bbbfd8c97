//! Publishes the public games of each round as PGN at the broker (`collect/README.md#8`): what a file of an output with the profile
//! `full` has, for pages and programs that read nothing but MQTT.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use super::intake::Link;
use crate::log_limit;
use crate::system_clock::MonotonicTime;
use crate::wire::topics;

/// The PGN of a round is published if it is smaller than this, in bytes.
pub(crate) const LARGEST: usize = 128 << 10;
/// What a packet has beside its payload, at most.
const HEADER: usize = 1 << 10;
/// A connection that ends so soon after such a message, which the broker has not answered, may have ended because of it.
const SOON: Duration = Duration::from_secs(5);
/// After so many of these in a row nothing is published for a while.
const STRIKES: u32 = 3;
/// That while. The broker may get other rights or limits meanwhile, or another cause may end.
const REST: Duration = Duration::from_mins(10);

/// The PGN of all rounds.
pub(crate) struct RoundTopics {
    root: String,
    event: String,
    rounds: BTreeMap<String, Kept>,
    /// The rounds that are too large, so that the log says it once.
    too_large: BTreeSet<String>,
    /// The largest packet that the broker takes, in bytes.
    limit: usize,
    given_at: Option<MonotonicTime>,
    /// How many connections in a row ended soon after such a message.
    strikes: u32,
    /// Until when nothing is published.
    rests_until: MonotonicTime,
}

struct Kept {
    /// Empty deletes what the broker has.
    pgn: String,
    /// The broker was given it on this connection.
    given: bool,
}

impl RoundTopics {
    pub(crate) fn new(root: &str, event: &str) -> RoundTopics {
        RoundTopics {
            root: root.to_owned(),
            event: event.to_owned(),
            rounds: BTreeMap::new(),
            too_large: BTreeSet::new(),
            limit: usize::MAX,
            given_at: None,
            strikes: 0,
            rests_until: MonotonicTime(0),
        }
    }

    /// A connection began: everything is published again. `limit` is the largest packet that the broker takes, in bytes.
    pub(crate) fn connected(&mut self, limit: Option<u32>) {
        self.limit = limit.map_or(usize::MAX, |limit| limit as usize);
        self.rounds.values_mut().for_each(|kept| kept.given = false);
    }

    /// The connection was lost. `unanswered`: the broker had not answered all messages. One that has answered them did not end the
    /// connection because of them.
    pub(crate) fn lost(&mut self, unanswered: bool, now: MonotonicTime) {
        let soon = self.given_at.take().is_some_and(|given| now.since(given) < SOON);
        self.strikes = if soon && unanswered { self.strikes + 1 } else { 0 };
        if self.strikes >= STRIKES {
            self.rests_until = now.after(REST);
            log_limit::warn(
                "connections end before the broker has answered the PGN of a round, so it is tried again in ten minutes. If the broker did \
                 not end by itself, the user of the collector needs the right to write this topic, or the broker must take messages of \
                 128 KiB",
                &topics::round_pgn(&self.root, &self.event, "+"),
            );
        }
    }

    /// Another collector publishes them.
    pub(crate) fn withhold(&mut self) {
        self.rounds.clear();
    }

    /// Changes the games of a round. If they are too large, what the broker has is deleted, because it would stay as it is.
    pub(crate) fn show(&mut self, round: &str, mut pgn: String) {
        if pgn.len() >= LARGEST || pgn.len() + HEADER > self.limit {
            if self.too_large.insert(round.to_owned()) {
                let whose = format_args!("round {round}, {} bytes; outputs have it", pgn.len());
                log_limit::warn("the PGN of a round has too many bytes for one message at the broker", &whose);
            }
            pgn.clear();
        } else {
            self.too_large.remove(round);
        }
        if self.rounds.get(round).is_none_or(|kept| kept.pgn != pgn) {
            self.rounds.insert(round.to_owned(), Kept { pgn, given: false });
        }
    }

    /// Gives the broker what it has not got.
    pub(crate) fn give(&mut self, link: &Link, now: MonotonicTime) {
        if now < self.rests_until {
            return;
        }
        for (round, kept) in self.rounds.iter_mut().filter(|(_, kept)| !kept.given) {
            kept.given = link.retain(&topics::round_pgn(&self.root, &self.event, round), topics::PGN_TYPE, kept.pgn.clone());
            self.given_at = Some(now);
        }
    }
}

#[cfg(test)]
mod tests;
