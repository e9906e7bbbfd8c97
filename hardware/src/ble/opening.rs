//! Opens a connection to a Bluetooth LE device: connects, waits for the services, finds the channels and subscribes them.

use std::pin::Pin;
use std::time::Duration;

use btleplug::api::{CharPropFlags, Characteristic, Peripheral as _, ValueNotification};
use btleplug::platform::Peripheral;
use flagfall_protocols::driver::Channel;
use futures_util::Stream;
use tokio::time::{sleep, timeout};
use uuid::Uuid;

use super::Place;
use super::queries::answer;
use super::{Pace, Wanted};

/// A connection that is open.
pub(super) struct Opened {
    pub(super) places: Vec<(Place, Characteristic)>,
    pub(super) notifications: Pin<Box<dyn Stream<Item = ValueNotification> + Send>>,
}

/// Opens a connection. `known` is the time limit for a device whose opening took less before. `report` gets what is not done yet
/// if it takes long.
pub(super) async fn open(
    pace: &Pace,
    known: Option<Duration>,
    device: &Peripheral,
    wanted: &Wanted,
    report: &mut impl FnMut(&str),
) -> Result<Opened, String> {
    connect(pace, known, device, report).await.map_err(|cause| format!("found, not connected: {cause}"))?;
    match timeout(pace.connect, device.discover_services()).await {
        Ok(Ok(())) => {}
        Ok(Err(error)) => return Err(format!("its services cannot be read: {error}")),
        Err(_) => return Err(format!("its services were not reported within {} s", pace.connect.as_secs_f64())),
    }
    let all = device.characteristics();
    let mut places = match wanted.channels {
        Some(channels) => find_channels(channels, all.iter().cloned())?,
        None => all_channels(all.iter().cloned()),
    };
    // This is called before the subscriptions, so that the first notification is not lost.
    let notifications = answer(pace.answer, device.notifications()).await?;
    timeout(pace.connect, subscribe(pace, device, wanted, &mut places))
        .await
        .unwrap_or_else(|_| Err(format!("its channels were not subscribed within {} s", pace.connect.as_secs_f64())))?;
    Ok(Opened { places, notifications })
}

/// Connects, and waits until BlueZ knows the services. A device that is connected gets more time for its services, unless `known`
/// is given.
async fn connect(pace: &Pace, known: Option<Duration>, device: &Peripheral, report: &mut impl FnMut(&str)) -> Result<(), String> {
    let connecting = device.connect();
    tokio::pin!(connecting);
    let first = known.unwrap_or(pace.connect);
    tokio::select! {
        done = &mut connecting => return done.map_err(|error| error.to_string()),
        () = sleep(first) => {}
    }
    if answer(pace.answer, device.is_connected()).await != Ok(true) {
        return Err(format!("no connection in {} s", first.as_secs_f64()));
    }
    if known.is_some() {
        return Err(format!("BlueZ has a connection, but no services in {:.1} s", first.as_secs_f64()));
    }
    report("found, not connected: BlueZ has a connection and waits for the services");
    match timeout(pace.services, connecting).await {
        Ok(done) => done.map_err(|error| error.to_string()),
        Err(_) => {
            Err(format!("BlueZ has a connection, but no services in {:.1} s", (pace.connect + pace.services).as_secs_f64()))
        }
    }
}

/// Subscribes all channels that notify, and marks those that refuse although they may.
async fn subscribe(
    pace: &Pace,
    device: &Peripheral,
    wanted: &Wanted,
    places: &mut [(Place, Characteristic)],
) -> Result<(), String> {
    for (place, characteristic) in places.iter_mut().filter(|(place, _)| place.notifies) {
        match answer(pace.answer, device.subscribe(characteristic)).await {
            Ok(()) => {}
            Err(cause) if is_optional(wanted, place.channel) => (place.notifies, place.refused) = (false, Some(cause)),
            Err(cause) => return Err(format!("channel {}: {cause}", place.channel)),
        }
    }
    let refused = places.iter().find_map(|(place, _)| Some((place.channel, place.refused.as_ref()?)));
    let Some((channel, cause)) = refused else { return Ok(()) };
    // A device that has gone away in the meantime gives no information about its channels.
    let of_use = places.iter().any(|(place, _)| place.notifies) && answer(pace.answer, device.is_connected()).await == Ok(true);
    of_use.then_some(()).ok_or_else(|| format!("channel {channel}: {cause}"))
}

/// Returns whether the device is usable without this channel, as far as is known.
fn is_optional(wanted: &Wanted, channel: u8) -> bool {
    wanted.channels.is_none_or(|channels| channels.get(usize::from(channel)).is_some_and(|channel| channel.optional))
}

/// Returns the characteristics of a family's channels.
fn find_channels(
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

/// Returns every characteristic that notifies or can be written, in order.
fn all_channels(all: impl Iterator<Item = Characteristic>) -> Vec<(Place, Characteristic)> {
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
