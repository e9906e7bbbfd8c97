//! Every topic, one function each. The audience is the first level below the version: one prefix for an access rule.

use std::fmt;

/// First level of every topic where nothing else is configured.
pub const ROOT: &str = "flagfall";
/// The longest id in a topic.
pub const MAX_ID: usize = 40;
/// The longest user name or client id in a topic.
pub const MAX_NAME: usize = 64;

/// Which board of which event a topic is about. Ids match `[a-z0-9-]{1,40}`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Board {
    /// First level of every topic.
    pub root: String,
    /// The event.
    pub event: String,
    /// The round.
    pub round: String,
    /// The board.
    pub board: String,
}

impl Default for Board {
    fn default() -> Board {
        Board { root: ROOT.to_owned(), event: "replay".to_owned(), round: "1".to_owned(), board: "1".to_owned() }
    }
}

impl Board {
    fn topic(&self, audience: &str, rest: &str) -> String {
        format!("{}/1/{audience}/{}/{}/{}/{rest}", self.root, self.event, self.round, self.board)
    }

    /// The game of this number on this board, in payloads and locks.
    pub fn game(&self, number: u32) -> String {
        format!("{}-{}-{}-g{number}", self.event, self.round, self.board)
    }

    /// `arbiter/…/state`: everything, retained.
    pub fn arbiter_state(&self) -> String {
        self.topic("arbiter", "state")
    }

    /// `arbiter/…/move`: one completed or otherwise sure move, an event.
    pub fn arbiter_move(&self) -> String {
        self.topic("arbiter", "move")
    }

    /// `arbiter/…/audit`: every finding, alarm, command and irregularity, an event.
    pub fn audit(&self) -> String {
        self.topic("arbiter", "audit")
    }

    /// `arbiter/…/alert/<id>`: one open alarm, retained, deleted when closed.
    pub fn alert(&self, id: u32) -> String {
        self.topic("arbiter", &format!("alert/{id}"))
    }

    /// `arbiter/…/ruling`: the last finding or decision in full, retained.
    pub fn ruling(&self) -> String {
        self.topic("arbiter", "ruling")
    }

    /// `live/…/state`: position, made moves, times, result, retained.
    pub fn live_state(&self) -> String {
        self.topic("live", "state")
    }

    /// `live/…/clock`: the clock block alone, retained.
    pub fn live_clock(&self) -> String {
        self.topic("live", "clock")
    }

    /// `live/…/move`: one made move, an event.
    pub fn live_move(&self) -> String {
        self.topic("live", "move")
    }

    /// `live/…/revision`: from a ply on the game is another one, an event.
    pub fn live_revision(&self) -> String {
        self.topic("live", "revision")
    }

    /// `public/…/state`: as `live/…/state`, later, retained.
    pub fn public_state(&self) -> String {
        self.topic("public", "state")
    }

    /// `public/…/move`: as `live/…/move`, later, an event.
    pub fn public_move(&self) -> String {
        self.topic("public", "move")
    }

    /// `public/…/revision`: as `live/…/revision`, later, an event.
    pub fn public_revision(&self) -> String {
        self.topic("public", "revision")
    }

    /// `cmd/<user>/…/<verb>`: the filter of all commands about this board.
    pub fn commands(&self) -> String {
        format!("{}/1/cmd/+/{}/{}/{}/+", self.root, self.event, self.round, self.board)
    }
}

/// `node/<node>/status`: the node's life cycle, retained; the will.
pub fn node_status(root: &str, node: &str) -> String {
    format!("{root}/1/node/{node}/status")
}

/// `node/<node>/info`: version, capabilities, boards served, retained.
pub fn node_info(root: &str, node: &str) -> String {
    format!("{root}/1/node/{node}/info")
}

/// `node/<node>/health`: temperature, disk, clock synchronisation, retained for a while.
pub fn node_health(root: &str, node: &str) -> String {
    format!("{root}/1/node/{node}/health")
}

/// `device/<device>/status`: whether a board or clock answers, and what it says of itself, retained.
pub fn device_status(root: &str, device: &str) -> String {
    format!("{root}/1/device/{device}/status")
}

/// `device/<device>/raw`: bytes as they were read, an event.
pub fn device_raw(root: &str, device: &str) -> String {
    format!("{root}/1/device/{device}/raw")
}

/// `reply/<user>/<client-id>`: answers to commands that name no response topic.
pub fn reply(root: &str, user: &str, client: &str) -> String {
    format!("{root}/1/reply/{user}/{client}")
}

/// Whether an answer to `user` may go to `topic`: `reply/<user>/<client-id>` of their own and nowhere else, since this program
/// may write where they may not.
pub fn may_reply(root: &str, user: &str, topic: &str) -> bool {
    let own = topic.strip_prefix(root).and_then(|rest| rest.strip_prefix("/1/reply/")).and_then(|rest| rest.strip_prefix(user));
    own.and_then(|rest| rest.strip_prefix('/')).is_some_and(is_name)
}

/// The levels of a command's topic, `cmd/<user>/<event>/<round>/<board>/<verb>`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CommandTopic<'a> {
    /// Who sent it: the broker lets nobody else write below this name.
    pub user: &'a str,
    /// The event.
    pub event: &'a str,
    /// The round.
    pub round: &'a str,
    /// The board.
    pub board: &'a str,
    /// What is to be done.
    pub verb: &'a str,
}

/// Why a topic is no command's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TopicError {
    /// It does not begin with the root and the version.
    Foreign,
    /// It is not below `cmd/`.
    NotACommand,
    /// It has more or fewer levels.
    Levels,
    /// This level is no id.
    Id(&'static str),
}

impl fmt::Display for TopicError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TopicError::Foreign => f.write_str("not below our root and version"),
            TopicError::NotACommand => f.write_str("not below cmd/"),
            TopicError::Levels => f.write_str("not cmd/<user>/<event>/<round>/<board>/<verb>"),
            TopicError::Id(level) => write!(f, "the level <{level}> has letters or a length that no {level} has"),
        }
    }
}

impl std::error::Error for TopicError {}

/// Takes a command's topic apart.
///
/// # Errors
/// It is another topic, or a level is no id.
pub fn parse_command<'a>(root: &str, topic: &'a str) -> Result<CommandTopic<'a>, TopicError> {
    let below = topic.strip_prefix(root).and_then(|rest| rest.strip_prefix("/1/")).ok_or(TopicError::Foreign)?;
    let levels = below.strip_prefix("cmd/").ok_or(TopicError::NotACommand)?;
    let mut parts = levels.split('/');
    let mut part = || parts.next().ok_or(TopicError::Levels);
    let command = CommandTopic { user: part()?, event: part()?, round: part()?, board: part()?, verb: part()? };
    if parts.next().is_some() {
        return Err(TopicError::Levels);
    }
    let CommandTopic { user, event, round, board, verb } = command;
    if !is_name(user) {
        return Err(TopicError::Id("user"));
    }
    for (level, id) in [("event", event), ("round", round), ("board", board), ("verb", verb)] {
        if !is_id(id) {
            return Err(TopicError::Id(level));
        }
    }
    Ok(command)
}

/// Whether this is an id in topics, `[a-z0-9-]{1,40}`.
pub fn is_id(id: &str) -> bool {
    (1..=MAX_ID).contains(&id.len()) && id.bytes().all(|b| matches!(b, b'a'..=b'z' | b'0'..=b'9' | b'-'))
}

/// Whether this is a user name or client id in topics, `[A-Za-z0-9._@:-]{1,64}`.
pub fn is_name(name: &str) -> bool {
    let fits = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'_' | b'@' | b':' | b'-');
    (1..=MAX_NAME).contains(&name.len()) && name.bytes().all(fits)
}
