//! Men pause on squares that they pass, for longer than a scan; then their player presses.

use fastrand::Rng;
use shakmaty::attacks::between as squares_between;
use shakmaty::{Move, Position, Role, Square};

use crate::games::hands::{Pace, between};
use crate::invariants::played_game::{BLITZ, RAPID};
use crate::manners::table::{Table, Told};
use crate::support::seeds::campaign;

const BULLET: Pace = Pace { name: "bullet", think: [0.3, 0.6], hand: [0.06, 0.15], press: [0.08, 0.2] };

/// The squares that a rook, bishop, queen or pawn passes with this move.
fn passed(mv: &Move) -> Vec<Square> {
    let slides = matches!(mv.role(), Role::Rook | Role::Bishop | Role::Queen | Role::Pawn);
    mv.from()
        .filter(|_| slides && !mv.is_castle())
        .map_or(Vec::new(), |from| squares_between(from, mv.to()).into_iter().collect())
}

/// The hands make this move and pause on one or two of the squares that its man passes. Other moves are made in any manner.
fn make_with_pauses(table: &mut Table<'_>, mv: Move) {
    let mut passed = passed(&mv);
    let us = table.position.turn();
    if passed.is_empty() || table.rng.u8(0..5) == 0 {
        return table.make(mv);
    }
    let from = mv.from().expect("a man moves");
    passed.sort_by_key(|square| square.distance(from));
    while passed.len() > 2 || (passed.len() == 2 && table.rng.bool()) {
        passed.remove(table.rng.usize(0..passed.len()));
    }
    let hand = table.pace.hand;
    if mv.is_capture() && table.rng.bool() {
        table.lift(mv.to());
        table.wait(hand);
    }
    let mut at = from;
    for square in passed {
        table.lift(at);
        table.wait(hand);
        table.place(square, mv.role().of(us));
        table.wait([0.3, 2.0]);
        at = square;
    }
    table.lift(at);
    table.wait(hand);
    table.place(mv.to(), mv.role().of(us));
    table.made(mv);
}

fn play(seed: u64, overlapping: bool) -> Told {
    let mut rng = Rng::with_seed(seed);
    let pace = [BULLET, BLITZ, RAPID][rng.usize(0..3)];
    let mut table = Table::new(&mut rng, pace, None);
    for _ in 0..60 {
        let Some(mv) = table.random_move(|mv| !passed(mv).is_empty()) else { break };
        let think = between(table.rng, pace.think);
        table.now += think;
        make_with_pauses(&mut table, mv);
        table.wait(pace.press);
        table.press(table.position.turn().other());
        // The opponent's hand begins before the press.
        if overlapping && table.rng.u8(0..4) == 0 {
            table.now -= between(table.rng, [0.0, 1.0]).min(pace.press[0]) + pace.think[0];
        }
    }
    table.end()
}

/// A queen pauses on a square of the way of the queen that captures her, which pauses there too; in the second game the board is read
/// anew meanwhile.
const CAPTURED_AFTER_A_PAUSE: [u64; 2] = [905_996, 917_598];

#[test]
fn men_that_pause_on_their_way() {
    let own = (162_000..162_012).chain(CAPTURED_AFTER_A_PAUSE);
    campaign("men that pause on their way", own, |seed| {
        let told = play(seed, false);
        told.assert_none_silent();
        told.assert_exact();
        told.inputs
    });
}

/// The opponent's queen passes the square that the man of the move has left, before the man arrives.
const PASSED_BY_THE_REPLY: u64 = 906_274;
/// A queen pauses on the square of a mate, goes on, and is captured there before a scan shows it.
const CAPTURED_UNSEEN: u64 = 905_132;
/// Two pawns make their double steps at the same time, and pause: no four single steps.
const BOTH_PAUSE: u64 = 907_845;

/// Both men pause while both hands are busy: two moves look like four, which nobody can have made so.
const LIKE_FOUR_MOVES: [u64; 4] = [920_170, 920_260, 923_269, 926_221];
/// A man is pressed on one square, and later comes back over the square on which it had paused.
const BACK_OVER_THE_PAUSE: [u64; 3] = [920_366, 923_908, 924_717];
/// A pawn pauses on the square on which it could be captured, goes on, and is captured in passing before a scan shows it there.
const CAPTURED_IN_PASSING: u64 = 980_802;

/// Two hands at once have more stories than the reports decide. What is told is right, or an alarm is open.
#[test]
fn men_that_pause_while_the_opponent_begins() {
    let one = [PASSED_BY_THE_REPLY, CAPTURED_UNSEEN, BOTH_PAUSE, CAPTURED_IN_PASSING];
    let own = (163_000..163_012).chain(one).chain(LIKE_FOUR_MOVES).chain(BACK_OVER_THE_PAUSE);
    campaign("men that pause while the opponent begins", own, |seed| {
        let told = play(seed, true);
        told.assert_none_silent();
        told.inputs
    });
}
