//! Checks whether the configured boards are connected, whether this user may open their ports, and which other program uses a
//! port.

use std::path::Path;

use flagfall_hardware::discover::{self, Found};
use flagfall_hardware::hid::{self, System, devices};
use flagfall_hardware::holder;
use flagfall_protocols::drivers::{self, DRIVERS};
use nix::unistd::{AccessFlags, access};

use super::Finding;
use crate::config::{Board, Config};

pub(super) fn check(config: &Config) -> Vec<Finding> {
    let ports = discover::ports(&config.discovery.folders);
    let mut findings: Vec<Finding> = ports.iter().map(port).collect();
    let wants_none = !config.board.is_empty() && config.board.iter().all(Board::is_hid);
    if ports.is_empty() && !wants_none {
        let advice = "Plug the board in; if it is, try another USB cable, some only charge, and another socket.";
        findings.push(match config.board.is_empty() {
            true => Finding::warning("ports", "no serial port is there", advice),
            false => Finding::problem("ports", "no serial port is there", advice),
        });
    }
    findings.extend(config.board.iter().map(|wanted| board(wanted, &ports)));
    findings
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

/// Checks whether the device of a configured board is there.
fn board(board: &Board, ports: &[Found]) -> Finding {
    let about = format!("board {}", board.id);
    let plug = "Plug this board in, or correct its [[board]] in the configuration";
    if board.is_hid() {
        return hid(board, about, plug, &devices(&System::default()));
    }
    if let Some(path) = &board.port {
        return match discover::at(Path::new(path)) {
            Some(_) => Finding::ok(about, format!("{} is there", path.display())),
            None => Finding::problem(about, format!("{} is not there", path.display()), format!("{plug}, key port.")),
        };
    }
    if let Some(serial) = &board.usb_serial {
        let found = ports.iter().find(|port| port.usb.as_ref().is_some_and(|usb| usb.serial.as_ref() == Some(serial)));
        return match found {
            Some(port) => Finding::ok(about, format!("USB serial number {serial} is at {}", port.path.display())),
            None => Finding::problem(
                about,
                format!("no USB adapter with serial number {serial} is there"),
                format!("{plug}, key usb_serial."),
            ),
        };
    }
    let known = |port: &&Found| {
        port.usb.as_ref().is_none_or(|usb| DRIVERS.iter().any(|driver| driver.usb.contains(&(usb.vendor, usb.product))))
    };
    match (ports.iter().filter(known).count(), &board.serial) {
        (0, _) => Finding::problem(about, "no port that could be a board's is there", format!("{plug}.")),
        (count, Some(serial)) => {
            Finding::ok(about, format!("{count} port(s) could be it; which one has serial number {serial} is asked when it runs"))
        }
        (1, None) => Finding::ok(about, "the only port that could be a board's is taken"),
        (count, None) => Finding::warning(
            about,
            format!("{count} ports could be it"),
            "Name its serial, usb_serial or port in [[board]]: see the ports above.",
        ),
    }
}

/// Checks the same for a board over USB-HID.
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
