//! Defines the records of recordings and journals.

use alloc::borrow::Cow;

use crate::time::Instant;

/// One line of a recording or a journal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record<'a> {
    /// The position in the total order of the station.
    pub seq: u64,
    /// The time of the record. For inputs it is the time at which the bytes arrived.
    pub at: Instant,
    /// The content.
    pub body: Body<'a>,
}

/// The content of a record. Inputs come first, then outputs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Body<'a> {
    /// Bytes arrived.
    Rx {
        /// The link of the station.
        link: u8,
        /// The channel of the link, 0 on a serial line.
        channel: u8,
        /// The bytes, at least one.
        bytes: Cow<'a, [u8]>,
    },
    /// Bytes were written to a link.
    Tx {
        /// The link of the station.
        link: u8,
        /// The channel of the link.
        channel: u8,
        /// The bytes, at least one.
        bytes: Cow<'a, [u8]>,
    },
    /// A link opened or went away.
    Link {
        /// The link of the station.
        link: u8,
        /// Whether the link opened or went away.
        up: bool,
        /// The cause: one word of `a-z 0-9 - _`, at most [`MAX_WORD`](super::MAX_WORD) bytes.
        cause: &'a str,
    },
    /// An arbiter's command with its admission: JSON.
    Cmd(&'a str),
    /// A worker's answer to a question: JSON.
    Answer(&'a str),
    /// The wall time: JSON.
    Anchor(&'a str),
    /// The daemon started: JSON.
    Boot(&'a str),
    /// An event, finding, decision or state was published for an audience.
    Out {
        /// The number in the audience's own series, which begins with 1; 0 for an output without a number.
        number: u64,
        /// The audience that may see it.
        audience: Audience,
        /// Topic without white space, at most [`MAX_TOPIC`](super::MAX_TOPIC) bytes.
        topic: &'a str,
        /// The payload is a state that stays until it is replaced.
        retain: bool,
        /// JSON; empty deletes a retained state.
        payload: &'a str,
    },
    /// A sink has all outputs up to a number.
    Ack {
        /// The sink's name, a word as in [`Body::Link`].
        sink: &'a str,
        /// The audience of the series.
        audience: Audience,
        /// The last number the sink has.
        number: u64,
    },
    /// The digest of the state after the previous record. It is checked on replay and never trusted.
    /// 1..=[`MAX_DIGEST`](super::MAX_DIGEST) bytes.
    Snap(Cow<'a, [u8]>),
}

impl Body<'_> {
    /// Returns the word for the kind in a line.
    pub const fn kind(&self) -> &'static str {
        match self {
            Body::Rx { .. } => "rx",
            Body::Tx { .. } => "tx",
            Body::Link { .. } => "link",
            Body::Cmd(_) => "cmd",
            Body::Answer(_) => "answer",
            Body::Anchor(_) => "anchor",
            Body::Boot(_) => "boot",
            Body::Out { .. } => "out",
            Body::Ack { .. } => "ack",
            Body::Snap(_) => "snap",
        }
    }

    /// Returns whether a replay feeds this record again (everything except outputs and `snap`).
    pub const fn is_input(&self) -> bool {
        match self {
            Body::Rx { .. } | Body::Link { .. } | Body::Cmd(_) | Body::Answer(_) | Body::Anchor(_) | Body::Boot(_) => true,
            Body::Tx { .. } | Body::Out { .. } | Body::Ack { .. } | Body::Snap(_) => false,
        }
    }
}

/// The audiences of outputs. Each audience has its own numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Audience {
    /// Arbiters see everything.
    Arbiter,
    /// Output without a delay, for commentary inside the organisation.
    Live,
    /// Output with a delay.
    Public,
}

impl Audience {
    /// All three.
    pub const ALL: [Audience; 3] = [Audience::Arbiter, Audience::Live, Audience::Public];

    /// Returns the word in lines and topics.
    pub const fn name(self) -> &'static str {
        match self {
            Audience::Arbiter => "arbiter",
            Audience::Live => "live",
            Audience::Public => "public",
        }
    }

    /// Returns the audience with this name.
    pub fn find(name: &str) -> Option<Audience> {
        Audience::ALL.into_iter().find(|audience| audience.name() == name)
    }
}
