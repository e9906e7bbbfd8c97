//! A mosquitto process on free ports of this machine, killed with the test.
#![allow(dead_code, reason = "each test file uses a part of it")]

use std::fs;
use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::thread;

use tempfile::TempDir;

use crate::client::PATIENCE;
use crate::support::ports::free_address;

const PROGRAMS: [&str; 3] = ["/usr/sbin/mosquitto", "/usr/local/sbin/mosquitto", "/usr/bin/mosquitto"];

/// The process and its folder.
pub(crate) struct Mosquitto {
    child: Child,
    folder: TempDir,
    pub(crate) tcp: SocketAddr,
    pub(crate) websocket: SocketAddr,
}

impl Mosquitto {
    /// Starts it with these lines, in which `TCP` and `WEB` are its ports and `DIR` its folder; `files` are put there first.
    /// None, with a printed line, if mosquitto is not installed.
    pub(crate) fn start(lines: &str, files: &[(&str, &str)]) -> Option<Mosquitto> {
        let Some(program) = PROGRAMS.iter().find(|path| Path::new(path).exists()) else {
            say("skipped: mosquitto is not installed");
            return None;
        };
        // Another program may take a port between finding and using it.
        (0..5).find_map(|_| Mosquitto::try_start(program, lines, files)).or_else(|| panic!("mosquitto does not start"))
    }

    fn try_start(program: &str, lines: &str, files: &[(&str, &str)]) -> Option<Mosquitto> {
        let folder = tempfile::tempdir().expect("a folder");
        for (name, text) in files {
            fs::write(folder.path().join(name), text).expect("file is written");
        }
        let (tcp, websocket) = (free_address(), free_address());
        let lines = lines.replace("TCP", &tcp.port().to_string()).replace("WEB", &websocket.port().to_string());
        let lines = lines.replace("DIR", &folder.path().display().to_string());
        let path = folder.path().join("mosquitto.conf");
        fs::write(&path, format!("user root\nlog_dest stderr\nlog_type all\n{lines}\n")).expect("configuration is written");

        let mut command = Command::new(program);
        command.arg("-c").arg(&path).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("mosquitto is started");
        let errors = BufReader::new(child.stderr.take().expect("its messages"));
        let mosquitto = Mosquitto { child, folder, tcp, websocket };
        let (sender, running) = sync_channel(1);
        // Reads to the end, so that mosquitto never waits for a reader.
        let reader = thread::Builder::new().spawn(move || {
            let mut said = String::new();
            for line in errors.lines().map_while(Result::ok) {
                if line.ends_with(" running") {
                    let _ = sender.send(());
                }
                said = format!("{said}{line}\n");
            }
            said
        });
        match running.recv_timeout(PATIENCE) {
            Ok(()) => Some(mosquitto),
            Err(RecvTimeoutError::Timeout) => panic!("mosquitto does not run within {PATIENCE:?}"),
            Err(RecvTimeoutError::Disconnected) => {
                drop(mosquitto);
                say(&reader.expect("a thread").join().expect("its messages"));
                None
            }
        }
    }
}

impl Drop for Mosquitto {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[allow(clippy::print_stderr, reason = "tells why a test did nothing")]
pub(crate) fn say(line: &str) {
    eprintln!("{line}");
}
