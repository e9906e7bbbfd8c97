//! What the links of one process do for each other: a port that one of them asks is asked for all that look for a board.
//!
//! Whoever learns the number of a sister's board hands her the open port, and whoever has found its own board hands on the
//! ports that have not answered yet: no board is asked twice, and none waits for a link that needs it no longer.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use flagfall_protocols::driver::DriverInfo;

use super::mailbox::Mailbox;
use super::probe::{Probe, same_serial};
use super::registry::{Inner, Ports, Use};
use crate::discover::Found;

/// Ports that one link asks at the same time, and as many may wait to be taken over by it.
pub(super) const MAX_PROBES: usize = 16;
/// Ports where nobody answered that are told to a link before it looks again.
const MAX_VAIN: usize = 64;

/// A link, as its sisters see it.
#[derive(Debug)]
pub(super) struct Member {
    mailbox: Arc<Mailbox>,
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
    pub(super) vain: Vec<(u64, Found)>,
    /// A port became free, or is wanted by the link that is configured for it: look again.
    pub(super) look: bool,
}

/// Whose board it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Owner {
    /// None of our links' that is known.
    Nobody,
    /// A link's that does not look for it now.
    Content,
    /// A link's that looks for it.
    Searching,
}

impl Member {
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
    pub(super) fn stir(&mut self) {
        for member in self.links.values_mut() {
            if let Some(search) = &mut member.search {
                search.news.look = true;
                member.mailbox.wake();
            }
        }
    }

    fn named_by_other(&self, link: u64, path: &Path) -> bool {
        self.links.iter().any(|(other, member)| *other != link && member.named.as_deref() == Some(path))
    }

    fn owner(&self, link: u64, serial: &str) -> Owner {
        let owners = self.links.iter().filter(|(other, member)| **other != link && member.wants(serial));
        let searching = |(_, member): (&u64, &Member)| if member.search.is_some() { Owner::Searching } else { Owner::Content };
        owners.map(searching).max().unwrap_or(Owner::Nobody)
    }
}

impl Ports {
    /// A number for a link, which is woken through its mailbox.
    pub(super) fn join(&self, mailbox: Arc<Mailbox>) -> u64 {
        let mut inner = self.lock();
        inner.next += 1;
        let number = inner.next;
        inner.links.insert(number, Member { mailbox, named: None, serial: None, search: None });
        number
    }

    /// The link has ended.
    pub(super) fn leave(&self, link: u64) {
        let left = self.lock().links.remove(&link);
        // Not under the lock: ports that waited to be taken over become free.
        drop(left);
    }

    /// The link's configured path, links followed; none if it is not there. Who asks there gives it up.
    pub(super) fn name(&self, link: u64, path: Option<&Path>) {
        let mut inner = self.lock();
        let Some(member) = inner.links.get_mut(&link).filter(|member| member.named.as_deref() != path) else { return };
        member.named = path.map(Path::to_owned);
        if path.is_some_and(|path| inner.taken.get(path) == Some(&Use::Asked)) {
            inner.stir();
        }
    }

    /// Whether another link is configured for this path.
    pub(super) fn named_by_other(&self, link: u64, path: &Path) -> bool {
        self.lock().named_by_other(link, path)
    }

    /// The number of the link's board, configured or learnt.
    pub(super) fn know(&self, link: u64, serial: Option<&str>) {
        if let Some(member) = self.lock().links.get_mut(&link).filter(|member| member.serial.as_deref() != serial) {
            member.serial = serial.map(str::to_owned);
        }
    }

    /// Which other link's board has this number.
    pub(super) fn owner(&self, link: u64, serial: &str) -> Owner {
        self.lock().owner(link, serial)
    }

    /// Whether the board at `found` is one that another link looks for, and will open.
    pub(super) fn is_promised(&self, link: u64, found: &Found) -> bool {
        let inner = self.lock();
        inner.numbers(found).any(|serial| inner.owner(link, serial) == Owner::Searching)
    }

    /// The link begins to look for its board.
    pub(super) fn begin(&self, link: u64, driver: &'static DriverInfo, folders: &[PathBuf]) {
        let search = Search { driver, folders: folders.to_vec(), news: News::default() };
        if let Some(member) = self.lock().links.get_mut(&link) {
            member.search = Some(search);
        }
    }

    /// The link has its port, or ends: what it did not take over goes to its sisters.
    pub(super) fn end(&self, link: u64, folders: &[PathBuf]) {
        let search = self.lock().links.get_mut(&link).and_then(|member| member.search.take());
        let left = search.map(|search| search.news.probes).unwrap_or_default();
        left.into_iter().for_each(|probe| self.pass_on(link, probe, folders));
    }

    /// What sisters told since the last call.
    pub(super) fn news(&self, link: u64) -> News {
        let mut inner = self.lock();
        let search = inner.links.get_mut(&link).and_then(|member| member.search.as_mut());
        search.map(|search| std::mem::take(&mut search.news)).unwrap_or_default()
    }

    /// Hands a port that is asked to a sister who can use it: to her whose board it is, or if it is nobody's to any that looks
    /// for hers in the same folders. If there is none the port becomes free.
    pub(super) fn pass_on(&self, link: u64, probe: Probe, folders: &[PathBuf]) {
        let mut inner = self.lock();
        let path = &probe.found.path;
        let able = |(other, member): &(&u64, &Member)| {
            **other != link && member.may_take(&probe, folders) && !inner.named_by_other(**other, path)
        };
        let owns = |member: &Member| probe.told.iter().any(|told| member.wants(told));
        let is_owned = inner.links.iter().any(|(other, member)| *other != link && member.search.is_some() && owns(member));
        // Whose it is not would only give it back.
        let mut heirs = inner.links.iter().filter(able).filter(|(_, member)| !is_owned || owns(member));
        let heir = heirs.next().map(|(other, _)| *other);
        let member = heir.and_then(|heir| inner.links.get_mut(&heir));
        if let Some(Member { mailbox, search: Some(search), .. }) = member {
            search.news.probes.push(probe);
            mailbox.wake();
        } else {
            // Before the port is given free, which needs it.
            drop(inner);
        }
    }

    /// Nobody who is looked for answered here: the sisters that looked meanwhile need not ask again.
    pub(super) fn in_vain(&self, link: u64, probe: &Probe) {
        let mut inner = self.lock();
        let others = inner.links.iter_mut().filter(|(other, _)| **other != link);
        let searches = others.filter_map(|(_, member)| member.search.as_mut());
        for search in searches.filter(|search| std::ptr::eq(search.driver, probe.info)) {
            if search.news.vain.len() < MAX_VAIN {
                search.news.vain.push((probe.began, probe.found.clone()));
            }
        }
    }
}
