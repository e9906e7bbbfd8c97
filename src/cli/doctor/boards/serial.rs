//! Checks whether a board is there that is configured at a serial port: asks the ports that could be its.

use std::path::Path;

use flagfall_hardware::ask::{Answer, ask};
use flagfall_hardware::discover::{self, Found};
use flagfall_hardware::holder;
use flagfall_hardware::port::Wanted;
use flagfall_hardware::serial::Serial;
use flagfall_protocols::drivers::DRIVERS;
use flagfall_protocols::event::same_serial;

use super::super::Finding;
use crate::system_clock::monotonic;

/// What a port says.
enum Heard {
    /// A board answers, with its serial number if it has said one.
    Board(Option<String>),
    /// No board answers.
    Nothing,
    /// It cannot be asked: another program has it, or this user may not open it.
    NotAsked,
}

/// Looks for the port, and asks for the board behind it where `may_ask`. The question changes nothing on a board.
pub(super) fn check(about: String, wanted: &Wanted, ports: &[Found], may_ask: bool) -> Finding {
    let plug = "Plug this board in, or correct its [[board]] in the configuration";
    let (found, key): (Vec<Found>, _) = match (&wanted.port, &wanted.usb_serial) {
        (Some(path), _) => match discover::at(Path::new(path)) {
            Some(port) => (vec![port], ", key port"),
            None => return Finding::problem(about, format!("{} is not there", path.display()), format!("{plug}, key port.")),
        },
        (None, Some(serial)) => {
            let is_its = |port: &&Found| port.usb.as_ref().is_some_and(|usb| usb.serial.as_ref() == Some(serial));
            let found: Vec<Found> = ports.iter().filter(is_its).cloned().collect();
            if found.is_empty() {
                let text = format!("no USB adapter with serial number {serial} is there");
                return Finding::problem(about, text, format!("{plug}, key usb_serial."));
            }
            (found, ", key usb_serial")
        }
        (None, None) => {
            let known = |port: &&Found| {
                port.usb.as_ref().is_none_or(|usb| DRIVERS.iter().any(|driver| driver.usb.contains(&(usb.vendor, usb.product))))
            };
            (ports.iter().filter(known).cloned().collect(), "")
        }
    };
    if found.is_empty() {
        return Finding::problem(about, "no port that could be a board's is there", format!("{plug}."));
    }
    let names = found.iter().map(|port| port.path.display().to_string()).collect::<Vec<_>>().join(", ");
    if found.len() > 1 && wanted.serial.is_none() {
        let advice = "Name its serial, usb_serial or port in [[board]]: see the ports above.";
        return Finding::warning(about, format!("{} ports could be it: {names}", found.len()), advice);
    }
    if !may_ask {
        return Finding::ok(about, format!("{names} is there; the boards on this line are asked when it runs"));
    }
    judge(about, wanted, &found, &names, &format!("{plug}{key}"))
}

/// Asks the ports until the wanted board has answered.
fn judge(about: String, wanted: &Wanted, found: &[Found], names: &str, plug: &str) -> Finding {
    let (mut others, mut not_asked) = (Vec::new(), false);
    for port in found {
        let path = port.path.display();
        match (listen(port, wanted), &wanted.serial) {
            (Heard::Board(Some(serial)), Some(own)) if !same_serial(&serial, own) => {
                others.push(format!("the board at {path} has serial number {serial}"));
            }
            (Heard::Board(None), Some(_)) => others.push(format!("the board at {path} does not say its serial number")),
            (Heard::Board(serial), _) => {
                let serial = serial.map(|serial| format!(", serial number {serial}")).unwrap_or_default();
                return Finding::ok(about, format!("answers at {path}{serial}"));
            }
            (Heard::Nothing, _) => others.push(format!("no board answers at {path}")),
            (Heard::NotAsked, _) => not_asked = true,
        }
    }
    match (&wanted.serial, not_asked) {
        (Some(serial), true) => {
            Finding::ok(about, format!("{names} could be it; the one that has serial number {serial} is in use, or not asked"))
        }
        (None, true) => Finding::ok(about, format!("{names} is there; it is in use and was not asked")),
        (serial, false) => {
            let serial = serial.as_ref().map(|serial| format!("serial number {serial} is not there: ")).unwrap_or_default();
            let advice = format!("{plug}; if it is plugged in, look at its power and at the cable between board and adapter.");
            Finding::problem(about, format!("{serial}{}", others.join(", ")), advice)
        }
    }
}

fn listen(port: &Found, wanted: &Wanted) -> Heard {
    // A program that has not locked its port would miss what we read. Whoever emulates a board keeps the pseudo-terminal open itself.
    if !port.path.starts_with("/dev/pts") && !holder::holders(&port.path).is_empty() {
        return Heard::NotAsked;
    }
    let answer =
        Serial::open(&port.path, wanted.driver.baud).and_then(|mut open| ask(&mut open, wanted.driver, || monotonic().0));
    match answer {
        Ok(Answer { serial, responding, .. }) if responding || serial.is_some() => Heard::Board(serial),
        Ok(_) => Heard::Nothing,
        Err(_) => Heard::NotAsked,
    }
}
