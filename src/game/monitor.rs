//! What is wrong on the board, and for how long it has been (`reconstruct/README.md#6`).

use core::time::Duration;

use flagfall_protocols::square::Color;
use flagfall_protocols::time::Instant;
use shakmaty::Position;

use crate::alarm::{Alarm, AlarmKind, AlarmStatus, Alarms};
use crate::lifecycle::GESTURE_STANDS;
use crate::men::{self, EMPTY, Men, UNKNOWN};
use crate::reconstruct::candidates::Node;
use crate::reconstruct::record::How;
use crate::reconstruct::{SETTLE_TIME, sensing_of};
use crate::seen::{Seen, soonest};
use crate::stage::Stage;

const IN_HAND: Duration = Duration::from_secs(5);
const DIFFERS: Duration = Duration::from_secs(5);
const DISPLACED: Duration = Duration::from_secs(2);
/// So many squares are more than an accident with one man.
const DISPLACED_SQUARES: u32 = 3;
const MEN_WRONG: Duration = Duration::from_secs(3);
const WRONG_SIDE: Duration = Duration::from_secs(1);
const NOT_PRESSED: Duration = Duration::from_secs(10);
/// A position of before stands for so long. Not longer than it takes to tell a move of the wrong side, which a man that is put back
/// looks like.
const TAKEN_BACK: Duration = Duration::from_secs(1);

/// Since when what has been wrong with the board.
#[derive(Clone, Debug)]
pub(crate) struct BoardMonitor {
    /// Squares that differ from what was played, and since when.
    pub(crate) differing: Differing,
    /// The last change of the board for which a move out of turn was looked for.
    pub(crate) wrong_side_looked: Instant,
    /// When the move was made of which it was last told that it waits for its press.
    pub(crate) incomplete_told: Option<Instant>,
}

impl BoardMonitor {
    pub(crate) const fn new() -> BoardMonitor {
        BoardMonitor { differing: Differing::new(), wrong_side_looked: Instant::ZERO, incomplete_told: None }
    }

    /// Another game begins.
    pub(crate) fn new_game(&mut self) {
        self.differing = Differing::new();
        self.incomplete_told = None;
    }

    /// Casual games: players take back what they played by putting it back (`reconstruct/README.md#3.7`). And where no clock tells a
    /// press, a man that has rested on his way takes back the move that was read (scenarios 5 and 32). Gives the plies that stay.
    pub(crate) fn look_back(&mut self, now: Instant, seen: &Seen, alarms: &Alarms) -> Option<usize> {
        self.differing.note(now, seen.differs(alarms));
        let (board, decoder) = (&seen.board, &seen.play.decoder);
        let looked = self.differing.looked_back == board.last_change();
        if looked || self.take_back_stands(seen, alarms).is_none_or(|stands| now < stands) || decoder.explains(board) {
            return None;
        }
        self.differing.looked_back = board.last_change();
        let back = seen.config.casual.then(|| decoder.record.stood_after(board.men())).flatten();
        back.or_else(|| before_the_way_on(seen))
    }

    /// Raises what is wrong as an alarm, and cures what is right again.
    pub(crate) fn review(&mut self, now: Instant, seen: &Seen, alarms: &mut Alarms) {
        let differs = seen.differs(alarms);
        self.differing.note(now, differs);
        if seen.phase.is_read() && differs == 0 {
            board_is_right(now, seen, alarms);
        } else if seen.is_watched() && seen.gesture_since(now).is_none() && seen.board.unseen_since().is_none() {
            self.look_at_board(now, seen, differs, alarms);
        }
        if seen.phase.is_read() {
            look_at_open_moves(now, seen, alarms);
        }
        if seen.is_watched() {
            self.look_for_press(now, seen, alarms);
        }
    }

    /// When time alone may make something of it.
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

    /// Since when these squares differ as they do.
    fn differs_since(&self, seen: &Seen, differs: u64) -> Instant {
        self.differing.since(differs).max(seen.board.changed_at(differs))
    }

    /// When what stands on the board now has stood for long enough to cut the list, where that may be: nobody rules on the game
    /// or hears its presses, and nothing waits for a ruling.
    fn take_back_stands(&self, seen: &Seen, alarms: &Alarms) -> Option<Instant> {
        let clock = &seen.clock.chessclock;
        let free = seen.config.casual || !clock.present();
        let may = free && seen.phase.stage == Stage::Playing && seen.board.identifies() && !clock.flags().any();
        let differs = if may { seen.differs(alarms) } else { 0 };
        (differs != 0).then(|| self.differs_since(seen, differs).after(TAKEN_BACK))
    }

    fn look_at_board(&mut self, now: Instant, seen: &Seen, differs: u64, alarms: &mut Alarms) {
        let decoder = &seen.play.decoder;
        let node = decoder.line().top(decoder.record.node());
        let board = *seen.board.men();
        // What is taken for played may have changed since the board did.
        let quiet = now.since(self.differs_since(seen, differs));
        let turn = men::turn(&node.position);
        // What a square never showed was not lifted from it.
        let lifted = men::squares(differs).all(|square| {
            board[square.index()] == EMPTY
                && men::color(node.men[square.index()]) == Some(turn)
                && seen.board.has_shown_a_man(square.index() as u8)
        });
        let part_of_move =
            node.table().iter().any(|candidate| differs & !candidate.mask == 0) || is_explained(seen, node, differs, alarms);
        let in_hand = lifted && differs.count_ones() <= 2;
        // A man that is off its square may have captured where no sensor noticed it.
        let may_be_right = sensing_of(&seen.board).hides_captures() && decoder.explains(&seen.board);
        if quiet >= IN_HAND && in_hand && !may_be_right {
            alarms.raise(now, AlarmKind::PieceInHand, Some(turn), differs);
        }
        if quiet >= DIFFERS && !in_hand && !decoder.explains(&seen.board) {
            alarms.raise(now, AlarmKind::PositionDiffers, None, differs);
        }
        let together = || changed_together(seen, differs);
        if quiet >= DISPLACED && differs.count_ones() >= DISPLACED_SQUARES && !part_of_move && together() {
            alarms.raise(now, AlarmKind::PiecesDisplaced, None, differs);
        }
        if seen.board.identifies() && quiet >= WRONG_SIDE && self.wrong_side_looked != seen.board.last_change() {
            self.wrong_side_looked = seen.board.last_change();
            if let Some(mover) = moved_out_of_turn(seen) {
                alarms.raise(now, AlarmKind::MovedByWrongSide, Some(mover), differs);
            }
        }
        if quiet >= MEN_WRONG {
            count_men(now, seen, turn, alarms);
        }
    }

    /// Raises a move that waits for its press, once, whatever is pressed and thought of in between.
    fn look_for_press(&mut self, now: Instant, seen: &Seen, alarms: &mut Alarms) {
        let Some(ply) = seen.play.decoder.line().last() else { return };
        let (color, made) = (ply.color, ply.made.latest);
        if seen.gesture_since(now).is_some() {
            return;
        }
        let waits = seen.clock.chessclock.runs() == Some(color) && now >= waits_since(seen, made).after(NOT_PRESSED);
        if waits && self.incomplete_told != Some(made) && seen.play.ending_on_board().is_none() {
            self.incomplete_told = Some(made);
            alarms.raise(now, AlarmKind::IncompleteMove, Some(color), 0);
        }
    }
}

/// Since when each square has differed from what was played.
#[derive(Clone, Debug)]
pub(crate) struct Differing {
    squares: u64,
    since: [Instant; 64],
    /// The last change of the board for which a position of before was looked for.
    pub(crate) looked_back: Instant,
}

impl Differing {
    pub(crate) const fn new() -> Differing {
        Differing { squares: 0, since: [Instant::ZERO; 64], looked_back: Instant::ZERO }
    }

    pub(crate) fn note(&mut self, now: Instant, differs: u64) {
        for square in men::squares(differs & !self.squares) {
            self.since[square.index()] = now;
        }
        self.squares = differs;
    }

    /// Since when all squares of `mask` have differed.
    pub(crate) fn since(&self, mask: u64) -> Instant {
        men::squares(mask).map(|square| self.since[square.index()]).max().unwrap_or(Instant::ZERO)
    }
}

/// The move with this index became sure: who knows what its pawn became?
pub(crate) fn note_promotion(now: Instant, seen: &Seen, index: usize, alarms: &mut Alarms) {
    let unproved = sensing_of(&seen.board).unproved_promotions(&seen.play.decoder.record);
    let promoted = unproved.into_iter().find(|(ply, _)| *ply == index);
    if let Some((_, square)) = promoted {
        alarms.raise(now, AlarmKind::PromotionUnconfirmed, None, square);
    }
}

/// The number of moves before the last one, if nobody pressed that and its man has gone on to another square that he could
/// have been moved to.
fn before_the_way_on(seen: &Seen) -> Option<usize> {
    let record = &seen.play.decoder.record;
    let last = record.moves().last()?;
    let before = record.moves().len() - 1;
    let node = Node::new(record.position_after(before));
    let instead = node.exact(seen.board.men())?;
    let went_on = last.how == How::Settled && instead.from() == last.mv().from() && !seen.clock.chessclock.present();
    went_on.then_some(before)
}

fn board_is_right(now: Instant, seen: &Seen, alarms: &mut Alarms) {
    use AlarmKind::*;
    for kind in [PieceInHand, PositionDiffers, PiecesDisplaced, MovedByWrongSide, KingMissing, TooManyMen, UnreadableSquare] {
        alarms.cure(now, kind);
    }
    if !seen.play.decoder.press_pending() {
        alarms.cure(now, IllegalMove);
        alarms.cure(now, PromotionNotReplaced);
    }
}

/// Something else is reported about these squares, or will be: a press of a move that is not legal, the shape of a castling, a legal move
/// and fewer than three squares beside it.
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

/// The board shows a legal move of the side that does not have the move.
fn moved_out_of_turn(seen: &Seen) -> Option<Color> {
    let node = seen.play.decoder.line().top(seen.play.decoder.record.node());
    let other = Node::new(node.position.clone().swap_turn().ok()?);
    other.exact(seen.board.men())?;
    Some(men::turn(&other.position))
}

fn count_men(now: Instant, seen: &Seen, turn: Color, alarms: &mut Alarms) {
    let board = *seen.board.men();
    for color in [Color::White, Color::Black] {
        let king = if color == Color::White { 6 } else { 12 };
        // He may have been lifted just now, while something else has differed for long.
        if seen.board.identifies() && color != turn && !seen.board.showed(king, now.before(MEN_WRONG)) {
            alarms.raise(now, AlarmKind::KingMissing, Some(color), 0);
        }
        if board.iter().filter(|&&man| men::color(man) == Some(color)).count() > 16 {
            alarms.raise(now, AlarmKind::TooManyMen, Some(color), 0);
        }
    }
    let unreadable = (0..64).fold(0, |mask, i| mask | (u64::from(board[i] == UNKNOWN) << i));
    if unreadable != 0 {
        alarms.raise(now, AlarmKind::UnreadableSquare, None, unreadable);
    }
}

/// What a board that does not identify men may not tell: which of two captures was made, and what a pawn became. A piece that has
/// moved as a rook and as a bishop is a queen, and of one that is captured nobody asks any more.
fn look_at_open_moves(now: Instant, seen: &Seen, alarms: &mut Alarms) {
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

/// Since when a press is waited for after a move: since the player's clock has run.
fn waits_since(seen: &Seen, made: Instant) -> Instant {
    made.max(seen.clock.chessclock.changed_at())
}

/// King and rook of one side have left their squares on its first rank for those of a castling, whether it may castle or not.
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
