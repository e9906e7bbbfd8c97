//! Defines the values of the configuration. Every key has its line and comment in `config/flagfall.toml`, and unknown keys are
//! refused.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::PathBuf;

use flagfall_game::laws::rulebook::{Guideline, Rulebook, RulebookError};
use serde::Deserialize;

use super::board::Board;
use super::fleet::Fleet;
use super::output::{Collect, Output};
use super::screens::Screens;
use super::shown::Shown;
pub use crate::wire::node::Role;

/// The whole configuration.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// This machine.
    pub node: Node,
    /// The event and round that are played.
    pub event: Event,
    /// What `live/` gets.
    pub live: Shown,
    /// What `public/` gets.
    pub public: Shown,
    /// The broker that messages go to.
    pub mqtt: Mqtt,
    /// The broker inside this program, for machines without one.
    pub broker: Broker,
    /// The LiveChess API for programs on this machine.
    pub livechess: LiveChess,
    /// Pages over HTTP.
    pub http: Http,
    /// The pages for arbiters, operators and spectators.
    pub screens: Screens,
    /// Where and how much is recorded.
    pub journal: Journal,
    /// Where boards are searched for.
    pub discovery: Discovery,
    /// Bluetooth.
    pub bluetooth: Bluetooth,
    /// The program's own log.
    pub log: Log,
    /// The users that may send commands, by their user names at the broker.
    pub user: BTreeMap<String, User>,
    /// The collector, which sends the games of a round to broadcasts.
    pub collect: Collect,
    /// The boards that this machine serves.
    pub board: Vec<Board>,
    /// The outputs of the collector.
    pub output: Vec<Output>,
    /// The machines and people of the event.
    pub fleet: Fleet,
}

/// This machine.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Node {
    /// Its name in topics, `[a-z0-9-]{1,32}`; if none, it is made of the host's name.
    pub name: Option<String>,
}

/// The event and round that are played.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Event {
    /// Its id in topics, `[a-z0-9-]{1,40}`.
    pub id: String,
    /// The round's id in topics.
    pub round: String,
    /// When the round begins, RFC 3339, for boards with a bound on their games.
    pub start: Option<String>,
    /// Time control of all boards that have none of their own, in PGN notation.
    pub time_control: Option<String>,
    /// The rules that are played, as [`rulebook`] reads them.
    pub profile: String,
    /// The guideline for games without additional time that was announced (Guidelines III).
    pub guidelines: Guidelines,
    /// How certain findings are decided.
    pub rulings: Rulings,
    /// The event's regulations name this program as an observer of flags (6.8).
    pub observer: bool,
    /// Seconds after the start by which a player must have arrived (6.7.1).
    pub default_time: Option<u32>,
    /// Whether all boards without a key of their own play Chess960.
    pub chess960: bool,
    /// Games without arbiters: what players take back on the board leaves the list.
    pub casual: bool,
    /// The delay of `public/` against `live/` in seconds, 0..=86400.
    pub delay: u32,
    /// The least delay in plies, 0..=40.
    pub delay_moves: u32,
    /// Whether the round, its players, rules and delay come from the organiser's messages.
    pub from_meta: bool,
}

impl Default for Event {
    fn default() -> Event {
        Event {
            id: "event".to_owned(),
            round: "1".to_owned(),
            start: None,
            time_control: None,
            profile: STANDARD.to_owned(),
            guidelines: Guidelines::default(),
            rulings: Rulings::default(),
            observer: false,
            default_time: None,
            chess960: false,
            casual: false,
            delay: 0,
            delay_moves: 0,
            from_meta: false,
        }
    }
}

/// The guideline that was announced for games without additional time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
pub enum Guidelines {
    /// None.
    #[default]
    #[serde(rename = "")]
    None,
    /// A player may ask for additional time for both.
    #[serde(rename = "III.4")]
    AdditionalTime,
    /// A player may claim a draw because the opponent cannot win by normal means.
    #[serde(rename = "III.5")]
    NormalMeans,
}

/// The name of the rules that apply if none are configured.
pub(super) const STANDARD: &str = "fide-2023-standard";

/// The rulebook of a profile with its options (`club-speed+article-6.9`) and the guideline that was announced.
///
/// # Errors
/// A part of the name is unknown, or does not fit the profile.
pub fn rulebook(profile: &str, guidelines: Guidelines) -> Result<Rulebook, RulebookError> {
    // The name of the standard rules before there were others.
    let profile = if profile == "fide" { STANDARD } else { profile };
    match guidelines {
        Guidelines::None => Rulebook::parse(profile),
        Guidelines::AdditionalTime => Rulebook::parse(&format!("{profile}+{}", Guideline::AdditionalTime.name())),
        Guidelines::NormalMeans => Rulebook::parse(&format!("{profile}+{}", Guideline::NormalMeans.name())),
    }
}

/// How certain findings are decided.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Rulings {
    /// An arbiter decides.
    #[default]
    Advise,
    /// They are decided automatically.
    Automatic,
}

/// The broker that messages go to.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Mqtt {
    /// Its name or address.
    pub host: String,
    /// Its port; if none, 8883 with TLS and 1883 without.
    pub port: Option<u16>,
    /// First level of every topic.
    pub root: String,
    /// User name; if none, the node's name where a password is given.
    pub user: Option<String>,
    /// File whose first line is the password.
    pub password_file: Option<PathBuf>,
    /// Whether to use TLS. It is needed for every broker on another machine.
    pub tls: bool,
    /// Certificates that are trusted, PEM; needed with TLS.
    pub ca_file: Option<PathBuf>,
    /// Our own certificate, PEM; with `key_file`.
    pub certificate_file: Option<PathBuf>,
    /// Its private key, PEM.
    pub key_file: Option<PathBuf>,
    /// Whether to publish to a broker on another machine without TLS.
    pub insecure: bool,
    /// Whether to publish the bytes of every device as they are read, to find faults.
    pub raw: bool,
}

impl Default for Mqtt {
    fn default() -> Mqtt {
        Mqtt {
            host: "127.0.0.1".to_owned(),
            port: None,
            root: "flagfall".to_owned(),
            user: None,
            password_file: None,
            tls: false,
            ca_file: None,
            certificate_file: None,
            key_file: None,
            insecure: false,
            raw: false,
        }
    }
}

impl Config {
    /// The users that may send commands to this node: those of `[user.NAME]`. A node that follows the organiser's messages also takes the
    /// results of the user `organiser`, unless the configuration gives this role, or this name, itself.
    pub fn commanders(&self) -> BTreeMap<String, User> {
        let mut users = self.user.clone();
        if self.event.from_meta && users.values().all(|user| user.role != Role::Organiser) {
            users.entry("organiser".to_owned()).or_insert(User { role: Role::Organiser, boards: Vec::new() });
        }
        users
    }

    /// Whether the broker in this program is the one that messages go to.
    pub fn publishes_to_own_broker(&self) -> bool {
        let mqtt = &self.mqtt;
        let named = || mqtt.host.parse().map(|ip| SocketAddr::new(ip, mqtt.port.unwrap_or(1883)));
        self.broker.enabled
            && (mqtt.is_default() || (!mqtt.tls && named().is_ok_and(|named| self.broker.tcp.parse() == Ok(named))))
    }
}

impl Mqtt {
    /// The port to connect to.
    pub fn port(&self) -> u16 {
        self.port.unwrap_or(if self.tls { 8883 } else { 1883 })
    }

    /// Whether no broker is named, so that messages go to the broker in this program if it is enabled.
    pub fn is_default(&self) -> bool {
        self.port.is_none() && !self.tls && self.host == Mqtt::default().host
    }

    /// Whether a user or a password is named.
    pub fn has_login(&self) -> bool {
        self.user.is_some() || self.password_file.is_some()
    }
}

/// The broker inside this program.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Broker {
    /// Whether it is started.
    pub enabled: bool,
    /// Address and port for MQTT.
    pub tcp: String,
    /// Address and port for MQTT over WebSocket, path `/mqtt`; empty = none.
    pub websocket: String,
    /// The users and their rights; needed as soon as it can be reached from another machine.
    pub user: BTreeMap<String, BrokerUser>,
}

impl Default for Broker {
    fn default() -> Broker {
        // WebSocket is off: without users, a page in a browser of this machine could send commands.
        Broker { enabled: false, tcp: "127.0.0.1:1883".to_owned(), websocket: String::new(), user: BTreeMap::new() }
    }
}

/// A user of the broker inside this program.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct BrokerUser {
    /// File whose first line is the password.
    pub password_file: PathBuf,
    /// Topic filters that may be read.
    pub read: Vec<String>,
    /// Topic filters that may be written; `cmd/<user>/#` under the root is always among them.
    pub write: Vec<String>,
}

/// The LiveChess API for programs on this machine.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct LiveChess {
    /// Whether it is offered.
    pub enabled: bool,
    /// Addresses and ports on this machine, at least one.
    pub listen: Vec<String>,
    /// The origins whose web pages may use it.
    pub origins: Vec<String>,
}

impl Default for LiveChess {
    fn default() -> LiveChess {
        LiveChess {
            enabled: false,
            listen: ["127.0.0.1:1982", "[::1]:1982"].map(str::to_owned).to_vec(),
            origins: ["https://lichess.org", "https://www.chess.com", "https://chess.com"].map(str::to_owned).to_vec(),
        }
    }
}

/// Pages over HTTP.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Http {
    /// Address and port; empty = none.
    pub listen: String,
}

/// Where and how much is recorded.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Journal {
    /// The folder; each board has its own folder in it.
    pub dir: PathBuf,
    /// A file of so many MiB is followed by a new one, 1..=128.
    pub file_mib: u32,
    /// Old sessions of one board are deleted above so many MiB, 1..=65536; never the current game.
    pub total_mib: u32,
}

impl Default for Journal {
    fn default() -> Journal {
        Journal { dir: PathBuf::from("/var/lib/flagfall"), file_mib: 8, total_mib: 256 }
    }
}

/// Where boards are searched for.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Discovery {
    /// Folders whose entries are ports, beside the USB ports that the system knows; for boards that are not on USB.
    pub folders: Vec<PathBuf>,
}

impl Default for Discovery {
    fn default() -> Discovery {
        Discovery { folders: vec![PathBuf::from("/dev/serial/by-id")] }
    }
}

/// Bluetooth.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Bluetooth {
    /// The adapter, `hci0`; if none, the first.
    pub adapter: Option<String>,
}

/// The program's own log.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Log {
    /// The level of the log.
    pub level: Level,
}

/// The level of the log.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Level {
    /// Faults that must be repaired.
    Error,
    /// Also unusual events.
    Warn,
    /// Also what began and ended.
    #[default]
    Info,
    /// Also details.
    Debug,
}

/// A user that may send commands.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct User {
    /// The role.
    pub role: Role,
    /// The ids of the boards that the role holds for; if none, all boards of this machine. A chief's role always holds for all.
    #[serde(default)]
    pub boards: Vec<String>,
}
