//! Splits one move into changes of squares with their times, in a manner that is drawn from the noise model.

use std::time::Duration;

use shakmaty::{Bitboard, CastlingSide, Chess, Color, Move, Piece, Position, Role, Square, attacks};

use crate::emulate::dice::Dice;
use crate::emulate::noise::Noise;

/// One change of a square: the time after the first touch, the square, and the man that it gets (none if it is emptied).
pub(super) type Touch = (Duration, Square, Option<Piece>);

/// The motions of a move.
#[derive(Clone, Debug, Default)]
pub(super) struct Motions {
    /// The touches in order of time.
    pub(super) touches: Vec<Touch>,
    /// What is unusual about it.
    pub(super) odd: Vec<&'static str>,
}

impl Motions {
    /// The time until the last man stands where it belongs.
    pub(super) fn lasts(&self) -> Duration {
        self.touches.iter().map(|(at, ..)| *at).max().unwrap_or_default()
    }
}

/// When a captured man is removed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Victim {
    First,
    Last,
    Pushed,
}

struct Hand<'a> {
    dice: &'a mut Dice,
    noise: &'a Noise,
    slow: bool,
    now: Duration,
    made: Motions,
}

/// Returns the motions of a legal move of `position`. `slow` players have an hour or more.
pub(super) fn motions_of(dice: &mut Dice, noise: &Noise, slow: bool, position: &Chess, mv: Move) -> Motions {
    let mut hand = Hand { dice, noise, slow, now: Duration::ZERO, made: Motions::default() };
    let us = position.turn();
    match mv {
        Move::Normal { from, to, capture, promotion: Some(role), .. } => {
            hand.promote(us, from, to, capture.map(|taken| taken.of(!us)), role);
        }
        Move::Normal { role, from, to, capture, .. } => {
            hand.move_man(position, role.of(us), from, to, capture.map(|taken| taken.of(!us)))
        }
        Move::EnPassant { from, to } => hand.en_passant(us, from, to),
        Move::Castle { king, rook } => hand.castle(us, king, rook),
        // There are no drops in chess.
        Move::Put { .. } => {}
    }
    let mut made = hand.made;
    made.touches.sort_by_key(|(at, ..)| *at);
    made
}

impl Hand<'_> {
    fn draw_travel(&mut self) -> Duration {
        let median = if self.slow { self.noise.hand_travel_slow_s } else { self.noise.hand_travel_quick_s };
        self.dice.lognormal(median, self.noise.hand_travel_spread)
    }

    fn wait(&mut self, time: Duration) -> &mut Self {
        self.now += time;
        self
    }

    fn clear(&mut self, square: Square) -> &mut Self {
        self.made.touches.push((self.now, square, None));
        self
    }

    fn put(&mut self, square: Square, man: Piece) -> &mut Self {
        self.made.touches.push((self.now, square, Some(man)));
        self
    }

    fn note_odd(&mut self, name: &'static str) {
        self.made.odd.push(name);
    }

    fn draw_victim(&mut self) -> Victim {
        let [first, last] = [self.noise.capture_victim_first, self.noise.capture_victim_last];
        let drawn = self.dice.between([0.0, 1.0]);
        match () {
            () if drawn < first => Victim::First,
            () if drawn < first + last => Victim::Last,
            () => Victim::Pushed,
        }
    }

    fn move_man(&mut self, position: &Chess, man: Piece, from: Square, to: Square, taken: Option<Piece>) {
        let travel = self.draw_travel();
        let over = !attacks::between(from, to).is_empty();
        if self.dice.chance(self.noise.slide) && over {
            return self.slide(man, from, to, travel);
        }
        let manner = if taken.is_some() { self.draw_victim() } else { Victim::Pushed };
        let swept = self.dice.chance(self.noise.neighbour_touched);
        let beside = self.free_neighbour(position, from, to).filter(|_| swept);
        match (manner, taken) {
            (Victim::First, Some(victim)) => {
                self.note_odd("victim_first");
                self.clear(to);
                let leg = travel.mul_f64(0.6);
                if let Some(beside) = beside {
                    self.sweep(beside, victim, leg);
                }
                self.wait(leg).clear(from).wait(travel).put(to, man);
            }
            (Victim::Last, Some(_)) => {
                self.note_odd("victim_last");
                let drop = self.dice.span([0.05, 0.25]).min(travel / 2);
                self.clear(from).wait(travel - drop).clear(to).wait(drop).put(to, man);
            }
            _ => {
                self.clear(from);
                if let Some(beside) = beside {
                    self.sweep(beside, man, travel);
                }
                self.wait(travel).put(to, man);
            }
        }
    }

    /// Draws an empty square next to `to` that is not on the way.
    fn free_neighbour(&mut self, position: &Chess, from: Square, to: Square) -> Option<Square> {
        let way = attacks::between(from, to) | Bitboard::from_square(from);
        let free = attacks::king_attacks(to) & !position.board().occupied() & !way;
        self.dice.pick(&free.into_iter().collect::<Vec<_>>())
    }

    /// Within `time` from now, the man in the hand stands on `square` for a moment.
    fn sweep(&mut self, square: Square, man: Piece, time: Duration) {
        self.note_odd("neighbour");
        let lasts = self.dice.span(self.noise.neighbour_touched_s).min(time.mul_f64(0.7));
        let begin = time.mul_f64(0.1) + (time.mul_f64(0.8) - lasts).mul_f64(self.dice.between([0.0, 1.0]));
        let touches = &mut self.made.touches;
        touches.push((self.now + begin, square, Some(man)));
        touches.push((self.now + begin + lasts, square, None));
    }

    fn slide(&mut self, man: Piece, from: Square, to: Square, travel: Duration) {
        self.note_odd("slide");
        let mut way: Vec<Square> = attacks::between(from, to).into_iter().collect();
        way.sort_by_key(|square| square.distance(from));
        let pause = self.dice.chance(self.noise.slide_pauses);
        let rest = self.dice.pick(&way).filter(|_| pause);
        let lasts = self.dice.lognormal(self.noise.slide_pause_s, self.noise.slide_pause_spread);
        way.push(to);
        let step = travel / way.len() as u32;
        let mut before = from;
        for square in way {
            self.wait(step).clear(before).put(square, man);
            if rest == Some(square) {
                self.note_odd("slide_pause");
                self.wait(lasts);
            }
            before = square;
        }
    }

    fn promote(&mut self, us: Color, from: Square, to: Square, taken: Option<Piece>, role: Role) {
        let [there, fetch] = [self.draw_travel(), self.draw_travel()];
        if taken.is_some() && self.draw_victim() == Victim::First {
            self.note_odd("victim_first");
            self.clear(to).wait(there.mul_f64(0.6));
        }
        self.clear(from).wait(there);
        if self.dice.chance(self.noise.promotion_pawn_first) {
            self.note_odd("pawn_first");
            let stands = self.dice.span([0.1, 0.5]);
            self.put(to, us.pawn()).wait(stands).clear(to);
        }
        self.wait(fetch).put(to, role.of(us));
    }

    fn en_passant(&mut self, us: Color, from: Square, to: Square) {
        let taken = Square::from_coords(to.file(), from.rank());
        let [travel, fetch] = [self.draw_travel(), self.draw_travel().mul_f64(0.6)];
        match self.draw_victim() {
            Victim::First => _ = self.clear(taken).wait(fetch).clear(from).wait(travel).put(to, us.pawn()),
            Victim::Last => _ = self.clear(from).wait(travel / 2).clear(taken).wait(travel / 2).put(to, us.pawn()),
            Victim::Pushed => _ = self.clear(from).wait(travel).put(to, us.pawn()).wait(fetch).clear(taken),
        }
    }

    fn castle(&mut self, us: Color, king: Square, rook: Square) {
        let side = CastlingSide::from_king_side(king < rook);
        let (king_to, rook_to) = (side.king_to(us), side.rook_to(us));
        let [one, other] = [self.draw_travel(), self.draw_travel()];
        let between = self.dice.span([0.05, 0.3]);
        let drawn = self.dice.between([0.0, 1.0]);
        let first = self.noise.castling_rook_first;
        match () {
            () if drawn < first => {
                self.note_odd("rook_first");
                self.clear(rook).wait(one).put(rook_to, us.rook()).wait(between);
                self.clear(king).wait(other).put(king_to, us.king());
            }
            () if drawn < first + self.noise.castling_both_hands => {
                self.note_odd("both_hands");
                self.clear(king).wait(between / 2).clear(rook).wait(one);
                self.put(king_to, us.king()).wait(between / 2).put(rook_to, us.rook());
            }
            () => {
                self.clear(king).wait(one).put(king_to, us.king()).wait(between);
                self.clear(rook).wait(other).put(rook_to, us.rook());
            }
        }
    }
}
