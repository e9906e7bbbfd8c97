//! Brokers that are killed, stopped and started again, connections that are cut, daemons that die: no event is lost, the order stays,
//! retained states are soon right again, and memory does not grow while there is no broker.

mod checks;
mod day_offline;
mod fault_run;
mod order;

use crate::support::seeds::side_by_side;

/// The number of runs at a time: each has a broker, a daemon and two boards of its own.
const AT_ONCE: usize = 4;

/// The broker of a run has ten faults.
#[test]
fn nothing_is_lost_when_the_broker_dies_at_ten_moments() {
    // The daemon starts twice while a move waits for the public.
    let two_starts = 1_795_550_430_000_002;
    side_by_side("broker kills", AT_ONCE, [two_starts], fault_run::play_seed);
}
