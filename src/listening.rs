//! Says for people why an address of this machine cannot be listened at, which key names it, and what to do.

use std::io::{Error, ErrorKind};
use std::net::SocketAddr;

/// Returns a sentence on an address that the operating system does not give; `key` is its key in the configuration.
pub(crate) fn trouble(key: &str, address: SocketAddr, error: &Error) -> String {
    let (port, ip) = (address.port(), address.ip());
    let cure = match error.kind() {
        ErrorKind::AddrInUse => format!(
            "port {port} of {ip} is taken by another program; choose another port, or end that program (sudo ss -ltnp names it)"
        ),
        ErrorKind::AddrNotAvailable => {
            format!("this machine has no address {ip}; `ip address` lists those that it has, and 0.0.0.0 stands for all")
        }
        ErrorKind::PermissionDenied => format!("this user may not listen at port {port}; choose one above 1023"),
        _ => "choose another address".to_owned(),
    };
    format!("{key}: {address}: {error}: {cure}")
}
