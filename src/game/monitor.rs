//! Checks for problems on the board, and for how long they last (`reconstruct/README.md#6`).

mod cured;

use core::time::Duration;

use flagfall_protocols::square::Color;
use flagfall_protocols::time::Instant;
use shakmaty::Position;

use crate::alarm::{Alarm, AlarmKind, AlarmStatus, Alarms};
use crate::game_phase::GamePhase;
use crate::lifecycle::GESTURE_STANDS;
use crate::men::{self, EMPTY, Men, UNKNOWN};
use crate::reconstruct::candidates::Node;
use crate::reconstruct::record::How;
use crate::reconstruct::sensing_of;
use crate::reconstruct::tuning::SETTLE_TIME;
use crate::seen::{Seen, soonest};

/// The largest number of moves of a casual game that are taken back by setting up the initial position.
const MOST_TO_START: usize = 2;
/// The time for which a man must be lifted before the alarm of a piece in the hand.
const IN_HAND: Duration = Duration::from_secs(5);
/// The time for which a position that no reading explains must stand before an alarm.
const DIFFERS: Duration = Duration::from_secs(5);
/// The time for which men that were displaced together must stand before an alarm.
const DISPLACED: Duration = Duration::from_secs(2);
/// The smallest number of squares for the alarm of displaced men. Fewer may come from an accident with one man.
const DISPLACED_SQUARES: u32 = 3;
/// The time for which the board must stand before the alarm of a missing king, too many men or an unreadable square.
const MEN_WRONG: Duration = Duration::from_secs(3);
/// The time for which a move of the wrong side must stand before an alarm.
const WRONG_SIDE: Duration = Duration::from_secs(1);
/// The time after which a move that waits for its press raises an alarm.
const NOT_PRESSED: Duration = Duration::from_secs(10);
/// The time for which an earlier position must stand to count as a take-back. The time is not longer than the time for a move of
/// the wrong side, because a man that is put back looks like one.
const TAKEN_BACK: Duration = Duration::from_secs(1);

/// The problems with the board, and the times since which they last.
#[derive(Clone, Debug)]
pub(crate) struct BoardMonitor {
    /// The squares that differ from what was played, and since when.
    pub(crate) mismatches: MismatchTimes,
    /// The last change of the board that was checked for a move out of turn.
    pub(crate) wrong_side_checked: Instant,
    /// The time of the last move that was reported to wait for its press.
    pub(crate) incomplete_reported: Option<Instant>,
}

impl BoardMonitor {
    pub(crate) const fn new() -> BoardMonitor {
        BoardMonitor { mismatches: MismatchTimes::new(), wrong_side_checked: Instant::ZERO, incomplete_reported: None }
    }

    /// Begins another game.
    pub(crate) fn new_game(&mut self) {
        self.mismatches = MismatchTimes::new();
        self.incomplete_reported = None;
    }

    /// The number of plies that stay after a take-back; none if nothing was taken back. In casual games players take back
    /// moves by putting the men back (`reconstruct/README.md#3.7`). If no clock reports presses, a man that has rested on its
    /// way also takes back the move that was read there (scenarios 5 and 32).
    pub(crate) fn check_take_back(&mut self, now: Instant, seen: &Seen, alarms: &Alarms) -> Option<usize> {
        self.mismatches.note(now, seen.differs(alarms));
        let (board, decoder) = (&seen.board, &seen.play.decoder);
        let looked = self.mismatches.take_back_checked == board.last_change();
        if looked || self.take_back_stands(seen, alarms).is_none_or(|stands| now < stands) || decoder.explains(board) {
            return None;
        }
        self.mismatches.take_back_checked = board.last_change();
        let back = seen.config.casual.then(|| decoder.record.stood_after(board.men())).flatten();
        // All men are put back for the next game, not to take back many moves.
        let back = back.filter(|plies| *plies > 0 || decoder.record.moves().len() <= MOST_TO_START);
        back.or_else(|| plies_before_continued_move(seen))
    }

    /// Raises an alarm for each problem, and closes the alarms of problems that are over.
    pub(crate) fn review(&mut self, now: Instant, seen: &Seen, alarms: &mut Alarms) {
        let differs = seen.differs(alarms);
        self.mismatches.note(now, differs);
        if seen.phase.is_read() {
            cured::close_board_alarms(now, seen, differs, alarms);
        }
        if differs != 0 && seen.is_watched() && seen.gesture_since(now).is_none() && seen.board.unseen_since().is_none() {
            self.check_board(now, seen, differs, alarms);
        }
        if seen.phase.is_read() {
            check_open_moves(now, seen, alarms);
        }
        if seen.is_watched() {
            self.check_missing_press(now, seen, alarms);
        }
    }

    /// The next time at which time alone may change something here.
    pub(crate) fn due(&self, now: Instant, seen: &Seen, alarms: &Alarms) -> Option<Instant> {
        let (watched, line) = (seen.is_watched(), seen.play.decoder.line());
        let since = (watched && seen.touched()).then(|| self.differs_since(seen, seen.differs(alarms)));
        let waits = [WRONG_SIDE, DISPLACED, MEN_WRONG, IN_HAND].map(|wait| Some(since?.after(wait)));
        let others = [
            since.map(|_| seen.board.last_change().after(MEN_WRONG)),
            self.take_back_stands(seen, alarms),
            seen.gesture_since(now).filter(|_| watched).map(|since| since.after(GESTURE_STANDS)),
            line.made_at().filter(|_| watched).map(|made| waits_since(seen, made).after(NOT_PRESSED)),
        ];
        let stand = line.plies().iter().map(|ply| Some(ply.made.latest.after(SETTLE_TIME)));
        soonest(now, waits.into_iter().chain(others).chain(stand))
    }

    /// The time since which these squares differ as they do now.
    fn differs_since(&self, seen: &Seen, differs: u64) -> Instant {
        self.mismatches.since(differs).max(seen.board.changed_at(differs))
    }

    /// The time at which the present position has stood for long enough to shorten the list of moves. This may happen only if
    /// no arbiter rules on the game or no clock reports its presses, and if nothing awaits a ruling.
    fn take_back_stands(&self, seen: &Seen, alarms: &Alarms) -> Option<Instant> {
        let clock = &seen.clock.chessclock;
        let free = seen.config.casual || !clock.present();
        let plays = seen.phase.stage == GamePhase::Playing && !seen.phase.spare.differs();
        let may = free && plays && !clock.flags().any();
        let differs = if may { seen.differs(alarms) } else { 0 };
        (differs != 0).then(|| self.differs_since(seen, differs).after(TAKEN_BACK))
    }

    fn check_board(&mut self, now: Instant, seen: &Seen, differs: u64, alarms: &mut Alarms) {
        let decoder = &seen.play.decoder;
        let node = decoder.line().top(decoder.record.node());
        let board = *seen.board.men();
        // The reading of the moves may have changed after the last change of the board.
        let quiet = now.since(self.differs_since(seen, differs));
        let turn = men::turn(&node.position);
        // Squares that no open alarm reports.
        let fresh = differs & !alarms.reported_squares();
        // A man cannot have been lifted from a square that never showed one.
        let lifted = men::squares(fresh).all(|square| {
            board[square.index()] == EMPTY
                && men::color(node.men[square.index()]) == Some(turn)
                && seen.board.has_shown_a_man(square.index() as u8)
        });
        let part_of_move =
            node.table().iter().any(|candidate| differs & !candidate.mask == 0) || is_explained(seen, node, differs, alarms);
        let in_hand = lifted && fresh.count_ones() <= 2;
        // A man that is off its square may have captured on a square where no sensor noticed it.
        let may_be_right = sensing_of(&seen.board).hides_captures() && decoder.explains(&seen.board);
        if quiet >= IN_HAND && fresh != 0 && in_hand && !may_be_right {
            alarms.raise(now, AlarmKind::PieceInHand, Some(turn), fresh);
        }
        let together = || changed_together(seen, differs);
        if quiet >= DISPLACED && differs.count_ones() >= DISPLACED_SQUARES && !part_of_move && together() {
            alarms.raise(now, AlarmKind::PiecesDisplaced, None, differs);
        }
        if seen.board.identifies() && quiet >= WRONG_SIDE && self.wrong_side_checked != seen.board.last_change() {
            self.wrong_side_checked = seen.board.last_change();
            if let Some(mover) = moved_out_of_turn(seen) {
                alarms.raise(now, AlarmKind::MovedByWrongSide, Some(mover), differs);
            }
        }
        if quiet >= MEN_WRONG {
            count_men(now, seen, node, alarms);
        }
        // What the alarms above report has the same cause.
        let fresh = differs & !alarms.reported_squares();
        if quiet >= DIFFERS && fresh != 0 && !in_hand && !decoder.explains(&seen.board) {
            alarms.raise_again(now, AlarmKind::PositionDiffers, None, fresh);
        }
    }

    /// Raises one alarm for a move that waits for its press, whatever is pressed or considered in between.
    fn check_missing_press(&mut self, now: Instant, seen: &Seen, alarms: &mut Alarms) {
        let Some(ply) = seen.play.decoder.line().last() else { return };
        let (color, made) = (ply.color, ply.made.latest);
        if seen.gesture_since(now).is_some() {
            return;
        }
        let waits = seen.clock.chessclock.runs() == Some(color) && now >= waits_since(seen, made).after(NOT_PRESSED);
        if waits && self.incomplete_reported != Some(made) && seen.play.ending_on_board().is_none() {
            self.incomplete_reported = Some(made);
            alarms.raise(now, AlarmKind::IncompleteMove, Some(color), 0);
        }
    }
}

/// The time since which each square has differed from what was played.
#[derive(Clone, Debug)]
pub(crate) struct MismatchTimes {
    squares: u64,
    since: [Instant; 64],
    /// The last change of the board that was checked for an earlier position.
    pub(crate) take_back_checked: Instant,
}

impl MismatchTimes {
    pub(crate) const fn new() -> MismatchTimes {
        MismatchTimes { squares: 0, since: [Instant::ZERO; 64], take_back_checked: Instant::ZERO }
    }

    pub(crate) fn note(&mut self, now: Instant, differs: u64) {
        for square in men::squares(differs & !self.squares) {
            self.since[square.index()] = now;
        }
        self.squares = differs;
    }

    /// The time since which all squares of `mask` have differed.
    pub(crate) fn since(&self, mask: u64) -> Instant {
        men::squares(mask).map(|square| self.since[square.index()]).max().unwrap_or(Instant::ZERO)
    }
}

/// Raises an alarm if the move with this index, which became sure, promoted a pawn and its new piece is not known.
pub(crate) fn check_promotion(now: Instant, seen: &Seen, index: usize, alarms: &mut Alarms) {
    let unproved = sensing_of(&seen.board).unproved_promotions(&seen.play.decoder.record);
    let promoted = unproved.into_iter().find(|(ply, _)| *ply == index);
    if let Some((_, square)) = promoted {
        alarms.raise(now, AlarmKind::PromotionUnconfirmed, None, square);
    }
}

/// The number of moves before the last one, if the last move was not pressed and its man has gone on to another square to
/// which it could have moved.
fn plies_before_continued_move(seen: &Seen) -> Option<usize> {
    let record = &seen.play.decoder.record;
    let last = record.moves().last()?;
    let before = record.moves().len() - 1;
    let node = Node::new(record.position_after(before));
    let instead = node.exact(seen.board.men())?;
    let went_on = last.how == How::Settled && instead.from() == last.mv().from() && !seen.clock.chessclock.present();
    // Where men are not identified, a man that is off its square may be in a hand and has captured nothing.
    let in_hand = sensing_of(&seen.board).hides_captures() && instead.is_capture();
    (went_on && !in_hand).then_some(before)
}

/// True if another alarm covers these squares or will cover them: a press of a move that is not legal, the shape of a
/// castling, or a legal move with fewer than three squares beside it.
fn is_explained(seen: &Seen, node: &Node, differs: u64, alarms: &Alarms) -> bool {
    let illegal = |alarm: &Alarm| alarm.kind == AlarmKind::IllegalMove && alarm.status == AlarmStatus::Open;
    seen.play.decoder.press_pending()
        || alarms.open().any(|alarm| illegal(alarm) && differs & !alarm.squares == 0)
        || castling_by_hand(&node.men, seen.board.men(), differs)
        || node.table().iter().any(|candidate| {
            let whole = candidate.mask & !differs == 0 && candidate.shown_by(seen.board.men(), 0);
            whole && (differs & !candidate.mask).count_ones() < DISPLACED_SQUARES
        })
}

fn changed_together(seen: &Seen, mask: u64) -> bool {
    let last = seen.board.changed_at(mask);
    men::squares(mask).all(|square| last.since(seen.board.changed_at(square.bit())) <= DISPLACED)
}

/// The side that has made a legal move on the board out of turn.
fn moved_out_of_turn(seen: &Seen) -> Option<Color> {
    let node = seen.play.decoder.line().top(seen.play.decoder.record.node());
    // After mate and stalemate no side has the move, or the man of the last move has only paused on its way.
    if node.is_end() {
        return None;
    }
    let other = Node::new(node.position.clone().swap_turn().ok()?);
    other.exact(seen.board.men())?;
    Some(men::turn(&other.position))
}

fn count_men(now: Instant, seen: &Seen, node: &Node, alarms: &mut Alarms) {
    let (board, turn) = (*seen.board.men(), men::turn(&node.position));
    let known = alarms.reported_squares();
    for color in [Color::White, Color::Black] {
        let king = men::king(color);
        let home = (0..64).filter(|&square| node.men[square] == king).fold(0, |mask, square| mask | (1 << square));
        // The king may have been lifted just now, while something else has differed for long.
        let missing = seen.board.identifies() && color != turn && !seen.board.showed(king, now.before(MEN_WRONG));
        if missing && home & known == 0 {
            alarms.raise_again(now, AlarmKind::KingMissing, Some(color), home);
        }
        if men::count_of(&board, color) > men::MOST_OF_A_SIDE {
            alarms.raise(now, AlarmKind::TooManyMen, Some(color), 0);
        }
    }
    let unreadable = (0..64).fold(0, |mask, i| mask | (u64::from(board[i] == UNKNOWN) << i));
    if unreadable != 0 {
        alarms.raise(now, AlarmKind::UnreadableSquare, None, unreadable);
    }
}

/// Raises and closes the alarms about what a board may not show if it does not identify men: which of two captures was made,
/// and what a pawn became. A piece that has moved as a rook and as a bishop is a queen, and a captured piece no longer
/// matters.
fn check_open_moves(now: Instant, seen: &Seen, alarms: &mut Alarms) {
    let (decoder, sensing) = (&seen.play.decoder, sensing_of(&seen.board));
    if !sensing.hides_captures() {
        return;
    }
    if alarms.is_open(AlarmKind::PromotionUnconfirmed) && sensing.unproved_promotions(&decoder.record).is_empty() {
        alarms.cure(now, AlarmKind::PromotionUnconfirmed);
    }
    match decoder.open().fold(0, |mask, mv| mask | (1 << mv.to().to_u32())) {
        0 => alarms.cure(now, AlarmKind::Ambiguous),
        targets => alarms.raise(now, AlarmKind::Ambiguous, None, targets),
    }
}

/// The time since which a press is expected after a move. It is not before the player's clock has run.
fn waits_since(seen: &Seen, made: Instant) -> Instant {
    made.max(seen.clock.chessclock.changed_at())
}

/// True if king and rook of one side have moved from their squares on the first rank as in a castling, legal or not.
fn castling_by_hand(men: &Men, board: &Men, differs: u64) -> bool {
    [(0, 6, 4), (56, 12, 10)].into_iter().any(|(rank, king, rook)| {
        [(7, 6, 5), (0, 2, 3)].into_iter().any(|(home, king_to, rook_to)| {
            let places = [(rank + 4, king), (rank + home, rook), (rank + king_to, EMPTY), (rank + rook_to, EMPTY)];
            let began = places.iter().all(|&(square, man)| men[square] == man);
            let shown = [(rank + 4, EMPTY), (rank + home, EMPTY), (rank + king_to, king), (rank + rook_to, rook)];
            began && shown.iter().all(|&(square, man)| board[square] == man) && differs.count_ones() == 4
        })
    })
}
