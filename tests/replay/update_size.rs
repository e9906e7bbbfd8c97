//! What an update of a square costs in bytes, at any ply (`wire/README.md#2.2`).

use std::time::Duration;

use flagfall::publish::Message;
use flagfall::publish::delay::Delay;
use flagfall::session::station::{Station, StationInput, StationOutput};
use flagfall::wire::envelope::{self, Stamp};
use flagfall::wire::time::{Anchor, TimeSource};
use flagfall::wire::topics::Board;
use flagfall_game::clock::control::TimeControl;
use flagfall_game::config::GameConfig;
use flagfall_protocols::drivers;
use flagfall_protocols::time::Instant;

use crate::stream::{self, Kind};

/// The public gets everything in updates of its own.
const DELAY: Delay = Delay { time: Duration::from_millis(900_250), moves: 0 };

/// The largest number of bytes that an update may cost without a move, and with one.
const MOST: [usize; 2] = [2_500, 4_000];

/// The bytes of a message on the line, without the few of its packet.
fn size(message: &Message) -> usize {
    let anchor = Anchor { sync: TimeSource::Ntp, err_ms: Some(4), ..Anchor::default() };
    let stamp = Stamp { node: "pi-07".to_owned(), boot: 3, anchor };
    message.topic.len() + envelope::add_stamp(&message.payload, &stamp).len()
}

#[test]
fn an_update_costs_the_same_at_any_ply() {
    let control = TimeControl::parse(stream::CONTROL).expect("a time control");
    let config = GameConfig { time_control: Some(control), ..GameConfig::default() };
    let driver = drivers::find("dgt").expect("registered");
    let mut station = Station::new(driver, config, Board::default(), "replay").with_public(Some(DELAY));
    station.set_coalesced(true);
    station.feed(Instant::ZERO, &StationInput::link(true), &mut Vec::new());
    // By fifty half-moves: the bytes of updates without a move and with one, and how many there were.
    let mut costs = vec![[(0, 0); 2]; 8];
    for piece in stream::game(Duration::from_secs(5 * 3600), 2026) {
        // Most moves are sure some time after the last square has changed.
        for input in [None, Some(StationInput::bytes(0, &piece.bytes))] {
            let mut out = Vec::new();
            match &input {
                None => station.advance(Instant(piece.at.0 - 1), &mut out),
                Some(input) => station.feed(piece.at, input, &mut out),
            }
            let (at, dirty) = (station.earliest().max(piece.at), station.dirty_states());
            station.render_states(at, dirty, &mut out);
            let message = |output| if let StationOutput::Message(message) = output { Some(message) } else { None };
            let messages: Vec<Message> = out.into_iter().filter_map(message).collect();
            let with = messages.iter().any(|message| message.topic.ends_with("/move"));
            if with || (!messages.is_empty() && matches!(piece.kind, Kind::Field | Kind::Press)) {
                let (bytes, updates) = &mut costs[station.game().made_moves() as usize / 50][usize::from(with)];
                (*bytes, *updates) = (*bytes + messages.iter().map(size).sum::<usize>(), *updates + 1);
            }
        }
    }
    let means: Vec<[usize; 2]> = costs.iter().map(|of| of.map(|(bytes, updates)| bytes / updates.max(1))).collect();
    assert!(costs[5].iter().all(|(_, updates)| *updates > 20), "the game is too short: {costs:?}");
    for (fifty, mean) in means.iter().enumerate() {
        assert!(mean[0] <= MOST[0] && mean[1] <= MOST[1], "half-moves from {}: {mean:?} of {means:?}", fifty * 50);
    }
}
