//! Runs the collector: one loop that reads messages, hands out what has changed and publishes what became of it.

use std::collections::BTreeMap;
use std::io;
use std::time::Duration;

use tracing::{info, warn};

use super::intake::{self, About, Heard, Link};
use super::model::{Claim, Model};
use super::outputs::Outputs;
use super::own_node::OwnNode;
use super::programs::Programs;
use super::round_topics::RoundTopics;
use super::settings::{CollectError, Settings};
use super::store::Store;
use crate::config::OutputAudience;
use crate::event::problems::Problems;
use crate::outputs::picture::{Picture, PictureError};
use crate::system_clock::{MonotonicTime, monotonic};
use crate::wire::node::NodeState;
use crate::{log_limit, random};

/// A change is handed out when nothing has changed for this time, so that what belongs together leaves together, ...
const QUIET: Duration = Duration::from_millis(300);
/// ... or when it has waited this long.
const LONGEST_QUIET: Duration = Duration::from_secs(1);
/// Changes are stored and handed out at most once in this time.
const HAND_OUT_EVERY: Duration = Duration::from_secs(1);
/// The time in which the broker sends what is retained.
const GATHER: Duration = Duration::from_secs(2);
/// The statuses of outputs are published at most once in this time.
const STATUS_EVERY: Duration = Duration::from_secs(1);
/// Time passes in these steps for what waits longer.
const IDLE: Duration = Duration::from_secs(5);
/// How long a stop waits for the broker.
const STOP: Duration = Duration::from_secs(2);

/// Collects until `stop` is ready, then stores everything and publishes `stopped`.
///
/// # Errors
/// It cannot start.
pub async fn run(settings: Settings, stop: impl Future<Output = ()>) -> Result<(), CollectError> {
    let mut store =
        Store::open(&settings.dir, &settings.fixed.event).map_err(|error| CollectError::Store(settings.dir.clone(), error))?;
    let own = OwnNode::new(&settings.root, &settings.node, store.count_start()).map_err(CollectError::System)?;
    let mut model = Model::new(settings.fixed.clone());
    let sent = store.load(&mut model);
    let lichess = store.load_lichess();
    let mut outputs = Outputs::start(&settings.outputs, &settings.pages, sent, lichess).map_err(CollectError::System)?;
    outputs.serve_stored(&model);
    let client = random::hex(random::UNGUESSABLE).map_err(CollectError::System)?;
    let client = format!("flagfall-{}-{client}", settings.node);
    let programs = settings.hall.clone().map(Programs::new);
    let with_live = programs.is_some()
        || settings.fixed.release_orphans
        || settings.outputs.iter().any(|output| output.audience == OutputAudience::Live);
    let filters = intake::filters(&settings.root, &settings.fixed.event, with_live, programs.is_some());
    let link = Link::open(&settings.identity, &client, own.will(), filters);
    info!(node = settings.node, outputs = settings.outputs.len(), "the collector has started");
    let round_topics = RoundTopics::new(&settings.root, &settings.fixed.event);
    let mut collector = Collector {
        settings,
        store,
        model,
        outputs,
        programs,
        problems: Problems::default(),
        link,
        stage: Stage::Away,
        trouble: None,
        heard: BTreeMap::new(),
        changed: Changed::default(),
        own,
        round_topics,
        statuses_at: MonotonicTime(0),
    };
    tokio::pin!(stop);
    loop {
        let wait = collector.next_wake().since(monotonic());
        tokio::select! {
            () = &mut stop => break,
            heard = collector.link.heard.recv() => match heard {
                Some(heard) => collector.hear(heard),
                None => return Err(CollectError::System(io::Error::other("the task of the connection has ended"))),
            },
            // Without outputs nobody reports.
            Some(report) = collector.outputs.reports.recv() => {
                collector.outputs.note(report);
                collector.changed.sent = true;
            }
            () = tokio::time::sleep(wait) => {}
        }
        collector.wake();
    }
    collector.stop().await;
    Ok(())
}

/// Where the connection is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    /// There is none.
    Away,
    /// It began; the subscription is not answered yet.
    Connected,
    /// What is retained comes, until this time.
    Gathering(MonotonicTime),
    /// All that was retained has been read.
    Ready,
}

/// What has changed since it was handed out.
#[derive(Default)]
struct Changed {
    /// When the first and the last change came.
    since: Option<(MonotonicTime, MonotonicTime)>,
    /// When something was handed out last.
    handed_out_at: MonotonicTime,
    /// Something became of an attempt.
    sent: bool,
}

impl Changed {
    fn note(&mut self, now: MonotonicTime) {
        let first = self.since.map_or(now, |(first, _)| first);
        self.since = Some((first, now));
    }

    /// When what has changed must be handed out.
    fn due(&self) -> Option<MonotonicTime> {
        let (first, last) = self.since?;
        let quiet = last.after(QUIET).min(first.after(LONGEST_QUIET));
        Some(quiet.max(self.handed_out_at.after(HAND_OUT_EVERY)))
    }
}

struct Collector {
    settings: Settings,
    store: Store,
    model: Model,
    outputs: Outputs,
    programs: Option<Programs>,
    /// The organiser's messages that cannot be used.
    problems: Problems,
    link: Link,
    stage: Stage,
    /// Why there is no connection, as it was logged.
    trouble: Option<String>,
    /// The boards of the present round that were heard since the connection began.
    heard: BTreeMap<String, ()>,
    changed: Changed,
    own: OwnNode,
    round_topics: RoundTopics,
    statuses_at: MonotonicTime,
}

impl Collector {
    /// When time does something by itself.
    fn next_wake(&self) -> MonotonicTime {
        let now = monotonic();
        let gathered = match self.stage {
            Stage::Gathering(until) => Some(until),
            _ => None,
        };
        let due = self.changed.due().filter(|_| self.stage == Stage::Ready);
        let status = self.changed.sent.then(|| self.statuses_at.after(STATUS_EVERY));
        let all = [gathered, due, status, self.model.deadline()];
        all.into_iter().flatten().min().unwrap_or(now.after(IDLE)).min(now.after(IDLE))
    }

    fn hear(&mut self, heard: Heard) {
        let now = monotonic();
        if !matches!(heard, Heard::Message { .. }) {
            self.programs.iter_mut().for_each(Programs::note_change);
        }
        match heard {
            Heard::Connected { limit } => {
                info!("connected to the broker");
                self.model.connected();
                self.stage = Stage::Connected;
                self.trouble = None;
                self.heard.clear();
                self.own.connected();
                self.round_topics.connected(limit);
            }
            Heard::Subscribed { denied } => {
                if denied > 0 {
                    warn!(
                        "the broker refuses {denied} of the topics: give this user the rights of the collector (config/mosquitto/acl)"
                    );
                }
                self.stage = Stage::Gathering(now.after(GATHER));
            }
            Heard::Refused(why) => {
                log_limit::warn(
                    "the broker refuses a message: give this user the rights of the collector (config/mosquitto/acl)",
                    &why,
                );
            }
            Heard::Lost { why, unanswered } => {
                if self.trouble.as_ref() != Some(&why) {
                    warn!("no connection to the {why} Meanwhile the outputs keep what they have.");
                }
                self.trouble = Some(why);
                self.stage = Stage::Away;
                self.round_topics.lost(unanswered, now);
            }
            Heard::Message { topic, payload } => {
                let topic = String::from_utf8_lossy(&topic).into_owned();
                self.take(&topic, &payload, now);
            }
        }
    }

    fn take(&mut self, topic: &str, payload: &[u8], now: MonotonicTime) {
        let Settings { root, fixed, .. } = &self.settings;
        let Some(about) = intake::about(root, &fixed.event, topic) else {
            return refuse(topic, "the topic has ids that cannot be");
        };
        let is_meta = matches!(about, About::Event | About::Round(_));
        // An empty message deletes what is retained. What was collected stays.
        let is_state = matches!(about, About::State { .. } | About::Event | About::Round(_) | About::Clock { .. });
        if payload.is_empty() && is_state {
            if is_meta {
                self.problems.note(topic, &Ok::<(), String>(()));
            }
            return;
        }
        let taken = match about {
            About::State { audience, round, board } => match Picture::read(payload) {
                Ok(picture) => {
                    let taken = self.model.take_picture((audience, round, board), picture, now);
                    self.note_heard(round, board, taken)
                }
                Err(error) => Err(error.to_string()),
            },
            About::Moves { audience, round, board, part } => {
                let taken = self.model.take_moves((audience, round, board), part, payload, now);
                self.note_heard(round, board, taken)
            }
            About::Event => self.model.take_event(payload),
            About::Round(round) => self.model.take_round(round, payload, now),
            About::Status(node) => {
                self.model.take_status(node, payload, now);
                self.programs.iter_mut().for_each(Programs::note_change);
                Ok(())
            }
            About::Device(device) => self.programs.as_mut().map_or(Ok(()), |programs| programs.note_device(device, payload)),
            About::Clock { round, board } => {
                let model = &self.model;
                self.programs.as_mut().map_or(Ok(()), |programs| programs.note_clock(model, round, board, payload))
            }
            About::Info(node) => {
                self.model.take_info(node, payload, now);
                Ok(())
            }
        };
        if is_meta {
            self.problems.note(topic, &taken);
        }
        if let Err(why) = taken {
            self.model.counters.unreadable += 1;
            refuse(topic, &why);
        }
    }

    /// Notes that a board was heard, if a state with all its moves was taken.
    fn note_heard(&mut self, round: &str, board: &str, taken: Result<bool, PictureError>) -> Result<(), String> {
        if taken.map_err(|error| error.to_string())? && round == self.model.current_round() {
            self.heard.insert(board.to_owned(), ());
        }
        Ok(())
    }

    /// Does what is due.
    fn wake(&mut self) {
        let now = monotonic();
        log_limit::write_due();
        if let Stage::Gathering(until) = self.stage
            && (now >= until || self.model.is_complete(&|board| self.heard.contains_key(board)))
        {
            self.stage = Stage::Ready;
            self.model.gathered(now);
            // Everything is compared with what the receivers have.
            self.changed.note(MonotonicTime(0));
        }
        let claim = self.model.claim.clone();
        self.model.wake(now);
        let has_changed = self.model.take_changed();
        if has_changed {
            self.changed.note(now);
        }
        if let Some(programs) = &mut self.programs {
            programs.wake(&self.model, has_changed, self.stage != Stage::Away);
        }
        if self.model.claim != claim {
            self.changed.note(MonotonicTime(0));
        }
        if self.stage == Stage::Ready {
            let collects = format!("{}/{}", self.settings.fixed.event, self.model.current_round());
            let collects = (self.model.claim == Claim::Ours).then_some(collects);
            self.own.set_info(collects, self.problems.sentences());
            if self.changed.due().is_some_and(|due| due <= now) {
                self.hand_out(now);
            }
            if self.own.state() != NodeState::Ready {
                self.own.set_state(NodeState::Ready);
            }
        }
        if self.changed.sent && now >= self.statuses_at.after(STATUS_EVERY) {
            self.publish_outputs(now);
        }
        if self.stage != Stage::Away {
            self.own.give(&self.link, self.stage == Stage::Ready);
        }
        if self.stage == Stage::Ready && self.model.claim == Claim::Ours {
            self.round_topics.give(&self.link, now);
        }
    }

    /// Stores what has changed and gives it to the outputs. It is stored first, so that a restart never sends less than was sent before.
    fn hand_out(&mut self, now: MonotonicTime) {
        self.changed.since = None;
        self.changed.handed_out_at = now;
        if let Err(error) = self.store.save(&mut self.model) {
            warn!("{}: cannot be written: {error}; the outputs go on", self.settings.dir.display());
        }
        match &self.model.claim {
            Claim::Ours => {
                self.outputs.hand_out(&self.model);
                for (round, pgn) in self.outputs.public_pgns(&self.model) {
                    self.round_topics.show(&round, pgn);
                }
            }
            Claim::Theirs { by, .. } => {
                let standby = if self.settings.fixed.standby { " This one takes over when it is gone." } else { "" };
                self.round_topics.withhold();
                self.outputs.withhold(&format!("The collector {by} sends the games of this event.{standby}"));
            }
            Claim::Unknown => {}
        }
        self.changed.sent = true;
    }

    fn publish_outputs(&mut self, now: MonotonicTime) {
        self.changed.sent = false;
        self.statuses_at = now;
        if let Err(error) = self.store.save_sent(&self.outputs.sent, &self.outputs.lichess) {
            warn!("{}: cannot be written: {error}", self.settings.dir.display());
        }
        for (name, status) in self.outputs.statuses(self.model.current_round()) {
            self.own.set_output(name, &status);
        }
    }

    /// Ends the outputs, stores everything, and deletes what this collector has published of them.
    async fn stop(mut self) {
        self.outputs.stop();
        if let Err(error) =
            self.store.save(&mut self.model).and_then(|()| self.store.save_sent(&self.outputs.sent, &self.outputs.lichess))
        {
            warn!("{}: cannot be written: {error}", self.settings.dir.display());
        }
        if self.stage != Stage::Away {
            self.settings.outputs.iter().for_each(|output| self.own.delete_output(&output.name));
            self.own.set_state(NodeState::Stopped);
            self.own.give(&self.link, true);
        }
        self.link.close(STOP).await;
        let counters = self.model.counters;
        info!(unreadable = counters.unreadable, old = counters.old, two_nodes = counters.two_nodes, "the collector has stopped");
    }
}

fn refuse(topic: &str, why: &str) {
    log_limit::warn("a message is not used", &format_args!("{topic:?}: {why}"));
}
