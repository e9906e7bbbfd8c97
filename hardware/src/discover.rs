//! Lists the serial ports of this computer with their names and with the data that the USB devices behind them report.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};

use nix::unistd::{AccessFlags, access};
use serialport::SerialPortType;

/// The largest number of entries that are read from one folder.
const MAX_ENTRIES: usize = 1024;

/// The data that a USB device reports about itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UsbId {
    /// Vendor id.
    pub vendor: u16,
    /// Product id.
    pub product: u16,
    /// Serial number of the device, or of the adapter inside it. It is not the board's own serial number.
    pub serial: Option<String>,
    /// The manufacturer.
    pub manufacturer: Option<String>,
    /// The product name.
    pub name: Option<String>,
}

/// Identifies one plugging-in of a device: the next device under the same path has another value. Inode, and change time in
/// nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Node(u64, i64);

/// A serial port.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// The device node, such as `/dev/ttyUSB0`. The same path may belong to another board tomorrow.
    pub path: PathBuf,
    /// A stable name: the first entry of the folders that links to this port.
    pub stable: Option<PathBuf>,
    /// The USB device behind it, if there is one.
    pub usb: Option<UsbId>,
    /// The plugging-in; `None` if the path has gone in the meantime.
    pub node: Option<Node>,
}

/// Returns every serial port that the system knows, and every terminal in `folders` (links to devices, or devices).
/// Pseudo-terminals and bound Bluetooth ports are found in folders only. A folder that is missing or may not be read counts as
/// empty. The list is sorted by path.
pub fn ports(folders: &[PathBuf]) -> Vec<Found> {
    and_in(known(), folders).0
}

/// Returns `known` and every terminal in `folders`, in the form of [`ports`], and whether every entry of the folders is a terminal.
pub(crate) fn and_in(known: Vec<Found>, folders: &[PathBuf]) -> (Vec<Found>, bool) {
    let mut found: BTreeMap<PathBuf, Found> = known.into_iter().map(|port| (port.path.clone(), port)).collect();
    let mut all_are = true;
    for entry in folders.iter().flat_map(|folder| entries(folder)) {
        match at(&entry) {
            Some(port) => drop(found.entry(port.path.clone()).or_insert(port).stable.get_or_insert(entry)),
            None => all_are = false,
        }
    }
    (found.into_values().collect(), all_are)
}

/// Returns the port at `path` with links resolved; `None` if there is no device. The USB data are missing.
pub fn at(path: &Path) -> Option<Found> {
    let path = fs::canonicalize(path).ok()?;
    let data = fs::metadata(&path).ok().filter(|data| data.file_type().is_char_device())?;
    Some(Found { path, stable: None, usb: None, node: Some(node(&data)) })
}

/// Whether this user has the rights to open the port. Another program may still have it open.
pub fn may_open(path: &Path) -> bool {
    access(path, AccessFlags::R_OK | AccessFlags::W_OK).is_ok()
}

fn node(data: &fs::Metadata) -> Node {
    Node(data.ino(), data.ctime().wrapping_mul(1_000_000_000).wrapping_add(data.ctime_nsec()))
}

/// Returns every serial port that the system knows. This reads hundreds of system files.
pub(crate) fn known() -> Vec<Found> {
    // `available_ports` panics where this folder is missing, as in some containers.
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

/// Returns the entries of the folder, sorted by name.
fn entries(folder: &Path) -> Vec<PathBuf> {
    let Ok(listing) = fs::read_dir(folder) else { return Vec::new() };
    let mut entries: Vec<PathBuf> = listing.take(MAX_ENTRIES).filter_map(|entry| Some(entry.ok()?.path())).collect();
    entries.sort();
    entries
}
