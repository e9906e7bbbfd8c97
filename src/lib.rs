//! flagfall: the bridge between electronic chess boards and clocks and the programs and people that need to know what happens on
//! them.
//!
//! | module | for |
//! | --- | --- |
//! | [`wire`] | the messages on the wire: topics, headers, bodies |
//! | [`journal`] | the record of everything, written before it is handled or sent |
//! | [`arbiter`] | commands: who may do what, and the answers |
//! | [`mqtt`] | the outbox, and the connection to the broker |
//! | [`publish`] | from the game's effects to messages |
//! | [`session`] | one recorded board: input → driver → game → messages; deterministic |
//! | [`daemon`] | threads and channels: stations, disk thread, worker, network |
//! | [`config`] | the configuration: its keys and how it is read |
//! | [`calibration`] | the file with what a driver must know about one board |
//! | [`import`] | captures of other programs, turned into traces |
//! | [`system_clock`] | the one place that reads the clocks of the operating system |
//! | [`broker`] | an MQTT broker in this program |
//! | [`emulate`] | emulated boards that play |
//! | [`health`] | the state of this machine |
//! | [`cli`] | the commands |

pub mod arbiter;
#[cfg(feature = "broker")]
pub mod broker;
pub mod calibration;
pub mod cli;
pub mod config;
pub mod daemon;
pub mod emulate;
pub mod health;
pub mod import;
pub mod journal;
pub mod mqtt;
pub mod publish;
pub mod session;
pub mod system_clock;
pub mod wire;
