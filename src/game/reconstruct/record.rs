//! Keeps the sure moves of a game: when each was made, and how it was completed (Articles 4.7, 6.2.1).

use alloc::vec::Vec;

use flagfall_protocols::square::Color;
use flagfall_protocols::time::ClockTime;
use shakmaty::san::SanPlus;
use shakmaty::zobrist::Zobrist128;
use shakmaty::{CastlingMode, Chess, EnPassantMode, Move, Position, Role};

use crate::interval::Interval;
use crate::laws::outcome::Ending;
use crate::laws::rulebook::Rulebook;
use crate::men::{self, Men};
use crate::pair::Pair;
use crate::reconstruct::candidates::Node;
use crate::reconstruct::line::Tentative;
use crate::reconstruct::moves::{MoveRecord, Moves, room_for_one};
use crate::reconstruct::notation::Notation;

/// The reason why it is sure that a move was made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum How {
    /// The player pressed his clock.
    Press,
    /// The player made the next move without having pressed (6.2.1.2), or the reply stands on the board.
    NextMove,
    /// The move ended the game (6.2.1.1).
    GameEnd,
    /// The opponent's clock runs although no press was heard.
    ClockRunning,
    /// No clock is connected, and the move has rested on its squares.
    Settled,
    /// The move stood on the board without a press when the result was declared.
    Stood,
    /// The move was made while the board was not heard. The position afterwards or the board's own log shows it.
    Repair,
    /// An arbiter entered it.
    Arbiter,
}

/// The number of times that a position must stand to end the game (9.6.1).
const FIVEFOLD: usize = 5;

/// A game from its start position.
#[derive(Clone, Debug)]
pub(crate) struct Record {
    start: Chess,
    mode: CastlingMode,
    moves: Moves,
    /// A part of the key of each position. It separates nearly all positions.
    keys: Vec<u32>,
    node: Node,
    /// A player's next move completes the one before it (6.2.1.2). If false, the player's next press does.
    pub(crate) next_move_completes: bool,
    /// The game ends when a position stands for the fifth time (9.6.1).
    fivefold: bool,
    /// The game ends after 75 moves without a pawn move or a capture (9.6.2).
    seventy_five: bool,
}

impl Record {
    pub(crate) fn new(start: Chess, mode: CastlingMode, rulebook: &Rulebook) -> Record {
        let node = Node::new(start.clone());
        let mut record = Record {
            node,
            start,
            mode,
            moves: Moves::default(),
            keys: Vec::new(),
            next_move_completes: rulebook.rules().next_move_completes,
            fivefold: rulebook.rules().fivefold,
            seventy_five: rulebook.seventy_five(),
        };
        record.note_key();
        record
    }

    /// The position after the last move.
    pub(crate) fn node(&self) -> &Node {
        &self.node
    }

    pub(crate) fn start(&self) -> &Chess {
        &self.start
    }

    pub(crate) fn mode(&self) -> CastlingMode {
        self.mode
    }

    pub(crate) fn moves(&self) -> &Moves {
        &self.moves
    }

    pub(crate) fn turn(&self) -> Color {
        men::turn(&self.node.position)
    }

    /// Adds a legal move. It may complete earlier moves of both players (6.2.1.2).
    pub(crate) fn push(
        &mut self,
        mv: Move,
        made: Interval,
        pressed: Option<Interval>,
        how: How,
        clocks: Pair<Option<ClockTime>>,
    ) {
        let color = self.turn();
        // Moves are made one after the other, even if their squares were reported in another order.
        let made = self.moves.last().map_or(made, |before| made.not_before(&before.made));
        let completes = if self.next_move_completes { Some(made) } else { pressed };
        for index in (0..self.moves.len()).rev() {
            match self.moves.get(index) {
                Some(own) if own.color == color && own.completed.is_some() => break,
                Some(own) if own.color == color => self.moves.change(index, |own| own.completed = completes),
                _ => {}
            }
        }
        let san = Notation::of(&SanPlus::from_move_and_play_unchecked(&mut self.node.position, mv));
        self.node = Node::new(self.node.position.clone());
        self.node.arrived = Some(mv.to());
        self.note_key();
        let completed = match how {
            How::Press | How::ClockRunning | How::Settled | How::Repair | How::Arbiter => Some(pressed.unwrap_or(made)),
            How::GameEnd => Some(made),
            How::NextMove | How::Stood => None,
        };
        self.moves.push(MoveRecord { color, san, made, pressed, how, completed, clocks, mv });
    }

    /// Sets when the last move was completed: its press was not heard, but it must lie within `when`.
    pub(crate) fn completed_within(&mut self, when: Interval) {
        self.change_last(|last| last.completed = Some(when));
    }

    /// The last move gets the times of the move that it replaces.
    pub(crate) fn completed_like(&mut self, replaced: &MoveRecord) {
        self.change_last(|last| (last.pressed, last.completed) = (replaced.pressed, replaced.completed));
    }

    fn change_last(&mut self, change: impl FnOnce(&mut MoveRecord)) {
        if let Some(last) = self.moves.len().checked_sub(1) {
            self.moves.change(last, change);
        }
    }

    fn note_key(&mut self) {
        room_for_one(&mut self.keys);
        self.keys.push(key(&self.node.position) as u32);
    }

    /// How many moves of `color` an arbiter entered that may have been completed before `fall` or after it.
    pub(crate) fn entered_around(&self, color: Color, fall: &Interval) -> u32 {
        let entered = |record: &MoveRecord| {
            let around = |done: &Interval| !done.before(fall) && done.earliest <= fall.latest;
            let of_desk = record.how == How::Arbiter && record.pressed.is_none();
            record.color == color && of_desk && record.completed.as_ref().is_some_and(around)
        };
        self.moves.iter().filter(entered).count() as u32
    }

    /// Completes the last move of `color` at `when`, if it is not completed yet.
    pub(crate) fn complete_last(&mut self, color: Color, when: Interval) {
        let last = (0..self.moves.len()).rev().find(|&index| self.moves.get(index).is_some_and(|record| record.color == color));
        if let Some(last) = last.filter(|_| self.next_move_completes) {
            self.moves.change(last, |record| _ = record.completed.get_or_insert(when));
        }
    }

    /// Exchanges the clock times of both sides in all moves.
    pub(crate) fn exchange_clocks(&mut self) {
        for index in 0..self.moves.len() {
            self.moves.change(index, |record| core::mem::swap(&mut record.clocks.white, &mut record.clocks.black));
        }
    }

    /// Gives each move this press. A move that was pressed is completed by it; one that was not, by its player's next move (6.2.1.2) or the
    /// next press. A move that an arbiter entered without a press stays as it is, and so does the completion of one that ended the game.
    pub(crate) fn set_presses(&mut self, pressed: &[Option<Interval>]) {
        for (index, press) in pressed.iter().enumerate() {
            let next_move = self.moves.get(index + 2).map(|next| next.made);
            let next_press = || pressed.iter().skip(index + 2).step_by(2).flatten().next().copied();
            let next = if self.next_move_completes { next_move } else { next_press() };
            self.moves.change(index, |known| {
                let had = core::mem::replace(&mut known.pressed, *press);
                match known.how {
                    How::Arbiter if had.is_none() => known.pressed = None,
                    How::Arbiter | How::Repair => known.completed = Some(press.unwrap_or(known.made)),
                    How::GameEnd => {}
                    _ if press.is_some() => (known.how, known.completed) = (How::Press, *press),
                    _ if had.is_some() => (known.how, known.completed) = (How::NextMove, next),
                    How::NextMove => known.completed = next.or(known.completed),
                    _ => {}
                }
            });
        }
    }

    /// The position after the first `plies` moves.
    pub(crate) fn position_after(&self, plies: usize) -> Chess {
        let mut position = self.start.clone();
        self.moves.played().take(plies).for_each(|mv| position.play_unchecked(mv));
        position
    }

    /// The number of moves after which these men stood on the board for the last time, not counting the position after the last
    /// move.
    pub(crate) fn stood_after(&self, shown: &Men) -> Option<usize> {
        let mut position = self.start.clone();
        let mut stood = None;
        for (plies, record) in self.moves.iter().enumerate() {
            if men::same(&men::of_board(position.board()), shown) {
                stood = Some(plies);
            }
            position.play_unchecked(record.mv);
        }
        stood
    }

    /// The position after the first `plies` moves, if every pawn that was replaced by a rook had been replaced by a queen. None
    /// if there is no such rook, or if a queen could not have made its moves.
    pub(crate) fn with_queens(&self, plies: usize) -> Option<Chess> {
        let mut position = self.start.clone();
        let mut any = false;
        for played in self.moves.played().take(plies) {
            let mv = match played {
                Move::Normal { role, from, capture, to, promotion: Some(Role::Rook) } => {
                    any = true;
                    Move::Normal { role, from, capture, to, promotion: Some(Role::Queen) }
                }
                // The man that moves is the one on that square now.
                mv => position.legal_moves().into_iter().find(|legal| {
                    (legal.from(), legal.to(), legal.promotion(), legal.is_castle())
                        == (mv.from(), mv.to(), mv.promotion(), mv.is_castle())
                })?,
            };
            position.play_unchecked(mv);
        }
        any.then_some(position)
    }

    /// Cuts the game back to its first `plies` moves.
    pub(crate) fn truncate(&mut self, plies: usize) {
        self.moves.truncate(plies);
        self.keys.truncate(plies + 1);
        self.node = Node::new(self.position_after(plies));
    }

    /// How many moves of `color` were certainly completed before `until`, or at all if `until` is none; and how many more may
    /// have been.
    pub(crate) fn completed(&self, color: Color, until: Option<&Interval>) -> (u32, u32) {
        let mut sure = 0;
        let mut doubtful = 0;
        for (_, pressed, completed) in self.moves.completed().filter(|(by, ..)| *by == color) {
            match (&completed, until) {
                (None, _) => {}
                (Some(_), None) => sure += 1,
                // Press and flag are reported by the same clock: its first report came first.
                (Some(done), Some(fall)) if pressed && done.latest < fall.latest => sure += 1,
                (Some(done), Some(fall)) if done.before(fall) => sure += 1,
                (Some(done), Some(fall)) => {
                    // A press that was not heard may have come before a flag that was seen first.
                    let unseen = !pressed || done.latest <= fall.latest;
                    doubtful += u32::from(unseen && done.earliest <= fall.latest);
                }
            }
        }
        (sure, doubtful)
    }

    /// How often `position` has stood on the board (9.2.3), not counting moves before the record.
    pub(crate) fn times(&self, position: &Chess) -> usize {
        self.count_of(position, self.moves.len(), &[], 1)
    }

    /// After how many plies `position` has stood (9.2.3), each time; 0 = at the start.
    pub(crate) fn plies_of(&self, position: &Chess) -> Vec<u32> {
        let wanted = key(position);
        let mut earlier = self.start.clone();
        let mut stood = Vec::new();
        stood.extend((key(&earlier) == wanted).then_some(0));
        for (ply, (mv, &known)) in (1..).zip(self.moves.played().zip(&self.keys[1..])) {
            earlier.play_unchecked(mv);
            stood.extend((known == wanted as u32 && key(&earlier) == wanted).then_some(ply));
        }
        stood
    }

    /// How the last of the first `plies` moves ended the game, if it did.
    pub(crate) fn ending_after(&self, plies: usize) -> Option<Ending> {
        if plies == self.moves.len() {
            return self.ending_at(&self.node.position, plies, &[]);
        }
        if plies < self.moves.len() { self.ending_at(&self.position_after(plies), plies, &[]) } else { None }
    }

    /// How the last of these pending moves ends the game. They follow the moves of the record.
    pub(crate) fn ending_of_line(&self, line: &[Tentative]) -> Option<Ending> {
        self.ending_at(&line.last()?.node.position, self.moves.len(), line)
    }

    /// How a position ends the game, after the first `plies` moves of the record and these pending moves.
    fn ending_at(&self, position: &Chess, plies: usize, line: &[Tentative]) -> Option<Ending> {
        ending_of(position).or_else(|| {
            if self.fivefold && self.count_of(position, plies, line, FIVEFOLD) >= FIVEFOLD {
                return Some(Ending::FivefoldRepetition);
            }
            (self.seventy_five && position.halfmoves() >= 150).then_some(Ending::SeventyFiveMoves)
        })
    }

    /// How often a position has stood since the start, in the first `plies` moves and in these pending moves. If the number is
    /// less than `least`, the result may be any smaller number.
    fn count_of(&self, position: &Chess, plies: usize, line: &[Tentative], least: usize) -> usize {
        let wanted = key(position);
        let alike = self.keys.iter().take(plies + 1).filter(|&&known| known == wanted as u32).count();
        let later = line.iter().filter(|ply| key(&ply.node.position) == wanted).count();
        if alike + later < least {
            return 0;
        }
        let mut earlier = self.start.clone();
        let mut count = usize::from(key(&earlier) == wanted);
        for (mv, &known) in self.moves.played().take(plies).zip(&self.keys[1..]) {
            earlier.play_unchecked(mv);
            count += usize::from(known == wanted as u32 && key(&earlier) == wanted);
        }
        count + later
    }

    /// Notes a press of `by` after a move that was sure without it. False if the last move is no such move.
    pub(crate) fn press_after_end(&mut self, by: Color, at: Interval) -> bool {
        let open = |last: &MoveRecord| last.color == by && last.how == How::GameEnd && last.pressed.is_none();
        let open = self.moves.last().as_ref().is_some_and(open);
        if open {
            self.change_last(|last| last.pressed = Some(at));
        }
        open
    }
}

/// How a position ends the game by itself, whatever was played before.
fn ending_of(position: &Chess) -> Option<Ending> {
    if position.is_insufficient_material() {
        return Some(Ending::DeadPosition);
    }
    if !position.legal_moves().is_empty() {
        return None;
    }
    Some(if position.is_check() { Ending::Checkmate } else { Ending::Stalemate })
}

/// True if both positions are the same in the sense of 9.2.3.
pub(crate) fn same_position(one: &Chess, other: &Chess) -> bool {
    key(one) == key(other)
}

fn key(position: &Chess) -> u128 {
    position.zobrist_hash::<Zobrist128>(EnPassantMode::Legal).0
}
