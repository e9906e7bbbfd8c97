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

/// Why something was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// Too many connections had not logged in.
    TooManyWaiting,
    /// There were too many clients that only read.
    TooManyReaders,
    /// It had not logged in in time.
    TooSlow,
    /// It sent too many bytes before it logged in.
    TooLong,
    /// A wrong password, or a name that does not exist.
    WrongPassword,
    /// A login after too many wrong passwords.
    TooManyGuesses,
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

/// The same words for each listener.
macro_rules! of {
    ($listener:expr, $words:literal) => {
        match $listener {
            Listener::Broker => concat!("broker: ", $words),
            Listener::Http => concat!("HTTP: ", $words),
            Listener::Screens => concat!("screens: ", $words),
        }
    };
}

impl Listener {
    /// Counts a refusal; `from` says whose connection it was.
    pub(crate) fn refuses(self, refusal: Refusal, from: &dyn Display) {
        log_limit::warn(self.what(refusal), from);
    }

    /// The words of the log line.
    const fn what(self, refusal: Refusal) -> &'static str {
        match refusal {
            Refusal::TooManyWaiting => of!(self, "a connection that did not log in made room for another one"),
            Refusal::TooManyReaders => of!(self, "a client that only reads made room for another one"),
            Refusal::TooSlow => of!(self, "a connection did not log in in time"),
            Refusal::TooLong => of!(self, "a connection sent too much before it logged in"),
            Refusal::WrongPassword => of!(self, "a login had a wrong name or password"),
            Refusal::TooManyGuesses => of!(self, "a login came after too many wrong passwords"),
            Refusal::Full => of!(self, "a login was refused, because there are as many clients as there may be"),
            Refusal::Origin => of!(self, "a web page from elsewhere was refused"),
            Refusal::Upgrade => of!(self, "a connection is not MQTT over WebSocket"),
            Refusal::Packet => of!(self, "a client was disconnected for what it sent"),
            Refusal::Unread => of!(self, "a client was disconnected because it did not read"),
            Refusal::Accept => of!(self, "the operating system could not open a connection"),
        }
    }
}
