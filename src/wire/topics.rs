//! Makes and parses every MQTT topic, with one function for each. The audience is the first level after the version, so that one
//! prefix is enough for an access rule.

use std::fmt;

use flagfall_protocols::event::same_serial;

/// The default first level of every topic.
pub const ROOT: &str = "flagfall";
/// The largest length of an id in a topic, in bytes.
pub const MAX_ID: usize = 40;
/// The largest length of a node's name, in bytes. It leaves room for the name of the node's collector.
pub const MAX_NODE: usize = 32;
/// The largest length of a user name or client id in a topic, in bytes.
pub const MAX_NAME: usize = 64;

/// The end of the name of a collector's node.
const COLLECTOR: &str = "-collect";
/// The last level of the topics whose payload is PGN.
const PGN: &str = "pgn";

/// The content type of PGN.
pub const PGN_TYPE: &str = "application/x-chess-pgn";

/// The board that a topic is about, with its event and round. Ids match `[a-z0-9-]{1,40}`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Board {
    /// The first level of every topic.
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

    /// Returns the board of an event that was published on `topic` for `audience`, `None` if the topic has another form.
    pub fn of_event(topic: &str, audience: &str) -> Option<Board> {
        let (root, rest) = topic.split_once(&format!("/1/{audience}/"))?;
        let mut levels = rest.split('/').map(str::to_owned);
        let (event, round, board) = (levels.next()?, levels.next()?, levels.next()?);
        let fits = [&event, &round, &board].into_iter().all(|id| is_id(id)) && levels.next().is_some();
        fits.then(|| Board { root: root.to_owned(), event, round, board })
    }

    /// Returns the id of a game on this board, as it stands in payloads and locks. `number` counts the games on the board.
    pub fn game_id(&self, number: u32) -> String {
        format!("{}-{}-{}-g{number}", self.event, self.round, self.board)
    }

    /// `arbiter/…/state`: everything that is known of the board, retained.
    pub fn arbiter_state(&self) -> String {
        self.topic("arbiter", "state")
    }

    /// `arbiter/…/move`: one sure move, an event.
    pub fn arbiter_move(&self) -> String {
        self.topic("arbiter", "move")
    }

    /// `arbiter/…/audit`: every finding, alarm, command and irregularity, an event.
    pub fn audit(&self) -> String {
        self.topic("arbiter", "audit")
    }

    /// `arbiter/…/alert/<id>`: one open alarm, retained until it is closed.
    pub fn alert(&self, id: u32) -> String {
        self.topic("arbiter", &format!("alert/{id}"))
    }

    /// `arbiter/…/ruling`: the last finding or decision in full, retained.
    pub fn ruling(&self) -> String {
        self.topic("arbiter", "ruling")
    }

    /// `live/…/state`: the position, the made moves, the times and the result, retained.
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

    /// `live/…/revision`: the moves from a ply on have changed, an event.
    pub fn live_revision(&self) -> String {
        self.topic("live", "revision")
    }

    /// `public/…/state`: the same as `live/…/state`, but later, retained.
    pub fn public_state(&self) -> String {
        self.topic("public", "state")
    }

    /// `public/…/clock`: the same as `live/…/clock`, but later and less often, retained.
    pub fn public_clock(&self) -> String {
        self.topic("public", "clock")
    }

    /// `public/…/move`: the same as `live/…/move`, but later, an event.
    pub fn public_move(&self) -> String {
        self.topic("public", "move")
    }

    /// `public/…/revision`: the same as `live/…/revision`, but later, an event.
    pub fn public_revision(&self) -> String {
        self.topic("public", "revision")
    }

    /// `live/…/pgn`: the games of the board in this round as PGN, retained.
    pub fn live_pgn(&self) -> String {
        self.topic("live", PGN)
    }

    /// `public/…/pgn`: the same as `live/…/pgn`, but later, retained.
    pub fn public_pgn(&self) -> String {
        self.topic("public", PGN)
    }

    /// `arbiter/…/moves/<part>`: some of the moves before those in `arbiter/…/state`, retained.
    pub fn arbiter_moves(&self, part: u32) -> String {
        self.topic("arbiter", &format!("moves/{part}"))
    }

    /// `live/…/moves/<part>`: some of the moves before those in `live/…/state`, retained.
    pub fn live_moves(&self, part: u32) -> String {
        self.topic("live", &format!("moves/{part}"))
    }

    /// `public/…/moves/<part>`: the same as `live/…/moves/<part>`, but later, retained.
    pub fn public_moves(&self, part: u32) -> String {
        self.topic("public", &format!("moves/{part}"))
    }

    /// `cmd/<user>/…/<verb>`: the filter of all commands about this board.
    pub fn commands(&self) -> String {
        format!("{}/1/cmd/+/{}/{}/{}/+", self.root, self.event, self.round, self.board)
    }
}

/// `public/<event>/<round>/pgn`: the games of a round as PGN, retained; a collector publishes it.
pub fn round_pgn(root: &str, event: &str, round: &str) -> String {
    format!("{root}/1/public/{event}/{round}/{PGN}")
}

/// `node/<node>/status`: the life cycle of the node, retained. It is also the topic of the will.
pub fn node_status(root: &str, node: &str) -> String {
    format!("{root}/1/node/{node}/status")
}

/// `node/<node>/info`: the version, the capabilities and the boards of the node, retained.
pub fn node_info(root: &str, node: &str) -> String {
    format!("{root}/1/node/{node}/info")
}

/// The name under which the collector of a machine publishes, as a node of its own.
pub fn collector(machine: &str) -> String {
    format!("{machine}{COLLECTOR}")
}

/// Whether a node is a collector. No machine of a fleet has such a name, so the broker lets no machine with boards publish under it.
pub fn is_collector(node: &str) -> bool {
    node.ends_with(COLLECTOR)
}

/// `node/<node>/health`: temperature, supply voltage, disk and failed boards, retained for two minutes.
pub fn node_health(root: &str, node: &str) -> String {
    format!("{root}/1/node/{node}/health")
}

/// `node/<collector>/output/<name>`: whether an output of a collector works, retained.
pub fn output_status(root: &str, collector: &str, name: &str) -> String {
    format!("{root}/1/node/{collector}/output/{name}")
}

/// `meta/<event>`: the event and its current round, retained; the organiser publishes it.
pub fn meta_event(root: &str, event: &str) -> String {
    format!("{root}/1/meta/{event}")
}

/// `meta/<event>/<round>`: the pairings of a round, retained; the organiser publishes it.
pub fn meta_round(root: &str, event: &str, round: &str) -> String {
    format!("{root}/1/meta/{event}/{round}")
}

/// The id of a device in topics: its family, and its serial number as it reports it.
pub fn device_id(driver: &str, serial: &str) -> String {
    let fit = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '-' };
    format!("{driver}-{serial}").chars().map(fit).take(MAX_ID).collect()
}

/// The serial number in the id of a device of this family. The id `board-<board>`, of a device whose serial number is not known, has none.
pub fn serial_of_device<'a>(id: &'a str, driver: &str) -> Option<&'a str> {
    id.strip_prefix(&device_id(driver, "")).filter(|serial| !serial.is_empty())
}

/// Whether this is the id of the device with this serial number.
pub fn is_device(id: &str, driver: &str, serial: &str) -> bool {
    let own = device_id(driver, serial);
    let numbers = serial_of_device(id, driver).zip(serial_of_device(&own, driver));
    numbers.is_some_and(|(one, other)| same_serial(one, other))
}

/// `device/<device>/status`: whether a board or clock answers, and what it reports about itself, retained.
pub fn device_status(root: &str, device: &str) -> String {
    format!("{root}/1/device/{device}/status")
}

/// `device/<device>/raw`: bytes as they were read, an event.
pub fn device_raw(root: &str, device: &str) -> String {
    format!("{root}/1/device/{device}/raw")
}

/// `reply/<user>/<name>`: the answers to commands.
pub fn reply(root: &str, user: &str, client: &str) -> String {
    format!("{root}/1/reply/{user}/{client}")
}

/// Whether the payload on a topic is the PGN of a board. An id in another topic may be `pgn` too.
pub fn is_board_pgn(topic: &str) -> bool {
    let mut levels = topic.rsplit('/');
    levels.next() == Some(PGN) && matches!(levels.nth(3), Some("live" | "public")) && levels.next() == Some("1")
}

/// The event and round of a board's topic, as `event/round`; `None` for topics of nodes, devices and users.
pub fn round_of(topic: &str) -> Option<&str> {
    let below = |audience: &str| topic.split_once(audience).map(|(_, rest)| rest);
    let rest = below("/1/arbiter/").or_else(|| below("/1/live/")).or_else(|| below("/1/public/"))?;
    let (event, others) = rest.split_once('/')?;
    let (round, _) = others.split_once('/')?;
    rest.get(..event.len() + 1 + round.len())
}

/// Whether an answer to `user` may be published on `topic`. Only `reply/<user>/<name>` of that user is allowed, since this
/// program may write on topics on which the user may not.
pub fn may_reply(root: &str, user: &str, topic: &str) -> bool {
    let own = topic.strip_prefix(root).and_then(|rest| rest.strip_prefix("/1/reply/")).and_then(|rest| rest.strip_prefix(user));
    own.and_then(|rest| rest.strip_prefix('/')).is_some_and(is_name)
}

/// The levels of a command's topic, `cmd/<user>/<event>/<round>/<board>/<verb>`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CommandTopic<'a> {
    /// The user that sent it: the broker lets nobody else write below this name.
    pub user: &'a str,
    /// The event.
    pub event: &'a str,
    /// The round.
    pub round: &'a str,
    /// The board.
    pub board: &'a str,
    /// The verb: what the command does.
    pub verb: &'a str,
}

/// The reason why a topic is not the topic of a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TopicError {
    /// The topic does not begin with the root and the version.
    Foreign,
    /// The topic is not below `cmd/`.
    NotACommand,
    /// The topic has too many or too few levels.
    Levels,
    /// The level with this name is not a valid id.
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

/// Splits the topic of a command into its levels.
///
/// # Errors
/// The topic is not that of a command, or a level is not a valid id.
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

/// Whether `id` is a valid id in topics, `[a-z0-9-]{1,40}`.
pub fn is_id(id: &str) -> bool {
    (1..=MAX_ID).contains(&id.len()) && id.bytes().all(|b| matches!(b, b'a'..=b'z' | b'0'..=b'9' | b'-'))
}

/// Whether `name` is a valid user name or client id in topics, `[A-Za-z0-9._@:-]{1,64}`.
pub fn is_name(name: &str) -> bool {
    let fits = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'_' | b'@' | b':' | b'-');
    (1..=MAX_NAME).contains(&name.len()) && name.bytes().all(fits)
}

#[cfg(test)]
mod tests;
