//! Runs `flagfall check-config`: prints the boards and services that would start, or all errors in the configuration.

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;
use clap::Args;
use serde::Serialize;

use super::CONFIGURATION;
use crate::config::{
    self, Board, Config, Errors, InWords, Loaded, Output, OutputAudience, OutputKind, Place, Problem, Role, Transport,
};
use crate::daemon;
use crate::wire::player::Player;

/// Reads the configuration as `flagfall run` would, and shows the boards and services that would start, or all errors.
///
/// The exit code is 0 if the configuration is valid, even with warnings, and 78 if it is not.
///
/// Example: flagfall check-config --config hall.toml
#[derive(Args)]
pub(super) struct CheckConfig {
    /// A file; a later one lies over the earlier ones. Without any: /etc/flagfall/flagfall.toml, then
    /// /etc/flagfall/event.toml.
    #[arg(long, value_name = "FILE")]
    config: Vec<PathBuf>,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
}

impl CheckConfig {
    pub(super) fn run(self) -> Result<ExitCode> {
        let mut out = std::io::stdout().lock();
        // What `flagfall run` does before it opens anything.
        match daemon::load(&self.config, true) {
            Ok(loaded) if self.json => writeln!(out, "{}", serde_json::to_string(&ConfigReport::new(&loaded))?)?,
            Ok(loaded) => print(&loaded, &mut out)?,
            Err(errors) if self.json => {
                writeln!(out, "{}", serde_json::to_string(&ErrorReport::new(&errors))?)?;
                return Ok(ExitCode::from(CONFIGURATION));
            }
            Err(errors) => return Err(errors.into()),
        }
        Ok(ExitCode::SUCCESS)
    }
}

/// The address that messages go to.
fn broker(config: &Config) -> String {
    let mqtt = &config.mqtt;
    if config.publishes_to_own_broker() {
        return format!("mqtt://{}/{}", config.broker.tcp, mqtt.root);
    }
    let scheme = if mqtt.tls { "mqtts" } else { "mqtt" };
    format!("{scheme}://{}:{}/{}", mqtt.host, mqtt.port(), mqtt.root)
}

fn device(board: &Board) -> String {
    let serial = board.serial.as_ref().map(|serial| format!("the board with serial number {serial}"));
    let what = if board.is_hid() { "HID device" } else { "adapter" };
    let usb = board.usb_serial.as_ref().map(|serial| format!("the USB {what} with serial number {serial}"));
    let port = board.port.as_ref().map(|port| format!("port {}", port.display()));
    let bluetooth = board.bluetooth.as_ref().map(|device| format!("Bluetooth device {device}"));
    let marks: Vec<String> = [serial, usb, port, bluetooth].into_iter().flatten().collect();
    match (marks.is_empty(), board.is_hid()) {
        (true, true) => "the only USB HID device of its family".to_owned(),
        (true, false) => "the only board that is found".to_owned(),
        (false, _) => marks.join(", "),
    }
}

/// The time control of a board in words.
fn time_control(config: &Config, board: &Board) -> Option<InWords> {
    InWords::of(board.time_control.as_ref().or(config.event.time_control.as_ref())?, None)
}

/// A player's title and name.
fn player(player: Option<&Player>) -> String {
    let words = player.map(|player| [player.title.as_deref(), player.name.as_deref()]).unwrap_or_default();
    let words: Vec<&str> = words.into_iter().flatten().collect();
    if words.is_empty() { "?".to_owned() } else { words.join(" ") }
}

/// What an output of the collector does.
fn about_output(output: &Output) -> String {
    let audience = match output.audience {
        OutputAudience::Public => "public",
        OutputAudience::Live => "live",
    };
    let then = output.command.first().map(|program| format!(", then {program}")).unwrap_or_default();
    let whither = match (output.kind, output.round.as_str()) {
        (OutputKind::Lichess, "") => "lichess, to the round that `flagfall event lichess` names".to_owned(),
        (OutputKind::Lichess, round) => format!("the round {round} at lichess"),
        _ => format!("files in {}{then}", output.dir.display()),
    };
    format!("Output {}: {audience}/ to {whither}", output.name)
}

fn print(loaded: &Loaded, out: &mut dyn Write) -> Result<()> {
    let Loaded { config, files, hash } = loaded;
    let files: Vec<String> = files.iter().map(|file| file.display().to_string()).collect();
    let files = if files.is_empty() { "no file, the defaults".to_owned() } else { files.join(", ") };
    let event = &config.event;
    writeln!(out, "Configuration {hash:08x}: {files}")?;
    writeln!(out, "Node: {}", config.node.name.as_deref().unwrap_or("named after this machine"))?;
    let until = if event.from_meta { ", until the organiser's messages say otherwise" } else { "" };
    writeln!(out, "Event {}, round {}{until}", event.id, event.round)?;
    writeln!(out, "Messages to {}", broker(config))?;
    if config.broker.enabled {
        let websocket = Some(config.broker.websocket.as_str()).filter(|text| !text.is_empty()).unwrap_or("none");
        writeln!(out, "Broker in this program: MQTT at {}, WebSocket at {websocket}", config.broker.tcp)?;
    }
    let delay = match (event.delay, event.delay_moves) {
        (0, 0) => "at once".to_owned(),
        (seconds, 0) => format!("{seconds} s later"),
        (0, plies) => format!("{plies} plies later"),
        (seconds, plies) => format!("{seconds} s and {plies} plies later"),
    };
    writeln!(out, "Audiences: arbiter/ and live/ at once, public/ {delay}")?;
    let waits = config.until_press().names();
    if !waits.is_empty() {
        writeln!(out, "A made move waits for its press before it is in {}/", waits.join("/ and "))?;
    }
    for board in &config.board {
        let time = time_control(config, board).map_or("no time control".to_owned(), |time| time.text);
        let players = match (&board.white, &board.black) {
            (None, None) => String::new(),
            (white, black) => {
                format!(", {} - {}", player(white.as_ref()), player(black.as_ref()))
            }
        };
        let calibration = board.calibration_file.as_ref().map(|file| format!(", calibration {}", file.display()));
        writeln!(out, "Board {}: {}{}, {time}{players}", board.id, device(board), calibration.unwrap_or_default())?;
    }
    for output in &config.output {
        writeln!(out, "{}", about_output(output))?;
    }
    for (name, user) in &config.user {
        let boards = match (user.role, user.boards.as_slice()) {
            (Role::Chief, _) | (_, []) => "all boards".to_owned(),
            (_, ids) => ids.join(", "),
        };
        writeln!(out, "User {name}: {}, {boards}", user.role.name())?;
    }
    for warning in config::warnings(config) {
        writeln!(out, "Warning: {warning}")?;
    }
    Ok(())
}

#[derive(Serialize)]
struct ConfigReport<'a> {
    ok: bool,
    files: Vec<String>,
    hash: String,
    node: Option<&'a str>,
    event: &'a str,
    round: &'a str,
    broker: String,
    embedded_broker: Option<&'a str>,
    delay: u32,
    delay_moves: u32,
    until_press: Vec<&'static str>,
    boards: Vec<BoardReport<'a>>,
    users: Vec<UserReport<'a>>,
    warnings: Vec<String>,
}

#[derive(Serialize)]
struct BoardReport<'a> {
    id: &'a str,
    driver: Option<&'a str>,
    serial: Option<&'a str>,
    usb_serial: Option<&'a str>,
    port: Option<String>,
    transport: Option<Transport>,
    bluetooth: Option<&'a str>,
    calibration_file: Option<String>,
    white: Option<&'a str>,
    black: Option<&'a str>,
    time_control: Option<&'a str>,
    time_control_in_words: Option<String>,
}

#[derive(Serialize)]
struct UserReport<'a> {
    name: &'a str,
    role: Role,
    boards: &'a [String],
}

impl ConfigReport<'_> {
    fn new(loaded: &Loaded) -> ConfigReport<'_> {
        let Loaded { config, files, hash } = loaded;
        let boards = config.board.iter().map(|board| BoardReport {
            id: &board.id,
            driver: board.driver.as_deref(),
            serial: board.serial.as_deref(),
            usb_serial: board.usb_serial.as_deref(),
            port: board.port.as_ref().map(|port| port.display().to_string()),
            transport: board.transport.or(board.is_hid().then_some(Transport::Hid)),
            bluetooth: board.bluetooth.as_deref(),
            calibration_file: board.calibration_file.as_ref().map(|file| file.display().to_string()),
            white: board.white.as_ref().and_then(|white| white.name.as_deref()),
            black: board.black.as_ref().and_then(|black| black.name.as_deref()),
            time_control: board.time_control.as_deref().or(config.event.time_control.as_deref()),
            time_control_in_words: time_control(config, board).map(|time| time.text),
        });
        ConfigReport {
            ok: true,
            files: files.iter().map(|file| file.display().to_string()).collect(),
            hash: format!("{hash:08x}"),
            node: config.node.name.as_deref(),
            event: &config.event.id,
            round: &config.event.round,
            broker: broker(config),
            embedded_broker: config.broker.enabled.then_some(config.broker.tcp.as_str()),
            delay: config.event.delay,
            delay_moves: config.event.delay_moves,
            until_press: config.until_press().names(),
            boards: boards.collect(),
            users: config.user.iter().map(|(name, user)| UserReport { name, role: user.role, boards: &user.boards }).collect(),
            warnings: config::warnings(config),
        }
    }
}

#[derive(Serialize)]
struct ErrorReport<'a> {
    ok: bool,
    errors: Vec<ErrorLine<'a>>,
}

#[derive(Serialize)]
struct ErrorLine<'a> {
    file: Option<String>,
    line: Option<usize>,
    column: Option<usize>,
    variable: Option<&'a str>,
    key: &'a str,
    message: &'a str,
}

impl ErrorReport<'_> {
    fn new(errors: &Errors) -> ErrorReport<'_> {
        let line = |problem: &'_ Problem| match &problem.place {
            Place::Line { file, line, column } => (Some(file.display().to_string()), Some(*line), Some(*column)),
            Place::File(file) => (Some(file.display().to_string()), None, None),
            Place::Variable(_) | Place::Default => (None, None, None),
        };
        let errors = errors.0.iter().map(|problem| {
            let (file, line, column) = line(problem);
            let variable = match &problem.place {
                Place::Variable(name) => Some(name.as_str()),
                _ => None,
            };
            ErrorLine { file, line, column, variable, key: &problem.key, message: &problem.message }
        });
        ErrorReport { ok: false, errors: errors.collect() }
    }
}
