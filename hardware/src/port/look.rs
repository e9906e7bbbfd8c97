//! One look at all ports: which of them is the link's, and what follows.

use std::path::Path;

use super::choose::{Candidate, Choice, choose};
use super::probe::Probe;
use super::registry::{Lease, Use};
use super::run::Runner;
use super::seek::{Opened, Seek};
use super::sisters::MAX_PROBES;
use super::trouble::Trouble;
use crate::discover::{self, Found};
use crate::link::LinkError;
use crate::serial::Serial;

impl Runner {
    /// One look at all ports.
    pub(super) fn look(&mut self, seek: &mut Seek, at: u64) -> Option<Opened> {
        let serial = self.serial().map(str::to_owned);
        self.shared.know(self.me, serial.as_deref());
        let known = self.shared.known(at, seek.changed(at));
        let mut ports = discover::and_in(known, &self.wanted.folders);
        let configured = self.wanted.port.as_deref().and_then(|path| position(&mut ports, path));
        self.shared.name(self.me, configured.map(|index| ports[index].path.as_path()));
        let mine = |path: &Path| seek.probes.iter().any(|probe| probe.found.path == path);
        let candidates: Vec<Candidate> = ports
            .into_iter()
            .map(|found| {
                let told = serial.as_deref().and_then(|serial| self.shared.told(&found, serial));
                // Of two links with one number the first gets the board.
                let promised = told != Some(true) && self.shared.is_promised(self.me, &found);
                Candidate {
                    taken: self.shared.used(&found.path).is_some() && !mine(&found.path),
                    named: promised || self.shared.named_by_other(self.me, &found.path),
                    told,
                    resting: seek.rest.has(&found, at),
                    found,
                }
            })
            .collect();
        let trouble = match choose(&self.wanted, serial.as_deref(), configured, &candidates) {
            Choice::Open(index) => {
                let found = &candidates[index].found;
                seek.probes.retain(|probe| probe.found.path != found.path);
                match self.open(found, Use::Open) {
                    Ok((lease, serial)) => {
                        return Some(Opened { found: found.clone(), serial, asked: false, watch: None, _lease: lease });
                    }
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
