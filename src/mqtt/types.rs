//! Defines the settings of the connection to the broker, and the callbacks for what arrives.

use std::path::PathBuf;
use std::time::Duration;

use flagfall_protocols::trace::Audience;

use super::identity::Identity;
use crate::config::Fleet;
use crate::mqtt::outbox::BoardNo;

/// The settings of the connection to the broker.
#[derive(Clone)]
pub struct Settings {
    /// The broker's address and our identity there: see [`Identity::read`].
    pub identity: Identity,
    /// The first level of every topic.
    pub root: String,
    /// The file with the random part of our client id, so that the broker keeps our session over a restart; none = each start has
    /// another id.
    pub client_file: Option<PathBuf>,
    /// This node's name in topics, and the beginning of the client id.
    pub node: String,
    /// The event.
    pub event: String,
    /// The round.
    pub round: String,
    /// The ids of the boards that this node serves.
    pub boards: Vec<String>,
    /// The machines of the event's file, if it names them: a node claims only boards that it may serve.
    pub fleet: Fleet,
    /// The ids of boards that this node served before and serves no more.
    pub former: Vec<String>,
    /// How long to wait between attempts to connect.
    pub reconnect: ReconnectDelays,
}

/// The waits between attempts to connect. Each wait is twice the one before, changed by up to a quarter; the first one comes
/// again after [`ReconnectDelays::good`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReconnectDelays {
    /// The wait after a good connection.
    pub first: Duration,
    /// The longest wait; also the wait after the broker refused our name or password.
    pub longest: Duration,
    /// A connection that lasted this long was good.
    pub good: Duration,
}

impl Default for ReconnectDelays {
    fn default() -> ReconnectDelays {
        ReconnectDelays { first: Duration::from_millis(500), longest: Duration::from_secs(15), good: Duration::from_secs(30) }
    }
}

/// A command as it came from the broker.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Arrived {
    /// `<root>/1/cmd/<user>/<event>/<round>/<board>/<verb>`.
    pub topic: String,
    /// The payload as sent; up to 256 KiB of any bytes.
    pub payload: Vec<u8>,
    /// Always false: retained commands are dropped and counted here, since a broker would deliver them again and again.
    pub retain: bool,
    /// The topic on which the sender expects the answer.
    pub response_topic: Option<String>,
    /// The correlation data of the sender.
    pub correlation: Option<Vec<u8>>,
}

/// The state of the connection.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ConnectionState {
    /// Connected; the birth may still go on.
    pub up: bool,
    /// Everything that waited at the beginning of the connection is sent, and the status is `ready`.
    pub ready: bool,
    /// Why it is not up, for people; empty if it is up.
    pub cause: String,
    /// Attempts in a row that failed.
    pub attempts: u32,
    /// How long until the next attempt.
    pub retry: Duration,
    /// Commands since the start that were dropped because they were retained.
    pub retained_commands: u64,
    /// Connections since the start that ended because of a packet that was too large or could not be read.
    pub bad_packets: u64,
    /// How often since the start another client took over the connection by our client id.
    pub takeovers: u64,
    /// A second daemon publishes under our name.
    pub name_taken: bool,
}

/// A function that gets a board's id, a node, and whether that node claims the board.
pub type Foreign = Box<dyn Fn(&str, &str, bool) + Send + Sync>;

/// A function that gets a topic and why the broker does not take its messages.
pub type Refused = Box<dyn Fn(&str, Option<&str>) + Send + Sync>;

/// A function that gets a board's id and a topic below that board.
pub type AtBroker = Box<dyn Fn(&str, &str) + Send + Sync>;

/// A function that gets a payload and the largest number of bytes, and returns a payload that is not larger.
pub type Shorten = Box<dyn Fn(&str, usize) -> Option<String> + Send + Sync>;

/// The callbacks of the network task. They must not block.
pub struct Hooks {
    /// A cursor moved: the broker has acknowledged every event of this board and audience up to the number.
    pub acked: Box<dyn Fn(BoardNo, Audience, u64) + Send + Sync>,
    /// Whether a board still reads its journal.
    pub opening: Box<dyn Fn() -> bool + Send + Sync>,
    /// Events are needed from the journal, from this number on. [`Outbox::refilled`](crate::mqtt::outbox::Outbox::refilled) must
    /// always answer.
    pub refill: Box<dyn Fn(BoardNo, Audience, u64) + Send + Sync>,
    /// A command arrived.
    pub command: Box<dyn Fn(Arrived) + Send + Sync>,
    /// The connection began, became ready or ended.
    pub connection: Box<dyn Fn(&ConnectionState) + Send + Sync>,
    /// Board id and node: another node that is alive claims one of our boards (true), or claims it no longer (false). A claimed
    /// board must be held ([`Outbox::hold`](crate::mqtt::outbox::Outbox::hold)) and left out of the list of boards in our own
    /// info, and the arbiter must be informed. Only claims that were there before this node was ready count, so that the second
    /// node withholds and not both.
    pub foreign: Foreign,
    /// Board id and topic: the broker retains this alert or ruling of one of our boards. If the board does not hold it, it must be
    /// deleted ([`Outbox::publish_once`](crate::mqtt::outbox::Outbox::publish_once)).
    pub retained: AtBroker,
    /// The broker retains a status of our name from an earlier start whose number is higher than ours: that start could not be counted
    /// on the disk, so the journals may lack the events that it published.
    pub later_start: Box<dyn Fn(u64) + Send + Sync>,
    /// The broker refuses the messages on this topic, with the reason for people, or takes them only in part. None: it takes them
    /// whole again.
    pub refused: Refused,
    /// Makes a shorter payload of a PGN, of at most this number of bytes, for a broker that does not take the whole one. None: it
    /// cannot be shortened so far.
    pub shorten: Shorten,
    /// Makes the payload of this node's status: `init`, `ready`, `stopped`, or, for the will, `lost`. All of them contain the `run`
    /// of this program.
    pub status: Box<dyn Fn(&'static str) -> String + Send + Sync>,
}
