//! A recorder whose wall clock jumps and whose daemon dies and comes back, checked with the true time, which the daemon does not know.

use std::collections::BTreeMap;
use std::time::Duration;

use fastrand::Rng;
use flagfall::emulate::score_sheet;
use flagfall::journal::Limits;
use flagfall::publish::Message;
use flagfall::publish::delay::Delay;
use flagfall::session::anchor::{self, AnchorRecord};
use flagfall::session::recorder::Recorder;
use flagfall::session::station::{ChangedPgn, StationOutput};
use flagfall::wire::time::TimeSource;
use flagfall_protocols::time::Instant;
use flagfall_protocols::trace::{Audience, Body};
use serde_json::Value;

use crate::support::seeds::{campaign, ordinary};
use crate::support::tapes::memory::Memory;
use crate::support::tapes::{Tape, own_tapes};

const SEEDS: u64 = 4;
const HOUR: i64 = 3_600_000_000;

/// A machine with a daemon, and the times of its publications. Times are true times in microseconds.
struct Machine {
    rng: Rng,
    /// The present time.
    now: u64,
    /// The error of the wall clock.
    wrong: i64,
    /// The time of the daemon's last death.
    died: u64,
    memory: Memory,
    published: PublishedTimes,
}

#[derive(Default)]
struct PublishedTimes {
    /// For each number, the time of the first publication, and the last ply in it.
    live: BTreeMap<u64, (u64, usize)>,
    public: BTreeMap<u64, u64>,
    /// The number of moves in each state and each PGN for the public.
    shown: Vec<(u64, usize)>,
    /// The number of PGNs among them.
    pgns: usize,
    /// The plies that were published for the live audience.
    plies: Vec<(u64, usize)>,
    over: Option<u64>,
}

/// The journal's time and the true time of one run of the daemon.
#[derive(Clone, Copy)]
struct RunTimes {
    /// The end of the journal when the daemon died.
    last: Instant,
    died: u64,
    /// The point at which the journal continues when the daemon is opened.
    base: Instant,
    opened: u64,
}

impl RunTimes {
    /// The true time of a publication at this journal time, which is not before the daemon was opened.
    fn published_at(self, at: Instant) -> u64 {
        self.opened + at.since(self.base).as_micros() as u64
    }

    /// The true time at which this journal time was reached, even if no daemon ran then.
    fn due(self, at: Instant) -> u64 {
        if at >= self.base { self.published_at(at) } else { self.died + at.since(self.last).as_micros() as u64 }
    }
}

impl PublishedTimes {
    fn record_output(&mut self, output: StationOutput, times: RunTimes) {
        let StationOutput::Message(Message { audience, number, topic, payload, at, .. }) = output else { return };
        let time = if audience == Audience::Public { times.published_at(at) } else { times.due(at) };
        let json: Value = serde_json::from_str(&payload).unwrap_or_default();
        let body = &json["body"];
        match (audience, number) {
            (Audience::Live, 1..) => {
                let revised = body["moves"].as_array().map_or(0, Vec::len) as u64;
                let ply = body["ply"].as_u64().or_else(|| Some((body["from_ply"].as_u64()? + revised).saturating_sub(1)));
                let ply = ply.expect("a ply") as usize;
                let (first, _) = *self.live.entry(number).or_insert((time, ply));
                self.plies.push((first, ply));
            }
            (Audience::Public, 1..) => _ = self.public.entry(number).or_insert(time),
            (Audience::Public, 0) if topic.ends_with("/state") => {
                self.shown.push((time, body["moves"].as_array().expect("moves").len()));
            }
            (Audience::Arbiter, _) if body["event"] == "over" => _ = self.over.get_or_insert(time),
            _ => {}
        }
    }

    /// Makes the PGN of the public if it has changed. Its moves are moves that are shown.
    fn record_pgn(&mut self, recorder: &mut Recorder, at: Instant, times: RunTimes) {
        let (changed, mut out) = (recorder.station().changed_pgn(), Vec::new());
        recorder.station_mut().make_pgn(at, ChangedPgn { live: false, ..changed }, &mut out);
        for output in out {
            let StationOutput::Message(message) = output else { continue };
            let sheets = score_sheet::read(message.payload.as_bytes()).expect("readable");
            self.shown.push((times.published_at(at), sheets.last().expect("a game").moves.len()));
            self.pgns += 1;
        }
    }

    /// The highest number of moves that the live audience knew at this time.
    fn known(&self, time: u64) -> usize {
        self.plies.iter().filter(|(published, _)| *published <= time).map(|(_, ply)| *ply).max().unwrap_or(0)
    }

    fn check(&self, name: &str, delay: Delay) {
        let late = delay.time.as_micros() as u64;
        for (number, time) in &self.public {
            let (live, ply) = self.live[number];
            assert!(*time >= live + late, "{name}: event {number} at {time}, live at {live}");
            let over = self.over.is_some_and(|over| over <= *time);
            // A revision may have several moves, so moves are counted and not events.
            let known = self.known(*time);
            assert!(over || known >= ply + delay.moves as usize, "{name}: event {number} of ply {ply} after {known} moves");
        }
        for (time, moves) in &self.shown {
            let most = time.checked_sub(late).map_or(0, |time| self.known(time));
            assert!(*moves <= most, "{name}: {moves} moves are shown at {time}, only {most} are allowed");
        }
    }
}

impl Machine {
    /// The time that the daemon can know.
    fn wall(&mut self, sync: TimeSource) -> AnchorRecord {
        let utc_us = 1_795_266_131_000_000 + self.now as i64 + self.wrong;
        AnchorRecord { utc_us, sync, err_ms: None, up_us: Some(self.now + 77_000_000) }
    }

    fn sync(&mut self) -> TimeSource {
        if self.rng.u8(..4) == 0 { TimeSource::None } else { TimeSource::Ntp }
    }

    fn jump(&mut self) {
        self.wrong = [-HOUR, 0, HOUR, self.rng.i64(-HOUR..HOUR)][self.rng.usize(..4)];
    }

    /// Runs the daemon until it is killed in front of input `upto`.
    fn run(&mut self, tape: &Tape, from: usize, upto: usize) {
        let sync = self.sync();
        let wall = self.wall(sync);
        let mut early = Vec::new();
        let sink = &mut |output| {
            early.push(output);
            Ok(())
        };
        let fs = Box::new(self.memory.clone());
        let (mut recorder, _) = Recorder::open(fs, Limits::default(), &tape.setting, "test", sink).expect("opens");
        let last = recorder.journal().standing().last_at;
        let base = anchor::resume(last, recorder.recorded_anchor(), &wall);
        let times = RunTimes { last, died: self.died, base, opened: self.now };
        early.into_iter().for_each(|output| self.published.record_output(output, times));
        self.published.record_pgn(&mut recorder, base, times);
        self.feed(&mut recorder, times, &Body::Anchor(&wall.json()));
        for place in from..upto {
            let before = if place == 0 { Instant::ZERO } else { tape.inputs[place - 1].0 };
            let (at, body) = &tape.inputs[place];
            self.now += at.since(before).as_micros() as u64;
            if self.rng.u8(..40) == 0 {
                self.jump();
                let sync = self.sync();
                let json = self.wall(sync).json();
                self.feed(&mut recorder, times, &Body::Anchor(&json));
            }
            self.feed(&mut recorder, times, body);
        }
        if upto == tape.inputs.len() {
            self.now += 4_000_000_000;
        }
        let published = &mut self.published;
        let end = times.base.after(Duration::from_micros(self.now - times.opened));
        recorder
            .advance(end, &mut |output| {
                published.record_output(output, times);
                Ok(())
            })
            .expect("kept");
        published.record_pgn(&mut recorder, end, times);
    }

    fn feed(&mut self, recorder: &mut Recorder, times: RunTimes, body: &Body<'_>) {
        let at = times.base.after(Duration::from_micros(self.now - times.opened));
        let published = &mut self.published;
        recorder
            .feed(at, body, &mut |output| {
                published.record_output(output, times);
                Ok(())
            })
            .expect("an input");
        published.record_pgn(recorder, at, times);
    }
}

#[test]
fn nothing_is_early_over_clock_jumps_and_daemon_deaths() {
    let (mut public, mut pgns) = (0, 0);
    let tapes = own_tapes();
    campaign("delay over clock jumps", 0..SEEDS, |seed| {
        for tape in &tapes {
            let mut rng = Rng::with_seed(seed);
            let delay = Delay { time: Duration::from_secs([0, 3, 15, 900][rng.usize(..4)]), moves: [0, 0, 1, 4][rng.usize(..4)] };
            let name = format!("{}, seed {seed}, {delay}", tape.name);
            let mut tape = tape.clone();
            tape.setting.delay = Some(delay);
            let mut machine =
                Machine { rng, now: 0, wrong: 0, died: 0, memory: Memory::default(), published: PublishedTimes::default() };
            let mut cuts: Vec<usize> = (0..4).map(|_| machine.rng.usize(..=tape.inputs.len())).collect();
            cuts.extend([0, tape.inputs.len()]);
            cuts.sort_unstable();
            for pair in cuts.windows(2) {
                machine.run(&tape, pair[0], pair[1]);
                machine.died = machine.now;
                // No daemon runs for a while, and the wall clock may be set.
                let most = [1_000_000, 1_500_000_000][machine.rng.usize(..2)];
                machine.now += machine.rng.u64(..most);
                if machine.rng.bool() {
                    machine.jump();
                }
            }
            machine.published.check(&name, delay);
            if delay.moves == 0 {
                assert_eq!(machine.published.public.len(), machine.published.live.len(), "{name}: every event becomes public");
            }
            public += machine.published.public.len();
            pgns += machine.published.pgns;
        }
        tapes.iter().map(|tape| tape.inputs.len() as u64).sum()
    });
    assert!(!ordinary() || public > 100 && pgns > 100, "only {public} events and {pgns} PGNs became public");
}
