//! Derives the configuration of each station from the configuration of the node.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result};
use flagfall_game::clock::control::TimeControl;
use flagfall_game::config::{GameConfig, Rulings};
use flagfall_hardware::{ble, hid, port};
use flagfall_protocols::bytes::crc32;
use flagfall_protocols::driver::DriverInfo;
use flagfall_protocols::drivers;
use flagfall_protocols::event::ClockSide;

use super::line;
use super::link::Wanted;
use crate::arbiter::{Configured, Setup};
use crate::calibration;
use crate::config::{self, Board, Config, Errors, Loaded, Place, Problem, WhiteClock};
use crate::journal::{Limits, MAX_SESSION};
use crate::publish::delay::Delay;
use crate::session::setting::Setting;
use crate::session::station::{BOARD, CLOCK};
use crate::system_clock::Utc;
use crate::wire::player::Players;
use crate::wire::round_games::RoundBound;
use crate::wire::topics;

/// The driver of a board whose configuration names none.
const DRIVER: &str = "dgt";

/// The configuration of one station.
#[derive(Clone, Debug)]
pub struct StationConfig {
    /// The driver, the game and the topics.
    pub setting: Setting,
    /// The device that serves the board.
    pub wanted: Wanted,
    /// The clock, if it has a link of its own.
    pub clock: Option<Wanted>,
    /// The folder of its journal.
    pub dir: PathBuf,
    /// The limits of the journal.
    pub limits: Limits,
    /// The journal's session: one event, round and board.
    pub session: String,
    /// What the configuration says about devices.
    pub setup: Setup,
    /// Whether the bytes are published too.
    pub raw: bool,
}

impl StationConfig {
    /// The numbers of its links.
    pub(super) fn links(&self) -> impl Iterator<Item = u8> {
        [BOARD].into_iter().chain(self.clock.as_ref().map(|_| CLOCK))
    }
}

/// Reads and judges the configuration of these files, or of those that are there by default, for `flagfall run`, and for `flagfall
/// check-config` alike. `listens`: the addresses of all listeners are tried, as at a start.
///
/// # Errors
/// Everything that is wrong.
pub fn load(files: &[PathBuf], listens: bool) -> Result<Loaded, Errors> {
    let loaded = config::load_to_serve(files, if listens { &config::LISTENERS } else { &[] })?;
    judge(&loaded).map(|_| loaded)
}

/// Judges a configuration that was read, for `flagfall run` and `flagfall check-config` alike: returns the configurations of its
/// stations, or what is wrong.
///
/// # Errors
/// A problem that [`config::load`] cannot see, because it is in what the stations need.
pub fn judge(loaded: &Loaded) -> Result<Vec<StationConfig>, Errors> {
    station_configs(&loaded.config, loaded.hash).map_err(|error| {
        let problem = Problem { place: Place::Default, key: String::new(), message: format!("{error:#}") };
        Errors(vec![problem])
    })
}

/// Makes the configuration of each station. `config` must have passed the checks; `hash` goes into the heads of the journals.
///
/// # Errors
/// A problem that the checks should have found.
pub fn station_configs(config: &Config, hash: u32) -> Result<Vec<StationConfig>> {
    let configured: Arc<[Configured]> = config.board.iter().map(configured).collect();
    config
        .board
        .iter()
        .map(|board| station_config(config, board, &configured, hash).with_context(|| format!("board `{}`", board.id)))
        .collect()
}

fn station_config(config: &Config, board: &Board, configured: &Arc<[Configured]>, hash: u32) -> Result<StationConfig> {
    let name = board.driver.as_deref().unwrap_or(DRIVER);
    let driver = drivers::find(name).with_context(|| format!("driver `{name}`"))?;
    let clock = board.clock.as_ref().map(|clock| {
        let driver = drivers::find(&clock.driver).with_context(|| format!("clock.driver `{}`", clock.driver))?;
        anyhow::Ok((driver, device_of(config, &clock.alone(&board.id), driver)?))
    });
    let (clock_driver, clock) = clock.transpose()?.unzip();
    let event = &config.event;
    let time_control = board.time_control.as_ref().or(event.time_control.as_ref());
    let profile = board.profile.as_ref().unwrap_or(&event.profile);
    let calibration = board.calibration_file.as_deref().map(|file| calibration::read(file, driver)).transpose();
    let session = session_name(&event.id, &event.round, &board.id);
    let setting = Setting {
        clock: clock_driver,
        calibration: calibration.map_err(anyhow::Error::msg).context("calibration_file")?,
        config: GameConfig {
            time_control: time_control.map(|text| TimeControl::parse(text)).transpose().context("time control")?,
            chess960: board.chess960.unwrap_or(event.chess960),
            white_clock: board.white_clock.map(|side| match side {
                WhiteClock::Left => ClockSide::Left,
                WhiteClock::Right => ClockSide::Right,
            }),
            rulebook: config::rulebook(profile, event.guidelines).context("rules")?,
            rulings: match event.rulings {
                config::Rulings::Advise => Rulings::Advise,
                config::Rulings::Automatic => Rulings::Automatic,
            },
            observer: event.observer,
            default_time_s: event.default_time,
            casual: event.casual,
            ..GameConfig::default()
        },
        board: topics::Board {
            root: config.mqtt.root.clone(),
            event: event.id.clone(),
            round: event.round.clone(),
            board: board.id.clone(),
        },
        bound: board.games.map(|games| {
            let start = board.start.as_ref().or(event.start.as_ref());
            RoundBound { games, start: start.and_then(|text| Utc::parse_with_offset(text)) }
        }),
        until_press: config.until_press(),
        delay: Some(Delay { time: Duration::from_secs(event.delay.into()), moves: event.delay_moves }),
        players: Players::known(board.white.clone(), board.black.clone()),
        name: session.clone(),
        notes: vec![("configuration", format!("{hash:08x}")), ("program", format!("flagfall {}", env!("CARGO_PKG_VERSION")))],
        ..Setting::new(driver)
    };
    let mib = |mib: u32| u64::from(mib) << 20;
    let total = mib(config.journal.total_mib);
    let wanted = device_of(config, board, driver)?;
    Ok(StationConfig {
        setting: setting.with_clock(),
        wanted,
        clock,
        dir: config.journal.dir.join(&board.id),
        limits: Limits { file: mib(config.journal.file_mib), total, cap: total, ..Limits::default() },
        session,
        setup: Setup {
            configuration: format!("{hash:08x}"),
            family: driver.name.to_owned(),
            board: board.id.clone(),
            configured: Arc::clone(configured),
        },
        raw: config.mqtt.raw,
    })
}

/// The device of a board. It is reached over USB-HID if that is configured or is the family's only link, and by Bluetooth if that
/// is configured or the family has no cable.
fn device_of(config: &Config, board: &Board, driver: &'static DriverInfo) -> Result<Wanted> {
    if driver.shares_line {
        return bus_board(config, board, driver).map(Wanted::Bus);
    }
    if board.is_hid() {
        let any = hid::Wanted::for_driver(driver).with_context(|| format!("{} is not available over USB-HID", driver.name))?;
        return Ok(Wanted::Hid(hid::Wanted { port: board.port.clone(), usb_serial: board.usb_serial.clone(), ..any }));
    }
    let Some(ble) = driver.ble.filter(|_| board.is_bluetooth()) else {
        return Ok(Wanted::Port(port::Wanted {
            driver,
            port: board.port.clone(),
            usb_serial: board.usb_serial.clone(),
            serial: board.serial.clone(),
            folders: config.discovery.folders.clone(),
        }));
    };
    let (address, name) = board.bluetooth.as_deref().map(ble::device).unwrap_or_default();
    let unlock = board.unlock_file.as_deref().map(|file| config::unlock(file).map_err(anyhow::Error::msg)).transpose();
    Ok(Wanted::Ble(ble::Wanted {
        address,
        name,
        serial: board.serial.clone(),
        family: ble.names,
        channels: Some(ble.channels),
        unlock: unlock.context("unlock_file")?,
    }))
}

/// A board on a line with others, which are the boards with the same configured port.
fn bus_board(config: &Config, board: &Board, driver: &'static DriverInfo) -> Result<line::Wanted> {
    let same = |other: &&Board| (&other.port, &other.usb_serial) == (&board.port, &board.usb_serial);
    let port = port::Wanted {
        driver,
        port: board.port.clone(),
        usb_serial: board.usb_serial.clone(),
        serial: None,
        folders: config.discovery.folders.clone(),
    };
    Ok(line::Wanted {
        address: board.address().context("serial: no address on a line")?,
        serial: board.serial.clone(),
        all: config.board.iter().filter(same).filter_map(Board::address).collect(),
        port,
    })
}

/// What the admission of commands must know about the devices of a board.
fn configured(board: &Board) -> Configured {
    let port = board.port.as_ref().map(|port| port.display().to_string());
    Configured {
        board: board.id.clone(),
        // Over USB-HID a device is identified by its USB serial number.
        serial: if board.is_hid() { board.usb_serial.clone() } else { board.serial.clone() },
        ports: [port, board.bluetooth.clone()].into_iter().flatten().collect(),
        clock: board.clock.as_ref().and_then(|clock| clock.bluetooth.clone()),
    }
}

/// The name of the session of a board in a round. If the ids are too long, a checksum of the whole replaces their end.
fn session_name(event: &str, round: &str, board: &str) -> String {
    let whole = format!("{event}-r{round}-b{board}");
    match whole.get(..MAX_SESSION - 9) {
        Some(head) if whole.len() > MAX_SESSION => format!("{head}-{:08x}", crc32(whole.as_bytes())),
        _ => whole,
    }
}

#[cfg(test)]
mod tests;
