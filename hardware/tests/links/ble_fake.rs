//! Tests of the fake BlueZ (`bluez/mod.rs`) with btleplug. `--nocapture` shows times.

use std::collections::BTreeSet;
use std::future::Future;
use std::pin::Pin;
use std::time::{Duration, Instant};

use crate::bluez::{self, Bluez, Bus, Peripheral};
use btleplug::api::{
    Central, CentralEvent, Characteristic, Manager as _, Peripheral as _, ScanFilter, ValueNotification, WriteType,
};
use btleplug::platform::{Adapter, Manager, Peripheral as Remote};
use flagfall_hardware::emulator::script::Script;
use flagfall_protocols::driver::Channel;
use futures::{Stream, StreamExt};

const WRITE: u128 = Channel::NORDIC_UART.write.expect("named");
const NOTIFY: u128 = Channel::NORDIC_UART.notify.expect("named");
const A: &str = "C0:00:00:00:00:0A";
/// Long enough for a busy machine. No working step waits so long.
const LONG: Duration = Duration::from_secs(60);
/// A message that has not come within this time does not come.
const SHORT: Duration = Duration::from_millis(300);

/// Asks a Pegasus for all squares. The answer has three bytes before the 64 squares.
const BOARD: &[u8] = &[0x42];
const BOARD_LENGTH: usize = 67;
/// Makes a Pegasus report changes.
const UPDATES: &[u8] = &[0x44];
/// Asks for its version. The answer has five bytes.
const VERSION: &[u8] = &[0x4d];

#[test]
fn btleplug_works_with_the_fake_bluez() {
    bluez::in_own_process("btleplug_works_with_the_fake_bluez", |bus| {
        tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime").block_on(scenes(bus));
    });
}

async fn scenes(mut bus: Bus) {
    let bluez = Bluez::start(&bus.address());
    let (central, anchor) = central().await;
    timed("scan, connect, both ways", scan_and_talk(&bluez, &central)).await;
    timed("a connection at a time", one_at_a_time(&bluez, &central)).await;
    timed("refused, silent, out of reach", out_of_reach(&bluez, &central)).await;
    timed("link dropped", link_dropped(&bluez, &central)).await;
    timed("adapter off, blocked, gone", adapter_off(&bluez, &central)).await;
    timed("bluetoothd stops and starts", daemon_dies(&bluez, &central)).await;
    timed("twenty at once", twenty_at_once(&bluez, &central)).await;
    // Dropped streams send their last message to the bus in tasks of their own.
    tokio::time::sleep(SHORT).await;
    bluez.stop();
    bus.stop();
    let unheard = tokio::time::timeout(SHORT, central.peripherals()).await;
    assert!(!matches!(unheard, Ok(Ok(_))), "there is no bus, and no event reports it");
    // At its end bluez-async would call the bus and panic in a task of its own, because there is no bus.
    std::mem::forget(anchor);
    bus.restart();
    bluez.resume();
    let (central, _anchor) = self::central().await;
    timed("after the bus", async { drop(found(&central, A).await) }).await;
}

async fn scan_and_talk(bluez: &Bluez, central: &Adapter) {
    bluez.add(Peripheral { mtu: 10, ..Peripheral::for_driver("dgt_pegasus", A, "DGT_PEGASUS_1") });
    assert!(central.peripherals().await.expect("a list").is_empty(), "nothing is seen without a scan");
    let mut events = central.events().await.expect("events");
    let remote = found(central, A).await;
    assert!(failed(central.start_scan(ScanFilter::default()).await).contains("org.bluez.Error.InProgress"));
    assert_eq!(bluez.discovery(), (true, 1));
    let properties = remote.properties().await.expect("properties").expect("some");
    assert_eq!((properties.local_name.as_deref(), properties.rssi), (Some("DGT_PEGASUS_1"), Some(-60)));
    until(&mut events, |event| matches!(event, CentralEvent::DeviceDiscovered(id) if *id == remote.id())).await;
    bluez.set_rssi(A, -71);
    until(&mut events, |event| matches!(event, CentralEvent::RssiUpdate { rssi: -71, .. })).await;

    let mut board = Pegasus::open(&remote).await;
    until(&mut events, |event| matches!(event, CentralEvent::DeviceConnected(id) if *id == remote.id())).await;
    // The board cuts its message into pieces of 20 bytes, and the radio cuts these into 7 bytes.
    board.send(BOARD).await.expect("written");
    let pieces = board.pieces(BOARD_LENGTH).await;
    assert_eq!(pieces.iter().map(Vec::len).collect::<Vec<_>>(), [7, 7, 6, 7, 7, 6, 7, 7, 6, 7]);
    let bytes = pieces.concat();
    assert_eq!((&bytes[..3], &bytes[3..19], &bytes[19..51]), (&[0x86, 0, 0x43][..], &[1; 16][..], &[0; 32][..]));

    let too_long = failed(board.send(&[BOARD[0]; 8]).await);
    assert!(too_long.contains("org.bluez.Error.InvalidValueLength"), "{too_long}");

    board.send(UPDATES).await.expect("written");
    bluez.load(A, &Script::parse("0.05 lift e2\n+0.2 place e4").expect("a script"));
    assert_eq!(board.pieces(10).await, [[0x8e, 0, 5, 52, 0], [0x8e, 0, 5, 36, 1]]);
    assert!(bluez.done(A));

    let mut trips: Vec<Duration> = Vec::new();
    for _ in 0..50 {
        let asked = now();
        board.send(VERSION).await.expect("written");
        assert_eq!(board.pieces(5).await, [[0x93, 0, 5, 1, 0]]);
        trips.push(asked.elapsed_now());
    }
    trips.sort();
    show(&format!("a question and its answer, of which the board takes 15 ms: median {:?}, longest {:?}", trips[25], trips[49]));
    board.remote.unsubscribe(&board.notify).await.expect("no longer reported");
    board.send(VERSION).await.expect("written");
    assert_eq!(board.silence().await, Vec::<u8>::new());
    let seen = bluez.seen(A);
    assert_eq!((seen.attempts.len(), seen.connections.len(), seen.most_at_once, seen.writes.len()), (1, 1, 1, 53));
    assert!(seen.writes.iter().all(|write| write.uuid == WRITE && write.command));
    assert_eq!((&seen.writes[0].bytes[..], seen.unheard), (BOARD, 5));
    remote.disconnect().await.expect("disconnected");
    until(&mut events, |event| matches!(event, CentralEvent::DeviceDisconnected(id) if *id == remote.id())).await;
    assert!(!bluez.connected(A) && remote.disconnect().await.is_err());
}

async fn one_at_a_time(bluez: &Bluez, central: &Adapter) {
    let remote = found(central, A).await;
    bluez.set_delays(A, Duration::from_millis(150), Duration::from_millis(150));
    let began = now();
    let (first, second) = futures::join!(remote.connect(), remote.connect());
    assert!(first.is_ok() && began.elapsed_now() >= SHORT, "{first:?}");
    assert!(failed(second).contains("InProgress"));
    assert_eq!((bluez.seen(A).most_at_once, bluez.most_asked_at_once()), (2, 1));
    remote.connect().await.expect("it is connected");
    remote.disconnect().await.expect("disconnected");
    // One attempt is given up while the test waits for it.
    let before = bluez.seen(A).attempts.len();
    bluez.set_delays(A, LONG, LONG);
    let (asked, given_up) = futures::join!(remote.connect(), async {
        while bluez.seen(A).attempts.len() == before {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        remote.disconnect().await
    });
    assert!(given_up.is_ok() && failed(asked).contains("le-connection-abort-by-local"));
    bluez.set_delays(A, Duration::from_millis(5), Duration::from_millis(5));
}

async fn out_of_reach(bluez: &Bluez, central: &Adapter) {
    let remote = found(central, A).await;
    let before = bluez.seen(A).attempts.len();
    bluez.refuse_connections(A, 2);
    for _ in 0..2 {
        assert!(failed(remote.connect().await).contains("le-connection-abort-by-local"));
    }
    remote.connect().await.expect("the third time");
    assert_eq!(bluez.seen(A).attempts.len() - before, 3);
    let mut events = central.events().await.expect("events");
    bluez.fall_silent(A);
    until(&mut events, |event| matches!(event, CentralEvent::DeviceDisconnected(_))).await;
    remote.connect().await.expect_err("it is out of reach");
    bluez.vanish(A);
    assert!(central.peripherals().await.expect("a list").is_empty());
    remote.connect().await.expect_err("it is forgotten");
    bluez.appear(A);
    until(&mut events, |event| matches!(event, CentralEvent::DeviceDiscovered(_))).await;
    remote.connect().await.expect("it is back");
    remote.disconnect().await.expect("disconnected");
}

async fn link_dropped(bluez: &Bluez, central: &Adapter) {
    let remote = found(central, A).await;
    let mut events = central.events().await.expect("events");
    let mut board = Pegasus::open(&remote).await;
    board.send(UPDATES).await.expect("written");
    bluez.drop_link(A);
    until(&mut events, |event| matches!(event, CentralEvent::DeviceDisconnected(_))).await;
    let refused = board.send(BOARD).await.expect_err("there is no connection");
    assert!(refused.to_string().contains("Not connected"), "{refused}");
    assert!(!remote.is_connected().await.expect("a state"));
    // The host gets no report of changes from now on.
    bluez.load(A, &Script::parse("0.01 lift d2\n+0.1 place d4").expect("a script"));
    assert_eq!(board.silence().await, Vec::<u8>::new());
    let seen = bluez.seen(A);
    assert_eq!((seen.unheard, seen.refused_writes), (15, 1));

    let mut again = Pegasus::open(&remote).await;
    again.send(BOARD).await.expect("written");
    let bytes = again.pieces(BOARD_LENGTH).await.concat();
    assert_eq!((bytes[3 + 51], bytes[3 + 35]), (0, 1), "d2 and d4");
    bluez.drop_all();
    assert!(!bluez.connected(A));
}

async fn adapter_off(bluez: &Bluez, central: &Adapter) {
    let remote = found(central, A).await;
    remote.connect().await.expect("connected");
    bluez.power(false);
    assert!(!remote.is_connected().await.expect("a state") && !bluez.discovery().0);
    assert!(failed(remote.connect().await).contains("NotReady"));
    bluez.block(true);
    central.start_scan(ScanFilter::default()).await.expect_err("it cannot be switched on");
    bluez.block(false);
    central.start_scan(ScanFilter::default()).await.expect("it is switched on");
    remote.connect().await.expect("connected");
    bluez.remove_adapter();
    let manager = Manager::new().await.expect("a bus");
    assert!(manager.adapters().await.expect("a list").is_empty());
    remote.connect().await.expect_err("no adapter");
    bluez.add_adapter();
    assert_eq!(manager.adapters().await.expect("a list").len(), 1);
    found(central, A).await.connect().await.expect("connected");
}

async fn daemon_dies(bluez: &Bluez, central: &Adapter) {
    let remote = found(central, A).await;
    let mut board = Pegasus::open(&remote).await;
    let mut events = central.events().await.expect("events");
    while tokio::time::timeout(SHORT, events.next()).await.is_ok() {}
    bluez.stop();
    assert_eq!(board.silence().await, Vec::<u8>::new());
    assert!(tokio::time::timeout(SHORT, events.next()).await.is_err(), "no event reports it");
    let gone = board.send(BOARD).await.expect_err("bluetoothd is gone");
    show(&format!("without bluetoothd: {gone}"));
    bluez.resume();
    assert!(central.peripherals().await.expect("a list").is_empty(), "it knows nothing");
    let mut again = Pegasus::open(&found(central, A).await).await;
    again.send(VERSION).await.expect("written");
    assert_eq!(again.pieces(5).await.concat().len(), 5);
    again.remote.disconnect().await.expect("disconnected");
}

async fn twenty_at_once(bluez: &Bluez, central: &Adapter) {
    let address = |number: usize| format!("C0:00:00:00:01:{number:02X}");
    for number in 0..20 {
        // Every other board runs four times as fast.
        let speed = if number % 2 == 0 { 1.0 } else { 4.0 };
        bluez.add(Peripheral {
            speed,
            ..Peripheral::for_driver("dgt_pegasus", &address(number), &format!("DGT_PEGASUS_{number}"))
        });
    }
    let moves = Script::parse("0.2 lift e2\n+0.1 place e4\n+0.1 lift e7\n+0.1 place e5").expect("a script");
    let remotes = (0..20).map(|number| async move { found(central, &address(number)).await });
    let remotes = futures::future::join_all(remotes).await;
    let boards = remotes.iter().enumerate().map(|(number, remote)| async move {
        let began = now();
        let mut board = Pegasus::open(remote).await;
        board.send(BOARD).await.expect("written");
        assert_eq!(board.pieces(BOARD_LENGTH).await.len(), 4, "{number}");
        board.send(UPDATES).await.expect("written");
        (board, began.elapsed_now())
    });
    let mut boards = futures::future::join_all(boards).await;
    // How many there are depends on how busy the machine is.
    assert!(bluez.most_asked_at_once() > 1, "together");
    let mut made: Vec<_> = (0..20).flat_map(|number| bluez.seen(&address(number)).connections).collect();
    made.sort();
    assert!(made.windows(2).all(|pair| pair[1] - pair[0] >= Duration::from_millis(15)), "one after the other: {made:?}");
    show(&format!("all are read after {:?}", boards.iter().map(|(_, took)| *took).max().expect("twenty")));
    (0..20).for_each(|number| bluez.load(&address(number), &moves));
    for (board, _) in &mut boards {
        let reported = [[0x8e, 0, 5, 52, 0], [0x8e, 0, 5, 36, 1], [0x8e, 0, 5, 12, 0], [0x8e, 0, 5, 28, 1]];
        assert_eq!(board.pieces(20).await, reported);
    }
    assert!((0..20).all(|number| bluez.connected(&address(number)) && bluez.seen(&address(number)).most_at_once == 1));
    bluez.drop_all();
    assert!(!(0..20).any(|number| bluez.connected(&address(number))));
}

/// A connection to a Pegasus.
struct Pegasus {
    remote: Remote,
    write: Characteristic,
    notify: Characteristic,
    notifications: Pin<Box<dyn Stream<Item = ValueNotification> + Send>>,
}

impl Pegasus {
    async fn open(remote: &Remote) -> Pegasus {
        remote.connect().await.expect("connected");
        remote.discover_services().await.expect("its services");
        let all: BTreeSet<Characteristic> = remote.characteristics();
        let find = |uuid: u128| all.iter().find(|one| one.uuid.as_u128() == uuid).expect("it is there").clone();
        let (write, notify) = (find(WRITE), find(NOTIFY));
        let notifications = remote.notifications().await.expect("a stream");
        remote.subscribe(&notify).await.expect("subscribed");
        Pegasus { remote: remote.clone(), write, notify, notifications }
    }

    async fn send(&self, bytes: &[u8]) -> Result<(), btleplug::Error> {
        self.remote.write(&self.write, bytes, WriteType::WithoutResponse).await
    }

    /// Returns notifications until they hold `length` bytes.
    async fn pieces(&mut self, length: usize) -> Vec<Vec<u8>> {
        let mut pieces: Vec<Vec<u8>> = Vec::new();
        while pieces.iter().map(Vec::len).sum::<usize>() < length {
            let next = tokio::time::timeout(LONG, self.notifications.next()).await.unwrap_or_else(|_| panic!("only {pieces:?}"));
            pieces.push(next.expect("the stream does not end").value);
        }
        pieces
    }

    /// Returns bytes that arrive although none should.
    async fn silence(&mut self) -> Vec<u8> {
        tokio::time::timeout(SHORT, self.notifications.next())
            .await
            .ok()
            .flatten()
            .map_or_else(Vec::new, |reported| reported.value)
    }
}

type Events = Pin<Box<dyn Stream<Item = CentralEvent> + Send>>;

/// Returns an adapter and its events, which must be kept as long as the adapter is used: see "A rule that is kept" in
/// `bluez/mod.rs`.
async fn central() -> (Adapter, Events) {
    let manager = Manager::new().await.expect("a bus");
    let central = manager.adapters().await.expect("a list").pop().expect("an adapter");
    let anchor = central.events().await.expect("events");
    (central, anchor)
}

/// Scans until the peripheral is found.
async fn found(central: &Adapter, address: &str) -> Remote {
    if let Err(refused) = central.start_scan(ScanFilter::default()).await {
        assert!(failed(Err(refused)).contains("org.bluez.Error.InProgress"), "it is scanned already");
    }
    let search = async {
        loop {
            let all = central.peripherals().await.expect("a list");
            if let Some(remote) = all.into_iter().find(|remote| remote.address().to_string() == address) {
                return remote;
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    tokio::time::timeout(LONG, search).await.expect("it is found")
}

async fn until(events: &mut (impl Stream<Item = CentralEvent> + Unpin), is: impl Fn(&CentralEvent) -> bool) {
    let search = async { while !is(&events.next().await.expect("the stream does not end")) {} };
    tokio::time::timeout(LONG, search).await.expect("it comes");
}

#[track_caller]
fn failed(result: Result<(), btleplug::Error>) -> String {
    // Only this text holds the name of a D-Bus error.
    format!("{:?}", result.expect_err("it fails"))
}

async fn timed(name: &str, scene: impl Future<Output = ()>) {
    let began = now();
    scene.await;
    show(&format!("{name}: {:?}", began.elapsed_now()));
}

#[allow(clippy::print_stdout, reason = "figures, shown on request")]
fn show(line: &str) {
    println!("  {line}");
}

#[allow(clippy::disallowed_methods, reason = "boards that a real program uses run in real time")]
fn now() -> Instant {
    Instant::now()
}

trait Elapsed {
    fn elapsed_now(&self) -> Duration;
}

impl Elapsed for Instant {
    fn elapsed_now(&self) -> Duration {
        now().duration_since(*self)
    }
}
