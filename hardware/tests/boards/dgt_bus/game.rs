//! Generated games, one for each seed.

use std::fmt::Write;

use fastrand::Rng;
use flagfall_hardware::emulator::script::Script;
use flagfall_protocols::square::{Color, Piece, Placement, Reading, Role, Square};

/// A generated game: its script, each square change in order, and the position at its end.
pub(crate) struct Game {
    pub(crate) script: Script,
    pub(crate) changes: Vec<(Square, Reading)>,
    pub(crate) end: Placement,
    pub(crate) presses: usize,
}

/// Generates alternating moves of pawns and knights, each followed by a press. Captured pieces are lifted first.
pub(crate) fn game(seed: u64, first: f64, moves: usize) -> Game {
    let mut rng = Rng::with_seed(seed);
    let (mut placement, mut changes, mut text) = (Placement::initial(), Vec::new(), format!("{} run\n", first - 0.5));
    let (mut side, mut presses, mut wait) = (Color::White, 0, 0.5);
    for _ in 0..moves {
        let choices = choices(&placement, side);
        let Some(&(from, to)) = rng.choice(&choices) else { break };
        let piece = placement.get(from);
        if placement.get(to) != Reading::Empty {
            write!(text, "+{wait:.3} lift {to}\n+0.3 drop\n").expect("a string");
            changes.push((to, Reading::Empty));
            wait = 0.2;
        }
        let press = if side == Color::White { "left" } else { "right" };
        write!(text, "+{wait:.3} lift {from}\n+0.4 place {to}\n+0.35 press {press}\n").expect("a string");
        changes.extend([(from, Reading::Empty), (to, piece)]);
        placement.set(from, Reading::Empty);
        placement.set(to, piece);
        presses += 1;
        side = if side == Color::White { Color::Black } else { Color::White };
        wait = 1.2 + rng.f64() * 3.0;
    }
    Game { script: Script::parse(&text).expect("a script"), changes, end: placement, presses }
}

pub(crate) fn choices(placement: &Placement, side: Color) -> Vec<(Square, Square)> {
    let at = |square: Square, file: i8, rank: i8| {
        let (file, rank) = (square.file() as i8 + file, square.rank() as i8 + rank);
        let inside = (0..8).contains(&file) && (0..8).contains(&rank);
        inside.then(|| Square::new((rank * 8 + file) as u8)).flatten()
    };
    let color = |square: Square| if let Reading::Piece(piece) = placement.get(square) { Some(piece) } else { None };
    let enemy = |square: Square| color(square).is_some_and(|piece: Piece| piece.color != side && piece.role != Role::King);
    let mut found = Vec::new();
    for from in Square::all() {
        let Some(piece) = color(from).filter(|piece| piece.color == side) else { continue };
        match piece.role {
            Role::Knight => {
                for (file, rank) in [(1, 2), (2, 1), (2, -1), (1, -2), (-1, -2), (-2, -1), (-2, 1), (-1, 2)] {
                    let free = |to: &Square| color(*to).is_none() || enemy(*to);
                    found.extend(at(from, file, rank).filter(free).map(|to| (from, to)));
                }
            }
            Role::Pawn => {
                let ahead = if side == Color::White { 1 } else { -1 };
                // Promotions are left out: the piece would change.
                let inside = |to: &Square| !matches!(to.rank(), 0 | 7);
                found.extend(at(from, 0, ahead).filter(inside).filter(|to| color(*to).is_none()).map(|to| (from, to)));
                for file in [-1, 1] {
                    found.extend(at(from, file, ahead).filter(inside).filter(|to| enemy(*to)).map(|to| (from, to)));
                }
            }
            _ => {}
        }
    }
    found
}
