//! Mosquitto as a child process.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::Receiver;
use std::time::Duration;

use flagfall::system_clock;
use tempfile::TempDir;

use super::{PATIENCE, free_port, lines, wait_for};

const PROGRAM: &str = "/usr/sbin/mosquitto";

/// A broker that listens on loopback; killed when dropped.
pub(crate) struct Mosquitto {
    dir: TempDir,
    port: u16,
    child: Option<Child>,
    log: Option<Receiver<String>>,
}

impl Mosquitto {
    /// For everybody, without persistence.
    pub(crate) fn start() -> Mosquitto {
        Mosquitto::with(|_| "allow_anonymous true\n".to_owned())
    }

    /// With these lines of configuration behind the listener's; the closure may put files into the folder.
    pub(crate) fn with(more: impl FnOnce(&Path) -> String) -> Mosquitto {
        let dir = tempfile::tempdir().expect("a folder");
        let port = free_port();
        let more = more(dir.path());
        // As root it would become a user that cannot read the folder.
        let user = "user root\n";
        let text = format!("{user}listener {port} 127.0.0.1\nset_tcp_nodelay true\nlog_dest stderr\nlog_type all\n{more}");
        std::fs::write(dir.path().join("mosquitto.conf"), text).expect("a configuration");
        let mut broker = Mosquitto { dir, port, child: None, log: None };
        broker.run();
        broker
    }

    pub(crate) fn port(&self) -> u16 {
        self.port
    }

    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    /// Starts it; returns when it listens.
    pub(crate) fn run(&mut self) {
        let mut command = Command::new(PROGRAM);
        command.arg("-c").arg(self.file("mosquitto.conf")).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap_or_else(|error| panic!("{PROGRAM}: {error}; it is Debian's package mosquitto"));
        let log = lines(child.stderr.take().expect("its log"));
        self.child = Some(child);
        wait_for(&log, "mosquitto", |line| line.contains("running").then_some(()));
        self.log = Some(log);
    }

    /// As a power cut would.
    pub(crate) fn kill(&mut self) {
        if let Some(mut child) = self.child.take() {
            _ = child.kill();
            _ = child.wait();
        }
    }

    /// As its administrator would; what it keeps is on the disk.
    pub(crate) fn stop(&mut self) {
        let Some(child) = &mut self.child else { return };
        let sent = Command::new("kill").arg(child.id().to_string()).status();
        assert!(sent.is_ok_and(|status| status.success()), "SIGTERM for mosquitto");
        let until = system_clock::monotonic().after(PATIENCE);
        while child.try_wait().expect("a child").is_none() {
            assert!(system_clock::monotonic() < until, "mosquitto does not end");
            std::thread::park_timeout(Duration::from_millis(5));
        }
        self.child = None;
    }

    /// Waits until it logs a line with this.
    pub(crate) fn logged(&self, what: &str) -> String {
        let log = self.log.as_ref().expect("it runs");
        wait_for(log, &format!("`{what}` in mosquitto's log"), |line| line.contains(what).then_some(line))
    }
}

impl Drop for Mosquitto {
    fn drop(&mut self) {
        self.kill();
    }
}
