//! Runs one board with its journal, without threads: the same inputs always give the same outputs.
//!
//! | module | for |
//! | --- | --- |
//! | [`station`] | input → driver → game → messages |
//! | [`setting`] | what a session begins with, and the head of its journal that records it |
//! | [`recorder`] | a station with its journal |
//! | [`record_input`] | the input that a record holds |
//! | [`restore`] | a station is rebuilt from its journal, and its outputs are compared with the recorded ones |
//! | [`replay`] | a trace or journal is fed to a station again |
//! | [`verify`] | the recorded outputs of a journal are compared with what its inputs give now |
//! | [`boot`] | the records of starts |
//! | [`anchor`] | the records that tie journal time to wall-clock time |

pub mod anchor;
pub mod boot;
pub mod record_input;
pub mod recorder;
pub mod replay;
pub mod restore;
pub mod setting;
pub mod station;
pub mod verify;
