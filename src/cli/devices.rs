//! Runs `flagfall devices`: lists the boards and ports that are plugged in.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Result, bail};
use clap::Args;
use flagfall_hardware::ask::{Answer, ask};
use flagfall_hardware::discover::{self, Found};
use flagfall_hardware::hid::System;
use flagfall_hardware::holder::{self, Holder};
use flagfall_hardware::serial::Serial;
use flagfall_protocols::driver::DriverInfo;
use flagfall_protocols::drivers::DRIVERS;
use serde::Serialize;

mod families;
mod hid;
mod radio;

use crate::config::Discovery;
use crate::system_clock::monotonic;

/// List serial ports, and boards over USB-HID: names, USB ids, which board it may be, which process has
/// it open, and whether you may open it.
///
/// Examples:
///   flagfall devices
///   flagfall devices --ask
///   flagfall devices --bluetooth
///   flagfall devices --supported
///   flagfall devices --json --ask /dev/pts/3
#[derive(Args)]
#[command(verbatim_doc_comment)]
pub(super) struct Devices {
    /// Only these ports, including ports that are not listed otherwise: pseudo-terminals, bound Bluetooth ports.
    ports: Vec<PathBuf>,
    /// Open every free port that may be a board's and ask for serial number and firmware. It changes nothing on the board.
    #[arg(long)]
    ask: bool,
    /// List devices that advertise over Bluetooth LE instead. It connects to none.
    #[arg(long, conflicts_with_all = ["ask", "ports", "supported"])]
    bluetooth: bool,
    /// List the device families that this program supports, and what each can do.
    #[arg(long, conflicts_with_all = ["ask", "ports"])]
    supported: bool,
    /// Print a JSON array.
    #[arg(long)]
    json: bool,
    /// A folder whose entries are ports; may be given several times [default: /dev/serial/by-id].
    #[arg(long, value_name = "DIR")]
    folder: Vec<PathBuf>,
}

/// One port.
#[derive(Serialize)]
struct Port {
    port: PathBuf,
    /// How it is reached, in the words of the configuration.
    transport: &'static str,
    stable: Option<PathBuf>,
    usb: Option<Usb>,
    /// The device family with these USB ids.
    driver: Option<&'static str>,
    may_open: bool,
    held_by: Vec<Process>,
    #[serde(skip_serializing_if = "Option::is_none")]
    answer: Option<AskResult>,
}

#[derive(Serialize)]
struct Usb {
    vendor: String,
    product: String,
    serial: Option<String>,
    manufacturer: Option<String>,
    name: Option<String>,
}

#[derive(Serialize)]
struct Process {
    pid: u32,
    name: String,
}

/// The result of asking a board.
#[derive(Serialize)]
#[serde(untagged)]
enum AskResult {
    Board { driver: &'static str, serial: Option<String>, long_serial: Option<String>, firmware: Option<String> },
    Not { error: String },
}

impl Devices {
    pub(super) fn run(self) -> Result<ExitCode> {
        if self.supported {
            return families::print(self.json);
        }
        if self.bluetooth {
            return radio::print(self.json);
        }
        let folders = if self.folder.is_empty() { Discovery::default().folders } else { self.folder.clone() };
        let found = match self.ports.as_slice() {
            [] => discover::ports(&folders),
            named => named.iter().map(|path| find_port(path, &folders)).collect::<Result<_>>()?,
        };
        let hid = if self.ports.is_empty() { hid::list(&System::default()) } else { Vec::new() };
        let ports: Vec<Port> = found.into_iter().map(|found| self.describe(found)).chain(hid).collect();
        let mut out = std::io::stdout().lock();
        if self.json {
            writeln!(out, "{}", serde_json::to_string_pretty(&ports)?)?;
        } else if ports.is_empty() {
            writeln!(
                out,
                "no serial port and no board over USB-HID is plugged in (a pseudo-terminal is never listed: name its path)"
            )?;
        } else {
            ports.iter().try_for_each(|port| port.print(&mut out))?;
        }
        Ok(ExitCode::SUCCESS)
    }

    fn describe(&self, found: Found) -> Port {
        let families = found.usb.as_ref().map(|usb| families(usb.vendor, usb.product)).unwrap_or_default();
        let family = families.first().copied();
        let may_be = family.is_some() || found.stable.is_some() || !self.ports.is_empty();
        let may_open = discover::may_open(&found.path);
        let holders = holder::holders(&found.path);
        let answer = (self.ask && may_be && may_open).then(|| ask_families(&found.path, families, &holders));
        Port {
            port: found.path,
            transport: "serial",
            stable: found.stable,
            usb: found.usb.map(|usb| Usb {
                vendor: format!("{:04x}", usb.vendor),
                product: format!("{:04x}", usb.product),
                serial: usb.serial,
                manufacturer: usb.manufacturer,
                name: usb.name,
            }),
            driver: family.map(|family| family.name),
            may_open,
            held_by: holders.into_iter().map(|holder| Process { pid: holder.pid, name: holder.name }).collect(),
            answer,
        }
    }
}

fn find_port(path: &Path, folders: &[PathBuf]) -> Result<Found> {
    let Some(port) = discover::at(path) else { bail!("{}: no such port", path.display()) };
    let known = discover::ports(folders).into_iter().find(|found| found.path == port.path);
    Ok(known.unwrap_or(port))
}

/// Returns the families that have such an adapter, the likeliest first.
fn families(vendor: u16, product: u16) -> Vec<&'static DriverInfo> {
    DRIVERS.iter().filter(|driver| driver.usb.contains(&(vendor, product))).collect()
}

/// Asks with the questions of these families, or of every family that has a cable, until a board answers.
fn ask_families(path: &Path, mut families: Vec<&'static DriverInfo>, holders: &[Holder]) -> AskResult {
    if families.is_empty() {
        families = DRIVERS.iter().filter(|driver| !driver.usb.is_empty()).collect();
    }
    for family in families {
        let answer = Serial::open(path, family.baud).and_then(|mut port| ask(&mut port, family, || monotonic().0));
        match answer {
            Ok(Answer { serial, long_serial, firmware, responding }) if responding || serial.is_some() => {
                let firmware = firmware.map(|(major, minor)| format!("{major}.{minor}"));
                return AskResult::Board { driver: family.name, serial, long_serial, firmware };
            }
            Ok(_) => {}
            Err(flagfall_hardware::link::LinkError::Busy) => {
                return AskResult::Not { error: format!("held by {}", holder::describe(holders)) };
            }
            Err(error) => return AskResult::Not { error: error.to_string() },
        }
    }
    AskResult::Not { error: "no board answers".to_owned() }
}

impl Port {
    fn print(&self, out: &mut dyn Write) -> Result<()> {
        writeln!(out, "{}", self.port.display())?;
        let mut line = |name: &str, text: String| writeln!(out, "    {name:<9} {text}");
        if let Some(stable) = &self.stable {
            line("name", stable.display().to_string())?;
        }
        if let Some(usb) = &self.usb {
            let said = [&usb.manufacturer, &usb.name].into_iter().flatten().cloned().collect::<Vec<_>>().join(" ");
            let serial = usb.serial.as_deref().map(|serial| format!(", serial number {serial}")).unwrap_or_default();
            line("usb", format!("{}:{} {said}{serial}", usb.vendor, usb.product))?;
        }
        if let Some(family) = self.driver.and_then(flagfall_protocols::drivers::find) {
            line("may be", format!("{} ({})", family.devices.join(", "), family.name))?;
        }
        if self.transport == "hid" {
            line("link", "USB-HID: transport = \"hid\" in the board's configuration".to_owned())?;
        }
        if !self.may_open {
            line("rights", "you may not open it: see the group of `ls -l` on it, mostly `dialout`".to_owned())?;
        }
        for holder in &self.held_by {
            line("held by", format!("{} (process {})", holder.name, holder.pid))?;
        }
        match &self.answer {
            None => {}
            Some(AskResult::Not { error }) => line("answer", error.clone())?,
            Some(AskResult::Board { driver, serial, long_serial, firmware }) => {
                let part = |name: &str, text: &Option<String>| text.as_ref().map(|text| format!(", {name} {text}"));
                let parts = [part("serial number", serial), part("long", long_serial), part("firmware", firmware)];
                line("answer", format!("{driver}{}", parts.into_iter().flatten().collect::<String>()))?;
            }
        }
        Ok(())
    }
}
