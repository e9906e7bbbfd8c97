//! Holds the data that all links of one process share: the ports that they use, the boards that said who they are, and the list
//! of all serial ports of this computer.

use std::collections::{BTreeMap, VecDeque};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::shared_search::LinkEntry;
use crate::discover::{self, Found, Node, UsbId};
use flagfall_protocols::event::same_serial;

/// The largest number of boards in the list. The oldest entry is removed first.
const MAX_ANSWERED: usize = 256;
/// The time for which a list of all serial ports is used before it is read again, in microseconds.
const LIST_VALID_FOR: u64 = 1_000_000;

/// The serial ports in use by one process. The process creates one `Ports` and passes it to every link.
#[derive(Debug, Default)]
pub struct Ports {
    inner: Mutex<Inner>,
}

#[derive(Debug, Default)]
pub(super) struct Inner {
    pub(super) next: u64,
    pub(super) taken: BTreeMap<PathBuf, Use>,
    pub(super) links: BTreeMap<u64, LinkEntry>,
    answered: VecDeque<AnsweredBoard>,
    /// The system's ports, and when a link listed them.
    seen: Option<(u64, Vec<Found>)>,
}

/// What a link of this process does with a port.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Use {
    /// The port is open.
    Open,
    /// Its board is being asked for its identity.
    Asked,
}

/// A board that has answered.
#[derive(Debug)]
struct AnsweredBoard {
    path: PathBuf,
    node: Option<Node>,
    usb: Option<UsbId>,
    serial: String,
}

impl AnsweredBoard {
    /// Whether it is still the same device: it was not plugged in again since, or its USB device has the same USB serial
    /// number.
    fn is_at(&self, found: &Found) -> bool {
        let same_usb = self.usb.as_ref().is_some_and(|usb| usb.serial.is_some()) && self.usb == found.usb;
        same_usb || (self.path == found.path && self.node.is_some() && self.node == found.node)
    }
}

impl Inner {
    /// Returns the serial numbers that the board at `found` has reported.
    pub(super) fn serials_at(&self, found: &Found) -> impl Iterator<Item = &str> {
        self.answered.iter().filter(|answer| answer.is_at(found)).map(|answer| answer.serial.as_str())
    }
}

impl Ports {
    /// Creates an empty registry.
    pub fn new() -> Arc<Ports> {
        Arc::default()
    }

    /// Returns the system's ports. The list is made at `at`, or it is the list of another link that is not older than `changed`
    /// and [`LIST_VALID_FOR`]. So twenty unplugged boards do not list the ports twenty times a second.
    pub(super) fn list_ports(&self, at: u64, changed: u64) -> Vec<Found> {
        let fresh = |when: u64| when >= changed && at.saturating_sub(when) < LIST_VALID_FOR;
        if let Some((_, seen)) = self.lock().seen.as_ref().filter(|(when, _)| fresh(*when)) {
            return seen.clone();
        }
        let known = discover::known();
        let mut inner = self.lock();
        // A list that was begun earlier and took longer is older.
        if inner.seen.as_ref().is_none_or(|(when, _)| *when <= at) {
            inner.seen = Some((at, known.clone()));
        }
        known
    }

    /// Returns what a link of this process does with the port at `path`.
    pub(super) fn port_use(&self, path: &Path) -> Option<Use> {
        self.lock().taken.get(path).copied()
    }

    /// Claims the port for one link. Returns `None` if another link has claimed it.
    pub(super) fn claim(self: &Arc<Ports>, path: &Path, purpose: Use) -> Option<PortClaim> {
        let mut inner = self.lock();
        if inner.taken.contains_key(path) {
            return None;
        }
        inner.taken.insert(path.to_owned(), purpose);
        Some(PortClaim { ports: Arc::clone(self), path: path.to_owned(), unchanged: false })
    }

    /// Records the serial number that the board at `found` reported. A board may report two numbers, a short one and a long
    /// one.
    pub(super) fn record_serial(&self, found: &Found, serial: &str) {
        let mut inner = self.lock();
        inner.answered.retain(|answer| !(answer.serial == serial || (answer.path == found.path && !answer.is_at(found))));
        let here: Vec<usize> = (0..inner.answered.len()).filter(|index| inner.answered[*index].is_at(found)).collect();
        if let [oldest, _, ..] = here[..] {
            inner.answered.remove(oldest);
        }
        if inner.answered.len() == MAX_ANSWERED {
            inner.answered.pop_front();
        }
        let Found { path, node, usb, .. } = found.clone();
        inner.answered.push_back(AnsweredBoard { path, node, usb, serial: serial.to_owned() });
    }

    /// Returns whether the board at `found` has this serial number; `None` if no board has answered there.
    pub(super) fn has_serial(&self, found: &Found, serial: &str) -> Option<bool> {
        let inner = self.lock();
        let mut here = inner.serials_at(found).peekable();
        here.peek()?;
        Some(here.any(|answer| same_serial(answer, serial)))
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, Inner> {
        // No code between lock and unlock can panic halfway.
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A claim of a port by one link, until this value is dropped.
#[derive(Debug)]
pub(super) struct PortClaim {
    ports: Arc<Ports>,
    path: PathBuf,
    unchanged: bool,
}

impl PortClaim {
    /// Releases a port that did not open. The other links need not check again.
    pub(super) fn release_unchanged(mut self) {
        self.unchanged = true;
    }

    /// Records that the port stays open, because its board is the wanted one.
    pub(super) fn mark_open(&self) {
        self.ports.lock().taken.insert(self.path.clone(), Use::Open);
    }
}

impl Drop for PortClaim {
    fn drop(&mut self) {
        let mut inner = self.ports.lock();
        inner.taken.remove(&self.path);
        if !self.unchanged {
            inner.make_all_check();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_of_ports_is_shared_for_a_second() {
        let fake = Found { path: PathBuf::from("/nowhere/ttyUSB7"), stable: None, usb: None, node: None };
        let ports = Ports::new();
        let seen = |at| ports.lock().seen = Some((at, vec![fake.clone()]));
        let sees = |at, changed| ports.list_ports(at, changed).contains(&fake);
        seen(LIST_VALID_FOR);
        assert!(sees(2 * LIST_VALID_FOR - 1, 0));
        assert!(sees(2 * LIST_VALID_FOR - 1, LIST_VALID_FOR));
        assert!(!sees(2 * LIST_VALID_FOR, 0), "too old");
        seen(LIST_VALID_FOR);
        assert!(!sees(LIST_VALID_FOR + 2, LIST_VALID_FOR + 1), "something changed after the check");
        assert!(!sees(LIST_VALID_FOR + 3, 0), "replaced by the check before");
        seen(LIST_VALID_FOR);
        assert!(!sees(LIST_VALID_FOR - 1, LIST_VALID_FOR + 1));
        assert!(sees(LIST_VALID_FOR, 0), "a check that began earlier replaces none");
    }
}
