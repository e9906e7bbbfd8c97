//! A HoS board over a cable: squares and clock are read, nothing is written, and unusual reports do no harm.

use flagfall_protocols::driver::{Driver, Input, Output};
use flagfall_protocols::event::{Anomaly, ClockSide, DeviceEvent};
use flagfall_protocols::time::Instant;

use super::reports::open;
use super::support::{LinkReport, family};
use crate::usb::{Identity, PLAIN, Usb};

const HOS: Identity = Identity { vendor: 0x0925, product: 0x5678, serial: "", descriptor: PLAIN };
const START: [u8; 32] = *b"\x43\x25\x51\x34\x66\x66\x66\x66\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\xcc\xcc\xcc\xcc\xa9\x8b\xb7\x9a";

fn padded(data: &[u8]) -> Vec<u8> {
    let mut report = data.to_vec();
    report.resize(64, 0);
    report
}

/// Returns the events and anomalies of a message.
fn read(driver: &mut dyn Driver, at: u64, reported: LinkReport) -> (Vec<DeviceEvent>, Vec<Anomaly>) {
    let LinkReport::Bytes(channel, bytes) = reported else { panic!("{reported:?} instead of bytes") };
    driver.handle(Instant(at), Input::Bytes { channel, bytes: &bytes });
    let (mut events, mut anomalies) = (Vec::new(), Vec::new());
    while let Some(output) = driver.poll() {
        match output {
            Output::Event { event, .. } => events.push(event),
            Output::Anomaly { anomaly, .. } => anomalies.push(anomaly),
            Output::Send { bytes, .. } => panic!("it sends {bytes:x?}"),
        }
    }
    (events, anomalies)
}

#[test]
fn squares_and_clock_are_read() {
    let usb = Usb::new();
    let (_node, device, test_link) = open(&usb, "hos_usb", HOS);
    let mut driver = family("hos_usb").start();
    let mut at = 0;
    let mut feed = |data: &[u8]| {
        device.send(&padded(data)).expect("sent");
        at += 1_000_000;
        read(driver.as_mut(), at, test_link.next())
    };
    let (events, anomalies) = feed(&START);
    assert_eq!(anomalies, []);
    let [DeviceEvent::Frame(start)] = events[..] else { panic!("{events:?}") };
    assert_eq!(start.to_string(), "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR");
    let (events, anomalies) = feed(&[0xff, 0xca, 0, 4, 0x3b, 0, 5, 0x80]);
    assert_eq!(anomalies, []);
    let [DeviceEvent::Clock(clock)] = events[..] else { panic!("{events:?}") };
    assert_eq!((clock.running, clock.lever_up), (true, ClockSide::Left));
    assert_eq!((clock.left.time.millis(), clock.right.time.millis()), (299_000, 300_000));
    // With the zeros after it, this other report could be read as an empty board.
    let (events, anomalies) = feed(&[0xff, 0x01]);
    assert_eq!((events, anomalies), (vec![], vec![Anomaly::StrayByte; 65]));
    let (events, anomalies) = feed(&START);
    assert_eq!((events, anomalies), (vec![], vec![]), "equal squares are not reported again");
    let mut moved = START;
    (moved[6], moved[14]) = (0x66 & 0x0f, 0);
    let (events, anomalies) = feed(&moved);
    assert_eq!((events.len(), anomalies), (1, vec![]));
    drop(test_link);
}

#[test]
fn short_reports_are_never_joined() {
    let usb = Usb::new();
    let (_node, device, test_link) = open(&usb, "hos_usb", HOS);
    let mut driver = family("hos_usb").start();
    for part in [&START[..16], &START[16..], &[0xff, 0xca, 0, 4], &[0x3b, 0, 5, 0x80]] {
        device.send(part).expect("sent");
        let (events, anomalies) = read(driver.as_mut(), 1, test_link.next());
        assert_eq!((events, anomalies), (vec![], vec![Anomaly::StrayByte; part.len() + 1]));
    }
    assert_eq!(driver.deadline(), None, "no message is unfinished");
}
