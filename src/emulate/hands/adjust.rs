//! Simulates that a player adjusts a piece on its square (j'adoube, 4.2.1) while thinking. The piece has nothing to do with the
//! move.

use std::time::Duration;

use fastrand::Rng;
use flagfall_hardware::emulator::script::Action;
use shakmaty::{Chess, Move, Position, Square};

use super::motions::Motions;
use super::{between, square};

/// The time after the move before in which no piece is adjusted. The board scans that move in this time.
const AFTER: Duration = Duration::from_millis(450);
/// The longest time that an adjusted piece is off its square. A piece that is away for longer counts as held in the hand.
const LONGEST: Duration = Duration::from_millis(2500);
/// The shortest time that an adjusted piece is off its square.
const SHORTEST: Duration = Duration::from_millis(100);

/// Returns the motions in the time before the first touch of `mv`; none if that time is too short or no piece is free for it.
pub(super) fn straighten(rng: &mut Rng, position: &Chess, mv: Move, think: Duration) -> Motions {
    let Some(last) = think.checked_sub(SHORTEST).filter(|last| *last > AFTER) else { return Vec::new() };
    let busy = squares(mv);
    // A piece whose lifting could begin another move to the same square is not free either.
    let rival = |from: Square| position.legal_moves().iter().any(|other| other.to() == mv.to() && other.from() == Some(from));
    let standing = position.board().clone().into_iter();
    let free: Vec<_> = standing.filter(|(at, _)| !busy.contains(at) && !rival(*at)).collect();
    let Some(&(at, man)) = rng.choice(&free) else { return Vec::new() };
    let begin = between(rng, [AFTER, last]);
    let end = between(rng, [begin + SHORTEST, think.min(begin + LONGEST)]);
    let back = Action::Place(square(at), Some(flagfall_game::of_piece(man)));
    vec![(begin, Action::Lift(square(at))), (begin, Action::Drop), (end, back)]
}

/// The squares that a move changes or passes.
fn squares(mv: Move) -> Vec<Square> {
    match (mv, mv.from()) {
        (Move::Castle { king, .. }, _) => {
            shakmaty::File::ALL.into_iter().map(|file| Square::from_coords(file, king.rank())).collect()
        }
        (Move::EnPassant { from, to }, _) => vec![from, to, Square::from_coords(to.file(), from.rank())],
        (_, Some(from)) => shakmaty::attacks::between(from, mv.to()).into_iter().chain([from, mv.to()]).collect(),
        (_, None) => vec![mv.to()],
    }
}
