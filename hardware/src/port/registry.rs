//! What links of one process know of each other: their ports, which board answered where, and what ports there are.

use std::collections::{BTreeMap, VecDeque};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::probe::same_serial;
use crate::discover::{self, Found, Node, UsbId};

/// Boards that are remembered; the oldest is forgotten.
const MAX_TOLD: usize = 256;
/// What one link saw of the system's ports, another may use for so long, in microseconds.
const SEEN_FOR: u64 = 1_000_000;

/// The ports of one process. One is made, and every link gets it.
#[derive(Debug, Default)]
pub struct Ports {
    inner: Mutex<Inner>,
}

#[derive(Debug, Default)]
struct Inner {
    next: u64,
    taken: BTreeMap<PathBuf, Use>,
    /// The path that each link is configured for: no other link asks there.
    named: BTreeMap<u64, PathBuf>,
    told: VecDeque<Told>,
    /// The system's ports, and when a link looked for them last.
    seen: Option<(u64, Vec<Found>)>,
}

/// What one of our links does with a port.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Use {
    /// It is open.
    Open,
    /// Its board is asked who it is.
    Asked,
}

/// A board that has answered.
#[derive(Debug)]
struct Told {
    path: PathBuf,
    node: Option<Node>,
    usb: Option<UsbId>,
    serial: String,
}

impl Told {
    /// The same device still: not plugged anew since, or the same USB device by its own serial number.
    fn is_at(&self, found: &Found) -> bool {
        let same_usb = self.usb.as_ref().is_some_and(|usb| usb.serial.is_some()) && self.usb == found.usb;
        same_usb || (self.path == found.path && self.node.is_some() && self.node == found.node)
    }
}

impl Ports {
    /// None is open, nothing is known.
    pub fn new() -> Arc<Ports> {
        Arc::default()
    }

    /// The system's ports, looked for at `at` or, unless `anew`, less than [`SEEN_FOR`] before by any link: twenty boards that
    /// are unplugged need not look twenty times a second.
    pub(super) fn known(&self, at: u64, anew: bool) -> Vec<Found> {
        if !anew && let Some((_, seen)) = self.lock().seen.as_ref().filter(|(when, _)| at.saturating_sub(*when) < SEEN_FOR) {
            return seen.clone();
        }
        let known = discover::known();
        let mut inner = self.lock();
        // A walk that began earlier and took longer knows less.
        if inner.seen.as_ref().is_none_or(|(when, _)| *when <= at) {
            inner.seen = Some((at, known.clone()));
        }
        known
    }

    /// A number for a link.
    pub(super) fn join(&self) -> u64 {
        let mut inner = self.lock();
        inner.next += 1;
        inner.next
    }

    /// The link's configured path, links followed; none if it is not there, or has ended.
    pub(super) fn name(&self, link: u64, path: Option<&Path>) {
        let mut inner = self.lock();
        match path {
            Some(path) => inner.named.insert(link, path.to_owned()),
            None => inner.named.remove(&link),
        };
    }

    /// Whether another link is configured for this path.
    pub(super) fn named_by_other(&self, link: u64, path: &Path) -> bool {
        self.lock().named.iter().any(|(other, named)| *other != link && named == path)
    }

    /// What one of our links does with the port at `path`.
    pub(super) fn used(&self, path: &Path) -> Option<Use> {
        self.lock().taken.get(path).copied()
    }

    /// Takes the port for one link; none if another has it.
    pub(super) fn take(self: &Arc<Ports>, path: &Path, purpose: Use) -> Option<Lease> {
        let mut inner = self.lock();
        if inner.taken.contains_key(path) {
            return None;
        }
        inner.taken.insert(path.to_owned(), purpose);
        Some(Lease { ports: Arc::clone(self), path: path.to_owned() })
    }

    /// The board at `found` has told its serial number. A board may tell two, a short and a long one.
    pub(super) fn tell(&self, found: &Found, serial: &str) {
        let mut inner = self.lock();
        inner.told.retain(|told| !(told.serial == serial || (told.path == found.path && !told.is_at(found))));
        let here: Vec<usize> = (0..inner.told.len()).filter(|index| inner.told[*index].is_at(found)).collect();
        if let [oldest, _, ..] = here[..] {
            inner.told.remove(oldest);
        }
        if inner.told.len() == MAX_TOLD {
            inner.told.pop_front();
        }
        let Found { path, node, usb, .. } = found.clone();
        inner.told.push_back(Told { path, node, usb, serial: serial.to_owned() });
    }

    /// Whether the board at `found` is the one with this serial number; none if no board has answered there.
    pub(super) fn told(&self, found: &Found, serial: &str) -> Option<bool> {
        let inner = self.lock();
        let mut here = inner.told.iter().filter(|told| told.is_at(found)).peekable();
        here.peek()?;
        Some(here.any(|told| same_serial(&told.serial, serial)))
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        // Nothing between lock and unlock can panic halfway.
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A port that is ours until this is dropped.
#[derive(Debug)]
pub(super) struct Lease {
    ports: Arc<Ports>,
    path: PathBuf,
}

impl Lease {
    /// The board is the one: the port stays open.
    pub(super) fn keep(&self) {
        self.ports.lock().taken.insert(self.path.clone(), Use::Open);
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        self.ports.lock().taken.remove(&self.path);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_look_at_the_systems_ports_is_used_by_others_for_a_second() {
        let fake = Found { path: PathBuf::from("/nowhere/ttyUSB7"), stable: None, usb: None, node: None };
        let ports = Ports::new();
        let seen = |at| ports.lock().seen = Some((at, vec![fake.clone()]));
        let sees = |at, anew| ports.known(at, anew).contains(&fake);
        seen(SEEN_FOR);
        assert!(sees(2 * SEEN_FOR - 1, false));
        assert!(!sees(2 * SEEN_FOR, false), "too old");
        seen(SEEN_FOR);
        assert!(!sees(SEEN_FOR + 1, true), "not wanted");
        assert!(!sees(SEEN_FOR + 2, false), "replaced by the look before");
        seen(SEEN_FOR);
        assert!(!sees(SEEN_FOR - 1, true));
        assert!(sees(SEEN_FOR, false), "a look that began earlier replaces none");
    }
}
