//! Runs the daemon: this module contains its threads and the queues between them.
//!
//! ```text
//!  links, radio ─▶ inbox ─▶ station thread ─▶ outbox ─▶ network (tokio, the main thread) ─▶ broker
//!   one for all             one a board    ─▶ journal thread: one wait for all boards, reads events back
//!                                          ─▶ worker: questions that take long
//! ```
//!
//! A station thread owns its journal and waits only for its inbox. The supervisor runs on the main thread. Once a second it
//! checks whether a thread hangs and whether the wall clock moved, and it reports to systemd that the program works.

mod acks;
mod alerts;
mod boot;
mod command_receiver;
mod device;
mod disk;
mod disk_queue;
mod fenced_journal;
mod heartbeat;
mod inbox;
mod line;
mod link;
mod live;
mod message;
mod network;
mod node;
mod output_router;
mod parked;
mod pgn_rate_limit;
mod quiet;
mod shared;
mod state_rate_limit;
mod station;
mod station_config;
mod submission;
mod supervised_station;
mod supervisor;
mod tap;
mod timeline;
mod watchdog;
mod worker;

pub use link::Wanted;
pub use quiet::Quiet;
pub use station_config::{StationConfig, judge, load, station_configs};

pub use crate::config::node_name;
pub use supervised_station::Patience;
pub use supervisor::Daemon;
