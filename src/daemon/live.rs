//! A station at work: one item of the inbox or one deadline at a time.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use anyhow::Result;
use flagfall_protocols::time::Instant;
use flagfall_protocols::trace::{Audience, Body};
use serde::Serialize;

use super::acks::Acks;
use super::disk::DiskWork;
use super::fence::Fenced;
use super::message::ToStation;
use super::network;
use super::outlet::Outlet;
use super::pace::Pace;
use super::plan::Plan;
use super::shared::{Face, Shared};
use super::station::Flow;
use super::submission;
use super::timeline::Timeline;
use crate::anchor::{self, AnchorRecord};
use crate::arbiter::{Code, Fault, Stage};
use crate::journal::{Out, outs_from};
use crate::publish::Message;
use crate::recorder::Recorder;
use crate::restart::Restored;
use crate::station::{Stale, StationOutput};
use crate::wall::{self, Mono};

/// The name of this sink in `ack` records.
pub(super) const SINK: &str = "mqtt";

/// Items of one turn at most: what a turn ends with costs more than the bytes that it is about.
const ITEMS: usize = 32;

/// The JSON of a `boot` record.
#[derive(Serialize)]
struct Boot<'a> {
    program: &'a str,
    node: &'a str,
    boot: u64,
}

/// A station that serves its board.
pub(super) struct Live {
    recorder: Recorder,
    line: Timeline,
    pace: Pace,
    acks: Acks,
    shared: Arc<Shared>,
    face: Arc<Face>,
    raw: bool,
    /// The port that is open.
    port: Option<String>,
    /// When what was recorded during a wait for the disk is to be on the disk itself.
    next_flush: Option<Mono>,
    out: Vec<StationOutput>,
}

impl Live {
    /// Rebuilds the station from its journal, or begins it. `again`: after a fault, with the link as it was.
    ///
    /// # Errors
    /// The journal does not open.
    pub(super) fn open(
        disk: Fenced,
        plan: &Plan,
        shared: &Arc<Shared>,
        face: &Arc<Face>,
        outlet: &mut Outlet,
        again: bool,
    ) -> Result<Live> {
        let mut out = Vec::new();
        let sink = &mut |output| {
            out.push(output);
            Ok(())
        };
        let (mut recorder, restored) = Recorder::open(Box::new(disk), plan.limits, &plan.setting, &plan.session, sink)?;
        anyhow::ensure!(!outlet.is_replaced(), "another thread goes on with this board");
        tell(&face.board, &restored);
        recorder.defer();
        recorder.station_mut().set_lazy(true);
        let wall = network::wall_now();
        let standing = recorder.journal().standing();
        let last = Audience::ALL.map(|audience| standing.next_out(audience) - 1);
        let base = anchor::resume(standing.last_at, recorder.recorded_anchor(), &wall);
        outlet.set_anchor(wall.at(base));
        let acked = Audience::ALL.map(|audience| standing.acked(SINK, audience));
        let first = face.number().is_none();
        match face.number() {
            Some(_) => catch_up(plan, last, outlet),
            None => {
                let number = shared.outbox.add_board(acked, last);
                face.set_number(number);
                // Before or after the claim was heard.
                shared.outbox.hold(number, face.is_withheld());
            }
        }
        // A former run may have left it online under its own name.
        if let Some(serial) = restored.serial.clone().filter(|_| !again) {
            outlet.device.was(serial);
        }
        let now = wall::mono();
        let mut live = Live {
            line: Timeline::new(base, now),
            pace: Pace::new(now),
            acks: Acks::new(acked, now),
            shared: Arc::clone(shared),
            face: Arc::clone(face),
            raw: plan.raw,
            port: None,
            next_flush: None,
            out: Vec::new(),
            recorder,
        };
        let ended = live.recorder.journal().standing().last_at;
        // Numbered outputs of the opening are in the journal, where the outbox finds them.
        out.retain(|output| !matches!(output, StationOutput::Message(message) if message.number > 0));
        live.out = out;
        // What hung had the link, and what came meanwhile waits in the inbox: nothing was missed.
        if restored.inputs > 0 && (first || again) {
            live.feed(ended, &Body::Link { link: 0, up: false, cause: "restart" });
        }
        let boot = Boot { program: env!("CARGO_PKG_VERSION"), node: &shared.node, boot: shared.boot };
        // Plain text and numbers.
        live.feed(base, &Body::Boot(&serde_json::to_string(&boot).unwrap_or_default()));
        live.feed(base, &Body::Anchor(&wall.json()));
        live.pass_on(outlet);
        if let Some((errand, configuration)) = live.recorder.station().bound().filter(|_| !again) {
            if configuration == Some(outlet.setup().configuration.as_str()) {
                outlet.run_errand(&errand.clone());
            } else {
                tracing::warn!("board {}: its device was bound under another configuration: that is over", face.board);
            }
        }
        if let Some(port) = outlet.device.port().filter(|_| again) {
            live.port = Some(port.to_owned());
            live.feed(live.line.at(now), &Body::Link { link: 0, up: true, cause: "again" });
        }
        outlet.tell_device();
        live.settle(outlet);
        Ok(live)
    }

    /// When the next turn is due without an item.
    pub(super) fn next(&self) -> Option<Mono> {
        let deadline = self.recorder.deadline().map(|at| self.line.mono(at));
        let picture = self.pace.next(self.presentable());
        [deadline, Some(picture), self.next_flush].into_iter().flatten().min()
    }

    /// One item with the bytes that came behind it, or none if time has come.
    pub(super) fn turn(&mut self, item: Option<ToStation>, reader: u64, outlet: &mut Outlet) -> Flow {
        let mut flow = self.take(item, outlet);
        for _ in 1..ITEMS {
            let bytes = |item: &ToStation| flow == Flow::On && matches!(item, ToStation::Bytes { .. });
            let Some(item) = self.face.inbox.pop_if(reader, bytes) else { break };
            flow = self.take(Some(item), outlet);
        }
        self.settle(outlet);
        if flow == Flow::End {
            self.acks_to_journal(true);
            let now = self.now();
            self.finish(now, outlet);
        }
        flow
    }

    fn take(&mut self, item: Option<ToStation>, outlet: &mut Outlet) -> Flow {
        let mut flow = Flow::On;
        match item {
            Some(ToStation::Up { at, path }) => {
                outlet.device.up(path.clone());
                self.port = Some(path);
                self.feed(self.line.at(at), &Body::Link { link: 0, up: true, cause: "opened" });
            }
            Some(ToStation::Bytes { at, bytes }) => {
                self.feed(self.line.at(at), &Body::Rx { link: 0, channel: 0, bytes: bytes.as_slice().into() });
                if self.raw {
                    outlet.raw(&bytes);
                }
            }
            Some(ToStation::Down { at, cause }) => {
                outlet.device.down(at, cause);
                self.port = None;
                self.feed(self.line.at(at), &Body::Link { link: 0, up: false, cause });
            }
            Some(ToStation::Missing { problem }) => {
                tracing::warn!("board {}: {problem}", self.face.board);
                outlet.device.missing(problem);
            }
            Some(ToStation::Command { arrived, role }) => {
                let at = self.now();
                // What is due by now happened before the command: its lock is about that.
                self.advance(at);
                let judged = submission::judge(&arrived, role, at, outlet, self.recorder.station(), outlet.setup());
                if let Some(recorded) = judged
                    && !self.feed(at, &Body::Cmd(&recorded.to_json()))
                {
                    // A line that cannot be written or read again is nobody's command.
                    let fault = Fault::new(Code::Invalid, "this cannot be recorded");
                    let reply = self.recorder.station().answer_to(&recorded.submission, Stage::Failed, &fault);
                    self.out.push(StationOutput::Reply(reply));
                }
            }
            Some(ToStation::Answer(answer)) => {
                // Numbers and moves.
                let json = serde_json::to_string(&answer).unwrap_or_default();
                self.feed(self.now(), &Body::Answer(&json));
            }
            Some(ToStation::Synced(synced)) => {
                let now = self.now();
                let out = &mut self.out;
                // The sink only collects.
                let _ = self.recorder.synced(synced, now, &mut |output| {
                    out.push(output);
                    Ok(())
                });
            }
            Some(ToStation::Anchor { at, mut record }) => {
                // Looked at while the journal was being read: it is the time of the opening plus what had passed till then.
                record.utc_us += self.line.late(at).as_micros() as i64;
                self.anchor(self.line.at(at), &record, outlet);
            }
            Some(ToStation::Stop) => {
                // The board is not lost, only not served: its link is told to be down at the next start.
                if self.port.take().is_some() {
                    outlet.device.down(wall::mono(), "stopped");
                }
                flow = Flow::End;
            }
            None => {}
        }
        flow
    }

    /// What every turn ends with: deadlines that have come, outputs, pictures, the disk.
    fn settle(&mut self, outlet: &mut Outlet) {
        let now = self.now();
        self.advance(now);
        if outlet.is_replaced() {
            return;
        }
        self.pass_on(outlet);
        let due = self.pace.due(self.presentable(), wall::mono());
        if due.any() {
            self.recorder.station_mut().render(now, due, &mut self.out);
            self.pass_on(outlet);
        }
        outlet.hand_over();
        self.acks_to_journal(false);
        outlet.tell_device();
        self.sync(now);
    }

    fn sync(&mut self, now: Instant) {
        if let Some(job) = self.recorder.sync_job(now) {
            // The thread has room for every station: each has one job at most.
            self.shared.disk.always(DiskWork::Sync { job, station: Arc::clone(&self.face) });
        }
        // Else what comes of it can wait until something else happens here: waking costs more than all the rest of it.
        let next = self.recorder.journal().flush_due_after_sync();
        let urgent = self.recorder.holds() || next.is_some_and(|due| due <= now);
        self.next_flush = next.filter(|_| !urgent).map(|due| self.line.mono(due));
        self.face.awaits_disk.store(urgent, Ordering::Relaxed);
        let status = self.recorder.journal().status();
        let ok = status.failing.is_none();
        if self.face.journal_ok.swap(ok, Ordering::Relaxed) != ok {
            match &status.failing {
                Some(error) => tracing::error!("board {}: the journal cannot be written: {error}", self.face.board),
                None => tracing::info!("board {}: the journal is written again", self.face.board),
            }
        }
    }

    /// The end: whatever waits goes out, and the journal is on the disk.
    fn finish(&mut self, now: Instant, outlet: &mut Outlet) {
        if let Err(error) = self.recorder.flush(now) {
            tracing::error!("board {}: the journal's end is not on the disk: {error}", self.face.board);
        }
        self.advance(now);
        let stale = self.recorder.station().stale();
        self.recorder.station_mut().render(now, stale, &mut self.out);
        self.pass_on(outlet);
        outlet.hand_over();
    }

    /// The pictures that changed and show nothing that waits for the disk.
    fn presentable(&self) -> Stale {
        let stale = self.recorder.station().stale();
        let held = |audience| self.recorder.is_holding(audience);
        Stale { arbiter: stale.arbiter && !held(Audience::Arbiter), live: stale.live && !held(Audience::Live), ..stale }
    }

    /// Every deadline up to `now`.
    fn advance(&mut self, now: Instant) {
        let out = &mut self.out;
        // The sink only collects.
        let _ = self.recorder.advance(now, &mut |output| {
            out.push(output);
            Ok(())
        });
    }

    /// After a panic: what was recorded is written, nothing else is touched.
    pub(super) fn abandon(mut self) {
        let now = self.recorder.journal().standing().last_at;
        if let Err(error) = self.recorder.flush(now) {
            tracing::error!("board {}: {error}", self.face.board);
        }
    }

    fn anchor(&mut self, at: Instant, record: &AnchorRecord, outlet: &mut Outlet) {
        self.feed(at, &Body::Anchor(&record.json()));
        outlet.set_anchor(record.at(at));
    }

    fn acks_to_journal(&mut self, all: bool) {
        let news = self.acks.take(&self.face.acked, wall::mono(), all);
        for (audience, number) in Audience::ALL.into_iter().zip(news) {
            if let Some(number) = number {
                self.recorder.acked(self.now(), SINK, audience, number);
            }
        }
    }

    fn now(&self) -> Instant {
        self.line.at(wall::mono())
    }

    /// Takes an input; false if it was refused, which the log has told.
    fn feed(&mut self, at: Instant, body: &Body<'_>) -> bool {
        let out = &mut self.out;
        let fed = self.recorder.feed(at, body, &mut |output| {
            out.push(output);
            Ok(())
        });
        if let Err(error) = &fed {
            tracing::error!("board {}: an input was refused: {error:#}", self.face.board);
        }
        fed.is_ok()
    }

    fn pass_on(&mut self, outlet: &mut Outlet) {
        self.out.drain(..).for_each(|output| outlet.take(output));
    }
}

/// After a fault the outbox may not know of the last events; the newest tells it how far the journal goes.
fn catch_up(plan: &Plan, last: [u64; 3], outlet: &mut Outlet) {
    for (audience, number) in Audience::ALL.into_iter().zip(last).filter(|(_, number)| *number > 0) {
        let outs = outs_from(&plan.dir, audience, number, 1).map_or_else(|_| Vec::new(), |(outs, _)| outs);
        for Out { number, at, topic, payload } in outs {
            outlet.publish(Message { audience, number, topic, retain: false, payload, finding: false, at });
        }
    }
    outlet.hand_over();
}

fn tell(board: &str, restored: &Restored) {
    for damage in &restored.damage.described {
        tracing::warn!("board {board}: journal: {damage}");
    }
    for difference in restored.verified.differences.iter().take(10) {
        tracing::warn!("board {board}: {difference}");
    }
    if restored.inputs > 0 {
        let (inputs, verified) = (restored.inputs, &restored.verified);
        tracing::info!(
            "board {board}: goes on after {inputs} inputs; {} outputs compared, {} differ, {} were not sent",
            verified.compared,
            verified.differing,
            restored.unsent.len()
        );
    }
}
