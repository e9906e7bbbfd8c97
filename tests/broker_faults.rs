//! Brokers that are killed, stopped and started again, lines that are cut, daemons that die: nothing is lost, the order stays, what
//! is retained is soon right again, and memory does not grow while nobody listens.

mod mqtt_support;

#[path = "broker_faults/checks.rs"]
mod checks;
#[allow(dead_code, reason = "each test file uses a part of it")]
#[path = "end_to_end/contract.rs"]
mod contract;
#[allow(dead_code, reason = "each test file uses a part of it")]
#[path = "bench/counting.rs"]
mod counting;
#[path = "broker_faults/day.rs"]
mod day;
#[path = "broker_faults/evening.rs"]
mod evening;
#[path = "broker_faults/order.rs"]
mod order;
#[allow(dead_code, reason = "each test file uses a part of it")]
#[path = "end_to_end/rig.rs"]
mod rig;
#[allow(dead_code, reason = "each test file uses a part of it")]
#[path = "bench/stream.rs"]
mod stream;
#[allow(dead_code, reason = "each test file uses a part of it")]
#[path = "end_to_end/watch.rs"]
mod watch;

use std::ops::Range;

use mqtt_support::thread;

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
