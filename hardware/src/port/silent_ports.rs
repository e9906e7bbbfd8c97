//! Stores the ports where no board answered, so that the search pauses each of them for a while.

use std::path::PathBuf;
use std::time::Duration;

use crate::discover::{Found, Node};

/// The first pause of a port where no board answered. Each pause is twice as long as the one before.
const FIRST_REST: Duration = Duration::from_secs(10);
/// The longest pause of a port where no board answered. It ends early if the device is plugged in again.
const LAST_REST: Duration = Duration::from_secs(60);
/// The largest number of paused ports.
const MAX_RESTING: usize = 64;

/// A port where no board answered.
#[derive(Debug)]
struct SilentPort {
    path: PathBuf,
    node: Option<Node>,
    until: u64,
    times: u32,
}

/// The ports that the search pauses.
#[derive(Debug, Default)]
pub(crate) struct SilentPorts {
    ports: Vec<SilentPort>,
}

impl SilentPorts {
    /// Whether the search leaves the port alone at `at`, in microseconds.
    pub(crate) fn is_paused(&self, found: &Found, at: u64) -> bool {
        self.ports.iter().any(|port| port.path == found.path && port.node == found.node && at < port.until)
    }

    /// Pauses the port. Returns whether this is the first pause since the device was plugged in.
    pub(crate) fn add(&mut self, found: &Found, at: u64) -> bool {
        let before = self.ports.iter().position(|port| port.path == found.path).map(|index| self.ports.remove(index));
        let times = before.filter(|port| port.node == found.node).map_or(0, |port| port.times + 1);
        let span = (FIRST_REST * (1 << times.min(8))).min(LAST_REST);
        if self.ports.len() == MAX_RESTING {
            self.ports.remove(0);
        }
        let until = at + span.as_micros() as u64;
        self.ports.push(SilentPort { path: found.path.clone(), node: found.node, until, times });
        times == 0
    }
}
