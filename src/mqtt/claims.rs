//! Other nodes that claim boards of ours. The second one withholds: a claim counts if it was there before we were ready.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::types::Settings;

/// Nodes that are remembered; more do not run in one event.
const NODES: usize = 256;

/// What other nodes say about themselves.
pub(super) struct Claims {
    node: String,
    event: String,
    round: String,
    /// Our boards.
    boards: Vec<String>,
    peers: BTreeMap<String, Peer>,
    /// Board and node of the claims that count.
    counted: BTreeSet<(String, String)>,
    /// We are ready: later claims do not count, except on boards that are another's already.
    established: bool,
    /// A connection began: what the broker kept of other nodes comes first, and is judged when all of it is there.
    gathering: bool,
}

#[derive(Default)]
struct Peer {
    /// Those of our boards that it lists.
    boards: Vec<String>,
    state: PeerState,
}

#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum PeerState {
    #[default]
    Away,
    Init,
    Ready,
}

/// A claim that began or ended to count.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ClaimChange {
    pub(super) board: String,
    pub(super) node: String,
    pub(super) live: bool,
}

impl Claims {
    pub(super) fn new(settings: &Settings) -> Claims {
        let Settings { node, event, round, boards, .. } = settings.clone();
        let (peers, counted) = (BTreeMap::new(), BTreeSet::new());
        Claims { node, event, round, boards, peers, counted, established: false, gathering: true }
    }

    /// A new connection: who is there will be heard again.
    pub(super) fn connected(&mut self) {
        self.peers.clear();
        self.established = false;
        self.gathering = true;
    }

    /// What the broker kept is here.
    pub(super) fn gathered(&mut self) -> Vec<ClaimChange> {
        self.gathering = false;
        self.update_counted()
    }

    /// We are ready.
    pub(super) fn establish(&mut self) {
        self.established = true;
    }

    /// A node's `info` or `status`; empty = deleted.
    pub(super) fn handle_message(&mut self, node: &str, leaf: &str, payload: &[u8]) -> Vec<ClaimChange> {
        if node == self.node || (self.peers.len() >= NODES && !self.peers.contains_key(node)) {
            return Vec::new();
        }
        let message = serde_json::from_slice::<Value>(payload).unwrap_or_default();
        let body = &message["body"];
        let boards = if leaf == "info" { Some(self.our_listed_boards(body)) } else { None };
        let peer = self.peers.entry(node.to_owned()).or_default();
        match boards {
            Some(boards) => peer.boards = boards,
            None => {
                peer.state = match body["state"].as_str() {
                    Some("ready") => PeerState::Ready,
                    Some("init") => PeerState::Init,
                    _ => PeerState::Away,
                }
            }
        }
        if self.gathering { Vec::new() } else { self.update_counted() }
    }

    /// Those of our boards that an info lists: `<event>/<round>/<board>`, names, or objects with `id`; of the event and round
    /// that we serve.
    fn our_listed_boards(&self, body: &Value) -> Vec<String> {
        let same = |key: &str, mine: &str| body[key].as_str().is_none_or(|theirs| theirs == mine);
        if !same("event", &self.event) || !same("round", &self.round) {
            return Vec::new();
        }
        let listed = body["boards"].as_array().map(Vec::as_slice).unwrap_or_default();
        let listed: Vec<&str> = listed.iter().filter_map(|board| board.as_str().or_else(|| board["id"].as_str())).collect();
        let whole = |board: &str| format!("{}/{}/{board}", self.event, self.round);
        let is_listed = |board: &&String| listed.iter().any(|listed| *listed == board.as_str() || *listed == whole(board));
        self.boards.iter().filter(is_listed).cloned().collect()
    }

    /// Which claims count now, compared with before.
    fn update_counted(&mut self) -> Vec<ClaimChange> {
        let mut now = BTreeSet::new();
        for (node, peer) in &self.peers {
            for board in &peer.boards {
                let claim = (board.clone(), node.clone());
                let taken = || self.counted.iter().any(|(counted, _)| counted == board);
                // Of two that begin together, the first by name goes on.
                let first = peer.state == PeerState::Ready || (peer.state == PeerState::Init && *node < self.node);
                let goes_on = peer.state != PeerState::Away && self.counted.contains(&claim);
                if goes_on || (first && (!self.established || taken())) {
                    now.insert(claim);
                }
            }
        }
        let change = |(board, node): &(String, String), live| ClaimChange { board: board.clone(), node: node.clone(), live };
        let mut changes: Vec<ClaimChange> = now.difference(&self.counted).map(|claim| change(claim, true)).collect();
        changes.extend(self.counted.difference(&now).map(|claim| change(claim, false)));
        self.counted = now;
        changes
    }
}

#[cfg(test)]
mod tests;
