//! Finds the USB-HID devices in the lists of the Linux kernel, and opens them.

use std::fs::{self, File};
use std::io::{self, Read};
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};

use flagfall_protocols::driver::Hid;
use nix::fcntl::{OFlag, open};
use nix::sys::stat::Mode;

use super::descriptor::{Descriptor, MAX_DESCRIPTOR};

/// The largest number of HID devices in the list.
const MAX_DEVICES: usize = 256;
/// The largest number of bytes that are read from a device's list of properties (`uevent`).
const MAX_UEVENT: usize = 8192;
/// The bus number of USB in the property `HID_ID`.
const USB: u32 = 3;

/// The places where the kernel lists its HID devices. They are the same on every machine; tests use others.
#[derive(Clone, Debug)]
pub struct System {
    /// The folder that contains a folder for each device.
    pub sys: PathBuf,
    /// The folder of device nodes.
    pub dev: PathBuf,
    /// Opens a node for non-blocking reads and writes. Each read returns one report, and each write takes one report.
    pub open: fn(&Path) -> io::Result<OwnedFd>,
}

impl Default for System {
    /// This machine.
    fn default() -> System {
        System { sys: PathBuf::from("/sys/class/hidraw"), dev: PathBuf::from("/dev"), open: open_node }
    }
}

fn open_node(path: &Path) -> io::Result<OwnedFd> {
    Ok(open(path, OFlag::O_RDWR | OFlag::O_NONBLOCK | OFlag::O_CLOEXEC, Mode::empty())?)
}

/// A HID device on USB.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// Its node, such as `/dev/hidraw0`. The same path may belong to another device tomorrow.
    pub path: PathBuf,
    /// USB vendor id.
    pub vendor: u16,
    /// USB product id.
    pub product: u16,
    /// Its USB serial number, if it has one.
    pub serial: Option<String>,
    /// Its name.
    pub name: Option<String>,
    /// Its report descriptor.
    pub descriptor: Descriptor,
}

impl Found {
    /// Returns whether the device may belong to the family.
    pub fn may_be(&self, hid: &Hid) -> bool {
        self.descriptor.usage_pages.iter().any(|page| hid.fits(self.vendor, self.product, *page))
    }
}

/// Returns every HID device on USB whose node exists, sorted by path. A device that cannot be read is left out.
pub fn devices(system: &System) -> Vec<Found> {
    let Ok(listing) = fs::read_dir(&system.sys) else { return Vec::new() };
    let entries = listing.take(MAX_DEVICES).filter_map(Result::ok);
    let mut found: Vec<Found> = entries.filter_map(|entry| device(&entry.path(), &system.dev)).collect();
    found.sort_by(|one, other| one.path.cmp(&other.path));
    found
}

fn device(folder: &Path, dev: &Path) -> Option<Found> {
    let path = dev.join(folder.file_name()?);
    fs::metadata(&path).ok()?;
    let properties = start_of(&folder.join("device/uevent"), MAX_UEVENT)?;
    let properties = String::from_utf8_lossy(&properties);
    let value = |key: &str| properties.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix('='));
    let (bus, vendor, product) = ids(value("HID_ID")?)?;
    let descriptor = Descriptor::parse(&start_of(&folder.join("device/report_descriptor"), MAX_DESCRIPTOR)?);
    let text = |key| {
        let text: String = value(key)?.trim().chars().filter(|c| !c.is_control()).collect();
        (!text.is_empty()).then_some(text)
    };
    (bus == USB).then(|| Found { path, vendor, product, serial: text("HID_UNIQ"), name: text("HID_NAME"), descriptor })
}

/// Bus, vendor and product of "0003:00002D80:00008001".
fn ids(text: &str) -> Option<(u32, u16, u16)> {
    let mut parts = text.split(':').map(|part| u32::from_str_radix(part, 16).ok());
    let ids = (parts.next()??, parts.next()??.try_into().ok()?, parts.next()??.try_into().ok()?);
    parts.next().is_none().then_some(ids)
}

/// Returns at most `most` bytes from the start of a file.
fn start_of(path: &Path, most: usize) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    File::open(path).ok()?.take(most as u64).read_to_end(&mut bytes).ok()?;
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn usb_ids_are_read() {
        assert_eq!(ids("0003:00002D80:00008001"), Some((3, 0x2d80, 0x8001)));
        for bad in ["", "0003:00002D80", "0003:00002D80:00008001:1", "3:x:y", "3:12345:1", "3::1", "+3:-1:1"] {
            assert_eq!(ids(bad), None, "{bad}");
        }
    }
}
