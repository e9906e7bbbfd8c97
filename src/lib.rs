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
//! | [`cli`] | the commands |

pub mod cli;
pub mod import;
pub mod journal;
pub mod publish;
pub mod recorder;
pub mod replay;
pub mod restart;
pub mod station;
