//! Names what listeners refuse. Each kind is one log line a minute (`log_limit`): an attack must not fill the disk.

use std::fmt::Display;

use crate::log_limit;

/// Who refuses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Listener {
    /// The broker in this program.
    Broker,
    /// The listeners for HTTP.
    Http,
    /// The pages and their way to the broker.
    Screens,
}

/// Why something was refused; `words` says it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Refusal {
    TooManyWaiting,
    TooManyReaders,
    TooSlow,
    TooLong,
    WrongPassword,
    TooManyGuesses,
    Full,
    Origin,
    Upgrade,
    Packet,
    Unread,
    Accept,
    Fault,
}

impl Listener {
    /// Counts a refusal; `from` says whose connection it was.
    pub(crate) fn refuses(self, refusal: Refusal, from: &dyn Display) {
        let name = match self {
            Listener::Broker => "broker: ",
            Listener::Http => "HTTP: ",
            Listener::Screens => "screens: ",
        };
        log_limit::warn_of(name, refusal.words(), from);
    }
}

impl Refusal {
    const fn words(self) -> &'static str {
        match self {
            Refusal::TooManyWaiting => "a connection that did not log in made room for another one",
            Refusal::TooManyReaders => "a client that only reads made room for another one",
            Refusal::TooSlow => "a connection did not log in in time",
            Refusal::TooLong => "a connection sent too much before it logged in",
            Refusal::WrongPassword => "a login had a wrong name or password",
            Refusal::TooManyGuesses => "a login came after too many wrong passwords",
            Refusal::Full => "a login was refused, because there are as many clients as there may be",
            Refusal::Origin => "a web page from elsewhere was refused",
            Refusal::Upgrade => "a connection is not MQTT over WebSocket",
            Refusal::Packet => "a client was disconnected for what it sent",
            Refusal::Unread => "a client was disconnected because it did not read",
            Refusal::Accept => "the operating system could not open a connection",
            Refusal::Fault => "a connection ended by a fault of the program",
        }
    }
}
