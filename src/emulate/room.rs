//! A simulated board and the station that reads it, in one room and without time passing: nothing but bytes reaches the
//! station, and what it says is noted with its time.

use std::borrow::Cow;

use anyhow::{Context, Result};
use flagfall_game::game::GameConfig;
use flagfall_game::input::Command;
use flagfall_hardware::emulator::Emulator;
use flagfall_protocols::driver::DriverInfo;
use flagfall_protocols::drivers::dgt::board::BoardMessage;
use flagfall_protocols::drivers::dgt::clock::ClockMessage;
use flagfall_protocols::drivers::dgt::framing::{Framed, Framing};
use flagfall_protocols::drivers::dgt::squares;
use flagfall_protocols::event::ClockSide;
use flagfall_protocols::time::Instant;
use flagfall_protocols::trace::{self, Body, Record};
use serde::Deserialize;
use serde_json::value::RawValue;

use super::players::{Order, Performance};
use super::step::Steps;
use crate::publish::Message;
use crate::publish::topics::Board;
use crate::station::{Station, StationInput, StationOutput};

/// What arbiters were told, in order.
#[derive(Clone, Debug)]
pub enum Told {
    /// A sure move.
    Move {
        /// When, microseconds.
        at: u64,
        /// It is the first game of the board.
        first_game: bool,
        /// What was told.
        mv: ToldMove,
    },
    /// The moves from a ply on are others.
    Revision {
        /// When, microseconds.
        at: u64,
        /// The first ply that differs, from 1.
        from_ply: usize,
        /// The moves from there on.
        moves: Vec<ToldMove>,
    },
    /// An alarm was opened, changed or closed.
    Alarm {
        /// When, microseconds.
        at: u64,
        /// The alarm.
        alarm: ToldAlarm,
    },
}

/// A move as it was told.
#[derive(Clone, Debug, Deserialize)]
pub struct ToldMove {
    /// From 1.
    pub ply: usize,
    /// UCI notation.
    pub uci: String,
    /// Made between these two, microseconds.
    pub made_at: [u64; 2],
}

/// An alarm as it was told.
#[derive(Clone, Debug, Deserialize)]
pub struct ToldAlarm {
    /// Its number.
    pub id: u32,
    /// Its kind.
    pub kind: String,
    /// `loud`, `silent` or `note`.
    pub class: String,
    /// Opened, microseconds.
    pub opened_at: u64,
}

/// What came over the cable.
#[derive(Clone, Debug, Default)]
pub struct Heard {
    /// Squares that changed, with the moment, in order: microseconds, bit of the square.
    pub fields: Vec<(u64, u64)>,
    /// Clock reports that show another lever than the one before: microseconds, whose lever is up.
    pub levers: Vec<(u64, ClockSide)>,
    /// The whole board was told.
    pub dumps: Vec<u64>,
}

/// What came out of a room.
#[derive(Debug)]
pub struct Outcome {
    /// What arbiters were told.
    pub told: Vec<Told>,
    /// What came over the cable.
    pub heard: Heard,
    /// UCI of the sure moves at the end.
    pub sure: Vec<String>,
    /// UCI of the moves that stood on the board at the end and were not sure.
    pub pending: Vec<String>,
    /// Microseconds from the end of each fault until the position was right again; none if it never was.
    pub in_step: Vec<Option<u64>>,
    /// Everything that the station was fed, as a trace.
    pub trace: Option<String>,
    /// Hand movements that could not be done: a fault of the simulation.
    pub impossible: Vec<String>,
}

/// Plays a performance to a station that knows its time control. `name` is the trace's; none = no trace is written.
///
/// # Errors
/// A message that cannot be read, or a name that a trace cannot hold.
pub fn run(driver: &DriverInfo, play: &Performance, name: Option<&str>) -> Result<Outcome> {
    let config =
        GameConfig { time_control: Some(play.control.control.clone()), clock_source: driver.name, ..GameConfig::default() };
    let mut station = Station::new(driver, config, Board::default(), "simulation");
    station.set_lazy(true);
    let mut emulator = Emulator::new(play.settings.clone());
    emulator.load(&play.script);
    let mut room = Room {
        notes: Notes::default(),
        up: false,
        recording: name.map(|name| Recording::new(driver.name, &play.control.control.to_string(), name)).transpose()?,
        listener: Listener::default(),
        out: Vec::new(),
    };
    let end = Instant::ZERO.after(play.end);
    let mut steps = Steps::new(&play.truth);
    let (mut links, mut orders) = (play.links.iter().peekable(), play.orders.iter().peekable());
    let mut sent = Vec::new();
    room.link(&mut station, Instant::ZERO, true)?;
    loop {
        room.drain(&mut emulator)?;
        let link = links.peek().map(|(at, _)| Instant::ZERO.after(*at));
        let order = orders.peek().map(|(at, _)| Instant::ZERO.after(*at));
        let next = [emulator.next(), station.deadline(), link, order].into_iter().flatten().min();
        let Some(next) = next.filter(|next| *next <= end) else { break };
        emulator.advance(next, &mut sent);
        // What is sent while the link is away reaches nobody.
        for (at, bytes) in sent.drain(..) {
            if !room.up {
                continue;
            }
            room.listener.hear(at, &bytes);
            room.note(at, Body::Rx { link: 0, channel: 0, bytes: Cow::Borrowed(&bytes) })?;
            station.feed(at, &StationInput::Bytes { channel: 0, bytes: &bytes }, &mut room.out);
        }
        if let Some((at, up)) = links.next_if(|(at, _)| Instant::ZERO.after(*at) <= next) {
            room.link(&mut station, Instant::ZERO.after(*at), *up)?;
        }
        if let Some((at, order)) = orders.next_if(|(at, _)| Instant::ZERO.after(*at) <= next) {
            for command in commands(order, &station)? {
                room.note(Instant::ZERO.after(*at), Body::Cmd(&serde_json::to_string(&command)?))?;
                station.feed(Instant::ZERO.after(*at), &StationInput::Command(command), &mut room.out);
            }
        }
        station.advance(next, &mut room.out);
        steps.look(next, &station, &room.listener.heard.dumps);
    }
    let state = station.game().arbiter_state();
    Ok(Outcome {
        told: room.notes.told,
        heard: room.listener.heard,
        in_step: steps.end(),
        sure: state.moves.into_iter().map(|mv| mv.uci).collect(),
        pending: state.pending.into_iter().map(|mv| mv.uci).collect(),
        trace: room.recording.map(|recording| recording.text),
        impossible: emulator
            .impossible()
            .iter()
            .map(|(at, problem)| format!("{:.3} s: {problem:?}", at.0 as f64 / 1e6))
            .collect(),
    })
}

/// What an order makes an arbiter enter.
fn commands(order: &Order, station: &Station) -> Result<Vec<Command>> {
    let mut commands = Vec::new();
    match order {
        Order::Give(command) => commands.push(command.clone()),
        Order::Acknowledge(kind) => {
            for alarm in station.game().alarms().into_iter().filter(|alarm| alarm.closed_at.is_none()) {
                if serde_json::to_value(alarm.kind)? == *kind {
                    commands.push(Command::AcknowledgeAlert { alarm: alarm.id });
                }
            }
        }
    }
    Ok(commands)
}

struct Room {
    /// The link is there.
    up: bool,
    notes: Notes,
    recording: Option<Recording>,
    listener: Listener,
    out: Vec<StationOutput>,
}

impl Room {
    fn note(&mut self, at: Instant, body: Body<'_>) -> Result<()> {
        self.recording.as_mut().map_or(Ok(()), |recording| recording.note(at, body))
    }

    fn link(&mut self, station: &mut Station, at: Instant, up: bool) -> Result<()> {
        self.up = up;
        self.listener.framing.reset();
        self.note(at, Body::Link { link: 0, up, cause: if up { "opened" } else { "lost" } })?;
        station.feed(at, &StationInput::Link { up }, &mut self.out);
        Ok(())
    }

    /// Does what the station wants done.
    fn drain(&mut self, emulator: &mut Emulator) -> Result<()> {
        for output in std::mem::take(&mut self.out) {
            match output {
                StationOutput::Send { at, channel, bytes } if self.up => {
                    self.note(at, Body::Tx { link: 0, channel, bytes: Cow::Borrowed(&bytes) })?;
                    emulator.host(at, &bytes);
                }
                StationOutput::Message(message) => self.notes.take(&message)?,
                StationOutput::Send { .. } => {}
                // Nobody answers questions of Article 6.9 here, and nobody gives commands.
                StationOutput::Ask(_) | StationOutput::Device(_) | StationOutput::Reply(_) | StationOutput::Do(_) => {}
            }
        }
        Ok(())
    }
}

/// Reads the messages for arbiters.
#[derive(Debug, Default)]
struct Notes {
    told: Vec<Told>,
    game: Option<String>,
}

#[derive(Deserialize)]
struct Envelope<'a> {
    r#type: &'a str,
    game: &'a str,
    #[serde(borrow)]
    body: &'a RawValue,
}

#[derive(Deserialize)]
struct Audit {
    what: String,
}

#[derive(Deserialize)]
struct Revision {
    from_ply: usize,
    moves: Vec<ToldMove>,
}

impl Notes {
    fn take(&mut self, message: &Message) -> Result<()> {
        if message.number == 0 || message.audience != trace::Audience::Arbiter {
            return Ok(());
        }
        self.read(message).with_context(|| format!("message {}", message.payload))
    }

    fn read(&mut self, message: &Message) -> Result<()> {
        let at = message.at.0;
        let envelope: Envelope<'_> = serde_json::from_str(&message.payload)?;
        let body = envelope.body.get();
        if envelope.r#type == "board.move" {
            let first_game = *self.game.get_or_insert_with(|| envelope.game.to_owned()) == envelope.game;
            self.told.push(Told::Move { at, first_game, mv: serde_json::from_str(body)? });
            return Ok(());
        }
        let Ok(Audit { what }) = serde_json::from_str(body) else { return Ok(()) };
        match what.as_str() {
            "alarm" => self.told.push(Told::Alarm { at, alarm: serde_json::from_str(body)? }),
            "revision" => {
                let Revision { from_ply, moves } = serde_json::from_str(body)?;
                self.told.push(Told::Revision { at, from_ply, moves });
            }
            _ => {}
        }
        Ok(())
    }
}

/// Reads the board's bytes by itself: what came when, whatever the station made of it.
#[derive(Debug, Default)]
struct Listener {
    framing: Framing,
    heard: Heard,
}

impl Listener {
    fn hear(&mut self, at: Instant, bytes: &[u8]) {
        for &byte in bytes {
            let Some(Framed::Message { id, data, .. }) = self.framing.push(byte) else { continue };
            match BoardMessage::decode(id, data) {
                Some(BoardMessage::Field { index, .. }) => {
                    if let Some(square) = squares::square(index) {
                        self.heard.fields.push((at.0, square.bit()));
                    }
                }
                Some(BoardMessage::Board(_)) => self.heard.dumps.push(at.0),
                Some(BoardMessage::Clock(bytes)) => {
                    let ClockMessage::Report(report) = ClockMessage::decode(&bytes) else { continue };
                    let up = report.status.lever_up();
                    if self.heard.levers.last().is_none_or(|(_, before)| *before != up) {
                        self.heard.levers.push((at.0, up));
                    }
                }
                _ => {}
            }
        }
    }
}

/// Writes a trace while a game runs.
struct Recording {
    text: String,
    seq: u64,
    last: Instant,
}

impl Recording {
    fn new(driver: &str, control: &str, name: &str) -> Result<Recording> {
        let mut text = format!("{}\n", trace::FORMAT);
        let headers = [("driver", driver), ("device", "flagfall simulator"), ("time-control", control), ("name", name)];
        for (key, value) in headers {
            trace::print_header(key, value, &mut text).map_err(|error| anyhow::anyhow!("{key}: {error}"))?;
        }
        Ok(Recording { text, seq: 0, last: Instant::ZERO })
    }

    fn note(&mut self, at: Instant, body: Body<'_>) -> Result<()> {
        self.seq += 1;
        self.last = self.last.max(at);
        let record = Record { seq: self.seq, at: self.last, body };
        trace::print(&record, &mut self.text).map_err(|error| anyhow::anyhow!("record {}: {error}", self.seq))
    }
}
