//! Finds the program that listens at an address of this machine.

use std::fs;
use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpListener};

use flagfall_hardware::holder;

/// The state of a listening socket in `/proc/net/tcp`.
const LISTENS: &str = "0A";

/// What is at an address that the configuration wants to listen at.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Listener {
    /// Nothing.
    Free,
    /// This program, as another process.
    Flagfall,
    /// Another program, or one that cannot be seen; in words.
    Other(String),
    /// The address cannot be listened at, whoever wants to.
    Impossible(String),
}

/// Looks who listens at `address`. The port is bound for a moment, as `flagfall run` would do.
pub(super) fn find(address: SocketAddr) -> Listener {
    match TcpListener::bind(address) {
        Ok(_) => Listener::Free,
        Err(error) if error.kind() == std::io::ErrorKind::AddrInUse => holder(address),
        Err(error) => Listener::Impossible(error.to_string()),
    }
}

fn holder(address: SocketAddr) -> Listener {
    let sockets = ["/proc/net/tcp", "/proc/net/tcp6"].iter().filter_map(|file| fs::read_to_string(file).ok());
    let found = sockets.flat_map(|text| text.lines().filter_map(|line| socket(line, address)).collect::<Vec<_>>()).next();
    let Some((uid, inode)) = found else { return Listener::Other("another program".to_owned()) };
    let programs = holder::socket_holders(inode);
    // A process of another user is not seen, but its user is.
    let user = user_name(uid).unwrap_or_else(|| uid.to_string());
    match programs.first() {
        Some(program) if program.name == "flagfall" => Listener::Flagfall,
        Some(program) => Listener::Other(program.to_string()),
        None if user == "flagfall" => Listener::Flagfall,
        None => Listener::Other(format!("a program of the user {user}")),
    }
}

/// User and number of a listening socket that is in the way of this address.
fn socket(line: &str, wanted: SocketAddr) -> Option<(u32, u64)> {
    let fields: Vec<&str> = line.split_whitespace().collect();
    let (address, port) = fields.get(1)?.split_once(':')?;
    let is_same = u16::from_str_radix(port, 16).ok()? == wanted.port() && fields.get(3) == Some(&LISTENS);
    // IPv4 addresses are one number in the order of the machine's bytes. For IPv6 the port decides.
    let in_the_way = match (u32::from_str_radix(address, 16), wanted.ip()) {
        (Ok(bound), IpAddr::V4(wanted)) => {
            let bound = Ipv4Addr::from(bound.to_ne_bytes());
            bound == wanted || bound.is_unspecified() || wanted.is_unspecified()
        }
        _ => true,
    };
    if is_same && in_the_way { Some((fields.get(7)?.parse().ok()?, fields.get(9)?.parse().ok()?)) } else { None }
}

fn user_name(uid: u32) -> Option<String> {
    let users = fs::read_to_string("/etc/passwd").ok()?;
    let mut fields = users.lines().map(|line| line.split(':').collect::<Vec<_>>());
    let uid = uid.to_string();
    fields.find(|fields| fields.get(2) == Some(&uid.as_str())).map(|fields| fields[0].to_owned())
}
