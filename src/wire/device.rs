//! Defines the bodies of messages about a device.

use flagfall_game::health;
use serde::Serialize;

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
    /// How often the men on it have changed since the start of the node while no game was on; published at most once a second. So a person finds
    /// out which device stands where.
    #[serde(skip_serializing_if = "super::is_zero")]
    #[schemars(default)]
    pub touched: u32,
    /// How often a square lost its man for a moment, since this board was first seen: told at most every five seconds.
    #[serde(skip_serializing_if = "super::is_zero")]
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

/// A square that loses whatever stands on it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct WeakSquare {
    /// The square as White sees it, such as `e4`.
    #[schemars(regex(pattern = r"^[a-h][1-8]$"))]
    pub square: String,
    /// How often it lost its man since this board was first seen.
    pub dropouts: u32,
}

impl From<&health::WeakSquare> for WeakSquare {
    fn from(weak: &health::WeakSquare) -> WeakSquare {
        WeakSquare { square: weak.square.clone(), dropouts: weak.dropouts }
    }
}

/// A man that is lost wherever he stands.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct WeakMan {
    /// Who, as in a FEN: `N` = a white knight.
    #[schemars(regex(pattern = r"^[PNBRQKpnbrqk]$"))]
    pub man: String,
    /// Where he began the game, or where a pawn became him.
    #[schemars(regex(pattern = r"^[a-h][1-8]$"))]
    pub began: String,
    /// A pawn became him there.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[schemars(default)]
    pub promoted: bool,
    /// How often he was lost in this game.
    pub dropouts: u32,
}

impl From<&health::WeakMan> for WeakMan {
    fn from(weak: &health::WeakMan) -> WeakMan {
        let health::WeakMan { man, began, promoted, dropouts } = weak.clone();
        WeakMan { man, began, promoted, dropouts }
    }
}
