//! Looking for a port: at once, then 100 ms, 200 ms … 1 s apart, and whenever something is plugged in.

use std::os::fd::AsFd;
use std::path::{Path, PathBuf};
use std::time::Duration;

use nix::poll::{PollFd, PollFlags, poll};

use super::choose::{Candidate, Choice, choose};
use super::probe::{Probe, Verdict};
use super::registry::{Lease, Use};
use super::run::Runner;
use super::trouble::Trouble;
use crate::discover::{self, Found, Node};
use crate::fd::millis;
use crate::hotplug::Hotplug;
use crate::link::LinkError;
use crate::serial::Serial;

const FIRST_RETRY: Duration = Duration::from_millis(100);
const LAST_RETRY: Duration = Duration::from_secs(1);
/// However much happens in the watched folders, looks are at least so far apart.
const LEAST_GAP: Duration = Duration::from_millis(20);
/// While a sister asks at a port that may be this link's, it is looked for her answer so often.
const SISTER_ASKS: Duration = Duration::from_millis(50);
/// Ports that are asked at the same time.
const MAX_PROBES: usize = 16;
/// A port where nobody answered is asked again after so long, then twice as long …
const FIRST_REST: Duration = Duration::from_secs(10);
/// … up to this, unless it is plugged anew.
const LAST_REST: Duration = Duration::from_secs(60);
/// Ports where nobody answered that are remembered.
const MAX_RESTING: usize = 64;

/// A port that is open and ours: closed first, free for others then.
pub(super) struct Opened {
    pub(super) found: Found,
    pub(super) serial: Serial,
    pub(super) _lease: Lease,
}

/// A port where nobody answered.
struct Resting {
    path: PathBuf,
    node: Option<Node>,
    until: u64,
    times: u32,
}

/// One search.
pub(super) struct Seek {
    hotplug: Option<Hotplug>,
    probes: Vec<Probe>,
    resting: Vec<Resting>,
    next: u64,
    last: u64,
    /// A sister asks at one of the ports.
    sister_asks: bool,
}

impl Seek {
    fn new(runner: &Runner, at: u64, next: u64) -> Seek {
        let folder = runner.wanted.port.as_ref().and_then(|port| Some(port.parent()?.to_owned()));
        let folders = runner.wanted.folders.iter().cloned().chain(folder);
        // Without it the search goes on once a second.
        let hotplug = Hotplug::new(folders).ok();
        Seek { hotplug, probes: Vec::new(), resting: Vec::new(), next, last: at, sister_asks: false }
    }
}

impl Runner {
    /// Waits for a port; `None` = stop.
    pub(super) fn seek(&mut self) -> Option<Opened> {
        let at = (self.now)();
        let first = if self.tries == 0 { at } else { at + self.pause() };
        let mut seek = Seek::new(self, at, first);
        loop {
            let orders = self.mailbox.orders();
            if orders.stop {
                return None;
            }
            if let Some(wanted) = orders.wanted {
                self.rebind(wanted);
                // The probes' leases go first.
                drop(seek);
                let at = (self.now)();
                seek = Seek::new(self, at, at);
            }
            if let Some(serial) = orders.learnt {
                self.learnt = Some(serial);
            }
            let at = (self.now)();
            if let Some(opened) = self.judge(&mut seek, at) {
                return Some(opened);
            }
            if at >= seek.next {
                seek.last = at;
                if let Some(opened) = self.look(&mut seek, at) {
                    return Some(opened);
                }
                self.tries = self.tries.saturating_add(1);
                let most = if seek.sister_asks { SISTER_ASKS.as_micros() as u64 } else { u64::MAX };
                seek.next = at + self.pause().min(most);
            }
            self.wait(&mut seek);
        }
    }

    fn pause(&self) -> u64 {
        let doubled = FIRST_RETRY * (1 << self.tries.saturating_sub(1).min(8));
        doubled.min(LAST_RETRY).as_micros() as u64
    }

    /// Nothing has come or gone for longer than any link's look at the system's ports is used.
    fn is_settled(&self, seek: &Seek) -> bool {
        seek.hotplug.is_some() && self.pause() == LAST_RETRY.as_micros() as u64
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
            seek.next = seek.next.min(at.max(seek.last + LEAST_GAP.as_micros() as u64));
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
            let verdict = seek.probes[index].verdict();
            if verdict == Verdict::Open {
                index += 1;
                continue;
            }
            let probe = seek.probes.swap_remove(index);
            self.tell(&probe);
            match verdict {
                Verdict::Found => {
                    // A port that went in this very moment is looked for again.
                    if let Ok((found, lease, serial)) = probe.finish() {
                        // The others were asked at the same time and have mostly answered: that spares the sisters asking.
                        for other in &mut seek.probes {
                            other.read((self.now)());
                            self.tell(other);
                        }
                        return Some(Opened { found, serial, _lease: lease });
                    }
                }
                Verdict::Other | Verdict::Silent => _ = rest(&mut seek.resting, &probe.found, at),
                Verdict::Panicked => {
                    if rest(&mut seek.resting, &probe.found, at) {
                        let cause = "its driver failed over what is connected there".to_owned();
                        self.miss(Trouble::Failed { path: probe.found.path.clone(), cause });
                    }
                }
                Verdict::Open => {}
            }
            if seek.probes.is_empty() {
                seek.next = at;
            }
        }
        None
    }

    fn tell(&self, probe: &Probe) {
        for told in &probe.told {
            self.shared.tell(&probe.found, told);
        }
    }

    /// One look at all ports.
    fn look(&mut self, seek: &mut Seek, at: u64) -> Option<Opened> {
        let serial = self.wanted.serial.clone().or_else(|| self.learnt.clone());
        let known = self.shared.known(at, !self.is_settled(seek));
        let mut ports = discover::and_in(known, &self.wanted.folders);
        let configured = self.wanted.port.as_deref().and_then(|path| position(&mut ports, path));
        self.shared.name(self.me, configured.map(|index| ports[index].path.as_path()));
        let mine = |path: &Path| seek.probes.iter().any(|probe| probe.found.path == path);
        let candidates: Vec<Candidate> = ports
            .into_iter()
            .map(|found| Candidate {
                taken: self.shared.used(&found.path).is_some() && !mine(&found.path),
                named: self.shared.named_by_other(self.me, &found.path),
                told: serial.as_deref().and_then(|serial| self.shared.told(&found, serial)),
                resting: is_resting(&seek.resting, &found, at),
                found,
            })
            .collect();
        let sister = |port: &Candidate| self.asked(&port.found.path) && !mine(&port.found.path);
        seek.sister_asks = serial.is_some() && candidates.iter().any(sister);
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
            Err(error) => Err(Some(Trouble::of(found.path.clone(), &error))),
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

fn is_resting(resting: &[Resting], found: &Found, at: u64) -> bool {
    resting.iter().any(|rest| rest.path == found.path && rest.node == found.node && at < rest.until)
}

/// Lets the port rest; whether it is for the first time since it was plugged in.
fn rest(resting: &mut Vec<Resting>, found: &Found, at: u64) -> bool {
    let before = resting.iter().position(|rest| rest.path == found.path).map(|index| resting.remove(index));
    let times = before.filter(|rest| rest.node == found.node).map_or(0, |rest| rest.times + 1);
    let span = (FIRST_REST * (1 << times.min(8))).min(LAST_REST);
    if resting.len() == MAX_RESTING {
        resting.remove(0);
    }
    let until = at + span.as_micros() as u64;
    resting.push(Resting { path: found.path.clone(), node: found.node, until, times });
    times == 0
}
