//! Defines why the broker does not start, with messages for the author of the configuration.

use std::fmt;
use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;

/// The reason why the broker did not start. Nothing was left open.
#[derive(Debug)]
pub enum BrokerError {
    /// A value is not an address with a port: the key of `[broker]` and the value.
    Address(&'static str, String),
    /// The broker could be reached from other machines and has no users.
    NoUsers(SocketAddr),
    /// A user's name cannot be a level of a topic.
    UserName(String),
    /// A user's topic filter is invalid, or gives more than it seems to.
    Filter(String, String, &'static str),
    /// A user's password file cannot be used.
    Password(String, PathBuf, String),
    /// An address cannot be listened on: purpose, address, error.
    Listen(&'static str, SocketAddr, io::Error),
    /// An error of the broker itself.
    Other(String),
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
            BrokerError::UserName(user) => {
                write!(f, "broker.user.{user:?}: a name is 1 to 40 of a-z, 0-9 and -, because it is a level of topics")
            }
            BrokerError::Filter(user, filter, why) => write!(f, "broker.user.{user}: topic filter {filter:?}: {why}"),
            BrokerError::Password(user, path, why) => {
                write!(f, "broker.user.{user}: password_file {}: {why}", path.display())
            }
            BrokerError::Listen(what, address, error) if error.kind() == io::ErrorKind::AddrInUse => {
                write!(f, "broker: port {} of {} for {what} is taken by another program", address.port(), address.ip())
            }
            BrokerError::Listen(what, address, error) => write!(f, "broker: cannot listen on {address} for {what}: {error}"),
            BrokerError::Other(why) => write!(f, "broker: {why}"),
        }
    }
}

impl std::error::Error for BrokerError {}
