//! The daemon as a process, and emulated boards on pseudo-terminals in front of it.

use std::fmt::Write as _;
use std::fs::{File, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::Duration;

use flagfall::emulate::PtyBoard;
use flagfall::system_clock::monotonic;
use flagfall_hardware::emulator::Settings;
use flagfall_hardware::emulator::script::Script;
use tempfile::TempDir;

use crate::support::waiting::wait_for_exit;

/// The event and round of all rigs.
pub(crate) const ROUND: &str = "open26/5";

/// A folder with a configuration, journals, the ports of boards and a log.
pub(crate) struct Rig {
    dir: TempDir,
    /// All daemons that are started in this folder write into this log.
    log: PathBuf,
}

/// A board in a configuration.
pub(crate) struct Seat<'a> {
    pub(crate) id: &'a str,
    pub(crate) time_control: &'a str,
}

impl Rig {
    /// Makes the folder; `event` has lines for the section of that name.
    pub(crate) fn new(broker: u16, event: &str, seats: &[Seat<'_>]) -> Rig {
        let dir = tempfile::tempdir().expect("a folder");
        let rig = Rig { log: dir.path().join("log"), dir };
        std::fs::create_dir(rig.dir.path().join("ports")).expect("a folder");
        rig.configure(broker, event, seats);
        rig
    }

    fn configure(&self, broker: u16, event: &str, seats: &[Seat<'_>]) {
        let mut text = format!(
            "node.name = \"pi-1\"\nmqtt.port = {broker}\njournal.dir = '{}'\ndiscovery.folders = []\n\
             [event]\nid = \"open26\"\nround = \"5\"\n{event}\n\
             [user.anna]\nrole = \"arbiter\"\n[user.otto]\nrole = \"operator\"\n[user.olga]\nrole = \"operator\"\n\
             [user.carl]\nrole = \"chief\"\n[user.arne]\nrole = \"arbiter\"\nboards = [\"{}\"]\n",
            self.dir.path().join("journals").display(),
            seats.last().expect("a board").id,
        );
        for Seat { id, time_control } in seats {
            let port = self.port(id);
            // Writing to a string does not fail.
            _ = write!(
                text,
                "[[board]]\nid = \"{id}\"\ndriver = \"dgt\"\nport = '{}'\ntime_control = \"{time_control}\"\n\
                 white = {{ name = \"Wilhelmina\", title = \"WGM\", rating = 2143, federation = \"NED\", fide_id = 99000001 }}\n\
                 black = \"Bartholomew\"\n",
                port.display()
            );
        }
        std::fs::write(self.config(), text).expect("a configuration");
    }

    /// Adds lines to the end of the configuration.
    pub(crate) fn add(&self, lines: &str) {
        let text = std::fs::read_to_string(self.config()).expect("a configuration");
        std::fs::write(self.config(), text + lines).expect("a configuration");
    }

    /// A file with the password `secret of <name>`.
    pub(crate) fn password(&self, name: &str) -> PathBuf {
        let path = self.dir.path().join(format!("{name}.password"));
        std::fs::write(&path, format!("secret of {name}\n")).expect("a password");
        std::fs::set_permissions(&path, Permissions::from_mode(0o600)).expect("a mode");
        path
    }

    pub(crate) fn config(&self) -> PathBuf {
        self.dir.path().join("flagfall.toml")
    }

    pub(crate) fn port(&self, board: &str) -> PathBuf {
        self.dir.path().join("ports").join(board)
    }

    /// The folder with the journals of a board.
    pub(crate) fn journal(&self, board: &str) -> PathBuf {
        self.dir.path().join("journals").join(board)
    }

    /// A board with its pieces on their squares, whose game has not begun.
    pub(crate) fn board(&self, id: &str, settings: Settings, speed: f64) -> PtyBoard {
        let board = PtyBoard::start(id, settings, &Script::new(), speed).expect("a board");
        board.link_at(&self.port(id)).expect("a link");
        board
    }

    pub(crate) fn start(&self) -> Daemon {
        self.start_with(&[])
    }

    /// Starts the daemon with these environment variables.
    pub(crate) fn start_with(&self, variables: &[(&str, String)]) -> Daemon {
        start_with("run", &[&self.config()], variables, &self.log)
    }

    pub(crate) fn log(&self) -> String {
        std::fs::read_to_string(&self.log).unwrap_or_default()
    }
}

impl Drop for Rig {
    #[allow(clippy::print_stderr, reason = "a test that failed prints the daemon's log")]
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("--- the daemon's log\n{}---", self.log());
        }
    }
}

/// Starts `flagfall run` or `flagfall collect` with this configuration; what it prints is added to the log.
pub(crate) fn start(command: &str, config: &Path, log: &Path) -> Daemon {
    start_with(command, &[config], &[], log)
}

/// Like [`start`], with several files and with these environment variables.
pub(crate) fn start_with(command: &str, configs: &[&Path], variables: &[(&str, String)], log: &Path) -> Daemon {
    let log = File::options().create(true).append(true).open(log).expect("a log");
    let mut process = Command::new(env!("CARGO_BIN_EXE_flagfall"));
    process.arg(command).env_clear().envs(variables.iter().map(|(name, value)| (name, value)));
    if command == "run" {
        let unit = include_str!("../../systemd/flagfall.service").lines();
        let set = unit.filter_map(|line| line.strip_prefix("Environment=")?.split_once('='));
        process.envs(set);
    }
    configs.iter().for_each(|config| _ = process.arg("--config").arg(config));
    let child = process.stdin(Stdio::null()).stdout(Stdio::null()).stderr(log).spawn().expect("the program");
    Daemon { child }
}

/// A daemon that runs as a process; it is killed when it is dropped.
pub(crate) struct Daemon {
    child: Child,
}

impl Daemon {
    /// Sends SIGTERM; returns the exit status and the time until the end.
    pub(crate) fn terminate(mut self) -> (ExitStatus, Duration) {
        let began = monotonic();
        signal(self.child.id(), "TERM");
        (self.wait(), monotonic().since(began))
    }

    /// The id of the process.
    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Waits until the daemon ends by itself.
    pub(crate) fn wait(&mut self) -> ExitStatus {
        wait_for_exit(&mut self.child, "the daemon")
    }

    /// Sends SIGKILL.
    pub(crate) fn kill(self) {
        drop(self);
    }
}

impl Drop for Daemon {
    fn drop(&mut self) {
        _ = self.child.kill();
        _ = self.child.wait();
    }
}

/// Sends a signal to a child process that was not waited for yet.
pub(crate) fn signal(process: u32, name: &str) {
    let sent = Command::new("kill").args(["-s", name, &process.to_string()]).status();
    assert!(sent.is_ok_and(|status| status.success()), "kill -s {name} {process}");
}
