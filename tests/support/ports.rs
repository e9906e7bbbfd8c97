//! Ports of this machine for tests that run side by side, in several programs.

use std::net::{Ipv4Addr, SocketAddr};
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{self, UnixListener};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, PoisonError};

use tokio::net::TcpSocket;

/// The range lies below the one from which the system chooses ports by itself.
const RANGE: std::ops::Range<u32> = 10_000..30_000;

/// A free address of this machine. As long as this program runs, no test of this or another program gets the same one, so that a test
/// can close its port and open it again.
pub(crate) fn free_address() -> SocketAddr {
    static TAKEN: AtomicU32 = AtomicU32::new(0);
    static CLAIMS: Mutex<Vec<UnixListener>> = Mutex::new(Vec::new());
    // Programs that run side by side begin at different numbers.
    let first = std::process::id().wrapping_mul(97);
    loop {
        let number = first.wrapping_add(TAKEN.fetch_add(1, Ordering::Relaxed)) % (RANGE.end - RANGE.start);
        let address = SocketAddr::from((Ipv4Addr::LOCALHOST, (RANGE.start + number) as u16));
        // The name is released when the process ends.
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

/// Whether nobody listens at this address. The socket of this test does not listen either: a program that another thread starts at
/// this moment has a copy of it for a short time, and a test that waits for a broker would connect to that copy.
pub(crate) fn is_free(address: SocketAddr) -> bool {
    let bound = TcpSocket::new_v4().and_then(|socket| {
        socket.set_reuseaddr(true)?;
        socket.bind(address)
    });
    bound.is_ok()
}

/// The port of a [`free_address`].
pub(crate) fn free_port() -> u16 {
    free_address().port()
}
