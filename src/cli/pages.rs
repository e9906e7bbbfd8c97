//! Serves the pages that the collector makes over HTTP, for `flagfall run` and `flagfall collect`.

use std::sync::Arc;

use anyhow::{Context, Result};

use crate::config::Config;
use crate::http::{self, Pages, Running};

/// Serves these pages, if an address is configured.
///
/// # Errors
/// The address cannot be used.
pub(super) fn serve(config: &Config, pages: &Arc<Pages>) -> Result<Option<Running>> {
    let address = &config.http.listen;
    if address.is_empty() {
        return Ok(None);
    }
    let listener = http::bind(address).context("http.listen")?;
    let running = http::serve(listener, pages.routes(), http::Service::default()).context("http.listen")?;
    tracing::info!("HTTP on {}", running.address);
    Ok(Some(running))
}
