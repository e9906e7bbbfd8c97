//! Publishes the status, the info and the health of this node.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use flagfall_protocols::drivers;
use flagfall_protocols::time::Instant;

use super::message::ToStation;
use super::network::read_wall_clock;
use super::shared::{Condition, Shared, StationHandle};
use crate::config::{self, Config};
use crate::health;
use crate::log_limit;
use crate::mqtt::ConnectionState;
use crate::mqtt::outbox::{Quality, Retained};
use crate::session::anchor::MOVED;
use crate::system_clock;
use crate::wire::envelope::{self, Stamp};
use crate::wire::node::{NextRound, NodeHealth, NodeInfo, NodeState, NodeStatus, Role, UserRole};
use crate::wire::topics;

/// The time between two publications of the health (`wire/README.md#3`).
const HEALTH_EVERY: Duration = Duration::from_secs(30);
/// The time for which the broker keeps the health (`wire/README.md#3`).
const HEALTH_EXPIRY: Duration = Duration::from_secs(120);

/// A node and what it publishes about itself.
#[derive(Clone)]
pub(super) struct Node(Arc<Inner>);

struct Inner {
    root: String,
    event: String,
    round: String,
    /// What it publishes about itself beside its boards.
    info: Mutex<NodeInfo>,
    journal: PathBuf,
    shared: Arc<Shared>,
    handles: Vec<Arc<StationHandle>>,
    /// The boards that other nodes claim, with those nodes.
    claims: Mutex<BTreeMap<String, BTreeSet<String>>>,
    /// When health was published last, in microseconds plus one; 0 = not yet.
    health_published_at: AtomicU64,
    /// What was published last of what must be published at once.
    fit: Mutex<Fit>,
    broker: Mutex<BrokerReport>,
    /// The last movement of the wall clock, milliseconds; none if it never moved.
    clock_step_ms: Mutex<Option<i64>>,
}

/// The parts of the health that are published at once.
#[derive(Clone, Default, PartialEq)]
struct Fit {
    journal_ok: bool,
    failed_boards: Vec<String>,
    refused_boards: Vec<String>,
    name_taken: bool,
}

/// What the network task reports.
#[derive(Default)]
struct BrokerReport {
    takeovers: u64,
    name_taken: bool,
    is_up: bool,
    /// Connections since the start.
    connections: u64,
    /// The topics whose messages the broker does not take, each with the reason.
    refused: BTreeMap<String, Refusal>,
}

struct Refusal {
    cause: String,
    /// The broker takes them again, and no alert has shown the refusal yet.
    over: bool,
}

impl Node {
    /// The node of a configuration.
    pub(super) fn new(config: &Config, shared: Arc<Shared>, handles: Vec<Arc<StationHandle>>) -> Node {
        let event = &config.event;
        let info = NodeInfo {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            capabilities: drivers::DRIVERS.iter().map(|driver| driver.name.to_owned()).collect(),
            rounds: vec![format!("{}/{}", event.id, event.round)],
            delay: Some(event.delay),
            delay_moves: Some(event.delay_moves),
            until_press: config.until_press().names(),
            roles: config.commanders().iter().map(|(name, user)| (name.clone(), user_role(user))).collect(),
            ..NodeInfo::default()
        };
        Node(Arc::new(Inner {
            root: config.mqtt.root.clone(),
            event: event.id.clone(),
            round: event.round.clone(),
            info: Mutex::new(info),
            journal: config.journal.dir.clone(),
            shared,
            handles,
            claims: Mutex::default(),
            health_published_at: AtomicU64::new(0),
            fit: Mutex::default(),
            broker: Mutex::default(),
            clock_step_ms: Mutex::default(),
        }))
    }

    /// The state that all its stations share.
    pub(super) fn shared(&self) -> &Arc<Shared> {
        &self.0.shared
    }

    /// All boards of the node.
    pub(super) fn handles(&self) -> &[Arc<StationHandle>] {
        &self.0.handles
    }

    /// A board of this round as `<event>/<round>/<board>`.
    pub(super) fn place(&self, board: &str) -> String {
        format!("{}/{}/{board}", self.0.event, self.0.round)
    }

    /// The header fields for its own messages at this moment.
    pub(super) fn stamp(&self) -> Stamp {
        let shared = self.shared();
        let anchor = shared.wall_clock().at(Instant(shared.wall_clock_seen_at.load(Ordering::Relaxed)));
        Stamp { node: shared.node.clone(), boot: shared.boot, anchor }
    }

    /// The payload of its status. The status of the will carries no time.
    pub(super) fn status_payload(&self, state: &'static str) -> String {
        let (state, at) = match state {
            "init" => (NodeState::Init, true),
            "ready" => (NodeState::Ready, true),
            "stopped" => (NodeState::Stopped, true),
            _ => (NodeState::Lost, false),
        };
        let at = at.then(|| Instant(system_clock::monotonic().0));
        envelope::make_message(
            "node.status",
            None,
            &self.stamp(),
            at,
            &NodeStatus { state, run: Some(self.shared().run.clone()) },
        )
    }

    /// Publishes the info: what the node is and which boards it serves, without those that another node claims.
    pub(super) fn publish_info(&self) {
        let inner = &self.0;
        let claims = inner.claims.lock().unwrap_or_else(PoisonError::into_inner);
        let ours = inner.handles.iter().filter(|handle| !claims.contains_key(&handle.board));
        let boards = ours.map(|handle| self.place(&handle.board)).collect();
        let info = NodeInfo { boards, ..self.info().clone() };
        drop(claims);
        self.retain(topics::node_info(&inner.root, &inner.shared.node), "node.info", Quality::AtLeastOnce, None, &info);
    }

    fn info(&self) -> MutexGuard<'_, NodeInfo> {
        self.0.info.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Publishes these problems with the info, a sentence each.
    pub(super) fn show_problems(&self, problems: Vec<String>) {
        self.info().problems = problems;
        self.publish_info();
    }

    /// Publishes with the info which round waits, and for what.
    pub(super) fn show_next_round(&self, next: Option<NextRound>) {
        self.info().next_round = next;
        self.publish_info();
    }

    /// Publishes the health twice a minute, and at once when a journal or a board fails or recovers. `watchdog_margin` is the least
    /// time that systemd's watchdog had left since the last publication. Returns whether it was published.
    pub(super) fn publish_health(&self, watchdog_margin: Option<Duration>) -> bool {
        let inner = &self.0;
        let now = system_clock::monotonic();
        let published = inner.health_published_at.load(Ordering::Relaxed);
        let failed = |handle: &&Arc<StationHandle>| matches!(handle.condition(), Condition::Parked | Condition::Refused);
        let boards = |is: &dyn Fn(&&Arc<StationHandle>) -> bool| -> Vec<String> {
            inner.handles.iter().filter(|handle| is(handle)).map(|handle| handle.board.clone()).collect()
        };
        let fit = Fit {
            journal_ok: inner.handles.iter().all(|handle| handle.journal_problem().is_none()),
            failed_boards: boards(&failed),
            refused_boards: boards(&|handle| self.refusal(&handle.board).is_some()),
            name_taken: self.is_name_taken(),
        };
        let before = std::mem::replace(&mut *inner.fit.lock().unwrap_or_else(PoisonError::into_inner), fit.clone());
        if before == fit && published > 0 && now.0.saturating_sub(published - 1) < HEALTH_EVERY.as_micros() as u64 {
            return false;
        }
        inner.health_published_at.store(now.0 + 1, Ordering::Relaxed);
        let (health, usage) = (health::read(&inner.journal), health::usage());
        let counters = inner.shared.outbox.counters();
        let (connections, takeovers) = {
            let broker = self.broker();
            (broker.connections, broker.takeovers)
        };
        let body = NodeHealth {
            version: Some(env!("CARGO_PKG_VERSION").to_owned()),
            rss_kib: usage.rss_kib,
            threads: usage.threads,
            fds: usage.fds,
            journal_bytes: health::folder_bytes(&inner.journal),
            backlog: counters.waiting,
            reconnections: connections.saturating_sub(1),
            watchdog_margin_ms: watchdog_margin.map(|margin| margin.as_millis() as u64),
            clock_step_ms: *inner.clock_step_ms.lock().unwrap_or_else(PoisonError::into_inner),
            temperature_c: health.temperature_c,
            under_voltage: health.under_voltage,
            disk_free_mib: health.disk_free_bytes.map(|bytes| bytes >> 20),
            journal_ok: fit.journal_ok,
            failed_boards: fit.failed_boards,
            withheld_boards: inner.claims.lock().unwrap_or_else(PoisonError::into_inner).keys().cloned().collect(),
            refused_boards: fit.refused_boards,
            refused: counters.refused,
            takeovers,
            name_taken: fit.name_taken,
        };
        let topic = topics::node_health(&inner.root, &inner.shared.node);
        self.retain(topic, "node.health", Quality::AtMostOnce, Some(HEALTH_EXPIRY), &body);
        true
    }

    fn retain(&self, topic: String, kind: &str, quality: Quality, expiry: Option<Duration>, body: &impl serde::Serialize) {
        let at = Some(Instant(system_clock::monotonic().0));
        let payload = envelope::make_message(kind, None, &self.stamp(), at, body);
        self.shared().outbox.publish_retained(Retained { topic, payload, quality, expiry });
    }

    fn broker(&self) -> MutexGuard<'_, BrokerReport> {
        self.0.broker.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes what the network task reports about the connection.
    pub(super) fn note_connection(&self, state: &ConnectionState) {
        let mut broker = self.broker();
        broker.connections += u64::from(state.up && !broker.is_up);
        (broker.takeovers, broker.name_taken, broker.is_up) = (state.takeovers, state.name_taken, state.up);
    }

    /// Whether a second daemon uses the name of this node.
    pub(super) fn is_name_taken(&self) -> bool {
        self.broker().name_taken
    }

    /// Notes that the broker does not take the messages on this topic, or takes them again. The network task bounds the number of
    /// topics.
    pub(super) fn note_refusal(&self, topic: &str, cause: Option<&str>) {
        let mut broker = self.broker();
        match cause {
            Some(cause) => {
                let refusal = Refusal { cause: cause.to_owned(), over: false };
                broker.refused.insert(topic.to_owned(), refusal);
            }
            None => {
                broker.refused.get_mut(topic).into_iter().for_each(|refusal| refusal.over = true);
            }
        }
    }

    /// The first topic of a board whose messages the broker does not take, without its beginning, and the reason.
    pub(super) fn refusal(&self, board: &str) -> Option<(String, String)> {
        let inner = &self.0;
        let place = format!("/{}/{}/{board}/", inner.event, inner.round);
        let broker = self.broker();
        broker.refused.iter().find_map(|(topic, refusal)| {
            let audience = topic.split('/').nth(2)?;
            let rest = topic.split_once(&place)?.1;
            Some((format!("{audience}/…/{rest}"), refusal.cause.clone()))
        })
    }

    /// Forgets the refusals that are over. Alerts and health have shown them.
    pub(super) fn forget_refusals(&self) {
        self.broker().refused.retain(|_, refusal| !refusal.over);
    }

    /// Reads the wall clock. If it moved or has another time source, the stations are informed.
    pub(super) fn check_wall_clock(&self) {
        let inner = &self.0;
        let (now, seen) = read_wall_clock();
        let before = inner.shared.wall_clock();
        let passed = now.0.saturating_sub(inner.shared.wall_clock_seen_at.load(Ordering::Relaxed));
        let step = (seen.utc_us - before.utc_us).saturating_sub(passed as i64);
        let moved = step.unsigned_abs();
        if moved <= MOVED.as_micros() as u64 && seen.sync == before.sync {
            return;
        }
        if moved > MOVED.as_micros() as u64 {
            tracing::info!("the wall clock moved by {} ms", step / 1000);
            *inner.clock_step_ms.lock().unwrap_or_else(PoisonError::into_inner) = Some(step / 1000);
        }
        inner.shared.set_wall_clock(seen);
        inner.shared.wall_clock_seen_at.store(now.0, Ordering::Relaxed);
        for handle in &inner.handles {
            if !handle.inbox.offer(ToStation::Anchor { at: now, record: seen }) {
                tracing::warn!("board {}: its station was not informed that the wall clock moved", handle.board);
            }
        }
    }

    /// Another node claims one of our boards while it is alive (`alive`), or claims it no longer. A claimed board is withheld.
    pub(super) fn handle_claim(&self, board: &str, by: &str, alive: bool) {
        let inner = &self.0;
        let mut claims = inner.claims.lock().unwrap_or_else(PoisonError::into_inner);
        if alive {
            log_limit::warn("another node serves a board too, so it is withheld here", &format_args!("board {board}, node {by}"));
            claims.entry(board.to_owned()).or_default().insert(by.to_owned());
        } else if claims.get_mut(board).is_some_and(|nodes| nodes.remove(by)) {
            log_limit::warn("another node serves a board no more", &format_args!("board {board}, node {by}"));
        }
        claims.retain(|_, nodes| !nodes.is_empty());
        let withheld = claims.contains_key(board);
        drop(claims);
        if let Some(handle) = inner.handles.iter().find(|handle| handle.board == board) {
            // This comes before its number is read: a station that is still opening reads the flag after it has got its number.
            handle.set_withheld(withheld);
            if let Some(number) = handle.number() {
                inner.shared.outbox.hold(number, withheld);
            }
        }
        self.publish_info();
        inner.health_published_at.store(0, Ordering::Relaxed);
    }
}

fn user_role(user: &config::User) -> UserRole {
    // The role of a chief always holds for all boards.
    let boards = if user.role == Role::Chief { Vec::new() } else { user.boards.clone() };
    UserRole { role: user.role, boards }
}
