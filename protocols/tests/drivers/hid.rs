//! Families with USB-HID devices: which devices may belong to them, and which part of a report their drivers get.

use flagfall_protocols::driver::{DriverInfo, Hid};
use flagfall_protocols::drivers::{self, DRIVERS};

fn of(name: &str) -> (&'static DriverInfo, Hid) {
    let info = drivers::find(name).expect("registered");
    (info, info.hid.expect("met over USB-HID"))
}

#[test]
fn ids_and_usage_page_identify_a_family() {
    for (name, vendor, product, page, fits) in [
        ("chessnut", 0x2d80, 0x8000, 0xff00, true),
        // This device is an Evo.
        ("chessnut", 0x2d80, 0x8300, 0xff00, true),
        ("chessnut", 0x2d80, 0x86ff, 0xff00, true),
        ("chessnut", 0x2d80, 0x7fff, 0xff00, false),
        ("chessnut", 0x2d80, 0x8700, 0xff00, false),
        ("chessnut", 0x2d80, 0x8001, 0x0001, false),
        ("chessnut", 0x2d81, 0x8001, 0xff00, false),
        ("chessnut_move", 0x2d80, 0x8502, 0xff00, true),
        ("hos_usb", 0x0925, 0x0000, 0xff00, true),
        ("hos_usb", 0x0925, 0xffff, 0xff00, true),
        ("hos_usb", 0x0925, 0x1234, 0x000c, false),
    ] {
        assert_eq!(of(name).1.fits(vendor, product, page), fits, "{name} {vendor:04x}:{product:04x} {page:04x}");
    }
}

/// The padding after a message in its report has no effect.
#[test]
fn every_example_comes_out_of_a_padded_report() {
    for (name, numbered) in [("chessnut", false), ("chessnut", true), ("chessnut_move", false), ("hos_usb", true)] {
        let (info, hid) = of(name);
        // The messages of a HoS board already begin with the number 00.
        let mut count = 0;
        for example in info.examples {
            for padding in [0x00, 0x01, 0xff] {
                let mut report = if numbered { Vec::new() } else { vec![0] };
                report.extend_from_slice(example.bytes);
                assert_eq!((hid.message)(&report), (example.channel, example.bytes), "{name}: without padding");
                report.resize(65, padding);
                assert_eq!((hid.message)(&report), (example.channel, example.bytes), "{name}: {padding:02x}");
            }
            count += 1;
        }
        assert!(count >= 3, "{name}");
    }
}

/// Short, empty and strange reports: only bytes after a message are left out.
#[test]
fn unusual_reports_are_passed_on_whole() {
    let (_, chessnut) = of("chessnut");
    for (report, channel, reported) in [
        (&[][..], 1, &[][..]),
        (&[0x00], 1, &[]),
        (&[0x00, 0x01], 0, &[0x01]),
        (&[0x00, 0x01, 0x3d, 0x58], 0, &[0x01, 0x3d, 0x58]),
        (&[0x00, 0x2a, 0x02, 0x58], 1, &[0x2a, 0x02, 0x58]),
        (&[0x00, 0x00, 0x00, 0x00], 1, &[0x00, 0x00]),
        (&[0x41, 0xff, 0x01], 1, &[0x41, 0xff, 0x01]),
    ] {
        assert_eq!((chessnut.message)(report), (channel, reported), "{report:x?}");
    }
    let (_, hos) = of("hos_usb");
    let empty = [0; 65];
    assert_eq!((hos.message)(&empty), (0, &empty[..33]), "an empty board");
    for report in
        [&[][..], &[0x00], &empty[..32], &[0x00, 0xff, 0xca, 1, 2], &[0x00, 0xff, 0xcb, 0, 0, 0, 0, 0, 0, 0], &[0x01; 65]]
    {
        assert_eq!((hos.message)(report), (1, report), "{report:x?}");
    }
}

#[test]
fn a_message_is_always_a_part_of_its_report() {
    for hid in DRIVERS.iter().filter_map(|info| info.hid) {
        for seed in 0..=255u8 {
            for length in 0..80usize {
                let report: Vec<u8> = (0..length).map(|place| seed.wrapping_mul(place as u8 | 1) ^ place as u8).collect();
                let (channel, message) = (hid.message)(&report);
                let part = message.is_empty() || report.windows(message.len()).any(|part| part == message);
                assert!(channel <= 1 && part, "{report:x?}");
            }
        }
    }
}
