//! Defines why the broker does not start, with messages for the author of the configuration.

use std::fmt;
use std::io;
use std::net::SocketAddr;

use crate::listening;

/// The reason why the broker did not start. Nothing was left open.
#[derive(Debug)]
pub enum BrokerError {
    /// A value is not an address with a port: the key of `[broker]` and the value.
    Address(&'static str, String),
    /// The broker could be reached from other machines and has no users.
    NoUsers(SocketAddr),
    /// A user has a wrong name, topic filter or password file: the name, the key (empty for the name), the problem.
    User(String, &'static str, String),
    /// An address cannot be listened at: key, address, error.
    Listen(&'static str, SocketAddr, io::Error),
    /// The broker runs, and only a new start can change whether its clients log in.
    Restart,
    /// An error of the broker itself.
    Other(String),
}

impl BrokerError {
    /// Whether the configuration must be changed. Otherwise the next start may succeed: a port may be free then, because the program
    /// that has it has ended, and an address may be there, because the network is.
    pub fn is_configuration(&self) -> bool {
        match self {
            BrokerError::Address(..) | BrokerError::NoUsers(_) | BrokerError::User(..) => true,
            BrokerError::Listen(_, _, error) => error.kind() == io::ErrorKind::PermissionDenied,
            BrokerError::Restart | BrokerError::Other(_) => false,
        }
    }
}

impl fmt::Display for BrokerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BrokerError::Address(key, value) => {
                write!(f, "broker.{key} = {value:?}: not a numeric address with a port, such as \"127.0.0.1:1883\"")
            }
            BrokerError::NoUsers(address) => write!(
                f,
                "broker: {address} can be reached from other machines and there are no users. Listen on 127.0.0.1, or name them:\n\
                 [broker.user.screen-1]\n\
                 password_file = \"/etc/flagfall/screen-1.password\"\n\
                 read = [\"flagfall/1/public/#\"]"
            ),
            BrokerError::User(user, "", why) => write!(f, "broker.user.{user:?}: {why}"),
            BrokerError::User(user, key, why) => write!(f, "broker.user.{user}.{key}: {why}"),
            BrokerError::Listen(key, address, error) => f.write_str(&listening::trouble(key, *address, error)),
            BrokerError::Restart => f.write_str("broker: a restart is needed: the first user, or no user, was configured"),
            BrokerError::Other(why) => write!(f, "broker: {why}"),
        }
    }
}

impl std::error::Error for BrokerError {}
