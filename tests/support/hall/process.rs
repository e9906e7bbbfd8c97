//! `flagfall run` as a process, and the folder with its files.

use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::Receiver;

use flagfall::config::load;
use flagfall::daemon::station_configs;
use flagfall::session::setting::Setting;
use tempfile::TempDir;

use crate::support::mqtt::broker::print_skipped;
use crate::support::mqtt::{log_lines, wait_for};
use crate::support::waiting::wait_for_exit;

/// The folder of a daemon with one board, `b0`.
pub(crate) struct DaemonFolder {
    dir: TempDir,
    node: String,
    broker: u16,
}

impl DaemonFolder {
    pub(crate) fn new(node: &str, broker: u16) -> DaemonFolder {
        DaemonFolder { dir: tempfile::tempdir().expect("a folder"), node: node.to_owned(), broker }
    }

    pub(crate) fn port(&self) -> PathBuf {
        self.dir.path().join("port")
    }

    pub(crate) fn journal(&self) -> PathBuf {
        self.dir.path().join("journal")
    }

    pub(crate) fn config(&self) -> PathBuf {
        self.config_for_node(&self.node)
    }

    /// The configuration for a node of this name.
    pub(crate) fn config_for_node(&self, node: &str) -> PathBuf {
        let text = format!(
            "[node]\nname = \"{node}\"\n[event]\nid = \"ev\"\ntime_control = \"600\"\n[mqtt]\nhost = \"127.0.0.1\"\nport = {}\n\
             [journal]\ndir = {:?}\n[discovery]\nfolders = []\n[[board]]\nid = \"b0\"\nport = {:?}\n",
            self.broker,
            self.journal(),
            self.port(),
        );
        let path = self.dir.path().join(format!("{node}.toml"));
        std::fs::write(&path, text).expect("written");
        path
    }

    /// The setting of the daemon's station.
    pub(crate) fn setting(&self) -> Setting {
        let loaded = load(&[self.config()], std::iter::empty()).unwrap_or_else(|errors| panic!("{errors}"));
        station_configs(&loaded.config, loaded.hash).expect("plans").remove(0).setting
    }

    /// Copies the board's journal into another folder and returns that folder.
    pub(crate) fn copy_journal(&self) -> PathBuf {
        self.copy_journal_from(&self.journal())
    }

    /// The same for a folder of journals that is elsewhere.
    pub(crate) fn copy_journal_from(&self, journals: &Path) -> PathBuf {
        let copy = self.dir.path().join("copy");
        std::fs::create_dir(&copy).expect("a folder");
        for entry in std::fs::read_dir(journals.join("b0")).expect("a journal") {
            let entry = entry.expect("an entry");
            std::fs::copy(entry.path(), copy.join(entry.file_name())).expect("copied");
        }
        copy
    }
}

/// A daemon that runs as a process; it is killed when it is dropped.
pub(crate) struct DaemonProcess {
    child: RefCell<Child>,
    log: Receiver<String>,
}

impl DaemonProcess {
    pub(crate) fn start(config: &Path) -> DaemonProcess {
        DaemonProcess::spawn(Command::new(env!("CARGO_BIN_EXE_flagfall")), config)
    }

    /// A daemon whose files cannot grow beyond this number of bytes until the limit is lifted.
    pub(crate) fn with_limited_files(config: &Path, bytes: u32) -> DaemonProcess {
        let mut command = Command::new("sh");
        // The shell counts in blocks of 512 bytes. A program that ignores the signal gets an error instead.
        let script = format!("trap '' XFSZ; ulimit -S -f {}; exec \"$0\" \"$@\"", bytes / 512);
        command.arg("-c").arg(script).arg(env!("CARGO_BIN_EXE_flagfall"));
        DaemonProcess::spawn(command, config)
    }

    /// A daemon in whose eyes `mount`, a list of arguments of the program of that name, was mounted. If this machine does not
    /// allow a mount, this prints a line and returns none.
    pub(crate) fn with_mount(config: &Path, mounts: &[&str]) -> Option<DaemonProcess> {
        let script = mounts.iter().map(|mount| format!("mount {mount} && ")).collect::<String>();
        let inside = |then: &str| {
            let mut command = Command::new("unshare");
            command.args(["--user", "--map-root-user", "--mount", "sh", "-c"]).arg(format!("{script}{then}"));
            command
        };
        let tried = inside("true").stderr(Stdio::null()).status();
        if !tried.is_ok_and(|status| status.success()) {
            print_skipped("this machine does not allow a mount in a namespace of its own");
            return None;
        }
        let mut command = inside("exec \"$0\" \"$@\"");
        command.arg(env!("CARGO_BIN_EXE_flagfall"));
        Some(DaemonProcess::spawn(command, config))
    }

    /// Runs `mount` in the namespace of this daemon.
    pub(crate) fn mount(&self, arguments: &str) {
        let status = Command::new("nsenter")
            .args(["--user", "--mount", "--preserve-credentials", "--target", &self.id().to_string(), "mount"])
            .args(arguments.split(' '))
            .status();
        assert!(status.is_ok_and(|status| status.success()), "mount {arguments}");
    }

    /// A file or folder as this daemon sees it.
    pub(crate) fn seen(&self, path: &Path) -> PathBuf {
        let mut seen = PathBuf::from(format!("/proc/{}/root", self.id()));
        seen.push(path.strip_prefix("/").expect("an absolute path"));
        seen
    }

    fn spawn(mut command: Command, config: &Path) -> DaemonProcess {
        command.arg("run").arg("--config").arg(config);
        let mut child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().expect("starts");
        let log = log_lines(child.stderr.take().expect("its log"));
        DaemonProcess { child: RefCell::new(child), log }
    }

    pub(crate) fn id(&self) -> u32 {
        self.child.borrow().id()
    }

    fn run(&self, program: &str, arguments: &[&str]) {
        let status = Command::new(program).args(arguments).arg(self.id().to_string()).status().expect(program);
        assert!(status.success(), "{program}: {status}");
    }

    pub(crate) fn terminate(&self) {
        self.run("kill", &["-TERM"]);
    }

    /// Files may grow again.
    pub(crate) fn lift_limit(&self) {
        self.run("prlimit", &["--fsize=unlimited:", "--pid"]);
    }

    /// Waits for the end of the process.
    pub(crate) fn wait_for_end(&self) -> ExitStatus {
        wait_for_exit(&mut self.child.borrow_mut(), "the daemon")
    }

    /// Waits for a line of the log that `is` accepts.
    pub(crate) fn wait_for_log(&self, what: &str, mut is: impl FnMut(&str) -> bool) {
        wait_for(&self.log, what, |line| is(&line).then_some(()));
    }
}

impl Drop for DaemonProcess {
    fn drop(&mut self) {
        let child = self.child.get_mut();
        let _ = child.kill();
        let _ = child.wait();
    }
}
