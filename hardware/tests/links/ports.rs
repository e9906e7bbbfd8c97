//! Tests of serial ports on real pseudo-terminals: links, discovery, and the reactor that finds and keeps a port.

mod check_ports;
mod find;
mod held;
mod links;
mod odd;
mod one;
mod send;
pub(crate) mod support;
mod together;
