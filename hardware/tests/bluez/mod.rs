//! A fake BlueZ: what a Bluetooth LE host sees on D-Bus, with emulated boards behind it. No Bluetooth, no bluetoothd.
//!
//! ```text
//!   program under test ── btleplug ── libdbus ──┐
//!                                          dbus-daemon        Bus     bus.rs       a process, in a temporary folder
//!          Bluez  (org.bluez) ── zbus ──────────┘             Bluez   this file    a thread with a runtime of its own
//!            /org/bluez/hci0                                          adapter.rs
//!                 …/dev_AA_BB_CC_DD_EE_FF                             device.rs
//!                      …/service0010/char0011                         gatt.rs
//!            the peripherals around it, connections                   air.rs
//!                 a board in real time (emulator::Device)             radio.rs
//! ```
//!
//! ```text
//! bluez::in_own_process("the_name_of_this_test", |mut bus| {      the system bus of the process is `bus`
//!     let mut bluez = Bluez::start(&bus.address());
//!     bluez.add(Peripheral::for_driver("dgt_pegasus", "C0:00:00:00:00:01", "DGT_PEGASUS_1"));
//!     …                                                           btleplug finds, connects, subscribes, writes
//!     bluez.drop_link("C0:00:00:00:00:01");
//! });
//! ```
//!
//! A process takes the address of the system bus from its environment when it first touches D-Bus: hence a process for each
//! test, or `Bus::start` and `Command::env(bluez::SYSTEM_BUS, bus.address())` where a program is tested from outside.
//!
//! Like bluetoothd: a peripheral is an object once an advertisement of it was received during discovery; its services are
//! objects once they were resolved, and stay; bluetoothd's end and the bus's are silent; nothing but properties tells of a
//! disconnect. Unlike it: objects of peripherals that fell silent stay until [`Bluez::vanish`], there is no pairing and no cache
//! on disk, and nothing is lost on the air. Connections come about one after the other, as a controller makes them.
//!
//! A rule that is kept: dbus-daemon 1.14 takes match rules that differ in nothing but `path_namespace` for the same, and
//! RemoveMatch takes away the one that was added last. So with btleplug, where each `connect` and each end of `notifications`
//! or `events` removes a rule, one device's streams fall silent by what is done with another. A program that speaks to several
//! devices through one `Manager` opens `Adapter::events` first of all and keeps it (and reads it: it has no bound) as long as
//! it uses the `Manager`: the oldest rule stays, and all signals of the adapter's devices come by it.
//!
//! Needs `dbus-daemon`, and in `[dev-dependencies]` flagfall-hardware, flagfall-protocols, tempfile, tokio (rt, time, sync, macros) and
//! zbus (tokio, service, object-manager).

#![allow(dead_code, reason = "each test that takes it in uses a part")]
#![allow(clippy::disallowed_types, reason = "written by zbus's macros")]

mod adapter;
mod air;
mod bus;
mod device;
mod frozen;
mod gatt;
mod radio;
mod refusal;

use std::future::Future;
use std::sync::Arc;
use std::sync::mpsc::sync_channel;
use std::thread::JoinHandle;
use std::time::Duration;

use flagfall_hardware::emulator::script::Script;
use flagfall_hardware::emulator::{self, Counters, Device, Start};
use flagfall_protocols::driver::Channel;
use flagfall_protocols::drivers;
use tokio::runtime::{Builder, Handle};
use tokio::sync::oneshot;
use zbus::Variant;

use air::Air;
#[allow(unused_imports, reason = "each test that takes it in uses a part")]
pub(crate) use bus::{Bus, SYSTEM_BUS, in_own_process};
use frozen::Frozen;
use radio::Radio;
#[allow(unused_imports, reason = "each test that takes it in uses a part")]
pub(crate) use radio::{Seen, Written};

/// A service: its number, its characteristics' numbers, and their flags as BlueZ names them.
pub(crate) type Service = (u128, Vec<(u128, Vec<&'static str>)>);

/// A peripheral with an emulated board in it.
#[derive(Debug)]
pub(crate) struct Peripheral {
    /// As `C0:00:00:00:00:01`, capitals.
    pub(crate) address: String,
    /// What it calls itself.
    pub(crate) name: String,
    /// Its services, all advertised.
    pub(crate) services: Vec<Service>,
    /// The board. Its time begins when the peripheral is added.
    pub(crate) board: Box<dyn Device>,
    /// Which of its channels is which characteristic.
    pub(crate) channels: &'static [Channel],
    /// Notifications and writes hold three bytes less; at least 4.
    pub(crate) mtu: u16,
    /// Signal strength, dBm.
    pub(crate) rssi: i16,
    /// So many times as fast as real time.
    pub(crate) speed: f64,
    /// From the wish for a connection to the connection, or to its failure; others that are asked for meanwhile begin after it.
    pub(crate) connect_delay: Duration,
    /// From there until the services are known.
    pub(crate) resolve_delay: Duration,
}

/// A service that has no number of its own: the page of the family does not name it.
const SOME_SERVICE: u128 = 0x6e400001_b5a3_f393_e0a9_e50e24dcca9e;

impl Peripheral {
    /// A board that is talked to through these channels, all in the service of the Nordic UART; mtu 23, fast.
    pub(crate) fn new(address: &str, name: &str, channels: &'static [Channel], board: Box<dyn Device>) -> Peripheral {
        let mut characteristics: Vec<(u128, Vec<&'static str>)> = Vec::new();
        let mut add = |uuid: Option<u128>, flags: &[&'static str]| {
            let Some(uuid) = uuid else { return };
            match characteristics.iter_mut().find(|(other, _)| *other == uuid) {
                Some((_, known)) => known.extend(flags.iter().filter(|flag| !known.contains(flag)).copied().collect::<Vec<_>>()),
                None => characteristics.push((uuid, flags.to_vec())),
            }
        };
        for channel in channels {
            add(channel.write, &["write-without-response", "write"]);
            add(channel.notify, &["notify"]);
        }
        Peripheral {
            address: address.into(),
            name: name.into(),
            services: vec![(SOME_SERVICE, characteristics)],
            board,
            channels,
            mtu: 23,
            rssi: -60,
            speed: 1.0,
            connect_delay: Duration::from_millis(20),
            resolve_delay: Duration::from_millis(20),
        }
    }

    /// The usual emulated board of a driver that has a Bluetooth row.
    pub(crate) fn for_driver(driver: &str, address: &str, name: &str) -> Peripheral {
        let info = drivers::find(driver).expect("registered");
        let kind = emulator::find(driver).expect("emulated");
        let channels = info.ble.expect("it is met over Bluetooth LE").channels;
        Peripheral::new(address, name, channels, (kind.start)(&Start::default()))
    }
}

/// The fake bluetoothd with one adapter, powered. Ends when this is dropped.
pub(crate) struct Bluez {
    bus: String,
    air: Arc<Air>,
    handle: Handle,
    end: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
    frozen: Frozen,
}

impl Bluez {
    /// Starts it on this bus.
    pub(crate) fn start(bus: &str) -> Bluez {
        let runtime = Builder::new_current_thread().enable_all().build().expect("a runtime");
        let handle = runtime.handle().clone();
        let (end, ended) = oneshot::channel();
        let run = move || {
            let _ = runtime.block_on(ended);
            // What waits in it, it does not wait for.
            runtime.shutdown_background();
        };
        let thread = std::thread::Builder::new().name("bluez".into()).spawn(run).expect("a thread");
        let air = Arc::new(Air::default());
        {
            let mut state = air.state();
            (state.adapter, state.powered) = (true, true);
        }
        let bluez = Bluez { bus: bus.into(), air, handle, end: Some(end), thread: Some(thread), frozen: Frozen::default() };
        bluez.resume();
        bluez
    }

    /// bluetoothd dies. Boards live on.
    pub(crate) fn stop(&self) {
        let air = self.air.clone();
        self.wait(async move { air.down().await });
    }

    /// It starts again, and knows no peripheral.
    pub(crate) fn resume(&self) {
        let (air, bus) = (self.air.clone(), self.bus.clone());
        self.wait(async move { air.up(&bus).await });
    }

    /// Somebody switches the adapter on or off. A host may switch it on again.
    pub(crate) fn power(&self, on: bool) {
        let air = self.air.clone();
        self.wait(async move {
            air.power(on).await;
            air.changed(adapter::PATH, adapter::NAME, "Powered", Variant::from(on)).await;
        });
    }

    /// With `on` a host cannot switch the adapter on, as by rfkill; one that is on goes off. Without it stays off.
    pub(crate) fn block(&self, on: bool) {
        self.air.state().blocked = on;
        if on {
            self.power(false);
        }
    }

    /// The adapter is taken out.
    pub(crate) fn remove_adapter(&self) {
        let air = self.air.clone();
        self.wait(async move { air.plug(false).await });
    }

    /// It is put in, and powered.
    pub(crate) fn add_adapter(&self) {
        let air = self.air.clone();
        self.wait(async move { air.plug(true).await });
    }

    /// Switches a peripheral on within reach. Its address is new.
    pub(crate) fn add(&self, peripheral: Peripheral) {
        let (air, address) = (self.air.clone(), peripheral.address.clone());
        let before = air.state().radios.insert(address.clone(), Radio::new(peripheral));
        assert!(before.is_none(), "{address} twice");
        self.wait(async move {
            air.advertise(&address).await;
            tokio::spawn(air::live(air, address));
        });
    }

    /// bluetoothd remembers a peripheral that is not within reach. Its address is new.
    pub(crate) fn remember(&self, peripheral: Peripheral) {
        let (air, address) = (self.air.clone(), peripheral.address.clone());
        let mut radio = Radio::new(peripheral);
        (radio.near, radio.known) = (false, true);
        let before = air.state().radios.insert(address.clone(), radio);
        assert!(before.is_none(), "{address} twice");
        self.wait(async move {
            air.show_device(&address).await;
            tokio::spawn(air::live(air, address));
        });
    }

    /// The peripheral ends its connection, and advertises.
    pub(crate) fn drop_link(&self, address: &str) {
        let (air, address) = (self.air.clone(), address.to_owned());
        self.wait(async move {
            air.unlink(&address).await;
            air.advertise(&address).await;
        });
    }

    /// bluetoothd says so many times that a connection ended, of an earlier one.
    pub(crate) fn report_disconnected(&self, address: &str, count: u32) {
        let (air, path) = (self.air.clone(), device::path(address));
        self.wait(async move {
            for _ in 0..count {
                air.changed(&path, device::NAME, "Connected", Variant::from(false)).await;
            }
        });
    }

    /// All do.
    pub(crate) fn drop_all(&self) {
        self.air.addresses().iter().for_each(|address| self.drop_link(address));
    }

    /// It is out of reach: its connection ends, and it is forgotten.
    pub(crate) fn vanish(&self, address: &str) {
        self.fall_silent(address);
        let (air, address) = (self.air.clone(), address.to_owned());
        self.wait(async move { air.forget(&address).await });
    }

    /// It is out of reach, and not forgotten yet: attempts to connect fail.
    pub(crate) fn fall_silent(&self, address: &str) {
        self.with(address, |radio| radio.near = false);
        let (air, address) = (self.air.clone(), address.to_owned());
        self.wait(async move { air.unlink(&address).await });
    }

    /// It is within reach again.
    pub(crate) fn appear(&self, address: &str) {
        self.with(address, |radio| radio.near = true);
        let (air, address) = (self.air.clone(), address.to_owned());
        self.wait(async move { air.advertise(&address).await });
    }

    /// The next `count` attempts to connect fail, after the delay of a connection.
    pub(crate) fn refuse_connections(&self, address: &str, count: u32) {
        self.with(address, |radio| radio.refuse = count);
    }

    /// A characteristic that notifies refuses to from now on.
    pub(crate) fn refuse_subscribing(&self, address: &str, characteristic: u128) {
        self.with(address, |radio| radio.silent.insert(characteristic));
    }

    /// The next `count` wishes to listen for advertisements are refused.
    pub(crate) fn refuse_discoveries(&self, count: u32) {
        self.air.state().refuse_discoveries = count;
    }

    /// How long connecting takes from now on, and finding the services.
    pub(crate) fn set_delays(&self, address: &str, connect: Duration, resolve: Duration) {
        self.with(address, |radio| (radio.connect_delay, radio.resolve_delay) = (connect, resolve));
    }

    /// Signal strength, dBm; reported if it is received.
    pub(crate) fn set_rssi(&self, address: &str, rssi: i16) {
        self.with(address, |radio| radio.rssi = rssi);
        let (air, address) = (self.air.clone(), address.to_owned());
        self.wait(async move { air.advertise(&address).await });
    }

    /// Adds hand motions, whose time begins now and is that of the board.
    pub(crate) fn load(&self, address: &str, script: &Script) {
        self.with(address, |radio| {
            // Up to now, or the script would begin when the board last did something.
            let time = radio.time();
            radio.board.host(time, 0, &[]);
            radio.board.load(script);
            radio.wake.notify_one();
        });
    }

    /// All hand motions are done and sent.
    pub(crate) fn done(&self, address: &str) -> bool {
        self.with(address, |radio| radio.board.done())
    }

    /// What the board counted.
    pub(crate) fn counters(&self, address: &str) -> Counters {
        self.with(address, |radio| radio.board.counters())
    }

    /// What the host did.
    pub(crate) fn seen(&self, address: &str) -> Seen {
        self.with(address, |radio| radio.seen.clone())
    }

    /// Whether it is connected.
    pub(crate) fn connected(&self, address: &str) -> bool {
        self.with(address, |radio| radio.linked)
    }

    /// Whether the host listens for advertisements, and how many times it began to.
    pub(crate) fn discovery(&self) -> (bool, u64) {
        let state = self.air.state();
        (state.discovering, state.discoveries)
    }

    /// The most connections that the host asked for at a time.
    pub(crate) fn most_asked_at_once(&self) -> usize {
        self.air.state().most_asked
    }

    #[track_caller]
    fn with<T>(&self, address: &str, with: impl FnOnce(&mut Radio) -> T) -> T {
        self.air.radio(address, with).expect("a peripheral that was added")
    }

    /// How many connections the bus serves, that of bluetoothd among them.
    pub(crate) fn clients(&self) -> usize {
        let air = self.air.clone();
        self.wait(async move { air.clients().await.len() })
    }

    fn wait<T: Send + 'static>(&self, work: impl Future<Output = T> + Send + 'static) -> T {
        let (done, wait) = sync_channel(1);
        self.handle.spawn(async move {
            let _ = done.send(work.await);
        });
        wait.recv().expect("the fake did not panic")
    }
}

impl Drop for Bluez {
    fn drop(&mut self) {
        self.thaw();
        self.stop();
        drop(self.end.take());
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}
