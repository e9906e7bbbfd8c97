//! Hand motions for moves: every order that the Laws and the sensors permit, as lines of an emulator's script.

use fastrand::Rng;
use shakmaty::{CastlingSide, Chess, Color, Move, Piece, Position, Role, Square};

/// The pace of the players, in seconds.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pace {
    pub(crate) name: &'static str,
    /// From the opponent's press to the first touch.
    pub(crate) think: [f64; 2],
    /// Between two touches of one move.
    pub(crate) hand: [f64; 2],
    /// From the release to the press.
    pub(crate) press: [f64; 2],
}

/// An action and its time in seconds from the beginning of the move.
pub(crate) type Motion = (f64, String);

/// The motions of one move in the making.
pub(crate) struct Hands<'a> {
    rng: &'a mut Rng,
    pace: Pace,
    at: f64,
    motions: Vec<Motion>,
}

pub(crate) fn between(rng: &mut Rng, range: [f64; 2]) -> f64 {
    range[0] + (range[1] - range[0]) * rng.f64()
}

impl<'a> Hands<'a> {
    /// The motions of a legal move of `position` in a random manner.
    pub(crate) fn make(rng: &'a mut Rng, pace: Pace, position: &Chess, mv: Move) -> Vec<Motion> {
        let mut hands = Hands { rng, pace, at: 0.0, motions: Vec::new() };
        let us = position.turn();
        match mv {
            Move::Normal { role, from, to, capture, promotion } => match promotion {
                Some(promoted) => hands.promotion(us, from, to, capture.is_some(), promoted),
                None => hands.normal(role.of(us), from, to, capture.is_some()),
            },
            Move::EnPassant { from, to } => hands.en_passant(us, from, to),
            Move::Castle { king, rook } => hands.castling(us, king, rook),
            Move::Put { .. } => unreachable!("no drops in chess"),
        }
        hands.motions
    }

    fn act(&mut self, action: String) {
        self.motions.push((self.at, action));
    }

    fn then(&mut self) -> &mut Self {
        self.at += between(self.rng, self.pace.hand);
        self
    }

    /// Lifts a piece and takes it off the board: a piece that returns comes from beside the board.
    fn lift(&mut self, square: Square) -> &mut Self {
        self.act(format!("lift {square}"));
        self.act("drop".to_owned());
        self
    }

    fn place(&mut self, square: Square, piece: Piece) -> &mut Self {
        self.act(format!("place {square} {}", piece.char()));
        self
    }

    fn normal(&mut self, piece: Piece, from: Square, to: Square, captures: bool) {
        let slides = !matches!(piece.role, Role::Knight | Role::King) && from.distance(to) > 1;
        match (self.rng.u8(0..6), captures) {
            (0 | 1, _) if slides => {
                let lasts = between(self.rng, self.pace.hand) * f64::from(from.distance(to)).min(3.0);
                let lasts = (lasts * 1e6).round() / 1e6;
                self.act(format!("slide {from} {to} {lasts:.6}"));
                self.at += lasts;
            }
            // The captured piece is lifted first.
            (0 | 2, true) => drop(self.lift(to).then().lift(from).then().place(to, piece)),
            // The captured piece is lifted just before the drop.
            (1 | 3, true) => drop(self.lift(from).then().lift(to).then().place(to, piece)),
            // The new square is seen before the old one is empty.
            (5, _) => drop(self.place(to, piece).then().lift(from)),
            // The captured piece is pushed off by the other one.
            _ => drop(self.lift(from).then().place(to, piece)),
        }
    }

    fn promotion(&mut self, us: Color, from: Square, to: Square, captures: bool, promoted: Role) {
        let (pawn, piece) = (us.pawn(), promoted.of(us));
        match self.rng.u8(0..4) {
            0 if captures => drop(self.lift(to).then().lift(from).then().place(to, piece)),
            // The pawn goes to the last rank and is exchanged there.
            0 | 1 => drop(self.lift(from).then().place(to, pawn).then().lift(to).then().place(to, piece)),
            // The square is empty for a while before the new piece comes.
            2 => drop(self.lift(from).then().then().then().place(to, piece)),
            // The new piece comes first, then the pawn is taken off (4.6).
            _ => drop(self.place(to, piece).then().lift(from)),
        }
    }

    fn en_passant(&mut self, us: Color, from: Square, to: Square) {
        let taken = Square::from_coords(to.file(), from.rank());
        match self.rng.u8(0..3) {
            0 => drop(self.lift(taken).then().lift(from).then().place(to, us.pawn())),
            1 => drop(self.lift(from).then().lift(taken).then().place(to, us.pawn())),
            _ => drop(self.lift(from).then().place(to, us.pawn()).then().lift(taken)),
        }
    }

    fn castling(&mut self, us: Color, king: Square, rook: Square) {
        let side = CastlingSide::from_king_side(king < rook);
        let (king_to, rook_to) = (side.king_to(us), side.rook_to(us));
        match self.rng.u8(0..4) {
            // The rook goes first, quickly.
            0 => drop(self.lift(rook).then().place(rook_to, us.rook()).then().lift(king).then().place(king_to, us.king())),
            // The player uses two hands.
            1 => drop(self.lift(king).lift(rook).then().place(king_to, us.king()).place(rook_to, us.rook())),
            _ => drop(self.lift(king).then().place(king_to, us.king()).then().lift(rook).then().place(rook_to, us.rook())),
        }
    }
}

/// The squares that a move uses or passes.
pub(crate) fn squares(mv: Move) -> Vec<Square> {
    let mut squares = match mv {
        Move::Castle { king, rook } => {
            (0..8).map(|file| Square::from_coords(shakmaty::File::new(file), king.rank())).chain([rook]).collect()
        }
        Move::EnPassant { from, to } => vec![from, to, Square::from_coords(to.file(), from.rank())],
        _ => mv.from().into_iter().chain([mv.to()]).collect::<Vec<_>>(),
    };
    if let (Some(from), false) = (mv.from(), mv.is_castle()) {
        squares.extend(shakmaty::attacks::between(from, mv.to()));
    }
    squares
}

/// A player lifts a piece and puts it back: a piece without a part in the move, which could not make the move either.
pub(crate) fn adjust(rng: &mut Rng, position: &Chess, mv: Move, from: f64, until: f64) -> Vec<Motion> {
    let spare = squares(mv);
    let rivals: Vec<Square> =
        position.legal_moves().iter().filter(|other| other.to() == mv.to()).filter_map(|other| other.from()).collect();
    let standing = position.board().clone().into_iter();
    let standing: Vec<(Square, Piece)> =
        standing.filter(|(square, _)| !spare.contains(square) && !rivals.contains(square)).collect();
    let Some(&(square, piece)) = rng.choice(&standing) else { return Vec::new() };
    let begin = between(rng, [from, until]);
    // After a longer time it would be a piece in the hand.
    let end = between(rng, [begin, until.min(begin + 2.5)]);
    vec![(begin, format!("lift {square}")), (begin, "drop".to_owned()), (end, format!("place {square} {}", piece.char()))]
}
