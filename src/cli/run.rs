//! Runs `flagfall run`: starts the daemon and waits for its end.

use std::path::PathBuf;
use std::process::ExitCode;
#[cfg(feature = "outputs")]
use std::sync::Arc;

use anyhow::{Context, Result};
use clap::Args;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::Mutex;
use tracing::Level as Tracing;
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;

use crate::config::{self, Level, Loaded};
use crate::daemon::{Daemon, judge};
#[cfg(feature = "outputs")]
use crate::http;

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
        log(loaded.config.log.level);
        if loaded.config.board.is_empty() {
            tracing::warn!("no board is configured: nothing will be read");
        }
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().context("the network's runtime")?;
        runtime.block_on(async {
            // The signals are caught before anything starts, so that an early signal is not missed.
            let mut terminate = signal(SignalKind::terminate()).context("SIGTERM")?;
            let mut interrupt = signal(SignalKind::interrupt()).context("SIGINT")?;
            let hangup = Mutex::new(signal(SignalKind::hangup()).context("SIGHUP")?);
            #[cfg(feature = "outputs")]
            let pages = serve_pages(&loaded, &Arc::default())?;
            let daemon = Daemon::start(&loaded).await?;
            let stop = async {
                tokio::select! {
                    _ = terminate.recv() => {}
                    _ = interrupt.recv() => {}
                }
            };
            let run = daemon.run_and_reload(stop, async || reread(&self.config, &mut *hangup.lock().await).await).await;
            #[cfg(feature = "outputs")]
            if let Some(pages) = pages {
                pages.stop().await;
            }
            run
        })?;
        Ok(ExitCode::SUCCESS)
    }
}

/// Serves these pages over HTTP, if an address is configured.
#[cfg(feature = "outputs")]
fn serve_pages(loaded: &Loaded, pages: &Arc<http::Pages>) -> Result<Option<http::Running>> {
    let address = &loaded.config.http.listen;
    if address.is_empty() {
        return Ok(None);
    }
    let listener = http::bind(address).context("http.listen")?;
    let running = http::serve(listener, pages.routes()).context("http.listen")?;
    tracing::info!("HTTP on {}", running.address);
    Ok(Some(running))
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

/// Sets up the program's own log on standard error, where systemd collects it.
fn log(level: Level) {
    let level = match level {
        Level::Error => Tracing::ERROR,
        Level::Warn => Tracing::WARN,
        Level::Info => Tracing::INFO,
        Level::Debug => Tracing::DEBUG,
    };
    // The broker's crate writes a line for each client and each attack, and knows neither our users nor our limits. What is true
    // is logged by `broker`.
    let targets = Targets::new().with_default(level).with_target("mqtt5", LevelFilter::OFF);
    tracing_subscriber::fmt().with_max_level(level).with_writer(std::io::stderr).with_target(false).finish().with(targets).init();
}
