//! The flat header of every message, and what the sink adds to it.
