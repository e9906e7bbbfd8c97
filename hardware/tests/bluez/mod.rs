//! A fake BlueZ: it shows a Bluetooth LE host the objects of BlueZ on D-Bus, with emulated boards behind them. It needs no
//! Bluetooth and no bluetoothd.
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
//! A process takes the address of the system bus from its environment when it first uses D-Bus. Therefore each test needs its
//! own process, or `Bus::start` and `Command::env(bluez::SYSTEM_BUS, bus.address())` where a program is tested from outside.
//!
//! In these points it is like bluetoothd: a peripheral becomes an object when an advertisement of it is received during
//! discovery. Its services become objects when they are resolved, and stay. Services may be resolved late, or never until the host
//! removes a stale object ([`Bluez::make_stale`]). The end of bluetoothd and of the bus sends no
//! signal. Only properties report a disconnect. In these points it differs: objects of peripherals that fell silent stay until
//! [`Bluez::vanish`], there is no pairing and no cache on disk, and no message is lost on the radio. Connections are made one
//! after the other, as a controller makes them.
//!
//! A rule that is kept: dbus-daemon 1.14 treats match rules that differ only in `path_namespace` as equal, and RemoveMatch
//! removes the rule that was added last. With btleplug each `connect` and each end of `notifications` or `events` removes a
//! rule, so actions on one device can silence the streams of another. A program with several devices on one `Manager` therefore
//! opens `Adapter::events` first and keeps it as long as it uses the `Manager`. It also reads that stream, because the stream
//! has no bound. The oldest rule stays, and all signals of the adapter's devices arrive through it.
//!
//! It needs `dbus-daemon`, and in `[dev-dependencies]` flagfall-hardware, flagfall-protocols, tempfile, tokio (rt, time, sync,
//! macros) and zbus (tokio, service, object-manager).

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
mod stale;

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
pub(crate) use bus::{Bus, STARTING, SYSTEM_BUS, in_own_process, start};
use frozen::Frozen;
use radio::Radio;
#[allow(unused_imports, reason = "each test that takes it in uses a part")]
pub(crate) use radio::{Seen, Written};

/// A service: its number, its characteristics' numbers, and their flags as BlueZ names them.
pub(crate) type Service = (u128, Vec<(u128, Vec<&'static str>)>);

/// A peripheral with an emulated board in it.
#[derive(Debug)]
pub(crate) struct Peripheral {
    /// The address, in capitals: `C0:00:00:00:00:01`.
    pub(crate) address: String,
    /// The name that it advertises.
    pub(crate) name: String,
    /// Its services. It advertises all of them.
    pub(crate) services: Vec<Service>,
    /// The emulated board. Its time begins when the peripheral is added.
    pub(crate) board: Box<dyn Device>,
    /// The characteristics of its channels.
    pub(crate) channels: &'static [Channel],
    /// The ATT MTU, at least 4. Notifications and writes hold three bytes less.
    pub(crate) mtu: u16,
    /// Signal strength, dBm.
    pub(crate) rssi: i16,
    /// How many times faster than real time the board runs.
    pub(crate) speed: f64,
    /// The time from the request for a connection to the connection or its failure. Other requests wait meanwhile.
    pub(crate) connect_delay: Duration,
    /// The time from the connection until the services are known.
    pub(crate) resolve_delay: Duration,
}

/// A service whose number the README of the family does not give.
const SOME_SERVICE: u128 = 0x6e400001_b5a3_f393_e0a9_e50e24dcca9e;

impl Peripheral {
    /// Returns a peripheral with a board behind these channels, all in the service of the Nordic UART. Its MTU is 23 and its
    /// delays are short.
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

    /// Returns the usual emulated board of a driver with a Bluetooth row.
    pub(crate) fn for_driver(driver: &str, address: &str, name: &str) -> Peripheral {
        let info = drivers::find(driver).expect("registered");
        let kind = emulator::find(driver).expect("emulated");
        let channels = info.ble.expect("it is met over Bluetooth LE").channels;
        Peripheral::new(address, name, channels, (kind.start)(&Start::default()))
    }
}

/// The fake bluetoothd with one powered adapter. It ends when this value is dropped.
pub(crate) struct Bluez {
    bus: String,
    air: Arc<Air>,
    handle: Handle,
    end: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
    frozen: Frozen,
}

impl Bluez {
    /// Starts the fake on this bus.
    pub(crate) fn start(bus: &str) -> Bluez {
        let runtime = Builder::new_current_thread().enable_all().build().expect("a runtime");
        let handle = runtime.handle().clone();
        let (end, ended) = oneshot::channel();
        let run = move || {
            let _ = runtime.block_on(ended);
            // The runtime does not wait for its waiting tasks.
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

    /// Simulates the death of bluetoothd. The boards keep running.
    pub(crate) fn stop(&self) {
        let air = self.air.clone();
        self.wait(async move { air.down().await });
    }

    /// Starts bluetoothd again. It knows no peripheral.
    pub(crate) fn resume(&self) {
        let (air, bus) = (self.air.clone(), self.bus.clone());
        self.wait(async move { air.up(&bus).await });
    }

    /// Switches the adapter on or off. A host may switch it on again.
    pub(crate) fn power(&self, on: bool) {
        let air = self.air.clone();
        self.wait(async move {
            air.power(on).await;
            air.changed(adapter::PATH, adapter::NAME, "Powered", Variant::from(on)).await;
        });
    }

    /// With `on` the adapter goes off and a host cannot switch it on, as with rfkill. Without `on` the block ends, and the
    /// adapter stays off.
    pub(crate) fn block(&self, on: bool) {
        self.air.state().blocked = on;
        if on {
            self.power(false);
        }
    }

    /// Takes the adapter out.
    pub(crate) fn remove_adapter(&self) {
        let air = self.air.clone();
        self.wait(async move { air.plug(false).await });
    }

    /// Plugs the adapter in; it is powered.
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

    /// Adds a peripheral that bluetoothd remembers and that is not within reach. Its address is new.
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

    /// Lets the peripheral end its connection and advertise.
    pub(crate) fn drop_link(&self, address: &str) {
        let (air, address) = (self.air.clone(), address.to_owned());
        self.wait(async move {
            air.unlink(&address).await;
            air.advertise(&address).await;
        });
    }

    /// Sends the signal of the end of an earlier connection `count` times.
    pub(crate) fn report_disconnected(&self, address: &str, count: u32) {
        let (air, path) = (self.air.clone(), device::path(address));
        self.wait(async move {
            for _ in 0..count {
                air.changed(&path, device::NAME, "Connected", Variant::from(false)).await;
            }
        });
    }

    /// Lets all peripherals end their connections and advertise.
    pub(crate) fn drop_all(&self) {
        self.air.addresses().iter().for_each(|address| self.drop_link(address));
    }

    /// Moves the peripheral out of reach: its connection ends, and it is forgotten.
    pub(crate) fn vanish(&self, address: &str) {
        self.fall_silent(address);
        let (air, address) = (self.air.clone(), address.to_owned());
        self.wait(async move { air.forget(&address).await });
    }

    /// Moves the peripheral out of reach. It is not forgotten yet, and attempts to connect fail.
    pub(crate) fn fall_silent(&self, address: &str) {
        self.with(address, |radio| radio.near = false);
        let (air, address) = (self.air.clone(), address.to_owned());
        self.wait(async move { air.unlink(&address).await });
    }

    /// Moves the peripheral within reach again.
    pub(crate) fn appear(&self, address: &str) {
        self.with(address, |radio| radio.near = true);
        let (air, address) = (self.air.clone(), address.to_owned());
        self.wait(async move { air.advertise(&address).await });
    }

    /// Moves the peripheral within reach again, in a scan in which the controller has reported it before: it is received in the next one.
    pub(crate) fn appear_in_next_scan(&self, address: &str) {
        self.with(address, |radio| radio.near = true);
    }

    /// Makes the next `count` attempts to connect fail, after the delay of a connection.
    pub(crate) fn refuse_connections(&self, address: &str, count: u32) {
        self.with(address, |radio| radio.refuse = count);
    }

    /// Makes a characteristic refuse subscriptions from now on.
    pub(crate) fn refuse_subscribing(&self, address: &str, characteristic: u128) {
        self.with(address, |radio| radio.silent.insert(characteristic));
    }

    /// Refuses the next `count` requests for discovery.
    pub(crate) fn refuse_discoveries(&self, count: u32) {
        self.air.state().refuse_discoveries = count;
    }

    /// Sets how long connecting and resolving the services take from now on.
    pub(crate) fn set_delays(&self, address: &str, connect: Duration, resolve: Duration) {
        self.with(address, |radio| (radio.connect_delay, radio.resolve_delay) = (connect, resolve));
    }

    /// Sets the signal strength in dBm. A signal reports it if the peripheral is received.
    pub(crate) fn set_rssi(&self, address: &str, rssi: i16) {
        self.with(address, |radio| radio.rssi = rssi);
        let (air, address) = (self.air.clone(), address.to_owned());
        self.wait(async move { air.advertise(&address).await });
    }

    /// Adds hand motions. Their time begins now and runs with the board's time.
    pub(crate) fn load(&self, address: &str, script: &Script) {
        self.with(address, |radio| {
            // The board is brought up to now first, because the script would otherwise begin at the board's last action.
            let time = radio.time();
            radio.board.host(time, 0, &[]);
            radio.board.load(script);
            radio.wake.notify_one();
        });
    }

    /// Returns whether all hand motions are done and sent.
    pub(crate) fn done(&self, address: &str) -> bool {
        self.with(address, |radio| radio.board.done())
    }

    /// Returns the counters of the board.
    pub(crate) fn counters(&self, address: &str) -> Counters {
        self.with(address, |radio| radio.board.counters())
    }

    /// Returns the actions of the host.
    pub(crate) fn seen(&self, address: &str) -> Seen {
        self.with(address, |radio| radio.seen.clone())
    }

    /// Returns whether the peripheral is connected.
    pub(crate) fn connected(&self, address: &str) -> bool {
        self.with(address, |radio| radio.linked)
    }

    /// Returns whether discovery is on, and how many times it was started.
    pub(crate) fn discovery(&self) -> (bool, u64) {
        let state = self.air.state();
        (state.discovering, state.discoveries)
    }

    /// Returns the most connections that the host asked for at a time.
    pub(crate) fn most_asked_at_once(&self) -> usize {
        self.air.state().most_asked
    }

    #[track_caller]
    fn with<T>(&self, address: &str, with: impl FnOnce(&mut Radio) -> T) -> T {
        self.air.radio(address, with).expect("a peripheral that was added")
    }

    /// Returns how many connections the bus has, with the one of bluetoothd.
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
