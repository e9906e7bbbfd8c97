//! Encodes and decodes the messages that the gateway sends (`dgt3000_gateway/README.md#4`).

use alloc::vec::Vec;
use core::fmt::Write;

use super::json::{JsonText, Members, NotJson, Value};
use super::text::Text;
use crate::time::ClockTime;

/// The times of both sides as received: hours, minutes, seconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Times {
    /// The left display.
    pub left: [u8; 3],
    /// The right display.
    pub right: [u8; 3],
}

impl Times {
    /// Returns the times of the left and the right display; `None` if hours are above 9, or minutes or seconds above 59.
    pub fn read(&self) -> Option<[ClockTime; 2]> {
        let [left, right] = [self.left, self.right].map(|[hours, minutes, seconds]| {
            let legal = hours <= 9 && minutes <= 59 && seconds <= 59;
            legal.then(|| ClockTime::hms(hours.into(), minutes.into(), seconds.into()))
        });
        Some([left?, right?])
    }
}

/// A button or a side of the lever.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "these are the gateway's names")]
pub enum Button {
    Back,
    Minus,
    PlayPause,
    Plus,
    Forward,
    OnOffPress,
    OnOffRelease,
    /// The left side of the lever went down.
    LeverLeft,
    /// The right side of the lever went down.
    LeverRight,
}

impl Button {
    const NAMES: [(Button, &str); 9] = [
        (Button::Back, "back"),
        (Button::Minus, "minus"),
        (Button::PlayPause, "play_pause"),
        (Button::Plus, "plus"),
        (Button::Forward, "forward"),
        (Button::OnOffPress, "on_off_press"),
        (Button::OnOffRelease, "on_off_release"),
        (Button::LeverLeft, "lever_left"),
        (Button::LeverRight, "lever_right"),
    ];

    /// Returns the gateway's name of the button.
    pub fn name(self) -> &'static str {
        Button::NAMES.iter().find(|(button, _)| *button == self).map_or("unknown", |(_, name)| name)
    }

    fn from_name(name: JsonText<'_>) -> Option<Button> {
        Button::NAMES.iter().find(|(_, own)| name.is(own)).map(|(button, _)| *button)
    }
}

/// The result of a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The command succeeded. It contains both times, if they were asked for.
    Done(Option<Times>),
    /// The command failed, with a code if there is one.
    Failed(Option<u16>),
}

/// One message. Stamps are milliseconds since the gateway was switched on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Message<'a> {
    /// `timeUpdate`: the times have changed.
    Time {
        /// The gateway's stamp.
        stamp: u64,
        /// The times.
        times: Times,
    },
    /// `buttonEvent`: a button or the lever.
    Button {
        /// The gateway's stamp.
        stamp: u64,
        /// The button; `None` if the page does not list its name.
        button: Option<Button>,
        /// The clock's own code of the button.
        code: u8,
        /// The button has been held down since an earlier event.
        repeat: bool,
        /// The number of repetitions, if the message contains it.
        count: Option<u32>,
    },
    /// `connectionStatus`: the connection between the clock and the gateway.
    Connection {
        /// The gateway's stamp.
        stamp: u64,
        /// A clock is connected.
        connected: bool,
        /// The gateway controls the clock.
        configured: bool,
    },
    /// `error`: an error that no command caused.
    Error {
        /// The gateway's stamp.
        stamp: u64,
        /// The code, 1000 to 2000. The page lists the codes.
        code: u16,
    },
    /// `command_response`, or `response` from one clone.
    Response {
        /// The name of the command, if the gateway repeats it.
        id: Option<JsonText<'a>>,
        /// The result of the command.
        outcome: Outcome,
    },
}

/// The reason why a text is no message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refused {
    /// The text is not JSON.
    NotJson,
    /// The page does not list the type.
    Unknown,
    /// A field is missing or has a wrong value.
    Field,
}

/// The code for "no clock is connected".
pub const NOT_CONNECTED: u16 = 1003;

/// The members of all messages.
#[derive(Clone, Copy, Debug, Default)]
struct Fields<'a> {
    kind: Option<JsonText<'a>>,
    id: Option<JsonText<'a>>,
    status: Option<JsonText<'a>>,
    stamp: Option<i64>,
    times: [Option<i64>; 6],
    button: Option<JsonText<'a>>,
    code: Option<i64>,
    repeat: Option<bool>,
    count: Option<i64>,
    connected: Option<bool>,
    configured: Option<bool>,
    error: Option<i64>,
}

/// The names of the times, left side first.
const TIMES: [&str; 6] = ["leftHours", "leftMinutes", "leftSeconds", "rightHours", "rightMinutes", "rightSeconds"];

impl<'a> Fields<'a> {
    fn read(text: &'a [u8]) -> Result<Fields<'a>, NotJson> {
        let mut fields = Fields::default();
        for member in Members::new(text) {
            let member = member?;
            let name = member.name;
            match member.value {
                // The depth is checked because a result within a response has its own status.
                Value::Text(text) if member.depth == 1 && name.is("type") => fields.kind = Some(text),
                Value::Text(text) if member.depth == 1 && name.is("id") => fields.id = Some(text),
                Value::Text(text) if member.depth == 1 && name.is("status") => fields.status = Some(text),
                Value::Text(text) if name.is("button") => fields.button = Some(text),
                Value::Number(number) if name.is("timestamp") => fields.stamp = Some(number),
                Value::Number(number) if name.is("buttonCode") => fields.code = Some(number),
                Value::Number(number) if name.is("repeatCount") => fields.count = Some(number),
                Value::Number(number) if name.is("errorCode") => fields.error = Some(number),
                Value::Number(number) => {
                    if let Some(place) = TIMES.iter().position(|own| name.is(own)) {
                        fields.times[place] = Some(number);
                    }
                }
                Value::Bool(is) if name.is("isRepeat") => fields.repeat = Some(is),
                Value::Bool(is) if name.is("connected") => fields.connected = Some(is),
                Value::Bool(is) if name.is("configured") => fields.configured = Some(is),
                _ => {}
            }
        }
        Ok(fields)
    }

    fn stamp(&self) -> Option<u64> {
        self.stamp?.try_into().ok()
    }

    /// Returns all six numbers as bytes. A number above 255 becomes 255, which is also illegal.
    fn times(&self) -> Option<Times> {
        let mut bytes = [0; 6];
        for (byte, number) in bytes.iter_mut().zip(self.times) {
            *byte = number?.try_into().unwrap_or(u8::MAX);
        }
        let [h, m, s, hours, minutes, seconds] = bytes;
        Some(Times { left: [h, m, s], right: [hours, minutes, seconds] })
    }

    fn response(&self) -> Option<Message<'a>> {
        let status = self.status?;
        let outcome = if status.is("success") || status.is("ok") {
            Outcome::Done(self.times())
        } else if status.is("error") {
            Outcome::Failed(self.error.and_then(|code| code.try_into().ok()))
        } else {
            return None;
        };
        Some(Message::Response { id: self.id, outcome })
    }

    fn button(&self) -> Option<Message<'a>> {
        let count = match self.count {
            Some(count) => Some(count.try_into().ok()?),
            None => None,
        };
        Some(Message::Button {
            stamp: self.stamp()?,
            button: Button::from_name(self.button?),
            code: self.code?.try_into().ok()?,
            repeat: self.repeat?,
            count,
        })
    }

    fn connection(&self) -> Option<Message<'a>> {
        Some(Message::Connection { stamp: self.stamp()?, connected: self.connected?, configured: self.configured? })
    }

    fn error(&self) -> Option<Message<'a>> {
        Some(Message::Error { stamp: self.stamp()?, code: self.error?.try_into().ok()? })
    }

    fn time(&self) -> Option<Message<'a>> {
        Some(Message::Time { stamp: self.stamp()?, times: self.times()? })
    }
}

impl<'a> Message<'a> {
    /// Reads one object.
    pub fn decode(text: &'a [u8]) -> Result<Message<'a>, Refused> {
        let fields = Fields::read(text).map_err(|_| Refused::NotJson)?;
        let kind = fields.kind.ok_or(Refused::Field)?;
        let message = match () {
            () if kind.is("timeUpdate") => fields.time(),
            () if kind.is("buttonEvent") => fields.button(),
            () if kind.is("connectionStatus") => fields.connection(),
            () if kind.is("error") => fields.error(),
            () if kind.is("command_response") || kind.is("response") => fields.response(),
            () => return Err(Refused::Unknown),
        };
        message.ok_or(Refused::Field)
    }

    /// Returns the gateway's stamp. An answer has none.
    pub const fn stamp(&self) -> Option<u64> {
        match *self {
            Message::Time { stamp, .. }
            | Message::Button { stamp, .. }
            | Message::Connection { stamp, .. }
            | Message::Error { stamp, .. } => Some(stamp),
            Message::Response { .. } => None,
        }
    }

    /// Appends the message in the form of the gateway.
    pub fn encode(&self, out: &mut Vec<u8>) {
        let mut text = Text(out);
        // Writing into memory does not fail.
        let _ = match self {
            Message::Time { stamp, times } => {
                write!(text, r#"{{"type":"timeUpdate","timestamp":{stamp},"data":{}}}"#, Data(times))
            }
            Message::Button { stamp, button, code, repeat, count } => text.button(*stamp, *button, *code, *repeat, *count),
            Message::Connection { stamp, connected, configured } => write!(
                text,
                r#"{{"type":"connectionStatus","timestamp":{stamp},"data":{{"connected":{connected},"configured":{configured}}}}}"#
            ),
            Message::Error { stamp, code } => {
                write!(text, r#"{{"type":"error","timestamp":{stamp},"data":{{"errorCode":{code}}}}}"#)
            }
            Message::Response { id, outcome } => text.response(*id, outcome),
        };
    }
}

impl Text<'_> {
    fn button(&mut self, stamp: u64, button: Option<Button>, code: u8, repeat: bool, count: Option<u32>) -> core::fmt::Result {
        let name = button.map_or("unknown", Button::name);
        write!(self, r#"{{"type":"buttonEvent","timestamp":{stamp},"data":{{"button":"{name}","buttonCode":{code}"#)?;
        write!(self, r#","isRepeat":{repeat}"#)?;
        if let Some(count) = count {
            write!(self, r#","repeatCount":{count}"#)?;
        }
        self.write_str("}}")
    }

    fn response(&mut self, id: Option<JsonText<'_>>, outcome: &Outcome) -> core::fmt::Result {
        let Some(id) = id else {
            let status = if matches!(outcome, Outcome::Done(_)) { "ok" } else { "error" };
            return write!(self, r#"{{"type":"response","status":"{status}"}}"#);
        };
        self.write_str(r#"{"type":"command_response","id":"#)?;
        self.quoted(id.letters())?;
        match outcome {
            Outcome::Done(None) => self.write_str(r#","status":"success"}"#),
            Outcome::Done(Some(times)) => write!(self, r#","status":"success","result":{}}}"#, Data(times)),
            Outcome::Failed(None) => self.write_str(r#","status":"error"}"#),
            Outcome::Failed(Some(code)) => write!(self, r#","status":"error","data":{{"errorCode":{code}}}}}"#),
        }
    }
}

/// Writes both times as a JSON object.
struct Data<'a>(&'a Times);

impl core::fmt::Display for Data<'_> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        let numbers = self.0.left.into_iter().chain(self.0.right);
        for ((name, number), before) in TIMES.into_iter().zip(numbers).zip("{,,,,,".chars()) {
            write!(f, "{before}\"{name}\":{number}")?;
        }
        f.write_char('}')
    }
}
