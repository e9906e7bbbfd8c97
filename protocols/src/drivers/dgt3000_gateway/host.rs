//! Encodes and decodes the messages that a host sends to the gateway (`dgt3000_gateway/README.md#3`).
//!
//! [`GET_TIME`] is the only message that the driver's session sends. [`HostCommand`] is for emulators and tests. It also
//! contains the commands that set, run or stop the clock or show something.

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt::Write;

use super::json::{Members, Value};
use super::text::Text;

/// The session's question for both times, as the whole message. Its answer has the same [`ID`].
pub const GET_TIME: &[u8] = br#"{"id":"flagfall","command":"getTime"}"#;
/// The session's name for its question.
pub const ID: &str = "flagfall";
/// The longest name that the gateway accepts, in letters.
pub const MAX_ID: usize = 31;

/// The setting of one side.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Setting {
    /// 0 stopped, 1 counts down, 2 counts up.
    pub mode: u8,
    /// 0 to 9.
    pub hours: u8,
    /// 0 to 59.
    pub minutes: u8,
    /// 0 to 59.
    pub seconds: u8,
}

/// The order of a command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Order {
    /// `getTime`.
    GetTime,
    /// `setTime`: sets both sides.
    SetTime {
        /// The left side.
        left: Setting,
        /// The right side.
        right: Setting,
    },
    /// `run`: runs the clock with these modes.
    Run {
        /// The mode of the left side.
        left: u8,
        /// The mode of the right side.
        right: u8,
    },
    /// `stop`.
    Stop,
    /// `displayText`: at most eleven letters. Beep, dots and signs are not stored.
    DisplayText(String),
    /// `endDisplay`.
    EndDisplay,
    /// A command that the page does not list, or a command with wrong members.
    Unknown,
}

/// All commands of a host. An emulated device must accept them all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostCommand {
    /// The host's name for the command.
    pub id: String,
    /// The order.
    pub order: Order,
}

/// The names of the parameters of `setTime` and `run`, left side first.
const PARAMS: [&str; 8] =
    ["leftMode", "leftHours", "leftMinutes", "leftSeconds", "rightMode", "rightHours", "rightMinutes", "rightSeconds"];
/// The largest value of each parameter.
const MOST: [u8; 8] = [2, 9, 59, 59, 2, 9, 59, 59];

impl HostCommand {
    /// Reads one object; `None` if it is no JSON, or if its name is missing or too long.
    pub fn decode(text: &[u8]) -> Option<HostCommand> {
        let (mut id, mut command, mut shown) = (None, String::new(), None);
        let mut params = [None; 8];
        for member in Members::new(text) {
            let member = member.ok()?;
            match member.value {
                Value::Text(text) if member.depth == 1 && member.name.is("id") => id = Some(text.letters().collect::<String>()),
                Value::Text(text) if member.depth == 1 && member.name.is("command") => command = text.letters().collect(),
                Value::Text(text) if member.name.is("text") => shown = Some(text.letters().take(11).collect()),
                Value::Number(number) => {
                    if let Some(place) = PARAMS.iter().position(|own| member.name.is(own)) {
                        params[place] = u8::try_from(number).ok().filter(|number| *number <= MOST[place]);
                    }
                }
                _ => {}
            }
        }
        let id = id.filter(|id| id.chars().count() <= MAX_ID)?;
        let order = match command.as_str() {
            "getTime" => Some(Order::GetTime),
            "stop" => Some(Order::Stop),
            "endDisplay" => Some(Order::EndDisplay),
            "displayText" => shown.map(Order::DisplayText),
            "run" => params[0].zip(params[4]).map(|(left, right)| Order::Run { left, right }),
            "setTime" => setting(&params[..4]).zip(setting(&params[4..])).map(|(left, right)| Order::SetTime { left, right }),
            _ => None,
        };
        Some(HostCommand { id, order: order.unwrap_or(Order::Unknown) })
    }

    /// Appends the bytes of the command.
    pub fn encode(&self, out: &mut Vec<u8>) {
        // Writing into memory does not fail.
        let _ = self.write(&mut Text(out));
    }

    fn write(&self, text: &mut Text<'_>) -> core::fmt::Result {
        text.write_str(r#"{"id":"#)?;
        text.quoted(self.id.chars())?;
        write!(text, r#","command":"{}""#, self.name())?;
        match &self.order {
            Order::SetTime { left, right } => {
                let numbers = [left, right].into_iter().flat_map(|side| [side.mode, side.hours, side.minutes, side.seconds]);
                for ((name, number), before) in PARAMS.into_iter().zip(numbers).zip("{,,,,,,,".chars()) {
                    let params = if before == '{' { r#","params":"# } else { "" };
                    write!(text, "{params}{before}\"{name}\":{number}")?;
                }
                text.write_char('}')?;
            }
            Order::Run { left, right } => write!(text, r#","params":{{"leftMode":{left},"rightMode":{right}}}"#)?,
            Order::DisplayText(shown) => {
                text.write_str(r#","params":{"text":"#)?;
                text.quoted(shown.chars())?;
                text.write_char('}')?;
            }
            Order::GetTime | Order::Stop | Order::EndDisplay | Order::Unknown => {}
        }
        text.write_char('}')
    }

    /// Returns the page's name of the order.
    pub const fn name(&self) -> &'static str {
        match self.order {
            Order::GetTime => "getTime",
            Order::SetTime { .. } => "setTime",
            Order::Run { .. } => "run",
            Order::Stop => "stop",
            Order::DisplayText(_) => "displayText",
            Order::EndDisplay => "endDisplay",
            Order::Unknown => "unknown",
        }
    }
}

fn setting(params: &[Option<u8>]) -> Option<Setting> {
    match *params {
        [Some(mode), Some(hours), Some(minutes), Some(seconds)] => Some(Setting { mode, hours, minutes, seconds }),
        _ => None,
    }
}
