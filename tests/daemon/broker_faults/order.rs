//! The point at which each line continues: behind the last event that the broker surely has, and further back only after a
//! resync command.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use flagfall::journal::{Disk, Out, Recovered, read};
use flagfall::mqtt::outbox::IN_FLIGHT;
use flagfall::system_clock::{MonotonicTime, Utc, monotonic, utc};
use flagfall_protocols::time::Instant;
use flagfall_protocols::trace::{Audience, Body};
use serde_json::Value;

use crate::broker_faults::checks::{Line, Published, published};
use crate::support::mqtt::proxy::Timed;

/// The daemon has read an acknowledgement if it sent a packet on the connection this much later: the proxy notes what it has read
/// before it passes it on.
const READ: Duration = Duration::from_secs(1);
/// The name under which the journal has the broker's cursor.
const SINK: &str = "mqtt";
/// The journal gets acknowledgements in the first turn that comes a second after the last one; the rest is the time on the way to the
/// daemon.
const RECORDED: Duration = Duration::from_millis(1500);
/// Records with this distance are from different turns.
const ANOTHER_TURN: Duration = Duration::from_secs(1);

/// One run of the daemon, and its knowledge at the start.
pub(crate) struct DaemonRun {
    /// The number of its first connection.
    pub(crate) first: usize,
    /// The cursor of each line in the journal: the broker has all events up to there.
    pub(crate) known: BTreeMap<Line, u64>,
    /// The knowledge that the run before had of a line at this time is in the journal.
    pub(crate) recorded: BTreeMap<Line, MonotonicTime>,
}

impl DaemonRun {
    /// The first run, without any knowledge.
    pub(crate) fn first() -> DaemonRun {
        DaemonRun { first: 0, known: BTreeMap::new(), recorded: BTreeMap::new() }
    }

    /// Reads the knowledge of the killed run from a board's journal.
    pub(crate) fn read(&mut self, dir: &Path, name: impl Fn(Audience) -> Line) {
        let recovered = read(&mut Disk::reading(dir)).expect("a journal");
        let recorded = recorded(&recovered);
        for audience in Audience::ALL {
            self.known.insert(name(audience), recovered.standing.acked(SINK, audience));
            self.recorded.extend(recorded.map(|until| (name(audience), until)));
        }
    }
}

/// All acknowledgements up to this time are in the journal: the turn that had to record them was followed by another turn, which is
/// in the journal.
fn recorded(recovered: &Recovered) -> Option<MonotonicTime> {
    let mut times: Vec<Instant> = recovered.records().map(|record| record.at).collect();
    let last = times.pop()?;
    let turn = times.into_iter().rfind(|at| last.since(*at) >= ANOTHER_TURN)?;
    let mut anchors = recovered.records().filter_map(|record| match record.body {
        Body::Anchor(json) => Some((record.at, serde_json::from_str::<Value>(json).expect("JSON")["utc_us"].as_i64()?)),
        _ => None,
    });
    let (anchored, wall) = anchors.next_back()?;
    let turn = Utc(wall + turn.micros() as i64 - anchored.micros() as i64);
    let (now, wall_now) = (monotonic(), utc());
    let ago = Duration::from_micros(u64::try_from(wall_now.0 - turn.0).ok()?) + RECORDED;
    let micros = u64::try_from(ago.as_micros()).ok()?;
    now.0.checked_sub(micros).map(MonotonicTime)
}

/// The resync commands of a subscriber, and the time from which they are allowed to have an effect.
pub(crate) struct ResyncRequest {
    pub(crate) at: MonotonicTime,
    /// The first number of each line that is sent again.
    pub(crate) from: BTreeMap<Line, u64>,
}

/// The progress of a line.
#[derive(Debug, Default)]
struct Progress {
    /// The broker has all events up to this number.
    broker: u64,
    /// The lowest and the highest number that the daemon of this run can take as received by the broker.
    daemon: (u64, u64),
    /// The numbers behind which this run continued, with their times.
    resumed: Vec<(MonotonicTime, u64)>,
    /// The numbers that were acknowledged on this connection, with the times at which the daemon surely knew it.
    acked: Vec<(MonotonicTime, u64)>,
}

/// The number of the first publications of a connection whose acknowledgements the daemon has read: those after them fit into what may be in
/// flight when the last one is sent, and may be acknowledged although the daemon does not know it.
fn surely_received(events: &[Published]) -> usize {
    let mut bytes = 0;
    let behind = events.iter().rev().skip(1).take_while(|event| {
        bytes += event.bytes;
        bytes < IN_FLIGHT
    });
    events.len().saturating_sub(behind.count() + 1)
}

/// Every event of the journals was acknowledged, and the first publications are in order; each connection continues at the cursor
/// without a gap; only a resync command repeats events on a connection; every publication is as recorded.
pub(crate) fn assert_order(wires: &[Timed], runs: &[DaemonRun], mut asked: ResyncRequest, journals: &BTreeMap<Line, Vec<Out>>) {
    let mut lines: BTreeMap<Line, Progress> = journals.keys().map(|line| (line.clone(), Progress::default())).collect();
    for (number, wire) in wires.iter().enumerate() {
        runs.iter().filter(|run| run.first == number).for_each(|run| begin_run(run, &mut lines));
        lines.values_mut().for_each(|reach| reach.acked.clear());
        let mut last = BTreeMap::<Line, u64>::new();
        let events = published(wire);
        let received = surely_received(&events);
        for event in &events {
            let Some(no) = event.json["no"].as_u64() else { continue };
            let reach = lines.get_mut(&event.line).expect("a line with a journal");
            let name = || format!("connection {number}, {} {no}", event.line);
            let before = last.insert(event.line.clone(), no);
            let goes_on = match before {
                Some(before) => no == before + 1,
                None => reach.daemon.0 < no && no <= reach.daemon.1 + 1,
            };
            if !goes_on {
                let wanted = asked.from.remove(&event.line).filter(|_| event.at >= asked.at);
                assert_eq!(wanted, Some(no), "{} after {before:?} is not the cursor: {reach:?}", name());
            } else if before.is_none() {
                reach.resumed.push((event.at, no - 1));
            }
            let out = &journals[&event.line][no as usize - 1];
            let recorded: Value = serde_json::from_str(&out.payload).expect("JSON");
            assert_eq!((out.number, &out.topic, &recorded["body"]), (no, &event.topic, &event.json["body"]), "{}", name());
            if let Some(acked) = &event.acked {
                assert!(no <= reach.broker + 1, "{} is acknowledged: {reach:?}", name());
                reach.broker = no.max(reach.broker);
                reach.daemon.1 = no.max(reach.daemon.1);
                let known_at = wire.up.iter().map(|(at, _)| *at).find(|at| *at >= acked.at.after(READ));
                reach.acked.extend(known_at.map(|at| (at, no)));
                // Without this acknowledgement the last publication would have been one too many in flight.
                if acked.place < received || known_at.is_some() {
                    reach.daemon.0 = no.max(reach.daemon.0);
                }
            }
        }
    }
    for (line, outs) in journals {
        assert_eq!(lines[line].broker, outs.len() as u64, "{line}");
        assert!(outs.iter().map(|out| out.number).eq(1..=outs.len() as u64), "{line}");
        // A move on its way when the daemon died may be read in another way, and then the game stops for the public.
        let least = if line.starts_with("arbiter") { 20 } else { 1 };
        assert!(outs.len() >= least, "{line} has only {} events", outs.len());
    }
}

/// A new daemon continues at its journal's cursor, which the broker has reached and which is not too old.
fn begin_run(run: &DaemonRun, lines: &mut BTreeMap<Line, Progress>) {
    for (line, &known) in &run.known {
        let reach = lines.get_mut(line).expect("a line with a journal");
        assert!(known <= reach.broker, "{line}: the journal says {known}: {reach:?}");
        let until = run.recorded.get(line).copied();
        // The connection that ended with the daemon was not cut before.
        let knew = reach.resumed.iter().chain(&reach.acked);
        let old = knew.filter(|(at, _)| Some(*at) <= until).map(|(_, no)| *no).max();
        assert!(Some(known) >= old, "{line}: the journal says {known}, and at {until:?} the daemon knew more: {reach:?}");
        reach.daemon = (known, known);
        reach.resumed.clear();
    }
}
