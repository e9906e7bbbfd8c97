//! The embedded broker, for machines without one.
