//! What the links of one process do for each other: a port that one of them asks is asked for all that look for a board.
//!
//! Whoever learns the number of a sister's board hands her the open port, and whoever has found its own board hands on the
//! ports that have not answered yet: no board is asked twice, and none waits for a link that needs it no longer.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use flagfall_protocols::driver::DriverInfo;

use super::probe::{Probe, same_serial};
use super::registry::{Inner, Ports, Use};
use super::requests::LinkRequests;
use crate::discover::Found;

/// Ports that one link asks at the same time, and as many may wait to be taken over by it.
pub(super) const MAX_PROBES: usize = 16;
/// Ports where nobody answered that are told to a link before it looks again.
const MAX_UNANSWERED: usize = 64;

/// A link, as its sisters see it.
#[derive(Debug)]
pub(super) struct LinkEntry {
    requests: Arc<LinkRequests>,
    /// The path that it is configured for: no other link asks there.
    named: Option<PathBuf>,
    /// Its board's number, configured or learnt.
    serial: Option<String>,
    /// None while its port is open.
    search: Option<Search>,
}

/// A link that looks for its board.
#[derive(Debug)]
struct Search {
    driver: &'static DriverInfo,
    folders: Vec<PathBuf>,
    news: News,
}

/// What sisters tell a link that looks for its board.
#[derive(Debug, Default)]
pub(super) struct News {
    /// Ports that are asked, to be taken over.
    pub(super) probes: Vec<Probe>,
    /// Ports that were asked in vain, and since when, in microseconds.
    pub(super) unanswered: Vec<(u64, Found)>,
    /// A port became free, or is wanted by the link that is configured for it: look again.
    pub(super) check: bool,
}

/// Whose board it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Owner {
    /// None of our links' that is known.
    Nobody,
    /// A link's that does not look for it now.
    NotSearching,
    /// A link's that looks for it.
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
    /// Every link that looks for a board looks again.
    pub(super) fn make_all_check(&mut self) {
        for entry in self.links.values_mut() {
            if let Some(search) = &mut entry.search {
                search.news.check = true;
                entry.requests.wake();
            }
        }
    }

    fn is_configured_for_other(&self, link: u64, path: &Path) -> bool {
        self.links.iter().any(|(other, entry)| *other != link && entry.named.as_deref() == Some(path))
    }

    fn owner(&self, link: u64, serial: &str) -> Owner {
        let owners = self.links.iter().filter(|(other, entry)| **other != link && entry.wants(serial));
        let searching =
            |(_, entry): (&u64, &LinkEntry)| if entry.search.is_some() { Owner::Searching } else { Owner::NotSearching };
        owners.map(searching).max().unwrap_or(Owner::Nobody)
    }
}

impl Ports {
    /// A number for a link, which is woken through its requests.
    pub(super) fn add_link(&self, requests: Arc<LinkRequests>) -> u64 {
        let mut inner = self.lock();
        inner.next += 1;
        let number = inner.next;
        inner.links.insert(number, LinkEntry { requests, named: None, serial: None, search: None });
        number
    }

    /// The link has ended.
    pub(super) fn remove_link(&self, link: u64) {
        let left = self.lock().links.remove(&link);
        // Not under the lock: ports that waited to be taken over become free.
        drop(left);
    }

    /// The link's configured path, links followed; none if it is not there. Who asks there gives it up.
    pub(super) fn set_configured_path(&self, link: u64, path: Option<&Path>) {
        let mut inner = self.lock();
        let Some(entry) = inner.links.get_mut(&link).filter(|entry| entry.named.as_deref() != path) else { return };
        entry.named = path.map(Path::to_owned);
        if path.is_some_and(|path| inner.taken.get(path) == Some(&Use::Asked)) {
            inner.make_all_check();
        }
    }

    /// Whether another link is configured for this path.
    pub(super) fn is_configured_for_other(&self, link: u64, path: &Path) -> bool {
        self.lock().is_configured_for_other(link, path)
    }

    /// The number of the link's board, configured or learnt.
    pub(super) fn set_serial(&self, link: u64, serial: Option<&str>) {
        if let Some(entry) = self.lock().links.get_mut(&link).filter(|entry| entry.serial.as_deref() != serial) {
            entry.serial = serial.map(str::to_owned);
        }
    }

    /// Which other link's board has this number.
    pub(super) fn owner(&self, link: u64, serial: &str) -> Owner {
        self.lock().owner(link, serial)
    }

    /// Whether the board at `found` is one that another link looks for, and will open.
    pub(super) fn is_promised(&self, link: u64, found: &Found) -> bool {
        let inner = self.lock();
        inner.serials_at(found).any(|serial| inner.owner(link, serial) == Owner::Searching)
    }

    /// The link begins to look for its board.
    pub(super) fn begin_search(&self, link: u64, driver: &'static DriverInfo, folders: &[PathBuf]) {
        let search = Search { driver, folders: folders.to_vec(), news: News::default() };
        if let Some(entry) = self.lock().links.get_mut(&link) {
            entry.search = Some(search);
        }
    }

    /// The link has its port, or ends: what it did not take over goes to its sisters.
    pub(super) fn end_search(&self, link: u64, folders: &[PathBuf]) {
        let search = self.lock().links.get_mut(&link).and_then(|entry| entry.search.take());
        let left = search.map(|search| search.news.probes).unwrap_or_default();
        left.into_iter().for_each(|probe| self.hand_over(link, probe, folders));
    }

    /// What sisters told since the last call.
    pub(super) fn take_news(&self, link: u64) -> News {
        let mut inner = self.lock();
        let search = inner.links.get_mut(&link).and_then(|entry| entry.search.as_mut());
        search.map(|search| std::mem::take(&mut search.news)).unwrap_or_default()
    }

    /// Hands a port that is asked to a sister who can use it: to her whose board it is, or if it is nobody's to any that looks
    /// for hers in the same folders. If there is none the port becomes free.
    pub(super) fn hand_over(&self, link: u64, probe: Probe, folders: &[PathBuf]) {
        let mut inner = self.lock();
        let path = &probe.found.path;
        let able = |(other, entry): &(&u64, &LinkEntry)| {
            **other != link && entry.may_take(&probe, folders) && !inner.is_configured_for_other(**other, path)
        };
        let owns = |entry: &LinkEntry| probe.serials.iter().any(|told| entry.wants(told));
        let is_owned = inner.links.iter().any(|(other, entry)| *other != link && entry.search.is_some() && owns(entry));
        // Whose it is not would only give it back.
        let mut heirs = inner.links.iter().filter(able).filter(|(_, entry)| !is_owned || owns(entry));
        let heir = heirs.next().map(|(other, _)| *other);
        let entry = heir.and_then(|heir| inner.links.get_mut(&heir));
        if let Some(LinkEntry { requests, search: Some(search), .. }) = entry {
            search.news.probes.push(probe);
            requests.wake();
        } else {
            // Before the port is given free, which needs it.
            drop(inner);
        }
    }

    /// Nobody who is looked for answered here: the sisters that looked meanwhile need not ask again.
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
