//! The flat header of every message, and what the sink adds to it (`publish/README.md#2`).
//!
//! A station says what happened and when on its own time line; which node it was, how often the journal was opened and what
//! time that is for people is added by whoever sends. So payloads in the journal do not depend on the wall clock.

use std::fmt::Write as _;

use flagfall_game::health::{WeakMan, WeakSquare};
use flagfall_protocols::time::Instant;
use serde::{Deserialize, Serialize};

use crate::wall::Utc;

/// Version of the schema.
pub const VERSION: &str = "1.0";

/// What a clock on the wall goes by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
#[allow(missing_docs, reason = "the contract's own words")]
pub enum TimeSource {
    Ntp,
    Ptp,
    Gps,
    Rtc,
    #[default]
    None,
}

impl TimeSource {
    /// The word in messages.
    pub const fn name(self) -> &'static str {
        match self {
            TimeSource::Ntp => "ntp",
            TimeSource::Ptp => "ptp",
            TimeSource::Gps => "gps",
            TimeSource::Rtc => "rtc",
            TimeSource::None => "none",
        }
    }

    /// The source of that name.
    pub fn find(name: &str) -> Option<TimeSource> {
        let all = [TimeSource::Ntp, TimeSource::Ptp, TimeSource::Gps, TimeSource::Rtc, TimeSource::None];
        all.into_iter().find(|source| source.name() == name)
    }

    /// The time may be compared with that of another machine.
    pub const fn is_synchronised(self) -> bool {
        matches!(self, TimeSource::Ntp | TimeSource::Ptp | TimeSource::Gps)
    }
}

/// What time it was for people at one moment of the journal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Anchor {
    /// The moment.
    pub at: Instant,
    /// The time.
    pub utc: Utc,
    /// What it goes by.
    pub sync: TimeSource,
    /// Estimated error, milliseconds; none if nobody knows.
    pub err_ms: Option<u32>,
}

impl Anchor {
    /// The time for people at another moment.
    pub fn utc(&self, at: Instant) -> Utc {
        // A journal lasts less than 2^63 microseconds.
        self.utc.after_micros(at.0 as i64 - self.at.0 as i64)
    }

    /// The moment of a time for people; the journal's beginning for all that was before.
    pub fn at(&self, utc: Utc) -> Instant {
        let since = utc.0.saturating_sub(self.utc.0);
        Instant(self.at.0.saturating_add_signed(since))
    }
}

/// What the sink knows and the station does not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stamp {
    /// This machine's name.
    pub node: String,
    /// How often the journal was opened.
    pub boot: u64,
    /// What time it is.
    pub anchor: Anchor,
}

/// Where the station's header ends and its time begins: nothing within a JSON string looks like this, since a quotation mark
/// there has a backslash before it.
const TIME: &str = ",\"t\":{\"us\":";

/// The payload of a station with the sink's additions: `node`, `boot` and, for the moment that the payload names, `t.utc`,
/// `t.sync`, `t.err_ms`. What has no such moment (an empty payload, which deletes) is given back as it is.
pub fn complete(payload: &str, stamp: &Stamp) -> String {
    let Some((head, tail)) = payload.split_once(TIME) else { return payload.to_owned() };
    let digits = tail.bytes().take_while(u8::is_ascii_digit).count();
    let (us, rest) = tail.split_at(digits);
    let Ok(at) = us.parse().map(Instant) else { return payload.to_owned() };
    let mut out = String::with_capacity(payload.len() + 128);
    // Writing to a String does not fail, and a name is something JSON can say.
    let _ = write!(out, "{head},\"node\":{},\"boot\":{}", serde_json::to_string(&stamp.node).unwrap_or_default(), stamp.boot);
    let Anchor { sync, err_ms, .. } = stamp.anchor;
    let _ = write!(out, "{TIME}{us},\"utc\":\"{}\",\"sync\":\"{}\"", stamp.anchor.utc(at), sync.name());
    if let Some(err_ms) = err_ms {
        let _ = write!(out, ",\"err_ms\":{err_ms}");
    }
    out.push_str(rest);
    out
}

#[derive(Serialize)]
struct Time {
    us: u64,
    utc: String,
    sync: TimeSource,
    #[serde(skip_serializing_if = "Option::is_none")]
    err_ms: Option<u32>,
}

#[derive(Serialize)]
struct Envelope<'a, T> {
    v: &'static str,
    r#type: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<&'a str>,
    node: &'a str,
    boot: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    t: Option<Time>,
    body: &'a T,
}

/// A message that no station makes: `node.status`, `device.status`, `cmd.reply`, ... `id` is a command's in its answer. Without
/// `at` it says no time: a will is written long before it is sent.
pub fn message(kind: &str, id: Option<&str>, stamp: &Stamp, at: Option<Instant>, body: &impl Serialize) -> String {
    let Anchor { sync, err_ms, .. } = stamp.anchor;
    let t = at.map(|at| Time { us: at.0, utc: stamp.anchor.utc(at).to_string(), sync, err_ms });
    let envelope = Envelope { v: VERSION, r#type: kind, id, node: &stamp.node, boot: stamp.boot, t, body };
    // Plain structs of numbers, text and lists: there is nothing in them that JSON cannot say.
    serde_json::to_string(&envelope).unwrap_or_default()
}

/// Body of `node.status`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct NodeStatus {
    /// Where it is in its life.
    pub state: NodeState,
}

/// Where a node is in its life (`publish/README.md#4`).
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

/// Body of `node.info`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct NodeInfo {
    /// Version of the program.
    pub version: String,
    /// What this build can do, one word each.
    pub capabilities: Vec<String>,
    /// The boards it serves, as `<event>/<round>/<board>`.
    #[schemars(inner(regex(pattern = r"^[a-z0-9-]{1,40}/[a-z0-9-]{1,40}/[a-z0-9-]{1,40}$")))]
    pub boards: Vec<String>,
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
    /// Every journal takes what is given to it.
    pub journal_ok: bool,
    /// Boards that were parked after repeated failure.
    pub failed_boards: Vec<String>,
    /// Boards that another node claims.
    pub withheld_boards: Vec<String>,
}

/// Body of `device.status`. What is not known is left out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct DeviceStatus {
    /// Whether it answers.
    pub state: DeviceState,
    /// What it is.
    pub kind: DeviceKind,
    /// How it is reached: one word.
    pub transport: String,
    /// The port.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub port: Option<String>,
    /// The board it serves, as `<event>/<round>/<board>`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(regex(pattern = r"^[a-z0-9-]{1,40}/[a-z0-9-]{1,40}/[a-z0-9-]{1,40}$"))]
    pub board: Option<String>,
    /// What keeps it from working, in words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
    /// Its own serial number.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub serial: Option<String>,
    /// Its firmware, `major.minor`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub firmware: Option<String>,
    /// Charge of its battery, percent.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(max = 100))]
    pub battery_percent: Option<u8>,
    /// What it says is left of that, minutes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub battery_minutes: Option<u16>,
    /// Its battery is being charged.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub charging: Option<bool>,
    /// How strongly a device by Bluetooth was received when it was connected, dBm.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub signal_dbm: Option<i16>,
    /// Firmware of the clock at the board, `major.minor`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub clock_firmware: Option<String>,
    /// How often a square lost its man for a moment, since this board was first seen: told at most every five seconds.
    #[serde(skip_serializing_if = "is_zero")]
    #[schemars(default)]
    pub dropouts: u32,
    /// Squares that lose whatever stands on them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    pub weak_squares: Vec<WeakSquare>,
    /// Men of the present game that are lost wherever they stand.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    pub weak_men: Vec<WeakMan>,
    /// What to look after, one word each.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    pub warnings: Vec<DeviceWarning>,
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "what serde calls")]
const fn is_zero(number: &u32) -> bool {
    *number == 0
}

/// Something about a device that somebody should look after.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum DeviceWarning {
    /// It was received so weakly that it may be lost at any moment: less than -85 dBm.
    WeakSignal,
    /// Its battery is to be charged.
    BatteryLow,
    /// Its battery may go out at any moment.
    BatteryCritical,
    /// Its clock shows the battery warning.
    ClockBatteryLow,
    /// Some squares are weak.
    WeakSquares,
    /// Some men are weak.
    WeakMen,
}

/// What a device is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum DeviceKind {
    /// A board, with the clock that is connected to it.
    Board,
    /// A clock on a link of its own.
    Clock,
}

/// Whether a device answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum DeviceState {
    /// It answers.
    Online,
    /// It is not there or does not answer.
    Offline,
    /// It comes and goes.
    Unstable,
}

/// Body of `device.raw`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct DeviceRaw {
    /// The channel of the link, 0 on a serial line.
    pub channel: u8,
    /// The bytes, lower-case hex.
    #[schemars(regex(pattern = r"^([0-9a-f]{2})*$"))]
    pub bytes: String,
}
