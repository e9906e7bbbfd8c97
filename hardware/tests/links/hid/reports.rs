//! The conversion of reports to bytes and of bytes to reports.

use std::io::Read;

use flagfall_hardware::hid::devices;
use flagfall_hardware::port::SendError;
use socket2::Socket;

use super::support::{CHESSNUT, LONG, LinkReport, TestLink, any, family, reactor};
use crate::usb::{Identity, Node, PLAIN, Usb};

/// A descriptor with the input reports 01 and 2a and the output report 21 of two bytes.
const NUMBERED: &[u8] = &[
    0x06, 0x00, 0xff, 0x09, 0x01, 0xa1, 0x01, 0x75, 0x08, 0x85, 0x01, 0x95, 0x3f, 0x09, 0x01, 0x81, 0x02, 0x85, 0x2a, 0x81, 0x02,
    0x85, 0x21, 0x95, 0x02, 0x09, 0x02, 0x91, 0x02, 0xc0,
];

/// Opens a link and returns it with its device.
pub(crate) fn open(usb: &Usb, name: &str, identity: Identity) -> (Node, Socket, TestLink) {
    let node = usb.plug(0, identity);
    let test_link = TestLink::start(any(usb, name), &reactor());
    assert_eq!(test_link.up(), node.path);
    let device = node.opened(LONG).expect("it was opened");
    (node, device, test_link)
}

pub(crate) fn received(device: &mut Socket) -> Vec<u8> {
    let mut buffer = [0; 4096];
    let count = device.read(&mut buffer).expect("a report");
    buffer[..count].to_vec()
}

#[test]
fn padding_is_cut_off_and_channels_are_reported() {
    let usb = Usb::new();
    let (_node, device, test_link) = open(&usb, "chessnut", CHESSNUT);
    let position = [&[0x01, 0x3d][..], &[0x00; 61]].concat();
    let radio = [&[0x01, 0x24][..], &[0x44; 36]].concat();
    let table: [(&[u8], u8, &[u8]); 7] = [
        (&position, 0, &position),
        (&radio, 0, &radio),
        (&[0x2a, 0x02, 0x58, 0x00], 1, &[0x2a, 0x02, 0x58, 0x00]),
        (&[0x23, 0x01, 0x00], 1, &[0x23, 0x01, 0x00]),
        // The driver counts every other report.
        (&[0x77], 1, &[0x77, 0x01, 0x01]),
        (&[0x00], 1, &[0x00, 0x01, 0x01]),
        (&[0xff, 0xff], 1, &[&[0xff, 0xff][..], &[0x01; 62]].concat()),
    ];
    for (message, channel, reported) in table {
        let mut report = message.to_vec();
        report.resize(64, 0x01);
        device.send(&report).expect("sent");
        assert_eq!(test_link.next(), LinkReport::Bytes(channel, reported.to_vec()), "{message:x?}");
    }
    // A report that is shorter than its length byte is passed on as far as it goes.
    device.send(&[0x01, 0x3d, 0x58]).expect("sent");
    assert_eq!(test_link.next(), LinkReport::Bytes(0, vec![0x01, 0x3d, 0x58]));
}

#[test]
fn questions_are_sent_as_whole_reports_and_nothing_else_is_sent() {
    let usb = Usb::new();
    let (_node, mut device, test_link) = open(&usb, "chessnut", CHESSNUT);
    // These are lights, a beep, upload mode, deletion, the right bytes for another channel, and an empty command.
    let forbidden: [(u8, &[u8]); 6] = [
        (0, &[0x0a, 0x08, 1, 0, 0, 0, 0, 0, 0, 0]),
        (0, &[0x0b, 0x04, 3, 0xe8, 0, 0xc8]),
        (0, &[0x21, 0x01, 0x01]),
        (0, &[0x39, 0x01, 0x00]),
        (1, &[0x21, 0x01, 0x00]),
        (0, &[]),
    ];
    for (channel, bytes) in forbidden {
        assert_eq!(test_link.link.send(channel, bytes.to_vec()), Err(SendError::Forbidden), "{bytes:x?}");
    }
    for question in [&[0x21, 0x01, 0x00], &[0x29, 0x01, 0x00]] {
        test_link.link.send(0, question.to_vec()).expect("harmless");
        let mut report = [&[0x00][..], question].concat();
        report.resize(65, 0);
        assert_eq!(received(&mut device), report);
    }
}

#[test]
fn reports_with_numbers_are_passed_as_they_are() {
    let usb = Usb::new();
    let (_node, mut device, test_link) = open(&usb, "chessnut", Identity { descriptor: NUMBERED, ..CHESSNUT });
    let position = [&[0x01, 0x3d][..], &[0x44; 62]].concat();
    device.send(&position).expect("sent");
    assert_eq!(test_link.next(), LinkReport::Bytes(0, position[..63].to_vec()));
    device.send(&[0x2a, 0x02, 0x58, 0x00, 0x01, 0x01]).expect("sent");
    assert_eq!(test_link.next(), LinkReport::Bytes(1, vec![0x2a, 0x02, 0x58, 0x00]));
    test_link.link.send(0, vec![0x21, 0x01, 0x00]).expect("harmless");
    assert_eq!(received(&mut device), [0x21, 0x01, 0x00]);
    // The descriptor does not have this report.
    test_link.link.send(0, vec![0x29, 0x01, 0x00]).expect("harmless");
    assert_eq!(received(&mut device), [0x29, 0x01, 0x00]);
}

#[test]
fn devices_are_listed_with_their_properties() {
    let usb = Usb::new();
    let _one = usb.plug(3, Identity { serial: "A1", ..CHESSNUT });
    let _two = usb.plug(10, Identity { vendor: 0x0925, product: 0x1234, serial: "", descriptor: PLAIN });
    // Entries without a node, without a descriptor, or with a damaged list give no devices.
    usb.list(4, CHESSNUT);
    for (number, file) in [(5, "report_descriptor"), (6, "uevent")] {
        let folder = usb.list(number, CHESSNUT);
        std::fs::write(usb.node(number), "").expect("written");
        std::fs::remove_file(folder.join("device").join(file)).expect("removed");
    }
    let folder = usb.list(7, CHESSNUT);
    std::fs::write(usb.node(7), "").expect("written");
    std::fs::write(
        folder.join("device/uevent"),
        [b"HID_ID=0005:00002D80:00008001\nHID_UNIQ=\xff\xfe\n", &[0xff; 9000][..]].concat(),
    )
    .expect("written");
    let found = devices(&usb.system());
    let list: Vec<_> = found.iter().map(|found| (found.path.clone(), found.serial.as_deref(), found.name.as_deref())).collect();
    assert_eq!(list, [(usb.node(10), None, Some("A maker  Board")), (usb.node(3), Some("A1"), Some("A maker  Board"))]);
    let fits = |name: &str| family(name).hid.is_some_and(|hid| found[0].may_be(&hid));
    assert_eq!([fits("hos_usb"), fits("chessnut"), fits("dgt")], [true, false, false]);
}
