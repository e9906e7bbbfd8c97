//! Starts all parts of the daemon, watches for threads that hang, and stops all parts in order.

use std::future::Future;
use std::sync::atomic::{AtomicBool, AtomicU64};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;

use anyhow::{Context, Result};
use flagfall_hardware::port::Ports;
use tokio::sync::watch;
use tokio::time::{MissedTickBehavior, interval};

use super::alerts::Alerts;
use super::command_receiver::CommandReceiver;
use super::heartbeat::Heartbeat;
use super::inbox::Inbox;
use super::network;
use super::node::Node;
use super::shared::{Condition, Shared, StationHandle};
use super::station_config::{StationConfig, node_name, station_configs};
use super::supervised_station::{Patience, SupervisedStation};
use super::{boot, disk, worker};
use crate::config::{Config, Loaded};
use crate::mqtt;
use crate::mqtt::outbox::Outbox;
use crate::{random, system_clock};

/// The time between two checks by the supervisor.
const TICK: Duration = Duration::from_secs(1);
/// If the disk thread waits longer than this for the disk, the watchdog of systemd is no longer informed, and systemd restarts
/// the program.
const DISK_STUCK: Duration = Duration::from_secs(8);
/// The time for which the network waits for boards that read their journals, so that `ready` includes them. A board that needs
/// longer is added later.
const OPEN_WITHIN: Duration = Duration::from_secs(10);
/// The time between two checks whether the boards are ready.
const OPEN_POLL: Duration = Duration::from_millis(5);
/// The time limit in which all stations together must end.
const END_WITHIN: Duration = Duration::from_secs(5);
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
    identity: mqtt::Identity,
}

impl Daemon {
    /// Starts the broker if it is enabled, then all threads. This must run on the runtime that [`Daemon::run`] will use.
    ///
    /// # Errors
    /// The broker's port is in use, a file that the configuration names cannot be used, or the operating system gives no thread.
    pub async fn start(loaded: &Loaded) -> Result<Daemon> {
        Daemon::start_with(loaded, station_configs(&loaded.config, loaded.hash)?, Patience::default()).await
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
        let name = node_name(config.node.name.as_deref());
        let identity = mqtt::Identity::read(&config.mqtt, &name)?;
        #[cfg(feature = "broker")]
        let identity = match broker.as_ref().and_then(|broker| broker.own.clone()) {
            Some(login) if config.mqtt.user.is_none() && config.mqtt.password_file.is_none() => {
                identity.logged_in(login.user, login.password)
            }
            _ => identity,
        };
        let boot = boot::count(&config.journal.dir).unwrap_or_else(|error| {
            tracing::error!("{}: the start is not counted: {error}", config.journal.dir.display());
            0
        });
        let shared = Arc::new(Shared {
            node: name,
            boot,
            run: random::hex(random::UNGUESSABLE).context("a random value for this start")?,
            outbox: Outbox::new(),
            disk: Arc::default(),
            worker: Arc::<Inbox<worker::Question>>::default(),
            ports: Arc::<Ports>::default(),
            hids: Arc::default(),
            lines: Default::default(),
            adapter: config.bluetooth.adapter.clone(),
            radio: Mutex::new(None),
            wall_clock: Mutex::new(network::read_wall_clock()),
            wall_clock_seen_at: AtomicU64::new(system_clock::monotonic().0),
            connected: AtomicBool::new(false),
        });
        let disk_heartbeat = Arc::new(Heartbeat::default());
        let log = disk::open_log(&config.journal.dir);
        let disk = disk::start(Arc::clone(&shared.disk), log, Arc::clone(&shared.outbox), Arc::clone(&disk_heartbeat))?;
        let worker = worker::start(Arc::clone(&shared.worker))?;
        let stations = (0..)
            .zip(station_configs)
            .map(|(number, config)| SupervisedStation::start(number, config, patience, &shared))
            .collect::<Result<Vec<_>>>()?;
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
            identity,
        })
    }

    /// The addresses of the embedded broker, if it runs: for MQTT, and for MQTT over WebSocket.
    #[cfg(feature = "broker")]
    pub fn broker(&self) -> Option<(std::net::SocketAddr, Option<std::net::SocketAddr>)> {
        self.broker.as_ref().map(|broker| (broker.tcp, broker.websocket))
    }

    /// Serves until `stop`, then ends everything in order: links, stations, journals, the network, the broker.
    ///
    /// # Errors
    /// A thread of the daemon itself has ended.
    pub async fn run(mut self, stop: impl Future<Output = ()>) -> Result<()> {
        let (stopper, stopped) = watch::channel(false);
        let settings = self.settings();
        let hooks = network::hooks(&self.node, self.command_receiver(), &self.stations);
        let handles: Vec<_> = self.stations.iter().map(|station| Arc::clone(&station.handle)).collect();
        let outbox = Arc::clone(&self.shared.outbox);
        let mut network = tokio::spawn(async move {
            wait_until_opened(&handles).await;
            mqtt::run(settings, outbox, hooks, stopped).await
        });
        self.node.publish_info();
        notify(&[sd_notify::NotifyState::Ready]);
        let mut ticks = interval(TICK);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut stop = std::pin::pin!(stop);
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
                _ = ticks.tick() => {
                    gone = self.supervise();
                    if gone.is_err() {
                        break;
                    }
                }
            }
        }
        notify(&[sd_notify::NotifyState::Stopping]);
        let stations = std::mem::take(&mut self.stations);
        // Links and stations end on their threads. The network still publishes their last messages.
        let ends = tokio::task::spawn_blocking(move || {
            stations.iter().for_each(SupervisedStation::request_stop);
            let until = system_clock::monotonic().after(END_WITHIN);
            stations.into_iter().for_each(|station| station.stop(until.since(system_clock::monotonic())));
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

    /// Checks everything once.
    fn supervise(&mut self) -> Result<()> {
        anyhow::ensure!(!self.disk.is_finished(), "the journal thread has ended");
        anyhow::ensure!(!self.worker.is_finished(), "the worker thread has ended");
        self.node.check_wall_clock();
        let stuck = self.disk_heartbeat.stuck_for(system_clock::monotonic());
        for station in &mut self.stations {
            station.check_health(&self.shared, stuck >= TICK);
        }
        for station in &self.stations {
            self.alerts.update(&self.node, station.board(), &station.handle);
        }
        self.node.publish_health();
        self.node.forget_refusals();
        if stuck < DISK_STUCK {
            notify(&[sd_notify::NotifyState::Watchdog]);
        } else {
            tracing::error!("the disk has not answered for {} s", stuck.as_secs());
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
            reconnect: mqtt::ReconnectDelays::default(),
        }
    }

    fn command_receiver(&self) -> CommandReceiver {
        let handles = self.stations.iter().map(|station| Arc::clone(&station.handle)).collect();
        CommandReceiver::new(&self.config, handles)
    }
}

/// Returns when every board has opened its journal or failed to, or after [`OPEN_WITHIN`].
async fn wait_until_opened(handles: &[Arc<StationHandle>]) {
    let until = system_clock::monotonic().after(OPEN_WITHIN);
    while system_clock::monotonic() < until && handles.iter().any(|handle| handle.condition() == Condition::Opening) {
        tokio::time::sleep(OPEN_POLL).await;
    }
}

/// Starts the broker if it is enabled. The daemon publishes to it unless the configuration names another broker.
#[cfg(feature = "broker")]
async fn with_broker(mut config: Config) -> Result<(Config, Option<crate::broker::Running>)> {
    if !config.broker.enabled {
        return Ok((config, None));
    }
    let node = node_name(config.node.name.as_deref());
    let running = crate::broker::start(&config.broker, &config.mqtt.root, &node).await?;
    tracing::info!("broker: MQTT on {}, WebSocket on {:?}", running.tcp, running.websocket);
    let mqtt = &mut config.mqtt;
    if mqtt.port.is_none() && !mqtt.tls && mqtt.host == crate::config::Mqtt::default().host {
        mqtt.port = Some(running.tcp.port());
        if !running.tcp.ip().is_unspecified() {
            mqtt.host = match running.tcp.ip() {
                std::net::IpAddr::V4(ip) => ip.to_string(),
                std::net::IpAddr::V6(ip) => format!("[{ip}]"),
            };
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
