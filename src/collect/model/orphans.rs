//! Lets go what a node that is gone would have published to the public later (`collect/README.md#5`). Beside the nodes' own delay this is
//! the only place that may give something to the public.

use std::time::Duration;

use super::{Board, Model, OutputAudience};
use crate::system_clock::MonotonicTime;

/// A delay of the public.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Delay {
    /// Seconds.
    pub(crate) seconds: u32,
    /// Half-moves.
    pub(crate) plies: u32,
}

/// Whether a game may go to the public that this collector has held without a change for `held`. A node that announced no delay is never
/// replaced, and a delay in half-moves ends with the game only.
fn may_release(held: Duration, announced: Option<Delay>, organiser: Delay, is_over: bool) -> bool {
    let Some(announced) = announced else { return false };
    let seconds = announced.seconds.max(organiser.seconds);
    held >= Duration::from_secs(seconds.into()) && (announced.plies.max(organiser.plies) == 0 || is_over)
}

impl Model {
    /// Gives the public what is held of nodes that are gone, when it is due.
    pub(super) fn release_orphans(&mut self, now: MonotonicTime) {
        if !self.fixed.release_orphans {
            return;
        }
        let organiser = self.event.as_ref().map(|event| &event.body);
        let organiser = organiser.map(|event| Delay { seconds: event.delay, plies: event.delay_moves }).unwrap_or_default();
        let chess960 = self.chess960();
        let mut due = Vec::new();
        for ((_, round), boards) in self.rounds.iter().filter(|((audience, _), _)| *audience == OutputAudience::Live) {
            for (id, live) in &boards.boards {
                let Some((owner, held_since)) = live.owner().zip(live.held_since) else { continue };
                let is_due = self.nodes.is_away(owner)
                    && may_release(now.since(held_since), self.nodes.delay(owner), organiser, live.is_over(chess960));
                let public = self.rounds.get(&(OutputAudience::Public, round.clone())).and_then(|round| round.boards.get(id));
                if is_due && live.goes_beyond(public) {
                    due.push((round.clone(), id.clone()));
                }
            }
        }
        for (round, id) in due {
            let live = &self.rounds[&(OutputAudience::Live, round.clone())].boards[&id];
            let (number, resets, games) = (live.number, live.resets, live.games.clone());
            let key = (OutputAudience::Public, round);
            let public = self.rounds.entry(key.clone()).or_default().boards.entry(id);
            public.or_insert_with(|| Board::new(number, resets)).release(games, chess960);
            self.note_change(true, key);
        }
    }
}

#[cfg(test)]
mod tests;
