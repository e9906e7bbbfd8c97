//! Checks keys of the configuration that depend on each other, and the files that keys name.

use std::collections::{BTreeMap, BTreeSet};
use std::net::{IpAddr, SocketAddr};
use std::path::{Path, PathBuf};

use flagfall_game::clock::control::TimeControl;
use flagfall_game::laws::rulebook::Profile;

use flagfall_protocols::driver::DriverInfo;
use flagfall_protocols::drivers;

use super::board::{Board, Transport};
use super::listeners::{self, LISTENERS};
use super::place::{Origins, Problem};
use super::types::{Config, Guidelines, Rulings, rulebook};
use super::{broker_user, broker_users, certificates, output_checks, screens, secrets};
use crate::calibration;

/// The problem of a device by Bluetooth LE in a build without the feature `ble`.
const WITHOUT_BLE: &str = "this program was built without Bluetooth LE";

/// The largest number of addresses of one listener.
const MAX_LISTEN: usize = 4;

/// What the program that is checked for will start.
#[derive(Clone, Copy)]
pub(super) struct Starts {
    pub(super) node: bool,
    pub(super) collector: bool,
}

pub(super) struct Check<'a> {
    pub(super) origins: &'a Origins,
    problems: &'a mut Vec<Problem>,
}

impl<'a> Check<'a> {
    #[cfg(feature = "tools")]
    pub(super) fn new(origins: &'a Origins, problems: &'a mut Vec<Problem>) -> Check<'a> {
        Check { origins, problems }
    }

    pub(super) fn problem(&mut self, key: &str, message: impl Into<String>) {
        self.problems.push(Problem { place: self.origins.place(key), key: key.to_owned(), message: message.into() });
    }

    pub(super) fn result(&mut self, key: &str, file: &Path, result: Result<(), String>) {
        if let Err(message) = result {
            self.problem(key, format!("{}: {message}", file.display()));
        }
    }
}

/// Finds everything that is wrong with the whole configuration, for a program that will listen at the addresses of these keys.
pub(crate) fn check(config: &Config, origins: &Origins, listens: &[&str], problems: &mut Vec<Problem>) {
    let node = listens.contains(&LISTENERS[0]);
    let starts = Starts { node, collector: !listens.is_empty() && (config.collect.enabled || !node) };
    let mut check = Check { origins, problems };
    rules(config, &mut check);
    mqtt(config, &mut check);
    broker(config, &mut check);
    listens_well(config, listens, &mut check);
    screens::problems(config).into_iter().for_each(|(key, why)| check.problem(key, why));
    broker_users::problems(config, starts).into_iter().for_each(|(key, why)| check.problem(&key, why));
    if config.event.from_meta && config.publishes_to_own_broker() {
        let message =
            "the broker in this program forgets the organiser's messages when the round changes: set mqtt.host to another one";
        check.problem("event.from_meta", message);
    }
    if config.journal.total_mib < config.journal.file_mib {
        check.problem("journal.total_mib", "is less than journal.file_mib, one file");
    }
    devices(&config.board, &mut check);
    config.board.iter().for_each(|board| link(board, config.event.casual, &mut check));
    clocks(config, &mut check);
    output_checks::outputs(config, starts, &mut check);
    let boards: BTreeSet<&str> = config.board.iter().map(|board| board.id.as_str()).collect();
    for (name, user) in &config.user {
        let strange = user.boards.iter().filter(|id| !boards.is_empty() && !boards.contains(id.as_str()));
        for id in strange {
            let near = super::nearest::nearest(id, boards.iter().copied());
            let hint = near.map(|near| format!("; did you mean \"{near}\"?")).unwrap_or_default();
            check.problem(&format!("user.{name}.boards"), format!("this machine has no board \"{id}\"{hint}"));
        }
    }
}

/// Guidelines and rulings must fit the rules and the time control of the event, and of every board that has its own.
fn rules(config: &Config, check: &mut Check<'_>) {
    let event = &config.event;
    let own = |board: &Board, key| format!("board.{}.{key}", board.id);
    let boards = config.board.iter().filter_map(|board| Some((own(board, "profile"), board.profile.as_deref()?)));
    let profiles: Vec<_> = [(String::new(), event.profile.as_str())].into_iter().chain(boards).collect();
    for (key, text) in profiles {
        let or = |event: &'static str| if key.is_empty() { event.to_owned() } else { key.clone() };
        // An unknown profile was reported separately.
        let Ok(alone) = rulebook(text, Guidelines::None) else { continue };
        let name = alone.profile.name();
        if event.rulings == Rulings::Automatic && !event.observer && is_for_arbiters(alone.profile) {
            let message = format!(
                "automatic rulings under {name} need event.observer = true: the event's regulations name this program as an \
                 observer"
            );
            check.problem(&or("event.rulings"), message);
        }
        if rulebook(text, event.guidelines).is_err() {
            let message = format!("Guidelines III are for standard and rapid chess of FIDE (III.2), not for {name}");
            check.problem(&or("event.guidelines"), message);
        }
    }
    let boards = config.board.iter().filter_map(|board| Some((own(board, "time_control"), board.time_control.as_ref()?)));
    let controls = event.time_control.iter().map(|text| ("event.guidelines".to_owned(), text)).chain(boards);
    let with_time: Vec<String> = controls
        .filter(|(_, text)| TimeControl::parse(text).is_ok_and(|control| control.adds_time()))
        .map(|(key, _)| key)
        .collect();
    for key in with_time.iter().filter(|_| event.guidelines != Guidelines::None) {
        check.problem(key, "event.guidelines are for games without additional time (III.1), and this time control adds some");
    }
}

/// Whether the rules leave every ruling to an arbiter.
const fn is_for_arbiters(profile: Profile) -> bool {
    !matches!(profile, Profile::ClubSpeed | Profile::MaterialOnly)
}

fn mqtt(config: &Config, check: &mut Check<'_>) {
    let mqtt = &config.mqtt;
    let files = [&mqtt.ca_file, &mqtt.certificate_file, &mqtt.key_file];
    if (mqtt.tls || files.iter().any(|file| file.is_some()))
        && let Err((key, message)) = certificates::client(mqtt)
        // Without TLS it is only wrong if a file is.
        && (mqtt.tls || key != "tls")
    {
        check.problem(&format!("mqtt.{key}"), message);
    }
    if !mqtt.tls && !mqtt.insecure && !is_loopback(&mqtt.host) {
        check.problem("mqtt.host", "is another machine: needs mqtt.tls = true, or mqtt.insecure = true to send without TLS");
    }
    if let Some(file) = &mqtt.password_file {
        check.result("mqtt.password_file", file, secrets::password(file).map(drop));
    }
}

fn broker(config: &Config, check: &mut Check<'_>) {
    let broker = &config.broker;
    for (name, user) in &broker.user {
        if let Err((key, message)) = broker_user::password_of(name, user, &config.mqtt.root) {
            let user = format!("broker.user.{name}");
            check.problem(&if key.is_empty() { user } else { format!("{user}.{key}") }, message);
        }
    }
    if !broker.enabled {
        return;
    }
    if cfg!(not(feature = "broker")) {
        check.problem("broker.enabled", "this program was built without its broker");
    }
    let addresses = [("broker.tcp", &broker.tcp), ("broker.websocket", &broker.websocket)];
    for (key, text) in addresses {
        let open = text.parse::<SocketAddr>().is_ok_and(|address| !address.ip().is_loopback());
        if open && broker.user.is_empty() {
            check.problem(key, "can be reached from other machines: needs users, [broker.user.NAME]");
        }
    }
}

/// The listeners of the program must have addresses of their own, and must be in this build.
fn listens_well(config: &Config, listens: &[&str], check: &mut Check<'_>) {
    let (livechess, http) = (&config.livechess, &config.http);
    for (key, on) in [("livechess.enabled", livechess.enabled), ("http.listen", !http.listen.is_empty())] {
        if on && cfg!(not(feature = "outputs")) {
            check.problem(key, "this program was built without its outputs");
        }
    }
    if livechess.enabled && livechess.listen.is_empty() {
        check.problem("livechess.listen", "is empty: name an address, or set livechess.enabled = false");
    }
    if livechess.listen.len() > MAX_LISTEN {
        check.problem("livechess.listen", format!("has more than {MAX_LISTEN} addresses"));
    }
    let problems = listeners::clashes(config).into_iter().chain(listeners::refused(config, listens));
    problems.for_each(|(key, why)| check.problem(key, why));
}

/// Every board must be identifiable: no two boards may have the same identification, and only a single board may have none.
fn devices(boards: &[Board], check: &mut Check<'_>) {
    let mut seen: BTreeMap<(&str, String), &Board> = BTreeMap::new();
    for board in boards {
        let port = board.port.as_deref().map(device);
        let bluetooth = board.bluetooth.as_ref().map(|device| device.to_ascii_uppercase());
        let marks = [
            ("serial", board.serial.as_deref().map(number)),
            ("usb_serial", board.usb_serial.as_deref().map(number)),
            ("port", port),
            ("bluetooth", bluetooth),
        ];
        if boards.len() > 1 && marks.iter().all(|(_, mark)| mark.is_none()) {
            let message = "there are several boards: needs serial, usb_serial, port or bluetooth, so that its device is known";
            check.problem(&format!("board.{}", board.id), message);
        }
        for (name, mark) in marks {
            let Some(mark) = mark else { continue };
            // Boards that share a line are identified by their serial numbers. All of them name the line in the same way.
            let shared = |other: &Board| {
                name != "serial"
                    && board.address().is_some()
                    && (&board.port, &board.usb_serial) == (&other.port, &other.usb_serial)
            };
            if let Some(other) = seen.insert((name, mark), board).filter(|other| !shared(other)) {
                let other = &other.id;
                let key = format!("board.{}.{name}", board.id);
                let place = check.origins.place(&format!("board.{other}.{name}"));
                check.problem(&key, format!("is that of board \"{other}\" too, at {place}"));
            }
        }
    }
}

/// A path as it is compared with others: without `.` and doubled `/`, and where it leads if it is there now.
fn device(path: &Path) -> String {
    let plain: PathBuf = path.components().collect();
    std::fs::canonicalize(&plain).unwrap_or(plain).display().to_string()
}

/// A serial number as it is compared with others: without zeros before a number, and in capitals.
fn number(text: &str) -> String {
    let text = text.trim();
    match text.bytes().all(|byte| byte.is_ascii_digit()) {
        true => text.trim_start_matches('0').to_owned(),
        false => text.to_ascii_uppercase(),
    }
}

/// The board's family and its link must fit together.
fn link(board: &Board, casual: bool, check: &mut Check<'_>) {
    let key = |name: &str| format!("board.{}.{name}", board.id);
    let name = board.driver.as_deref().unwrap_or("dgt");
    // An unknown driver was reported separately.
    let Some(driver) = drivers::find(name) else { return };
    if !driver.capabilities.board {
        check.problem(&key("driver"), format!("{name} is a clock by itself, not a board"));
    }
    if let Some(why) = driver.casual_only.filter(|_| !casual) {
        check.problem(&key("driver"), format!("{name} is only for games without arbiters (event.casual = true): {why}"));
    }
    if driver.shares_line && board.address().is_none() {
        check.problem(&key("serial"), format!("{name}: its serial number is its address on the line, 1 to 16383"));
    }
    if driver.shares_line && board.port.is_none() && board.usb_serial.is_none() {
        check.problem(&key("port"), format!("{name}: the line is named by port or usb_serial, for all its boards alike"));
    }
    if board.is_bluetooth() && cfg!(not(feature = "ble")) {
        check.problem(&key("driver"), WITHOUT_BLE);
    }
    if board.bluetooth.is_some() {
        if driver.ble.is_none() {
            check
                .problem(&key("bluetooth"), format!("{name} is not available over Bluetooth LE; a bound /dev/rfcomm0 is a port"));
        }
        for (other, is_set) in [("port", board.port.is_some()), ("usb_serial", board.usb_serial.is_some())] {
            if is_set {
                check.problem(&key("bluetooth"), format!("and {other}: it is one or the other"));
            }
        }
    }
    if board.port.is_some() && board.transport.is_none() && !board.is_hid() && !is_serial(driver) {
        let hid = if driver.hid.is_some() { ", or transport = \"hid\"" } else { "" };
        let message = format!("{name} is not available on a serial port: name its bluetooth device{hid}");
        check.problem(&key("port"), message);
    }
    transport(board, driver, check);
    if board.is_hid() && board.serial.is_some() {
        check.problem(&key("serial"), "no board reports it over USB-HID: name usb_serial or port");
    }
    if let Some(file) = &board.unlock_file {
        check.result(&key("unlock_file"), file, secrets::unlock(file).map(drop));
        if !board.is_bluetooth() {
            check.problem(&key("unlock_file"), "is for devices by Bluetooth");
        }
    }
    if let Some(file) = &board.calibration_file {
        match calibration::needed(driver) {
            Ok(()) => check.result(&key("calibration_file"), file, calibration::read(file, driver).map(drop)),
            Err(message) => check.problem(&key("calibration_file"), message),
        }
    }
}

/// A separate clock is for a board that has none; each clock has its own name or address.
fn clocks(config: &Config, check: &mut Check<'_>) {
    let mut devices: BTreeSet<String> =
        config.board.iter().filter_map(|board| Some(board.bluetooth.as_ref()?.to_ascii_uppercase())).collect();
    let several = config.board.iter().filter(|board| board.clock.is_some()).count() > 1;
    for (board, clock) in config.board.iter().filter_map(|board| Some((board, board.clock.as_ref()?))) {
        let key = |name: &str| format!("board.{}.clock.{name}", board.id);
        let Some(driver) = drivers::find(&clock.driver) else { continue };
        if driver.capabilities.board || !driver.capabilities.clock {
            check.problem(&key("driver"), format!("{} is no clock by itself", driver.name));
        }
        if cfg!(not(feature = "ble")) {
            check.problem(&key("driver"), WITHOUT_BLE);
        }
        if let Some(why) = driver.casual_only.filter(|_| !config.event.casual) {
            check.problem(
                &key("driver"),
                format!("{} is only for games without arbiters (event.casual = true): {why}", driver.name),
            );
        }
        let family = drivers::find(board.driver.as_deref().unwrap_or("dgt"));
        if let Some(family) = family.filter(|family| family.capabilities.clock) {
            check.problem(&key("driver"), format!("{} boards report the times of their own clock", family.name));
        }
        match &clock.bluetooth {
            None if several => {
                check.problem(&key("bluetooth"), "there are several clocks: say which one, by its address or name")
            }
            Some(device) if !devices.insert(device.to_ascii_uppercase()) => {
                check.problem(&key("bluetooth"), format!("{device} is another board's or clock's device"));
            }
            _ => {}
        }
    }
}

/// The family of the board must have the configured link, and the keys that identify its device must fit it.
fn transport(board: &Board, driver: &DriverInfo, check: &mut Check<'_>) {
    let key = |name: &str| format!("board.{}.{name}", board.id);
    let Some(transport) = board.transport else { return };
    let has = has_way(driver, transport);
    let way = match transport {
        Transport::Serial => "on a serial port",
        Transport::Ble => "over Bluetooth LE",
        Transport::Hid => "over USB-HID",
    };
    if !has {
        // Over another link the same board may be another family.
        let also = drivers::DRIVERS.iter().find(|other| other.name.starts_with(driver.name) && has_way(other, transport));
        let also = also.map(|other| format!("; {} is", other.name)).unwrap_or_default();
        check.problem(&key("transport"), format!("{} is not available {way}{also}", driver.name));
    }
    let by_cable = board.port.is_some() || board.usb_serial.is_some();
    let other = match transport {
        Transport::Ble if by_cable && board.bluetooth.is_none() => Some("port or usb_serial"),
        Transport::Serial | Transport::Hid if board.bluetooth.is_some() => Some("bluetooth"),
        _ => None,
    };
    if let Some(other) = other {
        check.problem(&key("transport"), format!("{way} and {other}: it is one or the other"));
    }
}

/// Whether a serial port can carry the family. Every family can be emulated on one, unless it speaks on several channels.
fn is_serial(driver: &DriverInfo) -> bool {
    !driver.usb.is_empty() || driver.ble.is_none_or(|ble| ble.channels.len() < 2)
}

fn has_way(driver: &DriverInfo, transport: Transport) -> bool {
    match transport {
        Transport::Serial => is_serial(driver),
        Transport::Ble => driver.ble.is_some(),
        Transport::Hid => driver.hid.is_some(),
    }
}

/// Whether a broker of this name is on this machine.
pub(crate) fn is_loopback(host: &str) -> bool {
    host.eq_ignore_ascii_case("localhost") || host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}
