//! Searches for the port of a serial link: at once, then after 100 ms, 200 ms … 1 s, and whenever a device is plugged in or
//! another link has news.

use std::os::fd::AsFd;
use std::time::Duration;

use nix::poll::{PollFd, PollFlags, poll};

use super::link_loop::LinkLoop;
use super::probe::{Probe, Verdict};
use super::problem::LinkProblem;
use super::registry::PortClaim;
use super::shared_search::{MAX_PROBES, Owner};
use super::silent_ports::SilentPorts;
use crate::discover::Found;
use crate::fd::millis;
use crate::hotplug::Hotplug;
use crate::serial::Serial;

/// The pause after the first check without success. Each pause is twice as long as the one before.
const FIRST_RETRY: Duration = Duration::from_millis(100);
/// The longest pause between two checks.
const LAST_RETRY: Duration = Duration::from_secs(1);
/// The shortest time between two checks, even if many devices are plugged in or removed.
const LEAST_GAP: Duration = Duration::from_millis(20);

/// An open port and its claim. The port is closed first, then it is free for others.
pub(super) struct OpenPort {
    pub(super) found: Found,
    pub(super) serial: Serial,
    /// Its board was asked for its identity.
    pub(super) asked: bool,
    /// The watch is kept for the next search. On a busy machine the kernel needs a second or more to close it, and the port
    /// would wait.
    pub(super) watch: Option<Hotplug>,
    pub(super) _claim: PortClaim,
}

/// One search. All times are in microseconds.
pub(super) struct PortSearch {
    hotplug: Option<Hotplug>,
    /// Ports that this link asks now. Another link may have begun some of them.
    pub(super) probes: Vec<Probe>,
    pub(super) silent_ports: SilentPorts,
    began: u64,
    /// The times of the next check and of the last one.
    next: u64,
    last: u64,
    /// The time of the last change in the watched folders.
    changed: u64,
}

impl PortSearch {
    fn new(hotplug: Option<Hotplug>, at: u64, next: u64) -> PortSearch {
        PortSearch { hotplug, probes: Vec::new(), silent_ports: SilentPorts::default(), began: at, next, last: at, changed: at }
    }

    /// Returns the time of the last change. A list of ports from before this time is out of date.
    pub(super) fn changed(&self, at: u64) -> u64 {
        // Without the watch the search gets no notice of changes.
        if self.hotplug.is_some() { self.changed } else { at }
    }

    /// Schedules a check at `at`, or a little later if a check has just been done.
    fn check_soon(&mut self, at: u64) {
        self.next = self.next.min(at.max(self.last + LEAST_GAP.as_micros() as u64));
    }
}

impl LinkLoop {
    /// Begins to watch the folders where the port may appear. Without a watch the search goes on once a second.
    fn watch(&self) -> Option<Hotplug> {
        let folder = self.wanted.port.as_ref().and_then(|port| Some(port.parent()?.to_owned()));
        Hotplug::new(self.wanted.folders.iter().cloned().chain(folder)).ok()
    }

    /// Waits for a port and opens it. Returns `None` if the thread must stop. `watch` is the watch of the previous search, if
    /// the wanted port is the same.
    pub(super) fn find_and_open(&mut self, watch: Option<Hotplug>) -> Option<OpenPort> {
        let at = (self.now)();
        let first = if self.tries == 0 { at } else { at + self.retry_pause() };
        let mut search = self.begin_search(watch, at, first);
        let opened = loop {
            let control = self.requests.take_control();
            if control.stop {
                break None;
            }
            if let Some(wanted) = control.wanted {
                self.end_search(&mut search);
                self.set_wanted(wanted);
                let at = (self.now)();
                search = self.begin_search(None, at, at);
            }
            if let Some(serial) = control.learnt {
                self.learnt = Some(serial);
            }
            let at = (self.now)();
            self.handle_news(&mut search, at);
            if let Some(opened) = self.end_answered_probes(&mut search, at) {
                break Some(opened);
            }
            if at >= search.next {
                search.last = at;
                // The system may have room for a watch by now.
                search.hotplug = search.hotplug.take().or_else(|| self.watch());
                if let Some(opened) = self.check_ports(&mut search, at) {
                    break Some(opened);
                }
                self.tries = self.tries.saturating_add(1);
                search.next = at + self.retry_pause();
            }
            self.wait(&mut search);
        };
        self.end_search(&mut search);
        opened.map(|opened| OpenPort { watch: search.hotplug, ..opened })
    }

    fn begin_search(&self, watch: Option<Hotplug>, at: u64, next: u64) -> PortSearch {
        self.shared.set_serial(self.id, self.serial());
        self.shared.begin_search(self.id, self.wanted.driver, &self.wanted.folders);
        PortSearch::new(watch.or_else(|| self.watch()), at, next)
    }

    /// Ends the search. Other links take over its open questions.
    fn end_search(&self, search: &mut PortSearch) {
        self.hand_over_probes(search);
        self.shared.end_search(self.id, &self.wanted.folders);
    }

    /// Hands the open questions to other links. Most of them have been answered at the same time.
    fn hand_over_probes(&self, search: &mut PortSearch) {
        for mut probe in search.probes.drain(..) {
            probe.read((self.now)());
            self.record_answers(&probe);
            if matches!(probe.verdict(), Verdict::Open | Verdict::Found | Verdict::Other) {
                self.shared.hand_over(self.id, probe, &self.wanted.folders);
            }
        }
    }

    /// The board's serial number, configured or learnt.
    pub(super) fn serial(&self) -> Option<&str> {
        self.wanted.serial.as_deref().or(self.learnt.as_deref())
    }

    /// Handles the news from other links.
    fn handle_news(&self, search: &mut PortSearch, at: u64) {
        let news = self.shared.take_news(self.id);
        for mut probe in news.probes {
            let Some(serial) = self.serial() else { continue };
            probe.take_over(serial);
            // Otherwise the port becomes free, and it is asked again when there is room.
            if search.probes.len() < MAX_PROBES || probe.verdict() == Verdict::Found {
                search.probes.push(probe);
            }
        }
        // A link that began its search while the port was being asked asks again.
        for (_, found) in news.unanswered.into_iter().filter(|(began, _)| *began >= search.began) {
            search.silent_ports.add(&found, at);
        }
        if news.check {
            search.probes.retain(|probe| !self.shared.is_configured_for_other(self.id, &probe.found.path));
            search.check_soon(at);
        }
    }

    fn retry_pause(&self) -> u64 {
        let doubled = FIRST_RETRY * (1 << self.tries.saturating_sub(1).min(8));
        doubled.min(LAST_RETRY).as_micros() as u64
    }

    fn wait(&mut self, search: &mut PortSearch) {
        let wake = search.probes.iter().map(Probe::deadline).fold(search.next, u64::min);
        let timeout = Duration::from_micros(wake.saturating_sub((self.now)()));
        let asked: Vec<usize> = (0..search.probes.len()).filter(|index| search.probes[*index].fd().is_some()).collect();
        let ready: Vec<bool> = {
            let watched = search.hotplug.as_ref().map(|hotplug| hotplug.as_fd());
            let ports = asked.iter().filter_map(|index| search.probes[*index].fd());
            let all = [Some(self.requests.fd()), watched].into_iter().flatten().chain(ports);
            let mut fds: Vec<PollFd<'_>> = all.map(|fd| PollFd::new(fd, PollFlags::POLLIN)).collect();
            // A signal wakes as the time does: everything is looked at again.
            let _ = poll(&mut fds, millis(timeout));
            fds.iter().map(|fd| fd.any().unwrap_or(true)).collect()
        };
        self.count_wake();
        let at = (self.now)();
        self.requests.clear_wake();
        let fixed = 1 + usize::from(search.hotplug.is_some());
        if let Some(hotplug) = &mut search.hotplug
            && ready[1]
            && hotplug.drain()
        {
            self.tries = 0;
            search.changed = at;
            search.check_soon(at);
        }
        for (index, _) in asked.iter().zip(&ready[fixed..]).filter(|(_, ready)| **ready) {
            search.probes[*index].read(at);
        }
    }

    /// Ends the probes that have a result. Returns the port of the wanted board, if it was found.
    fn end_answered_probes(&mut self, search: &mut PortSearch, at: u64) -> Option<OpenPort> {
        let mut index = 0;
        while index < search.probes.len() {
            search.probes[index].feed_deadlines(at);
            let owner = self.owner(&search.probes[index]);
            let verdict = search.probes[index].verdict();
            if verdict == Verdict::Open && owner == Owner::Nobody {
                index += 1;
                continue;
            }
            let probe = search.probes.swap_remove(index);
            self.record_answers(&probe);
            if verdict == Verdict::Found {
                // This happens before the wait for the end of this probe.
                self.hand_over_probes(search);
                // If the port goes away at this moment, the search goes on.
                if let Ok((found, claim, serial)) = probe.finish() {
                    return Some(OpenPort { found, serial, asked: true, watch: None, _claim: claim });
                }
            } else if owner == Owner::Searching {
                self.shared.hand_over(self.id, probe, &self.wanted.folders);
            } else {
                self.shared.report_no_answer(self.id, &probe);
                if search.silent_ports.add(&probe.found, at) && verdict == Verdict::Panicked {
                    let cause = "the driver failed with the device at this port".to_owned();
                    self.report_missing(LinkProblem::Failed { path: probe.found.path.clone(), cause });
                }
            }
            if search.probes.is_empty() {
                search.next = at;
            }
        }
        None
    }

    /// Returns which link owns the board that has answered.
    fn owner(&self, probe: &Probe) -> Owner {
        if !matches!(probe.verdict(), Verdict::Open | Verdict::Other) {
            return Owner::Nobody;
        }
        let owners = probe.serials.iter().map(|serial| self.shared.owner(self.id, serial));
        owners.max().unwrap_or(Owner::Nobody)
    }

    fn record_answers(&self, probe: &Probe) {
        for serial in &probe.serials {
            self.shared.record_serial(&probe.found, serial);
        }
    }
}
