//! What programs on this machine and pages over HTTP read, for `flagfall run`, `flagfall collect` and `flagfall demo`. A process has one
//! LiveChess API, wherever its boards are.

use std::sync::Arc;

use anyhow::{Context, Result};

use crate::config::Config;
use crate::daemon::Daemon;
use crate::event::follow::Received;
use crate::http::{self, Pages};
use crate::outputs::livechess::{self, Bound, Hall};

/// What is offered; the collector and the daemon fill it.
#[derive(Debug, Default)]
pub(super) struct Local {
    /// The pages that the collector makes.
    pub(super) pages: Arc<Pages>,
    /// The boards of the LiveChess API.
    pub(super) hall: Arc<Hall>,
}

impl Local {
    /// Serves the pages, if an address is configured.
    ///
    /// # Errors
    /// The address cannot be used.
    pub(super) fn serve_pages(&self, config: &Config) -> Result<Option<http::Running>> {
        let address = &config.http.listen;
        if address.is_empty() {
            return Ok(None);
        }
        let listener = http::bind("http.listen", address)?;
        let running = http::serve(listener, self.pages.routes(), http::Service::default()).context("http.listen")?;
        tracing::info!("HTTP on {}", running.address);
        Ok(Some(running))
    }

    /// Shows the boards of a daemon. The collector, where it runs too, knows more of the event.
    pub(super) fn show_daemon(&self, config: &Config, daemon: &Daemon) {
        self.hall.set_own(daemon.taps().to_vec());
        if !config.collect.enabled {
            self.hall.update(|programme| {
                programme.event.clone_from(&config.event.id);
                programme.round.clone_from(&config.event.round);
            });
        }
    }

    /// Shows what the organiser published, if no collector does so.
    pub(super) fn show_received(&self, config: &Config) -> impl Fn(&Received) + Send + Sync + 'static {
        let hall = (!config.collect.enabled).then(|| Arc::clone(&self.hall));
        move |received| {
            let Some(hall) = &hall else { return };
            hall.update(|programme| {
                programme.published = received.event().cloned();
                programme.rounds = received.rounds().map(|(id, round)| (id.to_owned(), round.clone())).collect();
            });
        }
    }
}

/// Takes the addresses of the LiveChess API, if it is enabled.
///
/// # Errors
/// Another program has a port, or this machine has none of the addresses.
pub(super) fn bind_livechess(config: &Config) -> Result<Option<Bound>> {
    config.livechess.enabled.then(|| livechess::bind(&config.livechess)).transpose()
}

/// Serves the boards of a hall at these addresses.
///
/// # Errors
/// The operating system does not tell an address.
pub(super) fn serve_livechess(bound: Option<Bound>, hall: &Arc<Hall>) -> Result<Option<livechess::Running>> {
    bound.map(|bound| bound.serve(hall)).transpose()
}
