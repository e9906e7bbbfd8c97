//! Serial ports on real pseudo-terminals: links, discovery, and the thread that finds and keeps a port.

#[path = "ports/find.rs"]
mod find;
#[path = "ports/held.rs"]
mod held;
#[path = "ports/links.rs"]
mod links;
#[path = "ports/look.rs"]
mod look;
#[path = "ports/odd.rs"]
mod odd;
#[path = "ports/send.rs"]
mod send;
#[path = "ports/support.rs"]
mod support;
#[path = "ports/thread.rs"]
mod thread;
#[path = "ports/together.rs"]
mod together;
