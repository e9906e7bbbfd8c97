//! Serves one connection to a Bluetooth LE device: opens it, passes bytes in both directions, and closes it.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use btleplug::api::{CharPropFlags, Characteristic, Peripheral as _, WriteType};
use btleplug::platform::Peripheral;
use futures_util::StreamExt;
use tokio::sync::{Notify, mpsc, watch};
use tokio::time::{sleep, timeout};

use super::opening::{Opened, open};
use super::queries::answer;
use super::remove::remove;
use super::{BleEvent, LinkProblem, MAX_WAITING, Nearby, Outlet, Pace, Place, Sink, Wanted};
use crate::link::LinkError;

/// The pause before an event is offered again to a receiver that had no room for it.
const AGAIN: Duration = Duration::from_millis(20);
/// The number of failed attempts after which the device is removed from BlueZ, whose object of it may be stale.
const REMOVE_AFTER: u32 = 2;
/// The cause that is reported if a device refuses the key of its family.
pub(super) const NO_KEY: &str = "the device did not accept the key";

/// The hints for a connection. They are a state and not a queue, so no hint is lost while the connection is busy.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Hints {
    /// The number of times BlueZ reported the end of a connection to the device. It may have been an earlier connection.
    pub(super) disconnected: u64,
    /// The connection must end.
    pub(super) end: Option<End>,
}

/// The reason why a connection must end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    /// No link wants the device any more.
    LetGo,
    /// The adapter or the bus is gone.
    Lost,
}

/// The result of a connection that has ended.
pub(super) struct Ended {
    pub(super) id: u64,
    pub(super) sink: Sink,
    /// How long it was up, or the reason why it did not come up.
    pub(super) lasted: Result<Duration, String>,
    /// The device was up and did not accept its key.
    pub(super) keyless: bool,
    /// How long the opening took, if it succeeded.
    pub(super) opened_in: Option<Duration>,
}

/// All data that a connection needs.
pub(super) struct Connection {
    pub(super) id: u64,
    pub(super) seen: Nearby,
    pub(super) device: Peripheral,
    pub(super) wanted: Wanted,
    pub(super) sink: Sink,
    pub(super) outlet: Outlet,
    pub(super) hints: watch::Receiver<Hints>,
    pub(super) pace: Pace,
    pub(super) now: fn() -> u64,
    /// How many attempts have failed since a connection was open.
    pub(super) failed_attempts: u32,
    /// How long the last opening of the same device took, if it was open before.
    pub(super) opened_in: Option<Duration>,
}

impl Connection {
    /// Connects and serves the link until the connection ends.
    pub(super) async fn run(mut self) -> Ended {
        self.report_attempt(&format!("attempt {} begins", self.failed_attempts.saturating_add(1)));
        let (sink, address, now) = (&mut self.sink, self.seen.address, self.now);
        let mut report = |cause: &str| {
            let problem = LinkProblem::Failed { address, cause: cause.to_owned() };
            // The report is only for people. If there is no room for it, it is left out.
            sink(now(), &BleEvent::Missing(problem));
        };
        let mut wanted = true;
        let began = now();
        // If the object of the device may be stale, it should be known soon.
        let known = self.opened_in.filter(|_| self.failed_attempts < REMOVE_AFTER).map(|took| self.pace.patience(took));
        let opened = tokio::select! {
            opened = open(&self.pace, known, &self.device, &self.wanted, &mut report) => opened,
            end = wait_for_end(&mut self.hints) => {
                wanted = false;
                Err(match end { End::Lost => "the Bluetooth service is gone", End::LetGo => "the link is no longer wanted" }.to_owned())
            }
        };
        let opened_in = opened.is_ok().then(|| Duration::from_micros((self.now)().saturating_sub(began)));
        let (lasted, keyless) = match opened {
            Ok(opened) => {
                let (lasted, keyless) = self.serve(opened).await;
                (Ok(lasted), keyless)
            }
            Err(cause) => (Err(cause), false),
        };
        // This is also done when connecting failed, because BlueZ would go on trying. If BlueZ does not answer, it is gone
        // already.
        let _ = answer(self.pace.answer, self.device.disconnect()).await;
        if let Err(cause) = &lasted {
            self.report_attempt(cause);
            if wanted && self.failed_attempts.saturating_add(1) >= REMOVE_AFTER {
                let removed = remove(self.pace.answer, &self.device.id()).await;
                self.report_attempt(&match removed {
                    Ok(true) => "BlueZ forgets the device, so that it is found anew".to_owned(),
                    Ok(false) => "BlueZ keeps the device, because it is paired".to_owned(),
                    Err(error) => format!("BlueZ does not forget the device: {error}"),
                });
            }
        }
        Ended { id: self.id, sink: self.sink, lasted, keyless, opened_in }
    }

    /// Serves an open connection. Returns how long it was up, and whether the device refused its key.
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
                    changed = hints.changed() => match changed.map(|()| hints.borrow_and_update().end) {
                        Ok(None) if answer(pace.answer, device.is_connected()).await == Ok(true) => {}
                        Ok(Some(End::LetGo)) => return Err(LinkError::Other(std::io::Error::other("the link gave the device up"))),
                        Ok(Some(End::Lost) | None) | Err(_) => return Err(LinkError::Unplugged),
                    },
                    got = timeout(pace.quiet, notifications.next()) => match got {
                        Ok(Some(got)) => {
                            let is_it = |place: &&Place| {
                                place.notifies && (place.service, place.characteristic) == (got.service_uuid.as_u128(), got.uuid.as_u128())
                            };
                            // A characteristic without our subscription may be subscribed by another program.
                            if let Some(place) = table.iter().find(is_it) {
                                // This happens before the session gets the bytes, so that the key is sent before the session's
                                // answer.
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
        // A device that only has a matching name gets no key. A locked Pegasus answers the first questions: dgtdriver waits for
        // its version before it sends the key (`dgt_pegasus/README.md#6.1`).
        let mut key = self.wanted.unlock.as_deref();
        let keyless = AtomicBool::new(false);
        let write = async {
            loop {
                tokio::select! {
                    biased;
                    () = spoke.notified(), if key.is_some() => {
                        if write(pace, device, &places, 0, key.take().unwrap_or_default()).await.is_err() {
                            // A lost link is no refusal. The error is not reported, because it could contain the key.
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
        // Both run at the same time, so that a notification gets the time of its arrival and not of the end of a write.
        let end: Result<(), LinkError> = tokio::select! {
            end = read => end,
            end = write => end,
        };
        self.set_outlet(None);
        let down = BleEvent::Down(end.err().unwrap_or(LinkError::Unplugged));
        // A sink that has no room for this event either no longer reads.
        let _ = deliver(&mut self.sink, &self.pace, self.now, &down).await;
        (Duration::from_micros((self.now)().saturating_sub(began)), keyless.load(Ordering::Relaxed))
    }

    /// Reports a step of an attempt to connect, for the log.
    fn report_attempt(&mut self, step: &str) {
        (self.sink)((self.now)(), &BleEvent::Attempt { address: self.seen.address, step });
    }

    fn set_outlet(&self, sender: Option<mpsc::Sender<(u8, Vec<u8>)>>) {
        *self.outlet.lock().unwrap_or_else(std::sync::PoisonError::into_inner) = sender;
    }
}

/// Waits until the connection must end. Reports of BlueZ before that concern an earlier connection.
async fn wait_for_end(hints: &mut watch::Receiver<Hints>) -> End {
    let ended = hints.wait_for(|hints| hints.end.is_some()).await;
    ended.ok().and_then(|hints| hints.end).unwrap_or(End::LetGo)
}

async fn write(
    pace: &Pace,
    device: &Peripheral,
    places: &[(Place, Characteristic)],
    channel: u8,
    bytes: &[u8],
) -> Result<(), LinkError> {
    // The channel belongs to an optional part that this device does not have.
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

/// Sends an event to the sink, and waits if it has no room.
async fn deliver(sink: &mut Sink, pace: &Pace, now: fn() -> u64, event: &BleEvent<'_>) -> Result<(), LinkError> {
    let at = now();
    while !sink(at, event) {
        if now().saturating_sub(at) > pace.no_room.as_micros() as u64 {
            return Err(LinkError::Other(std::io::Error::other("its bytes are not read")));
        }
        sleep(AGAIN).await;
    }
    Ok(())
}
