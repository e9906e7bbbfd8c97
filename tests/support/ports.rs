//! Ports of this machine for tests that run side by side, in several programs.

use std::net::{Ipv4Addr, SocketAddr};
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{self, UnixListener};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, PoisonError};

use tokio::net::TcpSocket;

/// Below the range from which the system takes ports for connections and for whoever asks for any.
const RANGE: std::ops::Range<u32> = 10_000..30_000;

/// An address of this machine that is free and is given to nobody else, in no other program either, as long as this one runs: a port
/// that is given up and taken again stays its test's.
pub(crate) fn free_address() -> SocketAddr {
    static TAKEN: AtomicU32 = AtomicU32::new(0);
    static CLAIMS: Mutex<Vec<UnixListener>> = Mutex::new(Vec::new());
    // Programs that run side by side begin at different places.
    let first = std::process::id().wrapping_mul(97);
    loop {
        let number = first.wrapping_add(TAKEN.fetch_add(1, Ordering::Relaxed)) % (RANGE.end - RANGE.start);
        let address = SocketAddr::from((Ipv4Addr::LOCALHOST, (RANGE.start + number) as u16));
        // The name goes with the process.
        let name = format!("flagfall-test-port-{}", address.port());
        let Ok(claim) = net::SocketAddr::from_abstract_name(name).and_then(|name| UnixListener::bind_addr(&name)) else {
            continue;
        };
        CLAIMS.lock().unwrap_or_else(PoisonError::into_inner).push(claim);
        if is_free(address) {
            return address;
        }
    }
}

/// Nobody listens there. The socket does not listen either: a program that another thread is just starting has a copy of it for a
/// moment, and whoever waits for a broker there would meet that.
fn is_free(address: SocketAddr) -> bool {
    let bound = TcpSocket::new_v4().and_then(|socket| {
        socket.set_reuseaddr(true)?;
        socket.bind(address)
    });
    bound.is_ok()
}

/// The port of such an address.
pub(crate) fn free_port() -> u16 {
    free_address().port()
}
