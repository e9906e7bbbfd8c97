//! Splits one move into hand motions, in any order that the Laws and the sensors permit.

use std::time::Duration;

use fastrand::Rng;
use flagfall_hardware::emulator::script::Action;
use shakmaty::{CastlingSide, Chess, Color, Move, Piece, Position, Role, Square};

use super::{Habits, Manner, between, square};

/// Actions, each with the time after the first touch.
pub(super) type Motions = Vec<(Duration, Action)>;

/// The longest time of a slide, as a multiple of the time of one hand movement.
const SLIDE_HANDS: u32 = 3;

struct Hands<'a> {
    rng: &'a mut Rng,
    hand: [Duration; 2],
    at: Duration,
    motions: Motions,
}

/// Returns the motions of a legal move of `position`, and how long they take.
pub(super) fn motions_of(rng: &mut Rng, habits: &Habits, position: &Chess, mv: Move, manner: Manner) -> (Motions, Duration) {
    let manner = match manner {
        Manner::ByChance => rng.choice(Manner::CHOICE).unwrap_or_default(),
        chosen => chosen,
    };
    let mut hands = Hands { rng, hand: habits.hand, at: Duration::ZERO, motions: Vec::new() };
    let us = position.turn();
    match mv {
        Move::Normal { from, to, capture, promotion: Some(promoted), .. } => {
            hands.promote(us, from, to, capture.is_some(), promoted, manner);
        }
        Move::Normal { role, from, to, capture, .. } => hands.move_man(role.of(us), from, to, capture.is_some(), manner),
        Move::EnPassant { from, to } => hands.en_passant(us, from, to, manner),
        Move::Castle { king, rook } => hands.castle(us, king, rook, manner),
        // There are no drops in chess.
        Move::Put { .. } => {}
    }
    (hands.motions, hands.at)
}

impl Hands<'_> {
    fn then(&mut self) -> &mut Self {
        self.at += between(self.rng, self.hand);
        self
    }

    /// Lifts a man off the board. A man that comes back comes from beside the board, whatever other hands hold meanwhile.
    fn lift(&mut self, from: Square) -> &mut Self {
        self.motions.push((self.at, Action::Lift(square(from))));
        self.motions.push((self.at, Action::Drop));
        self
    }

    fn place(&mut self, to: Square, what: Piece) -> &mut Self {
        self.motions.push((self.at, Action::Place(square(to), Some(flagfall_game::of_piece(what)))));
        self
    }

    fn move_man(&mut self, man: Piece, from: Square, to: Square, captures: bool, manner: Manner) {
        let straight = !matches!(man.role, Role::Knight | Role::King) && from.distance(to) > 1;
        match manner {
            Manner::Slide if straight => {
                let hands = from.distance(to).min(SLIDE_HANDS);
                let lasts = between(self.rng, self.hand) * hands;
                self.motions.push((self.at, Action::Slide { from: square(from), to: square(to), lasts }));
                self.at += lasts;
            }
            Manner::VictimFirst if captures => _ = self.lift(to).then().lift(from).then().place(to, man),
            Manner::VictimLast if captures => _ = self.lift(from).then().lift(to).then().place(to, man),
            Manner::BothHands if captures => _ = self.lift(from).lift(to).then().place(to, man),
            Manner::SeenTwice if !captures => _ = self.place(to, man).then().lift(from),
            Manner::Pause => self.pause(man, from, to, straight),
            _ => _ = self.lift(from).then().place(to, man),
        }
    }

    fn pause(&mut self, man: Piece, from: Square, to: Square, straight: bool) {
        self.lift(from).then();
        let way = shakmaty::attacks::between(from, to);
        match way.into_iter().min_by_key(|last| last.distance(to)).filter(|_| straight) {
            Some(last) => _ = self.place(last, man).then().lift(last).then().place(to, man),
            None => {
                let lasts = between(self.rng, self.hand);
                self.motions.push((self.at, Action::Dropout { square: square(to), lasts }));
                self.place(to, man);
                self.at += lasts;
            }
        }
    }

    fn promote(&mut self, us: Color, from: Square, to: Square, captures: bool, promoted: Role, manner: Manner) {
        let (pawn, new) = (us.pawn(), promoted.of(us));
        match manner {
            Manner::VictimFirst | Manner::BothHands if captures => {
                _ = self.lift(to).then().lift(from).then().then().place(to, new);
            }
            // Nothing stands there for a while, then the piece.
            Manner::VictimFirst => _ = self.lift(from).then().then().then().place(to, new),
            // The piece is placed first, then the pawn is removed (4.6).
            Manner::VictimLast | Manner::SeenTwice => _ = self.place(to, new).then().lift(from),
            _ => _ = self.lift(from).then().place(to, pawn).then().lift(to).then().place(to, new),
        }
    }

    fn en_passant(&mut self, us: Color, from: Square, to: Square, manner: Manner) {
        let taken = Square::from_coords(to.file(), from.rank());
        match manner {
            Manner::VictimFirst => _ = self.lift(taken).then().lift(from).then().place(to, us.pawn()),
            Manner::VictimLast => _ = self.lift(from).then().lift(taken).then().place(to, us.pawn()),
            Manner::BothHands => _ = self.lift(from).lift(taken).then().place(to, us.pawn()),
            _ => _ = self.lift(from).then().place(to, us.pawn()).then().lift(taken),
        }
    }

    fn castle(&mut self, us: Color, king: Square, rook: Square, manner: Manner) {
        let side = CastlingSide::from_king_side(king < rook);
        let (king_to, rook_to) = (side.king_to(us), side.rook_to(us));
        match manner {
            Manner::BothHands => {
                _ = self.lift(king).lift(rook).then().place(king_to, us.king()).place(rook_to, us.rook());
            }
            Manner::RookFirst => {
                _ = self.lift(rook).then().place(rook_to, us.rook()).then().lift(king).then().place(king_to, us.king());
            }
            _ => _ = self.lift(king).then().place(king_to, us.king()).then().lift(rook).then().place(rook_to, us.rook()),
        }
    }
}
