//! Looks of boards, and the output of a method in the form of the simulator's score.

use flagfall::emulate::simulated_game::{Heard, Outcome, Reported, ReportedMove};
use flagfall_protocols::event::DeviceEvent;
use flagfall_protocols::square::{Placement, Reading, Square};
use flagfall_protocols::time::Instant;
use shakmaty::uci::UciMove;
use shakmaty::{CastlingMode, Chess, Move, Position};

/// The piece on each square, a1 first, in letters of FEN; `.` is empty, `?` is not known.
pub(crate) type Look = [u8; 64];

/// The look of a board in this position.
pub(crate) fn look(position: &Chess) -> Look {
    let board = position.board();
    std::array::from_fn(|index| board.piece_at(shakmaty::Square::new(index as u32)).map_or(b'.', |piece| piece.char() as u8))
}

/// A mirror of the board's field updates.
pub(crate) struct Mirror(pub(crate) Look);

impl Mirror {
    pub(crate) fn empty() -> Mirror {
        Mirror(look_of(&Placement::EMPTY))
    }

    /// Handles an event; returns true if it is a report of squares.
    pub(crate) fn take(&mut self, event: &DeviceEvent) -> bool {
        match event {
            DeviceEvent::Square { square, reading } => self.0[square.index()] = letter(*reading),
            DeviceEvent::Frame(frame) => self.0 = look_of(frame),
            _ => return false,
        }
        true
    }
}

fn look_of(frame: &Placement) -> Look {
    let mut look = [b'.'; 64];
    Square::all().for_each(|square| look[square.index()] = letter(frame.get(square)));
    look
}

fn letter(reading: Reading) -> u8 {
    match reading {
        Reading::Empty => b'.',
        Reading::Piece(piece) => piece.letter() as u8,
        Reading::Occupied | Reading::ResultPiece(_) | Reading::Unreadable => b'?',
    }
}

/// The moves of a method as messages.
#[derive(Default)]
pub(crate) struct MethodOutput {
    list: Vec<String>,
    told: Vec<Reported>,
}

impl MethodOutput {
    /// The method has read these moves at this time.
    pub(crate) fn game(&mut self, at: Instant, moves: &[Move]) {
        let list: Vec<String> = moves.iter().map(|&mv| UciMove::from_move(mv, CastlingMode::Standard).to_string()).collect();
        let same = self.list.iter().zip(&list).take_while(|(one, other)| one == other).count();
        let mut fresh =
            (same..list.len()).map(|index| ReportedMove { ply: index + 1, uci: list[index].clone(), made_at: [at.0; 2] });
        if same < self.list.len() {
            self.told.push(Reported::Revision { at: at.0, from_ply: same + 1, moves: fresh.collect() });
        } else {
            self.told.extend(fresh.by_ref().map(|mv| Reported::Move { at: at.0, first_game: true, mv }));
        }
        self.list = list;
    }

    /// All messages, for the score.
    pub(crate) fn end(self) -> Outcome {
        Outcome { sure: self.list, ..outcome(self.told, Heard::default()) }
    }
}

/// An outcome with only these messages and inputs.
pub(crate) fn outcome(told: Vec<Reported>, heard: Heard) -> Outcome {
    Outcome {
        told,
        heard,
        sure: Vec::new(),
        pending: Vec::new(),
        open: Vec::new(),
        unconfirmed: Vec::new(),
        in_step: Vec::new(),
        trace: None,
        impossible: Vec::new(),
    }
}
