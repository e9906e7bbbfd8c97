//! One link: it finds its device, loses it, shares it with no other link, and ends.

use std::io::Read;
use std::os::unix::fs::symlink;
use std::time::Duration;

use flagfall_hardware::hid::{System, Wanted};
use flagfall_hardware::link::LinkError;
use flagfall_hardware::port::{LinkProblem, SendError};
use nix::sys::stat::Mode;
use nix::unistd::mkfifo;

use super::reports::open;
use super::support::{CHESSNUT, LONG, LinkReport, TestLink, any, reactor};
use crate::seconds::within;
use crate::usb::{Identity, PLAIN, Usb, now};

const REPORT: [u8; 64] = [0x23; 64];

#[test]
fn a_pulled_cable_is_reported_at_once_and_the_device_is_found_under_another_number() {
    let usb = Usb::new();
    let (node, device, test_link) = open(&usb, "chessnut", CHESSNUT);
    device.send(&REPORT).expect("sent");
    let pulled = now();
    drop((node, device));
    assert!(matches!(test_link.next(), LinkReport::Bytes(1, _)), "bytes that came before the end are reported before it");
    let (at, cause) = test_link.down();
    assert_eq!(cause, LinkError::Unplugged.to_string());
    within(at - pulled, 200_000);
    assert_eq!(test_link.link.send(0, vec![0x29, 0x01, 0x00]), Err(SendError::Down));
    assert_eq!(test_link.missing(), LinkProblem::NotFound);
    // The wait is long enough for the pauses to have grown.
    test_link.quiet(Duration::from_millis(1500));
    let plugged = now();
    let node = usb.plug(7, CHESSNUT);
    let (at, reported) = test_link.within(LONG).expect("it is found");
    assert_eq!(reported, LinkReport::Up(node.path.clone()));
    within(at - plugged, 500_000);
}

#[test]
fn a_quiet_device_causes_no_wakes_and_a_missing_one_few() {
    let usb = Usb::new();
    let (_node, device, test_link) = open(&usb, "chessnut", CHESSNUT);
    device.send(&REPORT).expect("sent");
    test_link.next();
    let before = test_link.wakes();
    test_link.quiet(Duration::from_secs(1));
    assert_eq!(test_link.wakes(), before);
    let lost = TestLink::start(any(&usb, "hos_usb"), &reactor());
    assert_eq!(lost.missing(), LinkProblem::NotFound);
    lost.quiet(Duration::from_secs(3));
    // The reactor wakes at 0.1, 0.3, 0.7, 1.5, 2.5 s, and when other tests change /dev.
    let wakes = lost.wakes();
    assert!((3..=60).contains(&wakes), "{wakes} times");
    let before = now();
    drop((test_link, lost));
    within(now() - before, 1_000_000);
}

#[test]
fn no_two_links_have_one_device() {
    let usb = Usb::new();
    let shared = reactor();
    let node = usb.plug(0, CHESSNUT);
    let first = TestLink::start(any(&usb, "chessnut"), &shared);
    assert_eq!(first.up(), node.path);
    let second = TestLink::start(any(&usb, "chessnut"), &shared);
    assert!(matches!(second.missing(), LinkProblem::Busy { path, .. } if path == node.path));
    let _device = node.opened(LONG).expect("by the first");
    assert!(node.opened(Duration::from_millis(500)).is_none(), "and by no other link");
    drop(first);
    assert_eq!(second.up(), node.path);
}

#[test]
fn equal_boards_are_distinguished_by_serial_number_or_path() {
    let usb = Usb::new();
    let shared = reactor();
    let [one, two] = [(0, "A1"), (1, "B2")].map(|(number, serial)| usb.plug(number, Identity { serial, ..CHESSNUT }));
    let test_link = TestLink::start(any(&usb, "chessnut"), &shared);
    assert_eq!(test_link.missing(), LinkProblem::Several(vec![one.path.clone(), two.path.clone()]));
    let by_serial = |serial: &str| Wanted { usb_serial: Some(serial.to_owned()), ..any(&usb, "chessnut") };
    test_link.link.want(by_serial("b2"));
    assert_eq!(test_link.up(), two.path);
    test_link.link.want(by_serial("A1"));
    assert_eq!(test_link.down().1, LinkError::Unplugged.to_string());
    assert_eq!(test_link.up(), one.path);
    // The configuration gives a permanent name.
    let names = tempfile::tempdir().expect("a folder");
    let name = names.path().join("my-board");
    test_link.link.want(Wanted { port: Some(name.clone()), ..any(&usb, "chessnut") });
    test_link.down();
    assert_eq!(test_link.missing(), LinkProblem::NotFound);
    symlink(&two.path, &name).expect("a link");
    assert_eq!(test_link.up(), two.path);
}

#[test]
fn other_devices_are_left_alone() {
    let usb = Usb::new();
    // One device is a keyboard with the maker's id, the other has the usage page but another maker's id.
    let keyboard = [&[0x05, 0x01][..], &PLAIN[3..]].concat().leak();
    let others = [
        usb.plug(0, Identity { descriptor: keyboard, ..CHESSNUT }),
        usb.plug(1, Identity { vendor: 0x2d81, ..CHESSNUT }),
        usb.plug(2, Identity { product: 0x8700, ..CHESSNUT }),
    ];
    let test_link = TestLink::start(any(&usb, "chessnut"), &reactor());
    assert_eq!(test_link.missing(), LinkProblem::NotFound);
    // The device is refused even if the configuration names it.
    test_link.link.want(Wanted { port: Some(usb.node(1)), ..any(&usb, "chessnut") });
    assert!(
        matches!(test_link.missing(), LinkProblem::Failed { path, .. } if path == std::fs::canonicalize(usb.node(1)).unwrap())
    );
    test_link.quiet(Duration::from_millis(500));
    for other in others {
        assert!(other.opened(Duration::from_millis(10)).is_none(), "{}: was opened", other.path.display());
    }
}

#[test]
fn a_device_that_accepts_no_bytes_ends_the_link() {
    let usb = Usb::new();
    let (node, device, test_link) = open(&usb, "chessnut", CHESSNUT);
    let (mut taken, mut full) = (0, 0);
    let began = now();
    let end = loop {
        match test_link.link.send(0, vec![0x29, 0x01, 0x00]) {
            Ok(()) => taken += 1,
            // The socket still had room, or the link waits.
            Err(SendError::Full) => {
                full += 1;
                if let Some((_, reported)) = test_link.within(Duration::from_millis(10)) {
                    break reported;
                }
            }
            // It ended between the last look and this message.
            Err(SendError::Down) => break test_link.next(),
            Err(error) => panic!("{error}"),
        }
        assert!(now() - began < 20_000_000, "{taken} messages and no end");
    };
    assert!(full > 50, "it waited a second: {full}");
    assert_eq!(end, LinkReport::Down(LinkError::TimedOut.to_string()));
    // The device still exists, so it is opened again. Nothing from before is sent.
    test_link.up();
    drop(device);
    let again = node.opened(LONG).expect("by the link");
    again.set_read_timeout(Some(Duration::from_millis(200))).expect("set");
    assert!((&again).read(&mut [0; 80]).is_err());
}

#[test]
fn another_program_that_holds_the_device_is_seen() {
    // This test uses the real open(2): a named pipe can be opened like a node.
    let usb = Usb::new();
    let system = System { open: System::default().open, ..usb.system() };
    usb.list(0, CHESSNUT);
    mkfifo(&usb.node(0), Mode::S_IRWXU).expect("a pipe");
    let wanted = Wanted { system, ..any(&usb, "chessnut") };
    let first = TestLink::start(wanted.clone(), &reactor());
    assert_eq!(first.up(), usb.node(0));
    // Two programs do not know each other's links.
    let second = TestLink::start(wanted, &reactor());
    assert!(matches!(second.missing(), LinkProblem::Busy { .. }));
    drop(first);
    assert_eq!(second.up(), usb.node(0));
}
