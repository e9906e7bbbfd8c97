//! Reads the games of a trace as the live audience last saw them.

use anyhow::Result;
use flagfall_protocols::trace::{Audience, Trace};

use crate::outputs::moves_parts::MovesParts;
use crate::outputs::picture::Picture;
use crate::outputs::round::{Round, RoundGame};
use crate::session::replay;
use crate::session::setting::Setting;
use crate::session::station::StationOutput;

/// Plays the trace and returns its games, without those in which nothing was played.
///
/// # Errors
/// A damaged line of the trace.
pub(super) fn read(trace: &Trace<'_>, setting: &Setting) -> Result<Round> {
    let mut station = setting.station()?;
    let topic = setting.board.live_state();
    let part_of = |topic: &str| topic.rsplit_once("/moves/").and_then(|(_, part)| part.parse().ok());
    let (mut games, mut parts) = (Vec::<RoundGame>::new(), MovesParts::default());
    replay::run(trace, &mut station, &mut |output| {
        let StationOutput::Message(message) = output else { return Ok(()) };
        if message.audience != Audience::Live {
            return Ok(());
        }
        if let Some(part) = part_of(&message.topic) {
            parts.take_part(part, message.payload.as_bytes())?;
        }
        if message.topic != topic {
            return Ok(());
        }
        let Some(Picture { game, body, .. }) = parts.take_state(Picture::read(message.payload.as_bytes())?)? else {
            return Ok(());
        };
        if games.last().is_none_or(|last| last.id != game) {
            games.push(RoundGame { board: 1, id: game, ..RoundGame::default() });
        }
        if let Some(last) = games.last_mut() {
            last.shown = Some(body);
        }
        Ok(())
    })?;
    games.retain(|game| game.shown.as_ref().is_some_and(|shown| !shown.moves.is_empty() || !shown.segments.is_empty()));
    let (time_control, chess960) = (setting.config.time_control.clone(), setting.config.chess960);
    Ok(Round { time_control, chess960, games, ..Round::default() })
}
