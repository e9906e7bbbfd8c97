//! Bytes that are nearly right, for parsers that must take anything.
//!
//! The module depends on [`seeds`](super::seeds) only, so that unit tests can include both.
#![allow(dead_code, reason = "each test program uses a part of it")]

use std::panic::{AssertUnwindSafe, catch_unwind};

use super::seeds::mixed;

/// The bytes of one seed for each parser.
pub(crate) const BYTES: usize = 1_000_000;
/// Numbers at the bounds of types.
const NUMBERS: [&str; 10] = [
    "0",
    "-1",
    "255",
    "65536",
    "4294967295",
    "4294967296",
    "9223372036854775807",
    "18446744073709551615",
    "99999999999999999999",
    "1e999",
];

/// Calls `one` for new inputs, each with a generator of its own, until this number of bytes was used.
pub(crate) fn run_until(campaign: u64, bytes: usize, mut one: impl FnMut(&mut fastrand::Rng) -> usize) -> u64 {
    let (mut done, mut seed) = (0, mixed(0x666c_6167, campaign));
    while done < bytes {
        seed = seed.wrapping_add(1);
        let mut random = fastrand::Rng::with_seed(seed);
        match catch_unwind(AssertUnwindSafe(|| one(&mut random))) {
            Ok(length) => done += length.max(1),
            Err(_) => panic!("text {seed}"),
        }
    }
    done as u64
}

/// Like [`run_until`] for inputs that are [`mutated_bytes`] of these samples. A failure shows the input.
pub(crate) fn take_anything<T: AsRef<[u8]>>(
    campaign: u64,
    bytes: usize,
    samples: &[T],
    mut take: impl FnMut(&mut fastrand::Rng, &[u8]),
) -> u64 {
    run_until(campaign, bytes, |random| {
        let input = mutated_bytes(random, samples);
        let taken = catch_unwind(AssertUnwindSafe(|| take(random, &input)));
        assert!(taken.is_ok(), "of this input: {:?}", String::from_utf8_lossy(&input));
        input.len()
    })
}

/// A valid text with some characters changed, dropped or doubled, or plain noise.
pub(crate) fn mutated<T: AsRef<[u8]>>(random: &mut fastrand::Rng, samples: &[T]) -> String {
    String::from_utf8_lossy(&mutated_bytes(random, samples)).into_owned()
}

/// A valid input with some bytes changed, dropped or doubled and some numbers replaced, or plain noise.
pub(crate) fn mutated_bytes<T: AsRef<[u8]>>(random: &mut fastrand::Rng, samples: &[T]) -> Vec<u8> {
    let mut bytes = samples[random.usize(..samples.len())].as_ref().to_vec();
    if random.u8(..) < 15 {
        bytes = (0..random.usize(..200)).map(|_| random.u8(..)).collect();
    }
    for _ in 0..random.usize(..6) {
        if bytes.is_empty() {
            break;
        }
        let at = random.usize(..bytes.len());
        match random.u8(..16) {
            0..4 => bytes[at] = random.u8(..),
            4..7 => drop(bytes.remove(at)),
            7..10 => bytes.insert(at, random.u8(b' '..=b'~')),
            10 => bytes.truncate(at),
            11 | 12 => {
                let piece = bytes[at..(at + random.usize(1..200)).min(bytes.len())].to_vec();
                let place = random.usize(..=bytes.len());
                bytes.splice(place..place, piece);
            }
            _ => {
                let is_digit = |byte: &u8| byte.is_ascii_digit();
                let Some(begin) = bytes[at..].iter().position(is_digit).map(|digits| at + digits) else { continue };
                let end = begin + bytes[begin..].iter().take_while(|byte| is_digit(byte)).count();
                bytes.splice(begin..end, NUMBERS[random.usize(..NUMBERS.len())].bytes());
            }
        }
    }
    bytes
}
