//! Runs `flagfall devices --supported`: lists the device families that this program has drivers for.

use std::io::Write;
use std::process::ExitCode;

use anyhow::Result;
use flagfall_protocols::driver::DriverInfo;
use flagfall_protocols::drivers::DRIVERS;
use serde::Serialize;

/// One family.
#[derive(Serialize)]
struct Family {
    driver: &'static str,
    devices: &'static [&'static str],
    links: Vec<&'static str>,
    senses: &'static str,
    clock: bool,
    log: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    casual_only: Option<&'static str>,
}

impl Family {
    fn from_driver(info: &'static DriverInfo) -> Family {
        // A family with none of these is found by its configured port only.
        let serial = !info.usb.is_empty() || (info.ble.is_none() && info.hid.is_none());
        let links = [(serial, "serial"), (info.hid.is_some(), "USB-HID"), (info.ble.is_some(), "Bluetooth LE")];
        Family {
            driver: info.name,
            devices: info.devices,
            links: links.into_iter().filter(|(has, _)| *has).map(|(_, name)| name).collect(),
            senses: match info.capabilities {
                can if !can.board => "nothing: a clock by itself",
                can if can.identifies_pieces => "which piece stands where",
                _ => "where something stands",
            },
            clock: info.capabilities.clock,
            log: info.capabilities.log,
            casual_only: info.casual_only,
        }
    }

    fn print(&self, out: &mut dyn Write) -> Result<()> {
        writeln!(out, "{}", self.driver)?;
        let mut line = |name: &str, text: &str| writeln!(out, "    {name:<9} {text}");
        line("devices", &self.devices.join(", "))?;
        line("links", &self.links.join(", "))?;
        line("senses", self.senses)?;
        line("clock", if self.clock { "its times and lever" } else { "none: flags and presses are not known" })?;
        if self.log {
            line("log", "the board remembers what was moved while no program read it")?;
        }
        if let Some(why) = self.casual_only {
            line("only", &format!("with event.casual = true: {why}"))?;
        }
        Ok(())
    }
}

/// Prints all families.
///
/// # Errors
/// The output is closed.
pub(super) fn print(json: bool) -> Result<ExitCode> {
    let families: Vec<Family> = DRIVERS.iter().map(Family::from_driver).collect();
    let mut out = std::io::stdout().lock();
    match json {
        true => writeln!(out, "{}", serde_json::to_string_pretty(&families)?)?,
        false => families.iter().try_for_each(|family| family.print(&mut out))?,
    }
    Ok(ExitCode::SUCCESS)
}
