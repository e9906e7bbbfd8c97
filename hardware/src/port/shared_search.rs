//! Coordinates the searches of all serial links of one process. When one link asks a port, it asks on behalf of all links that
//! search for a board.
//!
//! A link that finds the board of another link hands over the open port. A link that has found its own board hands over the
//! ports that have not answered yet. So no board is asked twice, and no port waits for a link that no longer needs it.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use flagfall_protocols::driver::DriverInfo;
use flagfall_protocols::event::same_serial;

use super::probe::Probe;
use super::registry::{Inner, Ports, Use};
use super::requests::LinkRequests;
use crate::discover::Found;

/// The largest number of ports that one link asks at the same time. As many more may wait to be taken over by it.
pub(super) const MAX_PROBES: usize = 16;
/// The largest number of ports without an answer that are reported to a link between two checks.
const MAX_UNANSWERED: usize = 64;

/// The data about a link that the other links use.
#[derive(Debug)]
pub(super) struct LinkEntry {
    requests: Arc<LinkRequests>,
    /// The path that it is configured for. No other link asks there.
    path: Option<PathBuf>,
    /// Its board's serial number, configured or learnt.
    serial: Option<String>,
    /// `None` while its port is open.
    search: Option<Search>,
}

/// The running search of a link.
#[derive(Debug)]
struct Search {
    driver: &'static DriverInfo,
    folders: Vec<PathBuf>,
    news: News,
}

/// News from other links for a link that searches for its board.
#[derive(Debug, Default)]
pub(super) struct News {
    /// Ports that are being asked and that this link takes over.
    pub(super) probes: Vec<Probe>,
    /// Ports that did not answer, and since when they were asked, in microseconds.
    pub(super) unanswered: Vec<(u64, Found)>,
    /// A port became free, or the link that is configured for it wants it: check again.
    pub(super) check: bool,
}

/// The link that owns a board.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Owner {
    /// No known link of this process.
    Nobody,
    /// A link that does not search for it now.
    NotSearching,
    /// A link that searches for it.
    Searching,
}

impl LinkEntry {
    fn wants(&self, serial: &str) -> bool {
        self.serial.as_deref().is_some_and(|own| same_serial(own, serial))
    }

    fn may_take(&self, probe: &Probe, folders: &[PathBuf]) -> bool {
        let like = |search: &Search| {
            std::ptr::eq(search.driver, probe.info) && search.folders == folders && search.news.probes.len() < MAX_PROBES
        };
        self.serial.is_some() && self.search.as_ref().is_some_and(like)
    }
}

impl Inner {
    /// Makes every link that searches for a board check again.
    pub(super) fn make_all_check(&mut self) {
        for entry in self.links.values_mut() {
            if let Some(search) = &mut entry.search {
                search.news.check = true;
                entry.requests.wake();
            }
        }
    }

    fn is_configured_for_other(&self, link: u64, path: &Path) -> bool {
        self.links.iter().any(|(other, entry)| *other != link && entry.path.as_deref() == Some(path))
    }

    fn owner(&self, link: u64, serial: &str) -> Owner {
        let owners = self.links.iter().filter(|(other, entry)| **other != link && entry.wants(serial));
        let searching =
            |(_, entry): (&u64, &LinkEntry)| if entry.search.is_some() { Owner::Searching } else { Owner::NotSearching };
        owners.map(searching).max().unwrap_or(Owner::Nobody)
    }
}

impl Ports {
    /// Adds a link and returns its number. The link is woken through its requests.
    pub(super) fn add_link(&self, requests: Arc<LinkRequests>) -> u64 {
        let mut inner = self.lock();
        inner.next += 1;
        let number = inner.next;
        inner.links.insert(number, LinkEntry { requests, path: None, serial: None, search: None });
        number
    }

    /// Removes a link that has ended.
    pub(super) fn remove_link(&self, link: u64) {
        let left = self.lock().links.remove(&link);
        // This happens without the lock, because the ports that waited to be taken over become free.
        drop(left);
    }

    /// Sets the link's configured path with links resolved; `None` if the path does not exist. Another link that asks there
    /// stops.
    pub(super) fn set_configured_path(&self, link: u64, path: Option<&Path>) {
        let mut inner = self.lock();
        let Some(entry) = inner.links.get_mut(&link).filter(|entry| entry.path.as_deref() != path) else { return };
        entry.path = path.map(Path::to_owned);
        if path.is_some_and(|path| inner.taken.get(path) == Some(&Use::Asked)) {
            inner.make_all_check();
        }
    }

    /// Returns whether another link is configured for this path.
    pub(super) fn is_configured_for_other(&self, link: u64, path: &Path) -> bool {
        self.lock().is_configured_for_other(link, path)
    }

    /// Sets the serial number of the link's board, configured or learnt.
    pub(super) fn set_serial(&self, link: u64, serial: Option<&str>) {
        if let Some(entry) = self.lock().links.get_mut(&link).filter(|entry| entry.serial.as_deref() != serial) {
            entry.serial = serial.map(str::to_owned);
        }
    }

    /// Returns which other link owns the board with this serial number.
    pub(super) fn owner(&self, link: u64, serial: &str) -> Owner {
        self.lock().owner(link, serial)
    }

    /// Returns whether another link searches for the board at `found` and will open it.
    pub(super) fn is_promised(&self, link: u64, found: &Found) -> bool {
        let inner = self.lock();
        inner.serials_at(found).any(|serial| inner.owner(link, serial) == Owner::Searching)
    }

    /// Begins the link's search for its board.
    pub(super) fn begin_search(&self, link: u64, driver: &'static DriverInfo, folders: &[PathBuf]) {
        let search = Search { driver, folders: folders.to_vec(), news: News::default() };
        if let Some(entry) = self.lock().links.get_mut(&link) {
            entry.search = Some(search);
        }
    }

    /// Ends the link's search, because it has its port or ends. Other links get the ports that it did not take over.
    pub(super) fn end_search(&self, link: u64, folders: &[PathBuf]) {
        let search = self.lock().links.get_mut(&link).and_then(|entry| entry.search.take());
        let left = search.map(|search| search.news.probes).unwrap_or_default();
        left.into_iter().for_each(|probe| self.hand_over(link, probe, folders));
    }

    /// Returns the news since the last call.
    pub(super) fn take_news(&self, link: u64) -> News {
        let mut inner = self.lock();
        let search = inner.links.get_mut(&link).and_then(|entry| entry.search.as_mut());
        search.map(|search| std::mem::take(&mut search.news)).unwrap_or_default()
    }

    /// Hands a port that is being asked to another link that can use it: to the owner of the board, or, if the owner is not
    /// known, to any link that searches in the same folders. If there is no such link, the port becomes free.
    pub(super) fn hand_over(&self, link: u64, probe: Probe, folders: &[PathBuf]) {
        let mut inner = self.lock();
        let path = &probe.found.path;
        let able = |(other, entry): &(&u64, &LinkEntry)| {
            **other != link && entry.may_take(&probe, folders) && !inner.is_configured_for_other(**other, path)
        };
        let owns = |entry: &LinkEntry| probe.serials.iter().any(|serial| entry.wants(serial));
        let is_owned = inner.links.iter().any(|(other, entry)| *other != link && entry.search.is_some() && owns(entry));
        // A link that does not own the board would only return it.
        let mut heirs = inner.links.iter().filter(able).filter(|(_, entry)| !is_owned || owns(entry));
        let heir = heirs.next().map(|(other, _)| *other);
        let entry = heir.and_then(|heir| inner.links.get_mut(&heir));
        if let Some(LinkEntry { requests, search: Some(search), .. }) = entry {
            search.news.probes.push(probe);
            requests.wake();
        } else {
            // The lock is released first, because the release of the port needs it.
            drop(inner);
        }
    }

    /// Reports that no wanted board answered at this port. Other links that were searching need not ask again.
    pub(super) fn report_no_answer(&self, link: u64, probe: &Probe) {
        let mut inner = self.lock();
        let others = inner.links.iter_mut().filter(|(other, _)| **other != link);
        let searches = others.filter_map(|(_, entry)| entry.search.as_mut());
        for search in searches.filter(|search| std::ptr::eq(search.driver, probe.info)) {
            if search.news.unanswered.len() < MAX_UNANSWERED {
                search.news.unanswered.push((probe.began, probe.found.clone()));
            }
        }
    }
}
