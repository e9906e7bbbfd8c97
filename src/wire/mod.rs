//! What stands on the wire: topics, the header of every message, the bodies that no game makes. `wire/README.md` is the contract.

pub mod device;
pub mod envelope;
pub mod node;
pub mod time;
pub mod topics;
