//! Serial ports on real pseudo-terminals: links, discovery, and the thread that finds and keeps a port.

mod find;
mod held;
mod links;
mod look;
mod odd;
mod send;
mod support;
mod thread;
mod together;
