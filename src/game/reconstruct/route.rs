//! Follows one man from square to square in what the board has shown. A man that is said to stand on a square that shows nothing
//! must not have gone somewhere else.

use core::time::Duration;

use flagfall_protocols::time::Instant;
use shakmaty::{CastlingSide, Move, Role, Square, attacks};

use crate::interval::Interval;
use crate::men::{self, EMPTY};
use crate::reconstruct::board::PhysicalBoard;
use crate::reconstruct::candidates::{Candidate, Node};
use crate::reconstruct::hypothesis::{ON_THE_LINE, Scene};
use crate::reconstruct::line::{Tentative, man_of};

/// The least time from a move to its press.
const PRESS_TAKES: Duration = Duration::from_millis(100);
/// The longest time in scans for which a square shows a man that only brushed it on its way to the square beside it.
pub(crate) const BRUSHED_SCANS: u32 = 2;

/// The longest time for which a man that is moved is usually off its squares: that of the alarm `piece_in_hand`.
const LONGEST_IN_HAND: Duration = Duration::from_secs(5);

/// The time within which the next press shows the order of several moves that one scan has shown.
pub(crate) const ORDER_KNOWN_AFTER: Duration = Duration::from_millis(1500);

/// True if the man of this move went somewhere else since `since`: it stood on a square that is not on its way, or it still stood
/// on its way after `arrived_by`.
pub(crate) fn went_elsewhere(
    candidate: &Candidate,
    node: &Node,
    since: Instant,
    arrived_by: Option<Instant>,
    scene: &Scene<'_>,
) -> bool {
    let (Some(from), to) = (candidate.mv.from(), candidate.mv.to()) else { return false };
    if candidate.mv.is_castle() {
        return false;
    }
    let man = node.men[from.to_usize()];
    let on_the_way = attacks::between(from, to).0;
    let arrived_by = arrived_by.map(|by| by.max(since));
    // A pawn goes straight on, and its double step must not look like a single one: it brushes only squares to which it cannot move.
    let moves_to = |square: u8| node.table().iter().any(|other| other.mv.from() == Some(from) && other.mv.to() as u8 == square);
    let brushed = |square: u8| {
        if candidate.mv.role() == Role::Pawn && moves_to(square) { Duration::ZERO } else { scene.scan * BRUSHED_SCANS }
    };
    let shown = scene.board.changes_of(to as u8).find(|change| change.before == man).map(|change| change.at);
    let elsewhere = |square: &u8| node.men[usize::from(*square)] != man && *square != to as u8;
    (0..64).filter(elsewhere).any(|square| {
        let stands = scene.board.men()[usize::from(square)] == man;
        match on_the_way & (1 << square) {
            0 => {
                let left = || has_left(scene.board, square, man, since);
                stands || (left() && rested_on(scene.board, square, man, since, brushed(square), shown))
            }
            _ => arrived_by.is_some_and(|by| stands || has_left(scene.board, square, man, by)),
        }
    })
}

/// True if this move is a promotion, and the board has shown since `since` that the pawn was replaced by another man.
pub(crate) fn was_promoted_otherwise(candidate: &Candidate, node: &Node, since: Instant, scene: &Scene<'_>) -> bool {
    let (Some(from), Some(_)) = (candidate.mv.from(), candidate.mv.promotion()) else { return false };
    let (pawn, to) = (node.men[from.to_usize()], candidate.mv.to() as u8);
    let own = |man: u8| man != pawn && men::color(man).is_some() && men::color(man) == men::color(pawn);
    scene.board.changes_of(to).take_while(|change| change.at > since).any(|change| own(change.before))
}

/// True if the man of the first move cannot have been captured by the second one, whose man stands on its square, though no board has
/// shown the first move: its man was seen on its old square later, another man stood on its old square before, or the board showed
/// nothing for longer than a man stays in a hand.
pub(crate) fn was_not_captured(first: &Candidate, second: &Candidate, node: &Node, scene: &Scene<'_>) -> bool {
    let Some(from) = first.mv.from() else { return false };
    let (man, board) = (node.men[from.to_usize()], scene.board);
    let arrived = board.changed_at(1 << second.mv.to().to_u32());
    // The second man may have paused there on its way.
    let passes = second.mv.from().is_some_and(|second_from| attacks::between(second_from, second.mv.to()).contains(from));
    let captor = board.men()[second.mv.to().to_usize()];
    for change in board.changes_of(from as u8).filter(|change| !(passes && change.before == captor)) {
        if men::fits(man, change.before) {
            let stayed = change.at > arrived.after(scene.scan) && !board.was_reported_late(change.at);
            let shown_empty = board.shows_all_squares() && arrived > change.at.after(LONGEST_IN_HAND.max(scene.scan));
            return stayed || shown_empty;
        }
        if change.before != EMPTY && change.at <= arrived {
            return true;
        }
    }
    false
}

/// True if the man of the first of these three moves, which made the third one too, left the square between them before the reply:
/// perhaps it went to its last square at once, and the report of that square was lost. The press of the third move shows that there
/// were two moves.
pub(crate) fn may_be_one_move(plies: &[Tentative], board: &PhysicalBoard) -> bool {
    let [first, reply, third, ..] = plies else { return false };
    let went_on = third.mv.from() == Some(first.mv.to()) && third.made.earliest <= reply.made.latest;
    let open = third.pressed.is_none() && !third.logged;
    went_on && open && board.changed_at(1 << first.mv.to().to_u32()) < reply.made.latest
}

/// True if the man of this move, which no board has shown on its square, came back to the square from which it was moved, or to one on
/// which it was seen since: it was only lifted there. `later` are the moves after it: one of them may have put another man like it there,
/// or the man itself, if both players pressed for the two moves before.
pub(crate) fn came_back(ply: &Tentative, later: &[Tentative], board: &PhysicalBoard) -> bool {
    let (man, to) = man_of(ply.mv, ply.color);
    let moved = men::of_shakmaty(ply.mv.role().of(men::to_color(ply.color)));
    let came = |from: Square| came_to(board, from as u8, moved).is_some_and(|came| came > ply.made.latest);
    let pressed = ply.pressed.is_some() && later.first().is_some_and(|reply| reply.pressed.is_some());
    let played = |from| pressed && later.iter().any(|next| next.mv.from() == Some(ply.mv.to()) && next.mv.to() == from);
    if ply.mv.from().is_some_and(|from| came(from) && !played(from)) {
        return true;
    }
    let stands = |square: &u8| board.men()[usize::from(*square)] == man && ply.node.men[usize::from(*square)] != man;
    let another = |square: u8| {
        let moved = later.iter().find(|next| man_of(next.mv, next.color) == (man, square));
        moved.is_some_and(|next| next.mv.from() != Some(ply.mv.to()))
    };
    (0..64)
        .filter(|square| *square != to)
        .filter(stands)
        .any(|square| has_left(board, square, man, ply.made.earliest) && !another(square))
}

/// True if the man of `unseen`, a move that no board has shown, may be in a hand since it made the move `seen` and its player pressed:
/// it stood there for longer than a scan, aside from the way of the other move, and stands nowhere now.
pub(crate) fn may_be_held(unseen: &Tentative, seen: &Tentative, scene: &Scene<'_>) -> bool {
    let (man, to) = man_of(seen.mv, seen.color);
    let on_the_way = unseen.mv.from().is_some_and(|from| attacks::between(from, unseen.mv.to()).contains(seen.mv.to()));
    seen.seen
        && seen.pressed.is_some()
        && !on_the_way
        && scene.board.men()[usize::from(to)] == EMPTY
        && rested_on(scene.board, to, man, unseen.made.earliest, scene.scan, None)
}

/// When the square last began to show this man; if it shows it no more, as far as its changes are kept.
fn came_to(board: &PhysicalBoard, square: u8, man: u8) -> Option<Instant> {
    if board.men()[usize::from(square)] == man {
        return Some(board.changed_at(1 << square));
    }
    let mut shown = board.men()[usize::from(square)];
    board.changes_of(square).find(|change| core::mem::replace(&mut shown, change.before) == man).map(|change| change.at)
}

/// True if the board has shown the man of this move on its square since then, as far as changes are kept.
pub(crate) fn has_come(board: &PhysicalBoard, ply: &Tentative, since: Instant) -> bool {
    let (man, to) = man_of(ply.mv, ply.color);
    came_to(board, to, man).is_some_and(|came| came >= since)
}

/// Whether the man of a move was pressed and answered on another square.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WhereAnswered {
    /// It was: the move was not made.
    Elsewhere,
    /// It may have been: the scans do not show whether the man came to its square before the reply was begun, in time for its press.
    Perhaps,
    /// It was answered where the move has it.
    Here,
}

/// Whether the reply was begun before the man of this move came to its square, while this man rested on another square, to which it
/// could have moved from `before`, until its player had pressed: that move was pressed and answered. The man has gone on since. If it
/// certainly came to its square after the press, it was on the other one before, however short its rest was. If it certainly came after
/// the reply was begun and stood on the other one then, its player may have pressed there.
pub(crate) fn answered(before: &Node, ply: &Tentative, reply_begun: Instant, scene: &Scene<'_>) -> WhereAnswered {
    let (Some(pressed), Some(from), to) = (ply.pressed, ply.mv.from(), ply.mv.to()) else { return WhereAnswered::Here };
    let man = before.men[from.to_usize()];
    let arrived = arrived_at(scene.board, to as u8, man).unwrap_or(ply.made.latest);
    if ply.mv.is_castle() || arrived <= reply_begun {
        return WhereAnswered::Here;
    }
    let earliest = arrived.before(scene.scan);
    let late = earliest > pressed.latest.after(ON_THE_LINE);
    let (since, least) = if late { (pressed.earliest, Duration::ZERO) } else { (pressed.latest, scene.scan) };
    let on_another = |stood: &dyn Fn(u8) -> bool| {
        let mut moves = before.table().iter().map(|other| other.mv);
        moves.any(|other| other.from() == Some(from) && other.to() != to && !other.is_castle() && stood(other.to() as u8))
    };
    if on_another(&|square| rested_on(scene.board, square, man, since, least, None)) {
        let elsewhere = late || earliest > reply_begun || earliest.after(PRESS_TAKES) > pressed.latest;
        if elsewhere { WhereAnswered::Elsewhere } else { WhereAnswered::Perhaps }
    } else if earliest > reply_begun
        && !scene.board.was_reported_late(arrived)
        && on_another(&|square| stood_on(scene.board, square, man, reply_begun) >= Some(pressed.earliest))
    {
        WhereAnswered::Perhaps
    } else {
        WhereAnswered::Here
    }
}

/// Until when this man stood on the square on which it stood at `then`; none if it did not stand there or stands there still.
fn stood_on(board: &PhysicalBoard, square: u8, man: u8, then: Instant) -> Option<Instant> {
    let left = board.changes_of(square).take_while(|change| change.at > then).last()?;
    (left.before == man).then_some(left.at)
}

/// When the man that stands on this square came to it; none if it does not stand there.
pub(crate) fn arrived_at(board: &PhysicalBoard, square: u8, man: u8) -> Option<Instant> {
    (board.men()[usize::from(square)] == man).then(|| board.changed_at(1 << square))
}

/// The squares of another move that may have been made instead of the first of these moves. The last sure move was made at `since`.
pub(crate) fn moves_instead(base: &Node, plies: &[Tentative], since: Instant, scene: &Scene<'_>) -> u64 {
    let castling = plies.first().map_or(0, |first| castling_instead(base, first, since, scene));
    other_destinations(base, plies, scene) | castling
}

/// The squares to which the man of the first of these moves may have gone instead, because the hands of both players were busy at once:
/// it stood on such a square until after the reply was begun and the press may have been made, or it went on to it before the press and
/// came back after the reply was begun, or it is on no square and the reply may have captured it there unseen, also in passing. Only a
/// move after which the reply is legal may have been made.
fn other_destinations(base: &Node, plies: &[Tentative], scene: &Scene<'_>) -> u64 {
    let [first, reply, ..] = plies else { return 0 };
    let (Some(from), to) = (first.mv.from(), first.mv.to()) else { return 0 };
    if first.mv.is_castle() || first.repaired || reply.repaired {
        return 0;
    }
    let (man, shown) = (base.men[from.to_usize()], scene.board.men());
    let arrived = arrived_at(scene.board, to as u8, man).unwrap_or(first.made.latest);
    let begun = scene.board.changed_first(reply.mask).min(reply.made.latest);
    let pressed = first.pressed.map_or(begun, |pressed| pressed.earliest);
    // Each square is reported up to one scan late.
    let begun_by = if arrived >= begun { begun.before(scene.scan) } else { begun };
    let gone = scene.board.changes_of(to as u8).find(|change| change.before == man && shown[to.to_usize()] != man);
    let captured = reply.mask & (1 << to.to_u32()) != 0;
    let moved = plies[1..].iter().any(|ply| ply.mv.from() == Some(to));
    let is_gone = !captured && !moved && gone.is_some_and(|gone| gone.at <= reply.made.latest);
    let went_on = gone.is_some_and(|gone| may_be_in_passing(first, reply, gone.at.before(scene.scan), scene));
    let in_passing = |other: Move| went_on && attacks::between(from, other.to()).contains(to);
    let stood = |square: u8| {
        let left = scene.board.changes_of(square).find(|change| change.before == man && change.at <= arrived.after(scene.scan));
        left.is_some_and(|left| left.at >= begun_by && left.at >= pressed)
    };
    let back = came_to(scene.board, to as u8, man);
    let went_back = |square: u8| {
        let mut changes = scene.board.changes_of(square).skip_while(|change| change.before != man).map(|change| change.at);
        let (Some(left), came) = (changes.next(), changes.next().unwrap_or(Instant::ZERO)) else { return false };
        let rested = came > arrived && came <= begun.after(scene.scan) && left > begun.max(came.after(scene.scan));
        let before_press = first.pressed.is_none_or(|pressed| came <= pressed.latest.after(scene.scan));
        rested && before_press && back.is_some_and(|back| back.after(scene.scan) >= left)
    };
    let moves = base.table().iter().map(|other| other.mv);
    let others = moves.filter(|other| other.from() == Some(from) && other.to() != to && !other.is_castle());
    let places = |mv: Move| (mv.from(), mv.to());
    let is_answered = |other: Move| base.after(other).table().iter().any(|answer| places(answer.mv) == places(reply.mv));
    let was_on = |square: u8| stood(square) || went_back(square) || (is_gone && square == reply.mv.to() as u8);
    let was_made = |other: &Move| was_on(other.to() as u8) || in_passing(*other);
    let open = others.filter(was_made).filter(|&other| is_answered(other));
    open.fold(0, |all, other| all | 1 << other.to().to_u32())
}

/// True if the pawn of the first move, which left its square at `left` or later, may have gone on before its press and before the other
/// pawn was lifted, so that the reply captured it in passing.
fn may_be_in_passing(first: &Tentative, reply: &Tentative, left: Instant, scene: &Scene<'_>) -> bool {
    let pawns = first.mv.role() == Role::Pawn && reply.mv.role() == Role::Pawn && first.mv.to() == reply.mv.to();
    let Some(captor) = reply.mv.from().filter(|_| pawns) else { return false };
    let lifted = scene.board.changed_at(1 << captor.to_u32());
    left <= first.pressed.map_or(lifted, |pressed| pressed.latest.before(PRESS_TAKES).min(lifted))
}

/// The squares of a castling that may have been made instead of this move of a rook: the rook came to its square of the castling, and
/// the king was off his own square since `since`. A player who touches both must castle (4.4.1), so the report that the king arrived
/// elsewhere may be damaged, unless the board has reported all its squares since.
fn castling_instead(base: &Node, first: &Tentative, since: Instant, scene: &Scene<'_>) -> u64 {
    if first.mv.role() != Role::Rook || scene.board.shows_all_squares() {
        return 0;
    }
    let castlings = base.table().iter().filter_map(|other| match other.mv {
        Move::Castle { king, rook } if Some(rook) == first.mv.from() => {
            let side = CastlingSide::from_king_side(king < rook);
            let man = men::of_shakmaty(Role::King.of(men::to_color(first.color)));
            let back = scene.board.changed_at(1 << king.to_u32());
            let open = side.rook_to(men::to_color(first.color)) == first.mv.to()
                && has_left(scene.board, king as u8, man, since)
                && scene.board.men()[king.to_usize()] == man
                && !scene.board.frames.was_read_since(back);
            open.then_some(other.mask)
        }
        _ => None,
    });
    castlings.fold(0, |all, mask| all | mask)
}

/// True if the man that `captor` captures was taken off before the move before, by the same player, was made: it was not taken off for
/// this capture.
pub(crate) fn was_off_before(plies: &[Tentative], captor: &Candidate, scene: &Scene<'_>) -> bool {
    let [.., own, last] = plies else { return false };
    let target = captor.mv.to();
    let man = last.node.men[target.to_usize()];
    let off = scene.board.changes_of(target as u8).find(|change| change.before == man);
    captor.target() == 1 << target.to_u32() && last.mv.to() != target && off.is_some_and(|off| off.at < own.made.latest)
}

/// The longest time for which the last man was seen on a square on which it should not be, after it had come to the square on which
/// `captor` captures it, and since when: the report that it left that square may be lost. None if it was not seen elsewhere, or if another
/// man is captured.
pub(crate) fn seen_elsewhere(last: &Tentative, captor: &Candidate, scene: &Scene<'_>) -> Option<(Duration, Instant)> {
    let (man, to) = man_of(last.mv, last.color);
    let arrived = came_to(scene.board, to, man).filter(|_| captor.target() == 1 << to)?;
    let others = (0..64_u8).filter(|&square| last.node.men[usize::from(square)] != man);
    let seen = others.filter_map(|square| {
        let came = came_to(scene.board, square, man).filter(|came| *came > arrived)?;
        let left = scene.board.changes_of(square).find(|change| change.before == man && change.at > came);
        Some((left.map_or(scene.now, |left| left.at).since(came), came))
    });
    seen.max()
}

/// True if the last man stood for longer than a scan on another square, on which its player may have pressed, after the one on which
/// `captor` captures it: he had put it there. After his press, which was heard in `pressed`, a man that is taken off may brush other
/// squares.
pub(crate) fn was_put_elsewhere(last: &Tentative, pressed: Option<Interval>, captor: &Candidate, scene: &Scene<'_>) -> bool {
    seen_elsewhere(last, captor, scene).is_some_and(|(stood, since)| {
        let before = pressed.map_or(!scene.clock, |pressed| pressed.latest < since.after(PRESS_TAKES));
        stood > scene.scan && !before
    })
}

/// True if the man of this move, which seems to end the game, slid on over its square: after it the board showed, for a scan, exactly a
/// longer move of that man in the same direction that ends the game too. A man that comes back over that square is put back.
pub(crate) fn slid_to_another_end(before: &Node, last: &Tentative, scene: &Scene<'_>) -> bool {
    let Some(from) = last.mv.from() else { return false };
    let on_the_way = |mv: &Move| mv.from() == Some(from) && attacks::between(from, mv.to()).contains(last.mv.to());
    let mut longer = before.table().iter().filter(|other| on_the_way(&other.mv));
    longer.any(|other| {
        let after = other.men_after(&before.men);
        let mut ended = scene.now;
        let mut boards =
            scene.board.past(last.made.latest).map(|(began, men)| (began, core::mem::replace(&mut ended, began), men));
        boards.any(|(began, until, men)| until >= began.after(scene.scan) && men::same(&after, &men))
            && before.after(other.mv).is_end()
    })
}

/// True if the square showed this man for longer than `brushed`, and showed it no more at some moment after `since`. After the man left
/// the square to which it is said to have gone (`shown`), no time is too short: it brushes squares only on its way.
pub(crate) fn rested_on(
    board: &PhysicalBoard,
    square: u8,
    man: u8,
    since: Instant,
    brushed: Duration,
    shown: Option<Instant>,
) -> bool {
    let mut changes = board.changes_of(square).peekable();
    while let Some(left) = changes.next_if(|change| change.at > since) {
        let came = changes.peek().map_or(Instant::ZERO, |change| change.at);
        if left.before == man && (left.at.since(came) > brushed || shown.is_some_and(|shown| left.at > shown)) {
            return true;
        }
    }
    false
}

/// True if the square showed this man and showed it no more at some moment after `since`.
pub(crate) fn has_left(board: &PhysicalBoard, square: u8, man: u8, since: Instant) -> bool {
    board.changes_of(square).take_while(|change| change.at > since).any(|change| change.before == man)
}

/// The square that the man of this move left, if a man of the opponent has passed it since: its last change does not belong to the move.
pub(crate) fn passed_since(node: &Node, candidate: &Candidate, board: &PhysicalBoard) -> u64 {
    let Some(from) = candidate.mv.from() else { return 0 };
    let (square, man) = (from as u8, node.men[from.to_usize()]);
    let mut passed = false;
    for change in board.changes_of(square) {
        if change.before == man {
            return u64::from(passed) << square;
        }
        passed |= men::color(change.before).is_some_and(|color| Some(color) != men::color(man));
    }
    0
}

/// The cost of a move whose press was not heard before the reply. If both moves are pressed between two reports of the clock, the
/// lever is back in its position, but between the moves there was time for a press.
pub(crate) fn cost_without_press(ply: &Tentative, reply: &Tentative, scene: &Scene<'_>) -> i32 {
    let weights = &scene.tuning.weights;
    let (man, to) = man_of(reply.mv, reply.color);
    let replied = arrived_at(scene.board, to, man).unwrap_or(reply.made.latest);
    if replied < ply.made.earliest.after(PRESS_TAKES) {
        return weights.not_pressed;
    }
    let between = reply.made.latest.since(ply.made.latest).as_millis().min(10_000) as i32;
    let both = weights.both_unheard + between * weights.both_unheard_per_second / 1000;
    if reply.pressed.is_none() { both.min(weights.not_pressed) } else { weights.not_pressed }
}
