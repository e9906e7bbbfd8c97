//! Runs a simulated board and the station that reads it, without real time. Only bytes reach the station, and its messages are
//! collected with their times.

mod listener;
mod reports;

use std::borrow::Cow;

use anyhow::Result;
use flagfall_game::config::GameConfig;
use flagfall_hardware::emulator::{Device, Sent};
use flagfall_protocols::driver::DriverInfo;
use flagfall_protocols::time::Instant;
use flagfall_protocols::trace::{self, Body, Record};

use super::boards;
use super::players::{Order, Performance};
use super::step::Steps;
use crate::session::station::{Station, StationInput, StationOutput};
use crate::wire::alarm::AlarmKind;
use crate::wire::command::Command;
use crate::wire::topics::Board;
pub use listener::Heard;
use listener::Listener;
use reports::Reports;
pub use reports::{Reported, ReportedAlarm, ReportedMove};

/// The outcome of a simulated game.
#[derive(Debug)]
pub struct Outcome {
    /// What was reported to arbiters.
    pub told: Vec<Reported>,
    /// What came over the cable.
    pub heard: Heard,
    /// UCI of the sure moves at the end.
    pub sure: Vec<String>,
    /// UCI of the moves that stood on the board at the end and were not sure.
    pub pending: Vec<String>,
    /// UCI of the alternatives for the next move, if nothing showed in the end which one was made.
    pub open: Vec<String>,
    /// UCI of promotions to a piece that nothing has confirmed.
    pub unconfirmed: Vec<String>,
    /// Microseconds from the end of each fault until the position was right again; none if it never was.
    pub in_step: Vec<Option<u64>>,
    /// All inputs of the station, as a trace.
    pub trace: Option<String>,
    /// Hand movements that could not be done: a fault of the simulation.
    pub impossible: Vec<String>,
}

/// Plays a performance to a station that knows its time control. `name` is the name of the trace; none = no trace is written.
///
/// # Errors
/// A message cannot be read, or a trace cannot hold the name.
pub fn run(driver: &DriverInfo, play: &Performance, name: Option<&str>) -> Result<Outcome> {
    let config = GameConfig {
        time_control: Some(play.control.control.clone()),
        clock_source: driver.clock_source(),
        ..GameConfig::default()
    };
    let mut station = Station::new(driver, config, Board::default(), "simulation");
    station.set_coalesced(true);
    let mut emulator = boards::device(play);
    emulator.load(&play.script);
    let mut game = SimulatedGame {
        reports: Reports::default(),
        up: false,
        recording: name.map(|name| Recording::new(driver.name, &play.control.control.to_string(), name)).transpose()?,
        listener: Listener::default(),
        out: Vec::new(),
    };
    let end = Instant::ZERO.after(play.end);
    let mut steps = Steps::new(&play.truth);
    let (mut links, mut orders) = (play.links.iter().peekable(), play.orders.iter().peekable());
    let mut sent = Vec::new();
    game.set_link(&mut station, Instant::ZERO, true)?;
    loop {
        game.carry_out(&mut *emulator)?;
        let link = links.peek().map(|(at, _)| Instant::ZERO.after(*at));
        let order = orders.peek().map(|(at, _)| Instant::ZERO.after(*at));
        let next = [emulator.next(), station.deadline(), link, order].into_iter().flatten().min();
        let Some(next) = next.filter(|next| *next <= end) else { break };
        emulator.advance(next, &mut sent);
        // Bytes that are sent while the link is down are lost.
        for Sent { at, channel, bytes } in sent.drain(..) {
            if !game.up {
                continue;
            }
            if play.board == boards::SimulatedBoard::Dgt {
                game.listener.handle_bytes(at, &bytes);
            }
            game.record(at, Body::Rx { link: 0, channel, bytes: Cow::Borrowed(&bytes) })?;
            station.feed(at, &StationInput::bytes(channel, &bytes), &mut game.out);
        }
        if let Some((at, up)) = links.next_if(|(at, _)| Instant::ZERO.after(*at) <= next) {
            game.set_link(&mut station, Instant::ZERO.after(*at), *up)?;
        }
        if let Some((at, order)) = orders.next_if(|(at, _)| Instant::ZERO.after(*at) <= next) {
            for command in commands(order, &station)? {
                game.record(Instant::ZERO.after(*at), Body::Cmd(&serde_json::to_string(&command)?))?;
                station.feed(Instant::ZERO.after(*at), &StationInput::Command(command.into()), &mut game.out);
            }
        }
        station.advance(next, &mut game.out);
        steps.check(next, &station, &game.listener.heard.dumps);
    }
    let played = station.game();
    Ok(Outcome {
        told: game.reports.told,
        heard: game.listener.heard,
        open: played.open_moves(),
        unconfirmed: played.unconfirmed_promotions(),
        in_step: steps.end(),
        sure: played.moves().map(|mv| mv.uci.to_string()).collect(),
        pending: played.pending().map(|mv| mv.uci.to_string()).collect(),
        trace: game.recording.map(|recording| recording.text),
        impossible: emulator
            .impossible()
            .iter()
            .map(|(at, problem)| format!("{:.3} s: {problem:?}", at.0 as f64 / 1e6))
            .collect(),
    })
}

/// Returns the commands that an order stands for.
fn commands(order: &Order, station: &Station) -> Result<Vec<Command>> {
    let mut commands = Vec::new();
    match order {
        Order::Give(command) => commands.push(command.clone()),
        Order::Acknowledge(kind) => {
            for alarm in station.game().alarms().iter().filter(|alarm| alarm.closed.is_none()) {
                if serde_json::to_value(AlarmKind::from(alarm.kind))? == *kind {
                    commands.push(Command::AcknowledgeAlert { alarm: alarm.id });
                }
            }
        }
    }
    Ok(commands)
}

struct SimulatedGame {
    /// Whether the link is up.
    up: bool,
    reports: Reports,
    recording: Option<Recording>,
    listener: Listener,
    out: Vec<StationOutput>,
}

impl SimulatedGame {
    fn record(&mut self, at: Instant, body: Body<'_>) -> Result<()> {
        self.recording.as_mut().map_or(Ok(()), |recording| recording.record(at, body))
    }

    fn set_link(&mut self, station: &mut Station, at: Instant, up: bool) -> Result<()> {
        self.up = up;
        self.listener.framing.reset();
        self.record(at, Body::Link { link: 0, up, cause: if up { "opened" } else { "lost" } })?;
        station.feed(at, &StationInput::link(up), &mut self.out);
        Ok(())
    }

    /// Carries out the outputs of the station.
    fn carry_out(&mut self, emulator: &mut dyn Device) -> Result<()> {
        for output in std::mem::take(&mut self.out) {
            match output {
                StationOutput::Send { at, channel, bytes, .. } if self.up => {
                    self.record(at, Body::Tx { link: 0, channel, bytes: Cow::Borrowed(&bytes) })?;
                    emulator.host(at, channel, &bytes);
                }
                StationOutput::Message(message) => self.reports.handle_message(&message)?,
                StationOutput::Send { .. } => {}
                // There is no worker here for questions of Article 6.9, and there are no commands with an answer.
                StationOutput::Ask(_) | StationOutput::Device { .. } | StationOutput::Reply(_) | StationOutput::Daemon(_) => {}
            }
        }
        Ok(())
    }
}

/// Writes a trace during a game.
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

    fn record(&mut self, at: Instant, body: Body<'_>) -> Result<()> {
        self.seq += 1;
        self.last = self.last.max(at);
        let record = Record { seq: self.seq, at: self.last, body };
        trace::print(&record, &mut self.text).map_err(|error| anyhow::anyhow!("record {}: {error}", self.seq))
    }
}
