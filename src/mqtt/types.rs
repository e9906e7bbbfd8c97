//! What the connection is told at its start, and what it tells.

use std::time::Duration;

use flagfall_protocols::trace::Audience;

use super::identity::Identity;
use crate::mqtt::outbox::BoardNo;

/// What the connection is told at its start.
#[derive(Clone)]
pub struct Settings {
    /// Where the broker is, and who we are there: read by [`Identity::read`].
    pub identity: Identity,
    /// First level of every topic.
    pub root: String,
    /// This node's name in topics; the client is `flagfall-<node>`.
    pub node: String,
    /// The event that is served.
    pub event: String,
    /// The round that is served.
    pub round: String,
    /// Ids of the boards that this node serves.
    pub boards: Vec<String>,
    /// How long to wait between attempts.
    pub reconnect: ReconnectDelays,
}

/// Waits between attempts: doubled each time, a quarter more or less, and the first again after [`ReconnectDelays::good`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReconnectDelays {
    /// After a connection that was good.
    pub first: Duration,
    /// The longest; also after the broker refused our name or password.
    pub longest: Duration,
    /// A connection that lasted so long was good.
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
    /// As sent; up to 256 KiB of anything.
    pub payload: Vec<u8>,
    /// Always false: retained commands are dropped and counted here, since a broker would give them again and again.
    pub retain: bool,
    /// Where the sender wants the answer.
    pub response_topic: Option<String>,
    /// What the sender knows the answer by.
    pub correlation: Option<Vec<u8>>,
}

/// How the connection is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ConnectionState {
    /// Connected; the birth may still go on.
    pub up: bool,
    /// Everything there was at the beginning of the connection is sent, and the status is `ready`.
    pub ready: bool,
    /// Why it is not up, for people; empty if it is.
    pub cause: String,
    /// Attempts in a row that failed.
    pub attempts: u32,
    /// How long until the next attempt.
    pub retry: Duration,
    /// Commands since the start that were dropped because they were retained.
    pub retained_commands: u64,
    /// Connections since the start that ended because of a packet that was too large or could not be read.
    pub bad_packets: u64,
}

/// Is told a board's id, a node, and whether that node claims the board.
pub type Foreign = Box<dyn Fn(&str, &str, bool) + Send + Sync>;

/// Who is told what. All are called by the network task and must not block.
pub struct Hooks {
    /// A cursor moved: the broker has every event of this board and audience up to the number.
    pub acked: Box<dyn Fn(BoardNo, Audience, u64) + Send + Sync>,
    /// Events are wanted from the journal, from this number on; [`Outbox::refilled`](crate::mqtt::outbox::Outbox::refilled)
    /// answers, always.
    pub refill: Box<dyn Fn(BoardNo, Audience, u64) + Send + Sync>,
    /// A command came.
    pub command: Box<dyn Fn(Arrived) + Send + Sync>,
    /// The connection came, became ready or went.
    pub connection: Box<dyn Fn(&ConnectionState) + Send + Sync>,
    /// Board id, node: another node that is alive claims a board of ours (true), or does so no more (false). A board claimed
    /// by somebody is to be held ([`Outbox::hold`](crate::mqtt::outbox::Outbox::hold)), to be left out of our own info's
    /// list of boards, and the arbiter to be told. Only claims that were there before we were ready count: the second
    /// withholds, not both.
    pub foreign: Foreign,
    /// Makes the payload of this node's status: `init`, `ready`, `stopped`, or, for the will, `lost`.
    pub status: Box<dyn Fn(&'static str) -> String + Send + Sync>,
}

/// Why the connection ended for good.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// It was stopped.
    Stopped,
    /// Another client with our name connected: we do not fight.
    TakenOver,
}
