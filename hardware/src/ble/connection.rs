//! One device from its connecting to its end.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use btleplug::api::{CharPropFlags, Characteristic, Peripheral as _, ValueNotification, WriteType};
use btleplug::platform::Peripheral;
use flagfall_protocols::driver::Channel;
use futures_util::{Stream, StreamExt};
use tokio::sync::{Notify, mpsc, watch};
use tokio::time::{sleep, timeout};
use uuid::Uuid;

use super::choose::Seen;
use super::queries::answer;
use super::{BleEvent, MAX_WAITING, Outlet, Pace, Sink, Wanted};
use crate::link::LinkError;

/// Whoever has no room for an event is asked again after so long.
const AGAIN: Duration = Duration::from_millis(20);
/// What is said of a device that refuses its key.
pub(super) const NO_KEY: &str = "the key was not taken";

/// Where a channel is on the device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// Its number.
    pub channel: u8,
    /// The service.
    pub service: u128,
    /// The characteristic.
    pub characteristic: u128,
    /// Bytes come from it.
    pub notifies: bool,
    /// Bytes may be written to it.
    pub writes: bool,
    /// Why no bytes come from it although it notifies: others do, or it is optional.
    pub refused: Option<String>,
}

/// What a connection is told. Nothing is lost while it does something else: it is looked at, not queued.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Hints {
    /// How many times BlueZ said that a connection to the device ended; perhaps an earlier one.
    pub(super) disconnected: u64,
    /// It is to end.
    pub(super) end: Option<End>,
}

/// Why a connection is to end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    /// Nobody wants the device any more.
    LetGo,
    /// The adapter or the bus is gone.
    Lost,
}

/// What a connection leaves behind.
pub(super) struct Ended {
    pub(super) id: u64,
    pub(super) sink: Sink,
    /// How long it was up; or why it did not come up.
    pub(super) lasted: Result<Duration, String>,
    /// The device was up and did not take its key.
    pub(super) keyless: bool,
}

/// All that a connection needs.
pub(super) struct Connection {
    pub(super) id: u64,
    pub(super) seen: Seen,
    pub(super) device: Peripheral,
    pub(super) wanted: Wanted,
    pub(super) sink: Sink,
    pub(super) outlet: Outlet,
    pub(super) hints: watch::Receiver<Hints>,
    pub(super) pace: Pace,
    pub(super) now: fn() -> u64,
}

type Notifications = std::pin::Pin<Box<dyn Stream<Item = ValueNotification> + Send>>;

struct Opened {
    places: Vec<(Place, Characteristic)>,
    notifications: Notifications,
}

impl Connection {
    /// Connects, and serves until the end.
    pub(super) async fn run(mut self) -> Ended {
        let opened = tokio::select! {
            opened = open(&self.pace, &self.device, &self.wanted) => opened,
            end = end(&mut self.hints) => Err(match end { End::Lost => "the Bluetooth service is gone", End::LetGo => "not wanted any more" }.to_owned()),
        };
        let (lasted, keyless) = match opened {
            Ok(opened) => {
                let (lasted, keyless) = self.serve(opened).await;
                (Ok(lasted), keyless)
            }
            Err(cause) => (Err(cause), false),
        };
        // Also where connecting was given up: BlueZ would go on. If nobody answers it is gone already.
        let _ = answer(self.pace.answer, self.device.disconnect()).await;
        Ended { id: self.id, sink: self.sink, lasted, keyless }
    }

    /// How long it was up, and whether it did not take its key.
    async fn serve(&mut self, opened: Opened) -> (Duration, bool) {
        let Opened { places, mut notifications } = opened;
        let (sender, mut outgoing) = mpsc::channel(MAX_WAITING);
        let began = (self.now)();
        self.set_outlet(Some(sender));
        let table: Vec<Place> = places.iter().map(|(place, _)| place.clone()).collect();
        let up = BleEvent::Up {
            address: self.seen.address,
            name: self.seen.name.as_deref(),
            signal: self.seen.signal,
            places: &table,
        };
        let (sink, hints, device, pace, now) = (&mut self.sink, &mut self.hints, &self.device, &self.pace, self.now);
        let spoke = Notify::new();
        let read = async {
            deliver(sink, pace, now, &up).await?;
            loop {
                tokio::select! {
                    told = hints.changed() => match told.map(|()| hints.borrow_and_update().end) {
                        Ok(None) if answer(pace.answer, device.is_connected()).await == Ok(true) => {}
                        Ok(Some(End::LetGo)) => return Err(LinkError::Other(std::io::Error::other("let go"))),
                        Ok(Some(End::Lost) | None) | Err(_) => return Err(LinkError::Unplugged),
                    },
                    got = timeout(pace.quiet, notifications.next()) => match got {
                        Ok(Some(got)) => {
                            let is_it = |place: &&Place| {
                                place.notifies && (place.service, place.characteristic) == (got.service_uuid.as_u128(), got.uuid.as_u128())
                            };
                            // Of what was not subscribed somebody else may have wanted to hear.
                            if let Some(place) = table.iter().find(is_it) {
                                // Before the session hears of it, so that the key goes before what it says to that.
                                spoke.notify_one();
                                deliver(sink, pace, now, &BleEvent::Bytes { channel: place.channel, bytes: &got.value }).await?;
                            }
                        }
                        Ok(None) => return Err(LinkError::Unplugged),
                        Err(_) => match answer(pace.answer, device.is_connected()).await {
                            Ok(true) => {}
                            Ok(false) | Err(_) => return Err(LinkError::Unplugged),
                        },
                    },
                }
            }
        };
        // Whoever merely has the name of such a device gets no key. A locked Pegasus answers the first questions: dgtdriver
        // waits for its version before it sends the key (`dgt_pegasus/README.md#6.1`).
        let mut key = self.wanted.unlock.as_deref();
        let keyless = AtomicBool::new(false);
        let write = async {
            loop {
                tokio::select! {
                    biased;
                    () = spoke.notified(), if key.is_some() => {
                        if write(pace, device, &places, 0, key.take().unwrap_or_default()).await.is_err() {
                            // Not if the link was lost. The error is told to nobody: it could repeat the key.
                            keyless.store(answer(pace.answer, device.is_connected()).await == Ok(true), Ordering::Relaxed);
                            return Err(LinkError::Other(std::io::Error::other(NO_KEY)));
                        }
                    }
                    next = outgoing.recv() => match next {
                        Some((channel, bytes)) => write(pace, device, &places, channel, &bytes).await?,
                        None => return Err(LinkError::Unplugged),
                    },
                }
            }
        };
        // Both go on at once: a notification is stamped when it comes, not when a write is done.
        let end: Result<(), LinkError> = tokio::select! {
            end = read => end,
            end = write => end,
        };
        self.set_outlet(None);
        let down = BleEvent::Down(end.err().unwrap_or(LinkError::Unplugged));
        // Whoever has no room for that either does not read any more.
        let _ = deliver(&mut self.sink, &self.pace, self.now, &down).await;
        (Duration::from_micros((self.now)().saturating_sub(began)), keyless.load(Ordering::Relaxed))
    }

    fn set_outlet(&self, sender: Option<mpsc::Sender<(u8, Vec<u8>)>>) {
        *self.outlet.lock().unwrap_or_else(std::sync::PoisonError::into_inner) = sender;
    }
}

/// Waits until the device is to be let go, or cannot be had. What ended meanwhile was an earlier connection.
async fn end(hints: &mut watch::Receiver<Hints>) -> End {
    let told = hints.wait_for(|hints| hints.end.is_some()).await;
    told.ok().and_then(|hints| hints.end).unwrap_or(End::LetGo)
}

async fn open(pace: &Pace, device: &Peripheral, wanted: &Wanted) -> Result<Opened, String> {
    match timeout(pace.connect, device.connect()).await {
        Ok(Ok(())) => {}
        Ok(Err(error)) => return Err(format!("does not connect: {error}")),
        Err(_) => return Err(format!("does not connect in {} s", pace.connect.as_secs_f64())),
    }
    match timeout(pace.connect, device.discover_services()).await {
        Ok(Ok(())) => {}
        Ok(Err(error)) => return Err(format!("its services cannot be read: {error}")),
        Err(_) => return Err(format!("its services are not told in {} s", pace.connect.as_secs_f64())),
    }
    let all = device.characteristics();
    let mut places = match wanted.channels {
        Some(channels) => named(channels, all.iter().cloned())?,
        None => every(all.iter().cloned()),
    };
    // Before anything is subscribed, so that the first notification is heard.
    let notifications = answer(pace.answer, device.notifications()).await?;
    timeout(pace.connect, subscribe(pace, device, wanted, &mut places))
        .await
        .unwrap_or_else(|_| Err(format!("its channels are not subscribed in {} s", pace.connect.as_secs_f64())))?;
    Ok(Opened { places, notifications })
}

/// Subscribes everything that notifies, and marks what refuses and may.
async fn subscribe(
    pace: &Pace,
    device: &Peripheral,
    wanted: &Wanted,
    places: &mut [(Place, Characteristic)],
) -> Result<(), String> {
    for (place, characteristic) in places.iter_mut().filter(|(place, _)| place.notifies) {
        match answer(pace.answer, device.subscribe(characteristic)).await {
            Ok(()) => {}
            Err(cause) if may_refuse(wanted, place.channel) => (place.notifies, place.refused) = (false, Some(cause)),
            Err(cause) => return Err(format!("channel {}: {cause}", place.channel)),
        }
    }
    let refused = places.iter().find_map(|(place, _)| Some((place.channel, place.refused.as_ref()?)));
    let Some((channel, cause)) = refused else { return Ok(()) };
    // Of one that has gone meanwhile nothing is known.
    let of_use = places.iter().any(|(place, _)| place.notifies) && answer(pace.answer, device.is_connected()).await == Ok(true);
    of_use.then_some(()).ok_or_else(|| format!("channel {channel}: {cause}"))
}

/// Without this channel the device is of use as well, as far as is known.
fn may_refuse(wanted: &Wanted, channel: u8) -> bool {
    wanted.channels.is_none_or(|channels| channels.get(usize::from(channel)).is_some_and(|channel| channel.optional))
}

/// The characteristics of a family's channels.
fn named(
    channels: &[Channel],
    all: impl Iterator<Item = Characteristic> + Clone,
) -> Result<Vec<(Place, Characteristic)>, String> {
    let mut places = Vec::new();
    for (number, channel) in (0u8..).zip(channels) {
        let sides = [(channel.notify, true), (channel.write, false)];
        for (uuid, notifies) in sides.into_iter().filter_map(|(uuid, notifies)| Some((uuid?, notifies))) {
            match all.clone().find(|characteristic| characteristic.uuid.as_u128() == uuid) {
                Some(found) => places.push((place(number, &found, notifies, !notifies), found)),
                None if channel.optional => {}
                None => return Err(format!("it has no characteristic {}: not of this family", Uuid::from_u128(uuid))),
            }
        }
    }
    Ok(places)
}

/// Everything that notifies or can be written, in order.
fn every(all: impl Iterator<Item = Characteristic>) -> Vec<(Place, Characteristic)> {
    let useful = all.filter_map(|found| {
        let notifies = found.properties.intersects(CharPropFlags::NOTIFY | CharPropFlags::INDICATE);
        let writes = found.properties.intersects(CharPropFlags::WRITE | CharPropFlags::WRITE_WITHOUT_RESPONSE);
        (notifies || writes).then_some((found, notifies, writes))
    });
    let numbered = (0..u8::MAX).zip(useful);
    numbered.map(|(number, (found, notifies, writes))| (place(number, &found, notifies, writes), found)).collect()
}

fn place(channel: u8, found: &Characteristic, notifies: bool, writes: bool) -> Place {
    let (service, characteristic) = (found.service_uuid.as_u128(), found.uuid.as_u128());
    Place { channel, service, characteristic, notifies, writes, refused: None }
}

async fn write(
    pace: &Pace,
    device: &Peripheral,
    places: &[(Place, Characteristic)],
    channel: u8,
    bytes: &[u8],
) -> Result<(), LinkError> {
    // A channel that an optional part of the device has, and this one has not.
    let Some((_, to)) = places.iter().find(|(place, _)| place.channel == channel && place.writes) else { return Ok(()) };
    let acknowledged = to.properties.contains(CharPropFlags::WRITE);
    let way = if acknowledged { WriteType::WithResponse } else { WriteType::WithoutResponse };
    let most = usize::from(device.mtu().max(23) - 3);
    for piece in bytes.chunks(most) {
        answer(pace.answer, device.write(to, piece, way))
            .await
            .map_err(|error| LinkError::Other(std::io::Error::other(error)))?;
    }
    Ok(())
}

/// Tells an event, and waits for room if there is none.
async fn deliver(sink: &mut Sink, pace: &Pace, now: fn() -> u64, event: &BleEvent<'_>) -> Result<(), LinkError> {
    let at = now();
    while !sink(at, event) {
        if now().saturating_sub(at) > pace.no_room.as_micros() as u64 {
            return Err(LinkError::Other(std::io::Error::other("nobody takes its bytes")));
        }
        sleep(AGAIN).await;
    }
    Ok(())
}
