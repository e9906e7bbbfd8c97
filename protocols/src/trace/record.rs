use alloc::borrow::Cow;

use crate::time::Instant;

/// One line of a recording or a journal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record<'a> {
    /// Position in the total order of the station.
    pub seq: u64,
    /// When it happened: for inputs, when the bytes arrived.
    pub at: Instant,
    /// What happened.
    pub body: Body<'a>,
}

/// What a record says. Inputs come first, then what was sent out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Body<'a> {
    /// Bytes came in.
    Rx {
        /// Which link of the station.
        link: u8,
        /// Which channel of the link, 0 on a serial line.
        channel: u8,
        /// The bytes, at least one.
        bytes: Cow<'a, [u8]>,
    },
    /// Bytes were written to a link.
    Tx {
        /// Which link of the station.
        link: u8,
        /// Which channel of the link.
        channel: u8,
        /// The bytes, at least one.
        bytes: Cow<'a, [u8]>,
    },
    /// A link opened or went away.
    Link {
        /// Which link of the station.
        link: u8,
        /// Opened, or gone.
        up: bool,
        /// Why: one word of `a-z 0-9 - _`, at most [`MAX_WORD`](super::MAX_WORD) bytes.
        cause: &'a str,
    },
    /// An arbiter's command with its admission: JSON.
    Cmd(&'a str),
    /// A worker's answer to a question: JSON.
    Answer(&'a str),
    /// What wall time it was: JSON.
    Anchor(&'a str),
    /// The daemon started: JSON.
    Boot(&'a str),
    /// An event, finding, decision or state left for an audience.
    Out {
        /// Number in the audience's own series, which begins with 1; 0 for what is not numbered.
        number: u64,
        /// Who may see it.
        audience: Audience,
        /// Topic without white space, at most [`MAX_TOPIC`](super::MAX_TOPIC) bytes.
        topic: &'a str,
        /// A state that stays until replaced.
        retain: bool,
        /// JSON; empty deletes a retained state.
        payload: &'a str,
    },
    /// A sink has everything up to a number.
    Ack {
        /// The sink's name, a word as in [`Body::Link`].
        sink: &'a str,
        /// Whose series.
        audience: Audience,
        /// The last number the sink has.
        number: u64,
    },
    /// Digest of the state after the record before: checked on replay, never trusted. 1..=[`MAX_DIGEST`](super::MAX_DIGEST) bytes.
    Snap(Cow<'a, [u8]>),
}

impl Body<'_> {
    /// The word that stands for the kind in a line.
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

    /// Whether this is fed again on a replay (everything but what was sent out and `snap`).
    pub const fn is_input(&self) -> bool {
        match self {
            Body::Rx { .. } | Body::Link { .. } | Body::Cmd(_) | Body::Answer(_) | Body::Anchor(_) | Body::Boot(_) => true,
            Body::Tx { .. } | Body::Out { .. } | Body::Ack { .. } | Body::Snap(_) => false,
        }
    }
}

/// Who may see an output. Each has its own numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Audience {
    /// Everything.
    Arbiter,
    /// Undelayed, for commentary inside the organisation.
    Live,
    /// Delayed.
    Public,
}

impl Audience {
    /// All three.
    pub const ALL: [Audience; 3] = [Audience::Arbiter, Audience::Live, Audience::Public];

    /// The word in lines and topics.
    pub const fn name(self) -> &'static str {
        match self {
            Audience::Arbiter => "arbiter",
            Audience::Live => "live",
            Audience::Public => "public",
        }
    }

    /// The audience of that name.
    pub fn find(name: &str) -> Option<Audience> {
        Audience::ALL.into_iter().find(|audience| audience.name() == name)
    }
}
