//! Drivers: memory is bounded after any input, and nothing is allocated while a game is read.

use flagfall_protocols::driver::{Driver, Input};
use flagfall_protocols::drivers::DRIVERS;
use flagfall_protocols::time::Instant;

use crate::counting;

fn feed(driver: &mut dyn Driver, at: Instant, channel: u8, bytes: &[u8]) {
    driver.handle(at, Input::Bytes { channel, bytes });
    while driver.poll().is_some() {}
}

#[test]
fn memory_is_bounded_and_steady_state_allocates_nothing() {
    for info in DRIVERS {
        let mut rng = fastrand::Rng::with_seed(1);
        let mut noise = vec![0; 4096];
        let mut driver = info.start();
        // The outputs of one input of 4 kB are the largest part: they cannot be more than its bytes.
        let (kept, peak) = counting::held(|| {
            for n in 0..500 {
                rng.fill(&mut noise);
                if n % 2 == 0 {
                    // The input is only the data of one long message after another.
                    noise.iter_mut().for_each(|byte| *byte &= 0x7f);
                    noise[..3].copy_from_slice(&[0x8f, 0x1f, 0x03]);
                }
                feed(&mut *driver, Instant(n), info.examples[n as usize % info.examples.len()].channel, &noise);
            }
        });
        assert!(peak < 4 << 20, "{}: {peak} bytes at most", info.name);
        assert!(kept < 64 << 10, "{}: {kept} bytes kept", info.name);

        // In steady state nothing is allocated: the first two examples are what a game consists of.
        let mut driver = info.start();
        let game = &info.examples[..info.examples.len().min(2)];
        game.iter().for_each(|example| feed(&mut *driver, Instant(0), example.channel, example.bytes));
        let calls = counting::during(|| {
            for n in 0..10_000 {
                let example = &game[n as usize % game.len()];
                feed(&mut *driver, Instant(n), example.channel, example.bytes);
            }
        });
        assert_eq!(calls, 0, "{}: allocations while a game is read", info.name);
    }
}
