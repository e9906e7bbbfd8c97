//! Says for people why a broker cannot be used, where it should be, which keys name it, and what to do.

use std::fmt;
use std::io::{Error, ErrorKind};

use rumqttc::v5::ConnectionError;
use rumqttc::v5::mqttbytes::v5::ConnectReturnCode;

use super::identity::Identity;

/// The keys that say where a broker is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Keys {
    host: &'static str,
    port: &'static str,
}

impl Keys {
    /// The section `[mqtt]`.
    pub const MQTT: Keys = Keys { host: "mqtt.host", port: "mqtt.port" };
    /// `[fleet]`, for a login from the folder that `flagfall fleet make` wrote.
    pub const FLEET: Keys = Keys { host: "fleet.broker.address", port: "fleet.broker.port" };
}

/// Why a broker cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trouble {
    /// Host and port of the broker with their keys.
    place: String,
    /// What is wrong; the broker is the subject of the words.
    pub found: String,
    /// What to do, a sentence.
    pub advice: String,
    /// Nothing listens at the port.
    pub nothing_listens: bool,
    /// The broker refuses the user name, the password or the certificate.
    pub bad_login: bool,
}

impl fmt::Display for Trouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "broker at {}: {}", self.place, self.words())
    }
}

impl std::error::Error for Trouble {}

impl Trouble {
    /// What is wrong and what to do, without the place.
    pub(super) fn words(&self) -> String {
        format!("{}. {}", self.found, self.advice)
    }
}

/// What to do, with `HOST` and `PORT` for the keys.
const START: &str = "Start the broker (sudo systemctl start mosquitto), or correct HOST and PORT.";
const REACH: &str = "Look at the network cable, HOST and the firewall of the broker's machine.";
const WRONG_PORT: &str = "Look at PORT and mqtt.tls: this port may be for TLS, for WebSocket or for something else.";
const NAME: &str = "Correct HOST, or write the broker's address there.";
const TLS: &str = "Look at mqtt.ca_file, at the name in the broker's certificate, at PORT and at the clock of this machine.";
const LOGIN: &str = "Correct mqtt.user and mqtt.password_file, or make the user at the broker (mosquitto_passwd).";

impl Identity {
    /// Host and port of the broker, with their keys.
    pub(super) fn place(&self) -> String {
        format!("{}:{} ({}, {})", self.host, self.port, self.keys.host, self.keys.port)
    }

    /// The trouble that this error is; without an error the broker was silent.
    pub fn trouble(&self, error: Option<&ConnectionError>) -> Trouble {
        match error {
            None | Some(ConnectionError::Timeout(_)) => self.silent(),
            Some(ConnectionError::Io(error)) => self.io_trouble(error),
            Some(ConnectionError::Tls(error)) => self.of(format!("TLS fails: {error}"), TLS),
            Some(ConnectionError::ConnectionRefused(code)) => self.refused(*code),
            Some(other) => self.no_welcome(other),
        }
    }

    /// The trouble of a broker that does not answer.
    pub(super) fn silent(&self) -> Trouble {
        self.of("does not answer", REACH)
    }

    /// The trouble of a broker that sends no welcome; `why` says what was seen.
    pub(super) fn no_welcome(&self, why: &dyn fmt::Display) -> Trouble {
        self.of(format!("gives no MQTT 5 answer: {why}"), WRONG_PORT)
    }

    /// The trouble of a connection that was good and was lost.
    pub fn lost(&self, error: &ConnectionError) -> Trouble {
        self.of(format!("the connection was lost: {error}"), "It is made again as soon as the broker answers.")
    }

    /// The trouble that this error of the connection is.
    pub(super) fn io_trouble(&self, error: &Error) -> Trouble {
        use ErrorKind::{ConnectionAborted, ConnectionRefused, ConnectionReset, TimedOut, UnexpectedEof};
        let is_tls = error.get_ref().is_some_and(|inner| inner.is::<rustls::Error>());
        match error.kind() {
            _ if is_tls => self.of(format!("TLS fails: {error}"), TLS),
            ConnectionRefused => Trouble { nothing_listens: true, ..self.of("nothing listens there", START) },
            TimedOut => self.silent(),
            ConnectionAborted | UnexpectedEof | ConnectionReset => self.of("closes the connection without a word", WRONG_PORT),
            _ if error.to_string().contains("lookup") => self.of(format!("its name is not known: {error}"), NAME),
            _ => self.of(format!("cannot be reached: {error}"), REACH),
        }
    }

    /// The trouble of a broker that refuses us.
    pub(super) fn refused(&self, code: ConnectReturnCode) -> Trouble {
        use ConnectReturnCode as Code;
        match code {
            Code::BadUserNamePassword | Code::NotAuthorized | Code::Banned | Code::BadAuthenticationMethod => {
                Trouble { bad_login: true, ..self.of("refuses us: user name or password is wrong, or missing", LOGIN) }
            }
            Code::RefusedProtocolVersion | Code::UnsupportedProtocolVersion => {
                self.of("refuses us: it does not speak MQTT 5", "Use a broker with MQTT 5, for example mosquitto 2.")
            }
            code => self.of(format!("refuses us: {code:?}"), "Read the log of the broker: it says why."),
        }
    }

    fn of(&self, found: impl Into<String>, advice: &str) -> Trouble {
        let advice = advice.replace("HOST", self.keys.host).replace("PORT", self.keys.port);
        Trouble { place: self.place(), found: found.into(), advice, nothing_listens: false, bad_login: false }
    }
}
