//! The daemon: threads, channels, and who owns what.
