//! An independent client: `mosquitto_sub` and `mosquitto_pub`.

use std::process::{Child, Command, Stdio};
use std::sync::mpsc::Receiver;

use super::{lines, wait_for};

/// One message as a subscriber got it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct MosquittoMessage {
    pub(crate) qos: u8,
    pub(crate) retain: bool,
    pub(crate) content_type: String,
    /// Seconds left; empty = none.
    pub(crate) expiry: String,
    pub(crate) format: String,
    pub(crate) correlation: String,
    pub(crate) topic: String,
    pub(crate) payload: String,
}

impl MosquittoMessage {
    fn parse(line: &str) -> Option<MosquittoMessage> {
        let parts: Vec<&str> = line.splitn(8, '|').collect();
        let [qos, retain, content_type, expiry, format, correlation, topic, payload] = parts.try_into().ok()?;
        Some(MosquittoMessage {
            qos: qos.parse().ok()?,
            retain: retain == "1",
            content_type: content_type.to_owned(),
            expiry: expiry.to_owned(),
            format: format.to_owned(),
            correlation: correlation.to_owned(),
            topic: topic.to_owned(),
            payload: payload.to_owned(),
        })
    }
}

/// `mosquitto_sub` on some topics; ended when dropped.
pub(crate) struct MosquittoSub {
    child: Child,
    lines: Receiver<String>,
}

impl MosquittoSub {
    /// Returns when it is subscribed; what was retained comes first.
    pub(crate) fn new(port: u16, filters: &[&str]) -> MosquittoSub {
        let marker = "subscriber/marker";
        publish(port, marker, "here", &["-r"]);
        let mut command = Command::new("mosquitto_sub");
        command.args(["-V", "5", "-h", "127.0.0.1", "-p", &port.to_string(), "-q", "1", "--retain-as-published"]);
        command.args(["-F", "%q|%r|%C|%E|%F|%D|%t|%p", "-t", marker]);
        filters.iter().for_each(|filter| _ = command.args(["-t", filter]));
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().unwrap_or_else(|error| panic!("mosquitto_sub: {error}"));
        let lines = lines(child.stdout.take().expect("its output"));
        let subscriber = MosquittoSub { child, lines };
        subscriber.wait("its own marker", |heard| (heard.topic == marker).then_some(()));
        subscriber
    }

    /// The first message that `want` makes something of.
    pub(crate) fn wait<T>(&self, what: &str, mut want: impl FnMut(MosquittoMessage) -> Option<T>) -> T {
        wait_for(&self.lines, what, |line| MosquittoMessage::parse(&line).and_then(&mut want))
    }

    /// All messages up to and with the one that `last` says.
    pub(crate) fn until(&self, what: &str, mut last: impl FnMut(&MosquittoMessage) -> bool) -> Vec<MosquittoMessage> {
        let mut all = Vec::new();
        self.wait(what, |heard| {
            let found = last(&heard);
            all.push(heard);
            found.then_some(())
        });
        all
    }
}

impl Drop for MosquittoSub {
    fn drop(&mut self) {
        _ = self.child.kill();
        _ = self.child.wait();
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
