//! The outbox: in spite of all faults every event is acknowledged at least once and in order, no cursor steps over a gap, the last
//! state of each topic arrives, and memory is bounded.

mod model;
mod slow_line;

use std::sync::Arc;
use std::time::Duration;

use flagfall::mqtt::outbox::{
    EVENTS, EVENTS_PER_QUEUE, Ephemeral, GUARANTEED_EVENTS, Outbox, Publication, Quality, REPLIES, REPLIES_EACH, Refill,
    Retained, Taken, Ticket,
};
use flagfall::system_clock::MonotonicTime;
use flagfall_protocols::trace::Audience;

use model::{WINDOW, event};

fn board(last: u64) -> (Arc<Outbox>, MonotonicTime) {
    let outbox = Outbox::new();
    outbox.add_board([0; 3], [last; 3]);
    outbox.connected(MonotonicTime(0), WINDOW);
    (outbox, MonotonicTime(0))
}

fn take_all(outbox: &Outbox, now: MonotonicTime) -> Vec<Publication> {
    std::iter::from_fn(|| outbox.take_next(now))
        .filter_map(|taken| match taken {
            Taken::Publication(publication) => Some(publication),
            Taken::BirthOver => None,
        })
        .collect()
}

#[test]
fn memory_is_bounded_while_the_broker_is_away() {
    let outbox = Outbox::new();
    for board in 0..100 {
        outbox.add_board([0; 3], [0; 3]);
        for number in 1..=1000 {
            outbox.publish_event(board, event(board, 0, number));
        }
    }
    let counters = outbox.counters();
    assert!(counters.stored >= EVENTS && counters.stored <= EVENTS + 100 * GUARANTEED_EVENTS, "{counters:?}");
    assert_eq!(counters.waiting, 100_000);
    assert!(outbox.refills(MonotonicTime(0)).is_empty(), "nothing is read that cannot be sent");
    let (one, _) = board(0);
    (1..=1000).for_each(|number| one.publish_event(0, event(0, 1, number)));
    assert_eq!(one.counters().stored, EVENTS_PER_QUEUE);
}

/// A deletion of what nobody owns must not come again in another connection, when somebody may own it.
#[test]
fn what_nobody_holds_is_sent_once_and_forgotten() {
    let (outbox, now) = board(0);
    let state = |topic: &str, payload: &str| Retained {
        topic: topic.to_owned(),
        payload: payload.to_owned(),
        quality: Quality::AtLeastOnce,
        expiry: None,
    };
    outbox.publish_board_state(0, state("a/alert/1", "open"));
    for topic in ["a/alert/1", "a/alert/2", "a/state", "b/alert/3"] {
        let payload = if topic == "a/state" { "withdrawn" } else { "" };
        outbox.publish_once((topic == "b/alert/3").then_some(0), state(topic, payload));
    }
    outbox.hold(0, true);
    let sent = |outbox: &Outbox| -> Vec<(String, String)> {
        let mut all: Vec<_> = take_all(outbox, now).into_iter().map(|sent| (sent.topic, sent.payload)).collect();
        all.sort();
        all
    };
    let pair = |topic: &str, payload: &str| (topic.to_owned(), payload.to_owned());
    assert_eq!(sent(&outbox), [pair("a/alert/2", ""), pair("a/state", "withdrawn")], "not those of a held board");
    outbox.hold(0, false);
    assert_eq!(sent(&outbox), [pair("a/alert/1", "open"), pair("b/alert/3", "")]);
    outbox.connected(now, WINDOW);
    assert_eq!(sent(&outbox), [pair("a/alert/1", "open")]);
    assert_eq!(outbox.held_topics("a/alert/"), ["a/alert/1"]);
    // A state that comes later is held as usual.
    outbox.publish_once(None, state("a/state", "withdrawn"));
    outbox.publish_board_state(0, state("a/state", "new"));
    outbox.connected(now, WINDOW);
    assert_eq!(sent(&outbox), [pair("a/alert/1", "open"), pair("a/state", "new")]);
}

#[test]
fn boards_take_turns() {
    let outbox = Outbox::new();
    (0..4).for_each(|board| assert_eq!(outbox.add_board([0; 3], [0; 3]), board));
    (1..=200).for_each(|number| outbox.publish_event(0, event(0, 0, number)));
    (1..=3).for_each(|board| outbox.publish_event(board, event(board, 1, 1)));
    outbox.connected(MonotonicTime(0), WINDOW);
    let topics: Vec<String> = take_all(&outbox, MonotonicTime(0)).into_iter().map(|publication| publication.topic).collect();
    assert_eq!(topics.len(), WINDOW);
    assert!((1..=3).all(|board| topics[..5].contains(&format!("{board}/1/1"))), "{topics:?}");
}

#[test]
fn a_connection_begins_with_states_in_their_order_then_old_events() {
    let (outbox, now) = (Outbox::new(), MonotonicTime(0));
    let board = outbox.add_board([0; 3], [0; 3]);
    let keep = |topic: &str| {
        let (topic, payload) = (topic.to_owned(), "{}".to_owned());
        outbox.publish_retained(Retained { topic, payload, quality: Quality::AtLeastOnce, expiry: None });
    };
    outbox.publish_event(board, event(0, 0, 1));
    outbox.publish_event(board, event(0, 0, 2));
    let order = ["f/1/node/n/info", "f/1/device/d/status", "f/1/live/e/1/b/state", "f/1/arbiter/e/1/b/alert/3"];
    order.iter().rev().for_each(|topic| keep(topic));
    for _ in 0..2 {
        outbox.connected(now, WINDOW);
        outbox.publish_urgent("f/1/node/n/status".to_owned(), "init".to_owned());
        let mut sent = Vec::new();
        while let Some(taken) = outbox.take_next(now) {
            match taken {
                Taken::Publication(publication) => sent.push(publication.topic),
                Taken::BirthOver => sent.push("ready".to_owned()),
            }
        }
        assert_eq!(sent[0], "f/1/node/n/status");
        assert_eq!(sent[1..5], order);
        assert_eq!(sent[5..], ["0/0/1", "0/0/2", "ready"]);
        outbox.disconnected();
    }
}

#[test]
fn a_birth_does_not_wait_for_ever_for_a_journal_that_cannot_be_read() {
    let (outbox, now) = board(5);
    assert_eq!(take_all(&outbox, now), []);
    assert_eq!(outbox.refills(now).len(), 3);
    assert_eq!(outbox.take_next(now.after(Duration::from_secs(29))), None);
    assert_eq!(outbox.take_next(now.after(Duration::from_secs(31))), Some(Taken::BirthOver));
}

#[test]
fn requests_are_repeated_slowly_and_only_when_needed() {
    let (outbox, now) = board(5);
    let at = |seconds| now.after(Duration::from_secs(seconds));
    let asked = |seconds| outbox.refills(at(seconds)).iter().filter(|refill| refill.audience == Audience::Live).count();
    assert_eq!((asked(0), asked(1), asked(29)), (1, 0, 0), "one is open");
    assert_eq!(asked(30), 1, "never answered");
    outbox.refilled(0, Audience::Live, Vec::new(), false);
    assert_eq!((asked(31), asked(31), asked(32)), (0, 0, 1), "could not be read");
    outbox.refilled(0, Audience::Live, (1..=5).map(|number| event(0, 1, number)).collect(), true);
    assert_eq!(asked(100), 0);
}

#[test]
fn events_that_the_journal_no_longer_has_are_skipped_and_counted() {
    let (outbox, now) = board(9);
    outbox.refills(now);
    outbox.refilled(0, Audience::Live, [3, 4, 7].map(|number| event(0, 1, number)).to_vec(), true);
    outbox.publish_event(0, event(0, 1, 10));
    assert_eq!(outbox.counters().missing, 2 + 2 + 2);
    let sent = take_all(&outbox, now);
    assert_eq!(sent.iter().map(|sent| sent.topic.as_str()).collect::<Vec<_>>(), ["0/1/3", "0/1/4", "0/1/7", "0/1/10"]);
    let cursors: Vec<u64> = sent.iter().filter_map(|sent| outbox.acknowledged(sent.ticket)).map(|moved| moved.number).collect();
    assert_eq!(cursors, [3, 6, 9, 10]);
}

#[test]
fn a_resync_sends_again_and_moves_no_cursor() {
    let (outbox, now) = board(0);
    (1..=6).for_each(|number| outbox.publish_event(0, event(0, 0, number)));
    for sent in take_all(&outbox, now) {
        outbox.acknowledged(sent.ticket);
    }
    outbox.rewind(0, Audience::Arbiter, 4);
    assert_eq!(outbox.refills(now), [Refill { board: 0, audience: Audience::Arbiter, from: 4 }]);
    outbox.refilled(0, Audience::Arbiter, (4..=6).map(|number| event(0, 0, number)).collect(), true);
    outbox.publish_event(0, event(0, 0, 7));
    let sent = take_all(&outbox, now);
    assert_eq!(sent.iter().map(|sent| sent.topic.as_str()).collect::<Vec<_>>(), ["0/0/4", "0/0/5", "0/0/6", "0/0/7"]);
    let cursors: Vec<u64> = sent.iter().filter_map(|sent| outbox.acknowledged(sent.ticket)).map(|moved| moved.number).collect();
    assert_eq!(cursors, [7]);
    assert!(outbox.is_idle());
}

#[test]
fn a_deleted_state_is_forgotten_once_the_broker_knows() {
    let (outbox, now) = board(0);
    let keep = |payload: &str| {
        let (topic, payload) = ("f/1/arbiter/e/1/b/alert/1".to_owned(), payload.to_owned());
        outbox.publish_board_state(0, Retained { topic, payload, quality: Quality::AtLeastOnce, expiry: None });
    };
    keep("{}");
    let first = take_all(&outbox, now);
    keep("");
    assert_eq!(take_all(&outbox, now), [], "one version at a time");
    outbox.acknowledged(first[0].ticket);
    let second = take_all(&outbox, now);
    assert_eq!(second[0].payload, "");
    outbox.acknowledged(second[0].ticket);
    outbox.connected(now, WINDOW);
    assert_eq!(take_all(&outbox, now), []);
}

/// The broker keeps the states of all rounds, and a node those of the last two. The public's may come after the next round began.
#[test]
fn the_states_of_former_rounds_are_forgotten_once_the_broker_has_them() {
    let (outbox, now) = board(0);
    let keep = |audience: &str, round: u32| {
        let (topic, payload) = (format!("f/1/{audience}/e/{round}/b/state"), "{}".to_owned());
        outbox.publish_board_state(0, Retained { topic, payload, quality: Quality::AtLeastOnce, expiry: None });
    };
    let send = |acknowledge: bool| {
        let sent = take_all(&outbox, now);
        sent.iter().filter(|_| acknowledge).for_each(|publication| _ = outbox.acknowledged(publication.ticket));
        sent.into_iter().map(|publication| publication.topic.replace("f/1/", "").replace("/state", "")).collect::<Vec<_>>()
    };
    let after_a_new_connection = || {
        outbox.connected(now, WINDOW);
        send(true)
    };
    keep("arbiter", 1);
    keep("arbiter", 2);
    assert_eq!(send(true), ["arbiter/e/1/b", "arbiter/e/2/b"]);
    assert_eq!(after_a_new_connection(), ["arbiter/e/1/b", "arbiter/e/2/b"]);
    keep("public", 1);
    keep("arbiter", 3);
    assert_eq!(send(false), ["public/e/1/b", "arbiter/e/3/b"], "round 1 is known, but for the public's state");
    assert_eq!(
        after_a_new_connection(),
        ["arbiter/e/2/b", "arbiter/e/3/b", "public/e/1/b"],
        "which comes again until it is known"
    );
    assert_eq!(after_a_new_connection(), ["arbiter/e/2/b", "arbiter/e/3/b"]);
    keep("public", 1);
    assert_eq!(send(true), ["public/e/1/b"], "what comes late is sent, and begins no round");
    assert_eq!(after_a_new_connection(), ["arbiter/e/2/b", "arbiter/e/3/b"]);
}

#[test]
fn a_held_board_waits_and_others_do_not() {
    let (outbox, now) = board(0);
    outbox.add_board([0; 3], [0; 3]);
    outbox.hold(0, true);
    let kept = Retained { topic: "mine".to_owned(), payload: "{}".to_owned(), quality: Quality::AtLeastOnce, expiry: None };
    outbox.publish_board_state(0, kept);
    outbox.publish_event(0, event(0, 0, 1));
    outbox.publish_event(1, event(1, 0, 1));
    let mut births = 0;
    let mut sent = Vec::new();
    while let Some(taken) = outbox.take_next(now) {
        match taken {
            Taken::Publication(publication) => sent.push(publication.topic),
            Taken::BirthOver => births += 1,
        }
    }
    assert_eq!((sent, births), (vec!["1/0/1".to_owned()], 1), "the birth does not wait for it");
    outbox.hold(0, false);
    assert_eq!(take_all(&outbox, now).len(), 2);
}

#[test]
fn replies_are_bounded_expire_and_survive_a_lost_connection() {
    let (outbox, now) = (Outbox::new(), MonotonicTime(0));
    let reply = |number: usize| {
        let (topic, payload) = (format!("reply/{}/x", number % (REPLIES / REPLIES_EACH)), number.to_string());
        outbox.publish_ephemeral(Ephemeral {
            topic,
            payload,
            correlation: Some(vec![number as u8]),
            expiry: Duration::from_secs(60),
        });
    };
    (0..REPLIES + 3).for_each(reply);
    assert_eq!(outbox.counters().dropped, 3);
    outbox.sweep(now);
    outbox.connected(now, 2);
    assert_eq!(take_all(&outbox, now).iter().map(|sent| sent.payload.as_str()).collect::<Vec<_>>(), ["3", "4"]);
    outbox.disconnected();
    let later = now.after(Duration::from_secs(20));
    outbox.connected(later, 2);
    let again = take_all(&outbox, later);
    assert_eq!(again.iter().map(|sent| sent.payload.as_str()).collect::<Vec<_>>(), ["3", "4"]);
    assert_eq!((again[0].expiry, again[0].correlation.as_deref()), (Some(Duration::from_secs(40)), Some(&[3][..])));
    outbox.disconnected();
    outbox.sweep(now.after(Duration::from_secs(60)));
    assert_eq!(outbox.counters().dropped, 3 + REPLIES as u64);
}

fn answer(outbox: &Outbox, user: &str, number: usize) {
    let (topic, payload) = (format!("f/1/reply/{user}/{}", number % 3), number.to_string());
    outbox.publish_ephemeral(Ephemeral { topic, payload, correlation: None, expiry: Duration::from_secs(60) });
}

#[test]
fn nobody_pushes_out_the_replies_of_others() {
    let outbox = Outbox::new();
    answer(&outbox, "anna", 0);
    for user in 0..20 {
        (0..300).for_each(|number| answer(&outbox, &format!("eve{user}"), number));
    }
    outbox.connected(MonotonicTime(0), 1000);
    let topics: Vec<String> = take_all(&outbox, MonotonicTime(0)).into_iter().map(|sent| sent.topic).collect();
    assert_eq!(topics.len(), REPLIES);
    assert_eq!(topics[0], "f/1/reply/anna/0");
    let of = |user: usize| topics.iter().filter(|topic| topic.starts_with(&format!("f/1/reply/eve{user}/"))).count();
    assert!((0..20).all(|user| (1..=REPLIES_EACH).contains(&of(user))), "{topics:?}");
}

#[test]
fn replies_and_the_rest_take_turns() {
    let (outbox, now) = board(0);
    (1..=10).for_each(|number| outbox.publish_event(0, event(0, 0, number)));
    (0..10).for_each(|number| answer(&outbox, "anna", number));
    assert!(matches!(outbox.take_next(now), Some(Taken::Publication(first)) if first.topic.contains("/reply/")));
    assert_eq!(outbox.take_next(now), Some(Taken::BirthOver));
    let topics: Vec<String> = take_all(&outbox, now).into_iter().map(|sent| sent.topic).collect();
    assert_eq!(topics.len(), 19);
    assert!(topics[..18].chunks(2).all(|two| two.iter().filter(|topic| topic.contains("/reply/")).count() == 1), "{topics:?}");
}

#[test]
fn a_refusal_is_counted_and_the_line_goes_on() {
    let (outbox, now) = board(0);
    (1..=2).for_each(|number| outbox.publish_event(0, event(0, 0, number)));
    let sent: Vec<Ticket> = take_all(&outbox, now).into_iter().map(|sent| sent.ticket).collect();
    assert_eq!(outbox.refused(sent[0]).map(|moved| moved.number), Some(1));
    assert_eq!(outbox.refused(sent[0]), None);
    assert_eq!(outbox.acknowledged(sent[1]).map(|moved| moved.number), Some(2));
    assert_eq!(outbox.counters().refused, 1);
}

#[test]
fn events_that_wait_for_the_disk_are_not_read_from_the_journal() {
    let outbox = Outbox::new();
    outbox.add_board([0; 3], [2, 0, 0]);
    let now = MonotonicTime(0);
    outbox.connected(now, WINDOW);
    assert_eq!(outbox.refills(now), [Refill { board: 0, audience: Audience::Arbiter, from: 1 }]);
    // The third event is in the file already, but the station has not released it.
    outbox.refilled(0, Audience::Arbiter, (1..=3).map(|number| event(0, 0, number)).collect(), true);
    assert_eq!(take_all(&outbox, now).len(), 2);
    outbox.publish_event(0, event(0, 0, 3));
    assert_eq!(take_all(&outbox, now).iter().map(|sent| sent.topic.as_str()).collect::<Vec<_>>(), ["0/0/3"]);
}
