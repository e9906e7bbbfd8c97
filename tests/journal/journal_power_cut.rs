//! Three journals with one commit log, compared with a model: random actions, failures and power cuts; a failure names its seed.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use fastrand::Rng;
use flagfall::journal::commit_log::{self, CommitLog};
use flagfall::journal::{AppendError, Journal, Keep, Limits, Recovered, Stamp, Unsynced};
use flagfall_protocols::time::Instant;
use flagfall_protocols::trace::{Audience, Body, Record};

use crate::support::fake_disk::{FakeDisk, line, open};
use crate::support::seeds::{campaign, ordinary};

/// These seeds have ten thousand power cuts together.
const SEEDS: u64 = 2_842;

/// The records that must be in the journal.
#[derive(Default)]
struct Model {
    /// All accepted records, by sequence number.
    lines: BTreeMap<u64, String>,
    /// Records below this are on the disk.
    durable: u64,
    /// Records from here on belong to the session that goes on and are never deleted.
    session_from: u64,
    deleted: bool,
    /// The numbers of accepted outputs, by the sequence number of their record.
    outs: BTreeMap<u64, (Audience, u64)>,
    durable_outs: [u64; 3],
}

impl Model {
    fn check(&self, recovered: &Recovered) {
        let mut seen = BTreeMap::new();
        let mut last = None;
        for record in recovered.records() {
            assert_eq!(self.lines.get(&record.seq), Some(&line(&record)), "not what was appended");
            assert!(last < Some((record.seq, record.at)), "out of order");
            last = Some((record.seq, record.at));
            seen.insert(record.seq, ());
        }
        let from = if self.deleted { self.session_from } else { 0 };
        for seq in self.lines.range(from..self.durable.max(from)).map(|(seq, _)| seq) {
            assert!(seen.contains_key(seq), "record {seq} was on the disk: {:?}", recovered.damage);
        }
        let standing = &recovered.standing;
        let newest = self.lines.range(..self.durable).next_back();
        assert!(newest.is_none_or(|(&seq, _)| seq < standing.next_seq), "sequence numbers would be used again");
        assert!(last.is_none_or(|(seq, at)| seq < standing.next_seq && at <= standing.last_at));
        for audience in Audience::ALL {
            assert!(standing.next_out(audience) > self.durable_outs[audience as usize], "numbers would be used again");
        }
    }

    /// Forgets the records that were not recovered, except those in deleted files, which may come back with the next power cut.
    fn restart(&mut self, recovered: &Recovered) {
        let oldest = recovered.records().next().map_or(recovered.standing.next_seq, |record| record.seq);
        self.lines.retain(|&seq, _| self.deleted && seq < oldest.min(self.session_from));
        self.lines.extend(recovered.records().map(|record| (record.seq, line(&record))));
        self.durable = recovered.standing.next_seq;
        self.session_from = recovered.session_records().next().map_or(self.durable, |record| record.seq);
        self.outs.clear();
        self.durable_outs = Audience::ALL.map(|audience| recovered.standing.next_out(audience) - 1);
    }

    /// All accepted records are on the disk now.
    fn synced(&mut self, journal: &Journal) {
        self.synced_below(journal.standing().next_seq);
    }

    /// Records below `next_seq` are on the disk now.
    fn synced_below(&mut self, next_seq: u64) {
        self.durable = next_seq.max(self.durable);
        for (audience, number) in self.outs.range(..self.durable).map(|(_, out)| *out) {
            let highest = &mut self.durable_outs[audience as usize];
            *highest = number.max(*highest);
        }
    }
}

fn append(journal: &mut Journal, model: &mut Model, rng: &mut Rng, now: Instant) {
    let text = "x".repeat(rng.usize(1..40));
    let bytes: Vec<u8> = (0..rng.usize(1..20)).map(|_| rng.u8(..)).collect();
    let audience = Audience::ALL[rng.usize(0..3)];
    let number = journal.standing().next_out(audience);
    let sink = ["mqtt", "pgn"][rng.usize(0..2)];
    let body = match rng.u8(0..9) {
        0..3 => Body::Rx { link: 0, channel: 0, bytes: Cow::Borrowed(&bytes) },
        3 => Body::Tx { link: 0, channel: 0, bytes: Cow::Borrowed(&bytes) },
        4 => Body::Cmd(&text),
        5 => Body::Boot(&text),
        6 => Body::Ack { sink, audience, number: number - 1 },
        _ => Body::Out { number, audience, topic: "a/b", retain: rng.bool(), payload: &text },
    };
    // The stamps of several links are not in order.
    let given = now.before(Duration::from_micros(rng.u64(0..1000)));
    match journal.append(given, body.clone()) {
        Ok(Stamp { seq, at }) => {
            assert!(at >= given);
            if let Body::Out { number, audience, .. } = body {
                model.outs.insert(seq, (audience, number));
            }
            let line = line(&Record { seq, at, body });
            assert_eq!(model.lines.insert(seq, line), None, "number {seq} used twice");
        }
        Err(AppendError::GivenUp(_)) => {}
        Err(error) => panic!("{error}"),
    }
}

/// One board: its journal, its bytes for the commit log, and its model.
struct Board {
    name: &'static str,
    journal: Journal,
    unsynced: Arc<Unsynced>,
    model: Model,
}

const BOARDS: [&str; 3] = ["b1", "b2", "b3"];

/// One sync for all boards, as by another thread.
fn commit(log: &mut CommitLog, boards: &[Board]) {
    log.commit(boards.iter().map(|board| (board.name, &*board.unsynced)));
}

fn act(Board { journal, model, unsynced, .. }: &mut Board, rng: &mut Rng, disk: &FakeDisk, now: Instant) {
    match rng.u8(0..38) {
        32..35 => {
            journal.hand_over(now);
            // Of a shared journal, the first call may find out that everything is on the disk, and the second one begins a new file.
            if Arc::strong_count(unsynced) > 1 {
                journal.hand_over(now);
                assert!(journal.flush_due().is_none_or(|due| due > now), "its owner would call it again at once, for ever");
            }
        }
        35..38 => {
            // The owner learns the results of the last syncs when it asks.
            journal.check_disk(now);
            model.synced_below(journal.durable_seq() + 1);
        }
        0..18 => append(journal, model, rng, now),
        18..20 => journal.write_out(),
        20..23 => {
            if journal.flush(now).is_ok() {
                model.synced(journal);
            }
        }
        23..27 => {
            // A finding could be sent after this.
            if journal.send_barrier(now).is_ok() {
                model.synced(journal);
            }
        }
        27 => {
            let from = journal.standing().next_seq;
            let session = ["r1-b12", "r2-b12", "r3-b12", "r4-b12"][rng.usize(0..4)];
            journal.begin(session, &[("driver", "dgt")], now).expect("a good session");
            model.session_from = from;
        }
        28 => disk.set_failure_rate([0.0, 0.1, 0.5][rng.usize(0..3)]),
        29 => disk.limit_free([None, None, Some(rng.usize(0..500))][rng.usize(0..3)]),
        30 if rng.u8(0..4) == 0 => disk.fail_power_after(Some(rng.u32(0..6))),
        _ => {
            disk.set_failure_rate(0.0);
            disk.limit_free(None);
        }
    }
    model.deleted |= journal.status().deleted > 0;
}

/// The first step of a start, before any journal is opened. A power cut may end it.
fn recover(disk: &FakeDisk) -> std::io::Result<commit_log::WrittenBack> {
    let mut folder = disk.folder(commit_log::FOLDER);
    commit_log::recover(&mut folder, &mut |board| Ok(Some(Box::new(disk.folder(board)))))
}

/// Plays several runs of three journals; returns the number of power cuts.
fn run(seed: u64) -> u64 {
    let mut rng = Rng::with_seed(seed);
    let disk = FakeDisk::new(seed ^ 0x5eed);
    let limits = Limits {
        file: rng.u64(300..4000),
        total: [3000, 1 << 20][rng.usize(0..2)],
        files: [3, 1000][rng.usize(0..2)],
        buffer: [400, 1 << 20][rng.usize(0..2)],
        ..Limits::default()
    };
    let most = rng.u64(100..3000);
    let mut models = BOARDS.map(|_| Model::default());
    let mut now = Instant::ZERO;
    let mut cuts = 0;
    for _ in 0..rng.u8(2..6) {
        while rng.u8(0..3) == 0 {
            // The power fails again during the repair after the last cut.
            disk.fail_power_after(Some(rng.u32(0..12)));
            if recover(&disk).is_ok_and(|done| done.problems.is_empty()) {
                for (name, model) in BOARDS.iter().zip(&models) {
                    if let Ok((_, recovered)) = Journal::open(Box::new(disk.folder(name)), limits, Keep::All) {
                        model.check(&recovered);
                    }
                }
            }
            disk.cut_power();
            cuts += 1;
        }
        let done = recover(&disk).expect("the disk is fine");
        assert_eq!((&done.problems[..], &done.left_alone[..]), (&[][..], &[][..]));
        let mut boards: Vec<Board> = Vec::new();
        for (name, mut model) in BOARDS.into_iter().zip(models) {
            let own = disk.folder(name);
            let (mut journal, recovered) = open(&own, limits);
            model.check(&recovered);
            model.restart(&recovered);
            if rng.u8(0..4) == 0 {
                let (again, twice) = open(&own, limits);
                assert!(twice.records().eq(recovered.records()), "opening again changes nothing");
                assert_eq!((&twice.standing, again.standing()), (&recovered.standing, &recovered.standing));
                journal = again;
            }
            let unsynced = Arc::<Unsynced>::default();
            // One journal syncs by itself, like that of a parked board.
            if rng.u8(0..4) > 0 {
                journal.share(Arc::clone(&unsynced), now);
                model.deleted |= journal.status().deleted > 0;
            }
            boards.push(Board { name, journal, unsynced, model });
        }
        let mut log = CommitLog::open(Box::new(disk.folder(commit_log::FOLDER)), most).expect("a folder");
        for _ in 0..rng.u8(0..150) {
            now = now.after(Duration::from_millis([0, 1, 100, 3000][rng.usize(0..4)]));
            match rng.u8(0..12) {
                0 => commit(&mut log, &boards),
                _ => act(&mut boards[rng.usize(0..3)], &mut rng, &disk, now),
            }
        }
        models = boards.into_iter().map(|board| board.model).collect::<Vec<_>>().try_into().unwrap_or_else(|_| unreachable!());
        if rng.bool() || disk.has_lost_pages() {
            disk.cut_power();
            cuts += 1;
        } else {
            // The program dies without a power cut.
            disk.fail_power_after(None);
            disk.set_failure_rate(0.0);
            disk.limit_free(None);
        }
    }
    cuts
}

#[test]
fn ten_thousand_power_cuts_lose_nothing_that_was_synced() {
    let mut cuts = 0;
    campaign("power cuts", 0..SEEDS, |seed| {
        let more = run(seed);
        cuts += more;
        more
    });
    assert!(!ordinary() || cuts >= 10_000, "only {cuts} cuts");
}
