//! Runs the turns of a station: each turn handles one item of the inbox, or the deadlines that have come.

mod opening;

use std::fmt;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use flagfall_protocols::time::Instant;
use flagfall_protocols::trace::{Audience, Body};

use super::acks::Acks;
use super::disk_queue::Unflushed;
use super::message::ToStation;
use super::network;
use super::output_router::OutputRouter;
use super::pgn_rate_limit::PgnRateLimit;
use super::shared::{Busy, Shared, StationHandle};
use super::state_rate_limit::StateRateLimit;
use super::submission;
use super::tap::Pictures;
use super::timeline::Timeline;
use crate::arbiter::{Code, Fault, Stage};
use crate::journal::Unsynced;
use crate::log_limit;
use crate::session::anchor::AnchorRecord;
use crate::session::boot::Start;
use crate::session::recorder::Recorder;
use crate::session::station::{BOARD, CLOCK, ChangedPgn, DirtyStates, StationOutput};
use crate::system_clock::{self, MonotonicTime};
use crate::wire::answer::Answer;

/// The name of the MQTT connection in `ack` records.
pub(super) const SINK: &str = "mqtt";

/// The problem of a device whose bytes are left out.
const FLOODING: &str = "the device sends too many bytes that are no messages";

/// The largest number of items in one turn. The end of a turn costs more than the bytes of one item.
const ITEMS: usize = 32;

/// A station that serves its board.
pub(super) struct Live {
    recorder: Recorder,
    timeline: Timeline,
    rate_limit: StateRateLimit,
    pgn_rate_limit: PgnRateLimit,
    acks: Acks,
    shared: Arc<Shared>,
    handle: Arc<StationHandle>,
    raw: bool,
    /// What programs on this machine see; none if they see nothing.
    pictures: Option<Pictures>,
    start: Start,
    /// The number of the last start in the journal before this one.
    boot_before: Option<u64>,
    /// Whether bytes of each link are left out.
    flooded: [bool; 2],
    /// How many bytes of each link that were left out are in the log.
    logged_left_out: [u64; 2],
    /// The bytes that the disk thread must make durable.
    unsynced: Arc<Unsynced>,
    out: Vec<StationOutput>,
}

impl Live {
    /// Returns when the next turn is due if no item comes.
    pub(super) fn next_turn(&self) -> Option<MonotonicTime> {
        let deadline = self.recorder.deadline().map(|at| self.timeline.monotonic_time(at));
        let state_due = self.rate_limit.next(self.publishable_states());
        let pgn_due = self.pgn_rate_limit.next(self.publishable_pgn());
        [deadline, Some(state_due), pgn_due].into_iter().flatten().min()
    }

    /// Handles one item and the bytes that came behind it; without an item, the deadlines that have come.
    pub(super) fn turn(&mut self, item: Option<ToStation>, owner: u64, router: &mut OutputRouter) -> ControlFlow<()> {
        let mut flow = self.handle_item(item, router);
        for _ in 1..ITEMS {
            let bytes = |item: &ToStation| flow.is_continue() && matches!(item, ToStation::Bytes { .. });
            let Some(item) = self.handle.inbox.pop_if(owner, bytes) else { break };
            flow = self.handle_item(Some(item), router);
        }
        self.finish_turn(router);
        if flow.is_break() {
            self.record_acks(true);
            let now = self.now();
            self.finish(now, router);
        }
        flow
    }

    fn handle_item(&mut self, item: Option<ToStation>, router: &mut OutputRouter) -> ControlFlow<()> {
        let mut flow = ControlFlow::Continue(());
        match item {
            Some(ToStation::Up { at, link, asked, port, signal }) => {
                let cause = router.device_on(link).link_up(at, asked, port, signal);
                // The driver begins to ask now, and not when the link opened: its questions need their pauses.
                let now = self.timeline.journal_time(system_clock::monotonic());
                self.feed(now, &Body::Link { link, up: true, cause });
            }
            Some(ToStation::Bytes { at, link, channel, bytes }) => {
                self.feed(self.timeline.journal_time(at), &Body::Rx { link, channel, bytes: bytes.as_slice().into() });
                if self.raw && self.recorder.left_out(link).is_none() {
                    router.publish_raw(link, channel, &bytes);
                }
            }
            Some(ToStation::Down { at, link, cause }) => {
                router.device_on(link).link_down(at, cause);
                self.feed(self.timeline.journal_time(at), &Body::Link { link, up: false, cause });
            }
            Some(ToStation::Missing { link, problem }) => {
                let what = if link == CLOCK { "its clock: " } else { "" };
                tracing::warn!("board {}: {what}{problem}", self.handle.board);
                router.device_on(link).set_missing(problem);
            }
            Some(ToStation::Command { at, arrived, role }) => {
                let at = self.timeline.journal_time(at);
                // Deadlines that are due come before the command, since its lock refers to their result.
                self.advance(at);
                let judged = submission::judge(&arrived, role, at, router, self.recorder.station(), router.setup());
                if let Some(recorded) = judged
                    && !self.feed(at, &Body::Cmd(&recorded.to_json()))
                {
                    // A record that cannot be written or read again is no command.
                    let fault = Fault::new(Code::Invalid, "this cannot be recorded");
                    let reply = self.recorder.station().answer_to(&recorded.submission, Stage::Failed, &fault);
                    self.out.push(StationOutput::Reply(reply));
                }
            }
            Some(ToStation::Answer(answer)) => {
                // The answer holds numbers and moves, which JSON can represent.
                let json = serde_json::to_string(&Answer::from(answer)).unwrap_or_default();
                self.feed(self.now(), &Body::Answer(&json));
            }
            Some(ToStation::Anchor { at, record }) => self.record_anchor(self.timeline.journal_time(at), &record, router),
            Some(ToStation::Stop) => {
                // The board is not lost, it is only not served any more: its link is reported as down at the next start.
                for link in [BOARD, CLOCK] {
                    let device = router.device_on(link);
                    if device.port().is_some() {
                        device.link_down(system_clock::monotonic(), "stopped");
                    }
                }
                flow = ControlFlow::Break(());
            }
            Some(ToStation::LaterStart { boot }) => self.restate_after(boot, router),
            Some(ToStation::AtBroker { topic }) => router.delete_unheld(topic),
            // Every turn checks the answers of the disk.
            Some(ToStation::Synced) | None => {}
        }
        flow
    }

    /// Ends a turn: deadlines that have come, outputs, states, and the disk.
    fn finish_turn(&mut self, router: &mut OutputRouter) {
        let now = self.now();
        self.advance(now);
        if router.is_replaced() {
            return;
        }
        self.pass_on(router);
        let due = self.rate_limit.due(self.publishable_states(), system_clock::monotonic());
        if due.any() {
            self.recorder.station_mut().render_states(now, due, &mut self.out);
            self.pass_on(router);
        }
        let due = self.pgn_rate_limit.due(self.publishable_pgn(), system_clock::monotonic());
        self.publish_pgn(now, due, router);
        // Rendering may have taken long.
        if router.is_replaced() {
            return;
        }
        router.hand_over();
        self.record_acks(false);
        self.report_flood(router);
        let station = self.recorder.station();
        let game = station.game();
        self.handle.set_game((game.number(), game.rev()));
        let (private, public_waits) = (station.is_unpublished(), station.has_public_waiting());
        let unfinished = game.unfinished().filter(|_| !station.is_unpaired());
        self.handle.set_busy(Busy { game: unfinished, private, public_waits });
        router.device.check_health(system_clock::monotonic(), game);
        router.publish_device_statuses();
        if let Some(pictures) = &mut self.pictures {
            pictures.show(system_clock::monotonic(), self.recorder.station(), &router.device, router.anchor());
        }
        self.request_flush(now);
    }

    /// Reports a link that counts as down because of its wrong bytes, once, and how many bytes were left out when that is over.
    fn report_flood(&mut self, router: &mut OutputRouter) {
        for (link, what) in [(BOARD, "board"), (CLOCK, "clock")] {
            let flooded = self.recorder.left_out(link).is_some();
            if !flooded {
                self.log_left_out(link, what);
            }
            let known = &mut self.flooded[usize::from(link)];
            if std::mem::replace(known, flooded) || !flooded {
                continue;
            }
            log_limit::warn(FLOODING, &format_args!("board {}: they are not recorded (its {what})", self.handle.board));
            router.device_on(link).set_flooded(FLOODING.to_owned());
        }
    }

    fn log_left_out(&mut self, link: u8, what: &str) {
        let all = self.recorder.all_left_out(link);
        let before = std::mem::replace(&mut self.logged_left_out[usize::from(link)], all);
        if all > before {
            let whose = format_args!("board {}: {} of its {what}", self.handle.board, all - before);
            log_limit::warn("bytes were not recorded", &whose);
        }
    }

    fn request_flush(&mut self, now: Instant) {
        let fresh = self.recorder.hand_over(now);
        let holds = self.recorder.holds();
        let held = self.handle.awaits_disk.swap(holds, Ordering::SeqCst);
        // A flush for held outputs was requested before.
        if holds && (fresh || !held) {
            self.shared.disk.flush_now(self.unflushed(false));
        } else if fresh {
            self.shared.disk.flush_soon(self.unflushed(false));
        }
        let journal = self.recorder.journal();
        let failing = journal.status().failing;
        let capped = journal.is_capped().then_some("it has reached journal.total_mib");
        let problem = failing.as_ref().map(|error| error as &dyn fmt::Display);
        self.handle.note_journal(problem.or(capped.as_ref().map(|capped| capped as &dyn fmt::Display)));
    }

    fn unflushed(&self, last: bool) -> Unflushed {
        Unflushed { handle: Arc::clone(&self.handle), unsynced: Arc::clone(&self.unsynced), last }
    }

    /// Ends the station: everything that waits is published, and the disk thread gets the end of the journal.
    fn finish(&mut self, now: Instant, router: &mut OutputRouter) {
        self.log_left_out(BOARD, "board");
        self.log_left_out(CLOCK, "clock");
        if self.recorder.holds() {
            // What waits for the disk is released by this.
            let _ = self.recorder.flush(now);
            self.advance(now);
        }
        let dirty = self.recorder.station().dirty_states();
        self.recorder.station_mut().render_states(now, dirty, &mut self.out);
        self.pass_on(router);
        self.publish_pgn(now, self.publishable_pgn(), router);
        router.hand_over();
        if let Err(error) = self.recorder.close(now) {
            tracing::error!("board {}: the journal's end is not on the disk: {error}", self.handle.board);
        }
        self.recorder.hand_over(now);
        if let Some(error) = &self.recorder.journal().status().failing {
            tracing::error!("board {}: the journal's end is not written: {error}", self.handle.board);
        }
        self.shared.disk.flush_now(self.unflushed(true));
    }

    /// The states that changed and show nothing that waits for the disk.
    fn publishable_states(&self) -> DirtyStates {
        let dirty = self.recorder.station().dirty_states();
        let held = |audience| self.recorder.is_holding(audience);
        DirtyStates { arbiter: dirty.arbiter && !held(Audience::Arbiter), live: dirty.live && !held(Audience::Live), ..dirty }
    }

    /// The audiences whose games have changed and have no state that is still to be published: their PGN must not show more.
    fn publishable_pgn(&self) -> ChangedPgn {
        let changed = self.recorder.station().changed_pgn();
        let held = |audience| self.recorder.is_holding(audience);
        let live_state_waits = self.recorder.station().dirty_states().live || held(Audience::Live);
        ChangedPgn { live: changed.live && !live_state_waits, public: changed.public && !held(Audience::Public) }
    }

    fn publish_pgn(&mut self, now: Instant, which: ChangedPgn, router: &mut OutputRouter) {
        if which == ChangedPgn::default() {
            return;
        }
        let mut made = Vec::new();
        self.recorder.station_mut().make_pgn(now, which, &mut made);
        for output in made {
            if let StationOutput::Message(message) = output
                && self.pgn_rate_limit.admits(&message, system_clock::monotonic())
            {
                router.publish(message);
            }
        }
    }

    /// Handles every deadline up to `now`.
    fn advance(&mut self, now: Instant) {
        let out = &mut self.out;
        // The sink only collects outputs and cannot fail.
        let _ = self.recorder.advance(now, &mut |output| {
            out.push(output);
            Ok(())
        });
    }

    /// Flushes the journal after a panic and touches nothing else.
    pub(super) fn abandon(mut self) {
        let now = self.recorder.journal().standing().last_at;
        if let Err(error) = self.recorder.flush(now) {
            tracing::error!("board {}: {error}", self.handle.board);
        }
    }

    fn record_anchor(&mut self, at: Instant, record: &AnchorRecord, router: &mut OutputRouter) {
        self.feed(at, &Body::Anchor(&record.json()));
        router.set_anchor(record.at(at));
    }

    /// Reports that all numbers may have been given twice, unless the journal has the start with this number: nobody knows from which
    /// number on that start published.
    fn restate_after(&mut self, boot: u64, router: &mut OutputRouter) {
        if self.boot_before == Some(boot) {
            return;
        }
        tracing::warn!("board {}: an earlier start recorded nothing; its events are restated", self.handle.board);
        let (taken, wall) = network::read_wall_clock_at(&self.handle);
        let at = self.timeline.journal_time(taken);
        self.feed(at, &Body::Boot(&self.start.record(Some([1; 3])).json()));
        // A start forgets what the wall clock was.
        self.record_anchor(at, &wall, router);
    }

    fn record_acks(&mut self, all: bool) {
        let news = self.acks.take_due(&self.handle.acked, system_clock::monotonic(), all);
        for (audience, number) in Audience::ALL.into_iter().zip(news) {
            if let Some(number) = number {
                self.recorder.record_ack(self.now(), SINK, audience, number);
            }
        }
    }

    /// The time up to which everything was taken from the inbox.
    fn now(&self) -> Instant {
        self.timeline.journal_time(self.handle.taken_until())
    }

    /// Records and handles an input. Returns false if it was refused; the log then has the reason.
    fn feed(&mut self, at: Instant, body: &Body<'_>) -> bool {
        let out = &mut self.out;
        let fed = self.recorder.feed(at, body, &mut |output| {
            out.push(output);
            Ok(())
        });
        if let Err(error) = &fed {
            log_limit::warn("an input was refused", &format_args!("board {}: {error:#}", self.handle.board));
        }
        fed.is_ok()
    }

    fn pass_on(&mut self, router: &mut OutputRouter) {
        self.out.drain(..).for_each(|output| router.handle_output(output));
    }
}
