//! What the gateway says (`dgt3000_gateway/README.md#4`).

use alloc::vec::Vec;
use core::fmt::Write;

use super::json::{JsonText, Members, NotJson, Value};
use super::text::Text;
use crate::time::ClockTime;

/// Both times as they came: hours, minutes, seconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Times {
    /// The left display.
    pub left: [u8; 3],
    /// The right display.
    pub right: [u8; 3],
}

impl Times {
    /// What both displays show, left and right; none if hours are above 9, minutes or seconds above 59.
    pub fn read(&self) -> Option<[ClockTime; 2]> {
        let [left, right] = [self.left, self.right].map(|[hours, minutes, seconds]| {
            let legal = hours <= 9 && minutes <= 59 && seconds <= 59;
            legal.then(|| ClockTime::hms(hours.into(), minutes.into(), seconds.into()))
        });
        Some([left?, right?])
    }
}

/// What was pressed or moved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names that the gateway gives them")]
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

    /// The gateway's name of it.
    pub fn name(self) -> &'static str {
        Button::NAMES.iter().find(|(button, _)| *button == self).map_or("unknown", |(_, name)| name)
    }

    fn from_name(name: JsonText<'_>) -> Option<Button> {
        Button::NAMES.iter().find(|(_, own)| name.is(own)).map(|(button, _)| *button)
    }
}

/// What became of a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It was done; both times, if they were asked for.
    Done(Option<Times>),
    /// It was not: the code, if one was told.
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
        /// Which; none for a name that the page does not list.
        button: Option<Button>,
        /// The clock's own code of it.
        code: u8,
        /// It is held down since an earlier event.
        repeat: bool,
        /// So many repetitions, if it says so.
        count: Option<u32>,
    },
    /// `connectionStatus`: of the clock to the gateway.
    Connection {
        /// The gateway's stamp.
        stamp: u64,
        /// A clock is there.
        connected: bool,
        /// It obeys the gateway.
        configured: bool,
    },
    /// `error`: something failed, not because of a command.
    Error {
        /// The gateway's stamp.
        stamp: u64,
        /// 1000 to 2000, as the page lists them.
        code: u16,
    },
    /// `command_response`, or `response` of one clone.
    Response {
        /// The command's name for itself, if it is repeated.
        id: Option<JsonText<'a>>,
        /// What became of it.
        outcome: Outcome,
    },
}

/// Why a text is no message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refused {
    /// It is not JSON.
    NotJson,
    /// Its type is not listed.
    Unknown,
    /// Something is missing, or is not what it must be.
    Field,
}

/// A clock is not connected (code 1003).
pub const NOT_CONNECTED: u16 = 1003;

/// All members that any message has.
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

/// Names of the times, left then right.
const TIMES: [&str; 6] = ["leftHours", "leftMinutes", "leftSeconds", "rightHours", "rightMinutes", "rightSeconds"];

impl<'a> Fields<'a> {
    fn read(text: &'a [u8]) -> Result<Fields<'a>, NotJson> {
        let mut fields = Fields::default();
        for member in Members::new(text) {
            let member = member?;
            let name = member.name;
            match member.value {
                // A result within a response has a status of its own.
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

    /// All six, each as a byte; above 255 is as wrong as 255.
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

    /// The gateway's stamp; an answer has none.
    pub const fn stamp(&self) -> Option<u64> {
        match *self {
            Message::Time { stamp, .. }
            | Message::Button { stamp, .. }
            | Message::Connection { stamp, .. }
            | Message::Error { stamp, .. } => Some(stamp),
            Message::Response { .. } => None,
        }
    }

    /// Appends the message as the gateway writes it.
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

/// Both times as an object.
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
