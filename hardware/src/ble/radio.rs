//! Decides which Bluetooth LE link connects and when, and starts again after BlueZ or the adapter was missing.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Duration;

use btleplug::api::{Central, CentralEvent, CentralState, Peripheral as _};
use btleplug::platform::{Adapter, Peripheral};
use fastrand::Rng;
use futures_util::StreamExt;
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::sleep;

use super::Nearby;
use super::choose::choose;
use super::connection::{Connection, End, Ended, Hints, NO_KEY};
use super::link::{Claim, Held, Link};
use super::orders::{Order, Orders};
use super::queries::{adapter, answer, around, health, listen};
use super::{Address, LinkProblem, Pace, Wanted};

/// The largest number of connections that are opened at the same time.
const AT_ONCE: usize = 4;
/// The largest number of devices out of reach among them. An attempt for a device that is switched off takes long, so this
/// leaves room for the others.
const UNHEARD_AT_ONCE: usize = 2;

/// The task that serves all Bluetooth LE links of one [`Radio`](super::Radio).
pub(super) struct Radio {
    adapter: Option<String>,
    pace: Pace,
    now: fn() -> u64,
    rng: Rng,
    orders: Arc<Orders>,
    links: BTreeMap<u64, Link>,
    tasks: JoinSet<Ended>,
    scans: bool,
    /// The reason why listening failed while a link searches.
    deaf: Option<String>,
    /// The times of the next start of listening, of the next attempt to connect, of the next check of the devices around and of
    /// the next check of BlueZ.
    scan: u64,
    attempt: u64,
    look: u64,
    health: u64,
}

impl Radio {
    pub(super) fn new(adapter: Option<String>, pace: Pace, now: fn() -> u64, seed: u64, orders: Arc<Orders>) -> Radio {
        let (links, tasks, rng) = (BTreeMap::new(), JoinSet::new(), Rng::with_seed(seed));
        let (scans, deaf, scan, attempt, look, health) = (false, None, 0, 0, 0, 0);
        Radio { adapter, pace, now, rng, orders, links, tasks, scans, deaf, scan, attempt, look, health }
    }

    /// Runs one session and the pause after it, and leaves no task behind. Returns `Break` when the radio and its last link are
    /// dropped.
    pub(super) async fn turn(&mut self) -> ControlFlow<()> {
        let ControlFlow::Continue(problem) = self.session().await else {
            self.links.values().for_each(|link| link.end(End::LetGo));
            while self.tasks.join_next().await.is_some() {}
            return ControlFlow::Break(());
        };
        self.lose_all().await;
        let at = (self.now)();
        self.links.values_mut().for_each(|link| link.report_missing(at, &problem));
        self.handle_orders_for(self.pace.rebuild).await
    }

    /// Runs one session with BlueZ until it fails.
    async fn session(&mut self) -> ControlFlow<(), LinkProblem> {
        if self.links.is_empty() {
            // No link wants Bluetooth, so BlueZ need not be there.
            match self.orders.next().await {
                Some(order) => self.on_order(order),
                None => return ControlFlow::Break(()),
            }
        }
        let adapter = match adapter(self.pace.answer, self.adapter.as_deref()).await {
            Ok(adapter) => adapter,
            Err(problem) => return ControlFlow::Continue(problem),
        };
        let mut events = match answer(self.pace.answer, adapter.events()).await {
            Ok(events) => events,
            Err(cause) => return ControlFlow::Continue(LinkProblem::NoService(cause)),
        };
        (self.scans, self.deaf, self.scan, self.look, self.health) = (false, None, 0, 0, 0);
        self.links.values_mut().for_each(|link| link.listens = None);
        loop {
            if let Err(problem) = self.do_what_is_due(&adapter).await {
                return ControlFlow::Continue(problem);
            }
            let wait = Duration::from_micros(self.due().saturating_sub((self.now)()));
            tokio::select! {
                order = self.orders.next() => match order {
                    Some(order) => self.on_order(order),
                    None => return ControlFlow::Break(()),
                },
                Some(ended) = self.tasks.join_next() => self.on_connection_end(ended),
                event = events.next() => match event {
                    Some(event) => self.on_event(event),
                    None => return ControlFlow::Continue(LinkProblem::NoService("it ended".to_owned())),
                },
                () = sleep(wait) => {}
            }
        }
    }

    /// Returns the time of the next action.
    fn due(&self) -> u64 {
        let searching = || self.links.values().filter(|link| link.searches());
        let try_next = searching().map(|link| link.rests.max(self.look).max(self.attempt)).min();
        try_next.map_or(self.health, |next| next.min(self.scan).min(self.health))
    }

    fn on_order(&mut self, order: Order) {
        match order {
            Order::Join { id, wanted, sink, outlet } => {
                self.links.insert(id, Link::new(wanted, sink, outlet));
                self.look = 0;
            }
            Order::Want { id, wanted } => {
                let Some(link) = self.links.get_mut(&id) else { return };
                link.want(wanted);
                self.look = 0;
            }
            Order::Leave { id } => {
                let Some(link) = self.links.get_mut(&id) else { return };
                link.end(End::LetGo);
                link.leaves = true;
                if link.connection.is_none() {
                    self.links.remove(&id);
                }
            }
        }
    }

    fn on_event(&mut self, event: CentralEvent) {
        match event {
            CentralEvent::DeviceDiscovered(_) => self.look = self.look.min((self.now)() + self.pace.look_soon.as_micros() as u64),
            CentralEvent::DeviceDisconnected(device) => self.links.values().for_each(|link| link.disconnected(&device)),
            CentralEvent::StateUpdate(CentralState::PoweredOff) => self.health = 0,
            _ => {}
        }
    }

    fn on_connection_end(&mut self, ended: Result<Ended, tokio::task::JoinError>) {
        // The panic hook has reported the panic. Its link has lost its sink and is useless now.
        let Ok(Ended { id, sink, lasted, keyless, opened_in }) = ended else { return };
        let at = (self.now)();
        let Some(link) = self.links.get_mut(&id) else { return };
        let address = link.connection.take().map(|held| held.address);
        link.sink = Some(sink);
        if link.leaves {
            self.links.remove(&id);
            return;
        }
        link.failures = self.pace.failures_after(&lasted, link.failures);
        link.failed_attempts = if lasted.is_ok() { 0 } else { link.failed_attempts.saturating_add(1) };
        link.rests = at + self.pace.pause(link.failures, &mut self.rng).as_micros() as u64;
        // The connection was to a device that was wanted before.
        let former = std::mem::take(&mut link.rebound);
        match (lasted, address) {
            _ if former => {}
            (Ok(_), address) => {
                (link.reported, link.known, link.opened_in) = (None, address, opened_in);
                if let Some(address) = address.filter(|_| keyless) {
                    link.report_missing(at, &LinkProblem::Failed { address, cause: NO_KEY.to_owned() });
                }
            }
            (Err(cause), Some(address)) => link.report_missing(at, &LinkProblem::Failed { address, cause }),
            (Err(_), None) => {}
        }
    }

    /// Does what is due: it checks BlueZ, listens, checks the devices around and begins to connect. Only a missing BlueZ or
    /// adapter is an error. A device that is not found must not disturb the other boards.
    async fn do_what_is_due(&mut self, adapter: &Adapter) -> Result<(), LinkProblem> {
        let at = (self.now)();
        let searches = self.links.values().any(Link::searches);
        // Listening switches the adapter on, so the state is checked first: another program may have switched it off.
        if at >= self.health || (searches && at >= self.scan) {
            health(self.pace.answer, adapter).await?;
            self.health = (self.now)() + self.pace.health.as_micros() as u64;
        }
        self.listen(adapter, searches).await;
        if !searches || at < self.look || at < self.attempt {
            return Ok(());
        }
        let around = around(self.pace.answer, adapter).await;
        let at = (self.now)();
        self.look = at + self.pace.look.as_micros() as u64;
        match around {
            Ok(around) => self.connect(at, around),
            Err(cause) => {
                self.health = 0;
                let problem = LinkProblem::NoService(cause);
                self.links.values_mut().filter(|link| link.searches()).for_each(|link| link.report_missing(at, &problem));
            }
        }
        Ok(())
    }

    /// Listens for advertisements as long as a link searches. A BlueZ that was restarted does not listen and does not report
    /// the restart, so the request is repeated. While no device is being opened, listening begins anew each time: a controller
    /// reports a device once in a scan, and BlueZ listens for only five of fifteen seconds after one request.
    async fn listen(&mut self, adapter: &Adapter, searches: bool) {
        let at = (self.now)();
        if !searches {
            if std::mem::take(&mut self.scans) {
                // If BlueZ goes on listening, this costs only power.
                let _ = answer(self.pace.answer, adapter.stop_scan()).await;
            }
            (self.scan, self.deaf) = (0, None);
            return;
        }
        if at >= self.scan {
            let ended = self.scans && !self.opens() && answer(self.pace.answer, adapter.stop_scan()).await.is_ok();
            let begun = listen(self.pace.answer, adapter).await;
            if begun != Ok(ended) {
                // The devices that advertised before are not known any more.
                self.links.values_mut().for_each(|link| link.listens = None);
            }
            let again = if begun.is_ok() { self.pace.health } else { self.pace.look };
            self.scan = (self.now)() + again.as_micros() as u64;
            (self.scans, self.deaf) = (begun.is_ok(), begun.err());
            if self.deaf.is_some() {
                self.health = 0;
            }
        }
        for link in self.links.values_mut().filter(|link| self.scans && link.searches()) {
            link.listens.get_or_insert(at);
        }
    }

    /// True while a device is being opened.
    fn opens(&self) -> bool {
        self.links.values().any(|link| link.connection.is_some() && link.is_down())
    }

    /// Begins one attempt to connect. Links whose device is near come first, and among them the one that has waited longest.
    fn connect(&mut self, at: u64, around: Vec<(Nearby, Peripheral)>) {
        let (seen, devices): (Vec<Nearby>, Vec<Peripheral>) = around.into_iter().unzip();
        let claims: Vec<(u64, Claim, Address)> =
            self.links.iter().filter_map(|(id, link)| link.claim().map(|(claim, address)| (*id, claim, address))).collect();
        let mut found: Vec<(bool, u64, u64, usize)> = Vec::new();
        for (id, link) in self.links.iter_mut().filter(|(_, link)| link.searches()) {
            let own = link.claim().map(|(claim, _)| claim);
            let stronger = claims.iter().filter(|(other, claim, _)| other != id && Some(*claim) > own);
            let taken: Vec<Address> = stronger.map(|(_, _, address)| *address).collect();
            let wanted = Wanted { address: link.wanted.address.or(link.known), ..link.wanted.clone() };
            match choose(&wanted, &seen, &taken) {
                Ok(_) if !link.has_listened(at, self.pace.listen) => {}
                Ok(chosen) => {
                    let index = seen.iter().position(|seen| seen.address == chosen.address);
                    found.extend(index.map(|index| (!chosen.is_near(), link.rests, *id, index)));
                }
                Err(problem) => match &self.deaf {
                    Some(cause) if problem == LinkProblem::NotFound => {
                        link.report_missing(at, &LinkProblem::NoScan(cause.clone()))
                    }
                    _ => link.report_missing(at, &problem),
                },
            }
        }
        let opening: Vec<bool> =
            self.links.values().filter(|link| link.is_down()).filter_map(|link| Some(link.connection.as_ref()?.near)).collect();
        let unheard = opening.iter().filter(|near| !**near).count();
        let room = |far: bool| opening.len() < AT_ONCE && !(far && unheard >= UNHEARD_AT_ONCE);
        let next = found.into_iter().filter(|(far, rests, ..)| *rests <= at && room(*far)).min();
        let Some((far, _, id, index)) = next else { return };
        let Some(link) = self.links.get_mut(&id) else { return };
        let Some(sink) = link.sink.take() else { return };
        let (hints, hinted) = watch::channel(Hints::default());
        link.connection = Some(Held { hints, device: devices[index].id(), address: seen[index].address, near: !far });
        link.listens = None;
        self.attempt = at + self.pace.apart.as_micros() as u64;
        let connection = Connection {
            id,
            seen: seen[index].clone(),
            device: devices[index].clone(),
            wanted: link.wanted.clone(),
            sink,
            outlet: link.outlet.clone(),
            hints: hinted,
            pace: self.pace,
            now: self.now,
            failed_attempts: link.failed_attempts,
            opened_in: link.opened_in,
        };
        self.tasks.spawn(connection.run());
    }

    /// Ends all connections, because BlueZ is gone.
    async fn lose_all(&mut self) {
        self.links.values().for_each(|link| link.end(End::Lost));
        // Each connection ends soon: its waits for the sink and for one more answer have limits.
        while let Some(ended) = self.tasks.join_next().await {
            self.on_connection_end(ended);
        }
        // The devices did not cause the end.
        self.links.values_mut().for_each(|link| (link.failures, link.failed_attempts, link.rests) = (0, 0, 0));
    }

    /// Handles orders for the time `span`.
    async fn handle_orders_for(&mut self, span: Duration) -> ControlFlow<()> {
        let end = sleep(span);
        tokio::pin!(end);
        loop {
            tokio::select! {
                () = &mut end => return ControlFlow::Continue(()),
                order = self.orders.next() => match order {
                    Some(order) => self.on_order(order),
                    None => return ControlFlow::Break(()),
                },
            }
        }
    }
}
