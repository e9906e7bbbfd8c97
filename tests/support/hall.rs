//! A daemon in this process, with its own broker on a free port, emulated boards, and a subscriber to all topics.

pub(crate) mod process;
pub(crate) mod subscriber;
pub(crate) mod table;

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, sync_channel};
use std::thread::JoinHandle;

use flagfall::config::{Board, Broker, Config, Discovery, Event, Journal, Loaded, Node};
use flagfall::daemon::Daemon;
use tempfile::TempDir;
use tokio::sync::oneshot;

use self::subscriber::Subscriber;
use super::waiting::{PATIENCE, thread};

/// A folder for one test, with a folder for ports and one for journals.
pub(crate) struct TestHall(TempDir);

impl TestHall {
    pub(crate) fn new() -> TestHall {
        let hall = TestHall(tempfile::tempdir().expect("a folder"));
        std::fs::create_dir(hall.ports()).expect("a folder");
        hall
    }

    pub(crate) fn ports(&self) -> PathBuf {
        self.0.path().join("ports")
    }

    pub(crate) fn port(&self, name: &str) -> PathBuf {
        self.ports().join(name)
    }

    pub(crate) fn journal(&self) -> PathBuf {
        self.0.path().join("journal")
    }

    pub(crate) fn path(&self) -> &Path {
        self.0.path()
    }

    /// The configuration of a daemon with these boards and an embedded broker.
    pub(crate) fn loaded(&self, board: Vec<Board>) -> Loaded {
        let any = || "127.0.0.1:0".to_owned();
        let config = Config {
            node: Node { name: Some("n1".to_owned()) },
            event: Event { id: "ev".to_owned(), time_control: Some("600".to_owned()), ..Event::default() },
            broker: Broker { enabled: true, tcp: any(), websocket: String::new(), ..Broker::default() },
            journal: Journal { dir: self.journal(), ..Journal::default() },
            discovery: Discovery { folders: vec![self.ports()] },
            board,
            ..Config::default()
        };
        Loaded { config, files: Vec::new(), hash: 0 }
    }
}

/// The embedded broker without a daemon, so that it can run before the daemon starts. It ends when it is dropped.
pub(crate) struct EmbeddedBroker {
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
    pub(crate) tcp: SocketAddr,
}

impl EmbeddedBroker {
    /// For everybody.
    pub(crate) fn start() -> EmbeddedBroker {
        EmbeddedBroker::with(Broker { tcp: "127.0.0.1:0".to_owned(), websocket: String::new(), ..Broker::default() })
    }

    pub(crate) fn with(settings: Broker) -> EmbeddedBroker {
        let (stop, stopped) = oneshot::channel::<()>();
        let (began, begun) = sync_channel(1);
        let thread = thread("broker", move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
            runtime.block_on(async {
                let broker =
                    flagfall::broker::start(&Config { broker: settings, ..Config::default() }, "node-1").await.expect("starts");
                began.send(broker.tcp).expect("the receiver waits");
                let _ = stopped.await;
                broker.stop().await;
            });
        });
        let tcp = begun.recv_timeout(PATIENCE).expect("the broker starts");
        EmbeddedBroker { stop: Some(stop), thread: Some(thread), tcp }
    }
}

impl Drop for EmbeddedBroker {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// A daemon that runs in this process; it ends when it is dropped.
pub(crate) struct RunningDaemon {
    stop: Option<oneshot::Sender<()>>,
    /// Lets it connect to its broker.
    connect: Option<oneshot::Sender<()>>,
    ended: Receiver<()>,
    thread: Option<JoinHandle<()>>,
    /// The address of its broker.
    pub(crate) tcp: SocketAddr,
}

impl RunningDaemon {
    pub(crate) fn start(loaded: Loaded) -> RunningDaemon {
        let elsewhere = loaded.config.mqtt.port.map(|port| SocketAddr::from(([127, 0, 0, 1], port)));
        let mut daemon = RunningDaemon::prepare(elsewhere, async move || Daemon::start(&loaded).await.expect("starts"));
        drop(daemon.connect.take());
        daemon
    }

    /// Starts a daemon with an embedded broker, and a subscriber that gets everything from its first message on.
    pub(crate) fn heard(loaded: Loaded) -> (RunningDaemon, Subscriber) {
        RunningDaemon::heard_with(async move || Daemon::start(&loaded).await.expect("starts"))
    }

    /// The same with the daemon that `make` returns.
    pub(crate) fn heard_with<F: Future<Output = Daemon>>(
        make: impl FnOnce() -> F + Send + 'static,
    ) -> (RunningDaemon, Subscriber) {
        let mut daemon = RunningDaemon::prepare(None, make);
        let subscriber = Subscriber::new(daemon.tcp);
        drop(daemon.connect.take());
        (daemon, subscriber)
    }

    /// Starts everything but the daemon's own connection.
    fn prepare<F: Future<Output = Daemon>>(
        elsewhere: Option<SocketAddr>,
        make: impl FnOnce() -> F + Send + 'static,
    ) -> RunningDaemon {
        let (stop, stopped) = oneshot::channel();
        let (connect, may_connect) = oneshot::channel::<()>();
        let (began, begun) = sync_channel(1);
        let (end, ended) = sync_channel(1);
        let thread = thread("daemon", move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
            runtime.block_on(async {
                let daemon = make().await;
                let tcp = elsewhere.unwrap_or_else(|| daemon.broker().expect("its broker").tcp);
                began.send(tcp).expect("the receiver waits");
                // A dropped sender is the permission.
                let _ = may_connect.await;
                let stopped = async {
                    let _ = stopped.await;
                };
                daemon.run(stopped).await.expect("runs");
                let _ = end.send(());
            });
        });
        let tcp = begun.recv_timeout(PATIENCE).expect("the daemon starts");
        RunningDaemon { stop: Some(stop), connect: Some(connect), ended, thread: Some(thread), tcp }
    }

    /// Stops the daemon, and returns when it has ended.
    pub(crate) fn stop(mut self) {
        drop(self.stop.take());
        self.ended.recv_timeout(PATIENCE).expect("the daemon ends");
    }
}

impl Drop for RunningDaemon {
    fn drop(&mut self) {
        drop((self.connect.take(), self.stop.take()));
        if let Some(thread) = self.thread.take()
            && thread.join().is_err()
        {
            assert!(std::thread::panicking(), "the daemon panicked");
        }
    }
}
