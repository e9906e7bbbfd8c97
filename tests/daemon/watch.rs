//! All messages that an independent client gets, with their times of arrival.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::time::Duration;

use flagfall::system_clock::monotonic;
use serde_json::Value;

use crate::support::mqtt::client::{JoinedStates, SubProcess};
use crate::support::mqtt::{MosquittoMessage, PATIENCE, thread};

#[derive(Default)]
struct Shared {
    all: Mutex<Vec<MosquittoMessage>>,
    more: Condvar,
    subscribed: AtomicBool,
}

/// `mosquitto_sub` on everything, which keeps every message.
pub(crate) struct Watch {
    shared: Arc<Shared>,
    _process: SubProcess,
}

const MARKER: &str = "watch/marker";

impl Watch {
    /// Returns when it is subscribed; retained messages come first.
    pub(crate) fn new(port: u16) -> Watch {
        let (process, lines) = SubProcess::start(port, MARKER, &["flagfall/#"]);
        let shared = Arc::<Shared>::default();
        let writer = Arc::clone(&shared);
        thread("watch", move || {
            let mut joined = JoinedStates::default();
            for line in lines {
                let received = MosquittoMessage::parse(&line).unwrap_or_else(|| panic!("mosquitto_sub wrote {line}"));
                let mut all = writer.lock();
                if received.topic == MARKER {
                    writer.subscribed.store(true, Ordering::SeqCst);
                } else {
                    all.extend(joined.take(received));
                }
                drop(all);
                writer.more.notify_all();
            }
        });
        let watch = Watch { shared, _process: process };
        watch.wait("its own marker", |_| watch.shared.subscribed.load(Ordering::SeqCst).then_some(()));
        watch
    }

    /// All messages so far.
    pub(crate) fn all(&self) -> Vec<MosquittoMessage> {
        self.shared.lock().clone()
    }

    /// Waits until `want` returns something for all messages so far.
    pub(crate) fn wait<T>(&self, what: &str, want: impl FnMut(&[MosquittoMessage]) -> Option<T>) -> T {
        self.wait_for(what, PATIENCE, want)
    }

    /// Like [`Watch::wait`] with another bound.
    pub(crate) fn wait_for<T>(&self, what: &str, bound: Duration, mut want: impl FnMut(&[MosquittoMessage]) -> Option<T>) -> T {
        let until = monotonic().after(bound);
        let mut all = self.shared.lock();
        loop {
            if let Some(found) = want(&all) {
                return found;
            }
            let left = until.since(monotonic());
            if left.is_zero() {
                let last: Vec<String> =
                    all.iter().rev().take(12).map(|received| format!("{} {:.300}", received.topic, received.payload)).collect();
                let topics: BTreeSet<String> = all.iter().map(|received| received.topic.clone()).collect();
                drop(all);
                panic!("waiting for {what}; the last messages: {last:#?}; the topics: {topics:?}");
            }
            all = self.shared.more.wait_timeout(all, left).expect("no panic").0;
        }
    }

    /// Waits for a message on this topic whose JSON `is` accepts.
    pub(crate) fn on(&self, topic: &str, what: &str, is: impl Fn(&Value) -> bool) -> Value {
        self.wait(&format!("{what} on {topic}"), |all| {
            all.iter().find(|received| received.topic == topic && is(&received.json)).map(|received| received.json.clone())
        })
    }

    /// The last message on this topic.
    pub(crate) fn last(&self, topic: &str) -> Option<MosquittoMessage> {
        self.shared.lock().iter().rev().find(|received| received.topic == topic).cloned()
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Vec<MosquittoMessage>> {
        self.all.lock().expect("no panic")
    }
}
