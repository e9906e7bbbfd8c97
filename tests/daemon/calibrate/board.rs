use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{Builder, JoinHandle};
use std::time::Duration;

use flagfall::emulate::EmulatedTime;
use flagfall::system_clock::monotonic;
use flagfall_hardware::emulator::certabo::{Certabo, CertaboSettings};
use flagfall_hardware::emulator::script::Script;
use flagfall_hardware::emulator::{Counters, Device};
use flagfall_hardware::link::{Link, LinkError};
use flagfall_hardware::pty::Pty;

const NAP: Duration = Duration::from_millis(10);
/// Longer than the time until any motion is reported.
const PATIENCE: Duration = Duration::from_secs(60);

/// A noisy board that is faster than real ones.
pub(crate) fn settings() -> CertaboSettings {
    CertaboSettings { period: Duration::from_millis(100), paced: false, ..CertaboSettings::default() }
}

/// A board on a pseudo-terminal in real time; it ends when it is dropped.
pub(crate) struct PtyCertabo {
    board: Arc<Mutex<Certabo>>,
    pub(crate) path: PathBuf,
    stop: Arc<AtomicBool>,
    /// The number of scans and reports so far.
    turns: Arc<AtomicU64>,
    thread: Option<JoinHandle<()>>,
}

impl PtyCertabo {
    pub(crate) fn start(settings: CertaboSettings) -> PtyCertabo {
        let (mut pty, path) = Pty::pair().expect("a pseudo-terminal");
        let board = Arc::new(Mutex::new(Certabo::new(settings)));
        let stop = Arc::new(AtomicBool::new(false));
        let turns = Arc::new(AtomicU64::new(0));
        let (theirs, stopped, turned) = (Arc::clone(&board), Arc::clone(&stop), Arc::clone(&turns));
        let work = move || {
            let (mut sent, mut buffer, mut time) = (Vec::new(), [0; 64], EmulatedTime::new(1.0));
            while !stopped.load(Ordering::Relaxed) {
                let now = time.now();
                theirs.lock().unwrap_or_else(PoisonError::into_inner).advance(now, &mut sent);
                let bytes: Vec<u8> = sent.drain(..).flat_map(|piece| piece.bytes).collect();
                // If no program reads, bytes that do not fit are lost.
                match pty.write(&bytes) {
                    Ok(()) | Err(LinkError::TimedOut) => {}
                    Err(error) => panic!("{error}"),
                }
                match pty.read(&mut buffer, NAP) {
                    Ok(count) => theirs.lock().unwrap_or_else(PoisonError::into_inner).host(now, 0, &buffer[..count]),
                    Err(LinkError::TimedOut) => {}
                    Err(error) => panic!("{error}"),
                }
                turned.fetch_add(1, Ordering::Relaxed);
            }
        };
        let thread = Builder::new().name("table".to_owned()).spawn(work).expect("a thread");
        PtyCertabo { board, path, stop, turns, thread: Some(thread) }
    }

    /// Starts these hand motions now.
    pub(crate) fn load(&self, script: &str) {
        let script = Script::parse(script).expect("a script");
        self.board.lock().unwrap_or_else(PoisonError::into_inner).load(&script);
    }

    /// Waits until all motions are done and all older reports are written.
    #[allow(clippy::disallowed_methods, reason = "real time among real parts")]
    pub(crate) fn settle(&self) {
        let began = monotonic();
        while !self.board.lock().unwrap_or_else(PoisonError::into_inner).done() {
            assert!(monotonic().since(began) < PATIENCE, "the script does not end");
            std::thread::sleep(Duration::from_millis(5));
        }
        let done = self.turns.load(Ordering::Relaxed);
        while self.turns.load(Ordering::Relaxed) < done + 2 {
            assert!(monotonic().since(began) < PATIENCE, "the board hangs");
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// Whether no program has sent bytes to the board, and every motion was possible.
    pub(crate) fn is_untouched(&self) -> bool {
        let board = self.board.lock().unwrap_or_else(PoisonError::into_inner);
        board.counters() == Counters::default() && board.impossible().is_empty()
    }
}

impl Drop for PtyCertabo {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            let ended = thread.join();
            assert!(ended.is_ok() || std::thread::panicking());
        }
    }
}
