//! Chooses the device of a USB-HID link from the list of connected devices. The choice depends only on its arguments.

use std::path::Path;

use super::Wanted;
use super::find::Found;

/// A USB-HID device, and whether another link of this process has claimed it.
#[derive(Clone, Debug)]
pub(super) struct Candidate {
    pub(super) found: Found,
    pub(super) taken: bool,
}

/// The next action. Numbers are indices of the candidates.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Choice {
    /// Open this device.
    Open(usize),
    /// Several devices are possible, and nothing distinguishes them.
    Several(Vec<usize>),
    /// It is this device, but another link of this process has claimed it.
    Taken(usize),
    /// The configured path leads to a device of another family, which is not opened.
    Stranger,
    /// No device fits.
    Nothing,
}

/// Returns the choice for `wanted`. `configured` is its path with links resolved, if it exists.
pub(super) fn choose(wanted: &Wanted, configured: Option<&Path>, seen: &[Candidate]) -> Choice {
    let may_be = |index: &usize| seen[*index].found.may_be(&wanted.hid);
    let either = |index: usize| if seen[index].taken { Choice::Taken(index) } else { Choice::Open(index) };
    if let Some(path) = configured {
        return (0..seen.len()).find(|index| seen[*index].found.path == path && may_be(index)).map_or(Choice::Stranger, either);
    }
    let has = |index: &usize, serial: &str| {
        seen[*index].found.serial.as_deref().is_some_and(|own| own.eq_ignore_ascii_case(serial.trim()))
    };
    let fits = |index: &usize| may_be(index) && wanted.usb_serial.as_deref().is_none_or(|serial| has(index, serial));
    let fitting: Vec<usize> = (0..seen.len()).filter(fits).collect();
    let free: Vec<usize> = fitting.iter().copied().filter(|index| !seen[*index].taken).collect();
    match (free.as_slice(), fitting.as_slice()) {
        // Only a path is configured, and it does not exist.
        _ if wanted.port.is_some() && wanted.usb_serial.is_none() => Choice::Nothing,
        ([only], _) => Choice::Open(*only),
        // A device may have two interfaces of the same kind. The first one is used.
        ([first, ..], _) if wanted.usb_serial.is_some() => Choice::Open(*first),
        ([_, ..], _) => Choice::Several(free),
        ([], [taken, ..]) => Choice::Taken(*taken),
        ([], []) => Choice::Nothing,
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use flagfall_protocols::driver::Hid;

    use super::*;
    use crate::hid::descriptor::Descriptor;

    const HID: Hid = Hid { vendor: 1, products: (0x10, 0x1f), usage_page: 0xff00, message: |report| (0, report) };

    fn candidate(number: u16, product: u16, page: u16, serial: &str, taken: bool) -> Candidate {
        let mut descriptor = Descriptor::default();
        descriptor.usage_pages = vec![0x0c, page];
        let serial = (!serial.is_empty()).then(|| serial.to_owned());
        let path = PathBuf::from(format!("/dev/hidraw{number}"));
        Candidate { found: Found { path, vendor: 1, product, serial, name: None, descriptor }, taken }
    }

    #[test]
    fn a_device_is_chosen_by_path_then_serial_number_then_as_the_only_one() {
        let wanted = |port: Option<&str>, serial: Option<&str>| Wanted {
            hid: HID,
            harmless: |_, _| true,
            port: port.map(PathBuf::from),
            usb_serial: serial.map(str::to_owned),
            system: Default::default(),
        };
        let all = [
            candidate(0, 0x10, 0xff00, "A1", false),
            candidate(1, 0x1f, 0xff00, "", false),
            candidate(2, 0x20, 0xff00, "B2", false),
            candidate(3, 0x11, 0x0001, "C3", false),
            candidate(4, 0x12, 0xff00, "D4", true),
            candidate(5, 0x12, 0xff00, "D4", false),
        ];
        let (one, link) = (wanted(None, None), wanted(Some("/dev/my-board"), None));
        let table: [(Wanted, Option<&str>, &[Candidate], Choice); 13] = [
            (one.clone(), None, &all, Choice::Several(vec![0, 1, 5])),
            (one.clone(), None, &all[1..5], Choice::Open(0)),
            (one.clone(), None, &all[2..5], Choice::Taken(2)),
            (one.clone(), None, &all[2..4], Choice::Nothing),
            (wanted(None, Some(" a1")), None, &all, Choice::Open(0)),
            (wanted(None, Some("B2")), None, &all, Choice::Nothing),
            (wanted(None, Some("D4")), None, &all, Choice::Open(5)),
            (wanted(None, Some("D4")), None, &all[..5], Choice::Taken(4)),
            (link.clone(), Some("/dev/hidraw1"), &all, Choice::Open(1)),
            (link.clone(), Some("/dev/hidraw4"), &all, Choice::Taken(4)),
            (link.clone(), Some("/dev/hidraw2"), &all, Choice::Stranger),
            (link, None, &all[..1], Choice::Nothing),
            (wanted(Some("/dev/my-board"), Some("A1")), None, &all, Choice::Open(0)),
        ];
        for (number, (wanted, configured, seen, choice)) in table.into_iter().enumerate() {
            assert_eq!(choose(&wanted, configured.map(Path::new), seen), choice, "{number}");
        }
    }
}
