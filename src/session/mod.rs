//! One recorded board, without threads: the same inputs give the same outputs.
//!
//! | module | for |
//! | --- | --- |
//! | [`station`] | input → driver → game → messages |
//! | [`setting`] | what a session is begun with, and how the head of its journal says it |
//! | [`recorder`] | a station with its journal |
//! | [`record_input`] | the input that a record holds |
//! | [`restore`] | a station rebuilt from its journal, and what was recorded compared with what comes out |
//! | [`replay`] | a trace or journal fed to a station again |
//! | [`verify`] | a journal whose outputs are compared with what its inputs give now |
//! | [`anchor`] | what time it was: records of the journal |

pub mod anchor;
pub mod record_input;
pub mod recorder;
pub mod replay;
pub mod restore;
pub mod setting;
pub mod station;
pub mod verify;
