//! An emulated board and a station, in simulated time.

use flagfall::publish::{Message, states};
use flagfall::session::station::{Station, StationInput, StationOutput};
use flagfall::wire::state::ArbiterState;
use flagfall::wire::topics::Board;
use flagfall_game::clock::control::TimeControl;
use flagfall_game::config::GameConfig;
use flagfall_hardware::emulator::script::Script;
use flagfall_hardware::emulator::{Emulator, Sent, Settings};
use flagfall_protocols::drivers;
use flagfall_protocols::time::Instant;

/// At this time the driver's first questions are answered.
const STARTED: u64 = 5_000_000;

/// The results of a game.
pub(crate) struct Outcome {
    pub(crate) messages: Vec<Message>,
    pub(crate) state: ArbiterState,
}

/// Plays `script` on a board with these settings, and lets `rest` microseconds pass after it.
pub(crate) fn run(settings: Settings, script: &Script, control: Option<&str>, board: Board, rest: u64) -> Outcome {
    let mut emulator = Emulator::new(settings);
    let time_control = control.map(|text| TimeControl::parse(text).expect("a time control"));
    let config = GameConfig { time_control, ..GameConfig::default() };
    let mut station = Station::new(drivers::find("dgt").expect("registered"), config, board, "table");
    let end = Instant(STARTED + script.end().as_micros() as u64 + rest);
    let (mut out, mut messages, mut sent, mut loaded) = (Vec::new(), Vec::new(), Vec::new(), false);
    station.feed(Instant::ZERO, &StationInput::link(true), &mut out);
    loop {
        for output in out.drain(..) {
            match output {
                StationOutput::Send { at, bytes, .. } => emulator.host(at, &bytes),
                StationOutput::Message(message) => messages.push(message),
                _ => {}
            }
        }
        let begin = (!loaded).then_some(Instant(STARTED));
        let Some(next) = [emulator.next(), station.deadline(), begin].into_iter().flatten().min() else { break };
        if next > end {
            break;
        }
        emulator.advance(next, &mut sent);
        if begin == Some(next) {
            emulator.load(script);
            loaded = true;
        }
        for Sent { at, bytes, .. } in sent.drain(..) {
            station.feed(at, &StationInput::bytes(0, &bytes), &mut out);
        }
        station.advance(next, &mut out);
    }
    assert_eq!(emulator.impossible(), [], "the script asks for the impossible:\n{script}");
    assert_eq!((emulator.counters().impossible, emulator.counters().not_loaded), (0, 0));
    Outcome { messages, state: states::arbiter_state(station.game()) }
}

impl Outcome {
    /// The sure moves in SAN.
    pub(crate) fn moves(&self) -> Vec<String> {
        self.state.moves.iter().map(|mv| mv.san.to_string()).collect()
    }
}
