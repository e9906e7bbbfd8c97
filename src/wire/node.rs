//! Defines the bodies of messages about a node, that is, one running daemon (`wire/README.md#4`).

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Body of `node.status`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct NodeStatus {
    /// Where it is in its life.
    pub state: NodeState,
    /// A random value that is made at each start of the program: another value under the same name is another run, or a second
    /// daemon. Messages before 1.1 have none.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(regex(pattern = r"^[0-9a-f]{24}$"))]
    pub run: Option<String>,
}

/// Where a node is in its life (`wire/README.md#4`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum NodeState {
    /// Connected; what is retained may be old.
    Init,
    /// All that is retained is as it is now.
    Ready,
    /// Ended on purpose.
    Stopped,
    /// The broker lost it: the will.
    Lost,
}

/// Where a node is in its life, as others see it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Presence {
    /// It was not heard, or it was lost or stopped.
    #[default]
    Away,
    /// It has connected.
    Init,
    /// It works.
    Ready,
}

impl Presence {
    /// Reads it in the body of a status.
    pub(crate) fn of(body: &Value) -> Presence {
        match body["state"].as_str() {
            Some("ready") => Presence::Ready,
            Some("init") => Presence::Init,
            _ => Presence::Away,
        }
    }
}

/// Body of `node.info`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct NodeInfo {
    /// Version of the program.
    pub version: String,
    /// What this build can do, one word each.
    pub capabilities: Vec<String>,
    /// The boards it serves, as `<event>/<round>/<board>`.
    #[schemars(inner(regex(pattern = r"^[a-z0-9-]{1,40}/[a-z0-9-]{1,40}/[a-z0-9-]{1,40}$")))]
    pub boards: Vec<String>,
    /// The rounds it serves, as `<event>/<round>`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(inner(regex(pattern = r"^[a-z0-9-]{1,40}/[a-z0-9-]{1,40}$")))]
    pub rounds: Vec<String>,
    /// How much later the public gets everything, seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delay: Option<u32>,
    /// By how many half-moves the public is behind at least.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delay_moves: Option<u32>,
    /// The audiences for which a made move waits for its press, `live` and `public` (`wire/README.md#7.2`). Since version 1.2.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(inner(regex(pattern = r"^(live|public)$")))]
    pub until_press: Vec<&'static str>,
    /// Who may send commands; without this field, nobody.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub roles: BTreeMap<String, UserRole>,
    /// The round whose games it sends to broadcasts, as `<event>/<round>`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(inner(regex(pattern = r"^[a-z0-9-]{1,40}/[a-z0-9-]{1,40}$")))]
    pub collects: Vec<String>,
    /// The organiser's messages that it cannot use, with the reasons, a sentence for people each.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    pub problems: Vec<String>,
    /// The round that the organiser published, as long as the node waits before it uses it (`wire/README.md#11`). Since version 1.2.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_round: Option<NextRound>,
}

/// A round, or the same round with other pairings, that a node does not use yet. It changes with all its boards at once.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct NextRound {
    /// The round, as `<event>/<round>`.
    #[schemars(regex(pattern = r"^[a-z0-9-]{1,40}/[a-z0-9-]{1,40}$"))]
    pub round: String,
    /// The boards that the node will serve, as `<event>/<round>/<board>`.
    #[schemars(inner(regex(pattern = r"^[a-z0-9-]{1,40}/[a-z0-9-]{1,40}/[a-z0-9-]{1,40}$")))]
    pub boards: Vec<String>,
    /// What it waits for and what would end that, in sentences for people. Empty: it changes now.
    pub held_by: Vec<String>,
}

/// What a user may do at a node (`wire/README.md#6`).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct UserRole {
    /// The role.
    pub role: Role,
    /// The ids of the boards that the role holds for; without this field, all boards of the node.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub boards: Vec<String>,
}

/// The roles (`wire/README.md#6`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Role {
    /// Manages devices and records what stands on the board.
    Operator,
    /// Also decides, on the boards in the list.
    Arbiter,
    /// Decides on all boards.
    Chief,
    /// Enters the results of the organiser's desk. Since version 1.2.
    Organiser,
}

impl Role {
    /// The word in messages, in the configuration and in words for people.
    pub const fn name(self) -> &'static str {
        match self {
            Role::Operator => "operator",
            Role::Arbiter => "arbiter",
            Role::Chief => "chief",
            Role::Organiser => "organiser",
        }
    }
}

/// Body of `node.health`. What is not known is left out.
#[derive(Clone, Debug, Default, PartialEq, Serialize, schemars::JsonSchema)]
pub struct NodeHealth {
    /// Temperature of the processor, degrees Celsius.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub temperature_c: Option<f32>,
    /// The supply voltage is or was too low.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub under_voltage: Option<bool>,
    /// Free space for journals, MiB.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub disk_free_mib: Option<u64>,
    /// Version of the program.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// Resident memory of the program, KiB.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rss_kib: Option<u64>,
    /// Threads of the program: two for each board, and about ten.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub threads: Option<u64>,
    /// Open file descriptors of the program.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fds: Option<u64>,
    /// Bytes of all journals.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub journal_bytes: Option<u64>,
    /// Messages that the broker has not acknowledged yet, in memory and in journals.
    #[serde(skip_serializing_if = "super::is_zero")]
    pub backlog: u64,
    /// Connections to the broker since the start of the program, after the first.
    #[serde(skip_serializing_if = "super::is_zero")]
    pub reconnections: u64,
    /// The least time since the message before until systemd's watchdog would have restarted the program, milliseconds. Left out
    /// without a watchdog.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub watchdog_margin_ms: Option<u64>,
    /// The last movement of this machine's clock since the start of the program, milliseconds, below zero if it went back. Left out
    /// if it never moved by more than 50 ms.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub clock_step_ms: Option<i64>,
    /// Every journal takes what is given to it.
    pub journal_ok: bool,
    /// Boards that were parked after repeated failure.
    pub failed_boards: Vec<String>,
    /// Boards that another node claims.
    pub withheld_boards: Vec<String>,
    /// Boards with messages that the broker does not take, or takes only in part.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub refused_boards: Vec<String>,
    /// Messages that were given up since the start of the program because the broker does not take them.
    #[serde(skip_serializing_if = "super::is_zero")]
    pub refused: u64,
    /// How often since the start of the program another client took over the connection, as far as the broker reports it.
    #[serde(skip_serializing_if = "super::is_zero")]
    pub takeovers: u64,
    /// A second daemon publishes under the name of this node.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub name_taken: bool,
}
