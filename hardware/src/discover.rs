//! Which serial ports there are, under which names, and what is known of the USB devices behind them.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};

use nix::unistd::{AccessFlags, access};
use serialport::SerialPortType;

/// The most entries of one folder that are looked at.
const MAX_ENTRIES: usize = 1024;

/// What a USB device says of itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UsbId {
    /// Vendor id.
    pub vendor: u16,
    /// Product id.
    pub product: u16,
    /// Serial number of the device, or of the adapter inside it. Not the board's own.
    pub serial: Option<String>,
    /// Who made it.
    pub manufacturer: Option<String>,
    /// What it is called.
    pub name: Option<String>,
}

/// Tells one plugging-in of a device from the next under the same path: inode, and change time in nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Node(u64, i64);

/// A serial port.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// The device itself, such as `/dev/ttyUSB0`: another board's tomorrow.
    pub path: PathBuf,
    /// A name that stays: the first entry of the folders that leads here.
    pub stable: Option<PathBuf>,
    /// The USB device behind it, if it is one.
    pub usb: Option<UsbId>,
    /// Which plugging-in this is; none if the path went meanwhile.
    pub node: Option<Node>,
}

/// Every serial port that the system knows, and every terminal in `folders` (links to devices, or devices): pseudo-terminals
/// and bound Bluetooth ports are found in folders only. A folder that is missing or may not be read is empty. In order of
/// path.
pub fn ports(folders: &[PathBuf]) -> Vec<Found> {
    and_in(known(), folders)
}

/// These, and every terminal in `folders`, as [`ports`] has them.
pub(crate) fn and_in(known: Vec<Found>, folders: &[PathBuf]) -> Vec<Found> {
    let mut found: BTreeMap<PathBuf, Found> = known.into_iter().map(|port| (port.path.clone(), port)).collect();
    for entry in folders.iter().flat_map(|folder| entries(folder)) {
        let Some(port) = at(&entry) else { continue };
        found.entry(port.path.clone()).or_insert(port).stable.get_or_insert(entry);
    }
    found.into_values().collect()
}

/// The port that `path` names, links followed; none if there is no device. What USB knows is missing.
pub fn at(path: &Path) -> Option<Found> {
    let path = fs::canonicalize(path).ok()?;
    let data = fs::metadata(&path).ok().filter(|data| data.file_type().is_char_device())?;
    Some(Found { path, stable: None, usb: None, node: Some(node(&data)) })
}

/// Whether this user has the rights to open the port. Somebody may hold it all the same.
pub fn may_open(path: &Path) -> bool {
    access(path, AccessFlags::R_OK | AccessFlags::W_OK).is_ok()
}

fn node(data: &fs::Metadata) -> Node {
    Node(data.ino(), data.ctime().wrapping_mul(1_000_000_000).wrapping_add(data.ctime_nsec()))
}

/// Every serial port that the system knows: a walk through hundreds of its files.
pub(crate) fn known() -> Vec<Found> {
    // `available_ports` panics where this is missing, as in some containers.
    if !Path::new("/sys/class/tty").is_dir() {
        return Vec::new();
    }
    let listed = serialport::available_ports().unwrap_or_default();
    let ports = listed.into_iter().filter_map(|port| {
        let usb = match port.port_type {
            SerialPortType::UsbPort(usb) => Some(UsbId {
                vendor: usb.vid,
                product: usb.pid,
                serial: usb.serial_number,
                manufacturer: usb.manufacturer,
                name: usb.product,
            }),
            _ => None,
        };
        Some(Found { usb, ..at(Path::new(&port.port_name))? })
    });
    ports.collect()
}

/// What is in the folder, in order of name.
fn entries(folder: &Path) -> Vec<PathBuf> {
    let Ok(listing) = fs::read_dir(folder) else { return Vec::new() };
    let mut entries: Vec<PathBuf> = listing.take(MAX_ENTRIES).filter_map(|entry| Some(entry.ok()?.path())).collect();
    entries.sort();
    entries
}
