//! Looking for a port: at once, then 100 ms, 200 ms … 1 s apart, and whenever something is plugged in.

use std::os::fd::AsFd;
use std::path::Path;
use std::time::Duration;

use nix::poll::{PollFd, PollFlags, poll};

use super::choose::{Candidate, Choice, choose};
use super::probe::{Probe, Verdict};
use super::registry::{Lease, Use};
use super::rest::Rest;
use super::run::Runner;
use super::sisters::{MAX_PROBES, Owner};
use super::trouble::Trouble;
use crate::discover::{self, Found};
use crate::fd::millis;
use crate::hotplug::Hotplug;
use crate::link::LinkError;
use crate::serial::Serial;

const FIRST_RETRY: Duration = Duration::from_millis(100);
const LAST_RETRY: Duration = Duration::from_secs(1);
/// However much happens in the watched folders, looks are at least so far apart.
const LEAST_GAP: Duration = Duration::from_millis(20);

/// A port that is open and ours: closed first, free for others then.
pub(super) struct Opened {
    pub(super) found: Found,
    pub(super) serial: Serial,
    pub(super) _lease: Lease,
}

/// One search.
pub(super) struct Seek {
    hotplug: Option<Hotplug>,
    probes: Vec<Probe>,
    rest: Rest,
    began: u64,
    next: u64,
    last: u64,
    /// When something came or went last.
    changed: u64,
}

impl Seek {
    fn new(runner: &Runner, at: u64, next: u64) -> Seek {
        let folder = runner.wanted.port.as_ref().and_then(|port| Some(port.parent()?.to_owned()));
        let folders = runner.wanted.folders.iter().cloned().chain(folder);
        // Without it the search goes on once a second.
        let hotplug = Hotplug::new(folders).ok();
        Seek { hotplug, probes: Vec::new(), rest: Rest::default(), began: at, next, last: at, changed: at }
    }

    /// Looks at `at`, or a little later if it has just been looked.
    fn look_soon(&mut self, at: u64) {
        self.next = self.next.min(at.max(self.last + LEAST_GAP.as_micros() as u64));
    }
}

impl Runner {
    /// Waits for a port; `None` = stop.
    pub(super) fn seek(&mut self) -> Option<Opened> {
        let at = (self.now)();
        let first = if self.tries == 0 { at } else { at + self.pause() };
        let mut seek = self.begin(at, first);
        let opened = loop {
            let orders = self.mailbox.orders();
            if orders.stop {
                break None;
            }
            if let Some(wanted) = orders.wanted {
                self.give_up(&mut seek);
                self.rebind(wanted);
                let at = (self.now)();
                seek = self.begin(at, at);
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
                if let Some(opened) = self.look(&mut seek, at) {
                    break Some(opened);
                }
                self.tries = self.tries.saturating_add(1);
                seek.next = at + self.pause();
            }
            self.wait(&mut seek);
        };
        self.give_up(&mut seek);
        opened
    }

    fn begin(&self, at: u64, next: u64) -> Seek {
        self.shared.know(self.me, self.serial());
        self.shared.begin(self.me, self.wanted.driver, &self.wanted.folders);
        Seek::new(self, at, next)
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
    fn serial(&self) -> Option<&str> {
        self.wanted.serial.as_deref().or(self.learnt.as_deref())
    }

    /// What sisters tell.
    fn listen(&self, seek: &mut Seek, at: u64) {
        let news = self.shared.news(self.me);
        for mut probe in news.probes {
            if let Some(serial) = self.serial()
                && seek.probes.len() < MAX_PROBES
            {
                probe.take_over(serial);
                seek.probes.push(probe);
            } else {
                self.shared.pass_on(self.me, probe, &self.wanted.folders);
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
                    return Some(Opened { found, serial, _lease: lease });
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

    /// One look at all ports.
    fn look(&mut self, seek: &mut Seek, at: u64) -> Option<Opened> {
        let serial = self.serial().map(str::to_owned);
        self.shared.know(self.me, serial.as_deref());
        // Without it nobody says that something came.
        let changed = if seek.hotplug.is_some() { seek.changed } else { at };
        let known = self.shared.known(at, changed);
        let mut ports = discover::and_in(known, &self.wanted.folders);
        let configured = self.wanted.port.as_deref().and_then(|path| position(&mut ports, path));
        self.shared.name(self.me, configured.map(|index| ports[index].path.as_path()));
        let mine = |path: &Path| seek.probes.iter().any(|probe| probe.found.path == path);
        let candidates: Vec<Candidate> = ports
            .into_iter()
            .map(|found| Candidate {
                taken: self.shared.used(&found.path).is_some() && !mine(&found.path),
                named: self.shared.named_by_other(self.me, &found.path) || self.shared.is_promised(self.me, &found),
                told: serial.as_deref().and_then(|serial| self.shared.told(&found, serial)),
                resting: seek.rest.has(&found, at),
                found,
            })
            .collect();
        let trouble = match choose(&self.wanted, serial.as_deref(), configured, &candidates) {
            Choice::Open(index) => {
                let found = &candidates[index].found;
                seek.probes.retain(|probe| probe.found.path != found.path);
                match self.open(found, Use::Open) {
                    Ok((lease, serial)) => return Some(Opened { found: found.clone(), serial, _lease: lease }),
                    Err(trouble) => trouble,
                }
            }
            Choice::Ask(list) => {
                let mut first = None;
                for index in list {
                    let found = &candidates[index].found;
                    if seek.probes.iter().any(|probe| probe.found.path == found.path) || seek.probes.len() == MAX_PROBES {
                        continue;
                    }
                    match (self.open(found, Use::Asked), &serial) {
                        (Ok((lease, port)), Some(serial)) => {
                            let driver = self.wanted.driver;
                            seek.probes.push(Probe::new(at, driver, serial, found.clone(), lease, port));
                        }
                        (Ok(_), None) => {}
                        (Err(trouble), _) => first = first.or(trouble),
                    }
                }
                first.filter(|_| seek.probes.is_empty())
            }
            Choice::Several(list) => {
                Some(Trouble::Several(list.into_iter().map(|index| candidates[index].found.path.clone()).collect()))
            }
            Choice::Taken(index) => self.taken(&candidates[index].found.path),
            // A sister that asks may be holding the very port.
            Choice::Nothing if serial.is_some() && candidates.iter().any(|port| self.asked(&port.found.path)) => None,
            Choice::Nothing => Some(Trouble::NotFound),
        };
        if let Some(trouble) = trouble {
            self.miss(trouble);
        }
        None
    }

    /// Opens a port and takes it; no trouble is named if a sister is asking there, which soon ends.
    fn open(&self, found: &Found, purpose: Use) -> Result<(Lease, Serial), Option<Trouble>> {
        let Some(lease) = self.shared.take(&found.path, purpose) else { return Err(self.taken(&found.path)) };
        match Serial::open(&found.path, self.wanted.driver.baud) {
            Ok(serial) => Ok((lease, serial)),
            Err(error) => {
                lease.give_back();
                Err(Some(Trouble::of(found.path.clone(), &error)))
            }
        }
    }

    fn asked(&self, path: &Path) -> bool {
        self.shared.used(path) == Some(Use::Asked)
    }

    fn taken(&self, path: &Path) -> Option<Trouble> {
        match self.shared.used(path) {
            Some(Use::Asked) | None => None,
            Some(Use::Open) => Some(Trouble::of(path.to_owned(), &LinkError::Busy)),
        }
    }
}

/// Where in the list the port at `path` is; it is added if it is not there but exists.
fn position(ports: &mut Vec<Found>, path: &Path) -> Option<usize> {
    let found = discover::at(path)?;
    let known = ports.iter().position(|port| port.path == found.path);
    known.or_else(|| {
        ports.push(found);
        Some(ports.len() - 1)
    })
}
