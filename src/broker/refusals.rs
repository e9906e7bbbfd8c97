//! Names what the broker refuses. Each kind is one log line a minute (`log_limit`): an attack must not fill the disk.

use std::fmt::Display;

use crate::log_limit;

/// Why something was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Refusal {
    /// Too many connections had not logged in.
    TooManyWaiting,
    /// It had not logged in in time.
    TooSlow,
    /// It sent too many bytes before it logged in.
    TooLong,
    /// A wrong password, or a name that does not exist.
    WrongPassword,
    /// A login after too many wrong passwords.
    Locked,
    /// There was no place for another client.
    Full,
    /// A page of a foreign web server wanted to connect.
    Origin,
    /// A WebSocket connection was not opened as it must be.
    Upgrade,
    /// A client sent a packet that may not be forwarded, or more than its share.
    Packet,
    /// A client did not read what was sent to it.
    Unread,
    /// The operating system gave no socket.
    Accept,
}

impl Refusal {
    /// The words of the log line.
    const fn what(self) -> &'static str {
        match self {
            Refusal::TooManyWaiting => "broker: a connection that did not log in made room for another one",
            Refusal::TooSlow => "broker: a connection did not log in in time",
            Refusal::TooLong => "broker: a connection sent too much before it logged in",
            Refusal::WrongPassword => "broker: a login had a wrong name or password",
            Refusal::Locked => "broker: a login came after too many wrong passwords",
            Refusal::Full => "broker: a login was refused, because there are as many clients as there may be",
            Refusal::Origin => "broker: a web page from elsewhere was refused",
            Refusal::Upgrade => "broker: a connection is not MQTT over WebSocket",
            Refusal::Packet => "broker: a client was disconnected for what it sent",
            Refusal::Unread => "broker: a client was disconnected because it did not read",
            Refusal::Accept => "broker: the operating system could not open a connection",
        }
    }
}

/// Counts what is refused.
#[derive(Default)]
pub(super) struct Refusals {}

impl Refusals {
    /// Counts one; `from` says whose it was.
    pub(super) fn count(&self, refusal: Refusal, from: &dyn Display) {
        log_limit::warn(refusal.what(), from);
    }
}
