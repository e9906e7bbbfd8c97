//! What goes wrong all the time: cables, the broker, a node, the collector, a node's clock; and the arbiters' commands.

use std::time::Duration;

use fastrand::Rng;
use flagfall::system_clock::{MonotonicTime, Utc, monotonic, utc};
use serde_json::json;

use super::super::hall::Hall;
use super::reader::Reader;
use crate::support::mqtt::publish;
use crate::support::waiting::pause;
use crate::wrong_clock::WrongClock;

/// The node whose clock is stepped, counted from 0.
pub(super) const STEPPED: usize = 2;
/// The node that is killed once in a round.
const KILLED: usize = 3;
const DAY: i64 = 86_400_000_000;

/// How often each thing happened.
#[derive(Clone, Copy, Default)]
pub(super) struct Counts {
    pub(super) broker: u32,
    pub(super) node: u32,
    pub(super) collector: u32,
    pub(super) cables: u32,
    pub(super) steps: u32,
    pub(super) midnights: u32,
    pub(super) commands: u32,
}

/// When each thing happens next.
pub(super) struct Troubles {
    rng: Rng,
    clock: WrongClock,
    /// From one death of the broker to the next.
    between: Duration,
    pub(super) counts: Counts,
    broker: MonotonicTime,
    /// Once in a round.
    node: Option<MonotonicTime>,
    collector: Option<MonotonicTime>,
    midnight: Option<MonotonicTime>,
    after_midnight: Option<MonotonicTime>,
    cable: MonotonicTime,
    step: MonotonicTime,
    command: MonotonicTime,
    /// Boards without a cable, and when each gets it back.
    pulled: Vec<(usize, MonotonicTime)>,
    /// Boards whose clocks an arbiter stopped.
    stopped: Vec<usize>,
}

impl Troubles {
    /// `time` is the length of the whole run: in a short one everything happens more often.
    pub(super) fn new(seed: u64, time: Duration, clock: WrongClock) -> Troubles {
        let now = monotonic();
        let between = Duration::from_secs(300).min(time / 5);
        Troubles {
            rng: Rng::with_seed(seed),
            clock,
            between,
            counts: Counts::default(),
            broker: now.after(between),
            node: None,
            collector: None,
            midnight: None,
            after_midnight: None,
            cable: now,
            step: now,
            command: now,
            pulled: Vec::new(),
            stopped: Vec::new(),
        }
    }

    /// Chooses the moments of a round whose games last this long.
    pub(super) fn begin_round(&mut self, lasts: Duration) {
        let now = monotonic();
        let mut at = |from: f64, to: f64| now.after(lasts.mul_f64(from + (to - from) * self.rng.f64()));
        self.midnight = Some(at(0.1, 0.2));
        self.node = Some(at(0.3, 0.5));
        self.collector = Some(at(0.55, 0.75));
    }

    /// Does what is due.
    pub(super) fn happen(&mut self, hall: &mut Hall, reader: &Reader, round: u32) {
        let now = monotonic();
        if now >= self.broker {
            self.broker = now.after(self.between);
            hall.broker.kill();
            pause(Duration::from_millis(self.rng.u64(100..2000)));
            hall.broker.run();
            self.counts.broker += 1;
        }
        if self.node.take_if(|at| *at <= now).is_some() {
            hall.restart_node(KILLED, &[]);
            self.counts.node += 1;
        }
        if self.collector.take_if(|at| *at <= now).is_some() {
            hall.start_collector();
            self.counts.collector += 1;
        }
        self.cables(hall, now);
        self.steps(now);
        if now >= self.command {
            self.command = now.after(Duration::from_millis(self.rng.u64(2000..6000)));
            self.command(hall, reader, round);
        }
    }

    /// A cable is pulled for at most a second and a half.
    fn cables(&mut self, hall: &Hall, now: MonotonicTime) {
        self.put_back(hall, |at| at <= now);
        if now >= self.cable {
            self.cable = now.after(Duration::from_millis(self.rng.u64(2000..8000)));
            let index = self.rng.usize(..hall.boards.len());
            if !self.pulled.iter().any(|(pulled, _)| *pulled == index) {
                hall.boards[index].unplug().expect("pulled");
                self.pulled.push((index, now.after(Duration::from_millis(self.rng.u64(50..1500)))));
                self.counts.cables += 1;
            }
        }
    }

    fn put_back(&mut self, hall: &Hall, due: impl Fn(MonotonicTime) -> bool) {
        self.pulled.retain(|(index, at)| {
            let due = due(*at);
            if due {
                hall.boards[*index].replug().expect("put back");
            }
            !due
        });
    }

    /// The clock of a node is stepped as by a time server, and once in a round to a moment before midnight.
    fn steps(&mut self, now: MonotonicTime) {
        if self.midnight.take_if(|at| *at <= now).is_some() {
            let Utc(micros) = utc();
            self.clock.set((DAY - micros.rem_euclid(DAY)) / 1_000_000 - 6);
            self.counts.midnights += 1;
            self.after_midnight = Some(now.after(Duration::from_secs(12)));
        } else if self.after_midnight.take_if(|at| *at <= now).is_some() {
            self.clock.set(0);
            self.counts.steps += 2;
        } else if now >= self.step && self.after_midnight.is_none() {
            self.step = now.after(Duration::from_secs(self.rng.u64(20..60)));
            self.clock.set(self.rng.i64(-30..=30));
            self.counts.steps += 1;
        }
    }

    /// An arbiter records an offer, or that the clocks were stopped and restarted.
    fn command(&mut self, hall: &Hall, reader: &Reader, round: u32) {
        let (board, verb, body) = match self.stopped.pop() {
            Some(board) => (board, "restart-clocks", json!({})),
            None => {
                let board = self.rng.usize(1..=hall.boards.len());
                if self.rng.bool() {
                    (board, "offer", json!({"side": if self.rng.bool() { "white" } else { "black" }}))
                } else {
                    self.stopped.push(board);
                    (board, "stop-clocks", json!({}))
                }
            }
        };
        let Some(game) = reader.game(board) else { return };
        self.counts.commands += 1;
        let id = format!("soak-{}", self.counts.commands);
        let command = json!({
            "v": "1.1", "type": format!("cmd.{verb}"), "id": id, "expect": {"game": game}, "body": body,
        });
        publish(hall.broker.port(), &format!("flagfall/1/cmd/carl/open26/{round}/{board}/{verb}"), &command.to_string(), &[]);
    }

    /// All cables are in their places, and the clock is right.
    pub(super) fn end_round(&mut self, hall: &mut Hall) {
        self.put_back(hall, |_| true);
        self.stopped.clear();
        self.after_midnight = None;
        self.clock.set(0);
    }
}
