//! Says when the daemon may be ended to begin another round, and why it must wait.

use std::sync::atomic::Ordering;

use flagfall_game::open_matters::{OpenMatter, Unfinished};

use super::node::Node;
use super::shared::{Busy, Condition, StationHandle};
use crate::wire::node::NextRound;

/// Tells whether the boards are quiet, so that another round may begin.
pub struct Quiet {
    node: Node,
    next: Option<NextRound>,
}

impl Quiet {
    pub(super) fn new(node: Node) -> Quiet {
        Quiet { node, next: None }
    }

    /// What a change of the round must wait for: games that are not finished, and what the broker has not got yet, also what the public
    /// gets later. Nothing if the round may change. `force`: games do not count.
    pub fn holds(&self, force: bool) -> Vec<String> {
        let mut holds: Vec<String> = self.node.handles().iter().filter_map(|handle| self.hold_of(handle, force)).collect();
        if holds.is_empty() && !self.broker_has_all() {
            holds.push("the broker has not received everything of this round yet.".to_owned());
        }
        holds
    }

    fn broker_has_all(&self) -> bool {
        let shared = self.node.shared();
        shared.connected.load(Ordering::Relaxed) && shared.outbox.is_idle()
    }

    fn hold_of(&self, handle: &StationHandle, force: bool) -> Option<String> {
        let hold = |game: Option<u32>, reason: &str| {
            let game = game.map(|number| format!(", game {number}")).unwrap_or_default();
            Some(format!("board {}{game}: {reason}", handle.board))
        };
        match handle.condition() {
            Condition::Opening => hold(None, "its journal is being read."),
            Condition::Serving => match handle.busy() {
                Busy { game: Some(game), private: true, .. } if !force && !game.open.contains(&OpenMatter::RoundGame) => hold(
                    Some(game.number),
                    "a game that is not one of the round is on the board. It waits for the men to be set up again.",
                ),
                Busy { game: Some(game), .. } if !force => {
                    hold(Some(game.number), &reason_of(&game, &self.node.place(&handle.board)))
                }
                Busy { public_waits: true, .. } => hold(None, "the public receives its last moves later, by the delay."),
                Busy { .. } => None,
            },
            // Such a board has no game.
            Condition::Parked | Condition::Refused | Condition::Ended => None,
        }
    }

    /// Publishes the round that waits, with what it waits for, and logs what is new in it. None: no round waits.
    pub fn show_next(&mut self, next: Option<NextRound>) {
        if next == self.next {
            return;
        }
        let before = self.next.as_ref().map(|next| next.held_by.as_slice()).unwrap_or_default();
        for hold in next.iter().flat_map(|next| &next.held_by).filter(|hold| !before.contains(hold)) {
            tracing::info!("the organiser's publication waits: {hold}");
        }
        self.node.show_next_round(next.clone());
        self.next = next;
    }

    /// Whether every board has been opened and the broker has everything, so that nobody misses much if the daemon starts anew in the
    /// same round.
    pub fn may_restart(&self) -> bool {
        self.broker_has_all() && self.node.handles().iter().all(|handle| handle.condition() != Condition::Opening)
    }

    /// Notes that the daemon is ended only to start anew.
    pub fn announce_change(&self) {
        self.node.shared().starts_anew.store(true, Ordering::Relaxed);
    }
}

/// Why a game is not finished, and what would finish it.
fn reason_of(game: &Unfinished, place: &str) -> String {
    let mut parts = place.split('/').skip(1);
    let (round, board) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
    let standing = match (game.ending, game.clock_runs) {
        (Some(ending), _) => ending.words(),
        (None, true) => "the game is in play",
        (None, false) if game.open.is_empty() => "the game has no result, and no clock runs",
        (None, false) => "the game has no result",
    };
    let open: Vec<String> = game.open.iter().map(|open| OpenMatter::words(*open)).collect();
    match (open.is_empty(), game.clock_runs) {
        (false, _) => format!("{standing}, but {}. It waits for the decision of an arbiter.", open.join(", and ")),
        (true, true) => format!("{standing}: its clock runs. It waits for the end of the game."),
        (true, false) => format!(
            "{standing}. It waits for a result: kings in the centre, the decision of an arbiter or `flagfall event result {board} RESULT --round \
             {round}`; or for the men to be set up again."
        ),
    }
}
