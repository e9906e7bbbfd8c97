//! Which HID devices there are, as the kernel lists them, and how one is opened.

use std::fs::{self, File};
use std::io::{self, Read};
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};

use flagfall_protocols::driver::Hid;
use nix::fcntl::{OFlag, open};
use nix::sys::stat::Mode;

use super::descriptor::{Descriptor, MAX_DESCRIPTOR};

/// The most devices that are looked at.
const MAX_DEVICES: usize = 256;
/// The most of a device's list of properties that is read.
const MAX_UEVENT: usize = 8192;
/// The bus of a device on USB, in `HID_ID`.
const USB: u32 = 3;

/// Where the kernel shows its HID devices. The same on every machine; another one in tests.
#[derive(Clone, Debug)]
pub struct System {
    /// The folder with a folder for each device.
    pub sys: PathBuf,
    /// The folder of device nodes.
    pub dev: PathBuf,
    /// Opens a node to read and write without waiting: each read gives one report, each write takes one.
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
    /// Its node, such as `/dev/hidraw0`: another device's tomorrow.
    pub path: PathBuf,
    /// USB vendor id.
    pub vendor: u16,
    /// USB product id.
    pub product: u16,
    /// Its USB serial number, if it has one.
    pub serial: Option<String>,
    /// What it is called.
    pub name: Option<String>,
    /// What it says of its reports.
    pub descriptor: Descriptor,
}

impl Found {
    /// Whether it may be one of the family.
    pub fn may_be(&self, hid: &Hid) -> bool {
        self.descriptor.usage_pages.iter().any(|page| hid.fits(self.vendor, self.product, *page))
    }
}

/// Every HID device on USB whose node is there, in order of path. What cannot be read is no device.
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
    let said = start_of(&folder.join("device/uevent"), MAX_UEVENT)?;
    let said = String::from_utf8_lossy(&said);
    let value = |key: &str| said.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix('='));
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

/// The first so many bytes of a file.
fn start_of(path: &Path, most: usize) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    File::open(path).ok()?.take(most as u64).read_to_end(&mut bytes).ok()?;
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_read() {
        assert_eq!(ids("0003:00002D80:00008001"), Some((3, 0x2d80, 0x8001)));
        for bad in ["", "0003:00002D80", "0003:00002D80:00008001:1", "3:x:y", "3:12345:1", "3::1", "+3:-1:1"] {
            assert_eq!(ids(bad), None, "{bad}");
        }
    }
}
