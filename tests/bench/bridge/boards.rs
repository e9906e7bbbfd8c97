//! Emulated boards on pseudo-terminals that note their writes with the times.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use flagfall::emulate::hands::{End, Habits, Manner, Play, Turn};
use flagfall::system_clock::{MonotonicTime, monotonic};
use flagfall_hardware::emulator::clock_model::{ClockSettings, Method, Model};
use flagfall_hardware::emulator::script::{Action, Script};
use flagfall_hardware::emulator::{Emulator, Sent, Settings};
use flagfall_hardware::link::{Link, LinkError};
use flagfall_hardware::pty::Pty;
use flagfall_protocols::drivers::dgt::squares;
use flagfall_protocols::square::Placement;
use flagfall_protocols::time::{ClockTime, Instant};
use shakmaty::san::SanPlus;
use shakmaty::{Chess, Position};

/// The highest number of plies of a game.
const PLIES: usize = 200;
/// The time between two checks of a board whether it has to end.
const NAP: Duration = Duration::from_millis(100);
/// The first byte of a field update, and its length.
const FIELD: (u8, usize) = (0x8e, 5);

/// The actions of hands.
#[derive(Clone, Copy)]
pub(crate) enum Hands {
    /// Blitz: random legal moves with half a second of thought, slides, and captures in all manners.
    Play,
    /// The clock runs, and there are no moves.
    Think,
}

/// Bytes that a board wrote at once.
#[derive(Clone)]
pub(crate) struct Write {
    pub(crate) at: MonotonicTime,
    /// The number of all bytes up to the last of these.
    pub(crate) end: u64,
    /// The placement that the board has reported, if this was a field update; it has the form of a FEN.
    pub(crate) shown: Option<String>,
}

/// A board; it ends when it is dropped.
pub(crate) struct Board {
    pub(crate) path: PathBuf,
    writes: Arc<Mutex<Vec<Write>>>,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Board {
    /// Starts a board. Its hands begin when a program has sent bytes to it, and are `speed` times as fast as people.
    pub(crate) fn start(number: usize, hands: Hands, speed: f64) -> Board {
        let (link, path) = Pty::pair().expect("a pseudo-terminal");
        let script = script(hands, number as u64);
        let (writes, stop) = (Arc::<Mutex<Vec<Write>>>::default(), Arc::<AtomicBool>::default());
        let runner = Runner {
            emulator: Emulator::new(settings(number)),
            script: Some(script),
            link,
            speed,
            began: monotonic(),
            shown: Placement::initial(),
            sent: 0,
            writes: Arc::clone(&writes),
            stop: Arc::clone(&stop),
        };
        let name = format!("emu-{number}");
        let thread = std::thread::Builder::new().name(name).spawn(move || runner.run()).expect("a thread");
        Board { path, writes, stop, thread: Some(thread) }
    }

    /// All writes so far.
    pub(crate) fn writes(&self) -> Vec<Write> {
        lock(&self.writes).clone()
    }

    /// The number of field updates so far.
    pub(crate) fn fields(&self) -> usize {
        lock(&self.writes).iter().filter(|write| write.shown.is_some()).count()
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for Board {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            thread.join().expect("no panic");
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

struct Runner {
    emulator: Emulator,
    /// The script, which begins when a program sends bytes.
    script: Option<Script>,
    link: Pty,
    speed: f64,
    began: MonotonicTime,
    shown: Placement,
    sent: u64,
    writes: Arc<Mutex<Vec<Write>>>,
    stop: Arc<AtomicBool>,
}

impl Runner {
    fn run(mut self) {
        let mut sent = Vec::new();
        let mut buffer = [0; 256];
        while !self.stop.load(Ordering::Relaxed) {
            self.emulator.advance(self.now(), &mut sent);
            for Sent { bytes, .. } in sent.drain(..) {
                self.write(&bytes);
            }
            let next = self.emulator.next().map(|next| next.since(self.now()).div_f64(self.speed));
            match self.link.read(&mut buffer, next.map_or(NAP, |next| next.min(NAP))) {
                Ok(count) => {
                    self.emulator.host(self.now(), &buffer[..count]);
                    if let Some(script) = self.script.take() {
                        self.emulator.load(&script);
                    }
                }
                Err(LinkError::TimedOut) => {}
                Err(_) => return,
            }
        }
    }

    fn now(&self) -> Instant {
        Instant((monotonic().since(self.began).as_micros() as f64 * self.speed) as u64)
    }

    fn write(&mut self, bytes: &[u8]) {
        let field = bytes.first() == Some(&FIELD.0) && bytes.len() == FIELD.1;
        if field && let (Some(square), Some(reading)) = (squares::square(bytes[3]), squares::reading(bytes[4])) {
            self.shown.set(square, reading);
        }
        self.sent += bytes.len() as u64;
        let write = Write { at: monotonic(), end: self.sent, shown: field.then(|| self.shown.to_string()) };
        if self.link.write(bytes).is_ok() {
            lock(&self.writes).push(write);
        }
    }
}

fn settings(number: usize) -> Settings {
    let hours = ClockSettings::new(Model::Dgt3000, Method::TimeOnly, ClockTime(7_200_000), ClockTime(0));
    // Boards do not scan in step.
    let phase = Duration::from_millis(number as u64 * 37 % 225);
    Settings { serial: 1000 + number as u16, scan_phase: phase, clock: Some(hours), ..Settings::default() }
}

fn script(hands: Hands, seed: u64) -> Script {
    let mut rng = fastrand::Rng::with_seed(seed);
    match hands {
        Hands::Think => {
            let mut script = Script::new();
            script.push(Duration::from_millis(500 + rng.u64(0..1000)), Action::Run);
            script
        }
        Hands::Play => {
            let play = Play { start: Chess::default(), turns: turns(&mut rng), end: End::default(), rotated: false };
            play.script(&Habits::default(), seed).expect("legal moves")
        }
    }
}

fn turns(rng: &mut fastrand::Rng) -> Vec<Turn> {
    let mut position = Chess::default();
    let mut turns = Vec::new();
    while turns.len() < PLIES {
        let moves = position.legal_moves();
        if moves.is_empty() {
            break;
        }
        let mv = moves[rng.usize(0..moves.len())];
        // The first move waits until the daemon knows the position.
        let think = if turns.is_empty() { 2500 } else { rng.u64(250..750) };
        let san = SanPlus::from_move_and_play_unchecked(&mut position, mv).to_string();
        turns.push(Turn { san, think: Duration::from_millis(think), manner: Manner::ByChance });
    }
    turns
}
