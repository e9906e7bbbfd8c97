//! Everything that an independent client hears, with the time of its arrival.

use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::time::Duration;

use flagfall::system_clock::{MonotonicTime, monotonic};
use serde_json::Value;

use crate::support::mqtt::{PATIENCE, lines, publish, thread};

/// One message.
#[derive(Clone, Debug)]
pub(crate) struct Heard {
    /// When it arrived.
    pub(crate) at: MonotonicTime,
    pub(crate) qos: u8,
    pub(crate) retain: bool,
    pub(crate) content_type: String,
    /// Seconds left; empty = none.
    pub(crate) expiry: String,
    pub(crate) format: String,
    pub(crate) correlation: String,
    pub(crate) topic: String,
    pub(crate) payload: String,
    /// The payload, read; null if it is empty.
    pub(crate) json: Value,
}

impl Heard {
    fn parse(line: &str) -> Heard {
        let parts: Vec<&str> = line.splitn(8, '|').collect();
        let [qos, retain, content_type, expiry, format, correlation, topic, payload] =
            <[&str; 8]>::try_from(parts).unwrap_or_else(|_| panic!("mosquitto_sub wrote {line}"));
        let json =
            if payload.is_empty() { Value::Null } else { serde_json::from_str(payload).unwrap_or_else(|_| Value::from(payload)) };
        Heard {
            at: monotonic(),
            qos: qos.parse().expect("a number"),
            retain: retain == "1",
            content_type: content_type.to_owned(),
            expiry: expiry.to_owned(),
            format: format.to_owned(),
            correlation: correlation.to_owned(),
            topic: topic.to_owned(),
            payload: payload.to_owned(),
            json,
        }
    }

    pub(crate) fn body(&self) -> &Value {
        &self.json["body"]
    }

    /// The event's number.
    pub(crate) fn no(&self) -> Option<u64> {
        self.json["no"].as_u64()
    }

    /// `arbiter`, `live`, `node`, ...
    pub(crate) fn branch(&self) -> &str {
        self.topic.split('/').nth(2).unwrap_or_default()
    }
}

#[derive(Default)]
struct Shared {
    all: Mutex<Vec<Heard>>,
    more: Condvar,
    subscribed: AtomicBool,
}

/// `mosquitto_sub` on everything; ended when dropped.
pub(crate) struct Watch {
    child: Child,
    shared: Arc<Shared>,
}

const MARKER: &str = "watch/marker";

impl Watch {
    /// Returns when it is subscribed; what is retained comes first.
    pub(crate) fn new(port: u16) -> Watch {
        publish(port, MARKER, "here", &["-r"]);
        let mut command = Command::new("mosquitto_sub");
        command.args(["-V", "5", "-h", "127.0.0.1", "-p", &port.to_string(), "-q", "1", "--retain-as-published"]);
        command.args(["-F", "%q|%r|%C|%E|%F|%D|%t|%p", "-t", MARKER, "-t", "flagfall/#"]);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().unwrap_or_else(|error| panic!("mosquitto_sub: {error}"));
        let lines = lines(child.stdout.take().expect("its output"));
        let shared = Arc::<Shared>::default();
        let writer = Arc::clone(&shared);
        thread("watch", move || {
            for line in lines {
                let heard = Heard::parse(&line);
                let mut all = writer.lock();
                if heard.topic == MARKER {
                    writer.subscribed.store(true, Ordering::SeqCst);
                } else {
                    all.push(heard);
                }
                drop(all);
                writer.more.notify_all();
            }
        });
        let watch = Watch { child, shared };
        watch.wait("its own marker", |_| watch.shared.subscribed.load(Ordering::SeqCst).then_some(()));
        watch
    }

    /// What was heard so far.
    pub(crate) fn all(&self) -> Vec<Heard> {
        self.shared.lock().clone()
    }

    /// Waits until `want` makes something of what was heard so far.
    pub(crate) fn wait<T>(&self, what: &str, want: impl FnMut(&[Heard]) -> Option<T>) -> T {
        self.wait_for(what, PATIENCE, want)
    }

    /// The same with another bound.
    pub(crate) fn wait_for<T>(&self, what: &str, bound: Duration, mut want: impl FnMut(&[Heard]) -> Option<T>) -> T {
        let until = monotonic().after(bound);
        let mut all = self.shared.lock();
        loop {
            if let Some(found) = want(&all) {
                return found;
            }
            let left = until.since(monotonic());
            if left.is_zero() {
                let last: Vec<String> =
                    all.iter().rev().take(12).map(|heard| format!("{} {:.300}", heard.topic, heard.payload)).collect();
                drop(all);
                panic!("waiting for {what}; the last of what came: {last:#?}");
            }
            all = self.shared.more.wait_timeout(all, left).expect("no panic").0;
        }
    }

    /// Waits for a message on this topic whose JSON `is` what is wanted.
    pub(crate) fn on(&self, topic: &str, what: &str, is: impl Fn(&Value) -> bool) -> Value {
        self.wait(&format!("{what} on {topic}"), |all| {
            all.iter().find(|heard| heard.topic == topic && is(&heard.json)).map(|heard| heard.json.clone())
        })
    }

    /// The last message on this topic.
    pub(crate) fn last(&self, topic: &str) -> Option<Heard> {
        self.shared.lock().iter().rev().find(|heard| heard.topic == topic).cloned()
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Vec<Heard>> {
        self.all.lock().expect("no panic")
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        _ = self.child.kill();
        _ = self.child.wait();
    }
}
