//! Tests of faults, and of the errors of links.

use std::time::Duration;

use flagfall_hardware::faulty::{Faults, Made, Rates, damage};
use flagfall_hardware::link::LinkError;
use flagfall_protocols::time::Instant;
use proptest::prelude::*;

fn pieces(count: u64) -> Vec<(Instant, Vec<u8>)> {
    (0..count).map(|n| (Instant(n * 10_000), vec![0x8e, 0x00, 0x05, (n % 64) as u8, (n % 13) as u8])).collect()
}

fn bytes_of(pieces: &[(Instant, Vec<u8>)]) -> Vec<u8> {
    pieces.iter().flat_map(|(_, bytes)| bytes.clone()).collect()
}

#[test]
fn without_fault_rates_there_is_no_damage() {
    let stream = pieces(500);
    assert_eq!(damage(1, Rates::default(), &stream), stream);
}

#[test]
fn a_seed_determines_the_damage() {
    let stream = pieces(2_000);
    let first = damage(7, Rates::ROUGH, &stream);
    assert_eq!(first, damage(7, Rates::ROUGH, &stream));
    assert_ne!(first, damage(8, Rates::ROUGH, &stream));
    assert_ne!(first, stream);
}

#[test]
fn each_fault_causes_only_its_own_damage() {
    let stream = pieces(1_000);
    let raw = bytes_of(&stream);
    let run = |rates: Rates| {
        let mut faults = Faults::new(3, rates);
        let mut out = Vec::new();
        stream.iter().for_each(|(at, bytes)| faults.piece(*at, bytes, &mut out));
        (out, faults.made())
    };
    let none = Made::default();

    let (out, made) = run(Rates { drop: 0.1, ..Rates::default() });
    assert_eq!(bytes_of(&out).len() as u64, raw.len() as u64 - made.dropped);
    assert!((300..700).contains(&made.dropped), "{made:?}");
    assert_eq!(made, Made { dropped: made.dropped, ..none });

    let (out, made) = run(Rates { flip: 0.1, ..Rates::default() });
    let flipped: u32 = bytes_of(&out).iter().zip(&raw).map(|(a, b)| (a ^ b).count_ones()).sum();
    assert_eq!(made, Made { flipped: u64::from(flipped), ..none });
    assert!(flipped > 300);

    let (out, made) = run(Rates { duplicate: 0.1, ..Rates::default() });
    assert_eq!(bytes_of(&out).len() as u64, raw.len() as u64 + made.duplicated);
    assert_eq!(made, Made { duplicated: made.duplicated, ..none });
    assert!(made.duplicated > 300);

    let longest_delay = Duration::from_millis(35);
    let (out, made) = run(Rates { delay: 0.5, longest_delay, ..Rates::default() });
    assert_eq!(bytes_of(&out), raw);
    assert_eq!(made, Made { delayed: made.delayed, ..none });
    assert!(out.iter().zip(&stream).all(|((late, _), (at, _))| late >= at && late.since(*at) <= longest_delay));
    assert!(out.windows(2).all(|pair| pair[0].0 <= pair[1].0), "a line keeps its order");
    assert!(out.iter().zip(&stream).filter(|((late, _), (at, _))| late != at).count() > 400);

    let (out, made) = run(Rates { cut: 1.0, ..Rates::default() });
    assert_eq!((bytes_of(&out), out.len()), (raw.clone(), 2 * stream.len()));
    assert_eq!(made, Made { cut: 1_000, ..none });

    let (out, made) = run(Rates { silence: 0.01, silence_lasts: Duration::from_millis(95), ..Rates::default() });
    assert!(made.silences > 0 && made.silenced > 0);
    assert_eq!(bytes_of(&out).len() as u64, raw.len() as u64 - made.silenced);
    assert_eq!(made.silenced, made.silences * 9 * 5, "nine pieces of five bytes each time");

    let (out, made) = run(Rates { garbage: 0.1, longest_garbage: 7, ..Rates::default() });
    assert_eq!(bytes_of(&out).len() as u64, raw.len() as u64 + made.garbage);
    assert!(stream.iter().all(|piece| out.contains(piece)));
    assert_eq!(made, Made { garbage: made.garbage, ..none });

    let (out, made) = run(Rates { start_mid_message: true, ..Rates::default() });
    assert_eq!(bytes_of(&out), &raw[made.beheaded as usize..]);
    assert!(made.beheaded < 5);
}

#[test]
fn system_errors_become_link_errors() {
    use std::io::{Error, ErrorKind};
    let name = |error: Error| format!("{}", LinkError::from(error));
    assert_eq!(name(Error::from_raw_os_error(5)), "unplugged");
    assert_eq!(name(Error::from_raw_os_error(6)), "unplugged");
    assert_eq!(name(Error::from_raw_os_error(19)), "unplugged");
    assert_eq!(name(ErrorKind::NotFound.into()), "unplugged");
    assert_eq!(name(ErrorKind::BrokenPipe.into()), "unplugged");
    assert_eq!(name(ErrorKind::ConnectionRefused.into()), "refused");
    assert_eq!(name(ErrorKind::TimedOut.into()), "timed out");
    assert_eq!(name(Error::from_raw_os_error(16)), "busy: another program has it open");
    assert_eq!(name(Error::from_raw_os_error(13)), "permission denied");
    assert!(matches!(LinkError::from(Error::from(ErrorKind::InvalidData)), LinkError::Other(_)));
}

proptest! {
    #[test]
    fn damage_keeps_order_and_never_comes_early(
        seed in any::<u64>(),
        steps in proptest::collection::vec((0u64..500_000, proptest::collection::vec(any::<u8>(), 0..40)), 0..60),
    ) {
        let mut at = 0;
        let stream: Vec<_> = steps.into_iter().map(|(step, bytes)| { at += step; (Instant(at), bytes) }).collect();
        let rates = Rates { garbage: 0.3, silence: 0.1, delay: 0.3, ..Rates::ROUGH };
        let out = damage(seed, rates, &stream);
        prop_assert!(out.windows(2).all(|pair| pair[0].0 <= pair[1].0));
        prop_assert!(out.iter().all(|(_, bytes)| !bytes.is_empty()));
        prop_assert!(out.len() <= 3 * stream.len());
    }
}
