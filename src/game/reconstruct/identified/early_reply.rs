//! Recognises that the opponent began his reply before the move was finished.

use flagfall_protocols::time::Instant;
use shakmaty::{Square, attacks};

use crate::men::{self, EMPTY};
use crate::reconstruct::hypothesis::{Hypothesis, Scene};
use crate::reconstruct::line::{Tentative, man_of};
use crate::reconstruct::route::{has_left, rested_on};
use crate::reconstruct::sensing::ShownMove;

/// The largest number of men that a reply takes from their squares: king and rook.
const OF_A_REPLY: u32 = 2;

/// True if everything that the reading left unexplained before the move belonged to this move or to a reply that the board shows
/// begun, and if the reply was begun after the move: the hands of both players were busy at the same time.
pub(super) fn explains(reading: &Hypothesis, next: &ShownMove<'_>, scene: &Scene<'_>) -> bool {
    if reading.line.last().is_some_and(|last| rested_on_target(last, next, scene)) {
        return false;
    }
    let passed = next.candidate.mv.from().map_or(0, |from| attacks::between(from, next.candidate.mv.to()).0);
    let own = next.candidate.mask | passed;
    begun_reply(next, scene).is_some_and(|reply| {
        // If the man of the last move went on before its player had pressed, it had only paused there. It may be seen on its next square
        // first.
        let pressed = |last: &&Tentative| last.pressed.is_some_and(|pressed| pressed.latest <= reply.begun);
        let last = reading.line.last().filter(|last| !pressed(last)).map_or(0, |last| 1 << last.mv.to().to_u32());
        let rest = reading.worst_squares & !(own | reply.squares);
        // A man that slides is on no square for a moment.
        let men = &next.node.men;
        let was_passed =
            |square: u8| men::squares(reply.lifted).any(|from| has_left(scene.board, square, men[from.index()], next.begun));
        reply.squares & last == 0 && men::squares(rest).all(|square| was_passed(square.index() as u8))
    })
}

/// True if the man of the last move rested on the square to which this move goes, until this move was begun: it may have gone there
/// and been captured.
fn rested_on_target(last: &Tentative, next: &ShownMove<'_>, scene: &Scene<'_>) -> bool {
    let (man, to) = man_of(last.mv, last.color);
    to != next.to && rested_on(scene.board, next.to, man, next.begun, scene.scan, None)
}

/// A reply that is not finished.
struct BegunReply {
    /// Its squares, with those that its man has passed.
    squares: u64,
    /// The squares from which its men were lifted.
    lifted: u64,
    /// When the first of its squares changed.
    begun: Instant,
}

/// The unfinished reply that explains everything that differs from the position after the move.
fn begun_reply(next: &ShownMove<'_>, scene: &Scene<'_>) -> Option<BegunReply> {
    let (after, shown) = (next.candidate.men_after(&next.node.men), scene.board.men());
    let differs = men::difference(&after, shown);
    let replier = Some(men::turn(&next.node.position).other());
    let (mut lifted, mut put, mut captured) = (0_u64, 0_u64, 0_u64);
    for square in men::squares(differs) {
        let bit = square.bit();
        match (men::color(after[square.index()]), shown[square.index()]) {
            (color, EMPTY) if color == replier => lifted |= bit,
            (_, EMPTY) => captured |= bit,
            (color, man) if color != replier && men::color(man) == replier => put |= bit,
            _ => return None,
        }
    }
    let count = [lifted, put, captured].map(u64::count_ones);
    // A man that slides is seen on two squares in one scan.
    let reply = count[0] <= OF_A_REPLY && count[1] <= count[0] + 1 && count[2] <= 1;
    // A man that no reply puts there was moved before: a pawn that rests on its new square may be captured in passing.
    let replies = (put != 0).then(|| next.node.after(next.candidate.mv));
    let put_by = |square: u8| replies.iter().any(|replies| replies.table().iter().any(|reply| reply.puts(square, shown)));
    let reply = reply && men::squares(put).all(|square| put_by(square.index() as u8));
    // Each square is reported up to one scan late.
    let begun = scene.board.changed_first(differs);
    if !reply || begun < next.begun.before(scene.scan) {
        return None;
    }
    let squares = |mask: u64| men::squares(mask).map(|square| Square::new(square.index() as u32));
    let passed = squares(lifted).flat_map(|from| squares(put).map(move |to| attacks::between(from, to).0));
    Some(BegunReply { squares: passed.fold(differs, |all, passed| all | passed), lifted, begun })
}
