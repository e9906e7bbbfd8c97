//! Looking for a port: at once, then 100 ms, 200 ms … 1 s apart, and whenever something is plugged in or a sister has news.

use std::os::fd::AsFd;
use std::time::Duration;

use nix::poll::{PollFd, PollFlags, poll};

use super::probe::{Probe, Verdict};
use super::registry::Lease;
use super::rest::Rest;
use super::run::Runner;
use super::sisters::{MAX_PROBES, Owner};
use super::trouble::Trouble;
use crate::discover::Found;
use crate::fd::millis;
use crate::hotplug::Hotplug;
use crate::serial::Serial;

const FIRST_RETRY: Duration = Duration::from_millis(100);
const LAST_RETRY: Duration = Duration::from_secs(1);
/// However much happens in the watched folders, looks are at least so far apart.
const LEAST_GAP: Duration = Duration::from_millis(20);

/// A port that is open and ours: closed first, free for others then.
pub(super) struct Opened {
    pub(super) found: Found,
    pub(super) serial: Serial,
    /// Its board was asked who it is.
    pub(super) asked: bool,
    /// Kept for the next search: closing it takes the kernel a second and more on a busy machine, and the port would wait.
    pub(super) watch: Option<Hotplug>,
    pub(super) _lease: Lease,
}

/// One search. Times are in microseconds.
pub(super) struct Seek {
    hotplug: Option<Hotplug>,
    /// Ports that are asked, by whomever it was begun.
    pub(super) probes: Vec<Probe>,
    pub(super) rest: Rest,
    began: u64,
    /// When it is looked next, and was last.
    next: u64,
    last: u64,
    /// When something came or went last.
    changed: u64,
}

impl Seek {
    fn new(hotplug: Option<Hotplug>, at: u64, next: u64) -> Seek {
        Seek { hotplug, probes: Vec::new(), rest: Rest::default(), began: at, next, last: at, changed: at }
    }

    /// Ports that were listed before this are not listed rightly.
    pub(super) fn changed(&self, at: u64) -> u64 {
        // Without it nobody says that something came.
        if self.hotplug.is_some() { self.changed } else { at }
    }

    /// Looks at `at`, or a little later if it has just been looked.
    fn look_soon(&mut self, at: u64) {
        self.next = self.next.min(at.max(self.last + LEAST_GAP.as_micros() as u64));
    }
}

impl Runner {
    /// Begins to watch where the port may come; without it the search goes on once a second.
    fn watch(&self) -> Option<Hotplug> {
        let folder = self.wanted.port.as_ref().and_then(|port| Some(port.parent()?.to_owned()));
        Hotplug::new(self.wanted.folders.iter().cloned().chain(folder)).ok()
    }

    /// Waits for a port; `None` = stop. `watch` is that of the search before, if the same is looked for.
    pub(super) fn seek(&mut self, watch: Option<Hotplug>) -> Option<Opened> {
        let at = (self.now)();
        let first = if self.tries == 0 { at } else { at + self.pause() };
        let mut seek = self.begin(watch, at, first);
        let opened = loop {
            let orders = self.mailbox.orders();
            if orders.stop {
                break None;
            }
            if let Some(wanted) = orders.wanted {
                self.give_up(&mut seek);
                self.rebind(wanted);
                let at = (self.now)();
                seek = self.begin(None, at, at);
            }
            if let Some(serial) = orders.learnt {
                self.learnt = Some(serial);
            }
            let at = (self.now)();
            self.listen(&mut seek, at);
            if let Some(opened) = self.judge(&mut seek, at) {
                break Some(opened);
            }
            if at >= seek.next {
                seek.last = at;
                // There may be room for another meanwhile.
                seek.hotplug = seek.hotplug.take().or_else(|| self.watch());
                if let Some(opened) = self.look(&mut seek, at) {
                    break Some(opened);
                }
                self.tries = self.tries.saturating_add(1);
                seek.next = at + self.pause();
            }
            self.wait(&mut seek);
        };
        self.give_up(&mut seek);
        opened.map(|opened| Opened { watch: seek.hotplug, ..opened })
    }

    fn begin(&self, watch: Option<Hotplug>, at: u64, next: u64) -> Seek {
        self.shared.know(self.me, self.serial());
        self.shared.begin(self.me, self.wanted.driver, &self.wanted.folders);
        Seek::new(watch.or_else(|| self.watch()), at, next)
    }

    /// The search is over: what it asked goes to sisters.
    fn give_up(&self, seek: &mut Seek) {
        self.hand_on(seek);
        self.shared.end(self.me, &self.wanted.folders);
    }

    /// What was asked is asked for sisters from now on. It has mostly been answered, at the same time.
    fn hand_on(&self, seek: &mut Seek) {
        for mut probe in seek.probes.drain(..) {
            probe.read((self.now)());
            self.tell(&probe);
            if matches!(probe.verdict(), Verdict::Open | Verdict::Found | Verdict::Other) {
                self.shared.pass_on(self.me, probe, &self.wanted.folders);
            }
        }
    }

    /// The board's number, configured or learnt.
    pub(super) fn serial(&self) -> Option<&str> {
        self.wanted.serial.as_deref().or(self.learnt.as_deref())
    }

    /// What sisters tell.
    fn listen(&self, seek: &mut Seek, at: u64) {
        let news = self.shared.news(self.me);
        for mut probe in news.probes {
            let Some(serial) = self.serial() else { continue };
            probe.take_over(serial);
            // Else it becomes free, and is asked anew when there is room.
            if seek.probes.len() < MAX_PROBES || probe.verdict() == Verdict::Found {
                seek.probes.push(probe);
            }
        }
        // Who began to look while the port was asked asks again.
        for (_, found) in news.vain.into_iter().filter(|(began, _)| *began >= seek.began) {
            seek.rest.add(&found, at);
        }
        if news.look {
            seek.probes.retain(|probe| !self.shared.named_by_other(self.me, &probe.found.path));
            seek.look_soon(at);
        }
    }

    fn pause(&self) -> u64 {
        let doubled = FIRST_RETRY * (1 << self.tries.saturating_sub(1).min(8));
        doubled.min(LAST_RETRY).as_micros() as u64
    }

    fn wait(&mut self, seek: &mut Seek) {
        let wake = seek.probes.iter().map(Probe::deadline).fold(seek.next, u64::min);
        let timeout = Duration::from_micros(wake.saturating_sub((self.now)()));
        let asked: Vec<usize> = (0..seek.probes.len()).filter(|index| seek.probes[*index].fd().is_some()).collect();
        let ready: Vec<bool> = {
            let watched = seek.hotplug.as_ref().map(|hotplug| hotplug.as_fd());
            let ports = asked.iter().filter_map(|index| seek.probes[*index].fd());
            let all = [Some(self.mailbox.fd()), watched].into_iter().flatten().chain(ports);
            let mut fds: Vec<PollFd<'_>> = all.map(|fd| PollFd::new(fd, PollFlags::POLLIN)).collect();
            // A signal wakes as the time does: everything is looked at again.
            let _ = poll(&mut fds, millis(timeout));
            fds.iter().map(|fd| fd.any().unwrap_or(true)).collect()
        };
        self.woke();
        let at = (self.now)();
        self.mailbox.calm();
        let fixed = 1 + usize::from(seek.hotplug.is_some());
        if let Some(hotplug) = &mut seek.hotplug
            && ready[1]
            && hotplug.drain()
        {
            self.tries = 0;
            seek.changed = at;
            seek.look_soon(at);
        }
        for (index, _) in asked.iter().zip(&ready[fixed..]).filter(|(_, ready)| **ready) {
            seek.probes[*index].read(at);
        }
    }

    /// Ends the probes that know, and gives the port of the wanted board.
    fn judge(&mut self, seek: &mut Seek, at: u64) -> Option<Opened> {
        let mut index = 0;
        while index < seek.probes.len() {
            seek.probes[index].wake(at);
            let owner = self.owner(&seek.probes[index]);
            let verdict = seek.probes[index].verdict();
            if verdict == Verdict::Open && owner == Owner::Nobody {
                index += 1;
                continue;
            }
            let probe = seek.probes.swap_remove(index);
            self.tell(&probe);
            if verdict == Verdict::Found {
                // Before the end of this one is waited for.
                self.hand_on(seek);
                // A port that went in this very moment is looked for again.
                if let Ok((found, lease, serial)) = probe.finish() {
                    return Some(Opened { found, serial, asked: true, watch: None, _lease: lease });
                }
            } else if owner == Owner::Searching {
                self.shared.pass_on(self.me, probe, &self.wanted.folders);
            } else {
                self.shared.in_vain(self.me, &probe);
                if seek.rest.add(&probe.found, at) && verdict == Verdict::Panicked {
                    let cause = "its driver failed over what is connected there".to_owned();
                    self.miss(Trouble::Failed { path: probe.found.path.clone(), cause });
                }
            }
            if seek.probes.is_empty() {
                seek.next = at;
            }
        }
        None
    }

    /// Whose board has answered.
    fn owner(&self, probe: &Probe) -> Owner {
        if !matches!(probe.verdict(), Verdict::Open | Verdict::Other) {
            return Owner::Nobody;
        }
        let owners = probe.told.iter().map(|told| self.shared.owner(self.me, told));
        owners.max().unwrap_or(Owner::Nobody)
    }

    fn tell(&self, probe: &Probe) {
        for told in &probe.told {
            self.shared.tell(&probe.found, told);
        }
    }
}
