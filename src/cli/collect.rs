//! Runs `flagfall collect`: collects the games of an event and sends them to broadcasts. `flagfall run` starts the same collector if the
//! configuration says so.

use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr};
use std::path::PathBuf;
use std::process::ExitCode;
use std::thread::JoinHandle;

use anyhow::{Context, Result, ensure};
use clap::Args;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::oneshot;

use super::local::{Local, bind_livechess, serve_livechess};
use super::{log, time_control};
use crate::collect::{self, Settings};
use crate::config::{self, Config};
use crate::daemon::node_name;
use crate::log_limit;
use crate::mqtt::Identity;

/// Collect the games of all boards of an event from the broker, and send them to broadcasts.
///
/// It needs no board: run it on one machine of the event. Its outputs, [[output]] in the
/// configuration, write files or start a program that sends them. What it has collected is on the
/// disk, so it may be stopped and started at any time. It ends on SIGTERM or Ctrl-C. A wrong
/// configuration ends it with exit code 78.
///
/// Example: `flagfall collect --config collect.toml` with
///
///   [event]
///   id = "open26"
///   [mqtt]
///   host = "hall.local"
///   tls = true
///   ca_file = "/etc/flagfall/ca.pem"
///   [[output]]
///   name = "tree"
///   kind = "files"
///   dir = "/srv/flagfall"
#[derive(Args)]
#[command(verbatim_doc_comment)]
pub(super) struct Collect {
    /// A configuration file; may be given several times, a later one over the earlier ones.
    /// Without it /etc/flagfall/flagfall.toml and /etc/flagfall/event.toml.
    #[arg(long, value_name = "FILE")]
    config: Vec<PathBuf>,
}

impl Collect {
    pub(super) fn run(self) -> Result<ExitCode> {
        let config = config::load_to_serve(&self.config, &["http.listen"])?.config;
        log::start(config.log.level);
        time_control::log(&config);
        if config.output.is_empty() {
            tracing::warn!("no [[output]] is configured: the games are collected and sent nowhere");
        }
        let node = node_name(config.node.name.as_deref());
        let local = Local::default();
        let settings = Settings::new(&config, &node, identity(&config, &node, own_broker(&config)?)?, &local.pages, &local.hall);
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().context("the collector's runtime")?;
        let ended = runtime.block_on(async {
            let mut terminate = signal(SignalKind::terminate()).context("SIGTERM")?;
            let mut interrupt = signal(SignalKind::interrupt()).context("SIGINT")?;
            let stop = async {
                tokio::select! {
                    _ = terminate.recv() => {}
                    _ = interrupt.recv() => {}
                }
            };
            let listener = local.serve_pages(&config)?;
            // The broadcasts go on without it: a node on this machine may have the port.
            let bound = bind_livechess(&config).unwrap_or_else(|error| {
                tracing::error!(
                    "the LiveChess API is not offered: {error:#}. If `flagfall run` has the port, set collect.enabled there in the place of \
                     this program"
                );
                None
            });
            let livechess = serve_livechess(bound, &local.hall)?;
            let run = collect::run(settings, stop).await.map_err(anyhow::Error::from);
            if let Some(listener) = listener {
                listener.stop().await;
            }
            if let Some(livechess) = livechess {
                livechess.stop().await;
            }
            run
        });
        log_limit::write_all();
        ended.map(|()| ExitCode::SUCCESS)
    }
}

/// The address of the broker inside `flagfall run` on this machine, if messages go there.
fn own_broker(config: &Config) -> Result<Option<SocketAddr>> {
    if !config.publishes_to_own_broker() {
        return Ok(None);
    }
    let mut tcp: SocketAddr = config.broker.tcp.parse().context("broker.tcp")?;
    if tcp.ip().is_unspecified() {
        tcp.set_ip(if tcp.is_ipv4() { Ipv4Addr::LOCALHOST.into() } else { Ipv6Addr::LOCALHOST.into() });
    }
    Ok(Some(tcp))
}

/// A collector on a thread of its own.
pub(super) struct Beside {
    stop: oneshot::Sender<()>,
    thread: JoinHandle<()>,
}

/// Starts the collector beside the daemon. `broker` is the address of the broker inside this program, if messages go there.
///
/// # Errors
/// The login cannot be used, or the operating system gives no thread.
pub(super) fn start_beside(config: &Config, broker: Option<SocketAddr>, local: &Local) -> Result<Beside> {
    let node = node_name(config.node.name.as_deref());
    let settings = Settings::new(config, &node, identity(config, &node, broker)?, &local.pages, &local.hall);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().context("the collector's runtime")?;
    let (stop, stopped) = oneshot::channel::<()>();
    let work = move || {
        let stop = async { drop(stopped.await) };
        if let Err(error) = runtime.block_on(collect::run(settings, stop)) {
            tracing::error!("the collector has ended, and the boards go on: {error}");
        }
    };
    let thread = std::thread::Builder::new().name("collect".to_owned()).spawn(work).context("the collector's thread")?;
    Ok(Beside { stop, thread })
}

impl Beside {
    /// Ends the collector in order.
    pub(super) fn stop(self) {
        // If it has ended already, nobody receives this.
        let _ = self.stop.send(());
        if self.thread.join().is_err() {
            tracing::error!("the collector panicked; the boards went on");
        }
    }
}

/// The login of the collector. At `broker`, the one inside this program, it has a user of its own if there are users.
fn identity(config: &Config, node: &str, broker: Option<SocketAddr>) -> Result<Identity> {
    let mut mqtt = config.mqtt.clone();
    if let Some(address) = broker {
        (mqtt.host, mqtt.port) = (address.ip().to_string(), Some(address.port()));
        if !config.broker.user.is_empty() && !mqtt.has_login() {
            let name = format!("{node}-collect");
            let user = config.broker.user.get(&name);
            ensure!(user.is_some(), "the broker inside this program has users: add [broker.user.{name}]");
            mqtt.password_file = user.map(|user| user.password_file.clone());
            mqtt.user = Some(name);
        }
    }
    Ok(Identity::read(&mqtt, node)?)
}
