//! Finds the boards that are connected over USB-HID, for `flagfall devices`.

use flagfall_hardware::hid::{Found, System, devices};
use flagfall_hardware::{discover, holder};
use flagfall_protocols::drivers::DRIVERS;

use super::{Port, Process, Usb};

/// Lists the HID devices that may be a board; other devices are ignored.
pub(super) fn list(system: &System) -> Vec<Port> {
    devices(system).into_iter().filter_map(row).collect()
}

fn row(found: Found) -> Option<Port> {
    let family = DRIVERS.iter().find(|info| info.hid.is_some_and(|hid| found.may_be(&hid)))?;
    let holders = holder::holders(&found.path);
    Some(Port {
        may_open: discover::may_open(&found.path),
        port: found.path,
        transport: "hid",
        stable: None,
        usb: Some(Usb {
            vendor: format!("{:04x}", found.vendor),
            product: format!("{:04x}", found.product),
            serial: found.serial,
            manufacturer: None,
            name: found.name,
        }),
        driver: Some(family.name),
        held_by: holders.into_iter().map(|holder| Process { pid: holder.pid, name: holder.name }).collect(),
        answer: None,
    })
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    /// The ports of a machine with only this device, whose node is a file.
    fn listed(ids: &str, descriptor: &[u8]) -> Vec<Port> {
        let folder = tempfile::tempdir().expect("a folder");
        let at = |path: &str| folder.path().join(path);
        std::fs::create_dir_all(at("sys/hidraw4/device")).expect("a folder");
        std::fs::create_dir(at("dev")).expect("a folder");
        std::fs::write(at("dev/hidraw4"), "").expect("a file");
        let lines = format!("HID_ID={ids}\nHID_NAME=Board\nHID_UNIQ=0042\n");
        std::fs::write(at("sys/hidraw4/device/uevent"), lines).expect("a file");
        std::fs::write(at("sys/hidraw4/device/report_descriptor"), descriptor).expect("a file");
        list(&System { sys: at("sys"), dev: at("dev"), ..System::default() })
    }

    #[test]
    fn only_boards_are_listed() {
        let vendors_page = [0x06, 0x00, 0xff, 0x09, 0x01, 0xa1, 0x01, 0xc0];
        for info in DRIVERS {
            let Some(hid) = info.hid else { continue };
            let ids = format!("0003:{:08X}:{:08X}", hid.vendor, hid.products.0);
            let [port] = &listed(&ids, &vendors_page)[..] else { panic!("{}: {ids}", info.name) };
            let usb = port.usb.as_ref().expect("it is on USB");
            assert_eq!((usb.vendor.as_str(), usb.serial.as_deref()), (&*format!("{:04x}", hid.vendor), Some("0042")));
            assert_eq!((port.transport, port.port.file_name()), ("hid", Path::new("hidraw4").file_name()));
            let family = port.driver.and_then(flagfall_protocols::drivers::find).and_then(|family| family.hid);
            assert!(family.is_some_and(|family| family.vendor == hid.vendor), "{}", info.name);
            let mut said = Vec::new();
            port.print(&mut said).expect("written");
            let said = String::from_utf8(said).expect("text");
            assert!(said.contains("transport = \"hid\"") && said.contains("serial number 0042"), "{said}");
            // A keyboard of the same maker.
            assert!(listed(&ids, &[0x05, 0x01, 0x09, 0x06, 0xa1, 0x01, 0xc0]).is_empty());
        }
        assert!(listed("0003:0000046D:0000C31C", &vendors_page).is_empty());
        assert!(list(&System { sys: "/nowhere".into(), ..System::default() }).is_empty());
    }
}
