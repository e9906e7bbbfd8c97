//! Emulated boards in a process of their own, `flagfall emulate`, with what they sent and when.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use flagfall::emulate::hands::{End, Habits, Manner, Play, Turn};
use flagfall::system_clock::{MonotonicTime, monotonic, since_boot};
use flagfall_hardware::emulator::script::{Action, Script};
use flagfall_protocols::drivers::dgt::squares;
use flagfall_protocols::square::Placement;
use flagfall_protocols::time::ClockTime;
use serde_json::Value;
use shakmaty::san::SanPlus;
use shakmaty::{Chess, EnPassantMode, Position};

use crate::process::{Process, pause, wait_until};

/// The bytes of a field update, up to its square.
const FIELD: [u8; 3] = [0x8e, 0, 5];
/// The serial number of the first board.
const SERIAL: usize = 1000;
/// Both players' times when a clock is set.
const TIME: ClockTime = ClockTime(5_400_000);
/// After so many half-moves without a capture or a pawn's move one is chosen: no game ends by 75 moves.
const QUIET: u32 = 90;

/// Bytes that a board wrote at once.
#[derive(Clone)]
pub(crate) struct Write {
    pub(crate) at: MonotonicTime,
    /// The number of all bytes up to the last of these.
    pub(crate) end: u64,
    /// The placement that the board has reported, if this was a field update; it has the form of a FEN.
    pub(crate) shown: Option<String>,
}

/// A long game of random legal moves, a half-move each 1.5 s on average, as people make them.
pub(crate) struct Game {
    turns: Vec<Turn>,
    positions: Vec<Chess>,
    seed: u64,
}

impl Game {
    /// Makes a game of so many half-moves, none of which ends it.
    pub(crate) fn new(seed: u64, plies: usize) -> Game {
        let mut rng = fastrand::Rng::with_seed(seed);
        let (mut turns, mut positions) = (Vec::new(), vec![Chess::default()]);
        while turns.len() < plies {
            let position = positions.last().expect("the first");
            let mut moves = position.legal_moves();
            rng.shuffle(&mut moves);
            if position.halfmoves() > QUIET {
                moves.sort_by_key(|mv| !mv.is_zeroing());
            }
            let played = moves.into_iter().find_map(|mv| {
                let mut next = position.clone();
                let san = SanPlus::from_move_and_play_unchecked(&mut next, mv).to_string();
                (!next.is_game_over() && next.board().occupied().count() > 4).then_some((san, next))
            });
            let Some((san, next)) = played else {
                return Game::new(seed + 100_000, plies);
            };
            turns.push(Turn { san, think: Duration::from_millis(rng.u64(600..1130)), manner: Manner::ByChance });
            positions.push(next);
        }
        Game { turns, positions, seed }
    }

    /// The hands of the half-moves from `from`, which must be even, to `to`. They begin after `wait`, and not with those of other boards.
    pub(crate) fn script(&self, from: usize, to: usize, wait: Duration) -> Script {
        let start = self.positions[from].clone();
        let mut script = Script::new();
        if from > 0 {
            let fen = shakmaty::fen::Fen::from_position(&start, EnPassantMode::Legal).to_string();
            let placement =
                Script::parse(&format!("0 board {}", fen.split(' ').next().unwrap_or_default())).expect("a placement");
            placement.steps().iter().for_each(|step| script.push(step.at, step.action));
        }
        script.push(Duration::ZERO, Action::Set { left: TIME, right: TIME });
        let play = Play { start, turns: self.turns[from..to].to_vec(), end: End::default(), rotated: false };
        let wait = wait + Duration::from_millis(self.seed * 373 % 1500);
        for step in play.script(&Habits::default(), self.seed).expect("legal moves").steps() {
            script.push(wait + step.at, step.action);
        }
        script
    }
}

/// The clock runs, and there are no moves.
pub(crate) fn thinking(seed: u64, wait: Duration) -> Script {
    let mut script = Script::new();
    script.push(wait + Duration::from_millis(seed * 373 % 1500), Action::Run);
    script
}

/// The boards; they end when they are dropped.
pub(crate) struct Boards {
    pub(crate) process: Process,
    pub(crate) paths: Vec<PathBuf>,
    folder: tempfile::TempDir,
    done: Arc<AtomicBool>,
}

impl Boards {
    /// Starts a board for each script, with links in `at`; returns when all are there. Hands are `speed` times as fast as people.
    pub(crate) fn start(at: &Path, scripts: &[Script], speed: f64) -> Boards {
        let folder = tempfile::tempdir().expect("a folder");
        let link = at.join("board");
        let mut command = Command::new(env!("CARGO_BIN_EXE_flagfall"));
        command.args(["emulate", "--json", "--after", "0", "--linger", "3600"]);
        command.args(["--serial", &SERIAL.to_string(), "--boards", &scripts.len().to_string(), "--speed", &speed.to_string()]);
        command.arg("--sent").arg(folder.path().join("sent")).arg("--link").arg(&link).stdout(Stdio::piped());
        for (number, script) in scripts.iter().enumerate() {
            let file = folder.path().join(number.to_string());
            std::fs::write(&file, script.to_string()).expect("a script");
            command.arg("--script").arg(file);
        }
        let mut process = Process::start_with_output(command);
        let mut lines = BufReader::new(process.output()).lines().map_while(Result::ok);
        for number in 1..=scripts.len() {
            let line = lines.next().unwrap_or_else(|| panic!("board {number} is not there"));
            assert!(line.contains("\"ready\""), "{line}");
        }
        let done = Arc::<AtomicBool>::default();
        let noted = Arc::clone(&done);
        let watch = move || {
            for line in lines {
                let report: Value = serde_json::from_str(&line).expect("JSON");
                assert!(report["impossible"].as_u64().is_none_or(|impossible| impossible == 0), "{line}");
                noted.fetch_or(report["event"] == "hands_done", Ordering::Relaxed);
            }
        };
        std::thread::Builder::new().name("boards".to_owned()).spawn(watch).expect("a thread");
        let paths = match scripts.len() {
            1 => vec![link],
            count => (1..=count).map(|number| at.join(format!("board-{number}"))).collect(),
        };
        Boards { process, paths, folder, done }
    }

    /// Waits until all hands are done.
    pub(crate) fn finish(&self, most: Duration) {
        let until = monotonic().after(most);
        while !self.done.load(Ordering::Relaxed) && monotonic() < until {
            pause(Duration::from_millis(20));
        }
        assert!(self.done.load(Ordering::Relaxed), "the hands are not done after {most:?}");
    }

    /// Ends the boards; returns what each of them sent.
    pub(crate) fn end(mut self) -> Vec<Vec<Write>> {
        let boot = since_boot().expect("a clock").wrapping_sub(monotonic().0);
        self.process.terminate();
        let mut boards: Vec<Vec<Write>> = self.paths.iter().map(|_| Vec::new()).collect();
        let mut shown: Vec<Placement> = self.paths.iter().map(|_| Placement::initial()).collect();
        for line in std::fs::read_to_string(self.folder.path().join("sent")).expect("a file").lines() {
            let mut words = line.split(' ');
            let mut number = || words.next().and_then(|word| word.parse::<u64>().ok()).expect("a number");
            let (at, board) = (MonotonicTime(number().saturating_sub(boot)), number() as usize - SERIAL);
            let bytes = hexadecimal(words.next().unwrap_or_default());
            let field = bytes.len() == 5 && bytes[..3] == FIELD;
            if field && let (Some(square), Some(reading)) = (squares::square(bytes[3]), squares::reading(bytes[4])) {
                shown[board].set(square, reading);
            }
            let end = boards[board].last().map_or(0, |write| write.end) + bytes.len() as u64;
            boards[board].push(Write { at, end, shown: field.then(|| shown[board].to_string()) });
        }
        boards
    }
}

fn hexadecimal(text: &str) -> Vec<u8> {
    (0..text.len() / 2).filter_map(|index| u8::from_str_radix(&text[2 * index..2 * index + 2], 16).ok()).collect()
}

/// The number of field updates in a time.
pub(crate) fn fields(boards: &[Vec<Write>], from: MonotonicTime, to: MonotonicTime) -> f64 {
    let all = boards.iter().flatten().filter(|write| write.shown.is_some() && (from..to).contains(&write.at));
    all.count() as f64
}

/// Waits until this moment.
pub(crate) fn until(moment: MonotonicTime) {
    wait_until("a moment", || monotonic() >= moment);
}
