//! Keeps the state of a board or clock as a device, for `device/<device>/status`: its link, identity, battery and health.

mod health;
#[cfg(test)]
mod tests;
mod touches;

use std::collections::VecDeque;
use std::time::Duration;

use flagfall_game::game::Game;
use flagfall_protocols::event::{Battery, DeviceEvent, Identity};

use self::health::{KnownHealth, is_weak};
use self::touches::Touches;
use super::link::BLE;
use super::station_config::StationConfig;
use crate::session::station::{ASKED, UNHEARD, WEAK};
use crate::system_clock::MonotonicTime;
use crate::wire::device::{DeviceKind, DeviceState, DeviceStatus, WeakMan, WeakSquare};
use crate::wire::topics;

/// The problem of a device that sends nothing.
pub(super) const UNANSWERED: &str = "the device does not answer";
/// The time after the opening of a link in which a device must answer. Otherwise it gets the problem [`UNANSWERED`].
const ANSWERS_WITHIN: Duration = Duration::from_secs(5);
/// The number of losses of a link within [`WITHIN`] from which it counts as unstable.
const OFTEN: usize = 3;
/// The time in which losses of a link are counted.
const WITHIN: Duration = Duration::from_secs(300);

/// The state of a board's device.
#[derive(Clone, Debug)]
pub(super) struct Device {
    driver: &'static str,
    kind: DeviceKind,
    transport: &'static str,
    board: String,
    fallback: String,
    port: Option<String>,
    /// When the port was opened.
    opened: MonotonicTime,
    responding: bool,
    serial: Option<String>,
    firmware: Option<String>,
    clock_firmware: Option<String>,
    battery: Option<Battery>,
    signal: Option<i16>,
    problem: Option<String>,
    /// The board is parked: no driver reads what the device says.
    parked: bool,
    /// When the link was lost, the last times.
    downs: VecDeque<MonotonicTime>,
    health: KnownHealth,
    touches: Touches,
    /// Something has changed since the last [`Device::take_changed`].
    changed: bool,
}

impl Device {
    /// The board of a station, before its link opens.
    pub(super) fn new(config: &StationConfig) -> Device {
        let board = &config.setting.board;
        Device {
            driver: config.setting.driver.name,
            kind: DeviceKind::Board,
            transport: config.wanted.transport(),
            board: format!("{}/{}/{}", board.event, board.round, board.board),
            fallback: format!("board-{}", board.board),
            port: None,
            opened: MonotonicTime(0),
            responding: false,
            serial: config.wanted.serial().map(str::to_owned),
            firmware: None,
            clock_firmware: None,
            battery: None,
            signal: None,
            problem: None,
            parked: false,
            downs: VecDeque::new(),
            health: KnownHealth::default(),
            touches: Touches::default(),
            changed: true,
        }
    }

    /// The clock of a station, if it has a link of its own.
    pub(super) fn for_clock(config: &StationConfig) -> Option<Device> {
        let (driver, wanted) = config.setting.clock.zip(config.clock.as_ref())?;
        let board = Device::new(config);
        Some(Device {
            driver: driver.name,
            kind: DeviceKind::Clock,
            transport: wanted.transport(),
            fallback: format!("clock-{}", config.setting.board.board),
            serial: wanted.serial().map(str::to_owned),
            ..board
        })
    }

    /// Returns whether the status may differ from the last one: something changed, or time alone may change it.
    pub(super) fn take_changed(&mut self) -> bool {
        std::mem::take(&mut self.changed) || !self.downs.is_empty() || self.is_mute()
    }

    /// The link is open, and the device has said nothing yet.
    fn is_mute(&self) -> bool {
        self.port.is_some() && !self.responding
    }

    /// Its id in topics: family and serial number, or the board it serves while the serial number is not known.
    pub(super) fn id(&self) -> String {
        match &self.serial {
            Some(serial) => topics::device_id(self.driver, serial),
            None => self.fallback.clone(),
        }
    }

    /// Sets the serial number that the device had when this board was served last.
    pub(super) fn set_former_serial(&mut self, serial: String) {
        self.changed = true;
        self.serial.get_or_insert(serial);
    }

    /// Its own serial number.
    pub(super) fn serial(&self) -> Option<&str> {
        self.serial.as_deref()
    }

    /// The open port.
    pub(super) fn port(&self) -> Option<&str> {
        self.port.as_deref()
    }

    /// Whether the device answers.
    pub(super) fn is_online(&self) -> bool {
        self.port.is_some() && self.responding && !self.parked
    }

    /// The link opened. `asked`: the device was asked for its identity on this link before. Returns the cause for the `link`
    /// record.
    pub(super) fn link_up(&mut self, now: MonotonicTime, asked: bool, port: String, signal: Option<i16>) -> &'static str {
        self.changed = true;
        self.opened = now;
        // A known device may be connected before its advertisement is received.
        (self.port, self.signal) = (Some(port), signal.or(self.signal));
        self.problem = None;
        match signal {
            _ if asked => ASKED,
            None if self.transport == BLE => UNHEARD,
            _ if is_weak(signal) => WEAK,
            _ => "opened",
        }
    }

    /// The link was lost.
    pub(super) fn link_down(&mut self, now: MonotonicTime, cause: &str) {
        self.changed = true;
        self.port = None;
        self.touches.forget_men();
        self.responding = false;
        self.problem = Some(cause.to_owned());
        self.downs.push_back(now);
        if self.downs.len() > OFTEN {
            self.downs.pop_front();
        }
    }

    /// The board is parked.
    pub(super) fn set_parked(&mut self, problem: String) {
        self.changed = true;
        self.parked = true;
        self.problem = Some(problem);
    }

    /// There is no port, or no device on it.
    pub(super) fn set_missing(&mut self, problem: String) {
        self.changed = true;
        self.problem = Some(problem);
    }

    /// What the device sends is not read for some time.
    pub(super) fn set_flooded(&mut self, problem: String) {
        self.responding = false;
        self.set_missing(problem);
    }

    /// Another device serves the board from now on.
    pub(super) fn set_replaced(&mut self, serial: Option<String>) {
        self.changed = true;
        (self.serial, self.firmware, self.clock_firmware) = (serial, None, None);
        (self.battery, self.signal) = (None, None);
    }

    /// The device reported something about itself.
    pub(super) fn handle_event(&mut self, event: &DeviceEvent) {
        self.changed = true;
        match event {
            DeviceEvent::Identity(Identity::Serial(serial)) => self.serial = Some(serial.as_str().to_owned()),
            DeviceEvent::Identity(Identity::Firmware(major, minor)) => self.firmware = Some(format!("{major}.{minor}")),
            DeviceEvent::Identity(Identity::ClockFirmware(major, minor)) => {
                self.clock_firmware = Some(format!("{major}.{minor}"));
            }
            DeviceEvent::Battery(battery) => self.battery = Some(*battery),
            DeviceEvent::Silent => {
                self.responding = false;
                self.problem = Some(UNANSWERED.to_owned());
            }
            DeviceEvent::Responding => {
                self.responding = true;
                self.problem = None;
            }
            _ => {}
        }
    }

    /// Takes over what the game has counted of the devices' health, and counts changes of the men while no game is on.
    pub(super) fn check_health(&mut self, now: MonotonicTime, game: &Game) {
        self.changed |= self.health.refresh(now, game);
        self.changed |= self.touches.see(now, game);
    }

    /// The status to be published.
    pub(super) fn status(&self, now: MonotonicTime) -> DeviceStatus {
        let health = self.health.health();
        let unanswered = self.is_mute() && !self.parked && now.since(self.opened) >= ANSWERS_WITHIN;
        let lately = self.downs.iter().filter(|&&down| now.since(down) < WITHIN).count();
        DeviceStatus {
            state: match self.is_online() {
                false => DeviceState::Offline,
                true if lately >= OFTEN => DeviceState::Unstable,
                true => DeviceState::Online,
            },
            kind: self.kind,
            transport: self.transport.to_owned(),
            port: self.port.clone(),
            board: Some(self.board.clone()),
            problem: self.problem.clone().or_else(|| unanswered.then(|| UNANSWERED.to_owned())),
            serial: self.serial.clone(),
            firmware: self.firmware.clone(),
            battery_percent: self.battery.map(|battery| battery.percent),
            battery_minutes: self.battery.and_then(|battery| battery.minutes_left),
            charging: self.battery.map(|battery| battery.charging),
            signal_dbm: self.signal,
            clock_firmware: self.clock_firmware.clone(),
            touched: self.touches.count(),
            dropouts: health.dropouts,
            weak_squares: health.weak_squares.iter().map(WeakSquare::from).collect(),
            weak_men: health.weak_men.iter().map(WeakMan::from).collect(),
            warnings: self.health.warnings(self.port.as_ref().and(self.signal)),
        }
    }
}
