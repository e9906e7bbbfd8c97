//! Runs `flagfall run`: starts the daemon and waits for its end.

mod follow;

#[cfg(any(feature = "outputs", feature = "screens"))]
use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, Result};
use clap::Args;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::Mutex;

use self::follow::{Follower, configure};
#[cfg(feature = "outputs")]
use super::local::{Local, bind_livechess, serve_livechess};
use super::{log, time_control};
use crate::config::Loaded;
use crate::daemon::{self, Daemon};
use crate::log_limit;
#[cfg(feature = "screens")]
use crate::screens;

/// Serve the boards of the configuration: read them, record them, publish them.
///
/// Ends on SIGTERM or Ctrl-C with everything recorded and `stopped` published. On SIGHUP it reads users, passwords and certificates
/// again. Boards and broker may come and go; a wrong configuration ends it at once with exit code 78 and says what is wrong.
/// `flagfall check-config` says so before. A port that another program has ends it with exit code 1: it may be free later.
///
/// Example: flagfall run --config hall.toml --config pi-07.toml
#[derive(Args)]
pub(super) struct Run {
    /// A configuration file; may be given several times, a later one over the earlier ones. Without it
    /// /etc/flagfall/flagfall.toml and /etc/flagfall/event.toml.
    #[arg(long, value_name = "FILE")]
    config: Vec<PathBuf>,
}

impl Run {
    pub(super) fn run(self) -> Result<ExitCode> {
        let loaded = daemon::load(&self.config, true)?;
        log::start(loaded.config.log.level);
        if loaded.config.board.is_empty() {
            tracing::warn!("no board is configured: nothing will be read");
        }
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().context("the network's runtime")?;
        let ended = runtime.block_on(async {
            // The signals are caught before anything starts, so that an early signal is not missed.
            let mut terminate = signal(SignalKind::terminate()).context("SIGTERM")?;
            let mut interrupt = signal(SignalKind::interrupt()).context("SIGINT")?;
            let hangup = Mutex::new(signal(SignalKind::hangup()).context("SIGHUP")?);
            #[cfg(feature = "outputs")]
            let local = Local::default();
            #[cfg(feature = "outputs")]
            let listener = local.serve_pages(&loaded.config)?;
            let stop = async || {
                tokio::select! {
                    _ = terminate.recv() => {}
                    _ = interrupt.recv() => {}
                }
            };
            #[cfg(feature = "outputs")]
            let run = self.serve(loaded, stop, &hangup, &local).await;
            #[cfg(not(feature = "outputs"))]
            let run = self.serve(loaded, stop, &hangup).await;
            #[cfg(feature = "outputs")]
            if let Some(listener) = listener {
                listener.stop().await;
            }
            run
        });
        log_limit::write_all();
        ended.map(|()| ExitCode::SUCCESS)
    }
}

impl Run {
    /// Runs the daemon until `stop`. If the organiser's messages are followed, it starts anew with another round.
    async fn serve(
        &self,
        mut base: Loaded,
        mut stop: impl AsyncFnMut(),
        hangup: &Mutex<Signal>,
        #[cfg(feature = "outputs")] local: &Local,
    ) -> Result<()> {
        #[cfg(feature = "outputs")]
        let show = local.show_received(&base.config);
        #[cfg(not(feature = "outputs"))]
        let show = |_: &_| {};
        let mut follower = base.config.event.from_meta.then(|| Follower::start(&base, show)).transpose()?;
        if let Some(follower) = &mut follower {
            tokio::select! {
                () = follower.first(&base) => {}
                () = stop() => return Ok(()),
            }
        }
        #[cfg(feature = "outputs")]
        let mut beside = None;
        #[cfg(feature = "screens")]
        let mut screens = None;
        loop {
            let used = follower.as_ref().and_then(Follower::used).cloned();
            let present = configure(used.as_ref(), &base);
            time_control::log(&present.config);
            // The port is taken before any board is opened.
            #[cfg(feature = "outputs")]
            let bound = bind_livechess(&present.config)?;
            let mut daemon = Daemon::start(&present).await?;
            if let Some(follower) = &follower {
                daemon.follow_problems(follower.problems());
            }
            #[cfg(feature = "outputs")]
            local.show_daemon(&present.config, &daemon);
            #[cfg(feature = "outputs")]
            let livechess = serve_livechess(bound, &local.hall)?;
            // It goes on over changes of the round.
            #[cfg(feature = "outputs")]
            if beside.is_none() {
                beside = collector(&present.config, &daemon, local)?;
            }
            #[cfg(feature = "screens")]
            if present.config.screens.enabled && screens.is_none() {
                screens = Some(screens::start(&present.config, own_broker(&present.config, &daemon))?);
            }
            let mut quiet = daemon.quiet();
            let mut changes = false;
            let end = async {
                let change = async {
                    match &mut follower {
                        Some(follower) => follower.next(&base, &present, &mut quiet).await,
                        None => std::future::pending().await,
                    }
                };
                tokio::select! {
                    () = stop() => {}
                    () = change => changes = true,
                }
                // The collector ends first, since it publishes its end to a broker that may end with the daemon.
                #[cfg(feature = "outputs")]
                if !changes && let Some(collector) = beside.take() {
                    let _ = tokio::task::spawn_blocking(|| collector.stop()).await;
                }
            };
            let reread = async || {
                let loaded = reread(&self.config, &mut *hangup.lock().await).await;
                #[cfg(feature = "screens")]
                if let Some(screens) = &screens {
                    screens.reload(&loaded.config);
                }
                configure(used.as_ref(), &loaded)
            };
            let ended = daemon.run_and_reload(end, reread).await;
            #[cfg(feature = "outputs")]
            if let Some(livechess) = livechess {
                livechess.stop().await;
            }
            if !changes || ended.is_err() {
                #[cfg(feature = "screens")]
                if let Some(screens) = screens.take() {
                    tokio::task::spawn_blocking(|| screens.stop()).await.context("the screens")?;
                }
                return ended;
            }
            // The files may have changed since, as at any other start.
            match daemon::load(&self.config, false) {
                Ok(loaded) => base = loaded,
                Err(errors) => tracing::error!("the configuration stays as it was, because it has errors:\n{errors}"),
            }
        }
    }
}

/// Starts the collector beside the daemon, if the configuration says so.
#[cfg(feature = "outputs")]
fn collector(config: &crate::config::Config, daemon: &Daemon, local: &Local) -> Result<Option<super::collect::Beside>> {
    config.collect.enabled.then(|| super::collect::start_beside(config, own_broker(config, daemon), local)).transpose()
}

/// The address of the broker in this program, if it runs and messages go to it.
#[cfg(any(feature = "outputs", feature = "screens"))]
fn own_broker(config: &crate::config::Config, daemon: &Daemon) -> Option<SocketAddr> {
    #[cfg(feature = "broker")]
    return daemon.broker().map(|broker| broker.local).filter(|_| config.publishes_to_own_broker());
    #[cfg(not(feature = "broker"))]
    {
        _ = (config, daemon);
        None
    }
}

/// Waits for SIGHUP and reads the configuration again. A configuration with errors is logged, and the next SIGHUP is awaited.
async fn reread(files: &[PathBuf], hangup: &mut Signal) -> Loaded {
    loop {
        if hangup.recv().await.is_none() {
            // The runtime ends.
            std::future::pending::<()>().await;
        }
        match daemon::load(files, false) {
            Ok(loaded) => return loaded,
            Err(errors) => tracing::error!("nothing was changed, because the configuration has errors:\n{errors}"),
        }
    }
}
