//! Asks boards for their serial numbers on behalf of all links that search, and gives each board that answers to its link.

use std::sync::Arc;

use flagfall_protocols::event::same_serial;
use nix::sys::epoll::{EpollEvent, EpollFlags};

use super::job::{Done, Question};
use super::link::{Link, Wanted};
use super::search::{MAX_PROBES, Use};
use super::task::Task;
use crate::discover::Found;
use crate::port::{LinkProblem, Probe, Verdict};
use crate::serial::Serial;

impl Task {
    /// Asks at a port that was opened for that.
    pub(super) fn begin_probe(&mut self, id: u64, question: Question, result: Result<Serial, LinkProblem>, at: u64) {
        let (link, path) = (question.link, question.found.path.clone());
        let search = self.links.get_mut(&link).and_then(Link::search);
        match (result, search) {
            (Ok(serial), search) => {
                search.into_iter().for_each(|search| search.is_asking = false);
                // This fails only if the kernel has no memory. Then the port counts as silent.
                let _ = serial.fd().map(|fd| self.epoll.add(fd, EpollEvent::new(EpollFlags::EPOLLIN, id)));
                self.finder.taken.insert(path.clone(), Use::Asked(id));
                self.finder.probes.insert(id, Probe::new(at, question, serial));
                if self.links.iter().any(|(other, other_link)| *other != link && other_link.path.as_ref() == Some(&path)) {
                    self.end_probe(id, at);
                } else if !self.may_take(link, id) {
                    self.hand_over(id, at);
                }
            }
            (Err(problem), search) => {
                self.finder.taken.remove(&path);
                if let Some(search) = search {
                    search.is_asking = false;
                    search.problem.get_or_insert(problem);
                }
            }
        }
        self.ask_next(link, at);
        self.settle(link, at);
    }

    /// Whether the link searches for a board that may be the one that is asked.
    fn may_take(&self, link: u64, probe: u64) -> bool {
        let (Some(link), Some(probe)) = (self.links.get(&link), self.finder.probes.get(&probe)) else { return false };
        let Wanted::Port(wanted) = &link.wanted else { return false };
        let is_like = std::ptr::eq(wanted.driver, probe.question.info) && wanted.folders == probe.question.folders;
        is_like && link.is_searching() && link.serial().is_some() && !link.is_broken
    }

    /// Returns the links whose board has one of these serial numbers: those that search, or those that do not.
    pub(super) fn owners(&self, serials: &[String], searching: bool) -> Vec<u64> {
        let wants = |link: &Link| link.serial().is_some_and(|own| serials.iter().any(|serial| same_serial(own, serial)));
        let owners = self.links.iter().filter(|(_, link)| link.is_searching() == searching && wants(link));
        owners.map(|(id, _)| *id).collect()
    }

    fn probes_of(&self, link: u64) -> Vec<u64> {
        self.finder.probes.iter().filter(|(_, probe)| probe.question.link == link).map(|(id, _)| *id).collect()
    }

    /// Ends the probes that have a result.
    pub(super) fn check_probes(&mut self, at: u64) {
        for id in self.finder.probes.keys().copied().collect::<Vec<u64>>() {
            let Some(probe) = self.finder.probes.get_mut(&id) else { continue };
            probe.feed_deadlines(at);
            let (link, verdict, serials) = (probe.question.link, probe.verdict, probe.serials.clone());
            if !serials.is_empty() && matches!(verdict, Verdict::Open | Verdict::Other) {
                let owners = self.owners(&serials, true);
                let own = owners.iter().find(|owner| **owner == link);
                if let Some(owner) = own.or_else(|| owners.iter().find(|owner| self.may_take(**owner, id))) {
                    self.give_port(*owner, id, at);
                    continue;
                }
                // The owner finds the free port by the number that was recorded.
                if !owners.is_empty() {
                    self.end_probe(id, at);
                    continue;
                }
            }
            if verdict == Verdict::Open && (serials.is_empty() || self.owners(&serials, false).is_empty()) {
                continue;
            }
            self.report_no_answer(id, at);
            self.end_probe(id, at);
            self.ask_next(link, at);
            if self.probes_of(link).is_empty()
                && let Some(search) = self.links.get_mut(&link).and_then(Link::search)
            {
                search.next = at;
            }
        }
    }

    /// No wanted board answered at this port. Other links that were searching need not ask again.
    fn report_no_answer(&mut self, id: u64, at: u64) {
        let Some(probe) = self.finder.probes.get(&id) else { return };
        let Question { link: asked_for, info, found, .. } = &probe.question;
        for (id, link) in &mut self.links {
            if !matches!(&link.wanted, Wanted::Port(wanted) if std::ptr::eq(wanted.driver, *info)) {
                continue;
            }
            // A link that began its search while the port was being asked asks again.
            let Some(search) = link.search().filter(|search| id == asked_for || probe.began >= search.began) else { continue };
            let is_first = search.silent_ports.add(found, at);
            if id == asked_for && is_first && probe.verdict == Verdict::Panicked {
                let cause = "the driver failed with the device at this port".to_owned();
                link.report_missing(at, LinkProblem::Failed { path: found.path.clone(), cause });
            }
        }
    }

    /// Gives the open port to the link of the board that answered.
    pub(super) fn give_port(&mut self, link: u64, id: u64, at: u64) {
        let Some((found, serial)) = self.take_probe(id) else { return };
        self.hand_over_probes(link, at);
        self.finder.taken.insert(found.path.clone(), Use::Open);
        if let Some(link) = self.links.get_mut(&link) {
            link.claim = Some(found.path.clone());
            link.settle(at, serial, found);
        }
        self.settle(link, at);
    }

    /// Leaves the open questions of a link to other links. Most of them have been answered at the same time.
    pub(super) fn hand_over_probes(&mut self, link: u64, at: u64) {
        for id in self.probes_of(link) {
            if let Some(probe) = self.finder.probes.get_mut(&id) {
                probe.read(at);
            }
            self.hand_over(id, at);
        }
    }

    /// Leaves a question to another link that can use it: to the owner of the board, or, if the owner is not known, to any link
    /// of the same family that searches in the same folders. If there is no such link, the port becomes free.
    fn hand_over(&mut self, id: u64, at: u64) {
        let Some(probe) = self.finder.probes.get(&id) else { return };
        let path = Some(&probe.question.found.path);
        let owners = self.owners(&probe.serials, true);
        let is_able = |other: &u64| {
            *other != probe.question.link
                && (owners.is_empty() || owners.contains(other))
                && self.may_take(*other, id)
                && self.probes_of(*other).len() < MAX_PROBES
                && !self.links.iter().any(|(third, link)| third != other && link.path.as_ref() == path)
        };
        let is_open = matches!(probe.verdict, Verdict::Open | Verdict::Other);
        match self.links.keys().copied().find(is_able).filter(|_| is_open) {
            Some(heir) => {
                self.finder.probes.get_mut(&id).into_iter().for_each(|probe| probe.question.link = heir);
            }
            None => self.end_probe(id, at),
        }
    }

    /// Ends a probe and closes its port.
    pub(super) fn end_probe(&mut self, id: u64, at: u64) {
        if let Some((found, serial)) = self.take_probe(id) {
            self.close_port(found, serial, at);
        }
    }

    /// Closes a port that no link has.
    pub(super) fn close_port(&mut self, found: Arc<Found>, serial: Serial, at: u64) {
        self.finder.taken.insert(found.path.clone(), Use::Changing);
        let id = self.signs.next_id();
        self.openers.give(id, at, move || {
            drop(serial);
            Done::ProbeClosed(found)
        });
    }

    /// Removes a probe and records what its board answered.
    fn take_probe(&mut self, id: u64) -> Option<(Arc<Found>, Serial)> {
        let probe = self.finder.probes.remove(&id)?;
        probe.serials.iter().for_each(|serial| self.finder.answered.record(&probe.question.found, serial));
        let (found, serial) = probe.into_port();
        // The descriptor may have been refused by epoll before.
        let _ = serial.fd().map(|fd| self.epoll.delete(fd));
        Some((found, serial))
    }
}
