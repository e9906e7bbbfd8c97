//! What every driver must do, run for each row of the registry and for the template.

mod common;

use std::time::Duration;

use flagfall_protocols::driver::{DeviceCommand, DriverInfo, Input, Output};
use flagfall_protocols::drivers::{DRIVERS, find, template};
use flagfall_protocols::time::Instant;

use common::{Rig, samples};

/// The questions to a Millennium board.
const V: &[u8] = b"\xd6\xb5\xb6";
const S: &[u8] = b"\xd3\xb5\xb3";
const R01: &[u8] = b"\x52\xb0\x31\xb5\xb3";
const R02: &[u8] = b"\x52\xb0\x32\xb5\xb0";

fn every() -> impl Iterator<Item = &'static DriverInfo> {
    DRIVERS.iter().chain([&template::INFO])
}

/// Good messages with noise of several kinds between and in them.
fn noisy(info: &DriverInfo, seed: u64, len: usize) -> Vec<u8> {
    let mut rng = fastrand::Rng::with_seed(seed);
    let good = samples::of(info.name);
    let mut bytes = Vec::new();
    while bytes.len() < len {
        let start = bytes.len();
        bytes.extend_from_slice(good[rng.usize(..good.len())].0);
        match rng.u8(..8) {
            0 => bytes.truncate(start + rng.usize(..bytes.len() - start)),
            1 => {
                let at = rng.usize(start..bytes.len());
                bytes[at] ^= 1 << rng.u8(..8);
            }
            2 => bytes.extend((0..rng.usize(..20)).map(|_| rng.u8(..))),
            _ => {}
        }
    }
    bytes
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
fn the_readme_lists_the_registry() {
    let readme = include_str!("../README.md");
    let listed: Vec<_> = readme.lines().filter(|line| line.starts_with("| `")).collect();
    let rows: Vec<_> = DRIVERS.iter().map(|info| format!("| `{}` | {} |", info.name, info.devices.join(", "))).collect();
    assert_eq!(listed, rows, "the table of README.md must be these lines");
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
        for (bytes, wanted) in samples::of(info.name) {
            let mut rig = Rig::new(info);
            rig.bytes(bytes);
            assert!(format!("{:?}", rig.log).contains(wanted), "{}: {wanted} in {:?}", info.name, rig.log);
            assert!(common::anomalies(&rig.log).is_empty());
        }
    }
}

#[test]
fn bytes_may_be_cut_anywhere() {
    for info in every() {
        for seed in 0..40 {
            let bytes = noisy(info, seed, 400);
            for active in [false, true] {
                let outputs = |cut: &mut dyn FnMut() -> usize| {
                    let mut rig = Rig::new(info);
                    if active {
                        rig.feed(Instant::ZERO, Input::LinkUp);
                    }
                    // Four portions at four times, each in pieces with one stamp.
                    for (n, portion) in bytes.chunks(bytes.len() / 4).enumerate() {
                        rig.until(Instant(900_000 * (n as u64 + 1)));
                        let mut rest = portion;
                        while !rest.is_empty() {
                            let (piece, after) = rest.split_at(cut().min(rest.len()));
                            rig.bytes(piece);
                            rest = after;
                        }
                    }
                    rig.pass(Duration::from_secs(5));
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

#[test]
fn every_driver_finds_back_after_garbage() {
    for info in every() {
        for seed in 0..200 {
            let mut rig = Rig::new(info);
            let mut rng = fastrand::Rng::with_seed(seed);
            let garbage: Vec<u8> = (0..rng.usize(..500)).map(|_| rng.u8(..)).collect();
            rig.bytes(&garbage);
            // Silence long enough to give up whatever the garbage began.
            rig.pass(Duration::from_secs(20));
            rig.take();
            let (bytes, wanted) = samples::of(info.name)[0];
            rig.bytes(bytes);
            assert!(format!("{:?}", rig.log).contains(wanted), "{} seed {seed}: {:?}", info.name, rig.log);
            assert!(common::anomalies(&rig.log).is_empty(), "{} seed {seed}", info.name);
        }
    }
}

#[test]
fn ranges_lie_within_the_bytes_that_came() {
    for info in every() {
        let bytes = noisy(info, 7, 20_000);
        let mut rig = Rig::new(info);
        let mut came = 0;
        for piece in bytes.chunks(33) {
            rig.bytes(piece);
            came += piece.len() as u64;
            for (_, output) in rig.take() {
                if let Output::Event { bytes, .. } | Output::Anomaly { bytes, .. } = output {
                    assert!(bytes.start <= bytes.end && bytes.end <= came, "{}: {bytes:?}", info.name);
                }
            }
        }
    }
}

#[test]
fn nothing_is_sent_unless_the_link_is_up_and_only_what_is_harmless_then() {
    for info in every() {
        for up in [false, true] {
            let mut rig = Rig::new(info);
            let bytes = noisy(info, 3, 5000);
            if up {
                rig.feed(Instant::ZERO, Input::LinkUp);
            }
            for piece in bytes.chunks(50) {
                rig.pass(Duration::from_millis(130));
                rig.bytes(piece);
            }
            rig.command(DeviceCommand::ReadBoard);
            rig.pass(Duration::from_secs(100));
            for (_, bytes) in common::sent(&rig.log) {
                assert!(!bytes.is_empty());
                let harmless = match info.name {
                    "dgt" => matches!(bytes[..], [0x40..=0x4d | 0x55..=0x58] | [0x2b, 3, 3, 9, 0]) && bytes != [0x4a],
                    // V, S, R01, R02: nothing is written and nothing is lit.
                    "chesslink" => [V, S, R01, R02].contains(&&bytes[..]),
                    "dgt_pegasus" => matches!(bytes[..], [0x42 | 0x44 | 0x45 | 0x47 | 0x4c | 0x4d | 0x55]),
                    "template" => continue,
                    other => panic!("say what {other} may send"),
                };
                assert!(up, "a passive driver asks nothing");
                assert!(harmless, "{}: {bytes:x?}", info.name);
            }
        }
    }
}
