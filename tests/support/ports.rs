//! Ports of this machine for tests that run side by side.

use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::sync::atomic::{AtomicU32, Ordering};

/// Below the range from which the system takes ports for connections and for whoever asks for any.
const RANGE: std::ops::Range<u32> = 10_000..30_000;

/// An address of this machine that is free and is given to nobody else: a port that is given up and taken again stays its test's.
pub(crate) fn free_address() -> SocketAddr {
    static TAKEN: AtomicU32 = AtomicU32::new(0);
    // Programs that run side by side begin at different places.
    let first = std::process::id().wrapping_mul(97);
    loop {
        let number = first.wrapping_add(TAKEN.fetch_add(1, Ordering::Relaxed)) % (RANGE.end - RANGE.start);
        let address = SocketAddr::from((Ipv4Addr::LOCALHOST, (RANGE.start + number) as u16));
        if TcpListener::bind(address).is_ok() {
            return address;
        }
    }
}

/// The port of such an address.
pub(crate) fn free_port() -> u16 {
    free_address().port()
}
