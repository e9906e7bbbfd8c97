//! Notes which devices serve the boards of the event, from `device/…/status`.

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::collect::model::Model;
use crate::outputs::tap::Device;
use crate::wire::meta::MAX_BOARDS;
use crate::wire::topics::is_id;

/// The largest number of devices that are remembered.
const DEVICES: usize = 2 * MAX_BOARDS;
/// The largest status that is read, in bytes.
const LARGEST: usize = 16 << 10;
/// The longest text in a status that is shown, in characters.
const LONGEST: usize = 100;

/// The devices by their ids.
#[derive(Debug, Default)]
pub(super) struct Devices(BTreeMap<String, Status>);

/// What a device said last.
#[derive(Debug, Deserialize)]
struct Status {
    /// The node that published it.
    #[serde(default)]
    node: String,
    body: Body,
}

#[derive(Debug, Deserialize)]
struct Body {
    state: String,
    kind: String,
    port: Option<String>,
    /// `<event>/<round>/<board>`.
    board: Option<String>,
    serial: Option<String>,
    battery_percent: Option<u8>,
}

impl Devices {
    /// Notes a status; an empty payload deletes it.
    ///
    /// # Errors
    /// It is too large or cannot be read, or there are more devices than an event has. Nothing is changed then.
    pub(super) fn note(&mut self, device: &str, payload: &[u8]) -> Result<(), String> {
        if payload.is_empty() {
            self.0.remove(device);
            return Ok(());
        }
        if payload.len() > LARGEST {
            return Err(format!("the status has {} bytes, the limit is {LARGEST}", payload.len()));
        }
        let status: Status = serde_json::from_slice(payload).map_err(|error| error.to_string())?;
        if status.body.kind != "board" {
            return Ok(());
        }
        if self.0.len() >= DEVICES && !self.0.contains_key(device) {
            return Err(format!("there are more than {DEVICES} devices"));
        }
        self.0.insert(device.to_owned(), status);
        Ok(())
    }

    /// The ids of the boards that devices serve in a round of the event.
    pub(super) fn boards<'a>(&'a self, event: &str, round: &str) -> impl Iterator<Item = &'a str> {
        let place = format!("{event}/{round}/");
        let boards = self.0.values().filter_map(|status| status.body.board.as_deref());
        boards.filter_map(move |board| board.strip_prefix(&place)).filter(|board| is_id(board))
    }

    /// The device of a board. Of several, one that serves it in this round, and one that answers, come first. It answers only if its node
    /// does.
    pub(super) fn of(&self, model: &Model, round: &str, board: &str) -> Device {
        let event = &model.fixed.event;
        let serves = |status: &Status| {
            let place = status.body.board.as_deref().and_then(|place| place.strip_prefix(event.as_str())?.strip_prefix('/'));
            let (of_round, of_board) = place?.split_once('/')?;
            (of_board == board).then_some(of_round == round)
        };
        let answers = |status: &Status| status.body.state != "offline" && model.is_alive(&status.node);
        let found = self.0.values().filter_map(|status| Some(((serves(status)?, answers(status)), status)));
        let Some(((_, online), status)) = found.max_by_key(|(rank, _)| *rank) else { return Device::default() };
        let short = |text: &Option<String>| text.as_ref().map(|text| text.chars().take(LONGEST).collect::<String>());
        let Body { port, serial, battery_percent, .. } = &status.body;
        Device { online, serial: short(serial).filter(|serial| !serial.is_empty()), port: short(port), battery: *battery_percent }
    }
}
