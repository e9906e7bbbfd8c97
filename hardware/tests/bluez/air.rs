//! The state that all objects share: the peripherals around the adapter, and the events between them and the adapter.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard};

use zbus::fdo::ObjectManager;
use zbus::{Connection, Variant, connection};

use super::adapter::{self, Adapter1};
use super::device::{self, Device1};
use super::gatt::{self, Characteristic1, Service1};
use super::radio::{Radio, now};
use super::refusal::Refusal;

#[derive(Default)]
pub(super) struct Air {
    state: Mutex<State>,
    /// This lock is held while a connection is made. A controller makes one connection at a time, in the order of the requests.
    making: tokio::sync::Mutex<()>,
}

#[derive(Default)]
pub(super) struct State {
    /// None = bluetoothd does not run.
    connection: Option<Connection>,
    pub(super) adapter: bool,
    pub(super) powered: bool,
    /// Whether the adapter cannot be switched on.
    pub(super) blocked: bool,
    pub(super) discovering: bool,
    /// The clients that asked for discovery, by the names of their connections.
    listeners: BTreeSet<String>,
    /// How many times discovery was started.
    pub(super) discoveries: u64,
    pub(super) refuse_discoveries: u32,
    /// The most connections that were asked for at a time, over all peripherals.
    pub(super) most_asked: usize,
    pub(super) radios: BTreeMap<String, Radio>,
}

impl State {
    /// Starts or stops discovery and returns whether it was on before. A peripheral counts as received only while discovery is
    /// on.
    fn listen(&mut self, on: bool) -> bool {
        if !on {
            self.listeners.clear();
            self.radios.values_mut().for_each(|radio| radio.received = false);
        }
        std::mem::replace(&mut self.discovering, on)
    }
}

impl Air {
    /// Locks the state. The lock is held only for moments, never during an await.
    pub(super) fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().expect("no thread panics with the lock")
    }

    /// Calls `with` for the peripheral of this address, if there is one.
    pub(super) fn radio<T>(&self, address: &str, with: impl FnOnce(&mut Radio) -> T) -> Option<T> {
        self.state().radios.get_mut(address).map(with)
    }

    pub(super) fn addresses(&self) -> Vec<String> {
        self.state().radios.keys().cloned().collect()
    }

    fn connection(&self) -> Option<Connection> {
        self.state().connection.clone()
    }

    /// Simulates a start of bluetoothd.
    pub(super) async fn up(self: &Arc<Air>, bus: &str) {
        let connection = connection::Builder::address(bus).serve_at("/", ObjectManager).build().await.expect("the bus runs");
        self.state().connection = Some(connection.clone());
        if self.state().adapter {
            self.show_adapter().await;
        }
        connection.request_name("org.bluez").await.expect("the name is free");
    }

    /// Simulates the death of bluetoothd: its name and all connections disappear without a signal.
    pub(super) async fn down(&self) {
        let connection = {
            let mut state = self.state();
            state.listen(false);
            for radio in state.radios.values_mut() {
                radio.unlink();
                (radio.known, radio.explored, radio.asked) = (false, false, 0);
            }
            state.connection.take()
        };
        if let Some(connection) = connection {
            // The bus may be gone already.
            let _ = connection.close().await;
        }
    }

    /// Returns the names of all connections to the bus, or none if bluetoothd does not run.
    pub(super) async fn clients(&self) -> Vec<String> {
        const BUS: &str = "org.freedesktop.DBus";
        let Some(connection) = self.connection() else { return Vec::new() };
        let asked = connection.call_method(Some(BUS), "/org/freedesktop/DBus", Some(BUS), "ListNames", &()).await;
        let names: Vec<String> = asked.and_then(|answer| answer.body().deserialize()).expect("the bus answers");
        names.into_iter().filter(|name| name.starts_with(':')).collect()
    }

    async fn show_adapter(self: &Arc<Air>) {
        let Some(connection) = self.connection() else { return };
        let _ = connection.object_server().at(adapter::PATH, Adapter1 { air: self.clone() }).await;
    }

    /// Plugs the adapter in or takes it out.
    pub(super) async fn plug(self: &Arc<Air>, there: bool) {
        if !there {
            self.power(false).await;
            for address in self.addresses() {
                self.forget(&address).await;
            }
        }
        {
            let mut state = self.state();
            (state.adapter, state.powered) = (there, there && !state.blocked);
        }
        if there {
            self.show_adapter().await;
        } else if let Some(connection) = self.connection() {
            let _ = connection.object_server().remove::<Adapter1, _>(adapter::PATH).await;
        }
    }

    /// Switches the adapter on or off. The caller sends the signal.
    pub(super) async fn power(&self, on: bool) {
        self.state().powered = on;
        if !on {
            for address in self.addresses() {
                self.unlink(&address).await;
            }
            let listened = self.state().listen(false);
            if listened {
                self.changed(adapter::PATH, adapter::NAME, "Discovering", Variant::from(false)).await;
            }
        }
    }

    pub(super) async fn changed(&self, path: &str, interface: &str, property: &str, value: Variant<'_>) {
        let Some(connection) = self.connection() else { return };
        let body = (interface, BTreeMap::from([(property, value)]), Vec::<&str>::new());
        let _ = connection.emit_signal(None::<&str>, path, "org.freedesktop.DBus.Properties", "PropertiesChanged", &body).await;
    }

    /// Starts or stops discovery for a client. A client that has started it already is refused, as by bluetoothd.
    pub(super) async fn discover(self: &Arc<Air>, who: &str, on: bool) -> Result<(), Refusal> {
        let alive = self.clients().await;
        let (before, after) = {
            let mut state = self.state();
            if !state.powered {
                return Err(Refusal::not_ready());
            }
            if on && state.refuse_discoveries > 0 {
                state.refuse_discoveries -= 1;
                return Err(Refusal::Failed("Input/output error".into()));
            }
            state.listeners.retain(|listener| alive.contains(listener));
            if on && !state.listeners.insert(who.to_owned()) {
                return Err(Refusal::InProgress("Operation already in progress".into()));
            }
            if !on && !state.listeners.remove(who) {
                return Err(Refusal::Failed("No discovery started".into()));
            }
            state.discoveries += u64::from(on);
            let after = !state.listeners.is_empty();
            (state.listen(after), after)
        };
        if before != after {
            self.changed(adapter::PATH, adapter::NAME, "Discovering", Variant::from(after)).await;
        }
        if on {
            for address in self.addresses() {
                self.advertise(&address).await;
            }
        }
        Ok(())
    }

    /// Lets the adapter receive an advertisement, if discovery is on and the peripheral advertises.
    pub(super) async fn advertise(self: &Arc<Air>, address: &str) {
        let (known, rssi) = {
            let mut state = self.state();
            let listens = state.discovering;
            let Some(radio) = state.radios.get_mut(address).filter(|radio| listens && radio.near && !radio.linked) else {
                return;
            };
            radio.received = true;
            (std::mem::replace(&mut radio.known, true), radio.rssi)
        };
        if known {
            return self.changed(&device::path(address), device::NAME, "RSSI", Variant::from(rssi)).await;
        }
        self.show_device(address).await;
    }

    /// Creates the object of a peripheral and sends its signal.
    pub(super) async fn show_device(self: &Arc<Air>, address: &str) {
        let Some(connection) = self.connection() else { return };
        let device = Device1 { air: self.clone(), address: address.into() };
        let _ = connection.object_server().at(device::path(address), device).await;
    }

    /// Forgets a peripheral and removes its objects.
    pub(super) async fn forget(&self, address: &str) {
        self.unlink(address).await;
        let gone = |radio: &mut Radio| {
            radio.received = false;
            std::mem::take(&mut radio.known)
        };
        self.remove_services(address).await;
        let (Some(true), Some(connection)) = (self.radio(address, gone), self.connection()) else { return };
        let _ = connection.object_server().remove::<Device1, _>(device::path(address)).await;
    }

    /// Removes the objects of a peripheral's services, if there are any.
    async fn remove_services(&self, address: &str) {
        let explored = |radio: &mut Radio| std::mem::take(&mut radio.explored).then(|| radio.services.clone());
        let (Some(Some(services)), Some(connection)) = (self.radio(address, explored), self.connection()) else { return };
        let server = connection.object_server();
        for (at, (_, characteristics)) in services.iter().enumerate() {
            for inner in 0..characteristics.len() {
                let _ = server.remove::<Characteristic1, _>(gatt::characteristic_path(address, at, inner)).await;
            }
            let _ = server.remove::<Service1, _>(gatt::service_path(address, at)).await;
        }
    }

    /// Gives a peripheral one more service before the others, so that the handles of all others change.
    pub(super) async fn move_handles(&self, address: &str) {
        self.remove_services(address).await;
        self.radio(address, |radio| radio.services.insert(0, (0xf000 + radio.services.len() as u128, Vec::new())));
    }

    /// Handles the host's request to remove a peripheral's object. It is found anew when it advertises.
    pub(super) async fn remove(self: &Arc<Air>, path: &str) -> Result<(), Refusal> {
        let known = |address: &String| device::path(address) == path && self.radio(address, |radio| radio.known) == Some(true);
        let Some(address) = self.addresses().into_iter().find(known) else {
            return Err(Refusal::DoesNotExist("Does Not Exist".into()));
        };
        self.radio(&address, |radio| {
            radio.seen.removals += 1;
            radio.stale = false;
        });
        self.forget(&address).await;
        self.advertise(&address).await;
        Ok(())
    }

    /// Handles the host's request for a connection.
    pub(super) async fn connect(self: &Arc<Air>, address: &str) -> Result<(), Refusal> {
        let (mut turns, delay, near, refused) = {
            let mut state = self.state();
            let powered = state.powered;
            let Some(radio) = state.radios.get_mut(address) else { return Err(Refusal::no_connection()) };
            radio.seen.attempts.push(now());
            let at_once = radio.asked + usize::from(radio.linked) + 1;
            radio.seen.most_at_once = radio.seen.most_at_once.max(at_once);
            if !powered {
                return Err(Refusal::not_ready());
            }
            if radio.linked {
                return Ok(());
            }
            if radio.asked > 0 {
                return Err(Refusal::InProgress("Operation already in progress".into()));
            }
            radio.asked += 1;
            let refused = !radio.near || radio.refuse > 0;
            radio.refuse = radio.refuse.saturating_sub(1);
            let result = (radio.turn.subscribe(), radio.connect_delay, radio.near, refused);
            let asked = state.radios.values().map(|radio| radio.asked).sum();
            state.most_asked = state.most_asked.max(asked);
            result
        };
        let turn = *turns.borrow();
        let make = async {
            // A peripheral out of reach is not received, so no connection is made and the controller is free for others.
            let _making = if near { Some(self.making.lock().await) } else { None };
            tokio::time::sleep(delay).await;
        };
        tokio::select! {
            () = make => {}
            _ = turns.wait_for(|now| *now != turn) => {}
        }
        let linked = self.radio(address, |radio| {
            // The connection is none if bluetoothd died meanwhile.
            radio.asked = radio.asked.saturating_sub(1);
            radio.linked = !refused && *radio.turn.borrow() == turn && radio.near;
            if radio.linked {
                radio.seen.connections.push(now());
            }
            radio.linked
        });
        if linked != Some(true) {
            return Err(Refusal::no_connection());
        }
        self.changed(&device::path(address), device::NAME, "Connected", Variant::from(true)).await;
        tokio::spawn(resolve(self.clone(), address.to_owned(), turn));
        Ok(())
    }

    /// Handles the host's request to disconnect.
    pub(super) async fn disconnect(self: &Arc<Air>, address: &str) -> Result<(), Refusal> {
        if !self.radio(address, |radio| radio.linked || radio.asked > 0).unwrap_or(false) {
            return Err(Refusal::NotConnected("Not Connected".into()));
        }
        self.unlink(address).await;
        self.advertise(address).await;
        Ok(())
    }

    /// Ends a connection, on request of either side.
    pub(super) async fn unlink(&self, address: &str) {
        let Some((resolved, true)) = self.radio(address, |radio| (radio.resolved, radio.unlink())) else { return };
        let path = device::path(address);
        if resolved {
            self.changed(&path, device::NAME, "ServicesResolved", Variant::from(false)).await;
        }
        self.changed(&path, device::NAME, "Connected", Variant::from(false)).await;
    }

    pub(super) fn subscribe(&self, address: &str, uuid: u128, on: bool) -> Result<(), Refusal> {
        if on && self.radio(address, |radio| radio.silent.contains(&uuid)) == Some(true) {
            return Err(Refusal::Failed("Operation failed with ATT error: 0x0f".into()));
        }
        let done = self.radio(address, |radio| {
            if on && radio.linked {
                radio.notifying.insert(uuid);
            }
            radio.linked && (on || radio.notifying.remove(&uuid))
        });
        match done {
            Some(true) => Ok(()),
            _ if on => Err(Refusal::Failed("Not connected".into())),
            _ => Err(Refusal::Failed("No notify session started".into())),
        }
    }

    pub(super) fn write(&self, address: &str, uuid: u128, bytes: Vec<u8>, command: bool) -> Result<(), Refusal> {
        let done = self.radio(address, |radio| {
            if !radio.linked {
                radio.seen.refused_writes += 1;
                return Err(Refusal::Failed("Not connected".into()));
            }
            if bytes.len() > radio.most() {
                return Err(Refusal::InvalidValueLength("Invalid Length".into()));
            }
            radio.receive(uuid, bytes, command);
            Ok(())
        });
        done.unwrap_or_else(|| Err(Refusal::Failed("Not connected".into())))
    }
}

/// Finds the services of a peripheral that has just been connected.
async fn resolve(air: Arc<Air>, address: String, turn: u64) {
    let same = |radio: &mut Radio| radio.linked && !radio.stale && *radio.turn.borrow() == turn;
    tokio::time::sleep(air.radio(&address, |radio| radio.resolve_delay).unwrap_or_default()).await;
    if air.radio(&address, same) != Some(true) {
        return;
    }
    let news = air.radio(&address, |radio| {
        let explored = std::mem::replace(&mut radio.explored, true);
        (!explored).then(|| (radio.services.clone(), radio.mtu))
    });
    if let (Some((services, mtu)), Some(connection)) = (news.flatten(), air.connection()) {
        for (at, (uuid, characteristics)) in services.into_iter().enumerate() {
            let service = Service1 { uuid, address: address.clone() };
            let _ = connection.object_server().at(gatt::service_path(&address, at), service).await;
            for (inner, (uuid, flags)) in characteristics.into_iter().enumerate() {
                let (air, address) = (air.clone(), address.clone());
                let path = gatt::characteristic_path(&address, at, inner);
                let characteristic = Characteristic1 { air, address, service: at, uuid, flags, mtu };
                let _ = connection.object_server().at(path, characteristic).await;
            }
        }
    }
    if air.radio(&address, |radio| same(radio) && !std::mem::replace(&mut radio.resolved, true)) == Some(true) {
        air.changed(&device::path(&address), device::NAME, "ServicesResolved", Variant::from(true)).await;
    }
}

/// Runs the board of a peripheral and sends its bytes as notifications.
pub(super) async fn live(air: Arc<Air>, address: String) {
    while let Some(((notifications, rest), wake)) = air.radio(&address, |radio| (radio.advance(), radio.wake.clone())) {
        for (service, characteristic, bytes) in notifications {
            let path = gatt::characteristic_path(&address, service, characteristic);
            air.changed(&path, gatt::NAME, "Value", Variant::from(bytes)).await;
        }
        // The task waits for the first of the two.
        let _ = tokio::time::timeout(rest, wake.notified()).await;
    }
}
