//! The daemon: threads, channels, and who owns what.
//!
//! ```text
//!  port thread ─▶ inbox ─▶ station thread ─▶ outbox ─▶ network (tokio, the main thread) ─▶ broker
//!   one a link              one a board   ─▶ journal thread: one wait for all boards, reads events back
//!                                         ─▶ worker: questions that take long
//! ```
//!
//! A station thread owns its journal and waits for nothing but its inbox. The supervisor, on the main thread, looks once a
//! second who hangs, whether the wall clock moved, and tells systemd that all is well while it is.

mod acks;
mod board;
mod boot;
mod device;
mod disk;
mod disk_queue;
mod fence;
mod inbox;
mod intake;
mod line;
mod link;
mod live;
mod message;
mod network;
mod node;
mod outlet;
mod pace;
mod parked;
mod plan;
mod pulse;
mod shared;
mod station;
mod submission;
mod supervisor;
mod timeline;
mod worker;

pub use board::Patience;
pub use link::Wanted;
pub use plan::{Plan, node_name, plans};
pub use supervisor::{Daemon, Ended};
