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

/// Whether this program could listen at an address.
pub(crate) enum Trial {
    /// It could, or may be able to at its next start: another program may end, and a network may come.
    Possible,
    /// This machine has no such address. The text is for the key that names it.
    Missing(String),
    /// It may not. The text is for the key that names it.
    Refused(String),
}

/// Takes the address for a moment. It does not listen, so no client finds it.
pub(crate) fn attempt(address: SocketAddr) -> Trial {
    let bound = socket(address).and_then(|socket| {
        socket.set_reuseaddr(true)?;
        socket.bind(address)
    });
    let Err(error) = bound else { return Trial::Possible };
    let why = format!("{address}: {error}: {}", cure(address, &error));
    match error.kind() {
        ErrorKind::AddrInUse => Trial::Possible,
        ErrorKind::AddrNotAvailable if !is_reachable(address) => Trial::Possible,
        ErrorKind::AddrNotAvailable => Trial::Missing(why),
        _ => Trial::Refused(why),
    }
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
