//! `flagfall record --bluetooth`, as a process: through btleplug, a D-Bus of its own and a BlueZ that serves emulated devices.

mod device;

use std::path::{Path, PathBuf};
use std::time::Duration;

use flagfall::wall::mono;
use flagfall_hardware::emulator::script::Script;
use flagfall_hardware::emulator::{self, Start};
use flagfall_protocols::trace::{Body, Trace};
use tempfile::TempDir;

use device::{CHANNELS, Log, Strange, Tapped, services};

use crate::bluez::{Bluez, Bus, Peripheral, SYSTEM_BUS};
use crate::record::process::{Recording, flagfall, kinds, moves, text};

const ADDRESS: &str = "C0:00:00:00:00:07";
/// Longer than a connection takes to come back.
const LONG: Duration = Duration::from_secs(40);

/// A bus, a BlueZ on it, and a folder for recordings.
struct Room {
    bluez: Bluez,
    bus: Bus,
    folder: TempDir,
}

impl Room {
    fn new() -> Room {
        let bus = Bus::start();
        Room { bluez: Bluez::start(&bus.address()), bus, folder: tempfile::tempdir().expect("a folder") }
    }

    fn file(&self) -> PathBuf {
        self.folder.path().join("new.trace")
    }

    fn record(&self, named: &str, more: &[&str]) -> Recording {
        let file = self.file();
        let arguments = [&["record", "--bluetooth", named, text(&file)], more].concat();
        Recording::of(flagfall(&arguments).env(SYSTEM_BUS, self.bus.address()))
    }

    /// A device that nobody has a driver for.
    fn add_strange(&self, name: &str) -> Log {
        let log = Log::default();
        let board = Box::new(Strange::new(log.clone()));
        self.bluez.add(Peripheral { services: services(), ..Peripheral::new(ADDRESS, name, CHANNELS, board) });
        log
    }

    /// The device does so many of the things that it does by itself, now.
    fn play(&self, count: usize) {
        let steps: String = (0..count).map(|_| "+0.25 lift a1\n").collect();
        self.bluez.load(ADDRESS, &Script::parse(&steps).expect("a script"));
        await_that("it is sent", || self.bluez.done(ADDRESS));
    }
}

#[allow(clippy::disallowed_methods, reason = "real time among real parts")]
fn await_that(what: &str, done: impl Fn() -> bool) {
    let began = mono();
    while !done() {
        assert!(mono().since(began) < LONG, "{what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// A line of the head.
fn head(file: &Path, key: &str) -> Option<String> {
    let bytes = std::fs::read(file).expect("a file");
    Trace::new(&bytes).expect("a head").header(key).map(str::to_owned)
}

/// Time, channel and bytes of what was received, or of what was sent.
fn passed(file: &Path, sent: bool) -> Vec<(u64, u8, Vec<u8>)> {
    let bytes = std::fs::read(file).expect("a file");
    let records = Trace::new(&bytes).expect("a head").records().map(|record| record.expect("a whole line").1);
    let passed = records.filter_map(|record| match record.body {
        Body::Rx { link: 0, channel, bytes } if !sent => Some((record.at.0, channel, bytes.to_vec())),
        Body::Tx { link: 0, channel, bytes } if sent => Some((record.at.0, channel, bytes.to_vec())),
        _ => None,
    });
    passed.collect()
}

/// The bytes of each channel, one after the other.
fn streams(pieces: impl IntoIterator<Item = (u8, Vec<u8>)>) -> Vec<(u8, Vec<u8>)> {
    let mut streams = std::collections::BTreeMap::<u8, Vec<u8>>::new();
    pieces.into_iter().for_each(|(channel, bytes)| streams.entry(channel).or_default().extend(bytes));
    streams.into_iter().collect()
}

#[test]
fn a_device_that_nobody_knows() {
    let room = Room::new();
    let log = room.add_strange("Brand New Board");
    let began = mono();
    let mut recording = room.record("brand new board", &[]);
    recording.says("recording; Ctrl-C ends");
    recording.says("play this, and write down what you did when:");
    for step in
        ["1. switch on", "2. a quiet move", "3. castling", "4. a piece slid", "5. some pieces", "6. with a clock", "7. pull"]
    {
        recording.says(step);
    }
    room.play(4);
    await_that("all is notified", || room.bluez.seen(ADDRESS).notifications >= 6);
    // It goes out of reach, talks on, and is back.
    room.bluez.fall_silent(ADDRESS);
    let lost = recording.says("waiting for the device to come back");
    assert!(!lost.contains("C0:"), "its address is nobody's business: {lost}");
    room.play(1);
    room.bluez.appear(ADDRESS);
    recording.says("the device is back");
    room.play(1);
    let file = room.file();
    // All but the fifth piece, which nobody heard.
    let heard = || log.heard().into_iter().filter(|(_, bytes)| bytes[..] != [0x55, 5]);
    await_that("all is recorded", || streams(pieces(&file)) == streams(heard()));
    assert_eq!((heard().count(), room.bluez.seen(ADDRESS).unheard), (8, 2));
    let end = recording.signal("-INT");
    assert!(end.contains("0 sent") && end.contains(text(&file)), "{end}");
    let took = mono().since(began).as_micros() as u64;
    await_that("it is let go", || !room.bluez.connected(ADDRESS));

    assert_eq!(kinds(&file).iter().filter(|kind| **kind != "rx").copied().collect::<Vec<_>>(), ["up", "down", "up"]);
    assert!(room.bluez.seen(ADDRESS).writes.is_empty(), "nothing is asked of it");
    let heads = [("bluetooth", Some("Brand New Board")), ("name", Some("new")), ("driver", None), ("channel-3", None)];
    for (key, value) in heads.into_iter().chain(device::TOLD.map(|(key, value)| (key, Some(value)))) {
        assert_eq!(head(&file, key).as_deref(), value, "{key}");
    }
    assert!(!std::fs::read_to_string(&file).expect("text").contains(ADDRESS));

    // Four pieces a quarter of a second apart, and one after the gap.
    let short: Vec<u64> = passed(&file, false).into_iter().filter(|(_, channel, _)| *channel == 0).map(|(at, ..)| at).collect();
    assert_eq!(short.len(), 5);
    assert!(short.is_sorted() && short[4] < took, "{short:?} of {took}");
    assert!(short[4] - short[3] > 250_000, "{short:?}: the one that nobody heard came between");
}

fn pieces(file: &Path) -> Vec<(u8, Vec<u8>)> {
    passed(file, false).into_iter().map(|(_, channel, bytes)| (channel, bytes)).collect()
}

#[test]
fn a_channel_that_refuses_is_named_and_left_out() {
    let room = Room::new();
    room.add_strange("Brand New Board");
    room.bluez.refuse_subscribing(ADDRESS, device::LONG);
    let mut recording = room.record(ADDRESS, &[]);
    assert!(recording.says("channel 1 is left out").contains("ATT error"));
    recording.says("recording; Ctrl-C ends");
    room.play(2);
    let file = room.file();
    await_that("the other is recorded", || pieces(&file) == [(0, vec![0x55, 1]), (0, vec![0x55, 2])]);
    recording.terminate();
    assert!(head(&file, "channel-0").is_some_and(|value| value.starts_with("notify ")));
    assert!(head(&file, "channel-1").is_some_and(|value| value.starts_with("refused write ")));
    // With nothing to listen to there is nothing to record.
    room.bluez.refuse_subscribing(ADDRESS, device::SHORT);
    std::fs::remove_file(&file).expect("a file");
    let mut recording = room.record(ADDRESS, &[]);
    assert!(recording.says("channel 0: ").contains("ATT error"));
    assert!(recording.signal("-INT").contains("nothing was recorded"));
}

#[test]
fn a_board_that_is_asked_as_the_daemon_asks() {
    let room = Room::new();
    let log = Log::default();
    let board = (emulator::find("chessnut").expect("emulated").start)(&Start::default());
    let usual = Peripheral::for_driver("chessnut", ADDRESS, "Chessnut Air");
    room.bluez.add(Peripheral { board: Box::new(Tapped::new(board, log.clone())), ..usual });
    let mut recording = room.record(ADDRESS, &["--driver", "chessnut", "--time-control", "300+5"]);
    recording.says("recording; Ctrl-C ends");
    let file = room.file();
    // The session has asked what it asks at the start: longer than all squares, in notifications of twenty bytes.
    await_that("it answers", || pieces(&file).iter().map(|(_, bytes)| bytes.len()).sum::<usize>() > 40);
    room.bluez.load(ADDRESS, &Script::parse("1 move e2 e4\n+1 move e7 e5").expect("a script"));
    await_that("the hands are done", || room.bluez.done(ADDRESS));
    await_that("all is recorded", || streams(pieces(&file)) == streams(log.heard()) && moves(&file) == ["e2e4", "e7e5"]);
    let end = recording.terminate();
    assert!(!end.contains(" 0 sent"), "{end}");
    await_that("it is let go", || !room.bluez.connected(ADDRESS));
    let written = room.bluez.seen(ADDRESS).writes.into_iter().map(|written| written.bytes);
    assert_eq!(passed(&file, true).into_iter().map(|(_, _, bytes)| bytes).collect::<Vec<_>>(), written.collect::<Vec<_>>());
    for (key, value) in [("driver", "chessnut"), ("bluetooth", "Chessnut Air"), ("time-control", "300+5")] {
        assert_eq!(head(&file, key).as_deref(), Some(value), "{key}");
    }
    assert!(head(&file, "channel-0-w").is_some_and(|value| value.starts_with("write ")));
    assert_eq!(kinds(&file)[0], "up");
}

#[test]
fn it_ends_by_itself() {
    let room = Room::new();
    room.add_strange("Brand New Board");
    let mut recording = room.record("Brand New Board", &["--seconds", "6"]);
    recording.says("recording; Ctrl-C ends");
    room.play(1);
    assert!(recording.ended().contains("bytes received, 0 sent"));
    await_that("it is let go", || !room.bluez.connected(ADDRESS));
    assert_eq!(kinds(&room.file())[..2], ["up", "rx"]);
}

#[test]
fn it_outlives_the_bluetooth_service_and_ends_while_there_is_none() {
    let room = Room::new();
    let log = room.add_strange("Brand New Board");
    let mut recording = room.record(ADDRESS, &[]);
    recording.says("recording; Ctrl-C ends");
    room.play(2);
    let file = room.file();
    await_that("all is recorded", || streams(pieces(&file)) == streams(log.heard()));
    room.bluez.stop();
    recording.says("waiting for the device to come back");
    room.bluez.resume();
    recording.says("the device is back");
    room.play(2);
    await_that("all is recorded", || streams(pieces(&file)) == streams(log.heard()));
    room.bluez.stop();
    recording.says("waiting for the device to come back");
    assert!(recording.signal("-INT").contains("bytes received, 0 sent"));
    assert_eq!(kinds(&file).iter().filter(|kind| **kind != "rx").copied().collect::<Vec<_>>(), ["up", "down", "up", "down"]);
}

#[test]
fn what_cannot_be_recorded_says_why() {
    let room = Room::new();
    room.add_strange("Brand New Board");
    for (named, more, code, reasons) in [
        ("Nobody", &["--seconds", "2"][..], 0, &["no device that advertises is the wanted one", "nothing was recorded"][..]),
        (ADDRESS, &["--seconds", "4", "--driver", "chessnut"], 0, &["not of this family", "nothing was recorded"]),
        (ADDRESS, &["--driver", "dgt_bus"], 1, &["`dgt_bus` is not met over Bluetooth LE"]),
    ] {
        let output = flagfall(&[&["record", "--bluetooth", named, text(&room.file())], more].concat())
            .env(SYSTEM_BUS, room.bus.address())
            .output()
            .expect("it starts");
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(code), "{said}");
        assert!(reasons.iter().all(|reason| said.contains(reason)), "{reasons:?}: {said}");
        assert!(!room.file().exists(), "{named} leaves no file");
        assert!(room.bluez.seen(ADDRESS).writes.is_empty(), "{named}: nothing is written to it");
    }
    let mut recording = room.record("Nobody", &[]);
    recording.says("no device that advertises is the wanted one");
    assert!(recording.signal("-INT").contains("nothing was recorded"));
    room.bluez.remove_adapter();
    let mut recording = room.record(ADDRESS, &["--seconds", "20"]);
    recording.says("there is no Bluetooth adapter");
    room.bluez.add_adapter();
    recording.says("recording; Ctrl-C ends");
    recording.terminate();
}
