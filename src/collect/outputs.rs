//! Gives rounds to the outputs and knows what became of them (`collect/README.md#4`).

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::mpsc;
use tracing::{info, warn};

use super::body::RoundBody;
use super::lichess_rounds::LichessRounds;
use super::model::Model;
use super::render::Renderer;
use super::sinks::lichess::Lines;
use super::sinks::{self, Answer, Verdict};
use super::store::{Sent, SentRounds};
use super::worker::{Pace, Report, Worker};
use crate::config::{Output, OutputKind};
use crate::http::Pages;
use crate::system_clock;
use crate::wire::meta::OutputRequests;
use crate::wire::output::{BoardMessage, OutputState, OutputStatus};

/// Reports that wait for the collector.
const REPORTS: usize = 64;
/// Files are written at most once in this time.
const FILES_EVERY: Duration = Duration::from_secs(1);
/// How long a stop waits for attempts that are under way.
const STOP: Duration = Duration::from_secs(3);
/// The largest number of boards in a status.
const MOST_BOARDS: usize = 64;
/// The largest length of a sentence in a status, in bytes.
const LONGEST_MESSAGE: usize = 4096;

/// All outputs.
pub(crate) struct Outputs {
    all: Vec<Running>,
    renderer: Renderer,
    /// What became of attempts.
    pub(crate) reports: mpsc::Receiver<Report>,
    /// What the receivers have.
    pub(crate) sent: SentRounds,
    /// Which ids at lichess were used.
    pub(crate) lichess: LichessRounds,
}

/// One output with its thread.
struct Running {
    output: Output,
    worker: Worker,
    /// The checksum of the last body that the worker got, for each round.
    given: BTreeMap<String, String>,
    /// The organiser's requests that the worker has, for each round.
    asked: BTreeMap<String, OutputRequests>,
    /// The last answer for each round whose last attempt failed.
    failing: BTreeMap<String, Answer>,
    /// Why rounds are not sent, although there is something to send.
    stopped: BTreeMap<String, String>,
    attempts: u32,
    http: Option<u16>,
    state: OutputState,
    since: String,
    /// What is wrong with boards of the present round.
    notes: Vec<BoardMessage>,
    /// Why it is withheld.
    off: Option<String>,
}

impl Outputs {
    /// Starts the thread of each output.
    ///
    /// # Errors
    /// The operating system gives no thread.
    pub(crate) fn start(
        outputs: &[Output],
        pages: &Arc<Pages>,
        sent: SentRounds,
        lichess: LichessRounds,
    ) -> std::io::Result<Outputs> {
        let (reporter, reports) = mpsc::channel(REPORTS);
        let (mut all, mut lines) = (Vec::new(), Lines::default());
        for (number, output) in outputs.iter().enumerate() {
            let worker =
                Worker::start(number, &output.name, sinks::make(output, &mut lines, pages), pace(output), reporter.clone())?;
            all.push(Running {
                output: output.clone(),
                worker,
                given: BTreeMap::new(),
                asked: BTreeMap::new(),
                failing: BTreeMap::new(),
                stopped: BTreeMap::new(),
                attempts: 0,
                http: None,
                state: OutputState::Waiting,
                since: system_clock::utc().to_string(),
                notes: Vec::new(),
                off: None,
            });
        }
        Ok(Outputs { all, renderer: Renderer::default(), reports, sent, lichess })
    }

    /// Serves the pages of what the store has, before anything was heard: they are on this machine, and nobody else serves them.
    pub(crate) fn serve_stored(&mut self, model: &Model) {
        self.hand_out_to(model, |kind| kind == OutputKind::Pages);
    }

    /// Gives each output the rounds that differ from what it has.
    pub(crate) fn hand_out(&mut self, model: &Model) {
        self.hand_out_to(model, |_| true);
    }

    fn hand_out_to(&mut self, model: &Model, gets: impl Fn(OutputKind) -> bool) {
        for running in self.all.iter_mut().filter(|running| gets(running.output.kind)) {
            running.off = None;
            let mut bodies = self.renderer.render(model, &running.output);
            if running.output.kind == OutputKind::Lichess {
                running.stop_rounds(self.lichess.assign(&running.output, &mut bodies));
                bodies.retain(|body| body.lichess_round.is_some());
            }
            for body in bodies {
                let sent = self.sent.get_mut(&body.round).and_then(|outputs| outputs.get_mut(&running.output.name));
                running.give(Arc::new(body), sent);
            }
            running.update_state(&self.sent);
        }
    }

    /// The public games of each round as PGN, as a file of an output with the profile `full` has them.
    pub(crate) fn public_pgns(&mut self, model: &Model) -> Vec<(String, String)> {
        let bodies = self.renderer.render(model, &Output::of_topics());
        bodies.into_iter().map(|body| (body.round.clone(), body.pgn())).collect()
    }

    /// Sends nothing more, because another collector sends the games.
    pub(crate) fn withhold(&mut self, why: &str) {
        for running in &mut self.all {
            running.off = Some(why.to_owned());
            running.given.clear();
            running.worker.withhold();
            running.update_state(&self.sent);
        }
    }

    /// Notes what became of an attempt.
    pub(crate) fn note(&mut self, report: Report) {
        let Report { output, body, answer } = report;
        let Some(running) = self.all.get_mut(output) else { return };
        let name = &running.output.name;
        (running.http, running.attempts) = (answer.http, running.attempts.saturating_add(1));
        if answer.verdict == Verdict::Accepted {
            if running.failing.remove(&body.round).is_some() {
                info!("output {name}, round {}: works again", body.round);
            }
            running.attempts = 0;
            let sent = self.sent.entry(body.round.clone()).or_default().entry(name.clone()).or_default();
            *sent = Sent {
                checksum: body.checksum(),
                at: system_clock::utc().to_string(),
                plies: body.plies(),
                boards: answer.boards,
                requests: Some(body.requests),
            };
        } else {
            let is_new = running.failing.get(&body.round).is_none_or(|before| before.message != answer.message);
            if is_new {
                warn!("output {name}, round {}: {}", body.round, answer.message);
            }
            running.failing.insert(body.round.clone(), answer);
        }
        running.update_state(&self.sent);
    }

    /// The names of all outputs with what is published of them.
    pub(crate) fn statuses(&self, current_round: &str) -> Vec<(&str, OutputStatus)> {
        let status = |running: &Running| running.status(&self.sent, current_round);
        self.all.iter().map(|running| (running.output.name.as_str(), status(running))).collect()
    }

    /// Ends all threads.
    pub(crate) fn stop(&mut self) {
        self.all.iter().for_each(|running| running.worker.stop());
        // A worker that reports while nobody listens would not end.
        self.reports.close();
        let until = system_clock::monotonic().after(STOP);
        self.all.iter_mut().for_each(|running| running.worker.wait_for_end(until));
        while let Ok(report) = self.reports.try_recv() {
            self.note(report);
        }
    }
}

/// How often an output sends.
fn pace(output: &Output) -> Pace {
    let seconds = |value: Option<u32>, default| Duration::from_secs(value.unwrap_or(default).into());
    match output.kind {
        OutputKind::Files | OutputKind::Pages => Pace { every: FILES_EVERY, heartbeat: None },
        OutputKind::Command | OutputKind::Lichess => Pace {
            every: seconds(output.every, Output::EVERY),
            heartbeat: Some(seconds(output.heartbeat, Output::HEARTBEAT)).filter(|after| !after.is_zero()),
        },
    }
}

impl Running {
    /// Gives the worker a round, unless the receiver has it already. `sent` is what the receiver has.
    fn give(&mut self, body: Arc<RoundBody>, sent: Option<&mut Sent>) {
        if body.is_current {
            self.notes.clone_from(&body.notes);
        }
        let checksum = body.checksum();
        // Files may have been changed or deleted while this program did not run, and pages are gone then.
        let is_first = !self.given.contains_key(&body.round);
        let has = sent.as_ref().is_some_and(|sent| sent.checksum == checksum)
            && (!matches!(self.output.kind, OutputKind::Files | OutputKind::Pages) || !is_first);
        // With a lost store the present requests count as done.
        let done = sent.and_then(|sent| sent.requests).unwrap_or(body.requests);
        let done = self.asked.insert(body.round.clone(), body.requests).unwrap_or(done);
        let is_same = self.given.insert(body.round.clone(), checksum.clone()).is_some_and(|given| given == checksum);
        if body.requests.retry > done.retry || body.requests.reset > done.reset {
            let reset = body.requests.reset > done.reset;
            self.worker.send_now(body, reset);
        } else if !(is_same || is_first && has) {
            self.worker.submit(body);
        }
    }

    /// Notes which rounds are not sent, and why.
    fn stop_rounds(&mut self, stopped: BTreeMap<String, String>) {
        for (round, why) in stopped.iter().filter(|(round, why)| self.stopped.get(*round) != Some(*why)) {
            warn!("output {}, round {round}: {why}", self.output.name);
        }
        self.stopped = stopped;
    }

    fn update_state(&mut self, sent: &SentRounds) {
        let refused = |answer: &Answer| answer.verdict == Verdict::Refused;
        let waits = |(round, checksum): (&String, &String)| {
            sent.get(round).and_then(|outputs| outputs.get(&self.output.name)).is_none_or(|sent| sent.checksum != *checksum)
        };
        let state = if self.off.is_some() {
            OutputState::Off
        } else if !self.stopped.is_empty() || self.failing.values().any(refused) {
            OutputState::Refused
        } else if !self.failing.is_empty() {
            OutputState::Retrying
        } else if self.given.is_empty() || self.given.iter().any(waits) {
            OutputState::Waiting
        } else {
            OutputState::Ok
        };
        if state != self.state {
            (self.state, self.since) = (state, system_clock::utc().to_string());
        }
    }

    fn status(&self, sent: &SentRounds, current_round: &str) -> OutputStatus {
        let sent = sent.get(current_round).and_then(|outputs| outputs.get(&self.output.name));
        let failing = self.failing.get(current_round).or_else(|| self.failing.values().next());
        let stopped = self.stopped.get(current_round).or_else(|| self.stopped.values().next());
        let why = self.off.as_ref().or(stopped).or(failing.map(|answer| &answer.message));
        let said = failing.map(|answer| answer.boards.as_slice()).or(sent.map(|sent| sent.boards.as_slice())).unwrap_or_default();
        let boards = self
            .notes
            .iter()
            .chain(said)
            .take(MOST_BOARDS)
            .map(|note| BoardMessage { board: note.board.clone(), message: shortened(&note.message) });
        OutputStatus {
            state: self.state,
            since: self.since.clone(),
            sent: sent.map(|sent| sent.at.clone()).filter(|at| !at.is_empty()),
            plies: sent.map_or(0, |sent| sent.plies),
            attempts: self.attempts,
            http: self.http,
            message: shortened(why.map(String::as_str).unwrap_or_default()),
            boards: boards.collect(),
        }
    }
}

fn shortened(text: &str) -> String {
    text[..text.floor_char_boundary(LONGEST_MESSAGE)].to_owned()
}
