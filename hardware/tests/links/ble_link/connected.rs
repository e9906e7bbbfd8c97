//! Tests of a connected device and of its disconnection.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use flagfall_hardware::ble::{BleEvent, BleLink, Wanted};
use flagfall_hardware::emulator::script::Script;
use flagfall_hardware::emulator::{self, Start};
use flagfall_protocols::driver::Channel;
use flagfall_protocols::drivers::{dgt_pegasus, square_off_neo};

use super::ble_rig::{BleRig, LinkReport, radio, wanted};
use super::search::await_that;
use super::{A, B, PEGASUS};
use crate::bluez::{self, Bluez, Peripheral};

/// Makes a Pegasus report changes.
const UPDATES: &[u8] = &[0x44];

#[test]
fn a_device_is_disconnected_after_any_earlier_message() {
    bluez::in_own_process("a_device_is_disconnected_after_any_earlier_message", |bus| {
        let bluez = Bluez::start(&bus.address());
        bluez.add(Peripheral::for_driver(PEGASUS, A, "DGT_PEGASUS_1"));
        let radio = radio(1);
        let by_address = |text: &str| Wanted { address: text.parse().ok(), ..wanted(&dgt_pegasus::INFO) };
        // The reader refuses reports until the test says that it has room.
        let [up, room, full] = [(); 3].map(|()| Arc::new(AtomicBool::new(false)));
        let sink = {
            let (up, room, full) = (Arc::clone(&up), Arc::clone(&room), Arc::clone(&full));
            move |_: u64, event: &BleEvent<'_>| {
                up.fetch_or(matches!(event, BleEvent::Up { .. }), Ordering::SeqCst);
                let taken = !matches!(event, BleEvent::Bytes { .. }) || room.load(Ordering::SeqCst);
                full.fetch_or(!taken, Ordering::SeqCst);
                taken
            }
        };
        let link = BleLink::start(Arc::clone(&radio), 1, by_address(A), Box::new(sink));
        await_that("it comes up", || up.load(Ordering::SeqCst));
        link.send(0, UPDATES.to_vec()).expect("it is up");
        await_that("it is asked", || !bluez.seen(A).writes.is_empty());
        bluez.load(A, &Script::parse("0 lift e2").expect("a script"));
        await_that("there is no room", || full.load(Ordering::SeqCst));
        // These are more messages than a link would keep, all before the first one of the other device.
        bluez.report_disconnected(A, 20);
        bluez.add(Peripheral::for_driver(PEGASUS, B, "DGT_PEGASUS_2"));
        let mut other = BleRig::start(&radio, 2, PEGASUS, by_address(B));
        other.until("it comes up", |other| other.responding);
        drop(link);
        other.link.want(by_address("C0:00:00:00:00:0C"));
        other.until("the order after it is obeyed", |other| !other.responding);
        room.store(true, Ordering::SeqCst);
        await_that("it is let go", || !bluez.connected(A));
    });
}

#[test]
fn a_key_is_sent_to_a_device_that_has_answered_in_each_connection() {
    const VERSION: &[u8] = &[0x4d];
    const C: &str = "C0:00:00:00:00:0C";
    // The key is longer than one write.
    let key = [&[0x63, 28][..], &[0xa5; 27], &[0]].concat();
    bluez::in_own_process("a_key_is_sent_to_a_device_that_has_answered_in_each_connection", |bus| {
        let bluez = Bluez::start(&bus.address());
        let radio = radio(1);
        bluez.add(Peripheral::for_driver(PEGASUS, A, "DGT_PEGASUS_1"));
        // This device has the name and the channel, but it answers no question.
        let other = (emulator::find("chesslink").expect("emulated").start)(&Start::default());
        bluez.add(Peripheral::new(B, "DGT_PEGASUS_2", &[Channel::NORDIC_UART], other));
        let with_key =
            |text: &str| Wanted { address: text.parse().ok(), unlock: Some(key.clone()), ..wanted(&dgt_pegasus::INFO) };
        let mut board = BleRig::start(&radio, 1, PEGASUS, with_key(A));
        let mut stranger = BleRig::start(&radio, 2, PEGASUS, with_key(B));
        let written = |address| bluez.seen(address).writes.into_iter().map(|write| write.bytes).collect::<Vec<_>>();
        let ends = || (0..).zip(written(A)).filter(|(_, bytes)| *bytes == key[20..]).map(|(at, _)| at).collect::<Vec<usize>>();
        for connection in 1..=2 {
            board.until("it comes up", |board| board.responding);
            await_that("the key is sent", || ends().len() == connection);
            if connection == 1 {
                bluez.drop_link(A);
                board.until("it is lost", |board| !board.responding);
            }
        }
        for end in ends() {
            let before: Vec<_> = written(A)[..=end].iter().rev().take(3).rev().cloned().collect();
            assert_eq!(before, [VERSION, &key[..20], &key[20..]], "{:x?}", written(A));
        }
        stranger.until("it is asked again", |_| written(B).len() >= 3);
        assert!(written(B).iter().all(|bytes| bytes == VERSION), "{:x?}", written(B));
        // This device accepts no write of the key's length.
        bluez.add(Peripheral { mtu: 10, ..Peripheral::for_driver(PEGASUS, C, "DGT_PEGASUS_3") });
        let mut refuses = BleRig::start(&radio, 3, PEGASUS, with_key(C));
        let refused = LinkReport::Missing(format!("{C}: the device did not accept the key"));
        refuses.until("it is reported", |refuses| refuses.reports.last() == Some(&refused));
        let shown = format!("{:?}", with_key(A));
        assert!(shown.contains("unlock: Some(not shown)") && !shown.contains("165"), "{shown}");
    });
}

#[test]
fn only_an_optional_channel_may_refuse_a_subscription() {
    const NEO: &str = "square_off_neo";
    bluez::in_own_process("only_an_optional_channel_may_refuse_a_subscription", |bus| {
        let bluez = Bluez::start(&bus.address());
        let ble = square_off_neo::INFO.ble.expect("it is met over Bluetooth LE");
        let radio = radio(1);
        let by_address = |text: &str| Wanted { address: text.parse().ok(), ..wanted(&square_off_neo::INFO) };
        for (id, address, optional) in [(1, A, true), (2, B, false)] {
            bluez.add(Peripheral::for_driver(NEO, address, "Square Off Neo"));
            let channel = ble.channels.iter().rfind(|channel| channel.optional == optional).and_then(|channel| channel.notify);
            bluez.refuse_subscribing(address, channel.expect("one that notifies"));
            let mut board = BleRig::start(&radio, id, NEO, by_address(address));
            let reported = |reported: &LinkReport| matches!(reported, LinkReport::Missing(why) if why.contains("channel 2") && why.contains("ATT error"));
            match optional {
                true => board.until("it comes up", |board| board.reports.contains(&LinkReport::Up(address.to_owned()))),
                false => board.until("of no use", |board| board.reports.iter().any(reported)),
            }
        }
    });
}
