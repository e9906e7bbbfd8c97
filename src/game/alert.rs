//! An alarm as it is published to arbiters.

use alloc::string::ToString;

use flagfall_protocols::square::Piece;

use crate::alarm::{Alarm, WrongSquare};
use crate::health::words::sentence;
use crate::men::{color_name, squares};
use crate::message::{AlertBody, SetUpBody};

fn set_up(wrong: &WrongSquare) -> SetUpBody {
    let letter = |piece: Option<Piece>| piece.map(|piece| piece.letter().to_string());
    SetUpBody { square: wrong.square.to_string(), stands: letter(wrong.stands), expected: letter(wrong.expected) }
}

pub(crate) fn alert(alarm: &Alarm) -> AlertBody {
    AlertBody {
        id: alarm.id,
        kind: alarm.kind,
        class: alarm.kind.class(),
        status: alarm.status,
        side: alarm.side.map(color_name),
        squares: squares(alarm.squares).map(|square| square.to_string()).collect(),
        set_up: alarm.set_up.iter().map(set_up).collect(),
        sentence: sentence(alarm),
        opened_at: alarm.opened.0,
        closed_at: alarm.closed.map(|at| at.0),
    }
}
