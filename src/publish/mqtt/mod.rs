//! The network side: one connection to the broker, from birth to will.
