//! Searches for the serial ports of all links. One list of ports serves all of them, and what is asked at a port is asked for all.
//!
//! What is asked at a port belongs to no link: a board that answers goes to the link whose serial number it reports (`probes`).

use std::collections::BTreeMap;
use std::io;
use std::panic::catch_unwind;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use flagfall_protocols::event::same_serial;

use super::job::{Done, Question};
use super::link::{Link, Opened, Phase, Search, Wanted};
use super::survey::{Answer, Inquiry, Ports, Survey, survey};
use super::task::{MAIL, Task};
use crate::discover::Found;
use crate::link::LinkError;
use crate::port::{Answered, Candidate, Choice, LinkProblem, Probe, choose, fits};
use crate::serial::Serial;

/// The largest number of ports that are asked at the same time is this for each link that searches, all together.
const MAX_PROBES: usize = 16;
/// The time for which a list of all serial ports is used before it is made again, in microseconds.
const LIST_VALID_FOR: u64 = 1_000_000;

/// The list, or the opening of a port that is to be asked, hangs after this time in microseconds.
pub(super) const HANGS: u64 = 5_000_000;

/// What this process does with a port.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Use {
    /// A link uses it, or opens or closes it.
    Open,
    /// Its board is asked, or the port is opened or closed for that.
    Asked,
}

/// What all searches share.
#[derive(Default)]
pub(super) struct Finder {
    pub(super) probes: BTreeMap<u64, Probe>,
    pub(super) taken: BTreeMap<PathBuf, Use>,
    pub(super) answered: Answered,
    /// The ports that the system knows, and when they were listed.
    known: (u64, Option<Vec<Found>>),
    /// Since when a job lists the ports.
    pub(super) surveying: Option<u64>,
    /// The time of the last change in the watched folders.
    pub(super) changed: u64,
}

/// What the choices of all links have in common about one port.
struct Fact {
    serials: Vec<String>,
    /// The links that search for one of these serial numbers.
    promised_to: Vec<u64>,
}

impl Task {
    /// Lists the ports if the time of a link has come.
    pub(super) fn begin_survey(&mut self, at: u64) {
        let inquiries: Vec<Inquiry> = self.links.iter().filter_map(|(id, link)| inquiry(*id, link, at)).collect();
        // A path of one link may hang.
        self.finder.surveying.take_if(|began| at.saturating_sub(*began) >= HANGS);
        if inquiries.is_empty() || self.finder.surveying.is_some() {
            return;
        }
        for inquiry in &inquiries {
            self.links.get_mut(&inquiry.id).into_iter().for_each(|link| link.note_check(at));
        }
        let hotplug = self.watch();
        let Finder { known, surveying, changed, .. } = &mut self.finder;
        *surveying = Some(at);
        // Without the watch nobody tells of changes.
        let is_fresh = hotplug.is_some() && known.0 >= *changed && at.saturating_sub(known.0) < LIST_VALID_FOR;
        if !is_fresh {
            *known = (at, None);
        }
        let list = known.1.take();
        self.openers.give(MAIL, at, move || Done::Surveyed(survey(inquiries, list, hotplug.as_deref())));
    }

    /// Checks all ports for each link that asked.
    pub(super) fn handle_survey(&mut self, survey: Survey, at: u64) {
        self.finder.surveying = None;
        self.finder.known.1 = Some(survey.known);
        let is_current = |task: &Task, answer: &Answer| {
            let link = task.links.get(&answer.id).filter(|link| link.is_searching_port() && !link.has_job && !link.is_frozen());
            link.is_some_and(|link| matches!(&link.phase, Phase::Searching(search) if search.began == answer.began))
        };
        let answers: Vec<Answer> = survey.answers.into_iter().filter(|answer| is_current(self, answer)).collect();
        for answer in &answers {
            if let Some(link) = self.links.get_mut(&answer.id) {
                link.path = answer.configured.as_ref().map(|found| found.path.clone());
            }
        }
        let mut configured: BTreeMap<PathBuf, Vec<u64>> = BTreeMap::new();
        for (id, link) in &self.links {
            if let Some(path) = &link.path {
                configured.entry(path.clone()).or_default().push(*id);
            }
        }
        // Nobody asks at a port that another link is configured for.
        let probes = self.finder.probes.iter();
        let given_up = probes.filter(|(_, probe)| configured.contains_key(&probe.question.found.path));
        given_up.map(|(id, _)| *id).collect::<Vec<u64>>().into_iter().for_each(|id| self.end_probe(id, at));
        let mut facts: Option<(Ports, Vec<Fact>)> = None;
        for answer in answers {
            if facts.as_ref().is_none_or(|(list, _)| !Arc::ptr_eq(list, &answer.ports)) {
                facts = Some((Arc::clone(&answer.ports), answer.ports.iter().map(|found| self.fact(found)).collect()));
            }
            let id = answer.id;
            if is_current(self, &answer) {
                self.check_ports(answer, facts.as_ref().map_or(&[], |(_, facts)| facts), &configured, at);
            }
            self.settle(id, at);
        }
    }

    /// The list could not be made.
    pub(super) fn handle_failed_survey(&mut self, at: u64) {
        self.finder.surveying = None;
        let changed = self.finder.changed;
        let links = self.links.values_mut().filter(|link| link.is_searching_port() && link.due() <= at);
        links.for_each(|link| link.retry(at, false, changed));
    }

    fn fact(&self, found: &Found) -> Fact {
        let serials: Vec<String> = self.finder.answered.serials_at(found).map(str::to_owned).collect();
        let promised_to = if serials.is_empty() { Vec::new() } else { self.owners(&serials, true) };
        Fact { serials, promised_to }
    }

    /// Chooses what one link does with the ports.
    fn check_ports(&mut self, answer: Answer, facts: &[Fact], configured: &BTreeMap<PathBuf, Vec<u64>>, at: u64) {
        let id = answer.id;
        let Some(link) = self.links.get_mut(&id) else { return };
        let serial = link.serial().map(str::to_owned);
        let Wanted::Port(wanted) = link.wanted.clone() else { return };
        let Phase::Searching(search) = &link.phase else { return };
        let finder = &self.finder;
        let mut candidates: Vec<Candidate> = Vec::with_capacity(answer.ports.len() + 1);
        let candidate = |found: &Arc<Found>, fact: Option<&Fact>| {
            let is_wanted = |serial: &str| fact.is_some_and(|fact| fact.serials.iter().any(|own| same_serial(own, serial)));
            let wanted_board = serial.as_deref().filter(|_| fact.is_some_and(|fact| !fact.serials.is_empty())).map(is_wanted);
            // If two links have the same serial number, the first one gets the board.
            let promised =
                wanted_board != Some(true) && fact.is_some_and(|fact| fact.promised_to.iter().any(|other| *other != id));
            Candidate {
                found: Arc::clone(found),
                taken: finder.taken.contains_key(&found.path),
                reserved: promised || is_for_other(configured, &found.path, id),
                wanted_board,
                paused: search.silent_ports.is_paused(found, at),
            }
        };
        candidates.extend(answer.ports.iter().zip(facts).map(|(found, fact)| candidate(found, Some(fact))));
        let own = answer.configured.map(|found| {
            candidates.iter().position(|seen| seen.found.path == found.path).unwrap_or_else(|| {
                candidates.push(candidate(&found, None));
                candidates.len() - 1
            })
        });
        let choice = choose(&wanted, serial.as_deref(), own, &candidates);
        let by_path_only = wanted.port.is_some() && wanted.usb_serial.is_none() && serial.is_none();
        // A port that another link has just taken may be free again soon.
        let none_fits = by_path_only || !candidates.iter().any(|seen| fits(&wanted, &seen.found));
        let calm = answer.absent && choice == Choice::Nothing && none_fits;
        let problem = match choice {
            Choice::Open(index) | Choice::Taken(index) => {
                self.open(id, &candidates[index].found, at);
                None
            }
            Choice::Ask(list) => {
                if let Some(search) = link.search() {
                    search.to_ask = list.into_iter().map(|index| Arc::clone(&candidates[index].found)).collect();
                }
                self.ask_next(id, at);
                None
            }
            Choice::Several(list) => {
                Some(LinkProblem::Several(list.into_iter().map(|index| candidates[index].found.path.clone()).collect()))
            }
            // Another link may be asking at the wanted port.
            Choice::Nothing if serial.is_some() && candidates.iter().any(|seen| finder.is_being_asked(&seen.found.path)) => None,
            Choice::Nothing => Some(LinkProblem::NotFound),
        };
        let changed = self.finder.changed;
        // A port that is being opened is no failure yet.
        let Some(link) = self.links.get_mut(&id).filter(|link| !link.has_job) else { return };
        link.retry(at, calm, changed);
        if let Some(problem) = problem {
            link.report_missing(at, problem);
        }
    }

    /// Opens a port for a link, or finds out who holds it. A port whose board is being asked is free again soon.
    fn open(&mut self, id: u64, found: &Arc<Found>, at: u64) {
        let Some(link) = self.links.get_mut(&id) else { return };
        let Wanted::Port(wanted) = &link.wanted else { return };
        let (baud, found) = (wanted.driver.baud, Arc::clone(found));
        let held = self.finder.taken.get(&found.path).copied();
        if held == Some(Use::Asked) {
            return;
        }
        if held.is_none() {
            self.finder.taken.insert(found.path.clone(), Use::Open);
            link.claim = Some(found.path.clone());
        }
        link.has_job = true;
        self.openers.give(id, at, move || {
            let busy = || Err(LinkProblem::from_error(found.path.clone(), &LinkError::Busy));
            let result = if held.is_none() { open_port(&found.path, baud) } else { busy() };
            Done::Opened(found, result)
        });
    }

    /// Handles the result of [`Task::open`].
    pub(super) fn handle_opened(&mut self, id: u64, found: Arc<Found>, result: Result<Serial, LinkProblem>, at: u64) {
        let Some(link) = self.links.get_mut(&id) else { return };
        match (result, &mut link.phase) {
            (Ok(serial), Phase::Searching(_)) => link.go_up(at, Opened::Port { serial, found, asked: false }),
            (Ok(serial), Phase::Closing { opened, .. }) if link.claim.as_ref() == Some(&found.path) => {
                *opened = Some(Opened::Port { serial, found, asked: false });
            }
            // The board has answered at another port in the meantime.
            (Ok(serial), _) => self.close_port(found, serial, at),
            (Err(problem), phase) => {
                if matches!(phase, Phase::Searching(_)) {
                    link.retry(at, false, self.finder.changed);
                    link.report_missing(at, problem);
                }
                link.claim.take_if(|claim| *claim == found.path);
                let is_claimed = self.links.values().any(|link| link.claim.as_ref() == Some(&found.path));
                if !is_claimed && self.finder.taken.get(&found.path) == Some(&Use::Open) {
                    // The other links need not check again.
                    self.finder.taken.remove(&found.path);
                }
            }
        }
    }

    /// Opens the next port that must be asked for a link, one at a time.
    pub(super) fn ask_next(&mut self, id: u64, at: u64) {
        let searching = |link: &&Link| link.is_searching() && link.serial().is_some();
        let has_more = |link: &Link| matches!(&link.phase, Phase::Searching(search) if !search.to_ask.is_empty());
        let most = if self.links.get(&id).is_some_and(has_more) {
            MAX_PROBES * self.links.values().filter(searching).count()
        } else {
            0
        };
        let Some(Link { phase: Phase::Searching(search), wanted: Wanted::Port(wanted), .. }) = self.links.get_mut(&id) else {
            return;
        };
        let probes = self.finder.probes.len();
        let Search { to_ask, asking, problem, began, .. } = search;
        asking.take_if(|since| at.saturating_sub(*since) >= HANGS);
        while asking.is_none() && probes < most {
            let Some(found) = to_ask.pop_front() else { break };
            if self.finder.taken.contains_key(&found.path) {
                continue;
            }
            self.finder.taken.insert(found.path.clone(), Use::Asked);
            *asking = Some(at);
            let probe = self.signs.next_id();
            let (info, folders) = (wanted.driver, wanted.folders.clone());
            let question = Question { link: id, search: *began, info, folders, found };
            self.openers.give(probe, at, move || {
                let result = open_port(&question.found.path, question.info.baud);
                Done::Asking(question, result)
            });
        }
        if asking.is_none()
            && let Some(problem) = problem.take().filter(|_| probes == 0)
            && let Some(link) = self.links.get_mut(&id)
        {
            link.report_missing(at, problem);
        }
    }

    /// A port is closed: links that search check again.
    pub(super) fn free(&mut self, path: &Path, at: u64) {
        self.finder.taken.remove(path);
        self.links.values_mut().for_each(|link| link.check_soon(at));
    }
}

impl Finder {
    fn is_being_asked(&self, path: &Path) -> bool {
        self.taken.get(path) == Some(&Use::Asked)
    }
}

/// What the link asks, if its time has come.
fn inquiry(id: u64, link: &Link, at: u64) -> Option<Inquiry> {
    let (Wanted::Port(wanted), Phase::Searching(search)) = (&link.wanted, &link.phase) else { return None };
    let is_due = !link.is_frozen() && link.due() <= at;
    is_due.then(|| Inquiry { id, began: search.began, port: wanted.port.clone(), folders: wanted.folders.clone() })
}

/// Whether a link other than this one is configured for the path.
fn is_for_other(configured: &BTreeMap<PathBuf, Vec<u64>>, path: &Path, id: u64) -> bool {
    configured.get(path).is_some_and(|links| links.iter().any(|link| *link != id))
}

fn open_port(path: &Path, baud: u32) -> Result<Serial, LinkProblem> {
    let opened = catch_unwind(|| Serial::open(path, baud));
    let opened = opened.unwrap_or_else(|_| Err(io::Error::other("a fault in the program").into()));
    opened.map_err(|error| LinkProblem::from_error(path.to_owned(), &error))
}
