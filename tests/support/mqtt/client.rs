//! An independent client: `mosquitto_sub` and `mosquitto_pub`.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::Receiver;

use flagfall::system_clock::{MonotonicTime, monotonic};
use serde_json::Value;

use super::{lines, wait_for};
use crate::support::parts::Parts;

/// One message as `mosquitto_sub` prints it.
#[derive(Clone, Debug)]
pub(crate) struct MosquittoMessage {
    /// When it arrived.
    pub(crate) at: MonotonicTime,
    pub(crate) qos: u8,
    pub(crate) retain: bool,
    pub(crate) content_type: String,
    /// Seconds left; empty if it does not expire.
    pub(crate) expiry: String,
    pub(crate) format: String,
    pub(crate) correlation: String,
    pub(crate) topic: String,
    pub(crate) payload: String,
    /// The payload as JSON: null if it is empty, a text if it is no JSON. A state has all its moves, if its parts have come.
    pub(crate) json: Value,
}

/// Joins states with their parts. A state whose last part comes after it comes again.
#[derive(Default)]
pub(crate) struct JoinedStates {
    parts: Parts,
    incomplete: BTreeMap<String, MosquittoMessage>,
}

impl JoinedStates {
    pub(crate) fn take(&mut self, message: MosquittoMessage) -> Vec<MosquittoMessage> {
        if let Some((below, _)) = message.topic.split_once("/moves/") {
            let below = below.to_owned();
            self.parts.joined(&message.topic, message.payload.as_bytes());
            let again = self.incomplete.remove(&below).map(|state| self.joined(&below, state));
            return [message].into_iter().chain(again.filter(|state| !state.body()["parts"].is_object())).collect();
        }
        match message.topic.strip_suffix("/state").map(str::to_owned) {
            Some(below) => vec![self.joined(&below, message)],
            None => vec![message],
        }
    }

    fn joined(&mut self, below: &str, mut state: MosquittoMessage) -> MosquittoMessage {
        let whole = self.parts.joined(&state.topic, state.payload.as_bytes());
        state.json = serde_json::from_slice(&whole).unwrap_or_default();
        self.incomplete.remove(below);
        if state.body()["parts"].is_object() {
            self.incomplete.insert(below.to_owned(), state.clone());
        }
        state
    }
}

impl MosquittoMessage {
    /// Reads one line; none if it has another form.
    pub(crate) fn parse(line: &str) -> Option<MosquittoMessage> {
        let parts: Vec<&str> = line.splitn(8, '|').collect();
        let [qos, retain, content_type, expiry, format, correlation, topic, payload] = parts.try_into().ok()?;
        // In hexadecimal digits a payload of several lines is one line.
        let bytes = (0..payload.len()).step_by(2).map(|at| u8::from_str_radix(payload.get(at..at + 2)?, 16).ok());
        let payload = String::from_utf8_lossy(&bytes.collect::<Option<Vec<u8>>>()?).into_owned();
        let json = if payload.is_empty() {
            Value::Null
        } else {
            serde_json::from_str(&payload).unwrap_or_else(|_| Value::from(payload.as_str()))
        };
        Some(MosquittoMessage {
            at: monotonic(),
            qos: qos.parse().ok()?,
            retain: retain == "1",
            content_type: content_type.to_owned(),
            expiry: expiry.to_owned(),
            format: format.to_owned(),
            correlation: correlation.to_owned(),
            topic: topic.to_owned(),
            payload,
            json,
        })
    }

    pub(crate) fn body(&self) -> &Value {
        &self.json["body"]
    }

    /// The number of an event.
    pub(crate) fn no(&self) -> Option<u64> {
        self.json["no"].as_u64()
    }

    /// `arbiter`, `live`, `node`, ...
    pub(crate) fn branch(&self) -> &str {
        self.topic.split('/').nth(2).unwrap_or_default()
    }
}

/// `mosquitto_sub` as a process; it is killed when it is dropped.
pub(crate) struct SubProcess(Child);

impl SubProcess {
    /// Starts it on these filters and on `marker`, and returns the lines that it prints. It is subscribed when the message on
    /// `marker` has arrived; retained messages come first.
    pub(crate) fn start(port: u16, marker: &str, filters: &[&str]) -> (SubProcess, Receiver<String>) {
        publish(port, marker, "here", &["-r"]);
        let mut command = Command::new("mosquitto_sub");
        command.args(["-V", "5", "-h", "127.0.0.1", "-p", &port.to_string(), "-q", "1", "--retain-as-published"]);
        command.args(["-F", "%q|%r|%C|%E|%F|%D|%t|%x", "-t", marker]);
        filters.iter().for_each(|filter| _ = command.args(["-t", filter]));
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().unwrap_or_else(|error| panic!("mosquitto_sub: {error}"));
        let lines = lines(child.stdout.take().expect("its output"));
        (SubProcess(child), lines)
    }
}

impl Drop for SubProcess {
    fn drop(&mut self) {
        _ = self.0.kill();
        _ = self.0.wait();
    }
}

/// A subscription of some topics, whose messages a test reads one after the other.
pub(crate) struct MosquittoSub {
    lines: Receiver<String>,
    joined: RefCell<JoinedStates>,
    _process: SubProcess,
}

impl MosquittoSub {
    /// Returns when it is subscribed; retained messages come first.
    pub(crate) fn new(port: u16, filters: &[&str]) -> MosquittoSub {
        let marker = "subscriber/marker";
        let (process, lines) = SubProcess::start(port, marker, filters);
        let subscriber = MosquittoSub { lines, joined: RefCell::default(), _process: process };
        subscriber.wait("its own marker", |received| (received.topic == marker).then_some(()));
        subscriber
    }

    /// Waits for the first message for which `want` returns something, and returns that.
    pub(crate) fn wait<T>(&self, what: &str, mut want: impl FnMut(MosquittoMessage) -> Option<T>) -> T {
        wait_for(&self.lines, what, |line| {
            self.joined.borrow_mut().take(MosquittoMessage::parse(&line)?).into_iter().find_map(&mut want)
        })
    }

    /// All messages up to the one that `last` accepts, which is among them.
    pub(crate) fn until(&self, what: &str, mut last: impl FnMut(&MosquittoMessage) -> bool) -> Vec<MosquittoMessage> {
        let mut all = Vec::new();
        self.wait(what, |received| {
            let found = last(&received);
            all.push(received);
            found.then_some(())
        });
        all
    }
}

/// Publishes one message at QoS 1 and waits for its acknowledgement.
pub(crate) fn publish(port: u16, topic: &str, payload: &str, more: &[&str]) {
    let file = tempfile::NamedTempFile::new().expect("a file");
    std::fs::write(file.path(), payload).expect("a payload");
    let mut command = Command::new("mosquitto_pub");
    command.args(["-V", "5", "-h", "127.0.0.1", "-p", &port.to_string(), "-q", "1", "-t", topic]);
    // An empty file is refused; `-n` is an empty message.
    if payload.is_empty() {
        command.arg("-n")
    } else {
        command.arg("-f").arg(file.path())
    };
    command.args(more).stdin(Stdio::null());
    let output = command.output().unwrap_or_else(|error| panic!("mosquitto_pub: {error}"));
    assert!(output.status.success(), "mosquitto_pub {topic}: {output:?}");
}
