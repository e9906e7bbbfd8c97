//! The part "event" of the soak: an event of many rounds on sixty boards, in which something goes wrong all the time. Memory, threads and
//! descriptors of the programs must not grow, no number of an event may be missing, and every journal must be what was sent.
//!
//! `tests/soak --event MINUTES` starts it: `FLAGFALL_EVENT` has a seed, a number of minutes and the folder of the summary.

mod journals;
mod processes;
mod reader;
mod summary;
mod troubles;

use std::fmt::Display;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::time::Duration;

use flagfall::system_clock::{MonotonicTime, monotonic};
use serde_json::json;

use self::journals::{Digests, Verifier};
use self::processes::Processes;
use self::reader::Reader;
use self::troubles::{STEPPED, Troubles};
use super::games::hands;
use super::hall::{Hall, Size};
use super::{armed, on_each};
use crate::lichess::fake::TOKEN;
use crate::support::mqtt::Mosquitto;
use crate::support::seeds::variable;
use crate::support::waiting::pause;
use crate::wrong_clock::WrongClock;

/// The longest games, in minutes of ours. A short run has shorter games.
const LONGEST: u32 = 5;
/// What a round needs beside its games: setting up, a quiet moment, and repetitions.
const BETWEEN: Duration = Duration::from_secs(40);
/// The broker as in config/mosquitto/flagfall.conf: what it keeps on its disk is up to a minute old when it is killed.
const BROKER: &str = "allow_anonymous true\npersistence true\nautosave_interval 60\n";

/// What was wanted of this run.
struct Wanted {
    seed: u64,
    time: Duration,
    folder: PathBuf,
}

impl Wanted {
    fn read() -> Wanted {
        let text = variable("FLAGFALL_EVENT").expect("`tests/soak --event MINUTES` sets FLAGFALL_EVENT");
        let parts: Vec<&str> = text.splitn(3, ' ').collect();
        let [seed, minutes, folder] = parts[..] else { panic!("FLAGFALL_EVENT: a seed, minutes, a folder, and not {text}") };
        let number = |text: &str| text.parse().unwrap_or_else(|_| panic!("{text} is no number"));
        Wanted { seed: number(seed), time: Duration::from_secs(60 * number(minutes)), folder: folder.into() }
    }

    /// How long the games of each round last.
    fn games(&self) -> Duration {
        (self.time / 6).min(Duration::from_secs(60 * u64::from(LONGEST)))
    }
}

/// Everything that runs, and what was seen so far.
struct Event {
    wanted: Wanted,
    began: MonotonicTime,
    hall: Hall,
    reader: Reader,
    processes: Processes,
    troubles: Troubles,
    verifier: Verifier,
    /// The number of rounds that were played to the end.
    rounds: u32,
    /// Series of numbers with a gap, counted once for each moment at which they were checked.
    gaps: usize,
    /// What is wrong.
    red: Vec<String>,
}

#[test]
#[ignore = "as long as is wanted; `tests/soak --event MINUTES` plays it"]
fn an_event_of_many_rounds() {
    let mut event = Event::begin(Wanted::read());
    let played = catch_unwind(AssertUnwindSafe(|| event.play()));
    if let Err(cause) = played {
        let words = cause.downcast_ref::<String>().map(String::as_str).or_else(|| cause.downcast_ref::<&str>().copied());
        event.red.push(format!("round {}: {}", event.rounds + 1, words.unwrap_or("a panic")));
    }
    let digests = event.end();
    let red = summary::write(&event, &digests);
    assert!(red.is_empty(), "{red:#?}");
}

impl Event {
    fn begin(wanted: Wanted) -> Event {
        let minutes = (wanted.time.as_secs() / 60) as u32;
        let of_event = (minutes / LONGEST + 2).clamp(5, 40);
        let size = Size { nodes: 4, boards: 60, speed: 3.0, rounds: [wanted.games(); 2], of_event, delay: 5 };
        let broker = Mosquitto::with(|dir| format!("{BROKER}persistence_location {}/\n", dir.display()));
        let mut hall = Hall::new(size, TOKEN, broker);
        let clock = WrongClock::new(wanted.folder.join("clock"), 0).expect("Debian's package libfaketime is installed");
        hall.restart_node(STEPPED, &clock.variables());
        let reader = Reader::start(hall.broker.tcp);
        let troubles = Troubles::new(wanted.seed, wanted.time, clock);
        hall.start_collector();
        let (verifier, processes) = (Verifier::default(), Processes::default());
        Event { wanted, began: monotonic(), hall, reader, processes, troubles, verifier, rounds: 0, gaps: 0, red: Vec::new() }
    }

    /// Plays rounds while there is time for another one.
    fn play(&mut self) {
        armed(&self.hall, 1);
        say("the hall is ready");
        for round in 1..=self.hall.size.of_event {
            self.round(round);
            self.rounds = round;
            let left = self.wanted.time.saturating_sub(monotonic().since(self.began));
            if round == self.hall.size.of_event || left < self.wanted.games().mul_f64(1.2) + BETWEEN {
                return;
            }
            self.next_round(round + 1);
        }
    }

    /// The games of a round with all troubles, and a quiet moment after them.
    fn round(&mut self, round: u32) {
        let lasts = self.wanted.games();
        for (number, board) in (1..).zip(&self.hall.boards) {
            // The first argument says that long games are among them.
            let script = hands(1, number + round as usize, lasts.mul_f64(self.hall.size.speed));
            board.load(&script).expect("it runs");
        }
        self.troubles.begin_round(lasts);
        let end = self.began.after(self.wanted.time + Duration::from_secs(30));
        let until = monotonic().after(lasts * 2 + Duration::from_secs(30)).min(end);
        while !self.hall.boards.iter().all(|board| board.done()) {
            assert!(monotonic() < until, "the games of round {round} do not end");
            self.troubles.happen(&mut self.hall, &self.reader, round);
            self.processes.sample(&self.hall, self.began);
            pause(Duration::from_millis(100));
        }
        self.troubles.end_round(&mut self.hall);
        let missing = self.reader.fill_gaps(self.hall.broker.port(), round, &[]);
        self.gaps += missing.len();
        self.red.extend(missing.into_iter().map(|line| format!("round {round}: a gap: {line}")));
        let kept = self.processes.quiet(&self.hall, self.began);
        self.red.extend(kept.into_iter().map(|difference| format!("after round {round}: {difference}")));
        self.verifier.add(journals::of_round(&self.hall, round));
        say(format!("round {round} is over after {} s; {}", monotonic().since(self.began).as_secs(), self.reader.counts()));
    }

    /// Half of the players set the men up before the round changes, and the others after it.
    fn next_round(&self, round: u32) {
        self.hall.set_up(0);
        self.hall.organiser.publishes(&["round", &round.to_string()]);
        let nodes: Vec<String> = (1..=self.hall.size.nodes).map(|node| format!("flagfall/1/node/pi-{node}/info")).collect();
        on_each(&self.hall, &nodes, |info| info["body"]["rounds"] == json!([format!("open26/{round}")]));
        self.hall.set_up(1);
        armed(&self.hall, round);
    }

    /// The last events arrive, the programs end, and the rest of the journals is verified.
    fn end(&mut self) -> Digests {
        let last = journals::last_numbers(&self.hall);
        let missing = self.reader.fill_gaps(self.hall.broker.port(), self.rounds.max(1), &last);
        self.gaps += missing.len();
        self.red.extend(missing.into_iter().map(|line| format!("at the end: a gap: {line}")));
        if let Err(cause) = catch_unwind(AssertUnwindSafe(|| self.hall.end())) {
            let words = cause.downcast_ref::<String>().map_or("a program did not end well", String::as_str);
            self.red.push(words.chars().take(2000).collect());
        }
        let until = self.began.after(self.wanted.time + Duration::from_secs(120));
        self.verifier.add(journals::all(&self.hall));
        self.verifier.end(until, &self.wanted.folder)
    }
}

/// Prints a line about the progress.
#[allow(clippy::print_stderr, reason = "the soak prints its progress")]
fn say(line: impl Display) {
    eprintln!("{line}");
}
