//! The journal has a real cap, whatever a device sends: bytes that are no messages are recorded up to a rate, and a session has a
//! largest length.

use std::time::Duration;

use fastrand::Rng;
use flagfall::journal::{AppendError, Disk, Journal, Limits, read};
use flagfall::session::recorder::{BURST, FLOODED, PER_SECOND, Recorder};
use flagfall::session::setting::Setting;
use flagfall::session::verify::verify;
use flagfall_protocols::drivers::{DRIVERS, find};
use flagfall_protocols::time::Instant;
use flagfall_protocols::trace::{Audience, Body, Trace};

use crate::support::fake_disk::{FakeDisk, open};
use crate::support::tapes::memory::Memory;

const UP: Body<'static> = Body::Link { link: 0, up: true, cause: "opened" };

/// A board, its journal, and the time.
struct Flood {
    memory: Memory,
    recorder: Recorder,
    now: Instant,
}

impl Flood {
    fn start(driver: &str) -> Flood {
        let setting = Setting::new(find(driver).expect("registered"));
        let memory = Memory::default();
        let limits = Limits { cap: u64::MAX, ..Limits::default() };
        let opened = Recorder::open(Box::new(memory.clone()), limits, &setting, "s", &mut |_| Ok(()));
        let mut flood = Flood { memory, recorder: opened.expect("opens").0, now: Instant::ZERO };
        flood.feed(&UP);
        flood
    }

    fn feed(&mut self, body: &Body<'_>) {
        self.recorder.feed(self.now, body, &mut |_| Ok(())).expect("an input");
    }

    fn pass(&mut self, time: Duration) {
        self.now = self.now.after(time);
        self.recorder.advance(self.now, &mut |_| Ok(())).expect("time passes");
    }

    /// Sends random bytes, a piece of `len` bytes every 10 ms. Returns how many bytes were sent.
    fn send_garbage(&mut self, rng: &mut Rng, pieces: usize, len: usize) -> u64 {
        for _ in 0..pieces {
            let bytes: Vec<u8> = (0..len).map(|_| rng.u8(..)).collect();
            self.pass(Duration::from_millis(10));
            self.feed(&Body::Rx { link: 0, channel: 0, bytes: bytes.into() });
        }
        (pieces * len) as u64
    }

    /// The journal's text.
    fn text(&mut self) -> String {
        self.recorder.flush(self.now).expect("the disk takes it");
        self.memory.files().into_iter().map(|(_, text)| text).collect()
    }
}

#[test]
fn garbage_of_every_driver_is_recorded_up_to_a_rate() {
    let mut rng = Rng::with_seed(1);
    for driver in DRIVERS.iter().filter(|driver| driver.calibrated.is_none()) {
        let mut flood = Flood::start(driver.name);
        flood.send_garbage(&mut rng, 1000, 1000);
        let text = flood.text();
        // What the game makes of it, and each record's own text, are beside the budget.
        let most = 2 * (BURST + PER_SECOND * 10);
        assert!(text.len() as u64 <= most, "{}: {} bytes of journal, at most {most}", driver.name, text.len());
    }
}

#[test]
fn bytes_that_were_left_out_are_counted_and_a_replay_gives_the_same() {
    let mut flood = Flood::start("dgt");
    let mut rng = Rng::with_seed(2);
    let sent = flood.send_garbage(&mut rng, 300, 1000);
    let left_out = flood.recorder.left_out(0).expect("the link counts as down");
    // It is opened again by itself, also if nothing arrives.
    flood.pass(Duration::from_secs(120));
    assert_eq!((flood.recorder.left_out(0), flood.recorder.all_left_out(0)), (None, left_out));
    // The line is still bad: little is enough now.
    flood.send_garbage(&mut rng, 60, 1000);
    assert!(flood.recorder.left_out(0).is_some());
    // The cable is pulled and put in: the board's own link counts.
    flood.feed(&Body::Link { link: 0, up: false, cause: "unplugged" });
    flood.feed(&UP);
    assert_eq!(flood.recorder.left_out(0), None);
    let text = flood.text();
    let trace = Trace::new(text.as_bytes()).expect("a journal");
    let records: Vec<_> = trace.records().map(|record| record.expect("whole").1).collect();
    let recorded = |until: usize| -> u64 {
        let rx = records[..until]
            .iter()
            .filter_map(|record| if let Body::Rx { bytes, .. } = &record.body { Some(bytes.len()) } else { None });
        rx.sum::<usize>() as u64
    };
    let reopened = format!("after-{left_out}");
    let place = records.iter().position(|record| matches!(record.body, Body::Link { up: true, cause, .. } if cause == reopened));
    assert_eq!(recorded(place.expect("the link is opened again")) + left_out, sent, "every byte is recorded or counted");
    let flooded = records.iter().filter(|record| matches!(record.body, Body::Link { up: false, cause: FLOODED, .. })).count();
    assert_eq!(flooded, 2);
    let verified = verify(&trace, &Setting::new(find("dgt").expect("registered"))).expect("whole");
    assert_eq!((verified.differing, verified.differences), (0, Vec::new()));
    let digest = flood.recorder.station().digest();
    let setting = Setting::new(find("dgt").expect("registered"));
    let (again, report) =
        Recorder::open(Box::new(flood.memory.clone()), Limits::default(), &setting, "s", &mut |_| Ok(())).expect("opens");
    assert_eq!((again.station().digest(), report.verified.differing), (digest, 0));
}

#[test]
fn a_board_that_only_stutters_is_never_left_out() {
    let mut flood = Flood::start("dgt");
    let mut rng = Rng::with_seed(3);
    // A hundred wrong bytes a second, for ten minutes.
    for _ in 0..600 {
        flood.send_garbage(&mut rng, 1, 100);
        flood.pass(Duration::from_secs(1));
        assert_eq!(flood.recorder.left_out(0), None);
    }
}

/// The length of all files in a folder.
fn on_disk(dir: &std::path::Path) -> u64 {
    let files = std::fs::read_dir(dir).expect("a folder").map(|entry| entry.expect("an entry").metadata().expect("a file").len());
    files.sum()
}

#[test]
fn messages_at_full_speed_do_not_exceed_the_cap_on_a_real_disk() {
    let dir = tempfile::tempdir().expect("a folder");
    let limits = Limits { file: 20_000, total: 100_000, cap: 100_000, ..Limits::default() };
    let setting = Setting::new(find("dgt").expect("registered"));
    for session in ["old", "new"] {
        let disk = Box::new(Disk::open(dir.path()).expect("free"));
        let (mut recorder, _) = Recorder::open(disk, limits, &setting, session, &mut |_| Ok(())).expect("opens");
        let mut now = recorder.journal().standing().last_at;
        recorder.feed(now, &UP, &mut |_| Ok(())).expect("an input");
        for n in 0..6000_u32 {
            now = now.after(Duration::from_millis(20));
            // A man is lifted and put back.
            let square = [0x8e, 0, 5, 12, if n % 2 == 0 { 0 } else { 1 }];
            recorder.feed(now, &Body::Rx { link: 0, channel: 0, bytes: square.as_slice().into() }, &mut |_| Ok(())).expect("fed");
            recorder.advance(now, &mut |_| Ok(())).expect("time passes");
            assert!(n % 100 != 0 || on_disk(dir.path()) <= limits.cap + 200, "{session} {n}: {}", on_disk(dir.path()));
        }
        let status = recorder.journal().status();
        assert!(status.full && status.given_up > 0 && recorder.unrecorded() > 0, "{session}: {status:?}");
    }
    let recovered = read(&mut Disk::reading(dir.path())).expect("readable");
    assert_eq!(recovered.session(), Some("new"));
    assert!(on_disk(dir.path()) <= limits.cap + 200, "the old session made room: {}", on_disk(dir.path()));
}

#[test]
fn the_last_eighth_is_for_records_that_no_device_sends() {
    let disk = FakeDisk::new(0);
    let limits = Limits { file: 1000, cap: 8000, ..Limits::default() };
    let (mut journal, _) = open(&disk, limits);
    journal.begin("r1", &[], Instant(0)).expect("a good session");
    let fill = |journal: &mut Journal, body: Body<'static>| {
        while journal.append(Instant(1), body.clone()).is_ok() {
            journal.flush(Instant(1)).expect("the disk is fine");
        }
        disk.files().values().map(Vec::len).sum::<usize>()
    };
    let rx = Body::Rx { link: 0, channel: 0, bytes: (&[1, 2, 3][..]).into() };
    let devices = fill(&mut journal, rx.clone());
    assert!((6800..=7000).contains(&devices), "{devices}");
    let out = Body::Out { number: 0, audience: Audience::Live, topic: "a/b", retain: false, payload: "{}" };
    let all = fill(&mut journal, out);
    assert!((7800..=8000 + 100).contains(&all), "{all}");
    assert!(journal.status().full);
    // The next session has room, and the old one is deleted only above the total.
    journal.begin("r2", &[], Instant(2)).expect("a good session");
    journal.append(Instant(3), rx).expect("room");
    assert!(!journal.status().full);
    assert!(matches!(fill(&mut journal, Body::Boot("{}")), 1..));
    assert!(matches!(journal.append(Instant(4), Body::Boot("{}")), Err(AppendError::GivenUp(_))));
}
