//! Runs `flagfall run`: starts the daemon and waits for its end.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, Result};
use clap::Args;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::Mutex;

use super::log;
use crate::config::{self, Loaded};
use crate::daemon::{Daemon, judge};

/// Serve the boards of the configuration: read them, record them, publish them.
///
/// Ends on SIGTERM or Ctrl-C with everything recorded and `stopped` published. On SIGHUP it reads users, passwords and certificates
/// again. Boards and broker may come and go; a wrong configuration ends it at once with exit code 78 and says what is wrong.
/// `flagfall check-config` says so before. A port that another program has ends it with exit code 1: it may be free later.
#[derive(Args)]
pub(super) struct Run {
    /// A configuration file; may be given several times, a later one over the earlier ones. Without it
    /// /etc/flagfall/flagfall.toml and /etc/flagfall/event.toml.
    #[arg(long, value_name = "FILE")]
    config: Vec<PathBuf>,
}

impl Run {
    pub(super) fn run(self) -> Result<ExitCode> {
        let loaded = config::load_default(&self.config)?;
        log::start(loaded.config.log.level);
        if loaded.config.board.is_empty() {
            tracing::warn!("no board is configured: nothing will be read");
        }
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().context("the network's runtime")?;
        runtime.block_on(async {
            // The signals are caught before anything starts, so that an early signal is not missed.
            let mut terminate = signal(SignalKind::terminate()).context("SIGTERM")?;
            let mut interrupt = signal(SignalKind::interrupt()).context("SIGINT")?;
            let hangup = Mutex::new(signal(SignalKind::hangup()).context("SIGHUP")?);
            let daemon = Daemon::start(&loaded).await?;
            #[cfg(feature = "outputs")]
            let collector = collector(&loaded.config, &daemon)?;
            let stop = async {
                tokio::select! {
                    _ = terminate.recv() => {}
                    _ = interrupt.recv() => {}
                }
                // The collector ends first, since it publishes its end to a broker that may end with the daemon.
                #[cfg(feature = "outputs")]
                if let Some(collector) = collector {
                    let _ = tokio::task::spawn_blocking(|| collector.stop()).await;
                }
            };
            daemon.run_and_reload(stop, async || reread(&self.config, &mut *hangup.lock().await).await).await
        })?;
        Ok(ExitCode::SUCCESS)
    }
}

/// Starts the collector beside the daemon, if the configuration says so.
#[cfg(feature = "outputs")]
fn collector(config: &config::Config, daemon: &Daemon) -> Result<Option<super::collect::Beside>> {
    #[cfg(feature = "broker")]
    let broker = daemon.broker().map(|(tcp, _)| tcp);
    #[cfg(not(feature = "broker"))]
    let (broker, _) = (None, daemon);
    config.collect.enabled.then(|| super::collect::start_beside(config, broker)).transpose()
}

/// Waits for SIGHUP and reads the configuration again. A configuration with errors is logged, and the next SIGHUP is awaited.
async fn reread(files: &[PathBuf], hangup: &mut Signal) -> Loaded {
    loop {
        if hangup.recv().await.is_none() {
            // The runtime ends.
            std::future::pending::<()>().await;
        }
        match config::load_default(files).and_then(|loaded| judge(&loaded).map(|_| loaded)) {
            Ok(loaded) => return loaded,
            Err(errors) => tracing::error!("nothing was changed, because the configuration has errors:\n{errors}"),
        }
    }
}
