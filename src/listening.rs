//! Says for people why an address of this machine cannot be listened at, which key names it, and what to do.

use std::io::{Error, ErrorKind};
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr, UdpSocket};

use nix::errno::Errno;
use tokio::net::TcpSocket;

/// Returns a sentence on an address that the operating system does not give; `key` is its key in the configuration.
#[cfg(any(feature = "broker", feature = "outputs", feature = "screens"))]
pub(crate) fn trouble(key: &str, address: SocketAddr, error: &Error) -> String {
    format!("{key}: {address}: {error}: {}", cure(address, error))
}

fn cure(address: SocketAddr, error: &Error) -> String {
    let (port, ip) = (address.port(), address.ip());
    match error.kind() {
        ErrorKind::AddrInUse => format!(
            "port {port} of {ip} is taken by another program; choose another port, or end that program (sudo ss -ltnp names it)"
        ),
        ErrorKind::AddrNotAvailable => {
            format!("this machine has no address {ip}; `ip address` lists those that it has, and 0.0.0.0 stands for all")
        }
        ErrorKind::PermissionDenied => format!("this user may not listen at port {port}; choose one above 1023"),
        _ => "choose another address".to_owned(),
    }
}

/// Why this program cannot listen at an address, whatever other programs do.
pub(crate) struct Refused {
    /// This machine has no such address.
    pub(crate) is_missing: bool,
    /// The text is for the key that names the address.
    pub(crate) why: String,
}

/// Takes the address for a moment. It does not listen, so no client finds it. None: this program could listen, or may be able to at its
/// next start, because another program may end, and a network may come.
pub(crate) fn attempt(address: SocketAddr) -> Option<Refused> {
    let bound = socket(address).and_then(|socket| {
        socket.set_reuseaddr(true)?;
        socket.bind(address)
    });
    let error = bound.err()?;
    let is_missing = error.kind() == ErrorKind::AddrNotAvailable;
    let may_come = error.kind() == ErrorKind::AddrInUse || (is_missing && !is_reachable(address));
    (!may_come).then(|| Refused { is_missing, why: format!("{address}: {error}: {}", cure(address, &error)) })
}

/// A socket for a listener at this address.
///
/// # Errors
/// The operating system gives none. A machine without IPv6 has none of its addresses.
pub(crate) fn socket(address: SocketAddr) -> Result<TcpSocket, Error> {
    let socket = if address.is_ipv4() { TcpSocket::new_v4() } else { TcpSocket::new_v6() };
    let without_family = |error: &Error| error.raw_os_error() == Some(Errno::EAFNOSUPPORT as i32);
    socket.map_err(|error| if without_family(&error) { ErrorKind::AddrNotAvailable.into() } else { error })
}

/// Whether this machine has a network by which it would send to the address. Nothing is sent. What belongs to this machine alone needs
/// none.
fn is_reachable(address: SocketAddr) -> bool {
    let any: SocketAddr = if address.is_ipv4() { (Ipv4Addr::UNSPECIFIED, 0).into() } else { (Ipv6Addr::UNSPECIFIED, 0).into() };
    address.ip().is_loopback() || UdpSocket::bind(any).and_then(|socket| socket.connect(address)).is_ok()
}
