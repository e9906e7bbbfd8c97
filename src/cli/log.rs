//! Sets up the log of a service.

use tracing::Level as Tracing;
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;

use crate::config::Level;

/// Sets up the program's own log on standard error, where systemd collects it.
pub(super) fn start(level: Level) {
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
