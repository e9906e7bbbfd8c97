//! The reactor's thread: it waits for descriptors, letters and times, and gives each of them to the link that it belongs to.
//!
//! A link is passed on from one state to the next here. What a search for a serial port does is in `search`.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use nix::errno::Errno;
use nix::sys::epoll::{Epoll, EpollEvent, EpollFlags};
use nix::unistd::write;

use super::Signs;
use super::job::{Done, Openers};
use super::link::{End, Link, Opened, Phase, Wanted};
use super::mail::Mail;
use super::outlet::{Way, Wishes};
use super::search::{Finder, HANGS};
use crate::fd::{cause, millis};
use crate::hid::{Devices, MAX_REPORT, check_devices};
use crate::hotplug::Hotplug;
use crate::link::LinkError;

/// What epoll says for the letter box, and the number of the job that lists the ports.
pub(super) const MAIL: u64 = 0;
/// What epoll says for the watched folders. Links and probes have higher numbers.
const HOTPLUG: u64 = 1;
/// The largest number of descriptors that are served in one round.
const MAX_READY: usize = 256;

pub(super) struct Task {
    pub(super) now: fn() -> u64,
    pub(super) signs: Arc<Signs>,
    pub(super) epoll: Epoll,
    pub(super) mail: Arc<Mail>,
    pub(super) openers: Arc<Openers>,
    pub(super) hotplug: Option<Arc<Hotplug>>,
    /// Epoll waits for changes in the watched folders, because a link searches.
    watches: bool,
    pub(super) links: BTreeMap<u64, Link>,
    pub(super) finder: Finder,
    devices: Arc<Devices>,
    /// When the next link or probe must be looked at; `None` if something has changed since this was computed.
    due: Option<u64>,
    buffer: Vec<u8>,
}

impl Task {
    pub(super) fn new(now: fn() -> u64, signs: Arc<Signs>, epoll: Epoll, mail: Arc<Mail>) -> Task {
        Task {
            now,
            signs,
            epoll,
            openers: Openers::new(Arc::clone(&mail)),
            mail,
            hotplug: None,
            watches: false,
            links: BTreeMap::new(),
            finder: Finder::default(),
            devices: Arc::default(),
            due: None,
            buffer: vec![0; 1 + MAX_REPORT],
        }
    }

    pub(super) fn run(mut self) {
        let mut events = vec![EpollEvent::empty(); MAX_READY];
        loop {
            let due = self.due();
            let timeout = due.map(|due| Duration::from_micros(due.saturating_sub((self.now)()))).map(millis);
            self.signs.busy.store(0, Ordering::Relaxed);
            // A signal has the same effect as the timeout: everything is checked again.
            let count = self.epoll.wait(&mut events, timeout.unwrap_or(nix::poll::PollTimeout::NONE)).unwrap_or(0);
            let at = (self.now)();
            self.signs.busy.store(at.max(1), Ordering::Relaxed);
            self.signs.wakes.fetch_add(1, Ordering::Relaxed);
            let mut has_letters = false;
            for event in &events[..count] {
                match event.data() {
                    MAIL => has_letters = true,
                    HOTPLUG => self.handle_hotplug(at),
                    id => self.serve(id, event.events(), at),
                }
            }
            if has_letters && self.read_mail(at).is_break() {
                break;
            }
            if self.due.is_none() {
                self.check_probes(at);
                self.watch_while_searching();
            }
            if self.due().is_some_and(|due| due <= at) {
                self.check(at);
                self.watch_while_searching();
            }
        }
        self.openers.close();
    }

    fn due(&mut self) -> Option<u64> {
        if self.due.is_none() {
            // All links that search for a serial port wait for the list that is being made.
            let waits = |link: &Link| self.finder.surveying.is_some() && link.is_searching_port() && !link.is_frozen();
            let links = self.links.values().filter(|link| !waits(link)).map(Link::due);
            let probes = self.finder.probes.values().map(|probe| probe.deadline());
            let survey = self.finder.surveying.map(|began| began + HANGS);
            self.due = links.chain(probes).chain(self.openers.due()).chain(survey).min();
        }
        self.due.filter(|due| *due < u64::MAX)
    }

    /// Handles every time that is due.
    fn check(&mut self, at: u64) {
        self.check_probes(at);
        let due: Vec<u64> = self.links.iter().filter(|(_, link)| link.due() <= at).map(|(id, _)| *id).collect();
        due.into_iter().for_each(|id| self.advance(id, at));
        self.begin_survey(at);
        self.openers.check(at);
        self.due = None;
    }

    /// Folders are watched only while a link searches, so that a quiet link is never disturbed.
    fn watch_while_searching(&mut self) {
        let Some(hotplug) = &self.hotplug else { return };
        if self.watches == self.links.values().any(Link::is_searching) {
            return;
        }
        self.watches = !self.watches;
        // Without the events links search on once a second.
        let done = match self.watches {
            true => self.epoll.add(&**hotplug, EpollEvent::new(EpollFlags::EPOLLIN, HOTPLUG)),
            false => self.epoll.delete(&**hotplug),
        };
        if done.is_err() {
            (self.hotplug, self.watches) = (None, false);
        }
    }

    /// Begins to watch if that is possible; the system may have room for it by now.
    pub(super) fn watch(&mut self) -> Option<Arc<Hotplug>> {
        if self.hotplug.is_none() {
            self.hotplug = Hotplug::new().ok().map(Arc::new);
        }
        self.hotplug.clone()
    }

    fn handle_hotplug(&mut self, at: u64) {
        self.due = None;
        if self.hotplug.as_ref().is_some_and(|hotplug| hotplug.drain()) {
            self.finder.changed = at;
            for link in self.links.values_mut().filter(|link| link.is_searching()) {
                link.tries = 0;
                link.check_soon(at);
            }
        }
    }

    fn read_mail(&mut self, at: u64) -> ControlFlow<()> {
        self.due = None;
        let letters = self.mail.take();
        for mut link in letters.joins {
            link.begin_search(at);
            self.links.insert(link.outlet.id, link);
        }
        for id in letters.calls {
            self.take_wishes(id, at);
            self.write(id, at);
        }
        for (id, done) in letters.done {
            self.finish(id, done, at);
        }
        if letters.stop { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    /// Serves a descriptor that is ready.
    fn serve(&mut self, id: u64, ready: EpollFlags, at: u64) {
        if let Some(probe) = self.finder.probes.get_mut(&id) {
            probe.read(at);
            self.due = None;
            return;
        }
        let Some(link) = self.links.get_mut(&id) else { return };
        let before = link.due();
        match link.serve(at, ready, &mut self.buffer) {
            Ok(()) if ready.contains(EpollFlags::EPOLLOUT) => self.write(id, at),
            Ok(()) => {}
            Err(error) => self.end(id, End::Lost(error), at),
        }
        self.settle(id, at);
        if self.links.get(&id).is_none_or(|link| link.due() != before) {
            self.due = None;
        }
    }

    /// Looks at a link whose time has come.
    fn advance(&mut self, id: u64, at: u64) {
        let Some(link) = self.links.get_mut(&id) else { return };
        if link.is_frozen() {
            link.outbound.offer_again(at);
            if link.is_frozen() {
                return;
            }
            self.settle(id, at);
            self.take_wishes(id, at);
            return self.write(id, at);
        }
        match std::mem::take(&mut link.phase) {
            Phase::Settling { opened, .. } => link.go_up(at, opened),
            Phase::Up { opened, unsent: Some(until), message } if until <= at => {
                link.phase = Phase::Up { opened, unsent: None, message };
                self.end(id, End::Lost(LinkError::TimedOut), at);
            }
            phase => link.phase = phase,
        }
        self.settle(id, at);
        self.connect(id, at);
    }

    /// Makes epoll wait for what the link needs after something has happened, and drops a link whose sink panicked.
    pub(super) fn settle(&mut self, id: u64, at: u64) {
        let Some(link) = self.links.get_mut(&id) else { return };
        link.set_interest(&self.epoll);
        if link.outbound.is_broken {
            self.leave(id, at);
        }
    }

    /// Does what the owner of the link wishes. While a port is being opened or closed, this waits for the end of that.
    fn take_wishes(&mut self, id: u64, at: u64) {
        let Some(link) = self.links.get_mut(&id) else { return };
        if link.outlet.has_left() {
            return self.leave(id, at);
        }
        if link.is_frozen() || matches!(link.phase, Phase::Closing { .. }) || (link.has_job && link.is_searching()) {
            return;
        }
        let Wishes { wanted, learnt } = link.outlet.take_wishes();
        if let Some(serial) = learnt {
            if let Phase::Up { opened: Opened::Port { found, .. }, .. } = &link.phase {
                self.finder.answered.record(found, &serial);
            }
            link.learnt = Some(serial);
        }
        match wanted {
            Some(wanted) if link.is_searching() => {
                link.set_wanted(wanted);
                link.begin_search(at);
            }
            Some(wanted) => self.end(id, End::Wanted(wanted), at),
            None => {}
        }
    }

    /// Writes what waits for the port or device.
    fn write(&mut self, id: u64, at: u64) {
        let Some(link) = self.links.get_mut(&id).filter(|link| !link.is_frozen()) else { return };
        if let Err(error) = link.flush(at, &mut self.buffer) {
            self.end(id, End::Lost(error), at);
        } else if !link.has_job
            && let Some((report, node)) = link.next_report(at)
        {
            link.has_job = true;
            self.due = None;
            self.openers.give(id, at, move || Done::Written(write(&*node, &report).map(drop).map_err(|error| (report, error))));
        }
        self.settle(id, at);
    }

    /// Looks for the HID device of a link that searches.
    fn connect(&mut self, id: u64, at: u64) {
        let is_due = |link: &&Link| link.is_searching() && !link.has_job && !link.is_searching_port();
        if self.links.get(&id).filter(is_due).is_none() {
            return;
        }
        let hotplug = self.watch();
        let Some(link) = self.links.get_mut(&id) else { return };
        if let Wanted::Hid(wanted) = &link.wanted {
            let (wanted, devices) = (wanted.clone(), Arc::clone(&self.devices));
            link.has_job = true;
            link.note_check(at);
            self.openers.give(id, at, move || {
                let (result, calm) = check_devices(&wanted, &devices, hotplug.as_deref());
                Done::Connected(result, calm)
            });
        }
    }

    /// Closes the port of a link.
    fn end(&mut self, id: u64, end: End, at: u64) {
        self.due = None;
        let Some(link) = self.links.get_mut(&id) else { return };
        link.outlet.set_way(Way::Down);
        let (opened, was_up) = match std::mem::take(&mut link.phase) {
            Phase::Settling { opened, .. } => (opened, false),
            Phase::Up { opened, .. } => (opened, true),
            phase => return link.phase = phase,
        };
        link.phase = Phase::Closing { opened: Some(opened), end, was_up };
        link.set_interest(&self.epoll);
        self.close(id, at);
    }

    /// Goes on with closing, unless a job of the link still runs.
    pub(super) fn close(&mut self, id: u64, at: u64) {
        let Some(link) = self.links.get_mut(&id).filter(|link| !link.has_job) else { return };
        let Phase::Closing { opened, .. } = &mut link.phase else { return };
        if let Some(opened) = opened.take() {
            link.has_job = true;
            self.openers.give(id, at, move || {
                drop(opened);
                Done::Closed
            });
        } else {
            self.handle_closed(id, at);
        }
    }

    /// The port is closed and free: the end is reported, and the next search begins.
    fn handle_closed(&mut self, id: u64, at: u64) {
        let Some(link) = self.links.get_mut(&id) else { return };
        // The link itself does not check again, because its next check may come later.
        if let Some(path) = link.claim.take() {
            self.free(&path, at);
        }
        let Some(link) = self.links.get_mut(&id) else { return };
        match std::mem::take(&mut link.phase) {
            Phase::Closing { end: End::Left, .. } => drop(self.links.remove(&id)),
            Phase::Closing { end: End::Wanted(wanted), was_up, .. } => {
                if was_up {
                    link.report_down(at, LinkError::Unplugged);
                }
                link.set_wanted(wanted);
                link.begin_search(at);
            }
            Phase::Closing { end: End::Lost(error), was_up, .. } => {
                // A port that opens and fails at once is also tried more and more slowly.
                link.tries = link.tries.saturating_add(1);
                if was_up {
                    link.report_down(at, error);
                }
                link.begin_search(at);
            }
            phase => link.phase = phase,
        }
        self.settle(id, at);
        self.take_wishes(id, at);
    }

    /// The owner has dropped the link, or its sink panicked: no event follows, and the port is closed.
    pub(super) fn leave(&mut self, id: u64, at: u64) {
        let Some(link) = self.links.get_mut(&id) else { return };
        link.outbound.is_broken = true;
        match &mut link.phase {
            Phase::Searching(_) if link.has_job => {
                link.phase = Phase::Closing { opened: None, end: End::Left, was_up: false };
            }
            Phase::Searching(_) => drop(self.links.remove(&id)),
            Phase::Closing { end, .. } => *end = End::Left,
            Phase::Settling { .. } | Phase::Up { .. } => self.end(id, End::Left, at),
        }
    }

    /// Handles the result of a job.
    fn finish(&mut self, id: u64, done: Done, at: u64) {
        match done {
            Done::Surveyed(survey) => return self.handle_survey(survey, at),
            Done::Freed(found) => return self.free(&found.path, at),
            Done::Asking(question, result) => return self.begin_probe(id, question, result, at),
            Done::Panicked if id == MAIL => return self.handle_failed_survey(at),
            _ => {}
        }
        let Some(link) = self.links.get_mut(&id) else { return };
        link.has_job = false;
        match (done, &mut link.phase) {
            (Done::Opened(found, result), _) => self.handle_opened(id, found, result, at),
            (Done::Connected(Ok(device), _), Phase::Searching(_)) => link.go_up(at, Opened::Hid(device)),
            (Done::Connected(Ok(device), _), Phase::Closing { opened, .. }) => *opened = Some(Opened::Hid(device)),
            (Done::Connected(Err(problem), calm), _) => {
                link.retry(at, calm, self.finder.changed);
                link.report_missing(at, problem);
            }
            (Done::Written(Ok(())), Phase::Up { unsent, .. }) => *unsent = None,
            (Done::Written(Err((report, Errno::EAGAIN | Errno::EINTR))), Phase::Up { message, .. }) => *message = Some(report),
            (Done::Written(Err((_, error))), Phase::Up { .. }) => self.end(id, End::Lost(cause(error)), at),
            (Done::Panicked, _) => self.leave(id, at),
            (Done::Closed, _) => return self.handle_closed(id, at),
            _ => {}
        }
        self.close(id, at);
        self.settle(id, at);
        self.take_wishes(id, at);
        if self.links.get(&id).is_some_and(|link| !link.has_message()) {
            self.write(id, at);
        }
    }
}
