//! Brokers that are killed, stopped and started again, lines that are cut, daemons that die: nothing is lost, the order stays, what
//! is retained is soon right again, and memory does not grow while nobody listens.

mod checks;
mod day;
mod evening;
mod order;

use std::ops::Range;

use crate::support::mqtt::thread;

/// Evenings at a time: each has a broker, a daemon and two boards of its own.
const AT_ONCE: usize = 4;

/// Each evening has ten faults of its broker.
fn evenings(seeds: Range<u64>) {
    let seeds: Vec<u64> = seeds.collect();
    for some in seeds.chunks(AT_ONCE) {
        let threads: Vec<_> =
            some.iter().map(|&seed| (seed, thread(&format!("evening {seed}"), move || evening::spend(seed)))).collect();
        let failed: Vec<u64> = threads.into_iter().filter_map(|(seed, thread)| thread.join().err().map(|_| seed)).collect();
        assert!(failed.is_empty(), "seeds {failed:?}");
    }
}

#[test]
fn nothing_is_lost_when_the_broker_dies_at_forty_moments() {
    evenings(0..4);
}

#[test]
#[ignore = "takes some minutes"]
fn nothing_is_lost_when_the_broker_dies_at_two_hundred_moments() {
    evenings(4..24);
}
