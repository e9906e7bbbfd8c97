//! Reads the state of this computer, for `node/<node>/health` and `flagfall doctor`: temperature, supply voltage, disk, load and
//! time source; and what this program uses.
//!
//! Everything is read from files and system calls that a sandbox may deny. A value that cannot be read is none.

mod kernel_clock;
mod usage;

use std::fs;
use std::path::Path;

use crate::wire::time::TimeSource;

pub use usage::{Usage, folder_bytes, usage};

/// The state of this computer.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Health {
    /// Temperature of the processor, degrees Celsius.
    pub temperature_c: Option<f32>,
    /// A Raspberry Pi's supply voltage is too low.
    pub under_voltage: Option<bool>,
    /// Free space for journals.
    pub disk_free_bytes: Option<u64>,
    /// The time source of the clock.
    pub clock: ClockSync,
}

/// The time source of this machine's clock.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ClockSync {
    /// The source. The kernel knows that a program keeps the clock, but not from which source: `Ntp` then.
    pub source: TimeSource,
    /// The largest error in milliseconds; none if it is not known.
    pub err_ms: Option<u32>,
}

/// Reads the state of this machine. `journal` is the folder of the journals.
pub fn read(journal: &Path) -> Health {
    read_in(Path::new("/"), journal)
}

/// Reads the state with `/sys` and `/run` below `root`.
fn read_in(root: &Path, journal: &Path) -> Health {
    Health {
        temperature_c: temperature(&root.join("sys/class/thermal")),
        under_voltage: under_voltage(&root.join("sys/class/hwmon")),
        disk_free_bytes: disk(journal).map(|disk| disk.free),
        clock: clock(kernel_clock::state(), root),
    }
}

/// The temperature of the hottest zone.
fn temperature(zones: &Path) -> Option<f32> {
    let milli = entries(zones).filter_map(|zone| text(&zone.join("temp"))?.parse::<i32>().ok());
    // Some sensors give nonsense while they are off.
    milli.filter(|milli| (-50_000..=150_000).contains(milli)).max().map(|milli| milli as f32 / 1000.0)
}

/// Reads the alarm of the Raspberry Pi's firmware (`raspberrypi-hwmon`).
fn under_voltage(sensors: &Path) -> Option<bool> {
    let firmware = entries(sensors).find(|sensor| text(&sensor.join("name")).as_deref() == Some("rpi_volt"))?;
    Some(text(&firmware.join("in0_lcrit_alarm"))? == "1")
}

/// A file system.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DiskSpace {
    /// Bytes that are free for this user.
    pub free: u64,
    /// The file system is mounted read-only.
    pub read_only: bool,
}

/// The file system that `folder` is on, or would be on when it is made.
#[allow(clippy::useless_conversion, reason = "32 bits on some machines")]
pub fn disk(folder: &Path) -> Option<DiskSpace> {
    let there = folder.ancestors().find(|folder| folder.exists())?;
    let found = nix::sys::statvfs::statvfs(there).ok()?;
    let read_only = found.flags().contains(nix::sys::statvfs::FsFlags::ST_RDONLY);
    Some(DiskSpace { free: u64::from(found.blocks_available()).saturating_mul(u64::from(found.fragment_size())), read_only })
}

/// The time source of this machine's clock now.
pub fn clock_now() -> ClockSync {
    clock(kernel_clock::state(), Path::new("/"))
}

/// Reads the time source from the kernel if the sandbox allows it, else from the note of systemd-timesyncd, else from the battery
/// clock.
fn clock(kernel: Option<kernel_clock::State>, root: &Path) -> ClockSync {
    let noted = || root.join("run/systemd/timesync/synchronized").exists();
    match kernel {
        Some(state) if state.synchronised => ClockSync { source: TimeSource::Ntp, err_ms: Some(state.max_error_ms) },
        None if noted() => ClockSync { source: TimeSource::Ntp, err_ms: None },
        _ => {
            let set = |rtc: &Path| text(&rtc.join("hctosys")).as_deref() == Some("1");
            let battery = entries(&root.join("sys/class/rtc")).any(|rtc| set(&rtc));
            ClockSync { source: if battery { TimeSource::Rtc } else { TimeSource::None }, err_ms: None }
        }
    }
}

fn entries(folder: &Path) -> impl Iterator<Item = std::path::PathBuf> {
    fs::read_dir(folder).into_iter().flatten().filter_map(|entry| Some(entry.ok()?.path()))
}

/// Reads a small file without the white space around its text.
fn text(file: &Path) -> Option<String> {
    Some(fs::read_to_string(file).ok()?.trim().to_owned())
}

#[cfg(test)]
mod tests;
