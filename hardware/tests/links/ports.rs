//! Tests of serial ports on real pseudo-terminals: links, discovery, and the thread that finds and keeps a port.

mod check_ports;
mod find;
mod held;
mod links;
mod odd;
mod send;
mod support;
mod thread;
mod together;
