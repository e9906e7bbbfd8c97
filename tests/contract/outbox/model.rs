//! Random actions, compared with a model of the outbox.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use flagfall::mqtt::outbox::{
    EVENTS, Ephemeral, Event, GUARANTEED_EVENTS, Outbox, Publication, Quality, REPLIES, Refill, Retained, Taken,
};
use flagfall::system_clock::MonotonicTime;
use flagfall_protocols::trace::Audience;
use proptest::prelude::*;

const BOARDS: usize = 3;
/// The number of unacknowledged publications that the brokers of these tests take at most.
pub(crate) const WINDOW: usize = 32;

/// An action of journal, broker or station.
#[derive(Clone, Debug)]
enum Act {
    /// Adds this number of events to a line.
    Events {
        board: usize,
        audience: usize,
        count: u64,
    },
    Keep {
        topic: u8,
        delete: bool,
    },
    Reply,
    Connect {
        window: usize,
    },
    Lose,
    Take {
        count: usize,
    },
    Ack {
        count: usize,
        from_behind: bool,
    },
    /// Answers an open request with at most this number of events, or reports that it failed.
    Answer {
        count: u64,
        fails: bool,
    },
    Rewind {
        board: usize,
        audience: usize,
        from: u64,
    },
    Hold {
        board: usize,
        held: bool,
    },
    Wait {
        seconds: u64,
    },
}

fn act() -> impl Strategy<Value = Act> {
    let line = || (0..BOARDS, 0..3usize);
    prop_oneof![
        6 => (line(), prop_oneof![9 => 1..20u64, 1 => 200..600u64])
            .prop_map(|((board, audience), count)| Act::Events { board, audience, count }),
        3 => (0..6u8, any::<bool>()).prop_map(|(topic, delete)| Act::Keep { topic, delete }),
        1 => Just(Act::Reply),
        2 => (1..=WINDOW).prop_map(|window| Act::Connect { window }),
        2 => Just(Act::Lose),
        8 => (1..60usize).prop_map(|count| Act::Take { count }),
        8 => (1..60usize, any::<bool>()).prop_map(|(count, from_behind)| Act::Ack { count, from_behind }),
        4 => (0..300u64, any::<bool>()).prop_map(|(count, fails)| Act::Answer { count, fails }),
        1 => (line(), 0..60u64).prop_map(|((board, audience), from)| Act::Rewind { board, audience, from }),
        1 => (0..BOARDS, any::<bool>()).prop_map(|(board, held)| Act::Hold { board, held }),
        2 => (0..5u64).prop_map(|seconds| Act::Wait { seconds }),
    ]
}

/// The model: journal, broker, and the expected state of the outbox.
struct Model {
    outbox: Arc<Outbox>,
    now: MonotonicTime,
    connected: bool,
    window: usize,
    /// The numbers of each line that were given, acknowledged and seen by the broker.
    journal: [[u64; 3]; BOARDS],
    acked: BTreeMap<(usize, usize), BTreeSet<u64>>,
    cursor: [[u64; 3]; BOARDS],
    /// The next number that may be sent on this connection.
    next: [[Option<u64>; 3]; BOARDS],
    seen: [[u64; 3]; BOARDS],
    held: [bool; BOARDS],
    flying: Vec<Publication>,
    open: Vec<Refill>,
    states: BTreeMap<String, String>,
    broker: BTreeMap<String, String>,
    versions: u64,
    replies: u64,
    answered: u64,
}

fn split(topic: &str) -> (usize, usize, u64) {
    let mut parts = topic.split('/').map(|part| part.parse().expect("a number"));
    let mut part = || parts.next().expect("three parts");
    (part() as usize, part() as usize, part())
}

pub(crate) fn event(board: usize, audience: usize, number: u64) -> Event {
    Event { audience: Audience::ALL[audience], number, topic: format!("{board}/{audience}/{number}"), payload: "{}".to_owned() }
}

impl Model {
    fn new(acked: u64, last: u64) -> Model {
        let outbox = Outbox::new();
        for board in 0..BOARDS {
            assert_eq!(outbox.add_board([acked; 3], [last; 3]), board);
        }
        let mut model = Model {
            outbox,
            now: MonotonicTime(0),
            connected: false,
            window: 0,
            journal: [[last; 3]; BOARDS],
            acked: BTreeMap::new(),
            cursor: [[acked; 3]; BOARDS],
            next: [[None; 3]; BOARDS],
            seen: [[acked; 3]; BOARDS],
            held: [false; BOARDS],
            flying: Vec::new(),
            open: Vec::new(),
            states: BTreeMap::new(),
            broker: BTreeMap::new(),
            versions: 0,
            replies: 0,
            answered: 0,
        };
        for board in 0..BOARDS {
            for audience in 0..3 {
                model.acked.insert((board, audience), (1..=acked).collect());
            }
        }
        model
    }

    fn act(&mut self, act: &Act) {
        match *act {
            Act::Events { board, audience, count } => {
                for _ in 0..count {
                    self.journal[board][audience] += 1;
                    self.outbox.publish_event(board, event(board, audience, self.journal[board][audience]));
                }
            }
            Act::Keep { topic, delete } => {
                self.versions += 1;
                let payload = if delete { String::new() } else { self.versions.to_string() };
                let quality = if topic == 0 { Quality::AtMostOnce } else { Quality::AtLeastOnce };
                let topic = format!("state/{topic}");
                self.states.insert(topic.clone(), payload.clone());
                self.outbox.publish_retained(Retained { topic, payload, quality, expiry: None });
            }
            Act::Reply => {
                self.replies += 1;
                let (topic, payload, correlation) = ("reply".to_owned(), self.replies.to_string(), None);
                self.outbox.publish_ephemeral(Ephemeral { topic, payload, correlation, expiry: Duration::from_secs(1_000_000) });
            }
            Act::Connect { window } => {
                self.lose();
                (self.connected, self.window) = (true, window);
                self.outbox.connected(self.now, window);
            }
            Act::Lose => self.lose(),
            Act::Take { count } => self.take(count),
            Act::Ack { count, from_behind } => self.ack(count, from_behind),
            Act::Answer { count, fails } => self.answer(count, fails),
            Act::Rewind { board, audience, from } => {
                self.outbox.rewind(board, Audience::ALL[audience], from);
                self.next[board][audience] = None;
            }
            Act::Hold { board, held } => {
                self.held[board] = held;
                self.outbox.hold(board, held);
            }
            Act::Wait { seconds } => self.now = self.now.after(Duration::from_secs(seconds)),
        }
        let counters = self.outbox.counters();
        assert!(counters.stored <= EVENTS + GUARANTEED_EVENTS * BOARDS * 3 && counters.flying <= WINDOW, "{counters:?}");
        assert_eq!((counters.missing, counters.refused), (0, 0));
    }

    fn lose(&mut self) {
        self.connected = false;
        self.flying.clear();
        self.next = [[None; 3]; BOARDS];
        self.outbox.disconnected();
    }

    fn take(&mut self, count: usize) {
        for refill in self.outbox.refills(self.now) {
            assert!(self.connected && !self.held[refill.board]);
            let same = |open: &Refill| (open.board, open.audience) == (refill.board, refill.audience);
            self.open.retain(|open| !same(open));
            self.open.push(refill);
        }
        for _ in 0..count {
            match self.outbox.take_next(self.now) {
                None => return,
                Some(Taken::BirthOver) => assert!(self.connected),
                Some(Taken::Publication(publication)) => self.sent(publication),
            }
        }
    }

    fn sent(&mut self, publication: Publication) {
        assert!(self.connected && self.flying.len() < self.window, "more in flight than allowed");
        if publication.topic == "reply" {
            assert!(!publication.retain);
        } else if publication.topic.starts_with("state/") {
            assert!(publication.retain);
            assert_eq!(publication.payload, self.states[&publication.topic], "an old state was sent");
            assert!(self.flying.iter().all(|other| other.topic != publication.topic), "two versions in flight");
        } else {
            assert!(!publication.retain);
            let (board, audience, number) = split(&publication.topic);
            assert!(!self.held[board], "a held board's event was sent");
            if let Some(next) = self.next[board][audience] {
                assert_eq!(number, next, "out of order");
            }
            assert!(number <= self.seen[board][audience] + 1, "{number} before {}", self.seen[board][audience] + 1);
            self.next[board][audience] = Some(number + 1);
            self.seen[board][audience] = self.seen[board][audience].max(number);
        }
        self.flying.push(publication);
    }

    fn ack(&mut self, count: usize, from_behind: bool) {
        for _ in 0..count.min(self.flying.len()) {
            let place = if from_behind { self.flying.len() - 1 } else { 0 };
            let publication = self.flying.remove(place);
            let moved = self.outbox.acknowledged(publication.ticket);
            assert_eq!(self.outbox.acknowledged(publication.ticket), None, "acknowledged twice");
            if publication.topic == "reply" {
                self.answered += 1;
            } else if publication.topic.starts_with("state/") {
                self.broker.insert(publication.topic, publication.payload);
            } else {
                let (board, audience, number) = split(&publication.topic);
                self.acked.get_mut(&(board, audience)).expect("a line").insert(number);
                if let Some(moved) = moved {
                    assert_eq!((moved.board, moved.audience), (board, Audience::ALL[audience]));
                    let cursor = &mut self.cursor[board][audience];
                    assert!(moved.number > *cursor, "a cursor went back");
                    let gap = (*cursor + 1..=moved.number).find(|number| !self.acked[&(board, audience)].contains(number));
                    assert_eq!(gap, None, "the cursor is beyond a gap");
                    *cursor = moved.number;
                }
            }
        }
    }

    fn answer(&mut self, count: u64, fails: bool) {
        let Some(Refill { board, audience, from }) = self.open.pop() else { return };
        if fails {
            return self.outbox.refilled(board, audience, Vec::new(), false);
        }
        let place = Audience::ALL.iter().position(|other| *other == audience).expect("one of three");
        let last = self.journal[board][place];
        let to = last.min(from + count);
        let events = (from..=to).map(|number| event(board, place, number)).collect();
        self.outbox.refilled(board, audience, events, to == last);
    }

    /// Works on without faults until the outbox is empty.
    fn empty_outbox(&mut self) {
        for board in 0..BOARDS {
            self.act(&Act::Hold { board, held: false });
        }
        self.act(&Act::Connect { window: WINDOW });
        for _ in 0..10_000 {
            if self.outbox.is_idle() {
                break;
            }
            self.act(&Act::Take { count: WINDOW });
            self.act(&Act::Ack { count: WINDOW, from_behind: false });
            self.act(&Act::Answer { count: 256, fails: false });
            self.act(&Act::Wait { seconds: 1 });
        }
        assert!(self.outbox.is_idle(), "{:?}", self.outbox.counters());
        for board in 0..BOARDS {
            for audience in 0..3 {
                let last = self.journal[board][audience];
                assert_eq!(self.acked[&(board, audience)].len() as u64, last, "board {board}, audience {audience}");
                assert_eq!(self.cursor[board][audience], last);
            }
        }
        assert_eq!(self.broker, self.states);
        assert!(self.answered >= self.replies.min(REPLIES as u64));
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, ..ProptestConfig::default() })]
    #[test]
    fn nothing_is_lost_and_all_is_in_order(acked in 0..5u64, more in 0..700u64, acts in prop::collection::vec(act(), 1..150)) {
        let mut model = Model::new(acked, acked + more);
        for act in &acts {
            model.act(act);
        }
        model.empty_outbox();
    }
}
