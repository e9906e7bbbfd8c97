//! A D-Bus daemon of its own, in a temporary folder, at an address that outlives it.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{PoisonError, RwLock};

use tempfile::TempDir;

/// The environment variable from which libdbus, and so btleplug, takes the address of the system bus when a process first uses
/// D-Bus.
pub(crate) const SYSTEM_BUS: &str = "DBUS_SYSTEM_BUS_ADDRESS";
/// The environment variable that gives a test in its own process its folder.
const FOLDER: &str = "FLAGFALL_TEST_BUS_FOLDER";
/// The file that a test leaves in its folder at its end.
const DONE: &str = "done";

/// Whoever starts a program writes; whoever closes a port that must be free at once reads. Until a new process executes its program, it has
/// copies of all descriptors of this one, and a port that is closed meanwhile stays locked.
pub(crate) static STARTING: RwLock<()> = RwLock::new(());

/// Starts a program and returns when it has no descriptor of this process.
pub(crate) fn start(command: &mut Command) -> Child {
    let _no_port_is_closed = STARTING.write().unwrap_or_else(PoisonError::into_inner);
    let child = command.spawn().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    // The system lets this thread go on a moment before it closes the copies. After that the process has a name of its own.
    let name = |process: &str| std::fs::read_to_string(format!("/proc/{process}/comm")).ok();
    let ours = name("thread-self");
    while ours.is_some() && name(&child.id().to_string()) == ours {
        std::thread::yield_now();
    }
    child
}

/// A bus on which every client may own every name. It ends when this value is dropped.
#[derive(Debug)]
pub(crate) struct Bus {
    folder: PathBuf,
    daemon: Option<Child>,
    _own: Option<TempDir>,
}

impl Bus {
    /// Starts a bus in a temporary folder, for a program that runs as its own process with [`SYSTEM_BUS`] in its environment.
    pub(crate) fn start() -> Bus {
        let own = folder();
        let mut bus = Bus { folder: own.path().to_path_buf(), daemon: None, _own: Some(own) };
        bus.restart();
        bus
    }

    /// Returns the address of the bus, which is the same after a restart.
    pub(crate) fn address(&self) -> String {
        address(&self.folder)
    }

    /// Ends the bus: every client loses its connection.
    pub(crate) fn stop(&mut self) {
        if let Some(mut daemon) = self.daemon.take() {
            daemon.kill().expect("it is a child of ours");
            daemon.wait().expect("it ends");
            // The daemon had no time to remove its socket, and the next one would find the address in use.
            let _ = std::fs::remove_file(self.folder.join("bus"));
        }
    }

    /// Starts the bus again at the same address and returns when clients can connect.
    pub(crate) fn restart(&mut self) {
        self.stop();
        let config = self.folder.join("bus.conf");
        std::fs::write(&config, config_text(&self.address())).expect("the folder can be written to");
        let mut command = Command::new("dbus-daemon");
        command.arg(format!("--config-file={}", config.display())).args(["--nofork", "--print-address=1"]);
        // The daemon warns that it may not raise its limit of open files.
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut daemon = start(&mut command);
        let mut line = String::new();
        let output = daemon.stdout.take().expect("piped");
        BufReader::new(output).read_line(&mut line).expect("it prints its address");
        self.daemon = Some(daemon);
        assert!(line.starts_with("unix:"), "dbus-daemon did not start: {line:?}");
    }
}

impl Drop for Bus {
    fn drop(&mut self) {
        self.stop();
    }
}

/// Runs `scenes`, a closure in the test named `test`, in a process of its own. The system bus of that process is the bus that
/// `scenes` gets. The process is this test program, which runs only this test. The name may leave out the modules of the test.
pub(crate) fn in_own_process<S: FnOnce(Bus)>(test: &str, scenes: S) {
    #[allow(clippy::disallowed_methods, reason = "the process reads the address of its bus from its environment")]
    let given = std::env::var_os(FOLDER);
    if let Some(given) = given {
        let mut bus = Bus { folder: given.into(), daemon: None, _own: None };
        let done = bus.folder.join(DONE);
        bus.restart();
        scenes(bus);
        std::fs::write(done, "").expect("the folder can be written to");
        return;
    }
    // `program::module::test::{{closure}}`; the program calls it without its own name.
    let closure = std::any::type_name::<S>();
    let path = closure.strip_suffix("::{{closure}}").unwrap_or(closure);
    assert!(path.ends_with(&format!("::{test}")), "{test}: called in {path}");
    let full = path.split_once("::").map_or(path, |(_, full)| full);
    let folder = folder();
    let mut command = Command::new(std::env::current_exe().expect("this program"));
    command.args(["--exact", full, "--nocapture"]).env(FOLDER, folder.path()).env(SYSTEM_BUS, address(folder.path()));
    let status = start(&mut command).wait().expect("a child");
    assert!(status.success(), "{full}: {status}");
    assert!(folder.path().join(DONE).exists(), "{full}: is not the name of the test");
}

/// Creates a folder, not below `TMPDIR`, because the address of a socket can hold only about a hundred bytes.
fn folder() -> TempDir {
    tempfile::Builder::new().prefix("bus").tempdir_in("/tmp").expect("/tmp can be written to")
}

fn address(folder: &Path) -> String {
    format!("unix:path={}", folder.join("bus").display())
}

fn config_text(address: &str) -> String {
    format!(
        r#"<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig>
  <type>system</type>
  <listen>{address}</listen>
  <auth>EXTERNAL</auth>
  <policy context="default">
    <allow send_destination="*" eavesdrop="false"/>
    <allow receive_sender="*"/>
    <allow own="*"/>
    <allow user="*"/>
  </policy>
</busconfig>
"#
    )
}
