//! Tests the task of a line: when it runs late, and when a board is bound to the line later.

use std::time::Duration;

use flagfall_protocols::drivers::dgt_bus::INFO;
use flagfall_protocols::drivers::dgt_bus::frame::encode_reply;

use super::*;

const ADDRESS: u16 = 1025;

/// A line with one board, on a port that does not exist: only a test sends and receives.
fn task() -> LineTask {
    let wanted =
        port::Wanted { driver: &INFO, port: Some("/nowhere".into()), usb_serial: None, serial: None, folders: Vec::new() };
    let reactor = Reactor::start(crate::daemon::link::micros).expect("a thread");
    let port = PortLink::start(&reactor, wanted, Box::new(|_, _| true));
    let inbox: Arc<Inbox<ToLine>> = Arc::default();
    LineTask {
        owner: inbox.replace_owner(None),
        inbox,
        port,
        expected: vec![ADDRESS],
        line: Line::new(&[ADDRESS]),
        path: None,
        problem: None,
        boards: BTreeMap::new(),
    }
}

/// The line's task has no turn for 0.4 s while an answer waits. When it has one it sends the next question and waits for that answer
/// as long as ever.
#[test]
fn a_question_that_is_asked_late_has_its_whole_time() {
    let (mut task, station) = (task(), Arc::new(Inbox::default()));
    let owner = station.replace_owner(None);
    let at = |millis: u64| MonotonicTime(1_000_000 + 1000 * millis);
    let mut answer = Vec::new();
    encode_reply(0x87, ADDRESS, &[], &mut answer);
    task.handle_item(at(0), ToLine::Join { address: ADDRESS, inbox: Arc::clone(&station) });
    task.handle_item(at(0), ToLine::Up { path: "/nowhere".to_owned() });
    task.handle_deadline(at(0));
    task.handle_item(at(400), ToLine::Bytes { at: at(15), bytes: answer });
    for _ in 0..100 {
        task.handle_deadline(at(400));
    }
    assert!(task.line.deadline().is_some_and(|due| due.0 >= at(480).0), "{:?}", task.line.deadline());
    let reported = std::iter::from_fn(|| station.pop_if(owner, |_| true));
    assert!(!reported.into_iter().any(|item| matches!(item, ToStation::Down { .. })));
    // No answer comes: after all repetitions the board is silent.
    let mut now = at(400);
    while task.line.boards().next().is_some() && now.0 < at(1000).0 {
        now = now.after(Duration::from_millis(1));
        task.handle_deadline(now);
    }
    let reported = std::iter::from_fn(|| station.pop_if(owner, |_| true));
    assert!(reported.into_iter().any(|item| matches!(item, ToStation::Down { cause: "silent", .. })));
}

/// A spare board is put on the line in the middle of a round, and an arbiter binds it.
#[test]
fn a_board_that_is_bound_later_is_reported_as_silent_until_it_answers() {
    const SPARE: u16 = 77;
    let (mut task, station) = (task(), Arc::new(Inbox::default()));
    let owner = station.replace_owner(None);
    let reported = || -> Vec<ToStation> { std::iter::from_fn(|| station.pop_if(owner, |_| true)).collect() };
    let mut now = MonotonicTime(1_000_000);
    task.handle_item(now, ToLine::Up { path: "/nowhere".to_owned() });
    while !task.line.polling() {
        now = now.after(Duration::from_millis(1));
        task.handle_deadline(now);
    }
    task.handle_item(now, ToLine::Leave { address: ADDRESS });
    task.handle_item(now, ToLine::Join { address: SPARE, inbox: Arc::clone(&station) });
    assert!(matches!(&reported()[..], [ToStation::Missing { problem, .. }] if problem == UNANSWERED));
    assert_eq!((&task.expected[..], task.line.boards().collect::<Vec<_>>()), (&[SPARE][..], vec![SPARE]));
    // The line pings it until it answers.
    let mut answer = Vec::new();
    encode_reply(0x87, SPARE, &[], &mut answer);
    for _ in 0..2_000 {
        now = now.after(Duration::from_millis(1));
        task.handle_deadline(now);
        task.handle_item(now, ToLine::Bytes { at: now, bytes: answer.clone() });
    }
    assert!(matches!(&reported()[..], [ToStation::Up { port, .. }, ..] if port == "/nowhere, address 77"));
}
