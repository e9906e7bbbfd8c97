//! Tests the limits for commands, and the answers to commands that are refused before they reach a station.

use std::sync::atomic::{AtomicBool, AtomicU64};

use super::super::network::read_wall_clock;
use super::super::shared::Shared;
use super::*;
use crate::mqtt::outbox::{Outbox, Taken};

/// What happens to `count` commands that come at once.
fn ways(gate: &mut Gate, who: Option<&str>, role: Option<Role>, length: usize, at: u64, count: usize) -> Vec<Option<Code>> {
    let way = |gate: &mut Gate| gate.check(who, "b1", role, length, MonotonicTime(at * 1_000_000));
    (0..count)
        .filter_map(|_| match way(gate) {
            Passage::Admit => Some(None),
            Passage::Answer(fault) => Some(Some(fault.code)),
            Passage::Drop => None,
        })
        .collect()
}

#[test]
fn a_user_who_sends_too_many_commands_gets_one_answer_a_second() {
    let mut gate = Gate::new();
    let role = Some(Role::Arbiter);
    let busy = [None, None, None, None, None, Some(Code::Busy)];
    assert_eq!(ways(&mut gate, Some("anna"), role, 10, 1, 1000), busy);
    assert_eq!(ways(&mut gate, Some("anna"), role, 10, 2, 1000), busy);
    assert_eq!(ways(&mut gate, Some("bob"), role, 10, 2, 1000), busy, "each user has an own limit");
}

#[test]
fn a_payload_that_is_too_long_reaches_no_station() {
    let mut gate = Gate::new();
    let role = Some(Role::Chief);
    assert_eq!(ways(&mut gate, Some("anna"), role, MAX_PAYLOAD + 1, 1, 100), [Some(Code::Invalid)]);
    assert_eq!(ways(&mut gate, Some("bob"), role, MAX_PAYLOAD, 1, 1), [None]);
    assert_eq!(ways(&mut gate, None, None, MAX_PAYLOAD + 1, 1, 100), [Some(Code::Denied)]);
}

#[test]
fn strangers_are_recorded_a_few_times_a_minute_whatever_their_names() {
    let mut gate = Gate::new();
    let mut recorded = 0;
    for second in 1..=60 {
        let ways = ways(&mut gate, None, None, 10, second, 200);
        recorded += ways.iter().filter(|way| way.is_none()).count();
        assert!(ways.iter().flatten().count() <= 1, "{ways:?}");
    }
    assert!((3..=6).contains(&recorded), "{recorded}");
    // A user who is known, but not for this board.
    assert!(ways(&mut gate, Some("arne"), None, 10, 60, 5).len() <= 2);
    assert_eq!(ways(&mut gate, Some("anna"), Some(Role::Operator), 10, 60, 5), [None; 5]);
}

/// The answers to one command of a user with a role on the board and to one of a user without.
fn answers(prepare: impl Fn(&StationHandle)) -> Vec<(String, String)> {
    let role = User { role: Role::Arbiter, boards: Vec::new() };
    let config = Config { user: BTreeMap::from([("anna".to_owned(), role)]), ..Config::default() };
    let handle = Arc::new(StationHandle::new("b1", None));
    prepare(&handle);
    let shared = Arc::new(Shared {
        node: "pi-1".to_owned(),
        boot: 1,
        run: String::new(),
        outbox: Outbox::new(),
        disk: Arc::default(),
        worker: Arc::default(),
        reactor: flagfall_hardware::reactor::Reactor::start(crate::daemon::link::micros).expect("a thread"),
        lines: Default::default(),
        adapter: None,
        radio: Mutex::new(None),
        wall_clock: Mutex::new(read_wall_clock().1),
        wall_clock_seen_at: AtomicU64::new(0),
        connected: AtomicBool::new(true),
        starts_anew: AtomicBool::new(false),
        stops: AtomicBool::new(false),
        scheduler: Arc::default(),
    });
    let node = Node::new(&config, Arc::clone(&shared), vec![Arc::clone(&handle)]);
    let receiver = CommandReceiver::new(&config, Arc::new(Users::new(config.user.clone())), vec![handle]);
    for user in ["anna", "screen-1"] {
        let (event, round) = (&config.event.id, &config.event.round);
        let topic = format!("{}/1/cmd/{user}/{event}/{round}/b1/resync", config.mqtt.root);
        let payload = br#"{"id":"a","reply_to":"flagfall/1/reply/anna/tablet"}"#.to_vec();
        receiver.receive(&node, Arrived { topic, payload, retain: false, response_topic: None, correlation: None });
    }
    shared.outbox.connected(system_clock::monotonic(), 10);
    std::iter::from_fn(|| shared.outbox.take_next(system_clock::monotonic()))
        .filter_map(|taken| match taken {
            Taken::Publication(publication) => Some((publication.topic, publication.payload)),
            Taken::BirthOver => None,
        })
        .collect()
}

#[test]
fn a_board_that_another_node_serves_answers_nobody() {
    assert_eq!(answers(|handle| handle.set_withheld(true)), []);
    assert_eq!(answers(|_| ()), [], "the station answers");
}

#[test]
fn a_full_inbox_is_answered_to_a_user_with_a_role() {
    let full = |handle: &StationHandle| while handle.inbox.offer(ToStation::Stop) {};
    let answers = answers(full);
    let [(topic, payload)] = answers.as_slice() else { panic!("{answers:?}") };
    assert_eq!(topic, "flagfall/1/reply/anna/tablet");
    assert!(payload.contains("\"code\":\"busy\"") && !payload.contains("\"rev\""), "{payload}");
}
