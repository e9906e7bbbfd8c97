//! A day without a broker, in simulated time: a board, its journal on a disk, the outbox.

use std::sync::Arc;
use std::time::Duration;

use flagfall::journal::commit_log::CommitLog;
use flagfall::journal::{Disk, Limits, Unsynced, outs_from};
use flagfall::mqtt::outbox::{BoardNo, EVENTS_PER_QUEUE, Event, Outbox, Publication, Quality, Retained, Taken};
use flagfall::publish::Message;
use flagfall::publish::delay::Delay;
use flagfall::session::recorder::Recorder;
use flagfall::session::setting::Setting;
use flagfall::session::station::{DirtyStates, StationOutput};
use flagfall::system_clock::MonotonicTime;
use flagfall_game::clock::control::TimeControl;
use flagfall_game::config::GameConfig;
use flagfall_protocols::drivers;
use flagfall_protocols::time::Instant;
use flagfall_protocols::trace::{Audience, Body};

use crate::counting;
use crate::stream::{self, CONTROL};

/// Games of nearly two hours.
const GAMES: u64 = 8;
const LENGTH: Duration = Duration::from_secs(7000);
/// The time from the beginning of one game to the next.
const EVERY: Duration = Duration::from_secs(7200);
/// The number of messages before a game: the board's identity, its position, a clock that does not run.
const SET_UP: usize = 5;
/// The time between these messages and the game.
const WAITS: Duration = Duration::from_secs(60);
/// After this number of games every line is full.
const FULL: u64 = 5;
/// A board may hold this much more after a longer game, for journal, moves and states.
const FAIR: i64 = 64 << 10;
const PICTURES: DirtyStates = DirtyStates { arbiter: true, live: true, clock: true, running_changed: false };

fn setting() -> Setting {
    let time_control = Some(TimeControl::parse(CONTROL).expect("a time control"));
    Setting {
        config: GameConfig { time_control, ..GameConfig::default() },
        delay: Some(Delay { time: Duration::from_secs(900), moves: 0 }),
        name: "day".to_owned(),
        ..Setting::new(drivers::find("dgt").expect("registered"))
    }
}

fn publish(outbox: &Outbox, board: BoardNo, output: StationOutput) {
    let StationOutput::Message(Message { audience, number, topic, payload, .. }) = output else { return };
    if number > 0 {
        outbox.publish_event(board, Event { audience, number, topic, payload });
    } else {
        outbox.publish_board_state(board, Retained { topic, payload, quality: Quality::AtLeastOnce, expiry: None });
    }
}

#[test]
fn a_day_without_a_broker_costs_no_memory_and_nothing_is_lost() {
    let dir = tempfile::tempdir().expect("a folder");
    let outbox = Outbox::new();
    let board = outbox.add_board([0; 3], [0; 3]);
    let limits = Limits { file: 1 << 20, total: 256 << 20, cap: 256 << 20, ..Limits::default() };
    let disk = Disk::open(dir.path()).expect("a disk");
    let (mut recorder, _) = Recorder::open(Box::new(disk), limits, &setting(), "day", &mut |_| Ok(())).expect("opens");
    // This is as in the daemon, except that there another thread waits for the disk.
    let unsynced = Arc::<Unsynced>::default();
    recorder.share(Arc::clone(&unsynced), Instant::ZERO);
    recorder.station_mut().set_coalesced(true);
    let shared = Arc::clone(&outbox);
    let mut sink = move |output| {
        publish(&shared, board, output);
        Ok(())
    };
    let mut held = Vec::new();
    let mut pictures = Instant::ZERO;
    let pieces = stream::game(LENGTH, 1);
    recorder.feed(Instant::ZERO, &Body::Link { link: 0, up: true, cause: "opened" }, &mut sink).expect("an input");
    for number in 0..GAMES {
        let begins = EVERY * number as u32;
        let before = counting::live();
        for (place, piece) in pieces.iter().enumerate() {
            // The pieces are set up some time before the game, and the clock does not run.
            let at = piece.at.after(if place < SET_UP { begins } else { begins + WAITS });
            recorder
                .feed(at, &Body::Rx { link: 0, channel: 0, bytes: piece.bytes.as_slice().into() }, &mut sink)
                .expect("an input");
            if at.since(pictures) > Duration::from_secs(60) {
                pictures = at;
                let mut out = Vec::new();
                recorder.station_mut().render_states(at, PICTURES, &mut out);
                out.into_iter().for_each(|output| publish(&outbox, board, output));
                recorder.hand_over(at);
                CommitLog::without().commit([("b0", &*unsynced)]);
                recorder.release(at, &mut sink).expect("kept");
            }
        }
        held.push(held.last().copied().unwrap_or(0) + counting::live() - before);
        let counters = outbox.counters();
        assert!(counters.stored <= 3 * EVENTS_PER_QUEUE, "{counters:?}");
    }
    let end = Instant::ZERO.after(EVERY * (GAMES as u32 + 1));
    recorder.advance(end, &mut sink).expect("kept");
    recorder.flush(end).expect("written");
    let full = held[FULL as usize - 1];
    assert!(held[FULL as usize..].iter().all(|held| *held <= full + FAIR), "{held:?} bytes after each game");

    let last = Audience::ALL.map(|audience| recorder.journal().standing().next_out(audience) - 1);
    let waiting: u64 = last.iter().sum();
    assert!(waiting > 2000 && outbox.counters().waiting >= waiting, "{last:?}, {:?}", outbox.counters());
    drain(&outbox, dir.path(), last);
}

/// The broker is there again: every event arrives in order, most of them from the journal.
fn drain(outbox: &Outbox, dir: &std::path::Path, last: [u64; 3]) {
    let mut now = MonotonicTime(1);
    let (mut got, mut states) = ([0; 3], 0);
    outbox.connected(now, u16::MAX.into());
    while got != last {
        let before = got;
        for wanted in outbox.refills(now) {
            let (outs, end) = outs_from(dir, wanted.audience, wanted.from, 128).expect("a journal");
            let audience = wanted.audience;
            let event =
                |out: flagfall::journal::Out| Event { audience, number: out.number, topic: out.topic, payload: out.payload };
            outbox.refilled(wanted.board, audience, outs.into_iter().map(event).collect(), end);
        }
        while let Some(taken) = outbox.take_next(now) {
            let Taken::Publication(Publication { ticket, topic, payload, .. }) = taken else { continue };
            // An alert that has ended is deleted with an empty payload.
            let json: serde_json::Value = serde_json::from_str(&payload).unwrap_or_default();
            let branch = topic.split('/').nth(2).expect("an audience");
            let audience = Audience::ALL.into_iter().position(|audience| audience.name() == branch).expect("an audience");
            match json["no"].as_u64() {
                Some(no) => {
                    assert_eq!(no, got[audience] + 1, "{topic}");
                    got[audience] = no;
                }
                None => states += 1,
            }
            outbox.acknowledged(ticket);
        }
        assert!(got != before, "no more messages arrive: {got:?} of {last:?}, {:?}", outbox.counters());
        now = now.after(Duration::from_secs(1));
    }
    assert!(states >= 4, "{states} states");
    assert_eq!((outbox.counters().missing, outbox.counters().waiting), (0, 0), "{:?}", outbox.counters());
}
