//! Delivers the outputs of a station: bytes to the port, messages to the outbox (the queue of outgoing messages), questions to
//! the worker.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use flagfall_game::game::Game;
use flagfall_hardware::port::SendError;
use flagfall_protocols::event::DeviceEvent;
use flagfall_protocols::trace::Audience;

use super::device::Device;
use super::link::{Links, Wanted};
use super::shared::{Shared, StationHandle};
use super::station_config::StationConfig;
use super::submission;
use super::worker::Question;
use crate::arbiter::{DaemonAction, Reply, Setup};
use crate::journal::{Out, outs_from};
use crate::log_limit;
use crate::mqtt::outbox::{Ephemeral, Event, OutboxItem, Quality, Retained};
use crate::publish::Message;
use crate::session::station::{BOARD, CLOCK, StationOutput};
use crate::system_clock;
use crate::wire::device::{DeviceRaw, DeviceStatus};
use crate::wire::envelope::{self, Stamp};
use crate::wire::time::Anchor;
use crate::wire::topics::{self, Board};

/// The time for which the broker keeps raw bytes. They help to find faults and are of no use later.
const RAW_EXPIRY: Duration = Duration::from_secs(60);

/// Delivers a station's outputs to the port, the outbox and the worker.
pub(super) struct OutputRouter {
    shared: Arc<Shared>,
    handle: Arc<StationHandle>,
    owner: u64,
    links: Links,
    root: String,
    wanted: Wanted,
    setup: Setup,
    stamp: Arc<Stamp>,
    /// The board.
    pub(super) device: Device,
    /// The clock, if it has a link of its own.
    clock: Option<Device>,
    /// The status that was published last for each device, with its id.
    published: [Option<(String, DeviceStatus)>; 2],
    /// What the outbox gets at the end of the turn.
    outgoing: Vec<OutboxItem>,
}

impl OutputRouter {
    /// Makes the router of a station.
    pub(super) fn new(
        config: &StationConfig,
        shared: Arc<Shared>,
        handle: Arc<StationHandle>,
        owner: u64,
        links: Links,
    ) -> OutputRouter {
        // A station that replaces another one goes on with its time, also if it opens no game.
        let made = || Arc::new(Stamp { node: shared.node.clone(), boot: shared.boot, anchor: Anchor::default() });
        let stamp = handle.stamp().unwrap_or_else(made);
        OutputRouter {
            root: config.setting.board.root.clone(),
            wanted: config.wanted.clone(),
            setup: config.setup.clone(),
            device: Device::new(config),
            clock: Device::for_clock(config),
            stamp,
            published: [None, None],
            outgoing: Vec::new(),
            shared,
            handle,
            owner,
            links,
        }
    }

    /// Whether another station has taken the place of the one that this belongs to. Then nothing may be published any more.
    pub(super) fn is_replaced(&self) -> bool {
        !self.handle.inbox.is_current_owner(self.owner)
    }

    /// The relation between journal time and wall-clock time.
    pub(super) fn set_anchor(&mut self, anchor: Anchor) {
        self.stamp = Arc::new(Stamp { anchor, ..(*self.stamp).clone() });
        if !self.is_replaced() {
            self.handle.set_stamp(Arc::clone(&self.stamp));
        }
    }

    /// The relation between journal time and wall-clock time.
    pub(super) fn anchor(&self) -> &Anchor {
        &self.stamp.anchor
    }

    /// What the configuration says about devices.
    pub(super) fn setup(&self) -> &Setup {
        &self.setup
    }

    /// Carries out one output.
    pub(super) fn handle_output(&mut self, output: StationOutput) {
        match output {
            StationOutput::Send { link, channel, bytes, .. } => self.send(link, channel, bytes),
            StationOutput::Message(message) => self.publish(message),
            StationOutput::Ask(ask) => {
                let question = Question { ask, station: Arc::clone(&self.handle.inbox) };
                if !self.shared.worker.offer(question) {
                    log_limit::warn("the worker has too much to do", &format_args!("board {}", self.handle.board));
                }
            }
            StationOutput::Device { link, event } => {
                self.device_on(link).handle_event(&event);
                if let Some(serial) = self.device.serial().filter(|_| matches!(event, DeviceEvent::Identity(_))) {
                    self.links.board.set_serial(serial);
                }
                self.publish_device_statuses();
            }
            StationOutput::Reply(reply) => self.reply(&reply),
            StationOutput::Daemon(action) => self.run_action(&action),
        }
    }

    /// The device on this link.
    pub(super) fn device_on(&mut self, link: u8) -> &mut Device {
        self.clock.as_mut().filter(|_| link == CLOCK).unwrap_or(&mut self.device)
    }

    fn send(&self, link: u8, channel: u8, bytes: Vec<u8>) {
        match self.links.link(link).send(channel, bytes) {
            // The driver asks again when the link is up.
            Ok(()) | Err(SendError::Down) => {}
            Err(error) => log_limit::warn("a question was not sent", &format_args!("board {}: {error}", self.handle.board)),
        }
    }

    /// Prepares a message for the outbox: an event is queued, a state replaces the one before. [`OutputRouter::hand_over`]
    /// publishes it.
    pub(super) fn publish(&mut self, message: Message) {
        let payload = envelope::add_stamp(&message.payload, &self.stamp);
        let Message { audience, number, topic, .. } = message;
        if number > 0 {
            return self.outgoing.push(OutboxItem::Event(Event { audience, number, topic, payload }));
        }
        let quality = if topic.ends_with("/clock") { Quality::AtMostOnce } else { Quality::AtLeastOnce };
        self.outgoing.push(OutboxItem::Retained(Retained { topic, payload, quality, expiry: None }));
    }

    /// Hands all prepared messages to the outbox.
    pub(super) fn hand_over(&mut self) {
        if self.outgoing.is_empty() {
            return;
        }
        match self.handle.number() {
            Some(board) => self.shared.outbox.publish_items(board, self.outgoing.drain(..)),
            // A board without a number in the outbox publishes nothing.
            None => self.outgoing.clear(),
        }
    }

    /// Deletes an alert or ruling that the broker retains, if it is not held here.
    pub(super) fn delete_unheld(&self, topic: String) {
        let deletion = Retained { topic, payload: String::new(), quality: Quality::AtLeastOnce, expiry: None };
        self.shared.outbox.publish_once(self.handle.number(), deletion);
    }

    /// After a fault, deletes the alerts of this game that are held here and not open: their deletion may not have come out.
    pub(super) fn delete_closed_alerts(&self, topics: &Board, game: &Game) {
        let Some(board) = self.handle.number() else { return };
        let prefix = topics.alert(0).trim_end_matches('0').to_owned();
        for topic in self.shared.outbox.held_topics(&prefix) {
            let id = topic[prefix.len()..].parse::<u32>().ok().filter(|id| (1..=game.last_alarm()).contains(id));
            let is_open = |id| game.alarms().iter().any(|alarm| alarm.id == id && alarm.closed.is_none());
            if id.is_some_and(|id| !is_open(id)) {
                let deletion = Retained { topic, payload: String::new(), quality: Quality::AtLeastOnce, expiry: None };
                self.shared.outbox.publish_board_state(board, deletion);
            }
        }
    }

    /// Publishes the newest event of each audience again after a fault, since the outbox may not know the last events; `last`
    /// holds their numbers by audience. The newest event shows the outbox how far the journal in `dir` goes.
    pub(super) fn catch_up(&mut self, dir: &Path, last: [u64; 3]) {
        for (audience, number) in Audience::ALL.into_iter().zip(last).filter(|(_, number)| *number > 0) {
            let outs = outs_from(dir, audience, number, 1).map_or_else(|_| Vec::new(), |(outs, _)| outs);
            for Out { number, at, topic, payload } in outs {
                self.publish(Message { audience, number, topic, retain: false, payload, finding: false, decision: false, at });
            }
        }
        self.hand_over();
    }

    /// Publishes the status of each device if it changed, and deletes the status under a former name.
    pub(super) fn publish_device_statuses(&mut self) {
        self.publish_device_status(BOARD);
        if self.clock.is_some() {
            self.publish_device_status(CLOCK);
        }
    }

    fn publish_device_status(&mut self, link: u8) {
        let device = self.device_on(link);
        if !device.take_changed() {
            return;
        }
        let (id, status) = (device.id(), device.status(system_clock::monotonic()));
        let published = &mut self.published[usize::from(link)];
        if published.as_ref().is_some_and(|(published, before)| *published == id && *before == status) {
            return;
        }
        if let Some((former, _)) = published.replace((id.clone(), status.clone())).filter(|(published, _)| *published != id) {
            self.retain(topics::device_status(&self.root, &former), String::new());
        }
        let at = self.stamp.anchor.instant_at(system_clock::utc());
        let payload = envelope::make_message("device.status", None, &self.stamp, Some(at), &status);
        self.retain(topics::device_status(&self.root, &id), payload);
    }

    fn retain(&self, topic: String, payload: String) {
        self.shared.outbox.publish_retained(Retained { topic, payload, quality: Quality::AtLeastOnce, expiry: None });
    }

    /// Publishes bytes as they were read from the device.
    pub(super) fn publish_raw(&mut self, link: u8, channel: u8, bytes: &[u8]) {
        if !self.shared.connected.load(Ordering::Relaxed) {
            return;
        }
        let at = self.stamp.anchor.instant_at(system_clock::utc());
        let body = DeviceRaw { channel, bytes: flagfall_protocols::bytes::hex(bytes) };
        let payload = envelope::make_message("device.raw", None, &self.stamp, Some(at), &body);
        let id = self.device_on(link).id();
        let topic = topics::device_raw(&self.root, &id);
        self.shared.outbox.publish_ephemeral(Ephemeral { topic, payload, correlation: None, expiry: RAW_EXPIRY });
    }

    /// Publishes the answer to a command on the topic that its sender named.
    pub(super) fn reply(&self, reply: &Reply) {
        submission::reply(&self.shared, &self.root, &self.stamp, reply);
    }

    /// Carries out a command that is for the daemon.
    pub(super) fn run_action(&mut self, action: &DaemonAction) {
        match action {
            // The station has carried it out.
            DaemonAction::SetRoundGame { .. } => {}
            DaemonAction::Resync { from, audience } => {
                if let Some(board) = self.handle.number() {
                    self.shared.outbox.rewind(board, *audience, *from);
                }
            }
            DaemonAction::BindDevice { device, serial, port } => {
                // The admission refused every other id.
                let named = device.as_deref().and_then(|device| self.setup.serial_of(device)).map(str::to_owned);
                self.wanted.rebind(serial.clone().or(named), port.clone());
                self.device.set_replaced(self.wanted.serial().map(str::to_owned));
                self.links.board.change_device(self.wanted.clone());
                self.handle.set_wanted(self.wanted.clone());
                self.publish_device_statuses();
            }
        }
    }
}
