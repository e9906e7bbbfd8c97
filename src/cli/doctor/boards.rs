//! Checks whether the configured boards are connected, whether this user may open their ports, and which other program uses a
//! port.

mod serial;

use std::cell::LazyCell;
use std::time::Duration;

use flagfall_hardware::ble::{self, LinkProblem, Nearby, nearby};
use flagfall_hardware::discover::{self, Found};
use flagfall_hardware::hid::{self, System, devices};
use flagfall_hardware::holder;
use flagfall_protocols::drivers::{self, DRIVERS};
use nix::unistd::{AccessFlags, access};

use super::Finding;
use crate::config::{Board, Config};
use crate::daemon::{StationConfig, Wanted};

/// The time for which the radio listens, once for all boards.
const LISTEN: Duration = Duration::from_secs(5);

/// Checks the ports of this machine, and the devices of the configured boards; `stations` has what each of them wants.
pub(super) fn check(config: &Config, stations: &[StationConfig]) -> Vec<Finding> {
    let ports = discover::ports(&config.discovery.folders);
    let mut findings: Vec<Finding> = ports.iter().map(port).collect();
    let is_serial = |station: &StationConfig| matches!(station.wanted, Wanted::Port(_) | Wanted::Bus(_));
    let wants_none = !stations.is_empty() && !stations.iter().any(is_serial);
    if ports.is_empty() && !wants_none {
        let advice = "Plug the board in; if it is, try another USB cable, some only charge, and another socket.";
        findings.push(match config.board.is_empty() {
            true => Finding::warning("ports", "no serial port is there", advice),
            false => Finding::problem("ports", "no serial port is there", advice),
        });
    }
    let radio = LazyCell::new(|| nearby(config.bluetooth.adapter.as_deref(), LISTEN));
    for (board, station) in config.board.iter().zip(stations) {
        let about = format!("board {}", board.id);
        let plug = "Plug this board in, or correct its [[board]] in the configuration";
        findings.push(match &station.wanted {
            Wanted::Port(wanted) => serial::check(about, wanted, &ports, true),
            Wanted::Bus(wanted) => serial::check(about, &wanted.port, &ports, false),
            Wanted::Hid(_) => hid(board, about, plug, &devices(&System::default())),
            Wanted::Ble(wanted) => bluetooth(about, wanted, &radio),
        });
        if let Some(Wanted::Ble(wanted)) = &station.clock {
            findings.push(bluetooth(format!("clock of board {}", board.id), wanted, &radio));
        }
    }
    findings
}

/// Checks whether a device advertises, or is connected to a program.
fn bluetooth(about: String, wanted: &ble::Wanted, radio: &Result<Vec<Nearby>, LinkProblem>) -> Finding {
    let name = wanted.address.map(|address| address.to_string()).or_else(|| wanted.name.clone());
    let name = name.unwrap_or_else(|| format!("a device named {}…", wanted.family.join("…, ")));
    match radio {
        Err(trouble) => Finding::problem(
            about,
            trouble.to_string(),
            "Mend Bluetooth first (systemctl status bluetooth, rfkill), then look again.",
        ),
        Ok(devices) => match wanted.find(devices) {
            Ok(address) => Finding::ok(about, format!("{address} is there")),
            Err(trouble) => Finding::problem(
                about,
                format!("{name} is not there: {trouble}"),
                "Switch it on, disconnect it from other machines, or correct its key bluetooth (flagfall devices --bluetooth).",
            ),
        },
    }
}

/// Checks one port: access rights, and other programs that use it.
fn port(port: &Found) -> Finding {
    let about = format!("port {}", port.path.display());
    let what = describe(port);
    if access(&port.path, AccessFlags::R_OK | AccessFlags::W_OK).is_err() {
        let advice = "Let this user use serial ports: sudo usermod -aG dialout \"$USER\", then log out and in again.";
        return Finding::problem(about, format!("{what}; this user may not open it"), advice);
    }
    let holders: Vec<holder::Holder> = holder::holders(&port.path).into_iter().filter(|holder| !holder.ours).collect();
    if holders.iter().any(|holder| holder.name == "flagfall") {
        return Finding::ok(about, format!("{what}; flagfall serves it"));
    }
    match holders.is_empty() {
        true => Finding::ok(about, format!("{what}; free")),
        false => {
            let names = holder::describe(&holders);
            Finding::problem(about, format!("{what}; held by {names}"), format!("Close {names}: a board talks to one program."))
        }
    }
}

fn describe(port: &Found) -> String {
    let Some(usb) = &port.usb else { return "not on USB".to_owned() };
    let driver = DRIVERS.iter().find(|driver| driver.usb.contains(&(usb.vendor, usb.product)));
    let name = usb.name.as_deref().unwrap_or("USB device");
    let serial = usb.serial.as_ref().map(|serial| format!(", USB serial number {serial}")).unwrap_or_default();
    let kind = driver.map(|driver| format!(", could be a board for driver {}", driver.name)).unwrap_or_default();
    format!("{name} {:04x}:{:04x}{serial}{kind}", usb.vendor, usb.product)
}

/// Checks whether a board over USB-HID is there.
fn hid(board: &Board, about: String, plug: &str, found: &[hid::Found]) -> Finding {
    let family = board.driver.as_deref().and_then(drivers::find).and_then(|family| family.hid);
    let is_its = |found: &&hid::Found| {
        let is_named = |serial: &str| found.serial.as_deref().is_some_and(|own| own.eq_ignore_ascii_case(serial.trim()));
        board.usb_serial.as_deref().is_none_or(is_named) && family.is_some_and(|family| found.may_be(&family))
    };
    let port = board.port.as_ref().map(std::fs::canonicalize);
    let fits = |found: &&hid::Found| port.as_ref().is_none_or(|port| port.as_ref().is_ok_and(|port| *port == found.path));
    let found: Vec<_> = found.iter().filter(is_its).filter(fits).collect();
    match found[..] {
        [] => Finding::problem(about, "no USB HID device that is its own is there", format!("{plug}, keys port and usb_serial.")),
        [one] if !discover::may_open(&one.path) => {
            let advice = "Install the udev rules (hardware/README.md), then plug the board in again.";
            Finding::problem(about, format!("{} is there; this user may not open it", one.path.display()), advice)
        }
        [one] => Finding::ok(about, format!("{} is there", one.path.display())),
        _ => Finding::warning(about, format!("{} USB HID devices could be it", found.len()), "Name its usb_serial or port."),
    }
}
