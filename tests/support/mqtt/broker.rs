//! Mosquitto as a child process.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::Receiver;

use tempfile::TempDir;

use super::{log_lines, wait_for};
use crate::support::ports::free_address;
use crate::support::waiting::wait_for_exit;

const PROGRAMS: [&str; 3] = ["/usr/sbin/mosquitto", "/usr/local/sbin/mosquitto", "/usr/bin/mosquitto"];

/// A broker with a folder and two ports of its own on loopback; it is killed when it is dropped.
pub(crate) struct Mosquitto {
    dir: TempDir,
    pub(crate) tcp: SocketAddr,
    /// Nothing listens there if the configuration has no such listener.
    pub(crate) websocket: SocketAddr,
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
        Mosquitto::configured(|tcp, _, dir| format!("listener {tcp} 127.0.0.1\nset_tcp_nodelay true\n{}", more(dir)))
    }

    /// With these lines, in which `TCP` and `WEB` are its ports and `DIR` its folder; `files` are put there first. If mosquitto is
    /// not installed, this prints a line and returns none.
    pub(crate) fn with_files(lines: &str, files: &[(&str, &str)]) -> Option<Mosquitto> {
        if program().is_none() {
            print_skipped("mosquitto is not installed");
            return None;
        }
        Some(Mosquitto::configured(|tcp, websocket, dir| {
            for (name, text) in files {
                std::fs::write(dir.join(name), text).expect("a file");
            }
            let lines = lines.replace("TCP", &tcp.to_string()).replace("WEB", &websocket.to_string());
            lines.replace("DIR", &dir.display().to_string())
        }))
    }

    fn configured(lines: impl FnOnce(u16, u16, &Path) -> String) -> Mosquitto {
        let dir = tempfile::tempdir().expect("a folder");
        let (tcp, websocket) = (free_address(), free_address());
        let lines = lines(tcp.port(), websocket.port(), dir.path());
        // Without this line it becomes a user that cannot read the folder, if root starts it.
        let user = "user root\n";
        let text = format!("{user}log_dest stderr\nlog_type all\n{lines}\n");
        std::fs::write(dir.path().join("mosquitto.conf"), text).expect("a configuration");
        let mut broker = Mosquitto { dir, tcp, websocket, child: None, log: None };
        broker.run();
        broker
    }

    pub(crate) fn port(&self) -> u16 {
        self.tcp.port()
    }

    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    /// Starts the process; returns when it listens.
    pub(crate) fn run(&mut self) {
        let program = program().expect("Debian's package mosquitto is installed");
        let mut command = Command::new(program);
        command.arg("-c").arg(self.file("mosquitto.conf")).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap_or_else(|error| panic!("{program}: {error}"));
        let log = log_lines(child.stderr.take().expect("its log"));
        self.child = Some(child);
        wait_for(&log, "mosquitto", |line| line.contains("running").then_some(()));
        self.log = Some(log);
    }

    /// The id of the process; none while it does not run.
    pub(crate) fn pid(&self) -> Option<u32> {
        self.child.as_ref().map(Child::id)
    }

    /// Ends the process as a power cut would.
    pub(crate) fn kill(&mut self) {
        if let Some(mut child) = self.child.take() {
            _ = child.kill();
            _ = child.wait();
        }
    }

    /// Ends the process as its administrator would: its retained messages and sessions are on the disk.
    pub(crate) fn stop(&mut self) {
        let Some(child) = &mut self.child else { return };
        let sent = Command::new("kill").arg(child.id().to_string()).status();
        assert!(sent.is_ok_and(|status| status.success()), "SIGTERM for mosquitto");
        wait_for_exit(child, "mosquitto");
        self.child = None;
    }

    /// Makes it read users and rights again; returns when it does.
    pub(crate) fn reload(&self) {
        let child = self.child.as_ref().expect("it runs");
        let sent = Command::new("kill").args(["-s", "HUP", &child.id().to_string()]).status();
        assert!(sent.is_ok_and(|status| status.success()), "SIGHUP for mosquitto");
        self.logged("Reloading config");
    }

    /// Waits until its log has a line that contains this text, and returns the line.
    pub(crate) fn logged(&self, what: &str) -> String {
        let log = self.log.as_ref().expect("it runs");
        wait_for(log, &format!("`{what}` in mosquitto's log"), |line| line.contains(what).then_some(line))
    }

    /// The last line so far that contains this text; lines before it are forgotten.
    pub(crate) fn last_logged(&self, what: &str) -> Option<String> {
        self.log.as_ref().expect("it runs").try_iter().filter(|line| line.contains(what)).last()
    }
}

impl Drop for Mosquitto {
    fn drop(&mut self) {
        self.kill();
    }
}

fn program() -> Option<&'static str> {
    PROGRAMS.into_iter().find(|path| Path::new(path).exists())
}

/// Prints why a test, or a part of it, did nothing.
#[allow(clippy::print_stderr, reason = "a test that is skipped prints why")]
pub(crate) fn print_skipped(reason: &str) {
    eprintln!("skipped: {reason}");
}
