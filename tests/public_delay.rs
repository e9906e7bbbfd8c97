//! Nothing is public early: over restarts, wall clocks that jump by an hour, and through the whole daemon.

mod mqtt_support;
mod support;

#[allow(dead_code, reason = "each test file uses a part of it")]
#[path = "end_to_end/contract.rs"]
mod contract;
#[path = "public_delay/jumps.rs"]
mod jumps;
#[path = "public_delay/process.rs"]
mod process;
#[allow(dead_code, reason = "each test file uses a part of it")]
#[path = "end_to_end/rig.rs"]
mod rig;
#[allow(dead_code, reason = "each test file uses a part of it")]
#[path = "end_to_end/watch.rs"]
mod watch;
