//! Draws the public's column: the times, the side to move, the last moves and the result.

use serde_json::Value;

use super::paint::{Paint, fit, time};
use super::{Board, WIDTHS};

/// The width of the column, in characters.
const WIDTH: usize = WIDTHS[1];
/// The number of rows for moves.
const MOVE_ROWS: usize = 5;

impl Board {
    pub(super) fn public_rows(&self, paint: Paint) -> Vec<String> {
        let mut rows = vec![paint.bold(&fit("PUBLIC SEES", WIDTH))];
        for (name, side, key) in [("White", "white", "white_ms"), ("Black", "black", "black_ms")] {
            let runs = self.clock["running"] == side;
            let text = fit(&format!("{name} {}{}", time(self.clock[key].as_u64()), if runs { " <" } else { "" }), WIDTH);
            rows.push(if runs { paint.bold(&text) } else { text });
        }
        rows.push(fit(&self.standing(), WIDTH));
        rows.extend(last_moves(&self.public["moves"]).into_iter().map(|text| fit(&text, WIDTH)));
        rows
    }

    fn standing(&self) -> String {
        let turn = self.public["fen"].as_str().and_then(|fen| fen.split(' ').nth(1));
        let last = self.public["moves"].as_array().and_then(|moves| moves.last()?["san"].as_str());
        if last.is_some_and(|san| san.ends_with('#')) {
            return "checkmate".to_owned();
        }
        match (self.public["result"].as_str(), turn) {
            (Some(result), _) if result != "*" => format!("result {result}"),
            (_, Some("b")) => "Black to move".to_owned(),
            (_, Some(_)) => "White to move".to_owned(),
            (_, None) => "nothing yet".to_owned(),
        }
    }
}

/// A state has a few moves only (`wire/README.md#2.2`): those of the state before it stay in the picture.
pub(super) fn keep_earlier_moves(before: &Value, state: &mut Value) {
    let first = state["moves_from"].as_u64().unwrap_or(1);
    let earlier = before["moves"].as_array().filter(|_| before["game_no"] == state["game_no"]).into_iter().flatten();
    let mut moves: Vec<Value> = earlier.filter(|played| played["ply"].as_u64().is_some_and(|ply| ply < first)).cloned().collect();
    if let Some(told) = state["moves"].as_array_mut() {
        moves.append(told);
        *told = moves;
    }
}

/// The last moves, two plies a row.
fn last_moves(moves: &Value) -> Vec<String> {
    let mut rows: Vec<String> = Vec::new();
    for mv in moves.as_array().into_iter().flatten() {
        let (ply, san) = (mv["ply"].as_u64().unwrap_or(0), mv["san"].as_str().unwrap_or("?"));
        match rows.last_mut() {
            Some(row) if ply % 2 == 0 => {
                row.push(' ');
                row.push_str(san);
            }
            _ => rows.push(numbered(ply, san)),
        }
    }
    rows.split_off(rows.len().saturating_sub(MOVE_ROWS))
}

/// `20. a6`, `20... Rd8`.
pub(super) fn numbered(ply: u64, san: &str) -> String {
    format!("{}{} {san}", ply.div_ceil(2), if ply % 2 == 1 { "." } else { "..." })
}
