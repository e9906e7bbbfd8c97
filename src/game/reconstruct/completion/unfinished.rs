//! Tells whether the board may still show more of a move, or shows it at rest (`reconstruct/README.md#3.3`).

use core::time::Duration;

use flagfall_protocols::time::Instant;
use shakmaty::Role;

use crate::men::{self, EMPTY};
use crate::reconstruct::board::PhysicalBoard;
use crate::reconstruct::hypothesis::Scene;
use crate::reconstruct::line::{Tentative, man_of};
use crate::reconstruct::route::{ORDER_KNOWN_AFTER, may_be_one_move};

/// The longest time for which the decoder waits for a man that was moved and pressed and is gone again, in a hand.
pub(super) const IN_HAND: Duration = Duration::from_secs(3);

/// When the order of the first moves is known. The first move was not pressed, and its man moved on within the scan that showed
/// the reply. Both movements may be one move, made before the reply. Presses show which.
pub(super) fn order_known_at(plies: &[Tentative], board: &PhysicalBoard) -> Option<Instant> {
    let [first, reply, third, ..] = plies else { return None };
    let went_on = third.mv.from() == Some(first.mv.to()) && third.made.earliest <= reply.made.latest;
    let open = went_on && first.pressed.is_none() && reply.pressed.is_none() && !third.logged;
    let pressed = plies.iter().filter_map(|ply| ply.pressed).map(|pressed| pressed.latest).min();
    (open || may_be_one_move(plies, board))
        .then(|| pressed.unwrap_or(third.made.latest).max(third.made.latest).after(ORDER_KNOWN_AFTER))
}

/// True if the man of this move left its square before the reply was made, less than three seconds ago, and is on no square: the
/// report of the square to which it went may be lost. Only the next report of all squares shows that square.
pub(super) fn may_be_going_on(line: &[Tentative], dead: u64, scene: &Scene<'_>) -> bool {
    let [ply, reply, ..] = line else { return false };
    let to = 1 << man_of(ply.mv, ply.color).1;
    let left = scene.board.changed_at(to);
    let moved = line[1..].iter().any(|later| later.mask & to != 0);
    let empty = men::difference(&ply.node.men, scene.board.men()) & ply.mask & !dead & to != 0;
    empty && !moved && left < reply.made.latest && scene.now < left.after(IN_HAND)
}

/// True if the board does not show the whole move yet, although the reply was made: it shows one man too many of the kind that moved, or
/// the player's king left its square before the reply and stands nowhere, because it castles. A report may be lost, and is awaited for as
/// long as without the reply.
pub(super) fn may_be_unfinished(line: &[Tentative], dead: u64, scene: &Scene<'_>) -> bool {
    let [ply, reply, ..] = line else { return false };
    let until = scene.board.changed_at(ply.mask).max(ply.pressed.unwrap_or(ply.made).latest).after(IN_HAND);
    let castles = || {
        let king = men::of_shakmaty(Role::King.of(men::to_color(ply.color)));
        let from = ply.node.men.iter().position(|&man| man == king).map_or(0, |square| 1 << square);
        let left = ply.node.men.iter().zip(scene.board.men()).any(|(&man, &shown)| man == king && shown == EMPTY);
        dead == 0 && left && scene.sensing.lacks_king(scene.board.men(), king) && scene.board.changed_at(from) < reply.made.latest
    };
    scene.now < until && (shows_too_many(line, scene.board) || castles())
}

/// True if the board shows more men of the kind that made the first move than there are after the moves.
fn shows_too_many(line: &[Tentative], board: &PhysicalBoard) -> bool {
    let (Some(ply), Some(top)) = (line.first(), line.last()) else { return false };
    let man = man_of(ply.mv, ply.color).0;
    men::count(board.men(), man) > men::count(&top.node.men, man)
}

/// True if no board has shown the first move, and if the board has not reported all its squares since the reply: the man may have gone
/// somewhere else, and the report of that square may be lost.
pub(crate) fn may_hide_another_move(plies: &[Tentative], board: &PhysicalBoard) -> bool {
    let [first, reply, ..] = plies else { return false };
    !first.seen && !first.repaired && !board.frames.was_read_since(reply.made.latest)
}

/// True if the first move may hide another one, and its man stood on its square for longer than two scans: one of them should have
/// shown it, unless it was lifted again at once.
pub(super) fn is_surely_lost(plies: &[Tentative], scene: &Scene<'_>) -> bool {
    let [Tentative { pressed: Some(pressed), .. }, reply, ..] = plies else { return false };
    may_hide_another_move(plies, scene.board) && pressed.latest.after(scene.scan * 2) < reply.made.latest
}

/// Until when a report of all squares is awaited that shows where the man of this move went.
pub(super) fn lost_until(ply: &Tentative) -> Instant {
    ply.pressed.unwrap_or(ply.made).latest.after(IN_HAND)
}

/// True if the squares of the move show it and have not changed for `wait`, or if another move followed.
pub(super) fn at_rest(ply: &Tentative, last: bool, wait: Duration, scene: &Scene<'_>) -> bool {
    let differs = men::difference(&ply.node.men, scene.board.men()) & ply.mask;
    // A man that is only off its square may be in a hand.
    !last || (ply.untouched == 0 && differs == 0 && scene.board.changed_at(ply.mask).after(wait) <= scene.now)
}

/// True if the move was pressed and its squares have been still for a scan since then. The scan begins at the press or later,
/// because a change is reported up to one scan late, and a man that slides may have paused on a square. If no move was played
/// after it and its squares show something else, the man is in a hand. If the board shows one man too many of its kind, or if the
/// player who pressed does not have exactly one king, a change is not reported yet.
pub(super) fn is_pressed_and_still(line: &[Tentative], dead: u64, scene: &Scene<'_>) -> bool {
    let Some(ply) = line.first() else { return false };
    let Some(pressed) = ply.pressed else { return false };
    let shown = scene.board.men();
    let differs = men::difference(&ply.node.men, shown) & ply.mask & !dead;
    let king = men::of_shakmaty(Role::King.of(men::to_color(ply.color)));
    let too_many = shows_too_many(line, scene.board);
    let kings = dead == 0 && scene.sensing.lacks_king(shown, king);
    let held = line.len() == 1 && differs != 0;
    let wait = if held || too_many || kings { IN_HAND } else { scene.scan };
    scene.board.changed_at(ply.mask).max(pressed.latest).after(wait) <= scene.now
}
