//! Asks boards for their serial numbers on behalf of all links that search, and gives each board that answers to its link.

use std::sync::Arc;

use flagfall_protocols::event::same_serial;
use nix::sys::epoll::{EpollEvent, EpollFlags};

use super::job::{Done, Question};
use super::link::{Link, Wanted};
use super::search::Use;
use super::task::Task;
use crate::discover::Found;
use crate::port::{LinkProblem, Probe, Verdict};
use crate::serial::Serial;

impl Task {
    /// Asks at a port that was opened for that.
    pub(super) fn begin_probe(&mut self, id: u64, question: Question, result: Result<Serial, LinkProblem>, at: u64) {
        let (link, path) = (question.link, question.found.path.clone());
        let search = self.links.get_mut(&link).and_then(Link::search);
        if let Some(search) = search.filter(|search| search.began == question.search) {
            search.asking = None;
            if let Err(problem) = &result {
                search.problem.get_or_insert_with(|| problem.clone());
            }
        }
        self.finder.taken.remove(&path);
        if let Ok(serial) = result {
            // This fails only if the kernel has no memory. Then the port counts as silent.
            let _ = self.epoll.add(serial.fd(), EpollEvent::new(EpollFlags::EPOLLIN, id));
            self.finder.probes.insert(id, Probe::new(at, question, serial));
            self.finder.taken.insert(path.clone(), Use::Asked);
            if self.links.values().any(|link| link.path.as_ref() == Some(&path)) {
                self.end_probe(id, at);
            }
        }
        self.ask_next(link, at);
        self.settle(link, at);
    }

    /// Whether the link searches for a board that may be the one that is asked.
    fn may_take(link: &Link, question: &Question) -> bool {
        let Wanted::Port(wanted) = &link.wanted else { return false };
        let is_like = std::ptr::eq(wanted.driver, question.info) && wanted.folders == question.folders;
        is_like && link.is_searching() && link.serial().is_some() && !link.outbound.is_broken
    }

    /// Returns the links whose board has one of these serial numbers: those that search, or those that do not.
    pub(super) fn owners(&self, serials: &[String], searching: bool) -> Vec<u64> {
        let wants = |link: &Link| link.serial().is_some_and(|own| serials.iter().any(|serial| same_serial(own, serial)));
        let owners = self.links.iter().filter(|(_, link)| link.is_searching() == searching && wants(link));
        owners.map(|(id, _)| *id).collect()
    }

    /// Ends the probes that have a result, and those whose answer no link needs any more.
    pub(super) fn check_probes(&mut self, at: u64) {
        for id in self.finder.probes.keys().copied().collect::<Vec<u64>>() {
            let Some(probe) = self.finder.probes.get_mut(&id) else { continue };
            probe.feed_deadlines(at);
            if probe.verdict == Verdict::Open && probe.serials.is_empty() {
                continue;
            }
            let is_open = matches!(probe.verdict, Verdict::Open | Verdict::Other);
            let (verdict, serials) = (probe.verdict, if is_open { probe.serials.clone() } else { Vec::new() });
            let owners = self.owners(&serials, true);
            let question = &self.finder.probes[&id].question;
            if let Some(owner) = owners.iter().find(|owner| Task::may_take(&self.links[*owner], question)) {
                self.give_port(*owner, id, at);
            } else if !owners.is_empty() {
                // The owner finds the free port by the number that is recorded.
                self.end_probe(id, at);
            } else if verdict != Verdict::Open || !self.owners(&serials, false).is_empty() {
                self.report_no_answer(id, at);
                self.end_probe(id, at);
            }
        }
        let needed = |probe: &Probe| self.links.values().any(|link| Task::may_take(link, &probe.question));
        let useless: Vec<u64> = self.finder.probes.iter().filter(|(_, probe)| !needed(probe)).map(|(id, _)| *id).collect();
        for id in useless {
            // The board may just have answered, and then it need not be asked again.
            self.finder.probes.get_mut(&id).into_iter().for_each(|probe| probe.read(at));
            self.end_probe(id, at);
        }
    }

    /// No wanted board answered at this port. The links that were searching need not ask again.
    fn report_no_answer(&mut self, id: u64, at: u64) {
        let Some(Probe { question, began, verdict, .. }) = self.finder.probes.get(&id) else { return };
        for link in self.links.values_mut() {
            let may_take = Task::may_take(link, question);
            let is_like = matches!(&link.wanted, Wanted::Port(wanted) if std::ptr::eq(wanted.driver, question.info));
            // A link that began its search while the port was being asked asks again.
            let Some(search) = link.search().filter(|search| is_like && *began >= search.began) else { continue };
            if search.silent_ports.add(&question.found, at) && may_take && *verdict == Verdict::Panicked {
                let cause = "the driver failed with the device at this port".to_owned();
                link.report_missing(at, LinkProblem::Failed { path: question.found.path.clone(), cause });
            }
        }
    }

    /// Gives the open port to the link of the board that answered.
    fn give_port(&mut self, link: u64, id: u64, at: u64) {
        let Some((found, serial)) = self.take_probe(id) else { return };
        self.finder.taken.insert(found.path.clone(), Use::Open);
        if let Some(link) = self.links.get_mut(&link) {
            link.claim = Some(found.path.clone());
            link.settle(at, serial, found);
        }
        self.settle(link, at);
    }

    /// Ends a probe and closes its port.
    pub(super) fn end_probe(&mut self, id: u64, at: u64) {
        if let Some((found, serial)) = self.take_probe(id) {
            self.close_port(found, serial, at);
        }
    }

    /// Closes a port that no link has.
    pub(super) fn close_port(&mut self, found: Arc<Found>, serial: Serial, at: u64) {
        self.finder.taken.insert(found.path.clone(), Use::Asked);
        self.openers.give(self.signs.next_id(), at, move || {
            drop(serial);
            Done::Freed(found)
        });
    }

    /// Removes a probe and records what its board answered.
    fn take_probe(&mut self, id: u64) -> Option<(Arc<Found>, Serial)> {
        let probe = self.finder.probes.remove(&id)?;
        probe.serials.iter().for_each(|serial| self.finder.answered.record(&probe.question.found, serial));
        let (found, serial) = probe.into_port();
        // The descriptor may have been refused by epoll before.
        let _ = self.epoll.delete(serial.fd());
        Some((found, serial))
    }
}
