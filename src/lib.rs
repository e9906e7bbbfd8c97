//! flagfall: the bridge between electronic chess boards and clocks and everyone who must know what happens on them.
//!
//! | module | for |
//! | --- | --- |
//! | [`station`] | one board: input → driver → game → messages; deterministic |
//! | [`journal`] | the record of everything, written before it is handled or sent |
//! | [`replay`] | a trace or journal fed to a station again |
//! | [`recorder`] | a station with its journal |
//! | [`restart`] | a station rebuilt from its journal, and what was recorded compared with what comes out |
//! | [`import`] | captures of other programs, turned into traces |
//! | [`publish`] | topics and payloads |
//! | [`calibration`] | the file that says of one board what its family must be told |
//! | [`config`] | what can be configured, and how it is read |
//! | [`wall`] | the one place that asks for the time |
//! | [`anchor`] | what time it was: records of the journal |
//! | [`arbiter`] | commands: who may do what, and the answers |
//! | [`broker`] | an MQTT broker in this program |
//! | [`daemon`] | threads and channels: stations, journal writer, worker, network |
//! | [`emulate`] | emulated boards that play |
//! | [`health`] | how this machine is |
//! | [`cli`] | the commands |

pub mod anchor;
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
pub mod publish;
pub mod recorder;
pub mod replay;
pub mod restart;
pub mod station;
pub mod wall;
