//! Drivers with a fault: a certain byte from the board triggers it.

use std::panic::resume_unwind;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use flagfall::config::Loaded;
use flagfall::daemon::{Daemon, Patience, StationConfig, station_configs};
use flagfall::journal::{Disk, Recovered, outs_from, read};
use flagfall_protocols::driver::{Driver, DriverInfo, Input, Output};
use flagfall_protocols::drivers;
use flagfall_protocols::time::Instant;
use flagfall_protocols::trace::{Audience, Body};

use crate::support::hall::subscriber::{ReceivedMessage, Subscriber};
use crate::support::hall::table::Table;
use crate::support::hall::{RunningDaemon, TestHall};
use crate::support::waiting::pause;

/// The byte that triggers the fault; no message of the board has it.
pub(crate) const TRIGGER: u8 = 0x7e;
/// The time that a station may take in these tests; it is long enough for a busy machine.
pub(crate) const PATIENCE: Patience = Patience { serving: Duration::from_secs(3), opening: Duration::from_secs(3) };

/// How often each fault was triggered.
static TRIGGERED: [AtomicUsize; 5] = [const { AtomicUsize::new(0) }; 5];
/// Whether a driver that hangs may continue.
pub(crate) static RELEASED: [AtomicBool; 5] = [const { AtomicBool::new(false) }; 5];

/// The faults that the byte triggers.
pub(crate) const PANICS_ONCE: usize = 0;
pub(crate) const PANICS_ALWAYS: usize = 1;
pub(crate) const HANGS_ONCE: usize = 2;
pub(crate) const HANGS_ALWAYS: usize = 3;
/// It hangs for less time than a station may take.
pub(crate) const HELD_UP: usize = 4;

/// How often this fault was triggered.
pub(crate) fn trigger_count(fault: usize) -> usize {
    TRIGGERED[fault].load(Ordering::SeqCst)
}

struct Faulty<const FAULT: usize>(Box<dyn Driver>);

impl<const FAULT: usize> Driver for Faulty<FAULT> {
    fn handle(&mut self, at: Instant, input: Input<'_>) {
        if matches!(input, Input::Bytes { bytes, .. } if bytes.contains(&TRIGGER)) {
            let before = TRIGGERED[FAULT].fetch_add(1, Ordering::SeqCst);
            match FAULT {
                // With RUST_BACKTRACE the report of a panic takes seconds on a busy machine, and the station would count as one that hangs.
                PANICS_ONCE if before == 0 => resume_unwind(Box::new("the fault of this test")),
                PANICS_ALWAYS => resume_unwind(Box::new("the repeated fault of this test")),
                HANGS_ONCE if before > 0 => {}
                HANGS_ONCE | HANGS_ALWAYS | HELD_UP => {
                    while !RELEASED[FAULT].load(Ordering::SeqCst) {
                        std::thread::park_timeout(Duration::from_millis(5));
                    }
                }
                _ => {}
            }
        }
        self.0.handle(at, input);
    }

    fn poll(&mut self) -> Option<Output> {
        self.0.poll()
    }

    fn deadline(&self) -> Option<Instant> {
        self.0.deadline()
    }
}

fn working_driver() -> &'static DriverInfo {
    drivers::find("dgt").expect("registered")
}

fn make_faulty<const FAULT: usize>() -> Box<dyn Driver> {
    Box::new(Faulty::<FAULT>(working_driver().start()))
}

/// Starts a daemon whose first board has a driver with this fault, and a subscriber to everything.
pub(crate) fn start_daemon<const FAULT: usize>(hall: &TestHall, tables: &[Table]) -> (RunningDaemon, Subscriber) {
    let loaded: Loaded = hall.loaded(tables.iter().map(|table| table.by_port(hall)).collect());
    let mut station_configs: Vec<StationConfig> = station_configs(&loaded.config, 0).expect("settings");
    station_configs[0].setting.driver = Box::leak(Box::new(DriverInfo { make: make_faulty::<FAULT>, ..*working_driver() }));
    let patience = if FAULT == HELD_UP { Patience { serving: Duration::from_secs(60), ..PATIENCE } } else { PATIENCE };
    RunningDaemon::heard_with(async move || Daemon::start_with(&loaded, station_configs, patience).await.expect("starts"))
}

/// Waits until all boards are online, starts their scripts, and after this time and one more move sends the trigger of the fault to the
/// first board, whose players think then: a thread that hangs loses what it read together with the trigger. Returns how many messages
/// had come before that.
pub(crate) fn play_until_fault(subscriber: &Subscriber, tables: &[Table], after: Duration) -> usize {
    tables.iter().for_each(|table| drop(subscriber.device(&table.id, &["online"], 0)));
    tables.iter().for_each(|table| table.board.load(&table.script).expect("hands"));
    pause(after);
    let moved = |received: &ReceivedMessage| received.topic.ends_with("/live/ev/1/b0/move").then_some(());
    subscriber.wait("a move", subscriber.count(), moved);
    let before = subscriber.count();
    tables[0].board.inject(&[TRIGGER]).expect("running");
    before
}

/// Waits until the node's health names exactly these boards as failed.
#[track_caller]
pub(crate) fn wait_for_failed_boards(subscriber: &Subscriber, boards: &[&str]) {
    let reported = |received: &ReceivedMessage| {
        let list = received.body()["failed_boards"].as_array().filter(|_| received.topic.ends_with("/health"))?;
        (list.iter().map(|board| board.as_str().unwrap_or("")).collect::<Vec<_>>() == boards).then_some(())
    };
    subscriber.wait(&format!("failed boards {boards:?}"), 0, reported);
}

/// Reads the journal of a board.
pub(crate) fn read_journal(hall: &TestHall, board: &str) -> Recovered {
    read(&mut Disk::reading(&hall.journal().join(board))).expect("a journal")
}

/// All bytes that came from the board.
pub(crate) fn received_bytes(recovered: &Recovered) -> Vec<u8> {
    let received = recovered.records().filter_map(|record| match record.body {
        Body::Rx { bytes, .. } => Some(bytes),
        _ => None,
    });
    received.flat_map(|bytes| bytes.to_vec()).collect()
}

/// Checks that a journal has no damage and no gap in its numbers; returns all received bytes.
pub(crate) fn read_sound_journal(hall: &TestHall, board: &str) -> Vec<u8> {
    let recovered = read_journal(hall, board);
    assert!(recovered.damage.described.is_empty(), "{board}: {:?}", recovered.damage.described);
    let (mut last, mut numbers) = (0, [0u64; 3]);
    for record in recovered.records() {
        assert_eq!(record.seq, last + 1, "{board}");
        last = record.seq;
        if let Body::Out { number, audience, .. } = record.body {
            let before: &mut u64 = &mut numbers[audience as usize];
            assert_eq!(number, *before + 1, "{board}, {}", audience.name());
            *before = number;
        }
    }
    assert!(numbers[Audience::Live as usize] > 0, "{board}: no events");
    received_bytes(&recovered)
}

/// Checks that every event of the board's journal was published.
pub(crate) fn assert_all_events_published(hall: &TestHall, subscriber: &Subscriber, board: &str) {
    let received = subscriber.all();
    for audience in Audience::ALL {
        let (outs, _) = outs_from(&hall.journal().join(board), audience, 1, usize::MAX).expect("a journal");
        for out in outs {
            let is_it =
                |received: &ReceivedMessage| received.topic == out.topic && received.message["no"].as_u64() == Some(out.number);
            assert!(received.iter().any(is_it), "{} {} was not sent", out.topic, out.number);
        }
    }
}

/// Checks that no two events have the same number.
pub(crate) fn assert_numbers_are_unique(subscriber: &Subscriber, board: &str) {
    let mut seen = std::collections::BTreeMap::new();
    for received in subscriber.all().into_iter().filter(|received| received.topic.contains(&format!("/{board}/"))) {
        let Some(number) = received.message["no"].as_u64() else { continue };
        let audience = received.topic.split('/').nth(2).unwrap_or("").to_owned();
        let what = (received.message["type"].clone(), received.body().clone());
        let first = seen.entry((audience, number)).or_insert_with(|| what.clone());
        assert_eq!(*first, what, "two events have number {number}");
    }
}
