//! The recording of a simulated game: the inputs of a station, and the events that the board's driver reads from them.

use flagfall::session::record_input::read_input;
use flagfall::session::station::{LinkState, StationInput};
use flagfall_game::input::Command;
use flagfall_protocols::driver::{DriverInfo, Input, Output};
use flagfall_protocols::event::DeviceEvent;
use flagfall_protocols::time::Instant;
use flagfall_protocols::trace::Trace;

/// One input of a station.
pub(crate) enum Fed {
    Bytes(Vec<u8>),
    Link(bool),
    Command(Command),
}

/// All inputs of a station in one game.
pub(crate) struct Recording(pub(crate) Vec<(Instant, Fed)>);

impl Recording {
    /// Reads a trace of the simulator.
    pub(crate) fn of(text: &str) -> Recording {
        let trace = Trace::new(text.as_bytes()).expect("the simulator writes traces");
        let mut fed = Vec::new();
        for record in trace.records() {
            let (_, record) = record.expect("the simulator writes records");
            let input = read_input(&record.body).expect("the simulator writes inputs");
            fed.extend(input.and_then(|input| Some((record.at, owned(input)?))));
        }
        Recording(fed)
    }

    /// The events of a driver that asks nothing, each with its time.
    pub(crate) fn events(&self, driver: &DriverInfo) -> Vec<(Instant, DeviceEvent)> {
        let mut driver = driver.start();
        let mut events = Vec::new();
        for (at, fed) in &self.0 {
            match fed {
                Fed::Bytes(bytes) => driver.handle(*at, Input::Bytes { channel: 0, bytes }),
                Fed::Link(false) => driver.handle(*at, Input::LinkDown),
                Fed::Link(true) | Fed::Command(_) => {}
            }
            while let Some(output) = driver.poll() {
                if let Output::Event { event, .. } = output {
                    events.push((*at, event));
                }
            }
        }
        events
    }
}

fn owned(input: StationInput<'_>) -> Option<Fed> {
    match input {
        StationInput::Bytes { bytes, .. } => Some(Fed::Bytes(bytes.to_vec())),
        StationInput::Link { state, .. } => Some(Fed::Link(state != LinkState::Gone)),
        StationInput::Command(command) => Some(Fed::Command(command)),
        StationInput::Submitted(_) | StationInput::Answer(_) | StationInput::Boot { .. } | StationInput::Anchor(_) => None,
    }
}
