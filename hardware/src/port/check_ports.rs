//! Checks all serial ports once for a link that has no port: chooses the port and opens it, or asks ports for the serial
//! numbers of their boards.

use std::path::Path;

use super::choose::{Candidate, Choice, choose};
use super::link_loop::LinkLoop;
use super::probe::Probe;
use super::problem::LinkProblem;
use super::registry::{PortClaim, Use};
use super::search::{OpenPort, PortSearch};
use super::shared_search::MAX_PROBES;
use crate::discover::{self, Found};
use crate::link::LinkError;
use crate::serial::Serial;

impl LinkLoop {
    /// Checks all ports once.
    pub(super) fn check_ports(&mut self, search: &mut PortSearch, at: u64) -> Option<OpenPort> {
        let serial = self.serial().map(str::to_owned);
        self.shared.set_serial(self.id, serial.as_deref());
        let known = self.shared.list_ports(at, search.changed(at));
        let mut ports = discover::and_in(known, &self.wanted.folders);
        let configured = self.wanted.port.as_deref().and_then(|path| find_or_add(&mut ports, path));
        self.shared.set_configured_path(self.id, configured.map(|index| ports[index].path.as_path()));
        let mine = |path: &Path| search.probes.iter().any(|probe| probe.found.path == path);
        let candidates: Vec<Candidate> = ports
            .into_iter()
            .map(|found| {
                let wanted_board = serial.as_deref().and_then(|serial| self.shared.has_serial(&found, serial));
                // If two links have the same serial number, the first one gets the board.
                let promised = wanted_board != Some(true) && self.shared.is_promised(self.id, &found);
                Candidate {
                    taken: self.shared.port_use(&found.path).is_some() && !mine(&found.path),
                    reserved: promised || self.shared.is_configured_for_other(self.id, &found.path),
                    wanted_board,
                    paused: search.silent_ports.is_paused(&found, at),
                    found,
                }
            })
            .collect();
        let problem = match choose(&self.wanted, serial.as_deref(), configured, &candidates) {
            Choice::Open(index) => {
                let found = &candidates[index].found;
                search.probes.retain(|probe| probe.found.path != found.path);
                match self.open(found, Use::Open) {
                    Ok((claim, serial)) => {
                        return Some(OpenPort { found: found.clone(), serial, asked: false, watch: None, _claim: claim });
                    }
                    Err(problem) => problem,
                }
            }
            Choice::Ask(list) => {
                let mut first = None;
                for index in list {
                    let found = &candidates[index].found;
                    if search.probes.iter().any(|probe| probe.found.path == found.path) || search.probes.len() == MAX_PROBES {
                        continue;
                    }
                    match (self.open(found, Use::Asked), &serial) {
                        (Ok((claim, port)), Some(serial)) => {
                            let driver = self.wanted.driver;
                            search.probes.push(Probe::new(at, driver, serial, found.clone(), claim, port));
                        }
                        (Ok(_), None) => {}
                        (Err(problem), _) => first = first.or(problem),
                    }
                }
                first.filter(|_| search.probes.is_empty())
            }
            Choice::Several(list) => {
                Some(LinkProblem::Several(list.into_iter().map(|index| candidates[index].found.path.clone()).collect()))
            }
            Choice::Taken(index) => self.busy_problem(&candidates[index].found.path),
            // Another link may be asking at the wanted port.
            Choice::Nothing if serial.is_some() && candidates.iter().any(|port| self.is_being_asked(&port.found.path)) => None,
            Choice::Nothing => Some(LinkProblem::NotFound),
        };
        if let Some(problem) = problem {
            self.report_missing(problem);
        }
        None
    }

    /// Claims and opens a port. No problem is returned if another link is asking there, because that ends soon.
    fn open(&self, found: &Found, purpose: Use) -> Result<(PortClaim, Serial), Option<LinkProblem>> {
        let Some(claim) = self.shared.claim(&found.path, purpose) else { return Err(self.busy_problem(&found.path)) };
        match Serial::open(&found.path, self.wanted.driver.baud) {
            Ok(serial) => Ok((claim, serial)),
            Err(error) => {
                claim.release_unchanged();
                Err(Some(LinkProblem::from_error(found.path.clone(), &error)))
            }
        }
    }

    fn is_being_asked(&self, path: &Path) -> bool {
        self.shared.port_use(path) == Some(Use::Asked)
    }

    fn busy_problem(&self, path: &Path) -> Option<LinkProblem> {
        match self.shared.port_use(path) {
            Some(Use::Asked) | None => None,
            Some(Use::Open) => Some(LinkProblem::from_error(path.to_owned(), &LinkError::Busy)),
        }
    }
}

/// Returns the index of the port at `path`. A port that exists and is not in the list is added.
fn find_or_add(ports: &mut Vec<Found>, path: &Path) -> Option<usize> {
    let found = discover::at(path)?;
    let known = ports.iter().position(|port| port.path == found.path);
    known.or_else(|| {
        ports.push(found);
        Some(ports.len() - 1)
    })
}
