//! Starts all parts of the daemon, watches for stations that hang, and stops all parts in order.

use std::future::Future;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;

use anyhow::{Context, Result};
use flagfall_hardware::reactor::Reactor;
use tokio::sync::watch;
use tokio::time::{MissedTickBehavior, interval};

use super::alerts::Alerts;
use super::command_receiver::{CommandReceiver, Users};
use super::heartbeat::Heartbeat;
use super::inbox::Inbox;
use super::network;
use super::node::Node;
use super::quiet::Quiet;
use super::shared::Shared;
use super::station_config::{StationConfig, judge};
use super::supervised_station::{Patience, SupervisedStation};
use super::{boot, disk, tap, watchdog, worker};
use crate::config::{Config, Loaded, node_name};
use crate::event::problems::Problems;
use crate::mqtt;
use crate::mqtt::outbox::Outbox;
use crate::outputs::tap::Tap;
use crate::system_clock::MonotonicTime;
use crate::wire::topics;
use crate::{log_limit, random, system_clock};

/// The time between two checks by the supervisor.
const TICK: Duration = Duration::from_secs(1);
/// If the disk thread waits longer than this for the disk, or the thread of the links hangs as long, the watchdog of systemd is no
/// longer informed, and systemd restarts the program.
const STUCK: Duration = Duration::from_secs(8);
/// The time limit in which all stations together must end.
const END_WITHIN: Duration = Duration::from_millis(1_500);
/// The same if the daemon starts anew with another round, which needs the journals of all boards.
const END_FOR_ANOTHER_ROUND: Duration = Duration::from_secs(5);
/// The largest number of boards that were served before and are still looked for at the broker.
const FORMER_BOARDS: usize = 64;
/// The time limit in which the worker must end its question.
const WORKER_ENDS_WITHIN: Duration = Duration::from_secs(1);
/// The time between two checks whether the worker has ended.
const WORKER_POLL: Duration = Duration::from_millis(5);

/// A running daemon.
pub struct Daemon {
    config: Config,
    node: Node,
    shared: Arc<Shared>,
    stations: Vec<SupervisedStation>,
    alerts: Alerts,
    disk_heartbeat: Arc<Heartbeat>,
    disk: JoinHandle<()>,
    worker: JoinHandle<()>,
    #[cfg(feature = "broker")]
    broker: Option<crate::broker::Running>,
    taps: Vec<Arc<Tap>>,
    /// The organiser's messages that cannot be used; none if nobody follows them.
    problems: Option<watch::Receiver<Problems>>,
    identity: mqtt::Identity,
    watchdog: watchdog::Watchdog,
    users: Arc<Users>,
    /// The configuration as it was read, without the address of the embedded broker.
    configured: Config,
}

impl Daemon {
    /// Starts the broker if it is enabled, then all threads. This must run on the runtime that [`Daemon::run`] will use.
    ///
    /// # Errors
    /// The broker's port is in use, a file that the configuration names cannot be used, or the operating system gives no thread.
    pub async fn start(loaded: &Loaded) -> Result<Daemon> {
        Daemon::start_with(loaded, judge(loaded)?, Patience::default()).await
    }

    /// The same with station configurations that the caller made, and with another patience.
    ///
    /// # Errors
    /// As [`Daemon::start`].
    pub async fn start_with(loaded: &Loaded, station_configs: Vec<StationConfig>, patience: Patience) -> Result<Daemon> {
        #[cfg(feature = "broker")]
        let (config, broker) = with_broker(loaded.config.clone()).await?;
        #[cfg(not(feature = "broker"))]
        let config = loaded.config.clone();
        #[cfg(not(feature = "broker"))]
        anyhow::ensure!(!config.broker.enabled, "broker.enabled: this build has no broker in it");
        crate::descriptors::allow();
        let name = node_name(config.node.name.as_deref());
        let identity = mqtt::Identity::read(&config.mqtt, &name)?;
        #[cfg(feature = "broker")]
        let identity = match broker.as_ref().and_then(|broker| broker.own.clone()) {
            Some(login) if !config.mqtt.has_login() => identity.logged_in(login.user, login.password),
            _ => identity,
        };
        let boot = boot::count(&config.journal.dir).unwrap_or_else(|error| {
            tracing::error!("{}: the start is not counted: {error}", config.journal.dir.display());
            boot::uncounted(system_clock::utc())
        });
        let (seen_at, wall_clock) = network::read_wall_clock();
        let shared = Arc::new(Shared {
            node: name,
            boot,
            run: random::hex(random::UNGUESSABLE).context("a random value for this start")?,
            outbox: Outbox::new(),
            disk: Arc::default(),
            worker: Arc::<Inbox<worker::Question>>::default(),
            reactor: Reactor::start(super::link::micros).context("the thread of the links")?,
            lines: Default::default(),
            adapter: config.bluetooth.adapter.clone(),
            radio: Mutex::new(None),
            wall_clock: Mutex::new(wall_clock),
            wall_clock_seen_at: AtomicU64::new(seen_at.0),
            connected: AtomicBool::new(false),
            starts_anew: AtomicBool::new(false),
            stops: AtomicBool::new(false),
            scheduler: Arc::default(),
        });
        let disk_heartbeat = Arc::new(Heartbeat::default());
        let log = disk::open_log(&config.journal.dir);
        let disk = disk::start(Arc::clone(&shared.disk), log, Arc::clone(&shared.outbox), Arc::clone(&disk_heartbeat))?;
        let worker = worker::start(Arc::clone(&shared.worker))?;
        let station_taps: Vec<_> =
            station_configs.iter().map(|board| config.livechess.enabled.then(|| Arc::new(tap::new(board)))).collect();
        let taps = station_taps.iter().flatten().cloned().collect();
        #[cfg(not(feature = "outputs"))]
        anyhow::ensure!(!config.livechess.enabled, "livechess.enabled: this build has no outputs in it");
        let stations = (0..)
            .zip(station_configs.into_iter().zip(station_taps))
            .map(|(number, (config, tap))| SupervisedStation::start(number, config, patience, &shared, tap))
            .collect::<Result<Vec<_>>>()?;
        let users = Arc::new(Users::new(config.commanders()));
        let node = Node::new(&config, Arc::clone(&shared), stations.iter().map(|station| Arc::clone(&station.handle)).collect());
        Ok(Daemon {
            config,
            node,
            shared,
            stations,
            alerts: Alerts::default(),
            disk_heartbeat,
            disk,
            worker,
            #[cfg(feature = "broker")]
            broker,
            taps,
            problems: None,
            identity,
            watchdog: watchdog::Watchdog::new(sd_notify::watchdog_enabled(), system_clock::monotonic()),
            users,
            configured: loaded.config.clone(),
        })
    }

    /// The embedded broker, if it runs.
    #[cfg(feature = "broker")]
    pub fn broker(&self) -> Option<&crate::broker::Running> {
        self.broker.as_ref()
    }

    /// What each board shows at once to programs on this machine; empty unless `livechess.enabled` is set.
    pub fn taps(&self) -> &[Arc<Tap>] {
        &self.taps
    }

    /// Publishes from now on which of the organiser's messages cannot be used.
    pub fn follow_problems(&mut self, mut problems: watch::Receiver<Problems>) {
        problems.mark_changed();
        self.problems = Some(problems);
    }

    /// Tells whether the boards are quiet, while the daemon runs.
    pub fn quiet(&self) -> Quiet {
        Quiet::new(self.node.clone())
    }

    /// Serves until `stop`, then ends everything in order: links, stations, journals, the network, the broker.
    ///
    /// # Errors
    /// A thread of the daemon itself has ended.
    pub async fn run(self, stop: impl Future<Output = ()>) -> Result<()> {
        self.run_and_reload(stop, std::future::pending).await
    }

    /// The same. Each time `next` returns a configuration that was read again, its users, passwords and certificates are used
    /// from then on.
    ///
    /// # Errors
    /// As [`Daemon::run`].
    pub async fn run_and_reload<F: Future<Output = Loaded>>(
        mut self,
        stop: impl Future<Output = ()>,
        mut next: impl FnMut() -> F,
    ) -> Result<()> {
        let (stopper, stopped) = watch::channel(false);
        let settings = self.settings();
        let hooks = network::hooks(&self.node, self.command_receiver(), &self.stations);
        let outbox = Arc::clone(&self.shared.outbox);
        let mut network = tokio::spawn(mqtt::run(settings, outbox, hooks, stopped));
        self.node.publish_info();
        notify(&[sd_notify::NotifyState::Ready]);
        let mut ticks = interval(TICK);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut stop = std::pin::pin!(stop);
        let mut reread = std::pin::pin!(next());
        let mut gone = Ok(());
        let mut ended = false;
        loop {
            tokio::select! {
                () = &mut stop => break,
                over = &mut network => {
                    gone = over.map_or_else(Err, |()| Ok(())).context("the network task has ended");
                    gone = gone.and_then(|()| anyhow::bail!("the network task has ended"));
                    ended = true;
                    break;
                },
                loaded = &mut reread => {
                    self.reload(&loaded);
                    reread.set(next());
                }
                _ = ticks.tick() => {
                    gone = self.supervise();
                    if gone.is_err() {
                        break;
                    }
                }
            }
        }
        // For systemd a daemon that starts anew has not stopped.
        if !self.shared.starts_anew.load(Ordering::Relaxed) {
            notify(&[sd_notify::NotifyState::Stopping]);
        }
        let stations = std::mem::take(&mut self.stations);
        let within = if self.shared.starts_anew.load(Ordering::Relaxed) { END_FOR_ANOTHER_ROUND } else { END_WITHIN };
        let scheduler = Arc::clone(&self.shared.scheduler);
        // The network still publishes the last messages of the stations.
        self.shared.stops.store(true, Ordering::Relaxed);
        let ends = tokio::task::spawn_blocking(move || {
            stations.iter().for_each(SupervisedStation::request_stop);
            let until = system_clock::monotonic().after(within);
            stations.into_iter().for_each(|station| station.stop(until.since(system_clock::monotonic())));
            // What does not end is left behind.
            scheduler.close();
        });
        ends.await.context("ending the stations")?;
        // This fails only if the network has ended by itself.
        let _ = stopper.send(true);
        if !ended {
            network.await.context("the network")?;
        }
        self.shared.disk.close();
        self.shared.worker.clear();
        self.shared.worker.close();
        let until = system_clock::monotonic().after(WORKER_ENDS_WITHIN);
        while !self.worker.is_finished() && system_clock::monotonic() < until {
            tokio::time::sleep(WORKER_POLL).await;
        }
        // A long search has nothing to save: its question is in the journal and is asked again at the next start.
        let worker = self.worker.is_finished().then_some(("worker", self.worker));
        for (name, thread) in [("journal", self.disk)].into_iter().chain(worker) {
            if thread.join().is_err() {
                tracing::error!("the {name} thread had panicked");
            }
        }
        #[cfg(feature = "broker")]
        if let Some(broker) = self.broker {
            broker.stop().await;
        }
        gone
    }

    /// Takes users, passwords and certificates from a configuration that was read again. What is wrong is logged, and stays as it
    /// was: nothing ends the daemon.
    fn reload(&mut self, loaded: &Loaded) {
        let config = &loaded.config;
        self.users.replace(config.commanders());
        // Without a login of its own the daemon has the one that the embedded broker made.
        let is_made = cfg!(feature = "broker") && config.broker.enabled && !config.mqtt.has_login() && !config.mqtt.tls;
        if !is_made {
            match mqtt::Identity::read(&config.mqtt, &self.shared.node) {
                Ok(identity) => self.identity.replace_login(&identity),
                Err(error) => tracing::error!("the login at the broker stays as it was: {error}"),
            }
        }
        #[cfg(feature = "broker")]
        if let Some(broker) = &self.broker
            && let Err(error) = broker.reload(config, &self.shared.node)
        {
            tracing::error!("the users of the broker in this program stay as they were: {error}");
        }
        self.configured.user.clone_from(&config.user);
        self.configured.broker.user.clone_from(&config.broker.user);
        tracing::info!("configuration {:08x}: users, passwords and certificates were read again", loaded.hash);
        if self.configured != *config {
            tracing::warn!("the configuration has other changes, which need a restart");
        }
    }

    /// Checks everything once.
    fn supervise(&mut self) -> Result<()> {
        anyhow::ensure!(!self.disk.is_finished(), "the journal thread has ended");
        anyhow::ensure!(!self.worker.is_finished(), "the worker thread has ended");
        anyhow::ensure!(!self.shared.reactor.has_ended(), "the thread of the links has ended");
        self.node.check_wall_clock();
        let stuck = self.disk_heartbeat.stuck_for(system_clock::monotonic());
        anyhow::ensure!(self.shared.scheduler.check(), "too many games hang");
        for station in &mut self.stations {
            station.check_health(&self.shared, stuck >= TICK);
        }
        for station in &self.stations {
            self.alerts.update(&self.node, station.board(), &station.handle);
        }
        if let Some(problems) = &mut self.problems
            && problems.has_changed().unwrap_or(false)
        {
            self.node.show_problems(problems.borrow_and_update().sentences());
        }
        let now = system_clock::monotonic();
        if self.node.publish_health(self.watchdog.margin(now)) {
            self.watchdog.reset();
        }
        self.node.forget_refusals();
        log_limit::write_due();
        let links = self.shared.reactor.busy_since().map_or(Duration::ZERO, |since| now.since(MonotonicTime(since)));
        if stuck < STUCK && links < STUCK {
            self.watchdog.note_report(now);
            notify(&[sd_notify::NotifyState::Watchdog]);
        } else {
            let (what, stuck) = if stuck < STUCK { ("thread of the links", links) } else { ("disk", stuck) };
            tracing::error!("the {what} has not answered for {} s", stuck.as_secs());
        }
        Ok(())
    }

    fn settings(&self) -> mqtt::Settings {
        mqtt::Settings {
            identity: self.identity.clone(),
            root: self.config.mqtt.root.clone(),
            client_file: Some(self.config.journal.dir.join(format!("client-{}", self.shared.node))),
            node: self.shared.node.clone(),
            event: self.config.event.id.clone(),
            round: self.config.event.round.clone(),
            boards: self.config.board.iter().map(|board| board.id.clone()).collect(),
            fleet: self.config.fleet.clone(),
            former: former_boards(&self.config),
            reconnect: mqtt::ReconnectDelays::default(),
        }
    }

    fn command_receiver(&self) -> CommandReceiver {
        let handles = self.stations.iter().map(|station| Arc::clone(&station.handle)).collect();
        CommandReceiver::new(&self.config, Arc::clone(&self.users), handles)
    }
}

/// The boards that have a journal and are not configured any more. Journals that cannot be listed give none: then messages of
/// former boards stay at the broker.
fn former_boards(config: &Config) -> Vec<String> {
    let entries = std::fs::read_dir(&config.journal.dir).into_iter().flatten().flatten();
    let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
    let served = |name: &str| config.board.iter().any(|board| board.id == name);
    let mut former: Vec<String> = names.filter(|name| topics::is_id(name) && !served(name)).collect();
    former.retain(|name| config.journal.dir.join(name).is_dir());
    former.sort();
    former.truncate(FORMER_BOARDS);
    former
}

/// Starts the broker if it is enabled. The daemon publishes to it unless the configuration names another broker.
#[cfg(feature = "broker")]
async fn with_broker(mut config: Config) -> Result<(Config, Option<crate::broker::Running>)> {
    if !config.broker.enabled {
        return Ok((config, None));
    }
    let node = node_name(config.node.name.as_deref());
    let running = crate::broker::start(&config, &node).await?;
    tracing::info!("broker: MQTT on {}, WebSocket on {:?}", running.tcp, running.websocket);
    let mqtt = &mut config.mqtt;
    if mqtt.is_default() {
        mqtt.port = Some(running.tcp.port());
        let ip = running.tcp.ip();
        if !ip.is_unspecified() {
            mqtt.host = ip.to_string();
        }
    }
    Ok((config, Some(running)))
}

/// Reports to systemd, if it runs this program.
fn notify(states: &[sd_notify::NotifyState<'_>]) {
    if let Err(error) = sd_notify::notify(states) {
        tracing::debug!("systemd got no report: {error}");
    }
}
