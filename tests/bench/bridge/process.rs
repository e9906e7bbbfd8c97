//! Processes, and the kernel's figures about them.

use std::fs::{read_dir, read_to_string};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::Duration;

use flagfall::system_clock::{MonotonicTime, monotonic};
use nix::sys::signal::{self, Signal};
use nix::unistd::Pid;

/// The longest wait for anything.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

/// A child process; it is killed when it is dropped.
pub(crate) struct Process {
    child: Child,
    /// The time of its start.
    pub(crate) began: MonotonicTime,
}

/// The resources of a process.
#[derive(Clone, Copy, Default)]
pub(crate) struct Usage {
    /// CPU time of all threads, nanoseconds.
    pub(crate) cpu: f64,
    /// The number of wake-ups of all threads.
    pub(crate) wakes: f64,
    pub(crate) threads: f64,
    /// Resident memory in MB, and the part of it that is not from files.
    pub(crate) rss: f64,
    pub(crate) anon: f64,
}

impl Process {
    pub(crate) fn start(mut command: Command) -> Process {
        command.stdout(Stdio::null());
        Process::start_with_output(command)
    }

    /// The same, for a command that says where its output goes.
    pub(crate) fn start_with_output(mut command: Command) -> Process {
        let began = monotonic();
        let child = command.stdin(Stdio::null()).stderr(Stdio::null()).spawn();
        Process { child: child.unwrap_or_else(|error| panic!("{:?}: {error}", command.get_program())), began }
    }

    /// The output, of a process whose output is piped.
    pub(crate) fn output(&mut self) -> ChildStdout {
        self.child.stdout.take().expect("piped")
    }

    /// The bridge in Python.
    pub(crate) fn python(broker: u16, ports: &[PathBuf]) -> Process {
        let mut command = Command::new("python3");
        command.arg(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/bench/bridge/bridge.py")).arg(broker.to_string()).args(ports);
        Process::start(command)
    }

    /// This program in the role of the yardstick.
    pub(crate) fn yardstick(broker: u16, ports: &[PathBuf]) -> Process {
        let mut command = Command::new(std::env::current_exe().expect("this program"));
        command.arg("--yardstick").arg(broker.to_string()).args(ports);
        Process::start(command)
    }

    /// The daemon with these ports, and with further lines of its configuration.
    pub(crate) fn daemon(folder: &Path, broker: u16, ports: &[PathBuf], more: &str) -> Process {
        let journal = folder.join("journal");
        let mut text = format!(
            "[node]\nname = \"bench\"\n[event]\nid = \"e\"\nround = \"1\"\ntime_control = \"5400+30\"\n\
             [mqtt]\nport = {broker}\n[journal]\ndir = {journal:?}\n{more}"
        );
        for (number, port) in ports.iter().enumerate() {
            text += &format!("[[board]]\nid = \"{number}\"\ndriver = \"dgt\"\nport = {port:?}\n");
        }
        let file = folder.join("flagfall.toml");
        std::fs::write(&file, text).expect("a configuration");
        let mut command = Command::new(env!("CARGO_BIN_EXE_flagfall"));
        command.arg("run").arg("--config").arg(file);
        Process::start(command)
    }

    /// The collector of the event `e`, with its files in `tree`.
    #[cfg(feature = "outputs")]
    pub(crate) fn collector(folder: &Path, broker: u16) -> Process {
        let (store, tree) = (folder.join("store"), folder.join("tree"));
        let text = format!(
            "[node]\nname = \"bench\"\n[event]\nid = \"e\"\nround = \"1\"\ntime_control = \"180+2\"\n[mqtt]\nport = {broker}\n\
             [collect]\ndir = {store:?}\n[[output]]\nname = \"tree\"\nkind = \"files\"\ndir = {tree:?}\n"
        );
        let file = folder.join("collect.toml");
        std::fs::write(&file, text).expect("a configuration");
        let mut command = Command::new(env!("CARGO_BIN_EXE_flagfall"));
        command.arg("collect").arg("--config").arg(file);
        Process::start(command)
    }

    pub(crate) fn usage(&self) -> Usage {
        let process = PathBuf::from(format!("/proc/{}", self.child.id()));
        let mut usage = Usage::default();
        for task in read_dir(process.join("task")).expect("its threads").flatten() {
            // A thread may end meanwhile.
            let read = |name: &str| read_to_string(task.path().join(name)).unwrap_or_default();
            usage.threads += 1.0;
            usage.cpu += read("schedstat").split(' ').next().and_then(|text| text.parse::<f64>().ok()).unwrap_or(0.0);
            usage.wakes += field(&read("status"), "voluntary_ctxt_switches:");
        }
        let status = read_to_string(process.join("status")).expect("its status");
        let mega = |name| field(&status, name) * 1024.0 / 1e6;
        (usage.rss, usage.anon) = (mega("VmRSS:"), mega("RssAnon:"));
        usage
    }
}

impl Process {
    /// Asks the process to end, and waits for its end; returns how long that took.
    pub(crate) fn terminate(&mut self) -> Duration {
        let began = monotonic();
        let id = Pid::from_raw(i32::try_from(self.child.id()).expect("a process"));
        signal::kill(id, Signal::SIGTERM).expect("it runs");
        wait_until("the end of a process", || self.child.try_wait().expect("its status").is_some());
        monotonic().since(began)
    }

    /// Kills the process; nothing happens if it has ended.
    pub(crate) fn kill(&mut self) {
        _ = self.child.kill();
        _ = self.child.wait();
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.kill();
    }
}

fn field(text: &str, name: &str) -> f64 {
    let line = text.lines().find_map(|line| line.strip_prefix(name)).unwrap_or_default();
    line.split_whitespace().next().and_then(|number| number.parse().ok()).unwrap_or(0.0)
}

/// A port that nobody uses at this moment.
pub(crate) fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").and_then(|listener| listener.local_addr()).expect("a free port").port()
}

/// A real broker on a free port; returns when it listens.
pub(crate) fn mosquitto(folder: &Path) -> (Process, u16) {
    let port = free_port();
    let file = folder.join("mosquitto.conf");
    let text = format!(
        "user root\nlistener {port} 127.0.0.1\nset_tcp_nodelay true\nallow_anonymous true\nlog_dest none\n\
         sys_interval 1\nmax_queued_messages 100000\n"
    );
    std::fs::write(&file, text).expect("a configuration");
    let mut command = Command::new("/usr/sbin/mosquitto");
    command.arg("-c").arg(file);
    let broker = Process::start(command);
    wait_until("mosquitto", || TcpStream::connect(("127.0.0.1", port)).is_ok());
    (broker, port)
}

#[allow(clippy::disallowed_methods, reason = "a measurement has a fixed duration")]
pub(crate) fn pause(time: Duration) {
    std::thread::sleep(time);
}

/// Fails after [`PATIENCE`].
pub(crate) fn wait_until(what: &str, mut done: impl FnMut() -> bool) {
    let until = monotonic().after(PATIENCE);
    while !done() {
        assert!(monotonic() < until, "waiting for {what}");
        pause(Duration::from_millis(5));
    }
}
