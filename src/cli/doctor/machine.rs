//! Checks the clock, the free disk space, the temperature, the supply voltage and the systemd service of this computer.

use std::path::Path;
use std::process::Command;

use nix::sys::statfs::{FsType, OVERLAYFS_SUPER_MAGIC, TMPFS_MAGIC, statfs};
use nix::unistd::{AccessFlags, access};

use super::Finding;
use crate::config::Config;
use crate::health::{self, ClockSync};
use crate::wire::time::TimeSource;

/// The free disk space below which an event may fill the disk, in bytes. It causes a warning.
const LITTLE: u64 = 256 << 20;
/// The free disk space below which no journal is reliable, in bytes. It is a problem.
const TOO_LITTLE: u64 = 16 << 20;
/// The temperature above which a Raspberry Pi slows down, in degrees Celsius.
const HOT: f32 = 80.0;

pub(super) fn check(config: &Config) -> Vec<Finding> {
    let health = health::read(&config.journal.dir);
    let service = service();
    let serves = service.as_ref().is_some_and(|service| service.loaded);
    let mut findings = vec![clock(health.clock), disk(&config.journal.dir, serves)];
    findings.extend(statfs(&config.journal.dir).ok().and_then(|found| storage(found.filesystem_type())));
    findings.extend(service.map(|service| service.finding()));
    if let Some(low) = health.under_voltage {
        let advice = "Use the official power supply and a short, thick cable: with too little voltage boards drop out.";
        findings.push(match low {
            true => Finding::problem("power", "the supply voltage is too low", advice),
            false => Finding::ok("power", "the supply voltage is right"),
        });
    }
    if let Some(celsius) = health.temperature_c {
        findings.push(match celsius > HOT {
            true => {
                Finding::warning("temperature", format!("{celsius:.0} °C"), "Give the machine air, or take it out of its case.")
            }
            false => Finding::ok("temperature", format!("{celsius:.0} °C")),
        });
    }
    findings
}

fn clock(clock: ClockSync) -> Finding {
    let advice = "Connect the machine to a network with a time server, and run: sudo timedatectl set-ntp true";
    match (clock.source, clock.err_ms) {
        (TimeSource::None, _) => Finding::warning("clock", "is not synchronised: times in messages may be wrong", advice),
        (TimeSource::Rtc, _) => Finding::warning("clock", "goes by its battery only and may be off by seconds", advice),
        (source, Some(err_ms)) => Finding::ok("clock", format!("is synchronised ({}), within {err_ms} ms", source.name())),
        (source, None) => Finding::ok("clock", format!("is synchronised ({})", source.name())),
    }
}

fn disk(folder: &Path, serves: bool) -> Finding {
    let about = format!("journals in {}", folder.display());
    // `ancestors` begins with the folder itself and ends with `/` or the empty path.
    let Some(there) = folder.ancestors().find(|folder| folder.exists()) else {
        return Finding::problem(about, "there is no such folder", "Make the folder, or set journal.dir to another one.");
    };
    let Some(space) = health::disk(folder) else {
        return Finding::warning(about, "its file system does not answer", "Look whether the disk is still connected.");
    };
    let free = format!("{} MiB free", space.free >> 20);
    if space.read_only {
        let advice = "Look at the card or disk: systems go to read-only when one begins to fail; else remount it for writing.";
        return Finding::problem(about, "the file system is read-only", advice);
    }
    if space.free < TOO_LITTLE {
        return Finding::problem(about, free, "Delete what is not needed from this disk, or set journal.dir to another one.");
    }
    if there.metadata().is_ok_and(|found| !found.is_dir()) {
        return Finding::problem(about, format!("{} is not a folder", there.display()), "Set journal.dir to a folder.");
    }
    if access(there, AccessFlags::W_OK | AccessFlags::X_OK).is_err() {
        return match serves {
            true => Finding::ok(about, format!("{free}; written by the service's own user")),
            false => {
                let advice = format!("Run: sudo install -d -o \"$USER\" '{}', or set journal.dir.", folder.display());
                Finding::problem(about, "this user may not write there", advice)
            }
        };
    }
    match space.free < LITTLE {
        true => Finding::warning(about, free, "Make room on this disk before the event."),
        false => Finding::ok(about, free),
    }
}

/// What is wrong with the kind of file system of the journals, if it may forget them.
fn storage(kind: FsType) -> Option<Finding> {
    let found = match kind {
        TMPFS_MAGIC => "the journal is in memory: a power cut loses it",
        // The changes to a root that is read-only are usually kept in memory.
        OVERLAYFS_SUPER_MAGIC => "the journal is in memory, or in a container: a power cut may lose it",
        _ => return None,
    };
    let advice = "Give /var/lib/flagfall a partition of its own, or set journal.dir to a folder on a disk.";
    Some(Finding::warning("storage", found, advice))
}

struct Service {
    loaded: bool,
    active: String,
    result: String,
}

/// Returns what systemd says about our unit, where systemd runs.
fn service() -> Option<Service> {
    if !Path::new("/run/systemd/system").exists() {
        return None;
    }
    let properties = "--property=LoadState,ActiveState,Result";
    let told = Command::new("systemctl").args(["show", "flagfall.service", properties]).output().ok()?;
    Some(parse_service(&String::from_utf8_lossy(&told.stdout)))
}

fn parse_service(text: &str) -> Service {
    let value =
        |key: &str| text.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix('=')).unwrap_or_default().to_owned();
    Service { loaded: value("LoadState") == "loaded", active: value("ActiveState"), result: value("Result") }
}

impl Service {
    fn finding(&self) -> Finding {
        let about = "service";
        match (self.loaded, self.active.as_str()) {
            (false, _) => Finding::ok(about, "flagfall.service is not installed"),
            (true, "active") => Finding::ok(about, "flagfall.service runs"),
            (true, "failed") => Finding::problem(
                about,
                format!("flagfall.service failed ({})", self.result),
                "Read why: journalctl -u flagfall -n 50; then: sudo systemctl restart flagfall",
            ),
            (true, state) => {
                Finding::warning(about, format!("flagfall.service is {state}"), "Start it: sudo systemctl enable --now flagfall")
            }
        }
    }
}

#[cfg(test)]
mod tests;
