//! Two blitz games whose broker has faults.

use std::collections::BTreeMap;
use std::time::Duration;

use fastrand::Rng;
use flagfall::emulate::PtyBoard;
use flagfall::emulate::games::game;
use flagfall::journal::{Out, outs_from};
use flagfall::system_clock::{MonotonicTime, monotonic};
use flagfall_protocols::trace::Audience;
use serde_json::{Value, json};

use crate::broker_faults::checks::{self, Line};
use crate::broker_faults::order::{self, DaemonRun, ResyncRequest};
use crate::rig::{Daemon, ROUND, Rig, Seat};
use crate::support::mqtt::{Mosquitto, PATIENCE, Proxy, publish};
use crate::support::seconds::assert_within;
use crate::support::waiting::pause;
use crate::watch::Watch;

/// The number of faults of the broker in one run.
const FAULTS: usize = 10;
/// After this number of faults the daemon is killed; a new daemon begins with short waits for the broker again.
const IN_A_ROW: usize = 3;
/// The boards play this many times as fast as people, so that the games last as long as the faults.
const SPEED: f64 = 2.0;

const AUDIENCES: [Audience; 3] = [Audience::Arbiter, Audience::Live, Audience::Public];
const BOARDS: [&str; 2] = ["b1", "b2"];

fn name(audience: Audience, board: &str) -> Line {
    format!("{}/{ROUND}/{board}", audience.name())
}

struct FaultRun {
    rng: Rng,
    broker: Mosquitto,
    proxy: Proxy,
    rig: Rig,
    boards: Vec<PtyBoard>,
    daemon: Option<Daemon>,
    /// All runs of the daemon.
    runs: Vec<DaemonRun>,
    /// The events of a subscriber that is not always connected, by line and number.
    received: BTreeMap<Line, BTreeMap<u64, Value>>,
    watch: Option<Watch>,
    /// The times of the faults.
    faults: Vec<MonotonicTime>,
}

/// Plays the run of this seed; panics if a check fails, and returns the number of faults.
pub(crate) fn play_seed(seed: u64) -> u64 {
    let mut run = FaultRun::begin(seed);
    for fault in 0..FAULTS {
        if fault % IN_A_ROW == IN_A_ROW - 1 {
            run.kill_the_daemon();
        }
        run.break_the_broker();
    }
    run.end();
    FAULTS as u64
}

impl FaultRun {
    fn begin(seed: u64) -> FaultRun {
        let mut rng = Rng::with_seed(seed);
        let persistent = rng.bool();
        let broker = Mosquitto::with(|dir| {
            // The broker saves its state at its end and once a second, so that after a kill it has an old one.
            let kept = format!("persistence true\npersistence_location {}/\nautosave_interval 1\n", dir.display());
            format!("allow_anonymous true\n{}", if persistent { kept } else { String::new() })
        });
        let proxy = Proxy::new(broker.port());
        let games: Vec<_> = (0..2).map(|number| game(number).seeded(seed * 2 + number as u64)).collect();
        let seats: Vec<_> = BOARDS.iter().zip(&games).map(|(id, game)| Seat { id, time_control: game.time_control }).collect();
        let rig = Rig::new(proxy.port(), "delay = 2", &seats);
        let seat = |number: usize| rig.board(BOARDS[number], games[number].settings(101 + number as u16), SPEED);
        let boards = vec![seat(0), seat(1)];
        let watch = Watch::new(broker.port());
        let daemon = Some(rig.start());
        for board in BOARDS {
            let armed = |json: &Value| json["body"]["stage"] == "armed";
            watch.on(&format!("flagfall/1/arbiter/{ROUND}/{board}/state"), "armed", armed);
        }
        boards.iter().zip(&games).for_each(|(board, game)| board.load(&game.script()).expect("it runs"));
        let (runs, received, faults) = (vec![DaemonRun::first()], BTreeMap::new(), Vec::new());
        let mut run = FaultRun { rng, broker, proxy, rig, boards, daemon, runs, received, watch: Some(watch), faults };
        run.let_pass();
        run
    }

    /// Waits for a time that ends during a birth, soon after it, or long after it.
    fn let_pass(&mut self) {
        let most = [60, 400, 2400][self.rng.usize(..3)];
        pause(Duration::from_millis(self.rng.u64(..most)));
    }

    /// The number of CONNACKs that the daemon got.
    fn connacks(&self) -> usize {
        self.proxy.timed().iter().filter(|wire| checks::welcome_time(wire).is_some()).count()
    }

    fn wait_for_welcome(&self, before: usize) {
        let until = monotonic().after(PATIENCE);
        while self.connacks() <= before {
            assert!(monotonic() < until, "the daemon does not come back");
            pause(Duration::from_millis(10));
        }
    }

    /// The subscriber leaves, and its events are kept.
    fn end_subscriber(&mut self) {
        let Some(watch) = self.watch.take() else { return };
        for received in watch.all() {
            if let Some(no) = received.no() {
                self.received
                    .entry(checks::line(&received.topic))
                    .or_default()
                    .entry(no)
                    .or_insert_with(|| received.body().clone());
            }
        }
    }

    fn break_the_broker(&mut self) {
        let welcomes = self.connacks();
        self.end_subscriber();
        self.faults.push(monotonic());
        match self.rng.u8(..5) {
            0 | 1 => self.broker.kill(),
            2 | 3 => self.broker.stop(),
            _ => self.proxy.close(),
        }
        pause(Duration::from_millis(self.rng.u64(..600)));
        self.broker.kill();
        self.broker.run();
        self.proxy.open();
        if self.rng.bool() {
            self.watch = Some(Watch::new(self.broker.port()));
        }
        self.wait_for_welcome(welcomes);
        self.let_pass();
    }

    fn kill_the_daemon(&mut self) {
        let welcomes = self.connacks();
        self.faults.push(monotonic());
        self.daemon.take().expect("it runs").kill();
        let mut run = DaemonRun { first: self.proxy.connections(), ..DaemonRun::first() };
        for board in BOARDS {
            run.read(&self.rig.journal(board), |audience| name(audience, board));
        }
        self.runs.push(run);
        pause(Duration::from_millis(self.rng.u64(..300)));
        self.daemon = Some(self.rig.start());
        self.wait_for_welcome(welcomes);
        self.let_pass();
    }

    /// The events of the journals.
    fn journals(&self) -> BTreeMap<Line, Vec<Out>> {
        let mut lines = BTreeMap::new();
        for board in BOARDS {
            for audience in AUDIENCES {
                let (outs, _) = outs_from(&self.rig.journal(board), audience, 1, usize::MAX).expect("a journal");
                lines.insert(name(audience, board), outs);
            }
        }
        lines
    }

    fn end(mut self) {
        for board in &self.boards {
            assert!(board.wait_done(Duration::from_secs(60)), "{:?}", board.status());
        }
        self.end_subscriber();
        let watch = Watch::new(self.broker.port());
        let until = monotonic().after(2 * PATIENCE);
        let is_whole = |acked: &BTreeMap<Line, Vec<u64>>, journals: &BTreeMap<Line, Vec<Out>>| {
            journals
                .iter()
                .all(|(line, outs)| outs.last().is_none_or(|last| acked.get(line).is_some_and(|all| all.contains(&last.number))))
        };
        while !is_whole(&checks::acknowledged(&self.proxy.timed()), &self.journals()) {
            assert!(monotonic() < until, "not everything arrives: {:?}", checks::acknowledged(&self.proxy.timed()));
            pause(Duration::from_millis(50));
        }
        self.watch = Some(watch);
        if self.rng.bool() {
            self.begin_anew();
        }
        let asked = self.resync();
        let (status, took) = self.daemon.take().expect("it runs").terminate();
        assert!(status.success(), "{status} after {took:?}");
        assert_within(took, Duration::from_secs(5), "the daemon ends");
        let (wires, journals) = (self.proxy.timed(), self.journals());
        order::assert_order(&wires, &self.runs, asked, &journals);
        checks::assert_states_are_right(&wires, &self.faults);
        checks::assert_subscriber_has_every_event(&self.received, &journals);
    }

    /// Makes a connection on which the daemon has no new events.
    fn begin_anew(&mut self) {
        let welcomes = self.connacks();
        self.faults.push(monotonic());
        self.proxy.cut();
        self.wait_for_welcome(welcomes);
    }

    /// The subscriber asks for the events that it missed.
    fn resync(&mut self) -> ResyncRequest {
        let journals = self.journals();
        let mut missing = Vec::new();
        for (line, outs) in &journals {
            let received = self.received.entry(line.clone()).or_default();
            let first = outs.iter().find(|out| !received.contains_key(&out.number));
            missing.extend(first.map(|out| (line.clone(), out.number)));
        }
        assert!(!missing.is_empty(), "the subscriber missed nothing");
        let at = monotonic();
        for (line, from) in &missing {
            let (audience, board) = (line.split('/').next().expect("an audience"), line.rsplit('/').next().expect("a board"));
            // There are two senders, so that neither sends too many commands.
            let user = if board == "b1" { "anna" } else { "carl" };
            let command = json!({"v": "1.0", "type": "cmd.resync", "id": line.replace('/', "-"),
                "body": {"from": from, "audience": audience}});
            publish(self.broker.port(), &format!("flagfall/1/cmd/{user}/{ROUND}/{board}/resync"), &command.to_string(), &[]);
        }
        for (line, from) in &missing {
            let last = journals[line].last().expect("an event").number;
            self.watch.as_ref().expect("the subscriber").wait(&format!("{line} from {from} to {last}"), |all| {
                let mut there: Vec<u64> = all
                    .iter()
                    .filter(|received| checks::line(&received.topic) == *line)
                    .filter_map(|received| received.no())
                    .collect();
                there.sort_unstable();
                there.dedup();
                let place = there.binary_search(from).ok()?;
                (there[place..].starts_with(&(*from..=last).collect::<Vec<_>>())).then_some(())
            });
        }
        self.end_subscriber();
        ResyncRequest { at, from: missing.into_iter().collect() }
    }
}
