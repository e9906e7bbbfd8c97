//! Tests that every driver must pass; they run for each row of the registry and for the template.

use std::collections::BTreeMap;
use std::time::Duration;

use flagfall_protocols::driver::{DeviceCommand, DriverInfo, Example, Input, Output};
use flagfall_protocols::drivers::{DRIVERS, find, template};
use flagfall_protocols::time::Instant;

use crate::common::{Rig, anomalies, samples::every};

/// Returns good messages with noise of several kinds between and in them, each piece with its channel.
fn noisy(info: &DriverInfo, seed: u64, len: usize) -> Vec<(u8, Vec<u8>)> {
    let mut rng = fastrand::Rng::with_seed(seed);
    let (mut pieces, mut total) = (Vec::new(), 0);
    while total < len {
        let example = &info.examples[rng.usize(..info.examples.len())];
        let mut bytes = example.bytes.to_vec();
        match rng.u8(..8) {
            0 => bytes.truncate(rng.usize(..bytes.len())),
            1 => {
                let at = rng.usize(..bytes.len());
                bytes[at] ^= 1 << rng.u8(..8);
            }
            2 => bytes.extend((0..rng.usize(..20)).map(|_| rng.u8(..))),
            _ => {}
        }
        total += bytes.len();
        pieces.push((example.channel, bytes));
    }
    pieces
}

#[test]
fn names_are_unique_and_found() {
    for info in DRIVERS {
        assert_eq!(DRIVERS.iter().filter(|other| other.name == info.name).count(), 1);
        assert_eq!(find(info.name).map(|found| found.devices), Some(info.devices));
        assert!(!info.devices.is_empty());
    }
    assert!(find(template::INFO.name).is_none(), "the template is no device");
}

#[test]
fn every_file_of_a_driver_begins_with_a_drawing() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src/drivers");
    for info in every() {
        let flat = root.join(format!("{}.rs", info.name));
        let file = if flat.exists() { flat } else { root.join(info.name).join("mod.rs") };
        let text = std::fs::read_to_string(&file).expect("a driver's file has its name");
        let head: Vec<_> = text.lines().take_while(|line| line.starts_with("//!")).collect();
        assert!(head.iter().any(|line| line.contains("```text")), "{}: draw the bytes at the top", file.display());
    }
}

#[test]
fn good_messages_are_read() {
    for info in every() {
        assert!(!info.examples.is_empty(), "{}: give it an example", info.name);
        for Example { channel, bytes, read } in info.examples {
            let mut rig = Rig::new(info);
            rig.bytes_on(*channel, bytes);
            assert!(format!("{:?}", rig.log).contains(read), "{}: {read} in {:?}", info.name, rig.log);
            assert_eq!(anomalies(&rig.log), [], "{}: {read}", info.name);
        }
    }
}

#[test]
fn bytes_may_be_cut_anywhere() {
    for info in every() {
        for seed in 0..40 {
            let pieces = noisy(info, seed, 400);
            for active in [false, true] {
                let outputs = |cut: &mut dyn FnMut() -> usize| {
                    let mut rig = Rig::new(info);
                    if active {
                        rig.feed(Instant::ZERO, Input::LinkUp);
                    }
                    // The portions come at several times, each in pieces with one time stamp.
                    for (n, (channel, portion)) in pieces.iter().enumerate() {
                        if n % 4 == 0 {
                            rig.until(Instant(900_000 * (n as u64 / 4 + 1)));
                        }
                        let mut rest = &portion[..];
                        while !rest.is_empty() {
                            let (piece, after) = rest.split_at(cut().min(rest.len()));
                            rig.bytes_on(*channel, piece);
                            rest = after;
                        }
                    }
                    rig.advance(Duration::from_secs(5));
                    rig.log
                };
                let whole = outputs(&mut || usize::MAX);
                let single = outputs(&mut || 1);
                let mut rng = fastrand::Rng::with_seed(seed);
                let random = outputs(&mut || rng.usize(0..9));
                assert!(whole == single && whole == random, "{} seed {seed} active {active}", info.name);
            }
        }
    }
}

/// Returns noise. Every second portion ends with the beginning of a message, for whose rest a driver may wait; noise alone
/// hardly ever ends so.
fn garbage(info: &DriverInfo, seed: u64) -> [Vec<u8>; 2] {
    let mut rng = fastrand::Rng::with_seed(seed);
    let noise = (0..rng.usize(..500)).map(|_| rng.u8(..)).collect();
    let channel = info.examples[0].channel;
    let begun: Vec<_> = info.examples.iter().filter(|example| example.channel == channel && example.bytes.len() > 1).collect();
    if seed.is_multiple_of(2) || begun.is_empty() {
        return [noise, Vec::new()];
    }
    let bytes = begun[rng.usize(..begun.len())].bytes;
    [noise, bytes[..rng.usize(1..bytes.len())].to_vec()]
}

#[test]
fn every_driver_reads_again_after_garbage_and_silence() {
    for info in every() {
        for seed in 0..200 {
            let mut rig = Rig::new(info);
            let Example { channel, bytes, read } = info.examples[0];
            garbage(info, seed).iter().for_each(|piece| rig.bytes_on(channel, piece));
            // The silence is long enough to give up any message that the garbage began.
            rig.advance(Duration::from_secs(20));
            rig.take();
            rig.bytes_on(channel, bytes);
            assert!(format!("{:?}", rig.log).contains(read), "{} seed {seed}: {:?}", info.name, rig.log);
            assert!(anomalies(&rig.log).is_empty(), "{} seed {seed}", info.name);
        }
    }
}

/// After garbage every driver reads again within this time. It gives up a message that the garbage began after half a second of
/// silence at most, or good messages, which come at this pace without a pause, end it.
const BACK: Duration = Duration::from_secs(1);
const PACE: Duration = Duration::from_millis(250);

#[test]
fn every_driver_reads_again_after_garbage_without_a_pause() {
    for info in every() {
        for seed in 0..200 {
            let mut rig = Rig::new(info);
            let Example { channel, bytes, read } = info.examples[0];
            for piece in garbage(info, seed) {
                match info.hid.filter(|_| info.ble.is_none()) {
                    // On links that carry only reports, other bytes are not fed as a message.
                    Some(hid) => piece.chunks(64).for_each(|report| {
                        let (channel, message) = (hid.message)(report);
                        rig.bytes_on(channel, message);
                    }),
                    None => rig.bytes_on(channel, &piece),
                }
            }
            rig.take();
            let began = rig.now;
            while !format!("{:?}", rig.log).contains(read) {
                assert!(rig.now.since(began) < BACK, "{} seed {seed}: {:?}", info.name, rig.log);
                rig.advance(PACE);
                rig.bytes_on(channel, bytes);
            }
            // No part of the garbage is left.
            rig.take();
            for _ in 0..8 {
                rig.advance(PACE);
                rig.bytes_on(channel, bytes);
            }
            assert_eq!(anomalies(&rig.log), [], "{} seed {seed}", info.name);
        }
    }
}

#[test]
fn ranges_lie_within_the_bytes_that_came() {
    for info in every() {
        let mut rig = Rig::new(info);
        let mut came = BTreeMap::new();
        for (channel, piece) in noisy(info, 7, 20_000) {
            rig.bytes_on(channel, &piece);
            *came.entry(channel).or_default() += piece.len() as u64;
            for (_, output) in rig.take() {
                if let Output::Event { bytes, .. } | Output::Anomaly { bytes, .. } = output {
                    let end = came.get(&bytes.channel).copied().unwrap_or(0);
                    assert!(bytes.start <= bytes.end && bytes.end <= end, "{}: {bytes:?}", info.name);
                }
            }
        }
    }
}

#[test]
fn only_harmless_commands_are_sent_and_only_while_the_link_is_up() {
    for info in every() {
        for up in [false, true] {
            let mut rig = Rig::new(info);
            if up {
                rig.feed(Instant::ZERO, Input::LinkUp);
            }
            for (channel, piece) in noisy(info, 3, 5000) {
                rig.advance(Duration::from_millis(130));
                rig.bytes_on(channel, &piece);
            }
            for command in
                [DeviceCommand::ReadBoard, DeviceCommand::ReadClock, DeviceCommand::ReadBattery, DeviceCommand::ReadLog]
            {
                rig.command(command);
                rig.advance(Duration::from_secs(5));
            }
            rig.advance(Duration::from_secs(100));
            for (_, output) in &rig.log {
                let Output::Send { channel, bytes } = output else { continue };
                assert!(!bytes.is_empty());
                assert!(up, "{}: a passive driver asks nothing", info.name);
                assert!((info.harmless)(*channel, bytes), "{}: {bytes:x?}", info.name);
            }
        }
    }
}
