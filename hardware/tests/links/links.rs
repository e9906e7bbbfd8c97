//! Tests of replay, tap and faults: links that are built from other links and from recordings.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use flagfall_hardware::faulty::{Faults, FaultyLink, Made, Rates, damage};
use flagfall_hardware::link::{Link, LinkError};
use flagfall_hardware::replay::Replay;
use flagfall_hardware::tap::{Direction, Tap};
use flagfall_protocols::time::Instant;
use proptest::prelude::*;

const SECOND: Duration = Duration::from_secs(1);

fn pieces(count: u64) -> Vec<(Instant, Vec<u8>)> {
    (0..count).map(|n| (Instant(n * 10_000), vec![0x8e, 0x00, 0x05, (n % 64) as u8, (n % 13) as u8])).collect()
}

fn bytes_of(pieces: &[(Instant, Vec<u8>)]) -> Vec<u8> {
    pieces.iter().flat_map(|(_, bytes)| bytes.clone()).collect()
}

#[test]
fn a_replay_gives_its_bytes_and_keeps_the_written_ones() {
    let mut link = Replay::new([(Instant(5), vec![1, 2, 3]), (Instant(6), vec![]), (Instant(9), vec![4])]);
    let mut buffer = [0; 2];
    link.write(&[0x40]).unwrap();
    assert_eq!((link.read(&mut buffer, SECOND).unwrap(), buffer, link.at()), (2, [1, 2], Instant(5)));
    assert_eq!((link.read(&mut buffer, SECOND).unwrap(), buffer[0], link.at()), (1, 3, Instant(5)));
    link.write(&[0x42]).unwrap();
    assert_eq!((link.read(&mut buffer, SECOND).unwrap(), buffer[0], link.at()), (1, 4, Instant(9)));
    assert!(matches!(link.read(&mut buffer, SECOND), Err(LinkError::Unplugged)));
    assert_eq!(link.written(), [(Instant(0), vec![0x40]), (Instant(5), vec![0x42])]);
    link.close();
    assert!(matches!(link.write(&[0]), Err(LinkError::Unplugged)));
}

#[test]
fn a_replay_keeps_a_bounded_number_of_written_bytes() {
    let mut link = Replay::new([]);
    for _ in 0..Replay::MAX_WRITTEN {
        link.write(&[0]).unwrap();
    }
    assert!(matches!(link.write(&[0]), Err(LinkError::Refused)));
}

#[test]
fn a_tap_copies_all_bytes_with_the_callers_time() {
    let test_link = Arc::new(Mutex::new(Vec::new()));
    let sink = Arc::clone(&test_link);
    let mut clock = 0;
    let now = move || {
        clock += 100;
        Instant(clock)
    };
    let replay = Replay::new([(Instant(1), vec![1, 2]), (Instant(2), vec![3])]);
    let mut link = Tap::new(replay, now, move |direction, at, bytes: &[u8]| {
        sink.lock().unwrap().push((direction, at, bytes.to_vec()));
    });
    let mut buffer = [0; 8];
    link.write(&[0x40]).unwrap();
    link.read(&mut buffer, SECOND).unwrap();
    link.read(&mut buffer, SECOND).unwrap();
    link.read(&mut buffer, SECOND).unwrap_err();
    link.close();
    link.write(&[0x42]).unwrap_err();
    assert_eq!(
        *test_link.lock().unwrap(),
        [
            (Direction::Tx, Instant(100), vec![0x40]),
            (Direction::Rx, Instant(200), vec![1, 2]),
            (Direction::Rx, Instant(300), vec![3]),
            (Direction::Tx, Instant(400), vec![0x42]),
        ],
        "a piece that could not be written was copied nevertheless"
    );
    assert_eq!(link.into_link().written(), [(Instant(0), vec![0x40])]);
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
fn a_faulty_link_gives_what_the_pure_function_gives() {
    let stream = pieces(300);
    let rates = Rates { longest_delay: Duration::ZERO, silence: 0.0, ..Rates::ROUGH };
    let mut link = FaultyLink::new(Replay::new(stream.clone()), Faults::new(5, rates), || Instant::ZERO);
    let mut got = Vec::new();
    let mut buffer = [0; 3];
    let end = loop {
        match link.read(&mut buffer, SECOND) {
            Ok(count) => got.extend_from_slice(&buffer[..count]),
            Err(LinkError::TimedOut) => {}
            Err(end) => break end,
        }
    };
    assert!(matches!(end, LinkError::Unplugged));
    assert_eq!(got, bytes_of(&damage(5, rates, &stream)));
}

#[test]
fn a_faulty_link_waits_for_delayed_bytes() {
    /// A link that gives one byte and then nothing. It advances the clock by each requested wait.
    struct Slow(bool, Arc<Mutex<Instant>>);
    impl Link for Slow {
        fn read(&mut self, buffer: &mut [u8], timeout: Duration) -> Result<usize, LinkError> {
            if std::mem::replace(&mut self.0, false) {
                buffer[0] = 0x55;
                return Ok(1);
            }
            let mut now = self.1.lock().unwrap();
            *now = now.after(timeout);
            Err(LinkError::TimedOut)
        }
        fn write(&mut self, _: &[u8]) -> Result<(), LinkError> {
            Ok(())
        }
        fn close(&mut self) {}
    }
    let time = Arc::new(Mutex::new(Instant(1_000)));
    let clock = Arc::clone(&time);
    let rates = Rates { delay: 1.0, longest_delay: Duration::from_secs(10), ..Rates::default() };
    let due = damage(1, rates, &[(Instant(1_000), vec![0x55])])[0].0;
    let mut link = FaultyLink::new(Slow(true, Arc::clone(&time)), Faults::new(1, rates), move || *clock.lock().unwrap());
    let mut buffer = [0; 8];
    let mut timed_out = 0;
    while let Err(error) = link.read(&mut buffer, SECOND) {
        assert!(matches!(error, LinkError::TimedOut));
        timed_out += 1;
        assert!(timed_out < 12);
    }
    assert_eq!((*time.lock().unwrap(), buffer[0]), (due, 0x55), "exactly when it is due");
    assert_eq!(timed_out, (due.since(Instant(1_000)).as_secs()) as usize);
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
