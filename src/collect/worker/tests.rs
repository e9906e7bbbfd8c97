use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

use super::*;
use crate::collect::body::GameBody;

/// Answers as the test says, and reports what it got.
struct Scripted {
    got: SyncSender<(String, String)>,
    answers: Receiver<Verdict>,
}

impl Sink for Scripted {
    fn send(&mut self, body: &RoundBody) -> Answer {
        self.got.send((body.round.clone(), body.index.clone())).expect("the test listens");
        let verdict = self.answers.recv().expect("an answer");
        assert_ne!(verdict, Verdict::Retry(Some(Duration::from_secs(999))), "a planted panic");
        Answer { verdict, ..Answer::accepted() }
    }

    fn reset(&mut self, body: &RoundBody) -> Answer {
        self.got.send((body.round.clone(), "reset".to_owned())).expect("the test listens");
        Answer::accepted()
    }
}

struct Rig {
    worker: Worker,
    got: Receiver<(String, String)>,
    answers: SyncSender<Verdict>,
    reports: mpsc::Receiver<Report>,
}

fn rig(pace: Pace) -> Rig {
    let (got, gets) = sync_channel(16);
    let (answers, answered) = sync_channel(16);
    let (report, reports) = mpsc::channel(16);
    let worker = Worker::start(3, "test", Box::new(Scripted { got, answers: answered }), pace, report).expect("a thread");
    Rig { worker, got: gets, answers, reports }
}

const AT_ONCE: Pace = Pace { every: Duration::ZERO, heartbeat: None };

fn body(round: &str, what: &str) -> Arc<RoundBody> {
    let games = vec![Arc::new(GameBody { is_on: true, ..GameBody::default() })];
    Arc::new(RoundBody { round: round.to_owned(), index: what.to_owned(), is_current: true, games, ..RoundBody::default() })
}

impl Rig {
    fn got(&self) -> (String, String) {
        self.got.recv_timeout(Duration::from_secs(20)).expect("something is sent")
    }

    fn sends(&self, round: &str, what: &str) {
        assert_eq!(self.got(), (round.to_owned(), what.to_owned()));
    }
}

#[test]
fn the_newest_body_takes_the_place_of_one_that_waits() {
    let rig = rig(AT_ONCE);
    rig.worker.submit(body("1", "a"));
    rig.sends("1", "a");
    for what in ["b", "c", "d"] {
        rig.worker.submit(body("1", what));
    }
    rig.answers.send(Verdict::Accepted).expect("it waits");
    rig.sends("1", "d");
    rig.answers.send(Verdict::Accepted).expect("it waits");
}

#[test]
fn a_failed_body_is_sent_again_and_another_round_does_not_wait_for_it() {
    let mut rig = rig(AT_ONCE);
    rig.worker.submit(body("1", "a"));
    rig.sends("1", "a");
    rig.worker.submit(body("2", "b"));
    rig.answers.send(Verdict::Retry(Some(Duration::from_millis(300)))).expect("it waits");
    rig.sends("2", "b");
    rig.answers.send(Verdict::Accepted).expect("it waits");
    rig.sends("1", "a");
    rig.answers.send(Verdict::Accepted).expect("it waits");
    let verdicts: Vec<Verdict> = (0..3).map(|_| rig.reports.blocking_recv().expect("a report").answer.verdict).collect();
    assert_eq!(verdicts, [Verdict::Retry(Some(Duration::from_millis(300))), Verdict::Accepted, Verdict::Accepted]);
}

#[test]
fn a_request_does_not_wait_for_a_refusal() {
    let rig = rig(AT_ONCE);
    rig.worker.submit(body("1", "a"));
    rig.sends("1", "a");
    rig.answers.send(Verdict::Refused).expect("it waits");
    rig.worker.submit(body("1", "b"));
    rig.worker.send_now(body("1", "c"), true);
    rig.sends("1", "reset");
    rig.sends("1", "c");
    rig.answers.send(Verdict::Accepted).expect("it waits");
}

#[test]
fn a_panic_is_a_failure_of_the_output() {
    let mut rig = rig(AT_ONCE);
    rig.worker.submit(body("1", "a"));
    rig.sends("1", "a");
    rig.answers.send(Verdict::Retry(Some(Duration::from_secs(999)))).expect("it waits");
    let report = rig.reports.blocking_recv().expect("a report");
    assert_eq!((report.output, report.answer.verdict), (3, Verdict::Retry(None)));
    assert!(report.answer.message.contains("fault"), "{:?}", report.answer);
    rig.worker.send_now(body("1", "b"), false);
    rig.sends("1", "b");
    rig.answers.send(Verdict::Accepted).expect("it waits");
}

#[test]
fn a_round_that_is_on_has_a_heartbeat() {
    let rig = rig(Pace { every: Duration::ZERO, heartbeat: Some(Duration::from_millis(50)) });
    rig.worker.submit(body("1", "a"));
    for _ in 0..3 {
        rig.sends("1", "a");
        rig.answers.send(Verdict::Accepted).expect("it waits");
    }
}

#[test]
fn what_is_withheld_is_not_sent_again() {
    let mut rig = rig(AT_ONCE);
    rig.worker.submit(body("1", "a"));
    rig.sends("1", "a");
    rig.worker.withhold();
    rig.answers.send(Verdict::Retry(Some(Duration::ZERO))).expect("it waits");
    rig.reports.blocking_recv().expect("a report");
    rig.worker.submit(body("2", "b"));
    rig.sends("2", "b");
    rig.answers.send(Verdict::Accepted).expect("it waits");
}

#[test]
fn a_stop_ends_the_thread() {
    let mut rig = rig(AT_ONCE);
    rig.worker.stop();
    rig.worker.wait_for_end(monotonic().after(Duration::from_secs(20)));
    assert!(rig.worker.thread.is_none());
}

#[test]
fn waits_grow_to_a_minute() {
    let seconds: Vec<u64> = (0..8).map(|failed| wait_after(failed, 250).as_secs()).collect();
    assert_eq!(seconds, [2, 4, 8, 16, 32, 60, 60, 60]);
}
