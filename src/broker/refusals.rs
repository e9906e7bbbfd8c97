//! Counts what the broker refuses, and writes one line a minute about it: an attack must not fill the disk with log lines.

use std::fmt::{self, Display};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::Notify;
use tokio::time;

/// The time between two lines.
const PAUSE: Duration = Duration::from_mins(1);

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

/// All kinds, with the words of the log line.
const KINDS: [(Refusal, &str); 11] = [
    (Refusal::TooManyWaiting, "connections that did not log in and made room for others"),
    (Refusal::TooSlow, "connections that did not log in in time"),
    (Refusal::TooLong, "connections that sent too much before they logged in"),
    (Refusal::WrongPassword, "logins with a wrong name or password"),
    (Refusal::Locked, "logins after too many wrong passwords"),
    (Refusal::Full, "logins of more clients than there may be"),
    (Refusal::Origin, "connections of web pages from elsewhere"),
    (Refusal::Upgrade, "connections that are not MQTT over WebSocket"),
    (Refusal::Packet, "clients for what they sent"),
    (Refusal::Unread, "clients that did not read"),
    (Refusal::Accept, "connections that the operating system could not open"),
];

/// What was refused since the last line, and the last example of each kind.
#[derive(Default)]
pub(super) struct Refusals {
    counts: Mutex<[(u64, String); KINDS.len()]>,
    changed: Notify,
}

impl Refusals {
    /// Counts one; `from` says whose it was.
    pub(super) fn count(&self, refusal: Refusal, from: &dyn Display) {
        let mut counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        // Every kind is in the list; see the test.
        if let Some((index, _)) = KINDS.iter().enumerate().find(|(_, (kind, _))| *kind == refusal) {
            counts[index].0 += 1;
            counts[index].1 = from.to_string();
        }
        self.changed.notify_one();
    }

    /// Writes the first refusal at once, and then one line a minute while there are more. It never ends.
    pub(super) async fn log(&self) {
        loop {
            self.changed.notified().await;
            tracing::warn!("broker: refused {}", Line(&self.take()));
            time::sleep(PAUSE).await;
        }
    }

    fn take(&self) -> [(u64, String); KINDS.len()] {
        std::mem::take(&mut *self.counts.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

struct Line<'a>(&'a [(u64, String); KINDS.len()]);

impl Display for Line<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let counted = KINDS.iter().zip(self.0).filter(|(_, (count, _))| *count > 0);
        for (index, ((_, words), (count, from))) in counted.enumerate() {
            let comma = if index > 0 { ", " } else { "" };
            write!(f, "{comma}{count} {words} (last: {from})")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_has_every_kind_with_its_count_and_its_last_example() {
        let refusals = Refusals::default();
        for (kind, _) in KINDS {
            refusals.count(kind, &"10.0.0.1");
            refusals.count(kind, &"10.0.0.2");
        }
        let line = Line(&refusals.take()).to_string();
        for (kind, words) in KINDS {
            assert!(line.contains(&format!("2 {words} (last: 10.0.0.2)")), "{kind:?}: {line}");
        }
        assert_eq!(Line(&refusals.take()).to_string(), "");
    }
}
