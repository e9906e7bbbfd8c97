//! `flagfall record --bluetooth` as a process, through btleplug, a D-Bus of its own and a BlueZ that serves emulated devices.

mod device;

use std::path::{Path, PathBuf};
use std::time::Duration;

use flagfall::system_clock::monotonic;
use flagfall_hardware::emulator::script::Script;
use flagfall_hardware::emulator::{self, Start};
use flagfall_protocols::trace::{Body, Trace};
use tempfile::TempDir;

use device::{CHANNELS, LoggedDevice, SentLog, UnknownDevice, services};

use crate::bluez::{Bluez, Bus, Peripheral, SYSTEM_BUS};
use crate::program::{RunningProgram, flagfall, text};
use crate::record::process::{kinds, moves};
use crate::support::waiting::wait_until;

const ADDRESS: &str = "C0:00:00:00:00:07";
/// Longer than the time until a connection is back.
const LONG: Duration = Duration::from_secs(40);

/// A bus, a BlueZ on it, and a folder for recordings.
struct BluetoothRig {
    bluez: Bluez,
    bus: Bus,
    folder: TempDir,
}

impl BluetoothRig {
    fn new() -> BluetoothRig {
        let bus = Bus::start();
        BluetoothRig { bluez: Bluez::start(&bus.address()), bus, folder: tempfile::tempdir().expect("a folder") }
    }

    fn file(&self) -> PathBuf {
        self.folder.path().join("new.trace")
    }

    fn record(&self, named: &str, more: &[&str]) -> RunningProgram {
        let file = self.file();
        let arguments = [&["record", "--bluetooth", named, text(&file)], more].concat();
        RunningProgram::start(flagfall(&arguments).env(SYSTEM_BUS, self.bus.address()))
    }

    /// Adds a device without a driver.
    fn add_unknown_device(&self, name: &str) -> SentLog {
        let log = SentLog::default();
        let board = Box::new(UnknownDevice::new(log.clone()));
        self.bluez.add(Peripheral { services: services(), ..Peripheral::new(ADDRESS, name, CHANNELS, board) });
        log
    }

    /// The device sends this number of its reports from now on.
    fn begin(&self, count: usize) {
        let steps: String = (0..count).map(|_| "+0.25 lift a1\n").collect();
        self.bluez.load(ADDRESS, &Script::parse(&steps).expect("a script"));
    }

    /// The device sends this number of its reports now.
    fn play(&self, count: usize) {
        self.begin(count);
        wait_until("the reports are sent", LONG, || self.bluez.done(ADDRESS));
    }
}

/// The value of a line in the head of a recording.
fn head(file: &Path, key: &str) -> Option<String> {
    let bytes = std::fs::read(file).expect("a file");
    Trace::new(&bytes).expect("a head").header(key).map(str::to_owned)
}

/// Time, channel and bytes of all received, or all sent, records.
fn byte_records(file: &Path, sent: bool) -> Vec<(u64, u8, Vec<u8>)> {
    let bytes = std::fs::read(file).expect("a file");
    let records = Trace::new(&bytes).expect("a head").records().map(|record| record.expect("a whole line").1);
    let passed = records.filter_map(|record| match record.body {
        Body::Rx { link: 0, channel, bytes } if !sent => Some((record.at.0, channel, bytes.to_vec())),
        Body::Tx { link: 0, channel, bytes } if sent => Some((record.at.0, channel, bytes.to_vec())),
        _ => None,
    });
    passed.collect()
}

/// All bytes of each channel.
fn streams(pieces: impl IntoIterator<Item = (u8, Vec<u8>)>) -> Vec<(u8, Vec<u8>)> {
    let mut streams = std::collections::BTreeMap::<u8, Vec<u8>>::new();
    pieces.into_iter().for_each(|(channel, bytes)| streams.entry(channel).or_default().extend(bytes));
    streams.into_iter().collect()
}

#[test]
fn a_device_without_a_driver_is_recorded() {
    let rig = BluetoothRig::new();
    let log = rig.add_unknown_device("Brand New Board");
    let began = monotonic();
    let mut recording = rig.record("brand new board", &[]);
    recording.wait_for_line("recording; Ctrl-C ends");
    recording.wait_for_line("play this, and write down what you did when:");
    for step in
        ["1. switch on", "2. a quiet move", "3. castling", "4. a piece slid", "5. some pieces", "6. with a clock", "7. pull"]
    {
        recording.wait_for_line(step);
    }
    rig.play(4);
    let file = rig.file();
    wait_until("all bytes are recorded", LONG, || streams(pieces(&file)) == streams(log.received()));
    // The device goes out of reach, continues to send, and comes back.
    rig.bluez.fall_silent(ADDRESS);
    let lost = recording.wait_for_line("waiting for the device to come back");
    assert!(!lost.contains("C0:"), "the address is not printed: {lost}");
    rig.play(1);
    rig.bluez.appear(ADDRESS);
    recording.wait_for_line("the device is back");
    rig.play(1);
    // All reports except the fifth, which was sent without a connection.
    let received = || log.received().into_iter().filter(|(_, bytes)| bytes[..] != [0x55, 5]);
    wait_until("all bytes are recorded", LONG, || streams(pieces(&file)) == streams(received()));
    assert_eq!((received().count(), rig.bluez.seen(ADDRESS).unheard), (8, 2));
    let end = recording.stop("-INT");
    assert!(end.contains("0 sent") && end.contains(text(&file)), "{end}");
    let took = monotonic().since(began).as_micros() as u64;
    wait_until("the device is disconnected", LONG, || !rig.bluez.connected(ADDRESS));

    assert_eq!(kinds(&file).iter().filter(|kind| **kind != "rx").copied().collect::<Vec<_>>(), ["up", "down", "up"]);
    assert!(rig.bluez.seen(ADDRESS).writes.is_empty(), "nothing was written to the device");
    let heads = [("bluetooth", Some("Brand New Board")), ("name", Some("new")), ("driver", None), ("channel-3", None)];
    for (key, value) in heads.into_iter().chain(device::TOLD.map(|(key, value)| (key, Some(value)))) {
        assert_eq!(head(&file, key).as_deref(), value, "{key}");
    }
    assert!(!std::fs::read_to_string(&file).expect("text").contains(ADDRESS));

    // There are four reports a quarter of a second apart, and one after the gap.
    let short: Vec<u64> =
        byte_records(&file, false).into_iter().filter(|(_, channel, _)| *channel == 0).map(|(at, ..)| at).collect();
    assert_eq!(short.len(), 5);
    assert!(short.is_sorted() && short[4] < took, "{short:?} of {took}");
    assert!(short[4] - short[3] > 250_000, "{short:?}: the report without a connection came between");
}

fn pieces(file: &Path) -> Vec<(u8, Vec<u8>)> {
    byte_records(file, false).into_iter().map(|(_, channel, bytes)| (channel, bytes)).collect()
}

#[test]
fn a_channel_that_refuses_is_named_and_left_out() {
    let rig = BluetoothRig::new();
    rig.add_unknown_device("Brand New Board");
    rig.bluez.refuse_subscribing(ADDRESS, device::LONG);
    let mut recording = rig.record(ADDRESS, &[]);
    assert!(recording.wait_for_line("channel 1 is left out").contains("ATT error"));
    recording.wait_for_line("recording; Ctrl-C ends");
    rig.play(2);
    let file = rig.file();
    wait_until("the other channel is recorded", LONG, || pieces(&file) == [(0, vec![0x55, 1]), (0, vec![0x55, 2])]);
    recording.stop("-TERM");
    assert!(head(&file, "channel-0").is_some_and(|value| value.starts_with("notify ")));
    assert!(head(&file, "channel-1").is_some_and(|value| value.starts_with("refused write ")));
    // Without a channel to listen to there is nothing to record.
    rig.bluez.refuse_subscribing(ADDRESS, device::SHORT);
    std::fs::remove_file(&file).expect("a file");
    let mut recording = rig.record(ADDRESS, &[]);
    assert!(recording.wait_for_line("channel 0: ").contains("ATT error"));
    assert!(recording.stop("-INT").contains("nothing was recorded"));
}

#[test]
fn a_board_with_a_driver_is_asked_as_the_daemon_asks() {
    let rig = BluetoothRig::new();
    let log = SentLog::default();
    let board = (emulator::find("chessnut").expect("emulated").start)(&Start::default());
    let usual = Peripheral::for_driver("chessnut", ADDRESS, "Chessnut Air");
    rig.bluez.add(Peripheral { board: Box::new(LoggedDevice::new(board, log.clone())), ..usual });
    let mut recording = rig.record(ADDRESS, &["--driver", "chessnut", "--time-control", "300+5"]);
    recording.wait_for_line("recording; Ctrl-C ends");
    let file = rig.file();
    // The answers to the first questions are longer than a report of all squares; they come in notifications of twenty bytes.
    wait_until("the board answers", LONG, || pieces(&file).iter().map(|(_, bytes)| bytes.len()).sum::<usize>() > 40);
    rig.bluez.load(ADDRESS, &Script::parse("1 move e2 e4\n+1 move e7 e5").expect("a script"));
    wait_until("the hands are done", LONG, || rig.bluez.done(ADDRESS));
    wait_until("all bytes are recorded", LONG, || {
        streams(pieces(&file)) == streams(log.received()) && moves(&file) == ["e2e4", "e7e5"]
    });
    let end = recording.stop("-TERM");
    assert!(!end.contains(" 0 sent"), "{end}");
    wait_until("the device is disconnected", LONG, || !rig.bluez.connected(ADDRESS));
    let written = rig.bluez.seen(ADDRESS).writes.into_iter().map(|written| written.bytes);
    assert_eq!(byte_records(&file, true).into_iter().map(|(_, _, bytes)| bytes).collect::<Vec<_>>(), written.collect::<Vec<_>>());
    for (key, value) in [("driver", "chessnut"), ("bluetooth", "Chessnut Air"), ("time-control", "300+5")] {
        assert_eq!(head(&file, key).as_deref(), Some(value), "{key}");
    }
    assert!(head(&file, "channel-0-w").is_some_and(|value| value.starts_with("write ")));
    assert_eq!(kinds(&file)[0], "up");
}

#[test]
fn a_recording_with_a_limit_ends_by_itself() {
    let rig = BluetoothRig::new();
    rig.add_unknown_device("Brand New Board");
    // The time counts from the start of the program: nobody listens for the name, and the device sends all the time.
    rig.begin(240);
    let mut recording = rig.record(ADDRESS, &["--seconds", "6"]);
    recording.wait_for_line("recording; Ctrl-C ends");
    assert!(recording.wait_for_success().contains("bytes received, 0 sent"));
    wait_until("the device is disconnected", LONG, || !rig.bluez.connected(ADDRESS));
    assert_eq!(kinds(&rig.file())[..2], ["up", "rx"]);
}

#[test]
fn a_recording_outlives_the_bluetooth_service_and_can_end_without_it() {
    let rig = BluetoothRig::new();
    let log = rig.add_unknown_device("Brand New Board");
    let mut recording = rig.record(ADDRESS, &[]);
    recording.wait_for_line("recording; Ctrl-C ends");
    rig.play(2);
    let file = rig.file();
    wait_until("all bytes are recorded", LONG, || streams(pieces(&file)) == streams(log.received()));
    rig.bluez.stop();
    recording.wait_for_line("waiting for the device to come back");
    rig.bluez.resume();
    recording.wait_for_line("the device is back");
    rig.play(2);
    wait_until("all bytes are recorded", LONG, || streams(pieces(&file)) == streams(log.received()));
    rig.bluez.stop();
    recording.wait_for_line("waiting for the device to come back");
    assert!(recording.stop("-INT").contains("bytes received, 0 sent"));
    assert_eq!(kinds(&file).iter().filter(|kind| **kind != "rx").copied().collect::<Vec<_>>(), ["up", "down", "up", "down"]);
}

#[test]
fn an_impossible_recording_reports_its_cause() {
    let rig = BluetoothRig::new();
    rig.add_unknown_device("Brand New Board");
    // These causes are found on the air, which takes its time: the recordings have no limit.
    for (named, more, cause) in [
        (ADDRESS, &["--driver", "chessnut"][..], "not of this family"),
        ("Nobody", &[], "no device that advertises is the wanted one"),
    ] {
        let mut recording = rig.record(named, more);
        recording.wait_for_line(cause);
        assert!(recording.stop("-INT").contains("nothing was recorded"));
        assert!(!rig.file().exists(), "{named} leaves no file");
        assert!(rig.bluez.seen(ADDRESS).writes.is_empty(), "{named}: nothing is written to it");
    }
    for (named, more, code, reason) in [
        ("Nobody", &["--seconds", "2"][..], 0, "nothing was recorded"),
        (ADDRESS, &["--driver", "dgt_bus"], 1, "`dgt_bus` is not available over Bluetooth LE"),
    ] {
        let output = flagfall(&[&["record", "--bluetooth", named, text(&rig.file())], more].concat())
            .env(SYSTEM_BUS, rig.bus.address())
            .output()
            .expect("it starts");
        let message = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(code), "{message}");
        assert!(message.contains(reason), "{reason}: {message}");
        assert!(!rig.file().exists(), "{named} leaves no file");
        assert!(rig.bluez.seen(ADDRESS).writes.is_empty(), "{named}: nothing is written to it");
    }
    rig.bluez.remove_adapter();
    let mut recording = rig.record(ADDRESS, &["--seconds", "20"]);
    recording.wait_for_line("there is no Bluetooth adapter");
    rig.bluez.add_adapter();
    recording.wait_for_line("recording; Ctrl-C ends");
    recording.stop("-TERM");
}
