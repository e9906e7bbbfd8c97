//! The settings of a collector, and why it cannot run.

use std::fmt;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use flagfall_game::clock::control::TimeControl;

use super::model::Fixed;
use crate::config::{Config, Output};
use crate::http::Pages;
use crate::mqtt::Identity;
use crate::outputs::livechess::Hall;
use crate::wire::topics;

/// The settings of a collector.
pub struct Settings {
    /// The broker and our login there.
    pub identity: Identity,
    /// The first level of every topic.
    pub root: String,
    /// The name of this collector in topics.
    pub node: String,
    /// The folder of the store.
    pub dir: PathBuf,
    /// The outputs.
    pub outputs: Vec<Output>,
    /// The pages that are served over HTTP.
    pub pages: Arc<Pages>,
    /// The boards of the LiveChess API; none if it is not offered.
    pub hall: Option<Arc<Hall>>,
    pub(super) fixed: Fixed,
}

impl Settings {
    /// The settings of a configuration. `node` is the name of this machine's node; the collector's name is made of it. `pages` and
    /// `hall` are filled if the configuration says that they are served.
    pub fn new(config: &Config, node: &str, identity: Identity, pages: &Arc<Pages>, hall: &Arc<Hall>) -> Settings {
        let node = topics::collector(node);
        let event = &config.event;
        Settings {
            identity,
            root: config.mqtt.root.clone(),
            dir: config.collect.dir.clone(),
            outputs: config.output.iter().cloned().chain((!config.http.listen.is_empty()).then(Output::of_pages)).collect(),
            pages: Arc::clone(pages),
            hall: config.livechess.enabled.then(|| Arc::clone(hall)),
            fixed: Fixed {
                event: event.id.clone(),
                round: event.round.clone(),
                // The text was checked with the configuration.
                time_control: event.time_control.as_deref().and_then(|text| TimeControl::parse(text).ok()),
                chess960: event.chess960,
                node: node.clone(),
                standby: config.collect.standby,
                release_orphans: config.collect.release_orphans,
                fleet: config.fleet.clone(),
            },
            node,
        }
    }
}

/// Why a collector cannot run.
#[derive(Debug)]
pub enum CollectError {
    /// The folder of the store cannot be used.
    Store(PathBuf, io::Error),
    /// The operating system gives no thread or no random bytes, or the program has a fault.
    System(io::Error),
}

impl fmt::Display for CollectError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CollectError::Store(dir, error) => write!(f, "collect.dir: {}: {error}", dir.display()),
            CollectError::System(error) => {
                write!(f, "the operating system gives no thread, no random bytes or no connection: {error}")
            }
        }
    }
}

impl std::error::Error for CollectError {}
