//! What the program does for systemd and for the people who look after it: priorities of log lines, and what its health says.

use std::fs::File;
use std::os::unix::fs::MetadataExt;
use std::os::unix::net::UnixDatagram;
use std::process::{Command, Stdio};

#[cfg(feature = "outputs")]
use crate::program::{RunningProgram, flagfall};
use crate::rig::{Rig, Seat};
use crate::support::mqtt::broker::print_skipped;
use crate::support::mqtt::{Mosquitto, MosquittoSub, Proxy};
use crate::support::ports::free_port;
use crate::support::waiting::{PATIENCE, wait_until};
use crate::wrong_clock::WrongClock;

const HEALTH: &str = "flagfall/1/node/pi-1/health";

/// The log of a daemon without a broker. Standard error is a file, and `JOURNAL_STREAM` names that file, or nothing if `is_journal` is
/// false.
fn log(is_journal: bool) -> String {
    let port = free_port();
    let rig = Rig::new(port, "", &[Seat { id: "b1", time_control: "600" }]);
    let path = rig.config().with_file_name("stderr");
    let file = File::create(&path).expect("a file");
    let found = file.metadata().expect("a file");
    let inode = if is_journal { found.ino() } else { found.ino() + 1 };
    let mut process = Command::new(env!("CARGO_BIN_EXE_flagfall"));
    process.args(["run", "--config"]).arg(rig.config()).env_clear();
    process.env("JOURNAL_STREAM", format!("{}:{inode}", found.dev()));
    let mut child = process.stdin(Stdio::null()).stdout(Stdio::null()).stderr(file).spawn().expect("the program");
    let text = || std::fs::read_to_string(&path).expect("a log");
    wait_until("a warning", PATIENCE, || text().lines().any(|line| line.contains("no connection to the broker")));
    child.kill().expect("it runs");
    child.wait().expect("it ends");
    let text = text();
    for words in [&format!("broker at 127.0.0.1:{port} (mqtt.host, mqtt.port)"), "nothing listens there. Start the broker ("] {
        assert!(text.contains(words), "{words}: {text}");
    }
    text
}

#[test]
fn the_journal_of_systemd_gets_priorities() {
    let text = log(true);
    // Ten minutes are blitz, and the rules are those of standard chess.
    for words in [
        "INFO board b1: time control 600 (10 minutes)\n",
        "WARN board b1: time_control 600 is 10 minutes: ",
        "which is blitz (B.1)",
    ] {
        assert!(text.contains(words), "{words}: {text}");
    }
    for line in text.lines() {
        let priority = if line.contains(" WARN ") { "<4>" } else { "<6>" };
        assert!(line.starts_with(priority), "{line}");
    }
}

#[test]
#[cfg(feature = "outputs")]
fn a_collector_says_at_once_which_broker_it_cannot_reach() {
    let port = free_port();
    let rig = Rig::new(port, "", &[Seat { id: "b1", time_control: "600" }]);
    rig.add(&format!("[collect]\ndir = '{}'\n", rig.config().with_file_name("collected").display()));
    let mut collector = RunningProgram::start(flagfall(&["collect", "--config"]).arg(rig.config()));
    let line = collector.wait_for_line("no connection to the broker");
    let words = format!("broker at 127.0.0.1:{port} (mqtt.host, mqtt.port): nothing listens there. Start the broker (");
    assert!(line.contains(&words), "{line}");
    collector.stop("-TERM");
}

#[test]
fn a_file_gets_no_priorities_although_a_service_started_the_program() {
    let text = log(false);
    assert!(!text.lines().any(|line| line.starts_with('<')), "{text}");
}

#[test]
fn the_health_of_a_node_says_what_the_program_uses() {
    let broker = Mosquitto::start();
    let proxy = Proxy::new(broker.port());
    let rig = Rig::new(proxy.port(), "", &[Seat { id: "b1", time_control: "600" }]);
    let messages = MosquittoSub::new(broker.port(), &[HEALTH]);
    // In the place of systemd, which restarts a program that is silent for ten seconds.
    let folder = tempfile::tempdir().expect("a folder");
    let systemd = folder.path().join("notify");
    let socket = UnixDatagram::bind(&systemd).expect("a socket");
    let reader = std::thread::Builder::new().name("systemd".into()).spawn(move || watchdog_reports(&socket)).expect("a thread");
    let mut variables = vec![("NOTIFY_SOCKET", systemd.display().to_string()), ("WATCHDOG_USEC", "10000000".to_owned())];
    let clock = WrongClock::new(folder.path().join("clock"), 0);
    match &clock {
        Some(clock) => variables.extend(clock.variables()),
        None => print_skipped("faketime is not installed: the clock does not step"),
    }
    // The first health is made before there is a link.
    proxy.close();
    let daemon = rig.start_with(&variables);
    wait_until("a warning", PATIENCE, || rig.log().contains("no connection to the broker"));
    proxy.open();
    let first = messages.wait("the health", |message| (message.topic == HEALTH).then(|| message.body().clone()));
    assert_eq!(first["version"], env!("CARGO_PKG_VERSION"));
    for (field, least) in [("rss_kib", 1000), ("threads", 3), ("fds", 5), ("journal_bytes", 1), ("backlog", 1)] {
        assert!(first[field].as_u64().is_some_and(|found| found >= least), "{field}: {first}");
    }
    assert_eq!((first.get("reconnections"), first.get("clock_step_ms")), (None, None), "{first}");
    proxy.cut();
    if let Some(clock) = &clock {
        clock.set(90);
    }
    let later = messages
        .wait("the next health", |message| (message.body().get("reconnections").is_some()).then(|| message.body().clone()));
    assert_eq!(later["reconnections"], 1, "{later}");
    assert!(later["watchdog_margin_ms"].as_u64().is_some_and(|margin| (1..=10_000).contains(&margin)), "{later}");
    let step = later["clock_step_ms"].as_i64();
    assert_eq!(step.map(|step| (step - 90_000).abs() < 2_000), clock.is_some().then_some(true), "{later}");
    daemon.terminate();
    UnixDatagram::unbound().and_then(|end| end.send_to(b"end", &systemd)).expect("the end");
    assert!(reader.join().expect("a number") >= 5, "a report every second or two");
}

/// How often the program said that it works, until somebody sends `end`.
fn watchdog_reports(socket: &UnixDatagram) -> usize {
    let mut reports = 0;
    let mut bytes = [0; 1024];
    loop {
        let length = socket.recv(&mut bytes).expect("a message");
        match String::from_utf8_lossy(&bytes[..length]).as_ref() {
            "end" => return reports,
            text => reports += usize::from(text.contains("WATCHDOG=1")),
        }
    }
}
