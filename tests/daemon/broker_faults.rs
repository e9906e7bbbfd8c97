//! Brokers that are killed, stopped and started again, lines that are cut, daemons that die: nothing is lost, the order stays, what
//! is retained is soon right again, and memory does not grow while nobody listens.

mod checks;
mod day_offline;
mod fault_run;
mod order;

use crate::support::seeds::side_by_side;

/// Evenings at a time: each has a broker, a daemon and two boards of its own.
const AT_ONCE: usize = 4;

/// Each evening has ten faults of its broker.
#[test]
fn nothing_is_lost_when_the_broker_dies_at_forty_moments() {
    side_by_side("broker kills", AT_ONCE, 0..4, fault_run::play_seed);
}
