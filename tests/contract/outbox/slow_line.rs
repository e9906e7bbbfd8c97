//! A line between node and broker that is slow, far, or both. Time is simulated: a publication leaves when those before it have left, and is
//! acknowledged after the round trip.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use flagfall::mqtt::outbox::{Event, IN_FLIGHT, Outbox, OutboxItem, Publication, Quality, Retained, Taken};
use flagfall::system_clock::MonotonicTime;
use flagfall_protocols::trace::Audience;

/// The step of the simulation.
const STEP: Duration = Duration::from_millis(5);
/// The time between two half-moves of a board.
const EACH: Duration = Duration::from_millis(1500);
/// How long they play.
const PLAY: Duration = Duration::from_secs(20);
/// The sizes of the states of an update in bytes: those of arbiters, `live/` and `public/`, the clocks, and the PGN.
const STATES: [(&str, usize); 6] = [
    ("arbiter/state", 3000),
    ("live/state", 1500),
    ("public/state", 1500),
    ("live/clock", 200),
    ("public/clock", 200),
    ("public/pgn", 900),
];

struct Line {
    outbox: Arc<Outbox>,
    now: MonotonicTime,
    bytes_a_second: u64,
    round_trip: Duration,
    /// When the line has sent everything that it was given.
    free: MonotonicTime,
    /// What is not acknowledged, with its time.
    flying: VecDeque<(MonotonicTime, Publication)>,
    /// What has arrived, when, by topic: events have topics of their own.
    arrived: BTreeMap<String, (MonotonicTime, String)>,
}

impl Line {
    fn new(outbox: &Arc<Outbox>, bytes_a_second: u64, round_trip: Duration) -> Line {
        let now = MonotonicTime(0);
        outbox.connected(now, u16::MAX.into());
        let outbox = Arc::clone(outbox);
        Line { outbox, now, bytes_a_second, round_trip, free: now, flying: VecDeque::new(), arrived: BTreeMap::new() }
    }

    fn step(&mut self) {
        self.now = self.now.after(STEP);
        while let Some((_, publication)) = self.flying.pop_front_if(|(acked, _)| *acked <= self.now) {
            self.outbox.acknowledged(publication.ticket);
        }
        while let Some(taken) = self.outbox.take_next(self.now) {
            let Taken::Publication(publication) = taken else { continue };
            if publication.quality == Quality::AtMostOnce {
                self.outbox.acknowledged(publication.ticket);
            }
            let bytes = (publication.topic.len() + publication.payload.len()) as u64;
            let busy = Duration::from_micros(bytes * 1_000_000 / self.bytes_a_second);
            self.free = self.free.max(self.now).after(busy);
            let there = self.free.after(self.round_trip / 2);
            self.arrived.insert(publication.topic.clone(), (there, publication.payload.clone()));
            self.flying.push_back((self.free.after(self.round_trip), publication));
        }
    }
}

fn publish(outbox: &Outbox, board: usize, number: u64) {
    let padded = |number: u64, size: usize| format!("{number}{:size$}", "");
    let events = Audience::ALL.map(|audience| {
        let (topic, payload) = (format!("{}/{board}/{number}", audience.name()), padded(number, 250));
        OutboxItem::Event(Event { audience, number, topic, payload })
    });
    let retained = |topic: String, size, quality| {
        OutboxItem::Retained(Retained { topic, payload: padded(number, size), quality, expiry: None })
    };
    let states = STATES.map(|(name, size)| {
        let quality = if name.ends_with("clock") { Quality::AtMostOnce } else { Quality::AtLeastOnce };
        retained(format!("{name}/{board}"), size, quality)
    });
    let alarm = retained(format!("f/1/alert/{board}/{number}"), 300, Quality::AtLeastOnce);
    outbox.publish_items(board, events.into_iter().chain(states).chain([alarm]));
}

/// Plays on so many boards. Returns how long the slowest move or alarm took, and how long after the last update every state had arrived.
fn play(boards: usize, bytes_a_second: u64, round_trip: Duration) -> (Duration, Duration) {
    let outbox = Outbox::new();
    (0..boards).for_each(|board| assert_eq!(outbox.add_board([0; 3], [0; 3]), board));
    let mut line = Line::new(&outbox, bytes_a_second, round_trip);
    let mut published = BTreeMap::new();
    let mut number = vec![0; boards];
    while line.now < MonotonicTime(0).after(PLAY) {
        for (board, number) in number.iter_mut().enumerate() {
            let due = EACH * (*number as u32) + EACH * (board as u32) / (boards as u32);
            if line.now >= MonotonicTime(0).after(due) {
                *number += 1;
                publish(&outbox, board, *number);
                published.insert((board, *number), line.now);
            }
        }
        line.step();
    }
    let end = line.now;
    while !outbox.is_idle() {
        assert!(line.now.since(end) < PLAY, "the line does not become idle: {:?}", outbox.counters());
        line.step();
    }
    let moves = published.iter().flat_map(|((board, number), at)| {
        let kinds = Audience::ALL.map(Audience::name).into_iter().chain(["f/1/alert"]);
        kinds.map(|kind| line.arrived[&format!("{kind}/{board}/{number}")].0.since(*at)).collect::<Vec<_>>()
    });
    let moves = moves.max().expect("moves");
    let states = number.iter().enumerate().flat_map(|(board, last)| STATES.map(|(name, _)| (format!("{name}/{board}"), last)));
    let states = states.map(|(topic, last)| {
        let (at, payload) = &line.arrived[&topic];
        assert_eq!(payload.trim_end(), last.to_string(), "{topic}");
        at.since(end)
    });
    (moves, states.max().expect("states"))
}

/// The states that wait are replaced by newer ones, and moves and alarms go first: they come in time also where the states alone are twice
/// too much for the line.
#[test]
fn moves_come_within_a_second_through_any_line() {
    for (boards, kilobits, milliseconds, seconds) in [
        (20, 100_000, 600, 2),
        (100, 100_000, 100, 2),
        (20, 2000, 200, 2),
        (40, 2000, 200, 2),
        (100, 4000, 200, 3),
        (100, 2000, 200, 6),
    ] {
        let (moves, states) = play(boards, kilobits * 125, Duration::from_millis(milliseconds));
        let line = format!("{boards} boards, {kilobits} kbit/s, {milliseconds} ms");
        assert!(moves <= Duration::from_secs(1), "{line}: a move or an alarm took {moves:?}");
        assert!(states <= Duration::from_secs(seconds), "{line}: a state took {states:?}");
    }
}

#[test]
fn what_is_in_flight_is_bounded_by_its_bytes() {
    let outbox = Outbox::new();
    outbox.add_board([0; 3], [0; 3]);
    let keep = |number: usize, size: usize| {
        let (topic, payload) = (format!("f/1/live/e/1/b/{number}"), "x".repeat(size));
        outbox.publish_board_state(0, Retained { topic, payload, quality: Quality::AtLeastOnce, expiry: None });
    };
    let now = MonotonicTime(0);
    outbox.connected(now, u16::MAX.into());
    let take = || {
        let taken = std::iter::from_fn(|| outbox.take_next(now));
        taken.filter_map(|taken| if let Taken::Publication(sent) = taken { Some(sent) } else { None }).collect::<Vec<_>>()
    };
    (0..100).for_each(|number| keep(number, 1 << 10));
    let small = take();
    assert!(small.len() > 50 && small.len() <= 64, "{}", small.len());
    keep(100, 2 * IN_FLIGHT);
    small.iter().for_each(|sent| _ = outbox.acknowledged(sent.ticket));
    let rest = take();
    assert_eq!(rest.len(), 101 - small.len(), "the large one goes last, and nothing beside it");
    keep(101, 1);
    assert!(take().is_empty());
    rest.iter().for_each(|sent| _ = outbox.acknowledged(sent.ticket));
    assert_eq!(take().len(), 1);
    // However publications end, as many fit in later.
    let again = || (0..100).for_each(|number| keep(number, 1 << 10));
    for _ in 0..3 {
        again();
        for (place, sent) in take().iter().enumerate() {
            match place % 3 {
                0 => _ = outbox.acknowledged(sent.ticket),
                1 => _ = outbox.refused(sent.ticket),
                _ => assert!(outbox.send_again(sent.ticket)),
            }
        }
        outbox.disconnected();
        outbox.connected(now, u16::MAX.into());
        keep(100, 1);
        let sizes: Vec<usize> = take().iter().map(|sent| sent.topic.len() + sent.payload.len()).collect();
        let (last, before) = sizes.split_last().expect("publications");
        let before: usize = before.iter().sum();
        assert!(before < IN_FLIGHT && before + last >= IN_FLIGHT, "{sizes:?}");
    }
}
