//! A daemon that may have few file descriptors, and silent sockets that take them: it does not spin, writes few log lines, serves the
//! arbiter who is logged in, and lets another one log in. Boards find descriptors.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use flagfall::system_clock::monotonic;
use flagfall_hardware::emulator::Settings;
use flagfall_hardware::emulator::script::Script;
use rumqttc::v5::mqttbytes::QoS;
use tokio::task::JoinSet;
use tokio::time::sleep;

use super::{LOGIN, connect, guarded_rig, log_in_as_anna, read_to_end};
use crate::client::{Client, options, text};
use crate::program::{RunningProgram, flagfall};
use crate::support::ports::free_address;
use crate::support::seconds::assert_within;

/// How many descriptors the daemon may have at first.
const FEW: usize = 64;
const SILENT: u16 = 100;
/// Multiples of this number have the same address of attackers.
const ONE_ADDRESS: u16 = 8;
/// So many, twice, have room in the queue of the operating system.
const WAITING: u16 = 40;
/// How long the daemon is watched while it can open nothing.
const WATCHED: Duration = Duration::from_secs(3);

/// The processor time that a process has used.
fn processor_time(process: u32) -> Duration {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).expect("it runs");
    // The name, in brackets, is the second field; user and system time are fields 14 and 15, in hundredths of a second.
    let fields: Vec<&str> = stat.rsplit(')').next().expect("fields").split_whitespace().collect();
    Duration::from_millis(10 * fields[11..13].iter().map(|field| field.parse::<u64>().expect("a number")).sum::<u64>())
}

/// The descriptors that a process has open.
fn open_descriptors(process: u32) -> Vec<PathBuf> {
    let folder = std::fs::read_dir(format!("/proc/{process}/fd")).expect("it runs");
    folder.map(|entry| entry.expect("an entry").file_name().into()).collect()
}

/// Sets how many descriptors a process may have.
fn set_limit(process: u32, limit: usize) {
    let status = Command::new("prlimit").args([format!("--nofile={limit}:"), format!("--pid={process}")]).status();
    assert!(status.is_ok_and(|status| status.success()), "prlimit");
}

/// Sets the limit so that the process can open nothing more.
fn forbid_more(process: u32) {
    let open = open_descriptors(process);
    let free = (0..).find(|number: &usize| !open.contains(&PathBuf::from(number.to_string()))).expect("a number");
    set_limit(process, free);
}

/// Waits for a message on a topic with this ending that contains the text.
async fn wait_for(anna: &mut Client, ending: &str, what: &str) {
    loop {
        let message = anna.next().await;
        if text(&message.topic).ends_with(ending) && text(&message.payload).contains(what) {
            return;
        }
    }
}

/// Logs in as another client of anna, and leaves.
async fn log_in_in_time(tcp: SocketAddr, when: &str) {
    let began = monotonic();
    let mut options = options(tcp, "anna-laptop");
    options.set_credentials("anna", "secret of anna");
    Client::connect(options).await.leave().await;
    assert_within(monotonic().since(began), LOGIN, when);
}

#[allow(clippy::print_stderr, reason = "the processor time is measured")]
#[tokio::test]
async fn a_daemon_with_few_descriptors_goes_on_and_logs_an_arbiter_in() {
    let (tcp, web) = (free_address(), free_address());
    let rig = guarded_rig(tcp, web, "600");
    // The second board is plugged in later.
    rig.add(&format!("[[board]]\nid = \"b2\"\nport = '{}'\ntime_control = \"600\"\n", rig.port("b2").display()));
    let board = rig.board("b1", Settings::default(), 1.0);
    let mut limited = Command::new("prlimit");
    limited.arg(format!("--nofile={FEW}")).arg("--").arg(flagfall(&[]).get_program());
    let mut daemon = RunningProgram::start(limited.args(["run", "--config"]).arg(rig.config()));
    let process = daemon.child.id();
    daemon.wait_for_line("broker: MQTT on");
    let mut anna = log_in_as_anna(tcp).await;
    anna.subscribe("flagfall/1/#", QoS::AtLeastOnce).await;
    wait_for(&mut anna, "b1/state", "\"stage\":\"armed\"").await;

    let mut attack = JoinSet::new();
    for number in 0..SILENT {
        let to = [tcp, web][usize::from(number % 2)];
        attack.spawn(async move {
            loop {
                read_to_end(&mut connect(number * ONE_ADDRESS, to).await).await;
            }
        });
    }
    let later = rig.board("b2", Settings { serial: 2, ..Settings::default() }, 1.0);
    wait_for(&mut anna, "b2/state", "\"stage\":\"armed\"").await;
    for _ in 0..5 {
        log_in_in_time(tcp, "a login among silent sockets").await;
    }
    attack.shutdown().await;

    let mut silent = Vec::new();
    for number in 0..WAITING {
        silent.push(connect(number * ONE_ADDRESS, tcp).await);
    }
    forbid_more(process);
    let (before, began) = (processor_time(process), monotonic());
    board.load(&Script::parse("0.1 lift e2\n+0.3 place e4").expect("a script")).expect("hands");
    wait_for(&mut anna, "b1/state", "\"e2e4\"").await;
    for number in 0..WAITING {
        silent.push(connect(number * ONE_ADDRESS, tcp).await);
    }
    sleep(WATCHED.saturating_sub(monotonic().since(began))).await;
    let (used, passed) = (processor_time(process) - before, monotonic().since(began));
    eprintln!("the daemon used {used:?} of {passed:?} while it could open nothing");
    assert!(used < passed / 3, "it spins: {used:?} of {passed:?}");
    set_limit(process, FEW);
    log_in_in_time(tcp, "a login after descriptors are free again").await;
    drop((silent, later));
    let log = daemon.stop("-TERM");
    // Each of the nine kinds has a line at once, and one with its count at the end.
    let refused = log.lines().filter(|line| line.contains("WARN broker: ")).count();
    assert!((2..=18).contains(&refused) && log.contains(" times in the last minute"), "{log}");
    assert!(log.lines().count() < 60, "{log}");
}
