//! Assigns presses to moves, and gives up a press without a move (Articles 7.5.1 to 7.5.3).

use alloc::vec::Vec;
use core::time::Duration;

use flagfall_protocols::square::Color;
use flagfall_protocols::time::Instant;

use crate::interval::Interval;
use crate::men::{self, EMPTY, Men};
use crate::reconstruct::board::PhysicalBoard;
use crate::reconstruct::hypothesis::{MAX_PRESSES, NO_LEGAL_MOVE, NOTHING_MOVED, Pressed, Scene, is_in_time};
use crate::reconstruct::line::Line;
use crate::reconstruct::{ClockView, Conclusion, Decoder, setup};

/// The time after a press within which a pawn on the last rank must be replaced.
const NOT_REPLACED: Duration = Duration::from_millis(1000);

/// The time after which a press is called illegal while the opponent holds a man.
const REPLYING: Duration = Duration::from_millis(2400);

impl Decoder {
    /// Handles a press. While the position on the board is not known, the press waits.
    pub(crate) fn press(&mut self, at: Interval, by: Color, board: &PhysicalBoard, clock: &ClockView, out: &mut Vec<Conclusion>) {
        self.clocked = clock.present && self.tuning.presses;
        if !self.tuning.presses {
            return;
        }
        self.append_press_to_log(by, clock);
        let pressed = Pressed { by, at };
        if board.blind(at.latest).is_some() || !self.unheard.is_empty() {
            if self.unheard.len() < MAX_PRESSES {
                self.unheard.push(pressed);
            }
            return;
        }
        self.assign_press(pressed, at.latest, board, out);
    }

    pub(super) fn assign_press(&mut self, pressed: Pressed, now: Instant, board: &PhysicalBoard, out: &mut Vec<Conclusion>) {
        let scene = self.scene(now, board);
        let Pressed { by, at } = pressed;
        if self.heard.len() == MAX_PRESSES {
            self.heard.remove(0);
        }
        self.heard.push(pressed);
        let used = self.beam.press(self.record.node(), pressed, &scene);
        if !used && !self.is_in_gap(at) && !self.record.press_after_end(by, at) {
            out.push(Conclusion::PressedOutOfTurn { by, at });
        }
    }

    /// The sides of the clock were taken for each other: each press and each time belongs to the other player, in the record and in every
    /// reading.
    pub(crate) fn exchange_sides(&mut self, now: Instant, board: &PhysicalBoard) {
        self.record.exchange_clocks();
        self.runs = self.runs.map(Color::other);
        self.heard.iter_mut().chain(&mut self.unheard).for_each(|press| press.by = press.by.other());
        let known = self.record.moves().iter().filter_map(|known| Some(Pressed { by: known.color, at: known.pressed? }));
        let known = known.chain(self.beam.best().presses()).map(|press| Pressed { by: press.by.other(), ..press });
        let mut presses: Vec<Pressed> = known.chain(self.heard.iter().copied()).collect();
        presses.sort_by_key(|press| (press.at.latest, press.by == Color::White));
        presses.dedup();
        let sure: Vec<(Color, Interval)> = self.record.moves().made().collect();
        let matched = |line: &Line| {
            let made: Vec<_> = sure.iter().copied().chain(line.plies().iter().map(|ply| (ply.color, ply.made))).collect();
            let pressed = match_presses(&made, &presses, self.scan);
            // The last press may wait for its move.
            let is_later = |press: &&Pressed| made.last().is_none_or(|(_, made)| press.at.latest > made.latest);
            let unused = presses.last().filter(is_later).filter(|press| !pressed.contains(&Some(press.at)));
            (pressed, unused.copied())
        };
        let (of_record, _) = matched(&self.beam.best().line);
        for reading in self.beam.iter_mut() {
            let (pressed, unused) = matched(&reading.line);
            let turn = men::turn(&reading.line.top(self.record.node()).position);
            reading.line.plies_mut().iter_mut().zip(&pressed[sure.len()..]).for_each(|(ply, pressed)| ply.pressed = *pressed);
            reading.waiting = unused.into_iter().filter(|press| press.by == turn).collect();
        }
        self.record.set_presses(&of_record[..sure.len()]);
        self.beam.rank(self.record.node(), &self.scene(now, board));
    }

    /// Gives up the first press that has no move in the best reading. False if its move may still come.
    pub(super) fn give_up_press(&mut self, scene: &Scene<'_>, out: &mut Vec<Conclusion>) -> bool {
        let best = self.beam.best();
        let Some(&Pressed { by, at }) = best.waiting.first() else { return false };
        if best.line.plies().iter().any(|ply| ply.pressed.is_some()) || scene.board.frames.awaits_answer(scene.now) {
            return false;
        }
        let top = best.line.top(self.record.node());
        let waited = |wait: Duration| scene.now >= at.latest.after(wait);
        let (conclusion, presses) = if men::turn(&top.position) != by {
            (Conclusion::PressedOutOfTurn { by, at }, 1)
        } else if men::same(scene.board.men(), &top.men) {
            match best.waiting.len() {
                _ if !waited(NOTHING_MOVED + scene.scan) => return false,
                1 => (Conclusion::PressedWithoutMove { by, at }, 1),
                _ => (Conclusion::PressedBack { by, at }, 2),
            }
        } else {
            let pawn_stays = setup::pawn_on_last_rank(scene.board.men(), by);
            // The opponent has pressed after it, so the board will not show more.
            let answered = best.waiting.len() > 1 && scene.now >= still_at(scene.board, at, scene.scan);
            if !answered && !waited(if pawn_stays { NOT_REPLACED } else { NO_LEGAL_MOVE }) {
                return false;
            }
            // An unfinished reply may explain the difference.
            let replying = has_man_in_hand(&top.men, scene.board.men(), by.other());
            if scene.now < scene.board.last_change().after(scene.scan) || (replying && !waited(REPLYING)) {
                return false;
            }
            (Conclusion::PressedIllegal { by, at, pawn_stays }, 1)
        };
        if matches!(conclusion, Conclusion::PressedIllegal { .. }) {
            // Hands may have put the men of two legal moves on their squares in another order.
            if self.read_anew(scene) {
                return true;
            }
            self.suspect_dead_squares(scene);
        }
        self.beam.drop_presses(presses);
        if !self.is_in_gap(at) {
            out.push(conclusion);
        }
        true
    }

    pub(super) fn add_press_deadlines(&self, board: &PhysicalBoard, at: &mut impl FnMut(Instant)) {
        let waiting = &self.beam.best().waiting;
        if let Some(pressed) = waiting.first() {
            at(board.last_change().after(self.scan));
            for wait in [NOTHING_MOVED + self.scan, NOT_REPLACED, NO_LEGAL_MOVE, REPLYING] {
                at(pressed.at.latest.after(wait));
            }
            if waiting.len() > 1 {
                at(still_at(board, pressed.at, self.scan));
            }
        }
    }
}

/// True if more men of one kind of `side` are off their squares than stand on other squares. A man on whose square another man stands was
/// captured.
fn has_man_in_hand(men: &Men, shown: &Men, side: Color) -> bool {
    let differs = || men::squares(men::difference(men, shown)).map(|square| square.index());
    differs().any(|square| {
        let man = men[square];
        let off = differs().filter(|&square| men[square] == man && shown[square] == EMPTY).count();
        men::color(man) == Some(side) && off > differs().filter(|&square| shown[square] == man).count()
    })
}

/// The moment at which the board has been still for a scan since the press and since its last change.
fn still_at(board: &PhysicalBoard, pressed: Interval, scan: Duration) -> Instant {
    board.last_change().max(pressed.latest).after(scan)
}

/// The press of each move: each press belongs to the last move of its player that was made in time for it. If there are several, it is the
/// first one.
fn match_presses(made: &[(Color, Interval)], presses: &[Pressed], scan: Duration) -> Vec<Option<Interval>> {
    let mut pressed = alloc::vec![None; made.len()];
    for press in presses {
        let is_own = |(color, made): &(Color, Interval)| *color == press.by && is_in_time(*made, press.at, scan);
        if let Some(index) = made.iter().rposition(is_own) {
            pressed[index].get_or_insert(press.at);
        }
    }
    pressed
}
