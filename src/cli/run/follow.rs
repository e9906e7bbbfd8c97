//! Follows the organiser's messages while the daemon runs (`event.from_meta`): the daemon starts anew with what they say when no board
//! has a game in play and nothing waits for the public.

use std::fmt::Display;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context;
use tokio::sync::watch;
use tokio::task::JoinHandle;

use crate::config::Loaded;
use crate::daemon::{Quiet, judge, node_name};
use crate::event::follow::{Published, Received, pairs_other_boards};
use crate::event::model::{MAX_FILE, read_bounded};
use crate::event::problems::Problems;
use crate::mqtt::{Identity, follow_retained};
use crate::wire::node::NextRound;
use crate::{files, log_limit, random};

/// The time for which a start waits for the organiser's messages, if some were used before.
const AGAIN_WITHIN: Duration = Duration::from_secs(3);
/// The same, if none were ever used: the boards may have other ids then.
const FIRST_WITHIN: Duration = Duration::from_secs(10);
/// All messages that the broker keeps are here when none has changed anything for this time.
const SETTLED: Duration = Duration::from_millis(500);
/// The time between two looks whether the boards are quiet. It also lets all messages of one publication arrive.
const LOOK: Duration = Duration::from_secs(1);
/// What the log says of messages that do not fit this node.
const UNFIT: &str = "the organiser's messages do not fit this node";

/// The organiser's messages, as far as they were believed.
pub(super) struct Follower {
    latest: watch::Receiver<Option<Published>>,
    /// What the daemon was started with.
    used: Option<Published>,
    /// The file in which it is kept for a start without a broker.
    file: PathBuf,
    /// The messages that cannot be used.
    problems: Arc<watch::Sender<Problems>>,
    task: JoinHandle<()>,
}

impl Drop for Follower {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Follower {
    /// Begins to follow. This must run on a runtime of tokio. `show` gets all that is believed, now and after each message.
    pub(super) fn start(loaded: &Loaded, show: impl Fn(&Received) + Send + Sync + 'static) -> anyhow::Result<Follower> {
        let config = &loaded.config;
        let file = config.journal.dir.join(format!("meta-{}.json", config.event.id));
        let before = read_bounded(&file, MAX_FILE).ok().and_then(|text| {
            let read = serde_json::from_slice::<Published>(&text);
            read.inspect_err(|error| tracing::error!("{}: {error}: it is ignored", file.display())).ok()
        });
        let node = node_name(config.node.name.as_deref());
        let identity = Identity::read(&config.mqtt, &node)?;
        let client = format!("flagfall-{node}-meta-{}", random::hex(random::UNGUESSABLE).context("a client id")?);
        let mut received = Received::new(&config.mqtt.root, &config.event.id, before.clone());
        show(&received);
        let problems = Arc::new(watch::Sender::new(Problems::default()));
        let noted = Arc::clone(&problems);
        let (sender, latest) = watch::channel(None);
        let task = tokio::spawn(async move {
            let filters = received.filters();
            follow_retained(&identity, &client, &filters, |topic, payload| {
                let taken = received.receive(topic, payload);
                note(&noted, topic, &taken);
                if let Err(error) = taken {
                    log_limit::warn("a message of the organiser changes nothing", &format_args!("{topic}: {error}"));
                }
                show(&received);
                sender.send_if_modified(|latest| {
                    let now = received.published();
                    let changed = now != *latest;
                    *latest = now;
                    changed
                });
            })
            .await;
        });
        Ok(Follower { latest, used: before, file, problems, task })
    }

    /// What the daemon is started with; none if nothing was ever heard.
    pub(super) fn used(&self) -> Option<&Published> {
        self.used.as_ref()
    }

    /// The messages that cannot be used, now and later.
    pub(super) fn problems(&self) -> watch::Receiver<Problems> {
        self.problems.subscribe()
    }

    /// The configuration with what was published; none if that does not fit this node.
    fn apply(&self, published: &Published, base: &Loaded) -> Option<Loaded> {
        let applied = apply(published, base);
        note(&self.problems, "meta/", &applied.as_ref().map(|_| ()));
        applied.inspect_err(|error| log_limit::warn(UNFIT, error)).ok()
    }

    /// Waits for the first messages, at most a while.
    pub(super) async fn first(&mut self, base: &Loaded) {
        let within = if self.used.is_some() { AGAIN_WITHIN } else { FIRST_WITHIN };
        let heard = tokio::time::timeout(within, self.latest.wait_for(Option::is_some)).await;
        if heard.is_ok_and(|heard| heard.is_ok()) {
            // All messages of the broker should be here.
            while tokio::time::timeout(SETTLED, self.latest.changed()).await.is_ok_and(|changed| changed.is_ok()) {}
        }
        let published = self.latest.borrow_and_update().clone();
        match published {
            Some(published) if self.apply(&published, base).is_some() => match &self.used {
                // Games of the round before may still wait for something: the boards say when it may change.
                Some(used) if used.event.body.round != published.event.body.round => self.latest.mark_changed(),
                _ => self.keep(published),
            },
            Some(_) => {}
            None => {
                let what = if self.used.is_some() { "those of before are used" } else { "the configuration alone is used" };
                tracing::warn!("the organiser's messages are not there: {what}");
            }
        }
    }

    /// Waits for messages that change the configuration, and returns when the daemon may start anew with them.
    pub(super) async fn next(&mut self, base: &Loaded, present: &Loaded, quiet: &mut Quiet) {
        loop {
            if self.latest.changed().await.is_err() {
                // The task ends only with the program.
                std::future::pending::<()>().await;
            }
            let Some(published) = self.latest.borrow_and_update().clone() else { continue };
            // What waited before is out of date.
            quiet.show_next(None);
            let Some(loaded) = self.apply(&published, base) else { continue };
            if loaded.config == present.config {
                self.keep(published);
                continue;
            }
            let (rev, body) = (published.event.rev, &published.event.body);
            let force = body.force;
            // Boards get or lose their pairings: that waits for no game.
            let at_once = pairs_other_boards(&loaded.config, &present.config);
            let when = if at_once { "at once, since boards get or lose their pairings" } else { "when the boards are quiet" };
            tracing::info!("publication {rev} of the organiser, round {}: it is used {when}", body.round);
            let event = &loaded.config.event;
            let round = format!("{}/{}", event.id, event.round);
            let boards: Vec<String> = loaded.config.board.iter().map(|board| format!("{round}/{}", board.id)).collect();
            while !self.latest.has_changed().unwrap_or(false) {
                let held_by = quiet.holds(force);
                quiet.show_next(Some(NextRound { round: round.clone(), boards: boards.clone(), held_by }));
                tokio::time::sleep(LOOK).await;
                let may_change = quiet.holds(force).is_empty() || (at_once && quiet.may_restart());
                if may_change && !self.latest.has_changed().unwrap_or(false) {
                    quiet.announce_change();
                    return self.keep(published);
                }
            }
        }
    }

    /// Keeps what is used from now on for a start without a broker.
    fn keep(&mut self, published: Published) {
        // The keys are text, so writing JSON does not fail.
        let text = serde_json::to_vec(&published).unwrap_or_default();
        let folder = self.file.parent().map_or(Ok(()), files::make_private_folder);
        if let Err(error) = folder.and_then(|()| files::replace(&self.file, &text, files::PRIVATE)) {
            tracing::error!("{}: {error}: a start without the broker uses an older publication", self.file.display());
        }
        self.used = Some(published);
    }
}

/// The configuration with what is used of the organiser's messages.
pub(super) fn configure(used: Option<&Published>, base: &Loaded) -> Loaded {
    let applied = used.map(|used| apply(used, base).inspect_err(|error| log_limit::warn(UNFIT, error)));
    applied.and_then(Result::ok).unwrap_or_else(|| base.clone())
}

fn note(problems: &watch::Sender<Problems>, topic: &str, taken: &Result<(), impl Display>) {
    problems.send_if_modified(|problems| {
        let before = problems.clone();
        problems.note(topic, taken);
        *problems != before
    });
}

/// The configuration with what was published, or why that does not fit this node.
fn apply(published: &Published, base: &Loaded) -> Result<Loaded, String> {
    let refused = |why: &dyn Display| format!("publication {} of the organiser changes nothing: {why}", published.event.rev);
    let config = published.apply(&base.config).map_err(|error| refused(&error))?;
    let loaded = Loaded { config, ..base.clone() };
    judge(&loaded).map_err(|errors| refused(&errors))?;
    Ok(loaded)
}
