//! Feeds seeded random and mutated bytes to every decoder: nothing panics, and each message is written as it was read.
//!
//! One seed gives 10^6 bytes for each decoder; `tests/soak` continues with new seeds.

mod line;

use flagfall_protocols::driver::{DeviceCommand, Driver, DriverInfo, Example, Input, Output};
use flagfall_protocols::drivers::dgt::board::{BoardMessage, MAX_MESSAGE};
use flagfall_protocols::drivers::dgt::clock::ClockMessage;
use flagfall_protocols::drivers::dgt::clock_reader::ClockReader;
use flagfall_protocols::drivers::dgt::ee::EeReader;
use flagfall_protocols::drivers::dgt::framing::{Framed, Framing};
use flagfall_protocols::drivers::dgt::host_decoder::{HostDecoder, HostItem};
use flagfall_protocols::time::Instant;

use crate::common::samples;
use crate::seeds::{campaign, mixed};

/// The number of bytes of one seed.
const BYTES: usize = 1_000_000;

/// A source of portions of bytes: noise, noise of seven bits, good messages, and good messages with an error.
struct Source {
    rng: fastrand::Rng,
    good: &'static [Example],
    /// The channel of the last portion.
    channel: u8,
    portion: Vec<u8>,
    left: usize,
}

impl Source {
    fn new(driver: &'static str, total: usize, seed: u64) -> Source {
        Source { rng: random(0xf1a6, seed), good: samples::of(driver), channel: 0, portion: Vec::new(), left: total }
    }

    fn next(&mut self) -> Option<&[u8]> {
        if self.left == 0 {
            return None;
        }
        let rng = &mut self.rng;
        self.portion.clear();
        match rng.u8(..8) {
            0 => {
                self.portion.resize(rng.usize(1..100), 0);
                rng.fill(&mut self.portion);
            }
            1 => {
                // A header that is often right, and data of seven bits.
                self.portion.resize(rng.usize(4..200), 0);
                rng.fill(&mut self.portion);
                self.portion.iter_mut().for_each(|byte| *byte &= 0x7f);
                self.portion[0] = rng.u8(0x86..=0xa5);
                let total = self.portion.len();
                (self.portion[1], self.portion[2]) = ((total >> 7) as u8, (total & 0x7f) as u8);
            }
            kind => {
                let first = &self.good[rng.usize(..self.good.len())];
                self.channel = first.channel;
                self.portion.extend_from_slice(first.bytes);
                for _ in 0..rng.usize(0..7) {
                    let other = &self.good[rng.usize(..self.good.len())];
                    if other.channel == self.channel {
                        self.portion.extend_from_slice(other.bytes);
                    }
                }
                if kind < 6 {
                    let at = rng.usize(..self.portion.len());
                    match kind {
                        2 => self.portion[at] ^= 1 << rng.u8(..8),
                        3 => self.portion.truncate(at.max(1)),
                        4 => drop(self.portion.remove(at)),
                        _ => self.portion.insert(at, rng.u8(..)),
                    }
                }
            }
        }
        self.left = self.left.saturating_sub(self.portion.len());
        Some(&self.portion)
    }
}

/// Returns a generator for this seed; seed 0 always gives the same numbers.
fn random(own: u64, seed: u64) -> fastrand::Rng {
    fastrand::Rng::with_seed(mixed(own, seed))
}

fn framing(total: usize, seed: u64) {
    let (mut source, mut framing, mut clock) = (Source::new("dgt", total, seed), Framing::default(), ClockReader::default());
    let (mut again, mut seen, mut covered) = (Vec::new(), 0u64, 0u64);
    while let Some(bytes) = source.next() {
        for &byte in bytes {
            seen += 1;
            let Some(framed) = framing.push(byte) else { continue };
            // Every byte belongs to one message or one anomaly: none is lost silently.
            let (Framed::Message { at, .. } | Framed::Anomaly { at, .. }) = framed;
            assert_eq!(at.start, covered);
            covered = at.end;
            if let Framed::Message { id, data, at } = framed {
                assert!(data.len() + 3 <= MAX_MESSAGE && at.end - at.start == data.len() as u64 + 3);
                let message = BoardMessage::decode(id, data).expect("framing and messages agree on lengths");
                again.clear();
                message.encode(&mut again);
                assert!(again[0] == id && again[3..] == *data);
                if let BoardMessage::Clock(raw) = message {
                    clock.read(&raw);
                }
            }
        }
        assert!(covered <= seen && seen - covered < 16384);
    }
}

fn clock(total: usize, seed: u64) {
    let (mut rng, mut reader) = (random(2, seed), ClockReader::default());
    let mut seven = [0; 7];
    for n in 0..total / 7 {
        if n % 3 == 0 {
            rng.fill(&mut seven);
            seven.iter_mut().for_each(|byte| *byte &= 0x7f);
        } else {
            // These bytes are close to valid ones.
            seven[rng.usize(..7)] = rng.u8(..0x60);
        }
        reader.read(&seven);
        let message = ClockMessage::decode(&seven);
        assert_eq!(ClockMessage::decode(&message.encode()), message);
    }
}

fn log(total: usize, seed: u64) {
    let mut rng = random(3, seed);
    let (mut data, mut again) = (Vec::new(), Vec::new());
    let mut done = 0;
    while done < total {
        data.resize(rng.usize(1..7936), 0);
        rng.fill(&mut data);
        // The end mark is common in noise; most logs go without it.
        let keep = rng.u8(..4) == 0;
        data.iter_mut().for_each(|byte| *byte = if !keep && *byte & 0x7f == 0x6b { 0x40 } else { *byte & 0x7f });
        done += data.len();
        again.clear();
        let mut end = 0;
        for (tag, taken) in EeReader::new(&data) {
            tag.encode(&mut again);
            tag.entry();
            end = taken.end;
        }
        assert!(again == data[..end]);
    }
}

fn host(total: usize, seed: u64) {
    let mut rng = random(4, seed);
    let (mut decoder, mut bytes, mut again) = (HostDecoder::new(), [0u8; 64], Vec::new());
    for _ in 0..total / bytes.len() {
        rng.fill(&mut bytes);
        match rng.u8(..3) {
            0 => {}
            1 => bytes.iter_mut().for_each(|byte| *byte &= 0x7f),
            _ => {
                bytes.iter_mut().for_each(|byte| *byte &= 0x0f);
                for at in (0..60).step_by(17) {
                    bytes[at] = [0x2b, 0x2c, 0x60, 0x42][at % 4];
                }
            }
        }
        for &byte in &bytes {
            if let Some(HostItem::Message(message)) = decoder.push(byte) {
                again.clear();
                message.encode(&mut again);
                let mut fresh = HostDecoder::new();
                let read = again.iter().fold(None, |_, &byte| fresh.push(byte));
                assert!(read == Some(HostItem::Message(message)), "{again:x?}");
            }
        }
    }
}

fn session(info: &'static DriverInfo, total: usize, seed: u64) {
    let mut source = Source::new(info.name, total, seed);
    let mut rng = random(5, seed);
    let mut driver = info.start();
    let (mut now, mut seen) = (Instant::ZERO, 0u64);
    give(&mut *driver, now, Input::LinkUp, 0);
    while let Some(bytes) = source.next() {
        let span = if rng.u8(..20) == 0 { 3_000_000 } else { 60_000 };
        now = Instant(now.micros() + rng.u64(..span));
        let mut steps = 0;
        while let Some(deadline) = driver.deadline().filter(|&deadline| deadline < now) {
            steps += 1;
            assert!(steps < 1000, "a deadline that is fed must go away: {deadline:?} before {now:?}");
            give(&mut *driver, deadline, Input::Deadline, seen);
        }
        seen += bytes.len() as u64;
        let bytes = bytes.to_vec();
        give(&mut *driver, now, Input::Bytes { channel: source.channel, bytes: &bytes }, seen);
        let command = match rng.u16(..1000) {
            0 => Input::LinkDown,
            1..=3 => Input::LinkUp,
            4 => Input::Command(DeviceCommand::ReadLog),
            5 => Input::Command(DeviceCommand::ReadBattery),
            6 => Input::Command(DeviceCommand::ReadBoard),
            _ => continue,
        };
        give(&mut *driver, now, command, seen);
    }
}

fn give(driver: &mut dyn Driver, at: Instant, input: Input<'_>, seen: u64) {
    driver.handle(at, input);
    while let Some(output) = driver.poll() {
        if let Output::Event { bytes, .. } | Output::Anomaly { bytes, .. } = output {
            assert!(bytes.start <= bytes.end && bytes.end <= seen);
        }
    }
    assert!(driver.deadline().is_none_or(|deadline| deadline >= at), "time does not run backwards");
}

/// Feeds the bytes of a seed and returns their number.
fn bytes(seed: u64, feed: impl FnOnce(usize, u64)) -> u64 {
    feed(BYTES, seed);
    BYTES as u64
}

#[test]
fn dgt_framing() {
    campaign("fuzz of the framing of DGT boards", 0..1, |seed| bytes(seed, framing));
}

#[test]
fn dgt_clock() {
    campaign("fuzz of messages of the DGT clock", 0..1, |seed| bytes(seed, clock));
}

#[test]
fn dgt_log() {
    campaign("fuzz of the log of DGT boards", 0..1, |seed| bytes(seed, log));
}

#[test]
fn dgt_host() {
    campaign("fuzz of what DGT boards receive", 0..1, |seed| bytes(seed, host));
}

#[test]
fn dgt_bus_line() {
    campaign("fuzz of a line of DGT boards", 0..1, |seed| bytes(seed, line::line));
}

#[test]
fn sessions() {
    campaign("fuzz of every driver", 0..1, |seed| {
        samples::every().map(|info| bytes(seed, |total, seed| session(info, total, seed))).sum()
    });
}
