//! Describes the health of the devices: squares and men that drop out (are lost for moments), and batteries. It is for the person
//! who looks after the devices; alarms report it to arbiters. All of it follows from the reports of the devices, so that a
//! restart can restore it.

mod battery;
pub(crate) mod device;
mod words;

use alloc::string::{String, ToString};
use alloc::vec::Vec;

use flagfall_protocols::square::Square;
use shakmaty::{CastlingSide, Move, Position};

pub use battery::BatteryLevel;
pub use words::sentence;

use crate::reconstruct::board::PhysicalBoard;
use crate::reconstruct::board::dropouts::{Dropouts, ManId};
use crate::seen::Play;

/// A square that loses every man that stands on it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WeakSquare {
    /// The square as White sees it, such as `e4`.
    pub square: String,
    /// How often it lost its man since this board was first seen.
    pub dropouts: u32,
}

/// A man that is lost on every square where he stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WeakMan {
    /// Who, as in a FEN: `N` = a white knight.
    pub man: String,
    /// Where he began the game, or where a pawn became him.
    pub began: String,
    /// A pawn became him there.
    pub promoted: bool,
    /// How often he was lost in this game.
    pub dropouts: u32,
}

/// The health of a board's devices.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Health {
    /// The number of times that a man was lost for a moment since this board was first seen.
    pub dropouts: u32,
    /// The squares found weak since then, in the order from a1.
    pub weak_squares: Vec<WeakSquare>,
    /// The men found weak in this game.
    pub weak_men: Vec<WeakMan>,
    /// The board's battery.
    pub battery: BatteryLevel,
    /// True if the clock shows its battery warning.
    pub clock_battery_low: bool,
}

/// A man that drops out wherever it stands, in words; none if its identity is not known.
fn weak_man(id: ManId, dropouts: &Dropouts, play: &Play) -> Option<WeakMan> {
    let (square, promoted) = id.origin();
    let began = Square::wrapping(square);
    let record = &play.decoder.record;
    let man = match promoted {
        false => record.start().board().piece_at(shakmaty::Square::new(square.into())),
        true => record.moves().iter().rev().find_map(|known| {
            let role = known.mv.promotion().filter(|_| known.mv.to().to_u32() == u32::from(square))?;
            Some(role.of(if square >= 32 { shakmaty::Color::White } else { shakmaty::Color::Black }))
        }),
    };
    let man = man?.char().to_string();
    Some(WeakMan { man, began: began.to_string(), promoted, dropouts: dropouts.count_of(id) })
}

/// The man on a square, as far as the game knows it.
pub(crate) fn man_on(play: &Play, board: &PhysicalBoard, square: Square) -> Option<ManId> {
    let (record, line) = (&play.decoder.record, play.decoder.line());
    let known = line.top(record.node()).men[square.index()] == board.men()[square.index()];
    if !known || !board.identifies() {
        return None;
    }
    let mut at = shakmaty::Square::new(square.index() as u32);
    let sure = record.moves().iter().map(|record| record.mv);
    for mv in sure.chain(line.plies().iter().map(|ply| ply.mv)).rev() {
        match mv {
            Move::Castle { king, rook } => {
                let (side, color) =
                    (CastlingSide::from_king_side(king < rook), shakmaty::Color::from_white(king.rank() < shakmaty::Rank::Fifth));
                if at == side.king_to(color) {
                    at = king;
                } else if at == side.rook_to(color) {
                    at = rook;
                }
            }
            _ if mv.to() != at => {}
            _ if mv.promotion().is_some() => return Some(ManId::promoted(at.to_usize())),
            _ => at = mv.from()?,
        }
    }
    Some(ManId::began(at.to_usize()))
}
