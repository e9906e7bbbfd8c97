//! Keeps which man stands on which square at each time, so that two hands are never at the same square at the same time.

use std::time::Duration;

use flagfall_hardware::emulator::script::{Action, Script};
use shakmaty::{Chess, Piece, Position, Square};

/// The shortest time between two hands at one square.
const APART: Duration = Duration::from_millis(60);

/// A change of one square: it gets a man or is emptied.
#[derive(Clone, Copy, Debug)]
pub(super) struct Change {
    pub(super) at: Duration,
    pub(super) square: Square,
    pub(super) man: Option<Piece>,
}

/// The men on the squares over time.
#[derive(Clone, Debug)]
pub(super) struct BoardTimeline {
    /// By square, in order of time.
    squares: Vec<Vec<(Duration, Option<Piece>)>>,
}

impl BoardTimeline {
    pub(super) fn new(start: &Chess) -> BoardTimeline {
        let squares = Square::ALL.iter().map(|&square| vec![(Duration::ZERO, start.board().piece_at(square))]).collect();
        BoardTimeline { squares }
    }

    /// Adds a change after those on that square at the same time or before.
    pub(super) fn change(&mut self, Change { at, square, man }: Change) {
        let changes = &mut self.squares[usize::from(square)];
        let index = changes.partition_point(|(earlier, _)| *earlier <= at);
        changes.insert(index, (at, man));
    }

    /// The man on `square` at `at`.
    pub(super) fn man_at(&self, square: Square, at: Duration) -> Option<Piece> {
        let changes = &self.squares[usize::from(square)];
        changes[..changes.partition_point(|(earlier, _)| *earlier <= at)].last().and_then(|(_, man)| *man)
    }

    /// The man that stands on `square` from `from` to `to` while no hand touches it.
    pub(super) fn man_standing(&self, square: Square, from: Duration, to: Duration) -> Option<Piece> {
        let changes = &self.squares[usize::from(square)];
        let first = changes.partition_point(|(earlier, _)| *earlier + APART <= from);
        let last = changes.partition_point(|(earlier, _)| *earlier <= to + APART);
        if first == last { changes[..first].last().and_then(|(_, man)| *man) } else { None }
    }

    /// Lifts the man on `square` and puts it back. Returns false if that is impossible.
    pub(super) fn lift_and_return(&mut self, square: Square, from: Duration, to: Duration) -> bool {
        let Some(man) = self.man_standing(square, from, to) else { return false };
        self.change(Change { at: from, square, man: None });
        self.change(Change { at: to, square, man: Some(man) });
        true
    }

    /// Returns the hand movements. A man that comes back comes from beside the board, whatever other hands hold meanwhile.
    pub(super) fn actions(&self) -> Vec<(Duration, Action)> {
        let mut actions = Vec::new();
        for (square, changes) in Square::ALL.iter().zip(&self.squares) {
            let to = flagfall_protocols::square::Square::wrapping(u8::from(*square));
            for &(at, man) in &changes[1..] {
                match man {
                    Some(man) => actions.push((at, Action::Place(to, Some(flagfall_game::of_piece(man))))),
                    None => actions.extend([(at, Action::Lift(to)), (at, Action::Drop)]),
                }
            }
        }
        actions
    }
}

/// Makes a script of these actions, in order of time.
pub(super) fn script(mut actions: Vec<(Duration, Action)>) -> Script {
    // The sort is stable: a lift is followed by its drop, and the changes of one square keep their order.
    actions.sort_by_key(|(at, _)| *at);
    let mut script = Script::new();
    for (at, action) in actions {
        script.push(at, action);
    }
    script
}
